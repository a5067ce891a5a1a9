"""inpHeXion: against the cell-by-cell reference, counts by turns, when reflections apply."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from helpers import follow_reference, game_of, outcome_of, outcomes_of
from reference_inphexion import DIRECTIONS, Reference
from tables.inphexion import TURNS

OPTIONS = [
    {"board_size": n, "pie_rule": pie, "neutral": neutral}
    for n in range(3, 9)
    for pie in (False, True)
    for neutral in ((False, True) if n % 2 else (False,))
]


def plays_as_the_reference(options: dict[str, Any], games: int, seed: int) -> None:
    game, reference = game_of("inphexion", options), Reference(**options)
    follow_reference(game, reference, [game.init()] * games, [reference.start()] * games, "wb", seed)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_plays_as_the_reference(options: dict[str, Any]) -> None:
    plays_as_the_reference(options, {3: 500, 4: 300, 5: 150, 6: 80, 7: 50, 8: 30}[options["board_size"]], seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_plays_as_the_reference_for_long(options: dict[str, Any]) -> None:
    for seed in (1, 2):
        plays_as_the_reference(options, {3: 1500, 4: 800, 5: 400, 6: 200, 7: 150, 8: 100}[options["board_size"]], seed)


def crowded(options: dict[str, Any], rng: np.random.Generator) -> str:
    """A position text: an enemy disc, every other neighbour of it an enemy disc or the one empty cell, the mover's discs
    around these, and some cells changed at random: to take it often captures two or three."""
    n, mover = options["board_size"], int(rng.integers(2))
    centre = tuple(rng.integers(1, n - 1, 2) if rng.random() < 0.7 else rng.integers(0, n, 2))
    own, enemy = "wb"[mover], "bw"[mover]
    density = rng.random()
    board = {}
    for i in range(n):
        for j in range(n):
            di, dj = int(i - centre[0]), int(j - centre[1])
            near = max(abs(di), abs(dj), abs(di + dj)) <= 2
            board[i, j] = own if near or rng.random() < density else str(rng.choice([".", enemy]))
            if (di, dj) == (0, 0) or ((di, dj) in DIRECTIONS and DIRECTIONS.index((di, dj)) % 2 == 0):
                board[i, j] = enemy
            if rng.random() < 0.04:
                board[i, j] = str(rng.choice([".", own, enemy]))
    for di, dj in rng.permutation(DIRECTIONS[::2])[:1]:
        if (to := (int(centre[0] + di), int(centre[1] + dj))) in board:
            board[to] = "."
    if options["neutral"]:
        around = [cell for cell in board if max(abs(cell[0] - centre[0]), abs(cell[1] - centre[1])) <= 1]
        board[around[int(rng.integers(len(around)))]] = "n"
    lines = "/".join("".join(board[i, j] for j in range(n)) for i in range(n))
    for run in range(n, 0, -1):
        lines = lines.replace("." * run, str(run))
    return f"{lines} {'wb'[mover]} -"


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_positions_set_up(options: dict[str, Any]) -> None:
    """Positions that few games reach, and all that can follow: captures of two and three, no room, no placement."""
    game, reference = game_of("inphexion", options), Reference(**options)
    rng = np.random.default_rng(7)
    captures: set[int] = set()
    for _ in range(60):
        text = crowded(options, rng)
        state, position = game.from_string(text), reference.from_string(text)
        for _ in range(3):
            legal = reference.actions(position)
            assert game.to_string(state) == reference.to_string(position)
            assert list(game.legal_actions(state)) == list(legal.values()), text
            assert outcome_of(game, state) == reference.outcome(position), text
            if not legal:
                break
            after = [reference.play(position, action) for action in legal]
            states = game.step(game.repeat(state, len(legal)), np.array(list(legal.values())))
            for i, action in enumerate(legal):
                assert game.to_string(game.take(states, i)) == reference.to_string(after[i]), (text, action)
            assert outcomes_of(game, states) == [reference.outcome(p) for p in after], text
            waiting = [p.waiting for p in after]
            captures.update(waiting)
            most = int(np.argmax(waiting))
            state, position = game.step(state, list(legal.values())[most]), after[most]
    assert captures >= ({0, 1, 2} if options["board_size"] == 4 else {0, 1, 2, 3})


def count_turns(game: Any, state: Any, depth: int) -> int:
    """Sequences of whole turns; a turn's relocations count as a set of cells."""
    if depth == 0:
        return 1
    total = 0
    for action in game.legal_actions(state):
        after = game.step(state, action)
        if not after.waiting or game.is_terminal(after):
            total += count_turns(game, after, depth - 1)
            continue
        for cells in combinations(game.legal_actions(after), after.waiting):
            relocated = after
            for cell in cells:
                relocated = game.step(relocated, cell)
            total += count_turns(game, relocated, depth - 1)
    return total


