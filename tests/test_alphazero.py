"""examples/alphazero.py: its search on positions of known value, its targets, and whole runs."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from abstract_envs.agents import MCTSAgent, evaluate
from helpers import every_game, game_of, mid_game
from process_cases import gone, wait_until
from search_cases import near_the_end, tiny_inphexion, true_value

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "examples" / "alphazero.py"
torch.set_num_threads(1)


def example() -> Any:
    spec = importlib.util.spec_from_file_location("alphazero", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["alphazero"] = module
    spec.loader.exec_module(module)
    return module


az: Any = example()
FEW = az.Settings(parallel=24, plies=3, openings=4, simulations=6, considered=4, width=8, depth=1, memory=2000, batch_size=32)


def knows_nothing(game: Any, states: Any) -> Any:
    size = game.batch_size(states)
    return np.ones((size, game.num_actions)), np.zeros((size, 2))


def running(game: Any, size: int, seed: int = 0) -> Any:
    states = mid_game(game, 4 * size, seed, 12)
    return game.take(states, np.flatnonzero(~game.is_terminal(states))[:size])


# --------------------------------------------------------------------------------------------------------------- search


def test_sequential_halving() -> None:
    """By hand. 16 simulations and 8 actions: one visit each, then two for each of the better four, and the rest for two."""
    table = az.schedule(8, 20)
    assert table.shape == (9, 20)
    assert az.schedule(4, 8)[4].tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert az.schedule(8, 16)[8].tolist() == [0] * 8 + [1] * 4 + [2, 2, 3, 3]
    assert az.schedule(3, 6)[3].tolist() == [0, 0, 0, 1, 1, 2]
    assert table[1].tolist() == list(range(20))
    assert table[2].tolist() == [visits for visits in range(10) for _ in (0, 1)]
    assert (np.diff(table[1:], axis=1) >= 0).all()


@every_game
def test_what_a_search_finds(game: Any) -> None:
    states = running(game, 12)
    found = az.search(game, states, knows_nothing, FEW, np.random.default_rng(0))
    assert game.is_legal(states, found.actions).all()
    assert found.policy.shape == (game.batch_size(states), game.num_actions)
    assert np.allclose(found.policy.sum(1), 1)
    assert not found.policy[game.action_mask(states) == 0].any()
    assert np.allclose(found.values.sum(1), 0)
    again = az.search(game, states, knows_nothing, FEW, np.random.default_rng(0))
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))


def test_where_players_act_twice_in_a_row() -> None:
    """The 3x3 board: what is worth something to a player stays so, whoever acts next. Half of the cases are such positions."""
    game, states = tiny_inphexion(40)

    def truth(game: Any, leaves: Any) -> Any:
        signs = np.array([1 - 2 * true_value(game, game.take(leaves, i))[0] for i in range(game.batch_size(leaves))])
        return np.ones((len(signs), game.num_actions)), np.stack([signs, -signs], 1) / 2

    found = az.search(game, game.stack(states), truth, replace(FEW, considered=40, simulations=60), np.random.default_rng(0))
    twice, right = 0, []
    for i, state in enumerate(states):
        mover, (winner, _) = game.current_player(state), true_value(game, state)
        after = {action: game.step(state, action) for action in game.legal_actions(state)}
        keep = [action for action, s in after.items() if true_value(game, s)[0] == winner]
        twice += any(game.current_player(s) == mover and not game.is_terminal(s) for s in after.values())
        assert found.values[i, winner] > 0
        if winner == mover:
            right.append(found.actions[i] in keep)  # the noise of exploration may draw another, if seldom
            assert found.policy[i, keep].sum() > 0.6
    assert twice > 10
    assert len(right) > 10
    assert np.mean(right) > 0.9


@pytest.mark.parametrize("name", ["fano330", "honey_donuts"])
@pytest.mark.parametrize("value", [1, 0])
def test_the_policy_is_better_near_the_end_of_solved_games(name: str, value: int) -> None:
    """With a network that knows nothing: what is proven is enough to keep the value, where random play often does not."""
    game = game_of(name, {})
    states, moves = near_the_end(name, value, 40)
    settings = replace(FEW, simulations=300, considered=36)
    found = az.search(game, states, knows_nothing, settings, np.random.default_rng(0))
    rows = np.arange(game.batch_size(states))
    for actions in (found.actions, found.policy.argmax(1)):
        assert (moves.regret[rows, actions] == 0).mean() > 0.9
    kept = np.where(moves.regret == 0, found.policy, 0).sum(1)
    at_random = (moves.legal & (moves.regret == 0)).sum(1) / moves.legal.sum(1)
    assert kept.mean() > at_random.mean() + 0.15


def test_a_win_at_once_is_all_of_the_policy() -> None:
    game, rng = game_of("inphexion", {"board_size": 3}), np.random.default_rng(0)
    before = [state for state in tiny_inphexion(40)[1] if true_value(game, state) == (game.current_player(state), 1)]
    states = game.stack(before)
    found = az.search(game, states, knows_nothing, FEW, rng)
    rows, actions = np.nonzero(found.policy)
    assert len(before) > 3
    assert game.is_terminal(game.step(game.take(states, rows), actions)).all()
    assert (found.values[np.arange(len(before)), game.current_player(states)] == 1).all()


def test_actions_not_visited_are_worth_what_the_others_say() -> None:
    """By hand: two of three visited; the third is worth (guess + 3 visits * mean by priors) / 4."""
    q = az.completed(np.array([[0.5, -1.0, 9.0]]), np.array([[2, 1, 0]]), np.array([[0.6, 0.2, 0.2]]), np.array([0.1]))
    assert np.allclose(q, [[0.5, -1.0, (0.1 + 3 * (0.6 * 0.5 - 0.2) / 0.8) / 4]])
    nothing = az.completed(np.zeros((1, 2)), np.zeros((1, 2), int), np.full((1, 2), 0.5), np.array([0.3]))
    assert nothing.tolist() == [[0.3, 0.3]]


# -------------------------------------------------------------------------------------------------------------- targets


def test_returns_are_kept_by_player() -> None:
    """By hand: what later plies were worth to player_0 is worth that to player_0 before, whoever acted in between."""
    values = np.array([0.0, 0.4, -0.2, 0.6])[:, None]
    values = np.stack([values, -values], 2)
    results, ended, cut = np.zeros((4, 1, 2)), np.zeros((4, 1), bool), np.zeros((4, 1), bool)
    found = az.returns(values, results, ended, cut, 0.5, 1.0)
    assert np.allclose(found[3, 0], [0.6, -0.6])
    assert np.allclose(found[2, 0], [0.5 * -0.2 + 0.5 * 0.6, -0.2])
    assert np.allclose(found[1, 0], [0.5 * 0.4 + 0.5 * 0.2, -0.3])
    assert np.allclose(found[0, 0], [0.15, -0.15])


def test_returns_of_games_that_end() -> None:
    values = np.full((3, 2, 2), [0.5, -0.5])
    results, ended, cut = np.zeros((3, 2, 2)), np.zeros((3, 2), bool), np.zeros((3, 2), bool)
    results[1, 0], ended[1, 0] = [-1, 1], True  # the first game is lost by player_0 with its second ply
    cut[0, 1] = True  # the second one given up after its first
    found = az.returns(values, results, ended, cut, 1.0, 1.0)
    assert found[:, 0, 0].tolist() == [-1, -1, 0.5]  # another game follows
    assert found[:, 1, 0].tolist() == [0.5, 0.5, 0.5]
    values[1:, 1] = [-0.9, 0.9]
    assert az.returns(values, results, ended, cut, 1.0, 1.0)[0, 1].tolist() == [0.5, -0.5]


def test_returns_fade_with_the_distance() -> None:
    """A win three plies ahead, and searches that see nothing of it: nine tenths for every ply."""
    values, results, ended = np.zeros((3, 1, 2)), np.zeros((3, 1, 2)), np.zeros((3, 1), bool)
    results[2, 0], ended[2] = [1, -1], True
    found = az.returns(values, results, ended, np.zeros((3, 1), bool), 1.0, 0.9)
    assert np.allclose(found[:, 0, 0], [0.729, 0.81, 0.9])
    assert np.allclose(found[:, 0, 1], -found[:, 0, 0])


@every_game
def test_images(game: Any) -> None:
    """One symmetry makes all of an image: the action played in it leads to the image of where the action itself leads."""
    rng = np.random.default_rng(0)
    states = running(game, 24, 1)
    size = game.batch_size(states)
    actions = game.sample(states, rng)
    policy = np.zeros((size, game.num_actions))
    policy[np.arange(size), actions] = 1
    observations, masks, policies = az.images(game, states, policy, False, rng)
    changed = 0
    for i in range(size):
        state, image_action = game.take(states, i), int(policies[i].argmax())
        assert masks[i, image_action] == 1
        after, fits = game.step(state, int(actions[i])), False
        for symmetry in game.symmetries:
            image = symmetry.state(state)
            if not symmetry.applies(state) or not np.array_equal(game.observe(image), observations[i]):
                continue
            if np.array_equal(game.action_mask(image), masks[i]):
                fits |= game.key(game.step(image, image_action)) == game.key(symmetry.state(after))
        assert fits
        changed += not np.array_equal(observations[i], game.observe(state))
    others = any(np.any(symmetry.applies(states)) for symmetry in game.symmetries[1:])  # not while only one player has placed
    assert changed > 0 or not others


def test_images_in_which_player_0_acts() -> None:
    game = game_of("inphexion", {})
    states = running(game, 40)
    players = game.current_player(states)
    assert 0 < players.sum() < len(players)
    policy = np.full((len(players), game.num_actions), 0.5)
    for mirror in (True, False):
        observations, _, _ = az.images(game, states, policy, mirror, np.random.default_rng(0))
        assert observations[:, game.seat_plane].all() == mirror
    fano = game_of("fano330", {})
    states = az.openings(fano, np.full(20, 5), np.random.default_rng(0))  # the placement phase, which White begins
    with pytest.raises(ValueError, match="in some positions of fano330 no symmetry exchanges the players"):
        az.images(fano, states, np.zeros((20, 44)), True, np.random.default_rng(0))


@pytest.mark.parametrize(("name", "tuples"), [("fano330", 0), ("fano330", 3), ("honey_donuts", 0), ("honey_donuts", 2)])
def test_dense_layers_know_the_symmetries(name: str, tuples: int) -> None:
    """The policy of an image is the image of the policy, whatever the weights; without that the values would be others too."""
    game = game_of(name, {})
    states = running(game, 30)
    network = az.Network(game, 4, 2, tuples)
    with torch.no_grad():
        logits, wins = network(torch.from_numpy(game.observe(states)))
        for symmetry in game.symmetries:
            if not symmetry.exchanges:
                image_logits, image_wins = network(torch.from_numpy(game.observe(symmetry.state(states))))
                assert np.allclose(image_logits, symmetry.policy(logits.numpy()), atol=1e-5)
                assert np.allclose(image_wins, wins, atol=1e-5)
    assert logits.std(1).min() > 0.001
    assert wins.std() > 0.001


def test_tied_weights() -> None:
    """By hand: two blocks, the second and third output use them the other way round."""
    layer = az.Tied(np.array([[0, 1], [1, 0], [1, 0]]), 2, 1)
    with torch.no_grad():
        layer.weight[:] = torch.tensor([[[1.0, 2.0]], [[10.0, 20.0]]])
        layer.bias[:] = 0.5
        assert layer(torch.tensor([[1.0, 0.0, 0.0, 3.0]])).tolist() == [[61.5, 16.5, 16.5]]


def test_what_stands_together() -> None:
    """Of two pieces the features of single cells say the sum of what they say of each; those of pairs say more.

    There are ten kinds of three points of the plane as drawn: by Burnside's lemma (35 + 3 * 7 + 2 * 2) / 6, since a reflection,
    which fixes three points and exchanges two pairs, keeps 1 + 3 * 2 sets, and a rotation the corners and the midpoints.
    """
    game = game_of("fano330", {})
    enter = az.group_of(game).enter
    position = torch.zeros(4, *game.observation_shape)
    position[[1, 3], 0, 0, 2] = position[[2, 3], 1, 0, 4] = 1  # nothing; one piece; the other; both
    for cells, kinds in [(1, 3), (3, 10), (7, 1)]:
        torch.manual_seed(0)
        tuples = az.Tuples(game, enter, cells, 4)
        with torch.no_grad():
            nothing, one, other, both = tuples(position)
        assert tuples.sets == kinds
        assert torch.allclose(one + other, nothing + both, atol=1e-5) == (cells == 1)
        assert min((one - nothing).abs().max(), (other - nothing).abs().max()) > 0.01


def test_the_network_plays_both_seats_alike_with_mirror() -> None:
    """Priors in the image of a position are the image of its priors, and values are exchanged with the players."""
    game = game_of("inphexion", {"board_size": 4})
    judge = az.Judge(az.Network(game, 8, 2), True)
    states = running(game, 30)
    symmetry = next(s for s in game.symmetries if s.exchanges)
    (priors, values), (image_priors, image_values) = judge(game, states), judge(game, symmetry.state(states))
    assert np.allclose(image_priors, symmetry.policy(priors), atol=1e-5)
    assert np.allclose(image_values, values[:, ::-1], atol=1e-5)
    assert np.abs(priors - 1 / game.num_actions).max() > 0.001
    assert not priors[game.action_mask(states) == 0].any()


@every_game
def test_openings(game: Any) -> None:
    """Games that go on, of 0 to so many plies; with 0 all are starts."""
    rng = np.random.default_rng(0)
    states = az.openings(game, rng.integers(0, 6, 60), rng)
    assert game.batch_size(states) == 60
    assert not game.is_terminal(states).any()
    keys = game.key(states).reshape(60, -1)
    assert len(np.unique(keys, axis=0)) > 20
    if not game.has_chance:
        start = np.atleast_1d(game.key(game.init(1))[0])
        assert 0 < (keys == start).all(1).sum() < 30
        none = az.openings(game, np.zeros(9, np.int64), rng)
        assert (game.key(none).reshape(9, -1) == start).all()


@pytest.mark.parametrize("draws", [1, 2, 5])
def test_more_games_begin_late_with_more_draws(draws: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of n draws from 0 to 6 the greatest is at most k with the probability ((k + 1) / 7) ** n."""
    drawn: list[np.ndarray] = []
    monkeypatch.setattr(az, "openings", lambda game, plies, rng: drawn.append(plies))
    game = game_of("fano330", {})
    settings = az.Settings(parallel=20_000, openings=6, draws=draws)
    az.SelfPlay(game, az.Judge(az.Network(game, 2, 1), False), settings, np.random.default_rng(0))
    at_most = np.bincount(drawn[0], minlength=7).cumsum() / 20_000
    assert np.allclose(at_most, ((np.arange(7) + 1) / 7) ** draws, atol=0.015)  # four standard deviations


