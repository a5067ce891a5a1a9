"""The solver: against a naive one on small graphs, the published counts, a search on ints, and every position's successors."""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abstract_envs.agents.solver import solve
from abstract_envs.core.positions import Ends, Positions
from helpers import DOORS, game_of

SOLVED = ("fano330", "honey_donuts")
WIN, LOSS, DRAW = "win", "loss", "draw"
"""Where a move leads to, in place of another position: the end of the game, as the mover sees it."""


@pytest.fixture(scope="module", params=SOLVED)
def solved(request: pytest.FixtureRequest) -> tuple[Any, Positions, NDArray[np.int64]]:
    """Game, positions, codes."""
    game = game_of(request.param, {})
    began = time.process_time()
    positions = game.positions()
    codes = solve(positions, progress=False)
    assert time.process_time() - began < 15  # the limit; some 2 s are usual
    return game, positions, codes.astype(np.int64)


# --------------------------------------------------------------------------------------------------------- small graphs


class Graph(Positions):
    """Positions as a list of the moves of each, in which the k-th moves of all lead to different ones."""

    def __init__(self, moves: list[list[Any]]) -> None:
        self.moves = moves

    def __len__(self) -> int:
        return len(self.moves)

    def words(self, index: NDArray[np.int64]) -> NDArray[np.uint64]:
        return index.astype(np.uint64) + np.uint64(100)

    def index(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        index = words.astype(np.int64) - 100
        return np.where((index >= 0) & (index < len(self)), index, -1)

    def of(self, states: Any) -> NDArray[np.uint64]:
        raise NotImplementedError

    def states(self, words: NDArray[np.uint64], player: NDArray[np.uint64]) -> Any:
        raise NotImplementedError

    def ends(self, words: NDArray[np.uint64]) -> Ends:
        of = [self.moves[i] for i in self.index(words)]
        return Ends(*(np.array(n, np.int64) for n in ([len(m) for m in of], *([m.count(e) for m in of] for e in (WIN, LOSS)))))

    def before(self, words: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
        targets = set(self.index(words).tolist())
        for k in range(max(map(len, self.moves), default=0)):
            yield self.words(np.array([i for i, m in enumerate(self.moves) if len(m) > k and m[k] in targets], np.int64))
            yield np.array([3], np.uint64)  # no position


def naive(moves: list[list[Any]]) -> list[int]:
    """Codes by looking at all positions again and again, each from its successors."""
    ends = {WIN: 2, LOSS: -2, DRAW: 0}
    codes: list[int] = [0] * len(moves)
    for distance in range(len(moves) + 2):
        before = codes.copy()
        for i, of in enumerate(moves):
            if before[i]:
                continue
            values = [ends[m] if m in ends else -before[m] + (before[m] < 0) - (before[m] > 0) for m in of]
            wins = [value for value in values if value > 0]
            if not of:
                codes[i] = -1
            elif wins and min(wins) == distance + 1:
                codes[i] = distance + 1
            elif all(value < 0 for value in values) and -min(values) == distance + 1:
                codes[i] = min(values)
    return codes


def random_graph(rng: np.random.Generator) -> list[list[Any]]:
    size, most = int(rng.integers(1, 30)), int(rng.integers(1, 4))
    columns = [rng.permutation(size).tolist() for _ in range(most)]
    moves: list[list[Any]] = []
    for i in range(size):
        of: list[Any] = [column[i] for column in columns[: rng.integers(most + 1)]]
        moves.append([(WIN, LOSS, LOSS, DRAW)[rng.integers(4)] if rng.random() < 0.15 else m for m in of])
    return moves


def test_by_hand() -> None:
    # 0 cannot move; 1 and 6 play round for ever, or 1 to 5; 4 can only lose at once; 7 could, but draws
    graph = Graph([[], [6, 5], [0, 1], [2], [LOSS, LOSS], [WIN], [1], [LOSS, DRAW]])
    assert solve(graph).tolist() == [-1, 0, 2, -3, -2, 2, 0, 0]


def test_random_graphs() -> None:
    rng = np.random.default_rng(0)
    graphs = [random_graph(rng) for _ in range(600)]
    for moves in graphs:
        assert solve(Graph(moves), progress=False).tolist() == naive(moves), moves
    seen = {code for moves in graphs for code in naive(moves)}
    assert {0, 1, 2, 3, 4, 5, 6, 7, -1, -2, -3, -4, -5, -6, -7} - seen == {1}  # a won position has a move


def test_a_type_that_holds_long_distances() -> None:
    chain = [[], *([i] for i in range(400))]
    codes = solve(Graph(chain), progress=False)
    assert codes.dtype == np.int16
    assert codes.tolist() == naive(chain)
    assert codes[-1] == -401
    assert solve(Graph(chain[:100])).dtype == np.int8
    assert solve(Graph([])).tolist() == []


def test_without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert solve(Graph([[], [0]]), progress=True).tolist() == [-1, 2]


def test_the_bar_ends_full(monkeypatch: pytest.MonkeyPatch) -> None:
    import tqdm

    bars: list[Any] = []

    class Bar(tqdm.tqdm):  # type: ignore[type-arg]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **(kwargs | {"disable": False}))
            bars.append(self)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    solve(Graph([[], [0], [1], [3]]), "a graph")
    assert [(bar.n, bar.total) for bar in bars] == [(4, 4), (4, 4)]
    assert [bar.desc for bar in bars] == ["a graph: last moves", "a graph: backwards"]


# ------------------------------------------------------------------------------------------------------------- the games


def test_games_that_offer_their_positions() -> None:
    assert tuple(name for name in sorted(DOORS) if game_of(name, {}).positions() is not None) == SOLVED


COUNTS = {
    # positions, won, lost, neither, longest win
    "fano330": (789_175, 335_144, 177_656, 276_375, 58),
    "honey_donuts": (3_341_520, 1_820_682, 40_296, 1_480_542, 5),
}


def test_published_counts(solved: tuple[Any, Positions, NDArray[np.int64]]) -> None:
    game, positions, codes = solved
    counts = (len(positions), (codes > 0).sum(), (codes < 0).sum(), (codes == 0).sum(), codes.max() - 1)
    assert counts == COUNTS[game.name]
    assert codes[positions.index(positions.of(game.init(1)))] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVED)
def test_memory(name: str) -> None:
    """With some 50 MB for Python and what it has imported, at most 500 MB."""
    game = DOORS[name].game()
    tracemalloc.start()
    try:
        solve(game.positions(), progress=False)
        assert tracemalloc.get_traced_memory()[1] < 400e6
    finally:
        tracemalloc.stop()


def test_counts_of_fano330() -> None:
    game = game_of("fano330", {})
    positions = game.positions()
    words = positions.words(np.arange(len(positions)))
    moving = np.bitwise_count(words & np.uint64((1 << 56) - 1)) == 8
    assert ((~moving).sum(), moving.sum()) == (371_827, 417_348)
    ends = positions.ends(words)
    assert (ends.legal == 0).sum() == 756
    assert ((ends.legal == ends.losing) & (ends.legal > 0)).sum() == 33_012
    assert not ends.winning.any()


def test_first_moves_of_fano330(solved: tuple[Any, Positions, NDArray[np.int64]]) -> None:
    game, positions, codes = solved
    start = game.init()
    after = {game.action_to_string(start, a): game.stack([game.step(start, a)]) for a in game.legal_actions(start)}
    found = {text: int(codes[positions.index(positions.of(state))[0]]) for text, state in after.items()}
    expected = dict.fromkeys(found, 0) | ({"o7": 12 + 1, "t7": 12 + 1} if game.name == "fano330" else {})
    assert found == expected


def test_index_and_words(solved: tuple[Any, Positions, NDArray[np.int64]]) -> None:
    _, positions, _ = solved
    index = np.arange(len(positions))
    words = positions.words(index)
    assert words.dtype == np.uint64
    assert np.array_equal(positions.index(words), index)  # so no word comes twice


def test_words_of_states(solved: tuple[Any, Positions, NDArray[np.int64]]) -> None:
    game, positions, codes = solved
    rng = np.random.default_rng(0)
    words = positions.words(rng.integers(0, len(positions), 2000))
    player = rng.integers(0, 2, len(words), np.uint64)
    states = positions.states(words, player)
    assert np.array_equal(positions.of(states), words)
    if game.name == "honey_donuts":
        assert np.array_equal(states.player, player)
    for i in range(50):
        one = game.take(states, i)
        assert game.from_string(game.to_string(one)).legal == one.legal
    # what has ended is no position, unless by want of a move; what has not ended is one
    states = game.init(500)
    for _ in range(40):
        states = game.step(states, game.sample(states, rng))
        index = positions.index(positions.of(states))
        assert np.array_equal((index < 0) | (codes[index] == -1), game.is_terminal(states))


def test_words_that_are_no_positions() -> None:
    honey, fano = (game_of(name, {}).positions() for name in ("honey_donuts", "fano330"))
    three, king = 0b111 << 4, 1 << 42 + 4
    beside = 0b111 << 13 + 21
    board = three | beside | king | 1 << 42 + 13
    assert honey.index(np.array([board], np.uint64))[0] >= 0
    wrong = (
        0,
        three,
        board ^ king,
        board ^ king | 1 << 42,
        board ^ 1 << 42 + 13,
        three | three << 21 | king,
        board ^ 1 << 13 + 21,
    )
    assert (honey.index(np.array(wrong, np.uint64)) == -1).all()
    assert fano.index(np.array([0, 1 << 56, 1, 1 << 56 | 1 << 14, (1 << 64) - 1], np.uint64)).tolist()[1:3] == [-1, -1]
    assert (fano.index(np.array([0, 1 << 56 | 1 << 14], np.uint64)) >= 0).all()


def test_before_takes_moves_back(solved: tuple[Any, Positions, NDArray[np.int64]]) -> None:
    """Counted as moves: the positions before some, among themselves, are those from which `step` leads there."""
    game, positions, _ = solved
    rng = np.random.default_rng(1)
    chosen = np.unique(rng.integers(0, len(positions), 3000))
    words = positions.words(chosen)
    arrays = list(positions.before(words))
    assert all(len(np.unique(array)) == len(array) for array in arrays)
    earlier = np.concatenate(arrays)
    earlier = earlier[positions.index(earlier) >= 0]
    asked, moves = np.unique(earlier, return_counts=True)
    states = positions.states(asked, np.zeros(len(asked), np.uint64))
    rows, actions = np.nonzero(game.action_mask(states))
    after = positions.of(game.step(game.take(states, rows), actions))
    assert np.array_equal(np.bincount(rows[np.isin(after, words)], minlength=len(asked)), moves)
    # and none is missing: moves forwards from other positions into the chosen ones
    more = positions.states(positions.words(rng.integers(0, len(positions), 200_000)), np.zeros(200_000, np.uint64))
    for action in range(game.num_actions):
        rows = np.flatnonzero(game.is_legal(more, np.full(200_000, action)))
        after = positions.of(game.step(game.take(more, rows), np.full(len(rows), action)))
        hits = positions.of(more)[rows[np.isin(after, words)]]
        assert np.isin(hits, asked).all()


def decided(game: Any, text: str, plies: int) -> int:
    """The code of a position as far as it is decided within some plies, by a search on ints through position texts."""
    state = game.from_string(text)
    best: int | None = -1 if not game.legal_actions(state) else None
    for action in game.legal_actions(state):
        after = game.step(state, action)
        if game.is_terminal(after):
            code = {1.0: 2, -1.0: -2, 0.0: 0}[game.rewards(after)[state.player]]
        elif plies > 1:
            code = decided(game, alone(game.to_string(after)), plies - 1)
            code = -code + (code < 0) - (code > 0)
        else:
            code = 0
        rank = (np.sign(code), -code)
        best = code if best is None or rank > (np.sign(best), -best) else best
    assert best is not None
    return best


def alone(text: str) -> str:
    """A position text without what came before."""
    rows, side, last = text.split()
    return f"{rows} {side} {'1' if last.isdigit() else '-'}"


def test_a_search_on_ints_agrees(solved: tuple[Any, Positions, NDArray[np.int64]]) -> None:
    game, positions, codes = solved
    rng = np.random.default_rng(2)
    for code in (-5, -4, -3, -2, -1, 0, 2, 3, 4, 5):
        candidates = np.flatnonzero(codes == code)
        for index in rng.choice(candidates, min(3 if abs(code) == 5 else 8, len(candidates)), replace=False):
            words = positions.words(np.array([index]))
            state = game.take(positions.states(words, np.ones(1, np.uint64)), 0)
            plies = max(abs(code) - 1, 2)
            found = decided(game, game.to_string(state), plies)
            assert found == code, game.to_string(state)


@pytest.mark.slow
def test_every_position_follows_from_its_successors(solved: tuple[Any, Positions, NDArray[np.int64]]) -> None:
    """By the game's own steps. So values are right by induction on the distance, and draws because play can stay in them."""
    game, positions, codes = solved
    illegal, size = np.iinfo(np.int64).min, 1 << 15
    for start in range(0, len(positions), size):
        index = np.arange(start, min(start + size, len(positions)))
        states = positions.states(positions.words(index), np.zeros(len(index), np.uint64))
        best = np.full(len(index), illegal)
        for action in range(game.num_actions):
            rows = np.flatnonzero(game.is_legal(states, np.full(len(index), action)))
            before = game.take(states, rows)
            after = game.step(before, np.full(len(rows), action))
            at = positions.index(positions.of(after))
            ended = game.is_terminal(after)
            assert np.array_equal((at < 0) | (codes[at] == -1), ended)
            opponent = np.where(ended, -game.rewards(after)[np.arange(len(rows)), game.current_player(before)], codes[at])
            code = -opponent.astype(np.int64) - np.sign(opponent).astype(np.int64)
            # quick wins first, then neither, then slow losses
            best[rows] = np.maximum(best[rows], np.sign(code) * 10_000 - code)
        sign = np.where(best == illegal, -1, np.where(best == 0, 0, np.where(best > 0, 1, -1)))
        expected = np.where(best == illegal, -1, sign * 10_000 - best)
        assert np.array_equal(codes[index], np.where(sign == 0, 0, expected))
