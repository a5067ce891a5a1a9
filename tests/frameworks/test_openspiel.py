"""The games in OpenSpiel: its own generic tests, its search, its playthroughs, and the recorded games."""

from __future__ import annotations

import copy
import gc
import pickle
import re
import subprocess
import sys
import unittest
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import generate_playthrough
from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator
from open_spiel.python.tests import games_sim_test

import abstract_envs
from abstract_envs.openspiel import SpielGame, params_of
from framework_cases import RECORDS
from helpers import NAMES, TABLES, assert_same, game_of, recorded_game_of, recorded_games

GAMES = [f"{name}_v0" for name in NAMES]
VARIANTS = [
    "inphexion_v0(board_size=3,pie_rule=True,neutral=True)",
    "honey_donuts_v0(repetition=simple)",
    "fano330_v0(repetition_limit=2,max_plies=12)",
    "xahzo_v0(board_size=5,hand=OXXAAHHZZO+OXAHZOXAHZ)",
    "xahzo_v0(map=a1+g7+d4,home_rows=4,swaps=False,quiet_limit=20)",
    "xahzo_v0(board_size=5,hand=free)",
]
every_string = pytest.mark.parametrize("text", [*GAMES, *VARIANTS])


def load(game: Any) -> SpielGame:
    return pyspiel.load_game(f"{game.name}_v0", params_of(game))


def dealt(text: str, seed: int = 0) -> Any:
    """A state after the deal."""
    state, rng = pyspiel.load_game(text).new_initial_state(), np.random.default_rng(seed)
    while state.is_chance_node():
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


def goes_on(state: Any) -> list[int]:
    """The actions that do not end the game."""
    return [action for action in state.legal_actions() if not state.child(action).is_terminal()]


# ----------------------------------------------------------------------------------------------------- OpenSpiel's own tests


@every_string
def test_api_test(text: str) -> None:
    """Those of integration_tests/api_test.py that are for every game."""
    case = type("Case", (api_test.EnforceAPIOnPartialTreeBase,), {"game": pyspiel.load_game(text), "game_name": text})
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    result = unittest.TestResult()
    tests.run(result)
    assert result.wasSuccessful(), [*result.errors, *result.failures]
    assert result.testsRun == 5
    assert not result.skipped


@every_string
def test_simulations_with_serialisation(text: str) -> None:
    """Its Python simulation, and the C++ one that every game of its own goes through."""
    game = pyspiel.load_game(text)
    np.random.seed(0)  # noqa: NPY002  (what theirs draws from)
    games_sim_test.GamesSimTest().sim_game(game)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_all_positions_of_a_small_game() -> None:
    """inpHeXion 3x3 from a late position, against a search of ours: the same positions, players and results."""
    rules = game_of("inphexion", {"board_size": 3})
    start = "wb1/bwb/1w1 b -"
    expected: dict[str, tuple[Any, ...]] = {}
    todo = [rules.from_string(start)]
    while todo:
        state = todo.pop()
        expected[rules.to_string(state)] = (rules.legal_actions(state), tuple(rules.rewards(state)))
        todo += [rules.step(state, action) for action in rules.legal_actions(state)]
    root = load(rules).new_initial_state(start)
    found: dict[str, tuple[Any, ...]] = {}
    todo = [root]
    while todo:
        state = todo.pop()
        found[str(state)] = (tuple(state.legal_actions()), tuple(state.returns()))
        todo += [state.child(action) for action in state.legal_actions()]
    assert found == expected
    assert len(found) == 20


# --------------------------------------------------------------------------------------------------------------- conformance


@pytest.mark.parametrize("record", RECORDS)
def test_recorded_game(record: dict[str, Any]) -> None:
    """At every ply the legal actions, their texts, the position, the player to act and the planes are the rules'."""
    rules = recorded_game_of(record)
    game = load(rules)
    assert game.rules == rules
    state, ours = game.new_initial_state(record["start"]), rules.from_string(record["start"])
    for ply in record["plies"]:
        assert str(state) == ply["position"]
        assert state.current_player() == ply["to_move"]
        assert state.legal_actions() == state.clone().legal_actions() == ply["legal"]
        assert np.flatnonzero(state.legal_actions_mask()).tolist() == ply["legal"]
        assert state.legal_actions(1 - ply["to_move"]) == []
        for player in (0, 1):
            planes = np.reshape(state.observation_tensor(player), rules.observation_shape)
            assert np.array_equal(planes, rules.observe(ours, player))
        action = rules.string_to_action(ours, ply["action"])
        assert state.action_to_string(action) == ply["action"]
        assert state.returns() == [0.0, 0.0]
        state.apply_action(action)
        ours = rules.step(ours, action)
    assert str(state) == record["final"]
    assert state.is_terminal() == (record["outcome"] is not None)
    assert tuple(state.returns()) == rules.rewards(ours)
    assert_same(state.game_state, ours)