def test_counts_by_turns() -> None:
    game = game_of("inphexion", {})
    assert [count_turns(game, game.init(), depth) for depth in range(1, 5)] == TURNS[:4]


@pytest.mark.slow
def test_counts_by_turns_to_the_end() -> None:
    game = game_of("inphexion", {})
    assert count_turns(game, game.init(), 5) == TURNS[4]


@pytest.mark.parametrize(
    ("options", "text", "applies"),
    [
        ({}, "7/7/7/7/7/7/7 w -", False),
        ({}, "w6/7/7/7/7/7/7 b -", True),
        ({}, "bw5/7/7/7/7/7/7 w -", True),
        ({"neutral": True}, "7/7/7/3n3/7/7/7 w -", False),
        ({"neutral": True}, "7/7/7/3wn2/7/7/7 b -", True),
        # with the pie rule a lone disc's image would have, or lack, the swap
        ({"pie_rule": True}, "w6/7/7/7/7/7/7 b -", False),
        ({"pie_rule": True}, "b6/7/7/7/7/7/7 w -", False),
        ({"pie_rule": True}, "bw5/7/7/7/7/7/7 w -", True),
    ],
)
def test_reflections_apply_from_the_second_turn(options: dict[str, Any], text: str, applies: bool) -> None:
    game = game_of("inphexion", options)
    state = game.from_string(text)
    assert [symmetry.applies(state) for symmetry in game.symmetries] == [not s.exchanges or applies for s in game.symmetries]


def test_images_of_a_position() -> None:
    """The four images of one position, drawn by hand; c1 is a3 in the long diagonal and g5 in the short one."""
    game = game_of("inphexion", {})
    state = game.from_string("w1b4/7/7/7/7/7/6w w -")
    images = {game.to_string(symmetry.state(state)) for symmetry in game.symmetries}
    assert images == {
        "w1b4/7/7/7/7/7/6w w -",
        "w6/7/7/7/7/7/4b1w w -",
        "b6/7/w6/7/7/7/6b b -",
        "b6/7/7/7/6w/7/6b b -",
    }


def test_number_of_actions_and_shape() -> None:
    for n, actions in ((3, 64), (7, 344), (8, 449)):
        game = game_of("inphexion", {"board_size": n})
        assert game.num_actions == actions
        assert game.observation_shape == (8, n, n)
    assert game_of("inphexion", {"neutral": True}).observation_shape == (9, 7, 7)
    pie = game_of("inphexion", {"pie_rule": True})
    assert pie.string_to_action(pie.replay(["a1"])[1], "swap") == 343


def test_length_of_games() -> None:
    """At most n*n turns: every turn adds a disc."""
    for options in ({"board_size": 3}, {"board_size": 5, "neutral": True}, {}):
        game, rng = game_of("inphexion", options), np.random.default_rng(0)
        states, turns = game.init(300), np.zeros(300, np.int64)
        while not game.is_terminal(states).all():
            before = game.current_player(states), game.is_terminal(states)
            states = game.step(states, game.sample(states, rng))
            turns += (game.current_player(states) != before[0]) & ~before[1]
        assert turns.max() <= game.board_size**2
