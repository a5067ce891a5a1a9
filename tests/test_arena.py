"""Arenas: ratings against closed forms and simulated tournaments, counts against the matches, and the command."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tqdm

from abstract_envs.agents import AGENTS, Arena, RandomAgent, SeatScore, arena, evaluate
from abstract_envs.agents.arena import Pairing, rate
from abstract_envs.agents.ratings import fit, resample
from abstract_envs.cli import main
from helpers import NAMES, game_of

SMALL = game_of("inphexion", {"board_size": 4})
FANO = game_of("fano330", {})


def first_legal(game: Any, states: Any, rng: Any) -> Any:
    return game.action_mask(states).argmax(axis=1)


def last_legal(game: Any, states: Any, rng: Any) -> Any:
    return game.num_actions - 1 - game.action_mask(states)[:, ::-1].argmax(axis=1)


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def expected(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def pairing(a: str, b: str, first: tuple[int, int, int], second: tuple[int, int, int]) -> Pairing:
    """(wins, draws, losses) of ``a`` as player_0 and as player_1."""
    seats = (SeatScore(sum(first), *first, 0), SeatScore(sum(second), *second, 0))
    return Pairing(a, b, seats, 10 * (sum(first) + sum(second)))


def tournament(elo: list[float], advantage: float, games: int) -> list[Pairing]:
    """Scores exactly as the model has them, so many games a seat, names a, b, ..."""
    found: list[Pairing] = []
    for i, r in enumerate(elo):
        for j, s in list(enumerate(elo))[i + 1 :]:
            wins = [round(games * expected(r - s + side * advantage)) for side in (1, -1)]
            found.append(pairing("abcdef"[i], "abcdef"[j], (wins[0], 0, games - wins[0]), (wins[1], 0, games - wins[1])))
    return found


# ------------------------------------------------------------------------------------------------------------------- ratings


@pytest.mark.parametrize("score", [0.5, 0.6, 0.75, 0.9, 0.99])
def test_two_agents_have_a_closed_form(score: float) -> None:
    wins = round(100_000 * score)
    ratings, advantage = rate([pairing("a", "b", (wins, 0, 100_000 - wins), (wins, 0, 100_000 - wins))], "b", rng())
    assert ratings["a"].elo == pytest.approx(400 * np.log10(score / (1 - score)), abs=0.2)
    assert ratings["b"].elo == 0
    assert advantage.elo == pytest.approx(0, abs=1e-6)


def test_a_draw_is_half_a_win() -> None:
    drawn, _ = rate([pairing("a", "b", (50, 40, 10), (50, 40, 10))], "b", rng())
    played, _ = rate([pairing("a", "b", (70, 0, 30), (70, 0, 30))], "b", rng())
    assert drawn["a"].elo == pytest.approx(played["a"].elo, abs=1e-9)
    # games that end in a draw differ less from one another
    assert drawn["a"].high - drawn["a"].low < played["a"].high - played["a"].low


def test_what_the_prior_does() -> None:
    """Another drawn game: of 100 wins it makes 100.5 points in 101 games."""
    ratings, _ = rate([pairing("a", "b", (50, 0, 0), (50, 0, 0))], "b", rng())
    assert ratings["a"].elo == pytest.approx(400 * np.log10(100.5 / 0.5), abs=1e-6)


@pytest.mark.parametrize("advantage", [-150.0, 0.0, 80.0])
def test_three_agents_of_known_ratings(advantage: float) -> None:
    ratings, found = rate(tournament([0, 120, -260], advantage, 1_000_000), "a", rng())
    assert list(ratings) == ["b", "a", "c"]  # the best first
    assert [ratings[name].elo for name in "abc"] == pytest.approx([0, 120, -260], abs=0.1)
    assert found.elo == pytest.approx(advantage, abs=0.1)
    again, _ = rate(tournament([0, 120, -260], advantage, 1_000_000), "c", rng())
    assert [again[name].elo for name in "abc"] == pytest.approx([260, 380, 0], abs=0.1)


def test_scores_that_fit_no_ratings() -> None:
    """At the optimum every agent's points are those that the ratings expect: the condition that defines the fit."""
    pairs = np.array([(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)])
    points, games = np.array([[9.0, 2, 8.5, 1, 7, 3]]), np.full(6, 10.0)  # a beats b beats c beats a
    elo, advantage = fit(pairs, points, games)
    predicted = np.array([expected(elo[0, i] - elo[0, j] + advantage[0]) for i, j in pairs]) * 10.5
    surplus = points[0] + 0.25 - predicted
    for agent in range(3):
        own = surplus * ((pairs[:, 0] == agent).astype(int) - (pairs[:, 1] == agent))
        assert own.sum() == pytest.approx(0, abs=1e-9)
    assert surplus.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("games", [1, 1_000, 10_000_000])
