"""Alveole: against the cell-by-cell reference; what is tabulated and what is carried along against what is worked out anew."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from abstract_envs.games.alveole.rules import reach
from helpers import assert_same, follow_reference, game_of
from reference_alveole import DIRECTIONS, Position, Reference

REFERENCE = Reference()


def plays_as_the_reference(starts: list[str], seed: int, most: int = 10**9) -> None:
    game = game_of("alveole", {})
    singles = [game.from_string(text) for text in starts]
    positions = [REFERENCE.from_string(text) for text in starts]
    follow_reference(game, REFERENCE, singles, positions, "rb", seed, most)


def scattered(count: int, seed: int) -> list[str]:
    """Positions with 1 to 9 pieces a side anywhere: groups, stuck players and full lines among them."""
    rng = np.random.default_rng(seed)
    found: list[str] = []
    for k in range(count):
        red, blue = (int(n) for n in rng.integers(1, 10, 2))
        if k % 2:  # close together, so that one group or both is not rare
            order = sorted(REFERENCE.cells, key=lambda cell: abs(cell[0]) + abs(cell[1]) + 3 * rng.random())
        else:
            order = [REFERENCE.cells[i] for i in rng.permutation(61)]
        pieces = rng.permutation(["r"] * red + ["b"] * blue)
        board = {cell: str(piece) for cell, piece in zip(order, pieces, strict=False)}
        found.append(REFERENCE.to_string(Position(board, "rb"[int(rng.integers(2))])))
    return found


def test_plays_as_the_reference() -> None:
    plays_as_the_reference([REFERENCE.to_string(REFERENCE.start())] * 10, seed=0)


def test_plays_on_from_scattered_positions() -> None:
    plays_as_the_reference(scattered(300, seed=1), seed=1, most=4)


@pytest.mark.slow
def test_plays_as_the_reference_for_long() -> None:
    plays_as_the_reference([REFERENCE.to_string(REFERENCE.start())] * 200, seed=2)


@pytest.mark.slow
def test_plays_on_from_many_scattered_positions() -> None:
    plays_as_the_reference(scattered(5_000, seed=3), seed=3, most=6)


def test_what_is_carried_along_is_what_a_position_has() -> None:
    """Who can move is changed on the lines of a move only; worked out anew from the pieces it is the same."""
    game = game_of("alveole", {})
    rng = np.random.default_rng(4)
    states = game.init(200)
    for _ in range(60):
        states = game.step(states, game.sample(states, rng))
        assert_same(states, game.position(states.player, states.rows[0], states.rows[1]))


@pytest.mark.parametrize("length", [5, 6, 7])
def test_one_line(length: int) -> None:
    """`reach` against the reference, on a line of the board by itself."""
    column = REFERENCE.columns[length - 5]
    for line in product(range(3), repeat=length):
        board = {cell: ".rb"[colour] for cell, colour in zip(column, line, strict=True) if colour}
        expected = [
            k
            for k, cell in enumerate(column)
            if cell in board and REFERENCE.may_move(Position(board, board[cell]), cell, DIRECTIONS[1])
        ]
        assert reach(line) == expected, line


def test_symmetries_that_keep_the_start() -> None:
    """Twelve of 24: six symmetries of the board as they are, the six others with the players exchanged; the side to act aside."""
    game = game_of("alveole", {})
    start = game.init()
    kept = []
    for symmetry in game.symmetries:
        pieces, _ = game.to_string(symmetry.state(start)).split(" ")
        if pieces == game.to_string(start).split(" ")[0]:
            kept.append(symmetry)
    assert sorted(symmetry.exchanges for symmetry in kept) == [False] * 6 + [True] * 6
    assert "turn by 60 degrees, players exchanged" in [symmetry.name for symmetry in kept]
    assert len({tuple(symmetry.cells) for symmetry in kept}) == 12


@pytest.mark.slow
def test_random_play() -> None:
    """The sheet's numbers: lengths, legal moves, endings. 2,000 games there and here, within four standard errors of both."""
    game = game_of("alveole", {})
    rng = np.random.default_rng(5)
    states, lengths, endings, legal = game.init(2000), [], {"own": 0, "other": 0, "both": 0}, set[int]()
    for ply in range(1, 2000):
        legal |= set(game.action_mask(states).sum(1).tolist())
        states = game.step(states, game.sample(states, rng))
        ended = game.is_terminal(states)
        for i in np.flatnonzero(ended):
            one: Any = game.take(states, int(i))
            position = REFERENCE.from_string(game.to_string(one))
            mover, other = REFERENCE.one_group(position, "br"[one.player]), REFERENCE.one_group(position, "rb"[one.player])
            lengths.append(ply)
            if mover or other:
                endings["both" if mover and other else "own" if mover else "other"] += 1
        states = game.take(states, ~ended)
        if not len(states.player):
            break
    mean, error = np.mean(lengths), np.std(lengths) / len(lengths) ** 0.5
    assert abs(mean - 191) < 4 * 2**0.5 * error
    assert abs(np.percentile(lengths, 99) - 376) < 40
    assert abs((endings["own"] + endings["both"]) / 2000 - 0.66) < 4 * (2 * 0.66 * 0.34 / 2000) ** 0.5
    assert abs(endings["other"] / 2000 - 0.34) < 4 * (2 * 0.66 * 0.34 / 2000) ** 0.5
    assert abs(endings["both"] / 2000 - 0.0075) < 4 * (2 * 0.0075 / 2000) ** 0.5
    assert max(legal) <= 45
