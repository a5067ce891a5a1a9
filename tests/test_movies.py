"""Moving pictures: their timing and content as animated SVG and as GIF, and the example that records a game."""

from __future__ import annotations

import runpy
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence

from abstract_envs import fano330_v0, inphexion_v0, xahzo_v0
from abstract_envs.movies import Movie, movie
from abstract_envs.records import GameRecord, read_records
from abstract_envs.render.pixels import to_rgb
from abstract_envs.render.svg import to_svg
from env_cases import Case, all_cases, all_doors, play

ROOT = Path(__file__).parent.parent
SVG = "{http://www.w3.org/2000/svg}"


def recorded(door: Any, seed: int = 0, plies: int | None = 12, **options: Any) -> GameRecord:
    """The record of a random game."""
    env = door.env(**options)
    env.reset(seed=seed)
    actions = play(env, np.random.default_rng(seed), plies)
    return GameRecord.of(env.game, actions, seed=seed if env.game.has_chance else None)


def visible(root: ElementTree.Element, second: float) -> list[str]:
    """All shapes that an animated document shows at a time, as texts."""
    shown: list[str] = []

    def walk(element: ElementTree.Element) -> None:
        animation = element.find(f"{SVG}animate")
        if animation is not None:
            assert animation.get("attributeName") == "visibility"
            assert (animation.get("calcMode"), animation.get("repeatCount")) == ("discrete", "indefinite")
            length = float(animation.get("dur", "").removesuffix("s"))
            times = [length * float(time) for time in animation.get("keyTimes", "").split(";")]
            values = animation.get("values", "").split(";")
            assert times[0] == 0
            assert times == sorted(set(times))
            if values[max(k for k, time in enumerate(times) if time <= second % length + 1e-3)] == "hidden":
                return
        places = [(name, value) for name, value in element.items() if name in ("cx", "cy", "r", "points", "x", "y")]
        if places:  # colours may be those of a group
            shown.append(f"{element.tag} {places} {element.text}")
        for child in element:
            walk(child)

    walk(root)
    return shown


@all_cases
@pytest.mark.parametrize("fps", [1.0, 4.0])
def test_every_frame_of_an_svg(case: Case, fps: float) -> None:
    """At every time an animation shows the shapes of the picture of that position; the last one stays two seconds longer."""
    found = movie(recorded(case.door, **case.options), fps, width=320, height=300, legal_moves=True)
    root = ElementTree.fromstring(found.to_svg())
    assert len(found) <= 13
    for k, drawing in enumerate(found.drawings):
        alone = ElementTree.fromstring(to_svg(drawing, found.options))
        for second in (k / fps, (k + 0.9) / fps, len(found) / fps + 2 + (k + 0.5) / fps):
            shown = visible(root, second)
            assert sorted(shown) == sorted(visible(alone, 0))
    assert sorted(visible(root, len(found) / fps + 1.9)) == sorted(visible(alone, 0))


def test_without_animation_the_last_position_is_seen() -> None:
    found = movie(recorded(inphexion_v0, board_size=4))
    root = ElementTree.fromstring(found.to_svg())
    for group in root.iter(f"{SVG}g"):
        animation = group.find(f"{SVG}animate")
        if animation is not None:
            assert group.get("visibility") == animation.get("values", "").rpartition(";")[2]
    assert (
        root.find(f"{SVG}title").text
        == ElementTree.fromstring(to_svg(found.drawings[-1], found.options)).find(f"{SVG}title").text
    )  # type: ignore[union-attr]


def test_what_stays_is_written_once() -> None:
    found = movie(recorded(xahzo_v0, plies=14))
    assert len(found.to_svg()) < sum(len(to_svg(drawing, found.options)) for drawing in found.drawings) / 3
    disc = found.drawings[1].symbols.index(next(filter(None, found.drawings[1].symbols)))
    x, y = found.drawings[0].look.cells[disc].x * 100, found.drawings[0].look.cells[disc].y * 100
    assert found.to_svg().count(f'<circle cx="{x:g}" cy="{y:g}" r="40"') == 1


@pytest.mark.parametrize("door", [inphexion_v0, fano330_v0])
def test_gif(door: Any, tmp_path: Path) -> None:
    """Every position is a frame, with the colours of its picture; the last one stays."""
    found = movie(recorded(door), 5, width=150, height=120, theme="dark")
    found.save(tmp_path / "game.gif")
    with Image.open(tmp_path / "game.gif") as gif:
        assert gif.n_frames == len(found)  # type: ignore[attr-defined]
        assert gif.info["loop"] == 0
        durations = []
        for frame, drawing in zip(ImageSequence.Iterator(gif), found.drawings, strict=True):
            durations.append(frame.info["duration"])
            picture = to_rgb(drawing, found.options).astype(int)
            difference = np.abs(np.array(frame.convert("RGB")) - picture).max(axis=2)
            assert (difference > 24).mean() < 0.01
    assert durations == [200] * (len(found) - 1) + [2200]


@pytest.mark.parametrize(("fps", "stay"), [(3, [330, 340, 330]), (40, [20, 30, 30]), (50, [20, 20, 20]), (0.0016, [625_000] * 3)])
def test_the_pace_of_a_gif(fps: float, stay: list[int], tmp_path: Path) -> None:
    """Hundredths of a second: thirds are 33, 34 and 33, so that three of them are a second."""
    Movie(movie(recorded(inphexion_v0, plies=3)).drawings, fps, width=60, height=50).save(tmp_path / "game.gif")
    with Image.open(tmp_path / "game.gif") as gif:
        assert [frame.info["duration"] for frame in ImageSequence.Iterator(gif)][:3] == stay