@every_string
def test_playthrough(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What OpenSpiel writes of a random game, ply by ply, is what the rules say when they play the same actions."""
    # all states are written out, not the first few of a kind only
    monkeypatch.setattr(generate_playthrough, "ShouldDisplayStateTracker", lambda: lambda state: True)
    # the planes, which test_recorded_game compares, take minutes to write
    monkeypatch.setattr(generate_playthrough, "_format_tensor", lambda tensor, name: [])
    lines = generate_playthrough.playthrough_lines(text, seed=1)
    blocks = "\n".join(lines).split("\n# State ")[1:]
    rules, limit = pyspiel.load_game(text).rules, pyspiel.load_game(text).max_plies or None
    draws = [int(said(block, "action")) for block in blocks if said(block, "IsChanceNode()") == "True"]
    assert len(draws) == len(rules.chance_draws)
    state = rules.start_of_draws(draws)
    blocks = blocks[len(draws) :]
    for plies, block in enumerate(blocks):
        assert block.splitlines()[1] == f"# {rules.to_string(state)}"
        assert said(block, "Returns()") == "[" + ", ".join(f"{reward:g}" for reward in rules.rewards(state)) + "]"
        over = rules.is_terminal(state) or plies == limit
        assert said(block, "IsTerminal()") == str(over)
        if over:
            break
        legal = rules.legal_actions(state)
        assert said(block, "CurrentPlayer()") == str(rules.current_player(state))
        assert said(block, "LegalActions()") == str([*legal])
        texts = ", ".join(f'"{rules.action_to_string(state, action)}"' for action in legal)
        assert said(block, "StringLegalActions()") == f"[{texts}]"
        state = rules.step(state, int(said(block, "action")))
    assert block is blocks[-1]
    assert plies >= 5


def said(block: str, name: str) -> str:
    """The value of a line ``name = value`` or ``name: value``."""
    found = re.search(rf"^{re.escape(name)}(?: = |: )(.*)$", block, re.MULTILINE)
    assert found, (name, block)
    return found[1]


# -------------------------------------------------------------------------------------------------------------------- search


@pytest.mark.parametrize("name", NAMES)
def test_mcts_wins_where_it_can(name: str) -> None:
    """OpenSpiel's MCTS in the last position of a recorded game, which its mover won."""
    won = [r for r in recorded_games(name) if r["outcome"] == r["plies"][-1]["to_move"]]
    record = min(won, key=lambda r: len(r["plies"][-1]["legal"]))
    last = record["plies"][-1]
    game = load(recorded_game_of(record))
    state = game.new_initial_state(last["position"])
    rng = np.random.RandomState(0)
    bot = MCTSBot(game, 2.0, 8 * len(last["legal"]), RandomRolloutEvaluator(1, rng), solve=True, random_state=rng)
    state.apply_action(bot.step(state))
    assert state.is_terminal()
    assert state.returns()[last["to_move"]] == 1


# ------------------------------------------------------------------------------------------------------------- chance, states


def test_every_piece_of_the_deal_is_a_chance_node() -> None:
    game = pyspiel.load_game("xahzo_v0")
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    state = game.new_initial_state()
    pieces = "XAHZOXAHZ" + "OOOOXXXXA"
    for k, piece in enumerate(pieces):
        assert state.is_chance_node()
        assert state.chance_outcomes() == [(t, 0.2) for t in range(5)]
        assert [state.action_to_string(t) for t in range(5)] == [*"XAHZO"]
        assert str(state) == " ".join(["dealt:", *pieces[:k]]) or k == 0
        assert not any(state.observation_tensor(0))
        state.apply_action("XAHZO".index(piece))
    assert str(state) == "7/7/7/7/7/7/7 w XXAAHHZZOO/xxxxaooooo 0"
    assert state.current_player() == 0
    assert not state.is_chance_node()


def test_given_hands_leave_nothing_to_chance() -> None:
    game = pyspiel.load_game("xahzo_v0(hand=OXXAAHHZZO+OXAHZOXAHZ)")
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    assert game.max_chance_outcomes() == game.max_chance_nodes_in_history() == 0
    assert str(game.new_initial_state()) == "7/7/7/7/7/7/7 w XXAAHHZZOO/xxaahhzzoo 0"


@pytest.mark.parametrize("text", GAMES)
def test_copies_are_independent(text: str) -> None:
    """Clones, pickles and serialised states go on as the original does, repetition history included, and apart from it."""
    original = dealt(text)
    rng = np.random.default_rng(3)
    for _ in range(6):
        original.apply_action(int(rng.choice(goes_on(original))))
    game, text_of_it = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(original.get_game(), original))
    copies = [original.clone(), pickle.loads(pickle.dumps(original)), copy.deepcopy(original), text_of_it]
    before = original.game_state
    for made in copies:
        assert_same(made.game_state, before)
        assert made.history() == original.history()
        made.apply_action(goes_on(made)[-1])
        assert_same(original.game_state, before)
    original.apply_action(goes_on(original)[-1])
    for made in copies:
        assert_same(made.game_state, original.game_state)
    assert str(game) == str(original.get_game())