def test_who_always_loses_has_a_rating(games: int) -> None:
    pairings = [pairing(a, b, (games, 0, 0), (games, 0, 0)) for a, b in ("ab", "ac", "bc")]
    ratings, advantage = rate(pairings, "a", rng())
    assert list(ratings) == ["a", "b", "c"]
    assert all(np.isfinite([r.elo, r.low, r.high]).all() for r in [*ratings.values(), advantage])
    assert ratings["c"].low <= ratings["c"].elo < ratings["b"].elo < 0
    # the loser's interval is open to better luck, not a point
    assert ratings["c"].high > ratings["c"].elo + 50


def test_who_always_wins_moving_first() -> None:
    _, advantage = rate([pairing("a", "b", (1000, 0, 0), (0, 0, 1000))], "a", rng())
    assert 1000 < advantage.low <= advantage.elo < 2000


def test_intervals_cover() -> None:
    """Of 200 tournaments of known ratings, about 190 have them inside their intervals."""
    dice = rng()
    inside = np.zeros(3)
    for _ in range(200):
        seats = dice.binomial(100, [expected(100 + 40), expected(100 - 40)])
        other = dice.binomial(100, [expected(-50 + 40), expected(-50 - 40)])
        pairings = [pairing("a", "b", *((w, 0, 100 - w) for w in seats)), pairing("c", "b", *((w, 0, 100 - w) for w in other))]
        third = dice.binomial(100, [expected(150 + 40), expected(150 - 40)])
        pairings.append(pairing("a", "c", *((w, 0, 100 - w) for w in third)))
        ratings, advantage = rate([*pairings], "b", dice)
        found = (ratings["a"], ratings["c"], advantage)
        inside += [rating.low <= true <= rating.high for rating, true in zip(found, (100, -50, 40), strict=True)]
    assert ((inside >= 180) & (inside <= 199)).all(), inside


def test_resampling() -> None:
    counts = np.array([(60, 20, 20), (0, 0, 50)])
    points = resample(counts, 4000, rng())
    assert points.shape == (4000, 2)
    assert points.mean(0) == pytest.approx([70, 0.25], abs=0.3)
    # the prior's game is half a win and half a loss, so that a whole point may come of it
    assert points[:, 1].std() == pytest.approx(np.sqrt(50 * (0.25 / 50.5) * (1 - 0.25 / 50.5)), rel=0.05)
    assert points[:, 0].std() == pytest.approx(np.sqrt(100 * (0.6 + 0.05 - 0.7**2)), rel=0.05)


def test_the_bootstrap_is_seeded() -> None:
    pairings = tournament([0, 50, 90], 30, 100)
    assert rate(pairings, "a", np.random.default_rng(1)) == rate(pairings, "a", np.random.default_rng(1))
    one, other = (rate(pairings, "a", np.random.default_rng(seed))[0]["b"] for seed in (1, 2))
    assert one.elo == other.elo
    assert one.low != other.low


# ------------------------------------------------------------------------------------------------------------------- playing


def test_the_counts_are_those_of_the_matches() -> None:
    """Both agents are determined, so a match of their own has the same games."""
    found = arena(SMALL, {"first": first_legal, "last": last_legal, "luck": "random"}, 20, rng())
    match = evaluate(SMALL, first_legal, last_legal, 20, rng())
    assert [(p.first, p.second) for p in found.pairings] == [("first", "last"), ("first", "luck"), ("last", "luck")]
    assert found.pairings[0].seats == match.seats
    assert found.pairings[0].plies == match.lengths.sum()
    assert found.games == 60
    assert found.mean_length == sum(p.plies for p in found.pairings) / 60
    assert found.anchor == "first"
    assert found.score("first") == sum(p.seats[k].score for p in found.pairings[:2] for k in (0, 1)) / 4
    assert found.score("luck") == 1 - sum(p.seats[k].score for p in found.pairings[1:] for k in (0, 1)) / 4


def test_the_first_players_score() -> None:
    pairings = (pairing("a", "b", (7, 2, 1), (3, 4, 3)), pairing("a", "c", (0, 0, 10), (10, 0, 0)))
    found = Arena("game", {}, ("a", "b", "c"), pairings, *_rated(pairings, "a"))
    assert found.first_player_score == (7 + 1 + 3 + 2 + 0 + 0) / 40
    assert (found.draws, found.draw_rate, found.truncated) == (6, 6 / 40, 0)
    assert found.score("b") == (1 + 1 + 3 + 2) / 20


