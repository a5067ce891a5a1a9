"""Honey Donuts: state, tables and rules. Rule numbers are those of docs/games/honey_donuts.md.

A board is one word of three lanes of 21 bits, seen by the player to move: own pieces, the opponent's, and Kings (which are in two
lanes). White pieces belong to nobody and are what is left; a King without an owner marks the cell of one that has fallen. Cell
(row r, column q) is bit 5 * (r + 2) + q of a lane, so that the neighbours along the axes are 1, 5 and 4 bits apart:

     r
    -2             a1  a2  a3                     0   1   2
    -1           b1  b2  b3  b4                 4   5   6   7
     0         c1  c2  --  c4  c5             8   9   --  11  12
     1           d1  d2  d3  d4                13  14  15  16
     2             e1  e2  e3                    18  19  20

So one text of the rules serves both colours. Red is player 0. Actions: 18 * direction + segment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from abstract_envs.core.bits import (
    Both,
    Layout,
    Tables,
    Union,
    Word,
    complement,
    equal,
    index,
    less,
    lowest,
    none_set,
    nonzero,
    permute,
    select,
    set_of,
    some,
    zero,
)
from abstract_envs.core.board import Board, Cell, hexagon
from abstract_envs.core.game import DRAW, Game, check_one, winner
from abstract_envs.core.history import Near, Past, PastBatch, occurrences, union_of_past
from abstract_envs.core.options import one_of
from abstract_envs.core.positions import Positions
from abstract_envs.core.symmetry import Symmetry
from abstract_envs.core.text import EMPTY, choice, read_rows, split_fields, write_rows

__all__ = ["SETUPS", "HoneyDonuts", "State"]

SETUPS = {"row": "bBb/wwww/ww.ww/wwww/rRr r -"}
"""Starts by name."""
ROWS = (3, 4, 5, 4, 3)
LANES = 3
WIDTH = 21
ONE_LANE = (1 << WIDTH) - 1


def name_of(cell: Cell) -> str:
    """Letters by row from the top; numbers from the left, the hole counted."""
    row, column = cell
    return "abcde"[row + 2] + str(column - max(-2, -2 - row) + 1)


BOARD = hexagon(3, name_of, hole=True, bit=lambda cell: 5 * (cell[0] + 2) + cell[1])
SEGMENTS = tuple(tuple(run) for axis in ((0, 1), (1, 0), (1, -1)) for run in BOARD.lines(axis))
"""Cells of each segment, from its lower end to the higher one; by axis (rows, columns, diagonals), then by the lower end."""
PUSHES = SEGMENTS + tuple(run[::-1] for run in SEGMENTS)
"""Cells of each action, in the direction of the push."""
ACTIONS = len(PUSHES)


def all_lanes(bits: Iterable[int], lanes: Sequence[int] = (0, 1, 2)) -> int:
    """The word of some bits in some lanes."""
    return set_of(WIDTH * lane + bit for bit in bits for lane in lanes)


def actions_where(test: Callable[[int, Sequence[int]], bool]) -> Union:
    """For every set of cells (a lane) the actions for which the test of some cell and the action's cells holds, all by bits."""
    runs = [[BOARD.bits[i] for i in run] for run in PUSHES]
    return Union([set_of(a for a, run in enumerate(runs) if test(bit, run)) for bit in range(WIDTH)])


TOUCHES = actions_where(lambda bit, run: bit in run)
"""Actions whose segment has one of these cells."""
MISSES = actions_where(lambda bit, run: bit not in run)
"""Actions whose segment lacks one of these cells."""
FALLS = actions_where(lambda bit, run: bit == run[-1])
"""Actions that push the piece on one of these cells off."""


def steps(run: Sequence[int]) -> tuple[int, int]:
    """By how many bits a push shifts the pieces up and down: most go one way, and the piece that falls off the other way."""
    first, second, last = (BOARD.bits[run[k]] for k in (0, 1, -1))
    return (second - first, last - first) if second > first else (first - last, first - second)