def test_self_play() -> None:
    """Samples of every ply, their values for who acts; a game given up begins anew."""
    game = game_of("fano330", {})
    judge = az.Judge(az.Network(game, 8, 1), False)
    games = az.SelfPlay(game, judge, replace(FEW, length=2, images=3), np.random.default_rng(0))
    samples = games.play()
    assert [len(part) for part in samples] == [24 * 3 * 3] * 4
    assert (samples.observations[:, -1] == 1).all()  # the observer acts
    assert np.allclose(samples.policies.astype(float).sum(1), 1, atol=0.01)
    assert (np.abs(samples.values) <= 1).all()
    assert games._ages.max() < 2


def test_memory_keeps_the_latest() -> None:
    memory, rng = az.Memory(10), np.random.default_rng(0)

    def samples(first: int, count: int) -> Any:
        values = np.arange(first, first + count, dtype=np.float32)
        return az.Samples(np.zeros((count, 1, 1, 1), np.int8), np.ones((count, 2), np.int8), np.zeros((count, 2)), values)

    memory.add(samples(0, 4))
    assert set(memory.draw(200, rng)[3].tolist()) == {0, 1, 2, 3}
    memory.add(samples(4, 8))
    assert set(memory.draw(500, rng)[3].tolist()) == set(range(2, 12))
    memory.add(samples(20, 13))
    assert set(memory.draw(500, rng)[3].tolist()) == set(range(23, 33))


