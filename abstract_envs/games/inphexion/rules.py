"""inpHeXion: state, tables and rules. Rule numbers are those of docs/games/inphexion.md.

A board of n x n hexagons is a word: cell (i, j) is bit n*i + j. ``own`` are the discs of the player to act, ``opp`` the other's,
so that one text of the rules serves both colours. White is player 0.

Actions, N = n*n:     0 .. N-1    N .. 7N-1                            7N
                      cell        N * (1 + direction) + cell taken     swap
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from abstract_envs.core.bits import (
    ALL,
    Both,
    Layout,
    Tables,
    Word,
    as_index,
    bit_indices,
    complement,
    equal,
    exchange,
    less,
    may_touch,
    none_set,
    nonzero,
    permute,
    popcount,
    select,
    some,
    zero,
)
from abstract_envs.core.board import Board, rhombus
from abstract_envs.core.crossing import Crossing
from abstract_envs.core.game import PLAYER_0_WINS, PLAYER_1_WINS, Game, check_one, winner
from abstract_envs.core.options import flag, whole_number
from abstract_envs.core.symmetry import Symmetry
from abstract_envs.core.text import EMPTY, choice, number, read_rows, split_fields, write_rows

__all__ = ["InpHeXion", "State"]


class State(NamedTuple):
    """One game (ints) or a batch (``uint64[B]`` each)."""

    own: Word
    """Discs of the player to act."""
    opp: Word
    """Discs of the other player."""
    neutral: Word
    """The neutral piece; the cell it came from (one of ``origins``) while it waits; zero without the variant."""
    waiting: Word
    """Captured pieces still to be relocated, 0 to 3."""
    origins: Word
    """Cells that the captured pieces of this turn came from, until the last of them is relocated."""
    player: Word
    outcome: Word
    legal: tuple[Word, ...]
    """Legal actions: cells to put a disc on; for each direction the cells to take; the swap."""


@dataclass(frozen=True, kw_only=True)
class InpHeXion(Game[State]):
    """The game of inpHeXion (Masahiro Nakajima, 2014).

    board_size: 3 to 8; 7 is the official size.
    pie_rule: after White's first disc Black may swap sides instead of moving.
    neutral: the variant with a neutral piece on the centre cell; needs an odd board_size.
    """

    board_size: int = 7
    pie_rule: bool = False
    neutral: bool = False

    name: ClassVar[str] = "inphexion"

    def __post_init__(self) -> None:
        object.__setattr__(self, "board_size", whole_number("board_size", self.board_size, 3, 8))
        object.__setattr__(self, "pie_rule", flag("pie_rule", self.pie_rule))
        object.__setattr__(self, "neutral", flag("neutral", self.neutral))
        if self.neutral and self.board_size % 2 == 0:
            raise ValueError(f"neutral=True needs a centre cell: board_size is {self.board_size}; it is 3, 5 or 7 with neutral")

    @cached_property
    def action_layout(self) -> Layout:
        return Layout((len(self.board),) * 7 + (1,))

    @cached_property
    def board(self) -> Board:
        return rhombus(self.board_size)

    @cached_property
    def crossing(self) -> Crossing:
        return Crossing(self.board_size)

    @cached_property
    def own_plane_names(self) -> tuple[str, ...]:
        return (
            "own discs",
            "opponent's discs",
            *(("neutral piece",) if self.neutral else ()),
            "cells the captured pieces came from",
            "1 captured piece waits",
            "2 captured pieces wait",
            "3 captured pieces wait",
        )

    @cached_property
    def constants(self) -> Both:
        return _constants(self.board)

    @property
    def longest_game(self) -> int:
        """Every turn fills a cell, with one action and up to three relocations; a swap is one more action."""
        return 4 * len(self.board) + 1

    # ------------------------------------------------------------------------------------------------------- rules

    def start(self) -> State:
        centre = 1 << len(self.board) // 2 if self.neutral else 0
        return self.position(0, 0, centre, 0, 0, 0)

    def advance(self, state: State, action: Word) -> State:
        own, opp, neutral, waiting, origins, player, _, _ = state
        c = self.constants.of(own)
        cell, taken, shoved, near = c.effects[action]
        if some(waiting):
            cell, opp, neutral, waiting = self.relocated(cell, opp, neutral, waiting, origins)

        # rule 1: the first disc; rule 2: the piece on the taken cell is shoved, the mover's disc takes its place
        own = own | cell
        if self.neutral:
            shoves_neutral = nonzero(neutral & taken)
            neutral = select(shoves_neutral, shoved, neutral)
            shoved = shoved & complement(shoves_neutral)
        opp = opp ^ opp & taken | shoved
        if self.pie_rule:
            own, opp, neutral = self.swapped(action, own, opp, neutral)

        # rules 3 and 4: pieces beside the taken cell all of whose neighbours are the mover's discs are lifted
        lifted = (opp | neutral if self.neutral else opp) & near
        lifted = lifted ^ self.board.beside(own ^ c.full, lifted)
        if some(lifted):
            opp = opp ^ opp & lifted
            waiting = waiting + popcount(lifted)
            origins = origins | lifted

        # the next to act: the same player while captured pieces wait
        over = zero(waiting)
        turn = over & 1
        own, opp = exchange(turn, own, opp)
        return self.judge(own, opp, neutral, waiting, origins ^ origins & over, player ^ turn)

    def relocated(self, cell: Word, opp: Word, neutral: Word, waiting: Word, origins: Word) -> tuple[Word, Word, Word, Word]:
        """Rule 5 -> (the cell, where no piece is relocated to it; the opponent's discs; neutral piece; how many wait)."""
        landed = cell & nonzero(waiting)
        cell = cell ^ landed
        moves = nonzero(landed)
        if self.neutral:
            moves_neutral = moves & nonzero(neutral & origins) & equal(waiting, 1)  # it is relocated last
            neutral = select(moves_neutral, landed, neutral)
            landed = landed & complement(moves_neutral)
        return cell, opp | landed, neutral, waiting - (moves & 1)

    def swapped(self, action: Word, own: Word, opp: Word, neutral: Word) -> tuple[Word, Word, Word]:
        """Pie rule: White's lone disc is reflected and becomes Black's, the mover's; the neutral piece is reflected too."""
        swaps = equal(action, self.num_actions - 1)
        reflection = self.board.maps[2]
        if some(swaps):
            own = select(swaps, permute(opp, reflection), own)
            opp = opp & complement(swaps)
            neutral = select(swaps, permute(neutral, reflection), neutral)
        return own, opp, neutral

    def position(self, own: Word, opp: Word, neutral: Word, waiting: Word, origins: Word, player: Word) -> State:
        """Any position with its outcome and its legal actions."""
        begins = zero(own | opp | neutral | waiting)  # rule 1; with a neutral piece the first action takes that
        return self.judge(own, opp, neutral, waiting, origins, player, begins & self.board.full)

    def judge(self, own: Word, opp: Word, neutral: Word, waiting: Word, origins: Word, player: Word, first: Word = 0) -> State:
        """A position with its outcome and its legal actions; ``first``: the cells open to the first disc of the game."""
        c = self.constants.of(own)
        turn_over = zero(waiting)
        standing = neutral ^ neutral & origins if self.neutral else none_set(own)
        empty = own ^ opp ^ standing ^ c.full

        # rules 1 and 5: cells to put a disc on; rule 2: pieces to take, by the direction in which they are shoved
        put = none_set(own)
        crushed = none_set(own)
        if some(waiting):
            room = empty ^ empty & origins
            put = room & complement(turn_over)
            crushed = less(popcount(room), waiting)
        put = put | first
        targets = (opp | standing) & turn_over
        takes = self.board.facing(empty, targets)
        swap = none_set(own)
        if self.pie_rule:
            swap = zero(own) & equal(popcount(opp), 1) & turn_over & player

        # rule 7; rule 6 and rule 8: the player to act loses
        white_joined, black_joined = self.joined(own, opp, player, turn_over)
        lost = crushed | zero(takes[0] | takes[1] | takes[2] | takes[3] | takes[4] | takes[5] | put)
        outcome = white_joined & PLAYER_0_WINS | black_joined & PLAYER_1_WINS
        if some(lost):
            outcome = outcome | winner(player ^ 1) & lost & zero(outcome)
        if some(outcome):
            running = zero(outcome)
            put, swap, takes = put & running, swap & running, tuple(take & running for take in takes)
        return State(own, opp, neutral, waiting, origins, player, outcome, (put, *takes, swap))

    def joined(self, own: Word, opp: Word, player: Word, turn_over: Word) -> tuple[Word, ...]:
        """Rule 7: whether White has joined top and bottom, and Black left and right, at the end of a turn.

        Looked for only where some discs of any two neighbouring rows (columns) touch, which one game is asked only with discs at
        both ends.
        """
        c = self.constants.of(own)
        white, black = exchange(player, own, opp)
        white_may, black_may = 0, 0
        if may_touch(white, c.first_row) and may_touch(white, c.last_row):
            # discs with one of their own at (+1, 0) or (+1, -1); then the end of every row that has some, but the last row
            down = white & (white >> c.row | (white & c.not_last_column) >> c.diagonal)
            ends = ((down & c.not_last_column) + c.not_last_column | down) & c.row_ends
            white_may = equal(ends, c.row_ends) & turn_over
        if may_touch(black, c.first_column) and may_touch(black, c.last_column):
            # discs with one of their own at (0, +1) or (-1, +1); then a bit for every column that has some, but the last
            ahead = black & c.not_first_column
            right = black & (ahead >> c.one | ahead << c.diagonal)
            columns = right | right >> c.rows_4
            columns = columns | columns >> c.rows_2
            columns = (columns | columns >> c.row) & c.columns
            black_may = equal(columns, c.columns) & turn_over
        return self.crossing.of(white, black, white_may, black_may)

    # -------------------------------------------------------------------------------------- actions and observations

    def planes(self, state: State, own: Word) -> Sequence[Word]:
        mine, theirs = select(own, state.own, state.opp), select(own, state.opp, state.own)
        neutral = (state.neutral & complement(state.origins),) if self.neutral else ()
        return mine, theirs, *neutral, state.origins, *self.constants.of(state.waiting).waits[as_index(state.waiting)]

    def action_text(self, state: State, action: int) -> str:
        names, cells = self.board.names, len(self.board)
        if action == 7 * cells:
            return "swap"
        kind, cell = divmod(action, cells)
        if kind == 0:
            return ("@" if state.waiting else "") + names[cell]
        to = self.board.step(cell, self.board.directions[kind - 1])
        assert to is not None
        return f"{names[cell]}-{names[to]}"

    def action_index(self, state: State, text: str) -> int:
        board, cells = self.board, len(self.board)
        if text == "swap":
            return 7 * cells
        cell, dash, to = text.removeprefix("@").partition("-")
        if cell not in board or (dash and (to not in board or text[0] == "@")):
            cells_are = f"cells are {board.names[0]} to {board.names[-1]}"
            raise ValueError(f"{text!r} is no action: actions are 'd4', '@d4', 'd4-e4' and 'swap'; {cells_are}")
        i = board.index(cell)
        if not dash:
            return i
        steps = [board.step(i, direction) for direction in board.directions]
        if board.index(to) not in steps:
            raise ValueError(f"{text!r} is no action: {to} is no neighbour of {cell}")
        return cells * (1 + steps.index(board.index(to))) + i

    # ------------------------------------------------------------------------------------------------ position text

    def to_string(self, state: State) -> str:
        check_one(state)
        n = self.board_size
        white, black = (state.own, state.opp) if state.player == 0 else (state.opp, state.own)
        symbols = [EMPTY] * n * n
        for discs, letter in ((white, "w"), (black, "b"), (state.neutral & complement(state.origins), "n")):
            for i in bit_indices(discs):
                symbols[i] = letter
        rows = write_rows([symbols[n * i : n * (i + 1)] for i in range(n)])
        pending = "-"
        if state.waiting:
            neutral = state.neutral & state.origins
            cells = [self.board.names[i] for i in bit_indices(state.origins ^ neutral)]
            cells += [self.board.names[i] + "n" for i in bit_indices(neutral)]
            pending = f"{state.waiting}:{','.join(cells)}"
        return f"{rows} {'wb'[state.player]} {pending}"

    def from_string(self, text: str) -> State:
        n = self.board_size
        rows, side, pending = split_fields(text, ("rows", "side", "pending"))
        symbols = [symbol for row in read_rows("rows", rows, [n] * n, "wbn" if self.neutral else "wb") for symbol in row]
        white, black, neutral = (self.board.word(i for i, s in enumerate(symbols) if s == letter) for letter in "wbn")
        player = choice("side", side, "wb")
        waiting, origins, neutral_origin = self._read_pending(pending)
        if origins & (white | black | neutral):
            raise ValueError(f"pending is {pending!r}: cells that captured pieces came from must be empty")
        if self.neutral and popcount(neutral) + popcount(neutral_origin) != 1:
            raise ValueError(f"rows {rows!r} with pending {pending!r}: the neutral piece n is on the board once, or it waits")
        if not white | black and (player or waiting):
            raise ValueError(f"side {side!r}, pending {pending!r} on a board without discs: that is the first turn, 'w' and '-'")
        own, opp = (white, black) if player == 0 else (black, white)
        return self.position(own, opp, neutral | neutral_origin, waiting, origins, player)

    def _read_pending(self, text: str) -> tuple[int, int, int]:
        """``2:d4,c3n`` -> how many wait, the cells they came from, the cell of these the neutral piece came from."""
        if text == "-":
            return 0, 0, 0
        count, _, cells = text.partition(":")
        waiting = number("pending", count, 1, 3)
        names = cells.split(",")
        marked = [name.removesuffix("n") for name in names if name.endswith("n")]
        if len(marked) > (1 if self.neutral else 0):
            allowed = "one cell" if self.neutral else "which this game has not"
            raise ValueError(f"pending is {text!r}: an n marks the neutral piece, {allowed}")
        discs = [self.board.index(name, "pending") for name in names if not name.endswith("n")]
        indices = discs + [self.board.index(name, "pending") for name in marked]
        if discs != sorted(set(discs)) or len(set(indices)) < len(indices) or (marked and not names[-1].endswith("n")):
            raise ValueError(f"pending is {text!r}: the cells come in cell order, each once, that of the neutral piece last")
        if not waiting <= len(indices) <= 3:
            raise ValueError(f"pending is {text!r}: {waiting} wait, so there are {waiting} to 3 cells they came from")
        return waiting, self.board.word(indices), self.board.word(marked)

    @cached_property
    def key_layout(self) -> Layout:
        return Layout((len(self.board),) * 4 + (2, 1))

    def key_words(self, state: State) -> Sequence[Word]:
        return state.own, state.opp, state.neutral, state.origins, state.waiting, state.player

    # --------------------------------------------------------------------------------------------------- symmetries

    def make_symmetries(self) -> Iterable[Symmetry]:
        names = ("identity", "half turn", "reflection in the long diagonal", "reflection in the short diagonal")
        cells = len(self.board)
        for name, image in zip(names, self.board.maps, strict=True):
            kinds = [0, *(1 + d for d in self.board.turned(image))]
            actions = [cells * kind + cell for kind in kinds for cell in image] + [7 * cells]
            # a reflection exchanges the sides that White joins with those that Black joins
            yield Symmetry(self, name, image, actions, exchanges="reflection" in name)

    def symmetry_applies(self, symmetry: Symmetry, state: State) -> Any:
        if not symmetry.exchanges:
            return self.as_bools(state, ALL)
        # White begins, and only White's first disc can be swapped: neither has a counterpart with the players exchanged
        none, lone = 0, 1
        discs = popcount(state.own | state.opp)
        begins = equal(discs, none) & zero(state.waiting)
        if self.pie_rule:
            begins = begins | equal(discs, lone) & zero(state.own | state.waiting)
        return self.as_bools(state, complement(begins))

    def transform(self, symmetry: Symmetry, state: State) -> State:
        own, opp, neutral, origins = (
            permute(word, symmetry.cells.tolist()) for word in (state.own, state.opp, state.neutral, state.origins)
        )
        player = state.player ^ 1 if symmetry.exchanges else state.player
        return self.position(own, opp, neutral, state.waiting, origins, player)


def _constants(board: Board) -> Both:
    """What each action does (the last, the swap, none of this), and sets of cells."""
    n, cells = board.shape[0], range(len(board))
    bits, none = [1 << i for i in cells], [0] * len(board)
    ahead = [[board.step(i, direction) for i in cells] for direction in board.directions]
    rows = [board.word(range(n * i, n * i + n)) for i in range(n)]
    columns = [board.word(range(j, n * n, n)) for j in range(n)]
    return Both(
        effects=Tables(
            bits * 7 + [0],  # cell to put a disc on, or to take
            none + bits * 6 + [0],  # cell to take
            none + [0 if to is None else 1 << to for line in ahead for to in line] + [0],  # cell to shove to
            none + [board.word(board.neighbours[i]) for i in cells] * 6 + [0],  # neighbours of the taken cell
        ),
        waits=Tables(*([board.full * (waiting == k) for waiting in range(4)] for k in (1, 2, 3))),  # one-hot planes
        full=board.full,
        not_first_column=board.full ^ columns[0],
        not_last_column=board.full ^ columns[-1],
        row_ends=columns[-1] ^ columns[-1] & rows[-1],  # of all rows but the last
        columns=rows[0] >> 1,  # a bit for every column but the last
        one=1,
        diagonal=n - 1,
        row=n,
        first_row=rows[0],
        last_row=rows[-1],
        first_column=columns[0],
        last_column=columns[-1],
        rows_2=2 * n,
        rows_4=4 * n,
    )