def _rated(pairings: Any, anchor: str) -> tuple[Any, str, Any]:
    ratings, advantage = rate(pairings, anchor, rng())
    return ratings, anchor, advantage


def test_the_same_seed_gives_the_same_arena() -> None:
    assert arena(SMALL, ["random", first_legal], 20, rng()) == arena(SMALL, ["random", first_legal], 20, rng())
    other = arena(SMALL, ["random", first_legal], 20, np.random.default_rng(8))
    assert other.pairings != arena(SMALL, ["random", first_legal], 20, rng()).pairings


def test_perfect_play_is_rated_above_random_play() -> None:
    found = arena(FANO, [first_legal, "random", "perfect"], 60, rng())
    assert next(iter(found.ratings)) == "perfect"
    assert found.anchor == "random"
    assert found.ratings["perfect"].low > 300
    assert found.ratings["random"] == (type(found.advantage))(0, 0, 0)


def test_cut_games_are_draws() -> None:
    found = arena(game_of("inphexion", {}), [first_legal, "random"], 10, rng(), max_plies=3)
    assert (found.draws, found.truncated, found.mean_length) == (10, 10, 3)
    assert found.ratings["first_legal"].elo == pytest.approx(0, abs=1e-9)
    assert "100.0 % drawn, 10 of them cut off by the ply limit" in found.table()


def test_progress() -> None:
    told: list[int] = []
    arena(SMALL, [first_legal, last_legal, "random"], 10, rng(), progress=told.append)
    assert sum(told) == 30