# ------------------------------------------------------------------------------------------------------------- learning


def test_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: a round counts as the busier of two processes; 60 s on the wall in all, 40 s of CPU time here."""
    wall, here = [0.0], [100.0]
    monkeypatch.setattr(az.time, "perf_counter", lambda: wall[0])
    monkeypatch.setattr(az.time, "process_time", lambda: here[0])
    clocks = az.Clock(True), az.Clock(False)
    for spent, elsewhere in ((12.0, 18.0), (24.0, 6.0), (4.0, 0.0)):
        here[0] += spent
        wall[0] += 20
        for clock in clocks:
            clock.tick(elsewhere)
    assert [round(60 * clock.minutes, 6) for clock in clocks] == [18 + 24 + 4, 60]
    assert [round(60 * clock.wall, 6) for clock in clocks] == [60, 60]
    assert [round(60 * clock.cpu, 6) for clock in clocks] == [40 + 24, 40 + 24]


def test_it_learns() -> None:
    """The 3x3 board in a second or two: the policy alone loses to search at first, and keeps what is won far more often after."""
    torch.manual_seed(0)
    game, cases = tiny_inphexion(40)
    states, rng = game.stack(cases), np.random.default_rng(0)
    settings = replace(FEW, parallel=64, plies=4, simulations=8, width=16, depth=2, mirror=True)
    network = az.Network(game, settings.width, settings.depth)
    judge, memory = az.Judge(network, True), az.Memory(4000)
    games, optimizer = az.SelfPlay(game, judge, settings, rng), torch.optim.AdamW(network.parameters(), 5e-3)

    def kept() -> float:
        actions = az.PolicyAgent(judge).act(game, states, rng)
        right = [true_value(game, game.step(s, int(a)))[0] == true_value(game, s)[0] for s, a in zip(cases, actions, strict=True)]
        return float(np.mean(right))

    before = kept()
    for _ in range(12):
        memory.add(games.play())
        az.learn(network, optimizer, memory, 16, 128, rng)
    assert kept() > max(0.75, before + 0.1), (before, kept())
    assert evaluate(game, az.PolicyAgent(judge), "random", 200, rng).score > 0.75


@pytest.mark.parametrize("name", sorted(az.SETTINGS))
def test_a_run_of_every_game(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Trains a moment, reads back what it wrote, and judges it: against the policy that comes with the library too."""
    monkeypatch.setattr(az.Watch, "GAMES", 2)
    monkeypatch.setattr(az.Watch, "POSITIONS", 50)
    few = ["--parallel", "4", "--plies", "2", "--simulations", "3", "--batch-size", "8", "--memory", "64", "--width", "8"]
    args = az.arguments(["--game", name, "--minutes", "0.001", "--out", str(tmp_path / "run"), *few])
    folder = az.train(args)
    assert {path.name for path in folder.iterdir()} == {"network.pt", "run.json", "progress.csv", "curve.png"}
    run = json.loads((folder / "run.json").read_text())
    assert (run["game"], run["settings"]["parallel"], run["settings"]["width"]) == (name, 4, 8)
    assert run["positions"] >= 8
    rows = (folder / "progress.csv").read_text().splitlines()
    solved = name in ("fano330_v0", "honey_donuts_v0")
    columns = "minutes,wall_minutes,cpu_minutes,positions,policy_loss,value_loss,player_0,player_1"
    assert rows[0] == columns + ",keeps_value" * solved
    assert len(rows) >= 3
    game, judge, _ = az.load(folder)
    states = running(game, 10)
    actions = az.PolicyAgent(judge).act(game, states, np.random.default_rng(0))
    assert game.is_legal(states, actions).all()
    searched = MCTSAgent(8, evaluator=judge).act(game, states, np.random.default_rng(0))  # the library's search takes it too
    assert game.is_legal(states, searched).all()
    args = az.arguments(["--evaluate", str(folder), "--games", "2", "--positions", "20", "--against", "ppo"])
    assert az.report(args, folder)
    said = capsys.readouterr().out
    assert "against random, 2 games a seat:" in said
    assert "against ppo, after 4 random actions, 2 games a seat:" in said
    assert ("random play keeps the value in" in said) == solved


