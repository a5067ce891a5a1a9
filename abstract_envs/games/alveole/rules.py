"""Alveole: state, tables and rules. Rule numbers are those of docs/games/alveole.md.

A board of 61 hexagons is kept in three orders, one for each axis, so that the lines of that axis are runs of bits:

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
from typing import Any, ClassVar, NamedTuple

from abstract_envs.core.bits import (
    ALL,
    Both,
    Layout,
    Table,
    Tables,
    Word,
    as_index,
    connected,
    less,
    permute,
    popcount,
    select,
    set_of,
    some,
    zero,
)
from abstract_envs.core.board import Board, Cell, hexagon
from abstract_envs.core.game import Game, winner
from abstract_envs.core.symmetry import Symmetry
from abstract_envs.core.text import EMPTY, choice, read_rows, split_fields, write_rows

__all__ = ["CELLS", "Alveole", "State", "reach"]

CELLS = 61
_COLUMNS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
_START = "br1br/r4b/7/b6r/r7b/b6r/7/r4b/br1br r"


class Orders(NamedTuple):
    """A set of cells as three words."""

    rows: Word
    columns: Word
    diagonals: Word


class State(NamedTuple):
    """One game (ints) or a batch (``uint64[B]`` each)."""

    player: Word
    own: Orders
    """Pieces of the player to act."""
    opp: Orders
    """Pieces of the other player."""
    mobile: tuple[Word, ...]
    """For each direction the pieces of either colour that rules 2 and 3 let move, in the order of columns."""
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
        player, own, opp, mobile, _, _ = state
        c = self.constants.of(player)

        # rule 2: as many cells as there are pieces on the line; rule 3: what is on the target is captured
        cell, line = c.movers[action]
        cell = as_index(cell)
        distance = popcount((own.columns | opp.columns) & line)
        target = as_index(c.targets[action * 10 + as_index(distance)])
        at_rows, at_columns, at_diagonals = c.bits[cell]
        to_rows, to_columns, to_diagonals = c.bits[target]
        own = Orders(own.rows ^ at_rows ^ to_rows, own.columns ^ at_columns ^ to_columns, own.diagonals ^ at_diagonals ^ to_diagonals)
        opp = Orders(opp.rows & (to_rows ^ ALL), opp.columns & (to_columns ^ ALL), opp.diagonals & (to_diagonals ^ ALL))

        # who can move has changed on the lines through these two cells only
        se, s, sw, nw, n, ne = mobile
        off_rows, off_columns, off_diagonals = c.off_lines[cell]
        not_rows, not_columns, not_diagonals = c.off_lines[target]
        off_rows, off_columns, off_diagonals = off_rows & not_rows, off_columns & not_columns, off_diagonals & not_diagonals
        se_1, s_1, sw_1, nw_1, n_1, ne_1 = self.through(own, opp, cell)
        se_2, s_2, sw_2, nw_2, n_2, ne_2 = self.through(own, opp, target)
        mobile = (
            se & off_rows | se_1 | se_2,
            s & off_columns | s_1 | s_2,
            sw & off_diagonals | sw_1 | sw_2,
            nw & off_rows | nw_1 | nw_2,
            n & off_columns | n_1 | n_2,
            ne & off_diagonals | ne_1 | ne_2,
        )
        return self.judge(player ^ 1, opp, own, mobile)

    def through(self, own: Orders, opp: Orders, cell: Word) -> tuple[Word, ...]:
        """For each direction the mobile pieces on the lines through a cell."""
        c = self.constants.of(own.rows)
        row, row_begins, column, column_begins, diagonal, diagonal_begins = c.lines[cell]
        se, nw = self.on_line(own.rows >> row_begins, opp.rows >> row_begins, row)
        s, n = self.on_line(own.columns >> column_begins, opp.columns >> column_begins, column)
        ne, sw = self.on_line(own.diagonals >> diagonal_begins, opp.diagonals >> diagonal_begins, diagonal)
        return se, s, sw, nw, n, ne

    def on_line(self, own: Word, opp: Word, line: Word) -> Sequence[Word]:
        """The mobile pieces on one line: forwards, backwards. The line begins at bit 0; other lines may follow it."""
        c = self.constants.of(own)
        pattern = c.ones[as_index(own & c.longest | line)] + c.twos[as_index(opp & c.longest | line)]
        return c.reach[as_index(pattern)]

    def position(self, player: Word, own: Word, opp: Word) -> State:
        """Any position with its outcome and its legal actions, from the pieces by rows."""
        order_of_columns, order_of_diagonals = _orders()[1:]
        own_orders = Orders(own, permute(own, order_of_columns), permute(own, order_of_diagonals))
        opp_orders = Orders(opp, permute(opp, order_of_columns), permute(opp, order_of_diagonals))
        se, s, sw, nw, n, ne = (own & 0,) * 6
        one = type(own) is int
        for cell in _ends():
            at = cell if one else own.astype("int64") * 0 + cell
            found = self.through(own_orders, opp_orders, at)
            se, s, sw, nw, n, ne = (x | y for x, y in zip((se, s, sw, nw, n, ne), found, strict=True))
        return self.judge(player, own_orders, opp_orders, (se, s, sw, nw, n, ne))

    def judge(self, player: Word, own: Orders, opp: Orders, mobile: tuple[Word, ...]) -> State:
        """A position with its outcome and its legal actions; the other player moved last."""
        se, s, sw, nw, n, ne = mobile
        mine = own.columns
        legal = (se & mine, s & mine, sw & mine, nw & mine, n & mine, ne & mine)
        stuck = zero((se | s | sw | nw | n | ne) & mine)

        # rule 4: the mover's group wins, then the opponent's; rule 5: then a player who cannot move loses
        joined, mover_joined = self.one_group(own), self.one_group(opp)
        over = joined | mover_joined | stuck
        outcome = player & 0
        if some(over):
            outcome = select(mover_joined | stuck & (joined ^ ALL), winner(player ^ 1), winner(player)) & over
            going = over ^ ALL
            legal = (legal[0] & going, legal[1] & going, legal[2] & going, legal[3] & going, legal[4] & going, legal[5] & going)
        return State(player, own, opp, mobile, outcome, legal)

    def one_group(self, pieces: Orders) -> Word:
        """Rule 4: whether all pieces are one connected group.

        Looked for only where there are pairs of neighbours enough: a group of v pieces has v - 1 or more.
        """
        c = self.constants.of(pieces.rows)
        pairs = popcount(pieces.rows & pieces.rows >> c.one & c.row_next)
        pairs = pairs + popcount(pieces.columns & pieces.columns >> c.one & c.column_next)
        pairs = pairs + popcount(pieces.diagonals & pieces.diagonals >> c.one & c.diagonal_next)
        return connected(pieces.rows, self.board.beside, less(pairs + c.one, popcount(pieces.rows)) ^ ALL)

    # -------------------------------------------------------------------------------------- actions and observations

    def planes(self, state: State, own: Word) -> Sequence[Word]:
        return select(own, state.own.rows, state.opp.rows), select(own, state.opp.rows, state.own.rows)

    def action_text(self, state: State, action: int) -> str:
        cell, line = self.constants.ints.movers[action]
        distance = popcount((state.own.columns | state.opp.columns) & line)
        target = self.constants.ints.targets[action * 10 + distance]
        return f"{self.board.names[cell]}-{self.board.names[target]}"

    def action_index(self, state: State, text: str) -> int:
        cell, dash, to = text.partition("-")
        if not dash or cell not in self.board or to not in self.board:
            raise ValueError(f"{text!r} is no action: actions are 'e1-e3' and the like, from a cell to a cell; cells are a1 to i5")
        i, target = self.board.index(cell), self.board.index(to)
        for k, direction in enumerate(self.board.directions):
            if target in _ahead(i, direction)[1:]:
                return CELLS * k + i
        raise ValueError(f"{text!r} is no action: {cell} and {to} are not on one line")

    # ------------------------------------------------------------------------------------------------ position text

    def to_string(self, state: State) -> str:
        red, blue = (state.own, state.opp) if state.player == 0 else (state.opp, state.own)
        symbols = ["r" if red.columns >> i & 1 else "b" if blue.columns >> i & 1 else EMPTY for i in range(CELLS)]
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
        return state.own.rows, state.opp.rows, state.player

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
        return self.position(player, permute(state.own.rows, image), permute(state.opp.rows, image))


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
def _lines(axis: int) -> list[list[int]]:
    """The nine lines of an axis, as cells in the order of that axis."""
    cells = _board().cells
    number = (lambda i: cells[i][0], lambda i: cells[i][1], lambda i: sum(cells[i]))[axis]
    return sorted(_board().lines(_AXES[axis]), key=lambda line: number(line[0]))


@cache
def _orders() -> list[list[int]]:
    """For each axis the place in its order by bit of the board (place in the order of rows)."""
    bits = _board().bits
    found: list[list[int]] = []
    for axis in range(3):
        order = [cell for line in _lines(axis) for cell in line]
        found.append([order.index(bits.index(bit)) for bit in range(CELLS)])
    return found


@cache
def _ends() -> list[int]:
    """Cells such that every line goes through one of them, lines of different axes perhaps through the same."""
    # three lines through each of the nine cells (k, -k/2 or so) would do; simply take a cell of every line of every axis
    return sorted({line[0] for axis in range(3) for line in _lines(axis)})


@cache
def _constants() -> Both:
    board = _board()
    cells = range(CELLS)
    places = [[order[board.bits[cell]] for cell in cells] for order in _orders()]  # by axis and cell
    lines = [(axis, line) for axis in range(3) for line in _lines(axis)]
    number = [[next(k for k, (a, line) in enumerate(lines) if a == axis and i in line) for i in cells] for axis in range(3)]
    begins = [[places[axis][lines[number[axis][i]][1][0]] for i in cells] for axis in range(3)]
    off = [[((1 << CELLS) - 1) ^ set_of(lines[number[axis][i]][1]) for i in cells] for axis in range(3)]

    ones: list[int] = []
    twos: list[int] = []
    forwards: list[int] = []
    backwards: list[int] = []
    for _, line in lines:
        first, last = len(forwards), 1 << len(line)
        weights = [sum(3**k for k in range(len(line)) if x >> k & 1) for x in range(last)] * (512 // last)
        ones += [first + weight for weight in weights]
        twos += [2 * weight for weight in weights]
        spread = [set_of(cell for k, cell in enumerate(line) if x >> k & 1) for x in range(last)]
        forwards += [spread[ahead] for ahead, _ in _reach(len(line))]
        backwards += [spread[behind] for _, behind in _reach(len(line))]

    ahead = [_ahead(cell, direction) for direction in board.directions for cell in cells]
    through = [number[axis] for axis in (0, 1, 2, 0, 1, 2)]
    following = [set_of(places[axis][line[k]] for a, line in lines if a == axis for k in range(len(line) - 1)) for axis in range(3)]
    return Both(
        movers=Tables([*cells] * 6, [set_of(lines[k][1]) for numbers in through for k in numbers]),
        targets=Table([way[k] if k < len(way) else way[0] for way in ahead for k in range(10)]),
        bits=Tables(*([1 << place for place in places[axis]] for axis in range(3))),
        off_lines=Tables(*off),
        lines=Tables(*(column for axis in range(3) for column in ([512 * k for k in number[axis]], begins[axis]))),
        ones=Table(ones),
        twos=Table(twos),
        reach=Tables(forwards, backwards),
        row_next=following[0],
        column_next=following[1],
        diagonal_next=following[2],
        longest=511,
        one=1,
    )