@pytest.mark.parametrize(
    ("agents", "said"),
    [
        ([], "none; an arena needs at least two"),
        (["random"], "agents are random; an arena needs at least two"),
        (["random", "random"], "two agents are named 'random'"),
        ([RandomAgent(), RandomAgent()], "two agents are named 'RandomAgent'"),
        (["random", "nobody"], "'nobody' is no agent"),
        ({"a": "random", "b": 3}, "3 is no agent"),
        (["random", "perfect"], "not solved"),
    ],
)
def test_wrong_agents(agents: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        arena(SMALL, agents, 10, rng())


def test_a_wrong_number_of_games() -> None:
    with pytest.raises(ValueError, match="games is 3"):
        arena(SMALL, ["random", first_legal], 3, rng())


# ------------------------------------------------------------------------------------------------------------------- showing


def known() -> Arena:
    pairings = (
        pairing("a", "b", (7, 2, 1), (5, 2, 3)),
        pairing("a", "c", (6, 2, 2), (4, 2, 4)),
        pairing("b", "c", (3, 2, 5), (1, 0, 9)),
    )
    return Arena("chess", {"size": 8}, ("a", "b", "c"), pairings, *_rated(pairings, "c"))


def test_table() -> None:
    lines = known().table().splitlines()
    assert [line.split()[0] for line in lines] == ["agent", "a", "c", "b", "moving", "games:"]
    assert [line.split()[-2] for line in lines[1:4]] == ["65.0", "57.5", "27.5"]
    assert len({len(line) for line in lines[:4]}) == 1
    assert lines[2].split() == ["c", "0", "57.5", "%"]
    assert lines[4].endswith("61.7 % for player_0")
    assert lines[5] == "games: 60, mean length 10.0 plies, 16.7 % drawn"


def test_json_round_trip() -> None:
    for found in (known(), arena(game_of("xahzo", {"board_size": 5, "map": ["a1"]}), ["random", first_legal], 2, rng())):
        data = json.loads(json.dumps(found.as_dict()))
        assert data == found.as_dict()
        assert Arena.from_dict(data) == found
        assert data["games"] == found.games
        assert data["scores"] == {name: found.score(name) for name in found.agents}
        for name in ("first_player_score", "draw_rate", "mean_length", "truncated"):
            assert data[name] == getattr(found, name)


def test_plot(tmp_path: Path) -> None:
    known().plot(tmp_path / "ratings.png")
    assert (tmp_path / "ratings.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    known().plot(tmp_path / "ratings.svg")
    assert "<svg" in (tmp_path / "ratings.svg").read_text()


def test_plot_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r"the extra `arena`: pip install \"\.\[arena\]\" in a clone"):
        known().plot(tmp_path / "ratings.png")


# --------------------------------------------------------------------------------------------------------------- the command


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = f"arena fano330 --agents random perfect --games 40 --seed 3 --json {tmp_path}/a.json --plot {tmp_path}/a.png"
    assert main(line.split()) == 0
    out, err = capsys.readouterr()
    assert err == ""  # no bar where there is no terminal
    found = arena(FANO, ["random", "perfect"], 40, np.random.default_rng(3))
    assert out == found.table()
    assert Arena.from_dict(json.loads((tmp_path / "a.json").read_text())) == found
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_options_and_limits_reach_the_games(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class First(RandomAgent):
        def act(self, game: Any, states: Any, rng: Any) -> Any:
            assert game == SMALL
            return first_legal(game, states, rng)

    # without --agents those play that are known by name and can play the game
    for name in set(AGENTS) - {"random", "perfect"}:
        monkeypatch.delitem(AGENTS, name)
    monkeypatch.setitem(AGENTS, "first", First)
    assert main(["arena", "inphexion", "--board-size", "4", "--games", "6", "--max-plies", "3"]) == 0
    assert "games: 6, mean length 3.0 plies, 100.0 % drawn, 6 of them cut off" in capsys.readouterr().out


def test_all_games(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every game has its table, with those of the agents that can play it."""

    class First(RandomAgent):
        def act(self, game: Any, states: Any, rng: Any) -> Any:
            return first_legal(game, states, rng)

    monkeypatch.setitem(AGENTS, "first", First)
    line = f"arena all --agents random first --games 4 --max-plies 20 --json {tmp_path}/a.json --plot {tmp_path}/{{game}}.svg"
    assert main(line.split()) == 0
    parts = capsys.readouterr().out.split("\n\n")
    assert sorted(part.splitlines()[0] for part in parts) == NAMES
    assert all(part.splitlines()[1].startswith("agent") for part in parts)
    assert sorted(data["game"] for data in json.loads((tmp_path / "a.json").read_text())) == NAMES
    assert sorted(path.stem for path in tmp_path.glob("*.svg")) == NAMES
    # a game that one agent alone can play is passed over
    assert main(["arena", "all", "--agents", "random", "perfect", "--games", "2"]) == 0
    parts = capsys.readouterr().out.split("\n\n")
    assert [p.splitlines()[1] for p in parts if p.startswith("alveole")] == ["no two of the agents can play it: random"]
    assert [p.splitlines()[1].split()[0] for p in parts if p.startswith("fano330")] == ["agent"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("arena", "required: GAME"),
        ("arena fano330 --games 3", "games is 3; it is an even number"),
        ("arena fano330 --games few", "games is 'few'; it is a whole number of at least 2"),
        ("arena fano330 --seed -1", "seed is -1"),
        ("arena fano330 --seed abc", "seed is 'abc'; it is a whole number from 0 to "),
        ("arena fano330 --max-plies x", "max_plies is 'x'; it is a whole number of at least 1"),
        (
            "arena fano330 --agents random greedy random",
            "--agents has 'random' 2 times; every agent is given once, or with other options",
        ),
        ("arena fano330 --max-plies 0", "max_plies is 0"),
        ("arena fano330 --agents random", "an arena needs at least two"),
        ("arena fano330 --agents random nobody", "'nobody' is no agent"),
        ("arena all --agents random nobody", "'nobody' is no agent"),
        ("arena inphexion --agents random perfect", "inphexion is not solved"),
        ("arena fano330 --json /no/such/folder/a.json", "there is no folder /no/such/folder"),
        ("arena fano330 --json /", "/ is a folder"),
        ("arena fano330 --plot a.txt", "ends in .png, .svg or .pdf"),
        ("arena all --plot a.png", "{game}"),
    ],
)
def test_wrong_command_lines(capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    with pytest.raises(SystemExit):
        main(line.split())
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_the_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Goes to stderr, through all games, where that is a terminal; without tqdm there is none."""
    line = ["arena", "fano330", "--agents", "random", "perfect", "--games", "10"]
    bars: list[Any] = []

    class Bar(tqdm.tqdm):  # type: ignore[type-arg]
        def close(self) -> None:
            bars.append((self.n, self.total, bool(self.disable)))
            super().close()

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(line) == 0
    out, err = capsys.readouterr()
    assert bars[0] == (10, 10, False)
    assert "fano330" in err
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert main(line) == 0
    assert capsys.readouterr() == (out, "")


def test_plot_is_refused_before_the_games(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit):
        main(["arena", "fano330", "--plot", "a.png"])
    out, err = capsys.readouterr()
    assert (out, "--plot needs matplotlib" in err) == ("", True)


def test_the_page_has_a_place_for_every_game() -> None:
    page = (Path(__file__).parent.parent / "docs" / "ratings.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^<!-- ratings: (\w+) -->$", page, re.MULTILINE)) == NAMES
