"""Alveole: state, tables and rules. Rule numbers are those of docs/games/alveole.md.

A board of 61 hexagons is kept in three orders, one for each axis, in which the lines of that axis are runs of bits:

    rows       by r, then q    the bits of `Alveole.board`; lines run SE and NW
    columns    by q, then r    the order of the names a1, a2, .. i5, of the actions and of ``legal``; lines run S and N
    diagonals  by q+r, then q  lines run NE and SW

``own`` are the pieces of the player to act, ``opp`` the other's, so that one text of the rules serves both colours. Red is
player 0.

Actions:     61 * direction + cell, directions SE S SW NW N NE, cells in the order of columns
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import ClassVar, NamedTuple, TypeAlias

from abstract_envs.core.bits import (
    Both,
    Layout,
    Table,
    Tables,
    Word,
    as_index,
    complement,
    connected,
    less,
    none_set,
    permute,
    popcount,
    select,
    set_of,
    some,
    where_set,
    zero,
)
from abstract_envs.core.board import Board, Cell, hexagon
from abstract_envs.core.game import Game, check_one, winner
from abstract_envs.core.symmetry import Symmetry
from abstract_envs.core.text import EMPTY, choice, read_rows, split_fields, write_rows

__all__ = ["CELLS", "Alveole", "State", "reach"]

CELLS = 61
_COLUMNS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
_START = "br1br/r4b/7/b6r/r7b/b6r/7/r4b/br1br r"


Axis: TypeAlias = tuple[Word, Word, Word, Word]
"""(own, opp, forwards, backwards): the pieces of both players in the order of the axis; and, in the order of columns, the pieces
of either colour that rules 2 and 3 let move forwards (SE, S, NE) and backwards (NW, N, SW) on their lines of the axis."""


class State(NamedTuple):
    """One game (ints) or a batch (``uint64[B]`` each)."""

    player: Word
    rows: Axis
    columns: Axis
    diagonals: Axis
    outcome: Word
    legal: tuple[Word, ...]
    """For each direction the pieces that the player to act may move, in the order of columns."""


@dataclass(frozen=True, kw_only=True)
class Alveole(Game[State]):
    """The game of Alveole, also known as Grapiz (Motion-Twin, 2004). It has no options."""

    name: ClassVar[str] = "alveole"
    default_max_plies: ClassVar[int | None] = 400

    @cached_property
    def action_layout(self) -> Layout:
        return Layout((CELLS,) * 6)

    @cached_property
    def board(self) -> Board:
        return _board()

    @cached_property
    def own_plane_names(self) -> tuple[str, ...]:
        return ("own pieces", "opponent's pieces")

    @cached_property
    def constants(self) -> Both:
        return _constants()

    # ------------------------------------------------------------------------------------------------------- rules

    def start(self) -> State:
        return self.from_string(_START)  # rule 1: Red moves first

    def advance(self, state: State, action: Word) -> State:
        player, rows, columns, diagonals, _, _ = state
        c = self.constants.of(player)
        cell, line = c.movers[action]
        cell = as_index(cell)

        # rule 2: as many cells as there are pieces of both colours on the line
        distance = popcount((columns[0] | columns[1]) & line)
        target = as_index(c.targets[action * 10 + as_index(distance)])
        from_row, to_row = c.rows[cell], c.rows[target]
        captured = rows[1] & to_row[0]
        return self.judge(
            player ^ 1,
            self.moved(rows, from_row, to_row),
            self.moved(columns, c.columns[cell], c.columns[target]),
            self.moved(diagonals, c.diagonals[cell], c.diagonals[target]),
            captured,
        )

    def moved(self, axis: Axis, cell: Sequence[Word], target: Sequence[Word]) -> Axis:
        """An axis after a move, with the other player to act.

        Who can move on a line depends on what stands on this line alone, so only the lines through the two cells change.
        """
        own, opp, forwards, backwards = axis
        at, at_line, at_begin, off_line = cell
        to, to_line, to_begin, off_other = target
        own = own ^ at ^ to
        opp = opp ^ opp & to  # rule 3: an enemy piece on the target is captured
        ahead, behind = self.on_line(own >> at_begin, opp >> at_begin, at_line)
        ahead_too, behind_too = self.on_line(own >> to_begin, opp >> to_begin, to_line)
        off_line = off_line & off_other
        return opp, own, forwards & off_line | ahead | ahead_too, backwards & off_line | behind | behind_too

    def on_line(self, own: Word, opp: Word, line: Word) -> Sequence[Word]:
        """Rules 2 and 3: who can move forwards, and backwards, on one line. It begins at bit 0; other lines may follow it."""
        c = self.constants.of(own)
        pattern = c.ones[as_index(own & c.longest | line)] + c.twos[as_index(opp & c.longest | line)]
        return c.reach[as_index(pattern)]

    def position(self, player: Word, own: Word, opp: Word) -> State:
        """Any position with its outcome and its legal actions, from the pieces by rows."""
        axes: list[Axis] = []
        for order, lines in zip(_orders(), _lines(), strict=True):
            mine, theirs, forwards, backwards = permute(own, order), permute(opp, order), own & 0, own & 0
            for number, line in lines.items():
                begin = order[self.board.bits[line[0]]]
                ahead, behind = self.on_line(mine >> begin, theirs >> begin, (own & 0) + 512 * number)
                forwards, backwards = forwards | ahead, backwards | behind
            axes.append((mine, theirs, forwards, backwards))
        return self.judge(player, *axes, changed=own)

    def judge(self, player: Word, rows: Axis, columns: Axis, diagonals: Axis, changed: Word) -> State:
        """A position with its outcome and its legal actions. The other player moved last.

        changed: zero where no group of the player to act can have come about.
        """
        own_rows, opp_rows, se, nw = rows
        own, opp_columns, s, n = columns
        own_diagonals, opp_diagonals, ne, sw = diagonals

        # rule 4: the mover's group wins, then the opponent's; rule 5: then a player who cannot move loses
        mover_joined = self.one_group(opp_rows, opp_columns, opp_diagonals)
        joined = none_set(own)
        if some(changed):
            joined = where_set(changed, self.one_group, own_rows, own, own_diagonals)
        stuck = zero((se | s | sw | nw | n | ne) & own)
        over: Word = mover_joined | joined | stuck
        outcome = none_set(own)
        may_move = own
        if some(over):
            outcome = select(mover_joined | stuck & complement(joined), winner(player ^ 1), winner(player)) & over
            may_move = own & complement(over)
        legal = (se & may_move, s & may_move, sw & may_move, nw & may_move, n & may_move, ne & may_move)
        return State(player, rows, columns, diagonals, outcome, legal)

    def one_group(self, rows: Word, columns: Word, diagonals: Word) -> Word:
        """Rule 4: whether all pieces of a player are one connected group.

        Looked for only where there are pairs of neighbours enough: a group of v pieces has v - 1 or more.
        """
        c = self.constants.of(rows)
        pairs = popcount(rows & rows >> c.one & c.row_followed)
        pairs = pairs + popcount(columns & columns >> c.one & c.column_followed)
        pairs = pairs + popcount(diagonals & diagonals >> c.one & c.diagonal_followed)
        return connected(rows, self.board.near, less(popcount(rows), pairs + c.two))

    # -------------------------------------------------------------------------------------- actions and observations

    def planes(self, state: State, own: Word) -> Sequence[Word]:
        mine, theirs, _, _ = state.rows
        return select(own, mine, theirs), select(own, theirs, mine)

    def action_text(self, state: State, action: int) -> str:
        c = self.constants.of(action)
        cell, line = c.movers[action]
        distance = popcount((state.columns[0] | state.columns[1]) & line)
        target = c.targets[action * 10 + distance]
        return f"{self.board.names[cell]}-{self.board.names[target]}"

    def action_index(self, state: State, text: str) -> int:
        cell, dash, to = text.partition("-")
        if not dash or cell not in self.board or to not in self.board:
            raise ValueError(f"{text!r} is no action: actions are like 'e1-e3', from a cell to a cell; cells are a1 to i5")
        i, target = self.board.index(cell), self.board.index(to)
        for k, direction in enumerate(self.board.directions):
            if target in _ahead(i, direction)[1:]:
                return CELLS * k + i
        raise ValueError(f"{text!r} is no action: {cell} and {to} are not on one line")

    # ------------------------------------------------------------------------------------------------ position text

    def red_and_blue(self, state: State) -> tuple[Word, Word]:
        """The pieces of one game by colour, in the order of columns (the cells' indices)."""
        own, opp, _, _ = state.columns
        return (own, opp) if state.player == 0 else (opp, own)

    def to_string(self, state: State) -> str:
        check_one(state)
        red, blue = self.red_and_blue(state)
        symbols = ["r" if red >> i & 1 else "b" if blue >> i & 1 else EMPTY for i in range(CELLS)]
        columns = [[symbols.pop(0) for _ in range(length)] for length in _COLUMNS]
        return f"{write_rows(columns)} {'rb'[state.player]}"

    def from_string(self, text: str) -> State:
        columns, side = split_fields(text, ("columns", "side"))
        symbols = [symbol for column in read_rows("columns", columns, _COLUMNS, "rb", unit="column") for symbol in column]
        player = choice("side", side, "rb")
        for name, letter in (("red", "r"), ("blue", "b")):
            if not 1 <= symbols.count(letter) <= 9:
                raise ValueError(f"columns {columns!r} has {symbols.count(letter)} {name} pieces {letter}; there are 1 to 9")
        red, blue = (self.board.word(i for i, symbol in enumerate(symbols) if symbol == letter) for letter in "rb")
        return self.position(player, *((red, blue) if player == 0 else (blue, red)))

    @cached_property
    def key_layout(self) -> Layout:
        return Layout((CELLS, CELLS, 1))

    def key_words(self, state: State) -> Sequence[Word]:
        return state.rows[0], state.rows[1], state.player

    # --------------------------------------------------------------------------------------------------- symmetries

    def make_symmetries(self) -> Iterable[Symmetry]:
        turns = ("identity", *(f"turn by {60 * k} degrees" for k in range(1, 6)))
        flips = ("reflection", *(f"reflection and turn by {60 * k} degrees" for k in range(1, 6)))
        for exchanges, suffix in ((False, ""), (True, ", players exchanged")):
            for name, image in zip((*turns, *flips), self.board.maps, strict=True):
                actions = [CELLS * direction + cell for direction in self.board.turned(image) for cell in image]
                yield Symmetry(self, name + suffix, image, actions, exchanges=exchanges)

    def transform(self, symmetry: Symmetry, state: State) -> State:
        image = [0] * CELLS
        for cell, to in enumerate(symmetry.cells.tolist()):
            image[self.board.bits[cell]] = self.board.bits[to]
        player = state.player ^ 1 if symmetry.exchanges else state.player
        return self.position(player, permute(state.rows[0], image), permute(state.rows[1], image))


# -------------------------------------------------------------------------------------------------------------- tables


def reach(line: Sequence[int]) -> list[int]:
    """Rules 2 and 3 on one line: the places of the pieces that can move forwards (to higher places).

    line: for each place the colour of the piece on it, 1 or 2; 0 where there is none.
    """
    distance = sum(colour != 0 for colour in line)
    found: list[int] = []
    for place in range(len(line) - distance):  # the target must be on the board
        colour, way, target = line[place], line[place + 1 : place + distance], line[place + distance : place + distance + 1]
        # own pieces may be jumped over, enemy pieces not; the target may be an enemy, not an own piece
        if colour != 0 and 3 - colour not in way and target[0] != colour:
            found.append(place)
    return found


@cache
def _reach(length: int) -> list[tuple[int, int]]:
    """Pieces that can move (forwards, backwards) as words of places, for every line; line[k] counts 3**k in the index."""
    lines = [line[::-1] for line in product(range(3), repeat=length)]
    forwards = {line: set_of(reach(line)) for line in lines}
    mirrored = {word: set_of(length - 1 - k for k in range(length) if word >> k & 1) for word in range(1 << length)}
    return [(forwards[line], mirrored[forwards[line[::-1]]]) for line in lines]


@cache
def _board() -> Board:
    by_rows = hexagon(5, str).cells
    return hexagon(
        5,
        lambda cell: "abcdefghi"[cell[1] + 4] + str(cell[0] - max(-4, -4 - cell[1]) + 1),
        by_column=True,
        bit=by_rows.index,
    )


_SE, _S, _NE = (0, 1), (1, 0), (-1, 1)
_AXES: tuple[Cell, ...] = (_SE, _S, _NE)
"""The direction in which the lines of rows, columns and diagonals run."""


def _ahead(cell: int, direction: Cell) -> list[int]:
    """A cell and those that follow it in a direction."""
    found = [cell]
    while (to := _board().step(found[-1], direction)) is not None:
        found.append(to)
    return found


@cache
def _lines() -> list[dict[int, list[int]]]:
    """For each axis its nine lines, as cells in the order of the axis, by number 0 to 26."""
    keys = [(r, q, q + r) for r, q in _board().cells]  # what the cells of a line share, by axis
    found: list[dict[int, list[int]]] = []
    for axis, direction in enumerate(_AXES):
        lines = {keys[line[0]][axis]: line for line in _board().lines(direction)}
        found.append({9 * axis + k: lines[key] for k, key in enumerate(sorted(lines))})
    return found


@cache
def _orders() -> list[list[int]]:
    """For each axis the place in its order by bit of the board (place in the order of rows)."""
    found: list[list[int]] = []
    for lines in _lines():
        order = [_board().bits[cell] for line in lines.values() for cell in line]
        found.append([order.index(bit) for bit in range(CELLS)])
    return found


def _axis(lines: dict[int, list[int]], order: list[int]) -> Tables:
    """Of each cell its bit in the order of the axis; its line as `Alveole.on_line` wants it; where this line begins in the order;
    and all cells that are not on it.
    """
    bits = _board().bits
    number = {cell: k for k, line in lines.items() for cell in line}
    return Tables(
        [1 << order[bits[cell]] for cell in range(CELLS)],
        [512 * number[cell] for cell in range(CELLS)],
        [order[bits[lines[number[cell]][0]]] for cell in range(CELLS)],
        [set_of(range(CELLS)) ^ set_of(lines[number[cell]]) for cell in range(CELLS)],
    )


@cache
def _constants() -> Both:
    rows, columns, diagonals = (_axis(lines, order) for lines, order in zip(_lines(), _orders(), strict=True))
    # 512 entries a line, for the line's pattern and whatever bits follow it; then all patterns of all lines
    ones: list[int] = []
    twos: list[int] = []
    forwards: list[int] = []
    backwards: list[int] = []
    for line in (line for lines in _lines() for line in lines.values()):
        patterns, first = 1 << len(line), len(forwards)
        weights = [sum(3**k for k in range(len(line)) if x >> k & 1) for x in range(patterns)] * (512 // patterns)
        ones += [first + weight for weight in weights]
        twos += [2 * weight for weight in weights]
        cells = [set_of(cell for k, cell in enumerate(line) if x >> k & 1) for x in range(patterns)]
        forwards += [cells[ahead] for ahead, _ in _reach(len(line))]
        backwards += [cells[behind] for _, behind in _reach(len(line))]

    directions = _board().directions
    ways = [_ahead(cell, direction) for direction in directions for cell in range(CELLS)]
    lines = [next(a for a, d in enumerate(_AXES) if d in (direction, (-direction[0], -direction[1]))) for direction in directions]
    followed = [
        set_of(order[_board().bits[cell]] for line in lines_of.values() for cell in line[:-1])
        for lines_of, order in zip(_lines(), _orders(), strict=True)
    ]
    return Both(
        movers=Tables(
            [*range(CELLS)] * 6,
            [next(set_of(line) for line in _lines()[axis].values() if cell in line) for axis in lines for cell in range(CELLS)],
        ),
        # where the piece lands, by action and distance; no matter what where it cannot
        targets=Table([way[min(k, len(way) - 1)] for way in ways for k in range(10)]),
        rows=rows,
        columns=columns,
        diagonals=diagonals,
        ones=Table(ones),
        twos=Table(twos),
        reach=Tables(forwards, backwards),
        row_followed=followed[0],
        column_followed=followed[1],
        diagonal_followed=followed[2],
        longest=511,
        one=1,
        two=2,
    )
