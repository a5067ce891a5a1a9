"""The command line: what it prints, and what it says to wrong arguments."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import abstract_envs
from abstract_envs.cli import main
from abstract_envs.records import full_name, names_of
from helpers import DOORS, NAMES

PAGES = Path(__file__).parent.parent / "docs" / "games"


def run(capsys: pytest.CaptureFixture[str], line: str, *more: str) -> list[str]:
    assert main([*line.split(), *more]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def refusal(capsys: pytest.CaptureFixture[str], line: str, *more: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        main([*line.split(), *more])
    assert stopped.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def counts(lines: list[str]) -> list[int]:
    assert lines[0].split() == ["depth", "count", "seconds"]
    assert [int(line.split()[0]) for line in lines[1:]] == list(range(1, len(lines)))
    return [int(line.split()[1]) for line in lines[1:]]


def test_perft(capsys: pytest.CaptureFixture[str]) -> None:
    assert counts(run(capsys, "perft inphexion 4")) == [49, 240, 1006, 7544]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--board-size 5", [25, 112, 430]),
        ("--board-size 5 --pie-rule", [25, 137, 542]),
        ("--board-size 5 --pie-rule --no-pie-rule", [25, 112, 430]),
        ("--board-size=5 --neutral", [6, 60, 486]),
        ("--board-size 3 --neutral --pie-rule", [6, 52, 286]),
    ],
)
def test_options_reach_the_rules(capsys: pytest.CaptureFixture[str], options: str, expected: list[int]) -> None:
    assert counts(run(capsys, f"perft inphexion 3 {options}")) == expected


@pytest.mark.parametrize(
    ("options", "first"),
    [
        # 25 squares, less the coloured ones, for each of the types in the first hand
        ("--hand XXXXXAAZOO+XXXXXAAZOO --map a1+e5", 4 * 23),
        ("--hand XXXXXAAZOO+XXXXXAAZOO --map a1+", 4 * 24),
        ("--hand free --map open", 5 * 25),
        ("--hand free --map None", 5 * 20),
        ("--hand free --map open --home-rows None", 5 * 25),
        ("--hand free --map open --home-rows 3", 5 * 15),
    ],
)
def test_options_that_are_several_texts_or_none(capsys: pytest.CaptureFixture[str], options: str, first: int) -> None:
    assert counts(run(capsys, f"perft xahzo 1 --board-size 5 {options}")) == [first]


@pytest.mark.parametrize("name", NAMES)
def test_the_options_that_are_named_leave_nothing_to_chance(name: str) -> None:
    game = DOORS[name].game()
    assert bool(game.without_chance) == game.has_chance
    assert not DOORS[name].game(**game.without_chance).has_chance


def test_games_are_known_by_their_modules_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert counts(run(capsys, "perft inphexion_v0 3 --board-size 5")) == [25, 112, 430]
    assert run(capsys, "numbers fano330_v0 --games 5") == run(capsys, "numbers fano330 --games 5")


def test_both_names_of_a_game() -> None:
    for name, door in DOORS.items():
        assert names_of(door) == (name, f"{name}_v0")
        assert full_name(name) == full_name(f"{name}_v0") == f"{name}_v0"
    assert full_name("chess") == "chess"


def test_help_of_a_command_lists_options_or_says_there_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["perft", "--help"])
    out = " ".join(capsys.readouterr().out.split())
    assert "alveole (alveole_v0) no options" in out
    assert "fano330 (fano330_v0) options: --repetition-limit" in out


def test_position(capsys: pytest.CaptureFixture[str]) -> None:
    assert counts(run(capsys, "perft inphexion 2 --board-size 3 --position", "3/1w1/3 b -"))[0] == 6


def test_divide(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "perft inphexion 3 --board-size 3 --divide")
    rows = {text: int(count) for text, count in (line.split() for line in lines)}
    assert rows.pop("total") == sum(rows.values()) == 94
    assert list(rows) == ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]


def test_games_lists_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "games")
    assert [line.split()[1] for line in lines[1:]] == [door.__name__.split(".")[1] for door in abstract_envs.GAMES]
    assert lines[1].split()[0] == "inphexion"
    assert lines[1].endswith("board_size=7, pie_rule=False, neutral=False")


TEXTS = [(name, DOORS[name].__doc__ or "") for name in NAMES]
TEXTS += [(page.stem, page.read_text(encoding="utf-8")) for page in sorted(PAGES.glob("*.md"))]


@pytest.mark.parametrize(("name", "text"), TEXTS, ids=[name for name, _ in TEXTS])
def test_games_has_the_options_and_defaults_of_docstrings_and_pages(
    capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    (line,) = (line for line in run(capsys, "games") if line.split()[0] == name)
    shown = {option.partition("=")[0]: option.partition("=")[2] for option in re.findall(r"\w+=[^,]+", line)}
    _, there, table = text.partition("| option | default |")
    assert dict(re.findall(r"^\| `(\w+)` \| `?\"?(\w+)\"?`? \|", table.partition("\n\n")[0], re.MULTILINE)) == shown
    assert bool(there) == bool(shown)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "COMMAND"),
        ("pefrt inphexion 3", "(did you mean 'perft'?)"),
        ("go 3", "invalid choice: 'go'"),
        ("perft inphexon 3", "(did you mean 'inphexion'?)"),
        ("perft inphexion 3 --bord-size 5", "unrecognized arguments: --bord-size 5 (did you mean '--board-size'?)"),
        ("perft inphexion 3 --divde=1 --komi", "unrecognized arguments: --divde=1 --komi (did you mean '--divide'?)"),
        ("games --all", "games: error: unrecognized arguments: --all"),
        ("perft", "required: GAME"),
        ("perft go 3", "invalid choice: 'go'"),
        ("perft inphexion", "required: DEPTH"),
        ("perft inphexion three", "DEPTH is 'three'; it is a whole number of at least 1"),
        ("perft inphexion 0", "DEPTH is 0; it is a whole number of at least 1"),
        ("perft inphexion 3 --board-size 9", "board_size is 9; it is a whole number from 3 to 8"),
        ("perft inphexion 3 --board-size big", "board_size is 'big'; it is a whole number from 3 to 8"),
        ("perft xahzo 3 --home-rows few --hand free", "home_rows is 'few'; it is a whole number from 1 to 7"),
        ("numbers fano330 --seed x", "seed is 'x'; it is a whole number from 0 to "),
        ("numbers fano330 --games 1.5", "--games is '1.5'; it is a whole number of at least 1"),
        ("perft xahzo 2", "give --position TEXT, or --hand free"),
        ("perft xahzo 2 --map a1", "map is 'a1'; it is 'ring', 'open' on this board, None ('ring'), or names of"),
        ("perft xahzo 2 --map a1", "; several texts are joined by + (TEXT+TEXT), one alone ends in it (TEXT+)"),
        ("perft xahzo 2 --map a1+z9", "map is ('a1', 'z9'); it is 'ring'"),
        ("perft xahzo 2 --hand XXXXXAAZOO", "several texts are joined by + (TEXT+TEXT)"),
        ("perft xahzo 2 --hand None", "hand is 'None'; it is 'random', 'free', or two texts"),
        ("perft inphexon_v0 3", "(did you mean 'inphexion_v0'?)"),
        ("perft inphexion_v0 3 --bord-size 5", "(did you mean '--board-size'?)"),
        ("perft inphexion 3 --board-size 4 --neutral", "neutral=True needs a centre cell"),
        ("perft inphexion 3 --komi 5", "unrecognized arguments: --komi 5"),
        ("perft inphexion 3 --position 7/7", "a position has the fields 'rows side pending'"),
    ],
)
def test_errors_say_what_is_wrong(capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    assert said in refusal(capsys, line)


@pytest.mark.parametrize("line", ["--help", "games --help", "perft --help", "perft inphexion --help"])
def test_help(capsys: pytest.CaptureFixture[str], line: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(line.split())
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: python -m abstract_envs")
    assert ("--board-size" in out) == ("inphexion" in line or line == "perft --help")


@pytest.mark.parametrize("command", ["play", "arena", "perft", "numbers"])
def test_help_says_where_the_options_are(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """In the last line; and what it tells to type shows them."""
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said, _, told = capsys.readouterr().out.splitlines()[-1].partition(": python -m abstract_envs ")
    assert said == "options of a game"
    with pytest.raises(SystemExit):
        main(told.replace("GAME", "inphexion").split())
    assert "--board-size N" in capsys.readouterr().out


def test_help_says_what_options_mean(capsys: pytest.CaptureFixture[str]) -> None:
    shown = help_of(capsys, "inphexion")
    assert "--board-size N 3 to 8; 7 is the official size (default: 7)" in shown
    assert "--no-pie-rule after White's first disc Black may swap sides instead of moving (default: off)" in shown
    assert 'no position of the game may come again; "simple": the last move may not be taken back, and the third' in help_of(
        capsys, "honey_donuts"
    )
    xahzo = help_of(capsys, "xahzo")
    assert xahzo.count("several texts are joined by + (TEXT+TEXT), one alone ends in it (TEXT+)") == 2
    assert "joined by +" not in shown
    # every option has a meaning: a missing one would be a KeyError
    assert all("(default: " in help_of(capsys, door.game().name) for door in abstract_envs.GAMES if door.game().options)


def help_of(capsys: pytest.CaptureFixture[str], game: str) -> str:
    with pytest.raises(SystemExit):
        main(["perft", game, "--help"])
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("line", ["arena fano330 --help", "play fano330 --help"])
def test_help_says_how_agents_have_options(capsys: pytest.CaptureFixture[str], line: str) -> None:
    with pytest.raises(SystemExit):
        main(line.split())
    assert "or with options as 'mcts(simulations=50)'" in " ".join(capsys.readouterr().out.split())


def test_as_a_process() -> None:
    def process(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-W", "error", "-m", "abstract_envs", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    shown = process("--version")
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, f"abstract_envs {abstract_envs.__version__}\n", "")
    wrong = process("perft", "inphexion", "-1")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.endswith("DEPTH is -1; it is a whole number of at least 1\n")
    assert "Traceback" not in wrong.stderr


def test_a_reader_that_leaves_is_no_error() -> None:
    command = [sys.executable, "-m", "abstract_envs", "perft", "inphexion", "4", "--divide", "--board-size", "8"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 1


def numbers(lines: list[str]) -> dict[str, str]:
    return {line[:14].strip(): line[14:] for line in lines}


def test_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    found = numbers(run(capsys, "numbers inphexion --board-size 3 --games 3000"))
    assert found["perft"].split()[:4] == ["9", "32", "94", "456"]
    assert found["random games"] == "3,000"
    assert found["legal actions"].endswith(", 1 to 9")
    assert found["draws"] == "0.0 %"
    assert "solved" not in found


def test_numbers_agree_with_games_played_one_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    found = numbers(run(capsys, "numbers fano330 --games 4000 --seed 3"))
    assert found["perft"] == "14 196 2520 30660 256788"
    game, rng = abstract_envs.fano330_v0.game(), np.random.default_rng(5)
    lengths, choices, score = [], [], 0.0
    for _ in range(1000):
        state, plies = game.init(), 0
        while not game.is_terminal(state):
            choices.append(len(game.legal_actions(state)))
            state, plies = game.step(state, game.sample(state, rng)), plies + 1
        lengths.append(plies)
        score += (game.rewards(state)[0] + 1) / 2
    mean, legal = (float(found[name].split()[1].rstrip(",")) for name in ("plies", "legal actions"))
    assert abs(mean - np.mean(lengths)) < 0.3  # four standard errors of the difference
    assert abs(legal - np.mean(choices)) < 0.2
    assert abs(float(found["first player"].split()[1].rstrip(",")) - score / 1000) < 0.07
    assert found["solved"].startswith("the start is drawn; of 789,175 positions 335,144 won, 177,656 lost, 276,375 drawn")


def test_numbers_need_no_deal(capsys: pytest.CaptureFixture[str]) -> None:
    found = numbers(run(capsys, "numbers xahzo --board-size 5 --quiet-limit 1 --games 50"))
    assert "perft" not in found
    assert found["draws"] == "100.0 %"
    assert "median 15, 5 % up to 15" in found["plies"]  # 14 drops, and a move that mostly captures nothing
    assert run(capsys, "numbers xahzo --quiet-limit 1 --games 50 --seed 1") == run(
        capsys, "numbers xahzo --quiet-limit 1 --games 50 --seed 1"
    )


def test_wrong_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--games is 0" in refusal(capsys, "numbers fano330 --games 0")
    assert "seed is -1" in refusal(capsys, "numbers fano330 --seed -1")