def test_pickles_load_in_another_process() -> None:
    game = pyspiel.load_game("honey_donuts_v0(repetition=simple)")
    held = pickle.dumps((game, game.new_initial_state()))
    code = "import pickle, sys; game, state = pickle.load(sys.stdin.buffer); print(game, state, game.rules.repetition)"
    done = subprocess.run([sys.executable, "-c", code], input=held, capture_output=True, timeout=120, check=True)
    assert done.stdout.decode() == f"{game} bBb/wwww/ww.ww/wwww/rRr r - simple\n"


def test_a_state_outlives_its_game() -> None:
    state = pyspiel.load_game("fano330_v0(repetition_limit=2)").new_initial_state()
    gc.collect()
    assert state.rules is game_of("fano330", {"repetition_limit": 2})
    assert len(state.clone().legal_actions()) == 14


def test_the_ply_limit_is_a_draw() -> None:
    state = pyspiel.load_game("alveole_v0(max_plies=3)").new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    assert state.legal_actions() == []
    assert state.returns() == [0.0, 0.0]


# ---------------------------------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_the_options(name: str) -> None:
    for options in TABLES[name].OPTIONS:
        rules = game_of(name, options)
        game = load(rules)
        assert game.rules == rules
        again = pyspiel.load_game(str(game))
        assert again.rules == rules
        assert str(again) == str(game)
        assert game.num_distinct_actions() == rules.num_actions
        assert tuple(game.observation_tensor_shape()) == rules.observation_shape


def test_defaults() -> None:
    for door, text in zip(abstract_envs.GAMES, [f"{d.__name__.rpartition('.')[2]}" for d in abstract_envs.GAMES], strict=True):
        game = pyspiel.load_game(text)
        assert game.rules == door.game()
        assert game.max_plies == (door.game().default_max_plies or 0)
    assert pyspiel.load_game("xahzo_v0(map=a1+)").rules == game_of("xahzo", {"map": ["a1"]})
    for options in ({"map": []}, {"map": ["a1"]}):
        assert load(game_of("xahzo", options)).rules == game_of("xahzo", options)
    assert pyspiel.load_game("inphexion_v0").max_game_length() == 4 * 49 + 1
    assert pyspiel.load_game("inphexion_v0(max_plies=20)").max_game_length() == 20
    assert pyspiel.load_game("inphexion_v0(board_size=3,max_plies=500)").max_game_length() == 37


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("inphexion_v0", {"board_size": 9}, "board_size is 9; it is a whole number from 3 to 8"),
        ("inphexion_v0", {"max_plies": -1}, "max_plies is -1; it is a whole number of at least 0"),
        ("alveole_v0", {"max_plies": 0}, "max_plies is 0; alveole needs a limit"),
        ("xahzo_v0", {"map": "a1,b2"}, "map is 'a1,b2'; .* cannot hold any of , = ( )"),
        ("xahzo_v0", {"hand": "OX+XO"}, "hand is .*two texts of ten letters"),
        ("inphexion_v0", {"size": 5}, "Unknown parameter 'size'.*board_size, max_plies, neutral, pie_rule"),
        ("inphexion_v0", {"board_size": "5"}, "Wrong type for parameter board_size"),
    ],
)
def test_bad_parameters(name: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, pyspiel.SpielError), match=message.replace("( )", r"\( \)")):
        pyspiel.load_game(name, params)


def test_bad_positions_and_observation_parameters() -> None:
    game = pyspiel.load_game("inphexion_v0(board_size=3)")
    with pytest.raises(ValueError, match="a position has the fields"):
        game.new_initial_state("nonsense")
    with pytest.raises(ValueError, match="params is .* have none"):
        game.make_py_observer(None, {"mirror": True})


def test_python_ends_without_a_crash() -> None:
    """pyspiel keeps what is registered until after Python's end; anything but a class would be freed too late."""
    code = "import abstract_envs.openspiel, pyspiel; s = pyspiel.load_game('fano330_v0').new_initial_state(); print(s)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "-/-/-/-/-/-/- w 1\n")