def test_a_run_from_before_a_setting(tmp_path: Path) -> None:
    """It was as with the setting's default."""
    game = game_of("fano330", {})
    settings = {"width": 4, "depth": 1, "mirror": False}
    (tmp_path / "run.json").write_text(json.dumps({"game": "fano330_v0", "settings": settings}))
    weights = az.Network(game, 4, 1).state_dict()
    torch.save(weights, tmp_path / "network.pt")
    _, judge, _ = az.load(tmp_path)
    loaded = judge.network.state_dict()
    assert loaded.keys() == weights.keys()
    assert all(torch.equal(loaded[name], weights[name]) for name in weights)


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["--minutes", "0"], "minutes is 0.0; it is a number above 0"),
        (["--parallel", "0"], "parallel is 0; it is a whole number of at least 1"),
        (["--q-scale", "0"], "q_scale is 0.0; it is a number above 0"),
        (["--fading", "1.5"], "fading is 1.5; it is a number from 0 to 1"),
        (["--tuples", "8"], "tuples is 8; it is a whole number from 0 to 7"),
        (["--game", "alveole", "--tuples", "1"], "tuples is 1; it is 0 for alveole, whose network has convolutions"),
        (["--openings", "-1"], "openings is -1; it is a whole number of at least 0"),
        (["--games", "0"], "games is 0; it is a whole number of at least 1"),
        (["--seed", str(2**64)], f"seed is {2**64}; it is a whole number from 0 to {2**64 - 1}"),
        (["--at-least", "nan"], "at-least is nan; it is a number from 0 to 1"),
        (["--opponent", "nobody"], "'nobody'"),
        (["--evaluate", "nowhere"], "nowhere holds no run.json and no network.pt: it is a folder that a training wrote"),
        (["--against", "nowhere"], "nowhere"),
    ],
)
def test_bad_arguments(args: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Known before the training begins."""
    with pytest.raises(SystemExit):
        az.arguments(args)
    assert error in capsys.readouterr().err


@pytest.mark.slow  # imports torch, Stable-Baselines3 and matplotlib twice
def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trains some seconds with compiled games; then a fresh process loads the network and says the same of it."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folder = tmp_path / "run"
    command = [sys.executable, "-W", "error", str(SCRIPT), "--games", "20", "--positions", "300"]
    train = ["--game", "fano330_v0", "--minutes", "0.1", "--parallel", "64", "--out", str(folder)]
    train += ["--backend", "numba", "--processes", "2"]
    first = subprocess.run([*command, *train], capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    again = [*command, "--evaluate", str(folder), "--at-least", "0.999"]
    second = subprocess.run(again, capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path)
    assert (second.returncode, second.stdout) == (1, first.stdout)
    for text in ("against random", "against perfect", "this policy keeps the value in", "random play keeps the value in"):
        assert text in second.stdout


@pytest.mark.slow  # imports torch twice
def test_no_process_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that plays ends when the one that learns is killed."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [sys.executable, str(SCRIPT), "--game", "fano330_v0", "--parallel", "16", "--processes", "2"]
    learner = subprocess.Popen([*command, "--out", str(tmp_path / "run")], cwd=tmp_path, stderr=subprocess.DEVNULL)
    children = Path(f"/proc/{learner.pid}/task/{learner.pid}/children")  # of Linux
    try:
        wait_until(lambda: (tmp_path / "run" / "progress.csv").exists() and len(children.read_text().split()) == 2)
        started = [int(pid) for pid in children.read_text().split()]
    finally:
        learner.kill()
        learner.wait()
    wait_until(lambda: all(map(gone, started)))