CONSTANTS = Both(
    # of each action: its segment; by how many bits it shifts up and down
    shifts=Tables(
        [all_lanes(BOARD.bits[i] for i in run) for run in PUSHES],
        [steps(run)[0] for run in PUSHES],
        [steps(run)[1] for run in PUSHES],
    ),
    # the cell that comes free, as an opponent's; the last cell, as a King's
    ends=Tables(
        [all_lanes([BOARD.bits[run[0]]], (1,)) for run in PUSHES],
        [all_lanes([BOARD.bits[run[-1]]], (2,)) for run in PUSHES],
    ),
    all=(1 << ACTIONS) - 1,
    forwards=(1 << ACTIONS // 2) - 1,
    backwards=((1 << ACTIONS // 2) - 1) << ACTIONS // 2,
    half=ACTIONS // 2,
    lane=ONE_LANE,
    own=ONE_LANE,
    kings=ONE_LANE << 2 * WIDTH,
    lane_1=WIDTH,
    lane_2=2 * WIDTH,
)


NEAR = Near(4, cells=ONE_LANE, lanes=(WIDTH, 2 * WIDTH))
"""Boards that may be one push apart: no segment has more than four cells."""


class State(NamedTuple):
    """One game (ints) or a batch (``uint64[B]`` each)."""

    board: Word
    """Three lanes, see above."""
    last: Word
    """The board before the opponent's last move, as the opponent saw it; zero where there is none."""
    player: Word
    outcome: Word
    past: Past | PastBatch
    """Earlier boards, each as the player to move saw it. Empty when the game has ended."""
    legal: tuple[Word, ...]
    """One word of 36 actions."""


@dataclass(frozen=True, kw_only=True)
class HoneyDonuts(Game[State]):
    """The game of Honey Donuts (Masahiro Nakajima, 2011).

    repetition: "strict": no position of the game may come again; "simple": the last move may not be taken back, and the third
        occurrence of a position is a draw.
    setup: "row", or the position text of an unfinished game.
    """

    repetition: str = "strict"
    setup: str = "row"

    name: ClassVar[str] = "honey_donuts"
    default_max_plies: ClassVar[int | None] = 512

    def __post_init__(self) -> None:
        object.__setattr__(self, "repetition", one_of("repetition", self.repetition, ("strict", "simple")))
        setup: Any = self.setup
        if not isinstance(setup, str):
            raise ValueError(f"setup is {setup!r}; it is 'row' or a position text 'rows side last'")
        if setup not in SETUPS:
            try:
                ended = self.from_string(setup).outcome != 0
            except ValueError as error:
                raise ValueError(f"setup is {setup!r}; it is 'row' or a position text 'rows side last': {error}") from None
            if ended:
                raise ValueError(
                    f"setup is {setup!r}; it is 'row' or the position text of an unfinished game, and this one has ended"
                )

    @cached_property
    def strict(self) -> bool:
        return self.repetition == "strict"

    @cached_property
    def board(self) -> Board:
        return BOARD

    @cached_property
    def action_layout(self) -> Layout:
        return Layout((ACTIONS,))

    @cached_property
    def own_plane_names(self) -> tuple[str, ...]:
        return "own regulars", "own King", "opponent's regulars", "opponent's King"

    # ------------------------------------------------------------------------------------------------------- rules

    def start(self) -> State:
        return self.from_string(SETUPS.get(self.setup, self.setup))

    def advance(self, state: State, action: Word) -> State:
        c = CONSTANTS.of(state.board)
        freed, end = c.ends[action]
        falls = nonzero(state.board & end)  # rules 3 and 4: a King that falls off is the opponent's, and is not put back
        segment, up, down = c.shifts[action]
        board = self.turned(self.pushed(state.board, segment, up, down) & complement(freed & falls))
        return self.judge(board, state.board, state.player ^ 1, state.past.push(state.board, complement(falls)))

    def pushed(self, board: Word, segment: Word, up: Word, down: Word) -> Word:
        """Rule 2: every piece on the segment shifts one cell, the last one comes back at the other end."""
        run = board & segment
        return board ^ run | (run << up | run >> down) & segment

    def turned(self, board: Word) -> Word:
        """The board as the other player sees it."""
        c = CONSTANTS.of(board)
        return board >> c.lane_1 & c.own | (board & c.own) << c.lane_1 | board & c.kings

    def pushes(self, board: Word) -> Word:
        """Rules 2 and 3: segments with an own piece; the own King may not fall off. Rule 4: none without the King."""
        c = CONSTANTS.of(board)
        own = board & c.own
        king = own & board >> c.lane_2
        return TOUCHES[own] & (FALLS[king] ^ c.all) & nonzero(king)

    def leading_to(self, board: Word, earlier: Word) -> Word:
        """The actions that push ``board`` into ``earlier``, both as the opponent of the mover sees them.

        Boards that differ do so in two cells at least, and these have one segment at most in common.
        """
        c = CONSTANTS.of(board)
        cells = self.changed(board ^ earlier)
        action = lowest((MISSES[cells] ^ c.all) & c.forwards)
        segment, up, down = c.shifts[index(action)]
        forwards = equal(self.pushed(board, segment, up, down), earlier)
        backwards = equal(self.pushed(earlier, segment, up, down), board)
        found = action & forwards | (action & backwards) << c.half
        same = zero(board ^ earlier)
        if some(same):  # rule 6: two regulars of the mover's, on a segment of length 2
            regulars = board >> c.lane_1 & (board >> c.lane_2 ^ c.lane)
            found = select(same, TOUCHES[regulars ^ c.lane] ^ c.all, found)
        # rule 5: to push the King off repeats nothing
        return found & (FALLS[board & c.own & board >> c.lane_2] ^ c.all)

    def changed(self, difference: Word) -> Word:
        """The cells in which two boards with this difference differ."""
        c = CONSTANTS.of(difference)
        return (difference | difference >> c.lane_1 | difference >> c.lane_2) & c.lane

    def banned(self, board: Word, last: Word, past: Any) -> Word:
        """Rule 5: the actions that would repeat a position.

        Those that the next player to move has seen are 1, 3, .. plies old. The first is ``last``, unless it is from a text.
        """
        before = self.turned(board)
        if self.strict:
            return union_of_past(past, before, last, 3, NEAR, self.leading_to)
        return self.leading_to(before, last)

    def judge(self, board: Word, last: Word, player: Word, past: Any) -> State:
        """A position with its outcome and its legal actions."""
        legal = self.pushes(board)
        legal = legal & complement(self.banned(board, last, past))
        over = zero(legal)
        drawn = none_set(board)
        if not self.strict:
            drawn = complement(less(occurrences(past, board), 3))
            over = over | drawn
        outcome = none_set(board)
        if some(over):
            # rules 4 and 7: who has no King, or no legal move, has lost
            outcome = over & select(drawn, DRAW, winner(player ^ 1))
            legal = legal & complement(over)
            past = past.kept(complement(over))
        return State(board, last, player, outcome, past, (legal,))

    def positions(self) -> Positions:
        from abstract_envs.games.honey_donuts.positions import HoneyDonutsPositions  # which needs this module

        return HoneyDonutsPositions(self)

    # -------------------------------------------------------------------------------------- actions and observations

    def planes(self, state: State, own: Word) -> Sequence[Word]:
        c = CONSTANTS.of(state.board)
        mover, other, kings = state.board & c.lane, state.board >> c.lane_1 & c.lane, state.board >> c.lane_2
        mine, theirs = select(own, mover, other), select(own, other, mover)
        my_king, their_king = mine & kings, theirs & kings
        return mine ^ my_king, my_king, theirs ^ their_king, their_king

    def action_text(self, state: State, action: int) -> str:
        names = self.board.names
        return f"{names[PUSHES[action][0]]}-{names[PUSHES[action][-1]]}"

    def action_index(self, state: State, text: str) -> int:
        start, dash, end = text.partition("-")
        if not dash or start not in self.board or end not in self.board:
            raise ValueError(
                f"{text!r} is no action: actions are 'e1-e3', from one end of a segment to the other; cells are a1 to e3, not c3"
            )
        ends = self.board.index(start), self.board.index(end)
        for action, run in enumerate(PUSHES):
            if ends == (run[0], run[-1]):
                return action
        raise ValueError(f"{text!r} is no action: {start} and {end} are not the ends of a segment")

    # ------------------------------------------------------------------------------------------------ position text

    def to_string(self, state: State) -> str:
        check_one(state)
        last = _write(state.last, "br"[state.player]) if state.last else "-"
        return f"{_write(state.board, 'rb'[state.player])} {'rb'[state.player]} {last}"

    def from_string(self, text: str) -> State:
        rows, side, last = split_fields(text, ("rows", "side", "last"))
        player = choice("side", side, "rb")
        board = _read("rows", rows, side, fallen="RB")
        before = 0 if last == "-" else _read("last", last, "br"[player])
        state = self.judge(board, before, player, Past())
        if "BR"[player] not in rows:  # no play leads there, but whose King has fallen has lost
            return state._replace(outcome=winner(player), legal=(0,))
        return state

    @cached_property
    def key_layout(self) -> Layout:
        return Layout((LANES * WIDTH, 1))

    def key_words(self, state: State) -> Sequence[Word]:
        return state.board, state.player

    # --------------------------------------------------------------------------------------------------- symmetries

    def make_symmetries(self) -> Iterable[Symmetry]:
        turns = ("identity", *(f"turn by {60 * k} degrees" for k in range(1, 6)))
        names = (*turns, "reflection", *(f"reflection and {turn}" for turn in turns[1:]))
        for exchanges in (False, True):
            for name, image in zip(names, self.board.maps, strict=True):
                actions = [PUSHES.index(tuple(image[i] for i in run)) for run in PUSHES]
                yield Symmetry(self, name + ", players exchanged" * exchanges, image, actions, exchanges=exchanges)

    def transform(self, symmetry: Symmetry, state: State) -> State:
        bits = [0] * WIDTH
        for i, to in enumerate(symmetry.cells):
            bits[BOARD.bits[i]] = BOARD.bits[to]
        targets = [WIDTH * lane + bit for lane in range(LANES) for bit in bits]

        def image(board: Word) -> Word:
            return permute(board, targets)

        # the mover's view of the board is the same with the colours and the sides exchanged
        player, outcome = state.player, state.outcome
        if symmetry.exchanges:
            player, outcome = player ^ 1, (outcome & 1) << 1 | outcome >> 1  # the winner, too; a draw is both bits
        legal = tuple(permute(word, symmetry.actions.tolist()) for word in state.legal)
        return State(image(state.board), image(state.last), player, outcome, state.past.mapped(image), legal)


def _write(board: int, mover: str) -> str:
    """The rows of a board that the mover, r or b, sees."""
    rows: list[list[str]] = [[EMPTY] * length for length in ROWS]
    other = "b" if mover == "r" else "r"
    for (row, column), bit in zip(BOARD.cells, BOARD.bits, strict=True):
        own, opponent, king = (board >> WIDTH * lane + bit & 1 for lane in range(LANES))
        regular = mover if own else other if opponent else EMPTY if king else "w"
        rows[row + 2][column - max(-2, -2 - row)] = regular.upper() if king else regular
    return write_rows(rows, digits=False)


def _read(field: str, text: str, mover: str, fallen: str = "") -> int:
    """The board of some rows as the mover sees it; ``fallen``: the Kings of which one may be missing."""
    rows = read_rows(field, text, ROWS, "rRbBw" + EMPTY, digits=False)
    if rows[2].pop(2) != EMPTY:
        raise ValueError(f"{field}: row 3 ({'/'.join(text.split('/')[2:3])!r}) has a piece on c3; that is the hole, written '.'")
    symbols = [symbol for row in rows for symbol in row]
    counts = {letter: symbols.count(letter) for letter in "rRbBw" + EMPTY}
    full = {"r": 2, "R": 1, "b": 2, "B": 1, "w": 12, EMPTY: 0}
    if counts != full and all(counts != full | {king: 0, EMPTY: 1} for king in fallen):
        found = ", ".join(f"{count} {letter!r}" for letter, count in counts.items() if count != full[letter])
        ended = "; or one of the Kings has fallen and left one cell '.'" if fallen else ""
        raise ValueError(
            f"{field} {text!r}: there are 2 'r', 1 'R', 2 'b', 1 'B' and 12 'w' beside the hole{ended}; here {found}"
        )
    board = 0
    for bit, symbol in zip(BOARD.bits, symbols, strict=True):
        owner = 0 if symbol in "w" + EMPTY else 1 if symbol.lower() == mover else 1 << WIDTH
        board |= (owner | (symbol in "RB" + EMPTY) << 2 * WIDTH) << bit
    return board