@pytest.mark.parametrize("fps", [50.1, 1000, 0.0015, 1e-9])
def test_no_gif_of_such_a_pace(fps: float, tmp_path: Path) -> None:
    shown = Movie(movie(recorded(inphexion_v0, plies=1)).drawings, fps)
    with pytest.raises(ValueError, match=r"fps is .*; a GIF has at most 50 positions a second, and at least one in 653 seconds"):
        shown.save(tmp_path / "game.gif")
    assert not (tmp_path / "game.gif").exists()


def test_saved_svg(tmp_path: Path) -> None:
    found = movie(recorded(inphexion_v0, plies=3))
    found.save(str(tmp_path / "game.SVG"))
    assert (tmp_path / "game.SVG").read_text(encoding="utf-8") == found.to_svg() == found._repr_svg_()


@all_doors
def test_whole_games(door: Any) -> None:
    """Of a record, from its start, positions given too, to the end of the game."""
    record = recorded(door, seed=1, plies=None)
    found = movie(record)
    assert len(found) == len(record.actions) + 1
    assert [drawing.last for drawing in found.drawings] == ["", *record.actions]
    assert found.drawings[-1].status[0] is None or "won" in found.drawings[-1].status[1]


def test_games_from_a_position() -> None:
    found = movie(GameRecord(game=inphexion_v0.game(board_size=4), position="bw2/b3/4/4 w -", actions=("a2-a3", "@d4")))
    assert [drawing.symbols.count("b") for drawing in found.drawings] == [2, 1, 2]


def test_games_that_were_cut_off() -> None:
    game = inphexion_v0.game(board_size=3)
    ended, going_on = (movie(GameRecord(game=game, actions=("b2", "b2-c2"), max_plies=limit)).drawings for limit in (2, 3))
    assert [drawing.status[1].partition(",")[0] for drawing in ended] == ["to move", "to move", "cut off after 2 actions"]
    assert "to move" in going_on[-1].status[1]


def test_errors() -> None:
    drawings = movie(recorded(inphexion_v0, plies=1)).drawings
    with pytest.raises(ValueError, match="at least one position"):
        Movie([])
    for bad in (0, -1, float("inf"), float("nan"), "2", True, None):
        with pytest.raises(ValueError, match="fps is .*; it is a number above 0"):
            Movie(drawings, fps=bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no option 'size'"):
        Movie(drawings, size=3)
    with pytest.raises(ValueError, match="theme is 'grey'"):
        Movie(drawings, theme="grey")
    with pytest.raises(ValueError, match=r"path is 'game.mp4'; its name ends in .svg or .gif"):
        Movie(drawings).save("game.mp4")
    with pytest.raises(ValueError, match="drawings are of several games"):
        Movie([*drawings, *movie(recorded(fano330_v0, plies=1)).drawings])
    assert len(Movie(iter(drawings), fps=np.float32(3))) == 2  # type: ignore[arg-type]


def test_a_file_is_no_record() -> None:
    with pytest.raises(TypeError, match=r"^record is 'games.txt'; it is a GameRecord, and read_records\(path\) gives those"):
        movie("games.txt")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--seed", "-1"], "seed is -1; it is a whole number from 0 to"),
        (["--max-plies", "0"], "max_plies is 0; it is a whole number of at least 1"),
        (["--size", "0"], "width is 0; it is a whole number from 1 to 8192"),
        (["--fps", "0"], "fps is 0.0; it is a number above 0"),
        (["--player-1", "nobody"], "'nobody' is no agent; the agents known by name are"),
    ],
)
def test_bad_arguments_of_the_example(
    options: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are said in a line, and nothing is written."""
    monkeypatch.setattr(sys, "argv", ["record_game.py", "--out", str(tmp_path / "game"), *options])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "examples" / "record_game.py"), run_name="__main__")
    assert end.value.code == 2
    assert f"error: {says}" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_example(tmp_path: Path) -> None:
    script = ROOT / "examples" / "record_game.py"
    options = ["--game", "xahzo", "--seed", "3", "--max-plies", "20", "--size", "120", "--out", tmp_path / "game"]
    done = subprocess.run(
        [sys.executable, "-W", "error", script, *options], capture_output=True, text=True, check=True, cwd=ROOT, timeout=120
    )
    assert done.stdout == f"20 actions, result truncated: {tmp_path / 'game'}.svg, .gif and .txt\n"
    (record,) = read_records(tmp_path / "game.txt")
    assert (record.seed, record.player_0, record.player_1, record.max_plies) == (3, "greedy", "random", 20)
    assert (tmp_path / "game.svg").read_text(encoding="utf-8") == movie(record, width=120, height=120).to_svg()
    with Image.open(tmp_path / "game.gif") as gif:
        assert (gif.size, gif.n_frames) == ((120, 120), 21)  # type: ignore[attr-defined]


def test_example_without_pillow(tmp_path: Path) -> None:
    """The record and the SVG are there, the error names the extra; dots in the name stay."""
    hidden = "import sys; sys.modules['PIL'] = None; import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
    code = f"import sys; sys.argv = sys.argv[1:]; {hidden}"
    line = [ROOT / "examples" / "record_game.py", "--max-plies", "3", "--out", tmp_path / "game.v1"]
    done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)
    assert done.returncode == 1
    assert "game.v1.gif is not: pictures of pixels need the extra `render`" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"game.v1.txt", "game.v1.svg"}
