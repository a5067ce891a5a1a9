"""XAHZO: state, tables and rules. Rule numbers are those of docs/games/xahzo.md.

The n x n squares are a word: row i, column j is bit n*i + j, rows counted from the bottom. A side is five words, the squares of
its pieces by type in the order X A H Z O; ``own`` is the side of the player to act. A hand is a word too, four bits a type.

Actions, N = n*n:     0 .. 5N-1          5N .. 13N-1                  13N ..
                      N * type + cell    N * (5 + direction) + cell   pairs of cells, lower first: (0,1) (0,2) .. (N-2,N-1)

A direction is a place in the list of squares that the piece on the cell can go to, so that it depends on the type of the piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.bits import (
    ALL,
    Both,
    Layout,
    Table,
    Tables,
    Word,
    as_index,
    bit_indices,
    complement,
    equal,
    less,
    none_set,
    nonzero,
    permute,
    popcount,
    select,
    some,
    zero,
)
from abstract_envs.core.board import Board, Cell, Shift, square
from abstract_envs.core.chance import mix
from abstract_envs.core.game import DRAW, Game, check_one, winner
from abstract_envs.core.options import flag, one_number_of, whole_number
from abstract_envs.core.pairs import PairLayout
from abstract_envs.core.symmetry import Symmetry
from abstract_envs.core.text import EMPTY, choice, number, read_rows, split_fields, write_rows

__all__ = ["TYPES", "State", "Xahzo"]

TYPES = "XAHZO"
DROPS = 7
"""Pieces that each player drops."""
_DEALT = 9
"""Pieces dealt to each player at random, beside an O."""

_NEAR = [(r, c) for r in range(-2, 3) for c in range(-2, 3) if r or c]
OFFSETS: tuple[tuple[Cell, ...], ...] = (
    tuple((r, c) for r, c in _NEAR if max(abs(r), abs(c)) == 1),  # X: the neighbours
    tuple((r, c) for r, c in _NEAR if abs(r * c) == 2),  # A: the knight's squares
    tuple((r, c) for r, c in _NEAR if abs(r) + abs(c) == 2 and r * c == 0),  # H: two along a row or column
    tuple((r, c) for r, c in _NEAR if abs(r * c) == 4),  # Z: two along a diagonal
    tuple((r, c) for r, c in _NEAR if abs(r) + abs(c) == 1),  # O: the orthogonal neighbours
)
"""(rows, columns) to the squares a piece of each type can go to, in the order of the directions."""

Words = tuple[Word, ...]


class State(NamedTuple):
    """One game (ints) or a batch (``uint64[B]`` each)."""

    hand: Word
    """Pieces in the hand of the player to act: four bits a type, how many; zero in the movement phase."""
    opp_hand: Word
    own: Words
    """Pieces of the player to act on the board, by type."""
    opp: Words
    drops: Word
    """Drops made by both players; 14 in the movement phase."""
    quiet: Word
    """Actions since the last capture, in the movement phase."""
    player: Word
    outcome: Word
    legal: Words
    """Legal actions: squares to drop each type on; for each direction the pieces to move; the pieces to swap, by type."""


@dataclass(frozen=True, kw_only=True)
class Xahzo(Game[State]):
    """The game of XAHZO (entry of the HSP contest of 2007).

    board_size: 5 or 7.
    map: coloured squares, on which nothing is dropped: "ring" (7x7), "cross" (5x5), "open", or names of squares;
        None: "ring" or "cross". At least 14 squares stay free.
    home_rows: house rule: drops only on a player's nearest rows, so many of them.
    swaps: False: house rule, no swaps.
    hand: "random"; two texts of ten letters; or "free": house rule, seven drops out of ten of every type.
    quiet_limit: actions without a capture that make a draw, 1 to 120.
    """

    board_size: int = 7
    map: str | Iterable[str] | None = None
    home_rows: int | None = None
    swaps: bool = True
    hand: str | Iterable[str] = "random"
    quiet_limit: int = 100

    name: ClassVar[str] = "xahzo"
    default_max_plies: ClassVar[int | None] = 512
    without_chance: ClassVar[Mapping[str, Any]] = {"hand": "free"}
    most_material: ClassVar[int] = DROPS

    def __post_init__(self) -> None:
        size = one_number_of("board_size", self.board_size, (5, 7))
        object.__setattr__(self, "board_size", size)
        object.__setattr__(self, "map", _read_map(self.map, self.board, _named_maps(self.board)))
        if self.home_rows is not None:
            object.__setattr__(self, "home_rows", whole_number("home_rows", self.home_rows, 1, size))
        object.__setattr__(self, "swaps", flag("swaps", self.swaps))
        object.__setattr__(self, "hand", _read_hand(self.hand))
        object.__setattr__(self, "quiet_limit", whole_number("quiet_limit", self.quiet_limit, 1, 120))
        # placement cannot get stuck: the other player's drops take at most the squares that the two zones share
        shared = min(popcount(self.zones[0] & self.zones[1]), DROPS)
        for player, zone in enumerate(self.zones):
            if popcount(zone) < DROPS + shared:
                given = f"map is {self.map!r}"
                if self.home_rows is not None:
                    given = f"home_rows is {self.home_rows!r} with map {self.map!r}"
                left = f"that leaves player_{player} {popcount(zone)} squares to drop on"
                raise ValueError(f"{given}: {left}; at least {DROPS + shared} must stay free")

    @cached_property
    def board(self) -> Board:
        return square(self.board_size)

    @cached_property
    def coloured(self) -> int:
        """The coloured squares."""
        assert self.map is not None
        return self.board.word(_named_maps(self.board)[self.map] if isinstance(self.map, str) else self.map)

    @cached_property
    def zones(self) -> tuple[int, int]:
        """For each player the squares to drop on."""
        n = self.board_size
        rows = n if self.home_rows is None else self.home_rows
        first, last = self.board.word(range(n * rows)), self.board.word(range(n * (n - rows), n * n))
        return first & ~self.coloured, last & ~self.coloured

    @property
    def chance_draws(self) -> tuple[tuple[str, ...], ...]:
        """Rule 1: player_0's pieces, then player_1's."""
        return ((*TYPES,),) * 2 * _DEALT if self.hand == "random" else ()

    @cached_property
    def action_layout(self) -> PairLayout:
        cells = len(self.board)
        return PairLayout((cells,) * 13, cells, sets=5, most=DROPS)

    @cached_property
    def own_plane_names(self) -> tuple[str, ...]:
        sides = [f"{whose} {letter}" for whose in ("own", "opponent's") for letter in TYPES]
        hands = [f"{whose} {letter} in hand" for whose in ("own", "opponent's") for letter in TYPES]
        if self.hand == "free":
            hands = ["own drops left", "opponent's drops left"]
        return (*sides, "coloured squares", "movement phase", *hands, "actions since the last capture")

    @cached_property
    def count_bounds(self) -> tuple[int, ...]:
        hands = (DROPS,) * 2 if self.hand == "free" else (10,) * 10
        return (*hands, self.quiet_limit)

    @cached_property
    def constants(self) -> Both:
        return _constants(self)

    @cached_property
    def back(self) -> tuple[tuple[tuple[int, Shift], ...], ...]:
        """By type and direction: from squares to go to, by the columns passed (plus 2), to the cells from which a piece goes."""
        return tuple(tuple((c + 2, self.board.shift_by((-r, -c))) for r, c in offsets) for offsets in OFFSETS)

    def by_columns(self, squares: Word) -> Words:
        """The squares that a step of -2, -1, 0, 1, 2 columns can lead to."""
        c = self.constants.of(squares)
        return (squares & c.after[0], squares & c.after[1], squares, squares & c.after[2], squares & c.after[3])

    # ------------------------------------------------------------------------------------------------------- rules

    def deal(self, seed: Word) -> State:
        """Rule 1: for each player an O and nine pieces, each of them of any type with equal chance."""
        if not self.has_chance:
            return super().deal(seed)
        first = mix(seed)
        return self.placement(_dealt(first), _dealt(mix(first)))

    def start_of_draws(self, outcomes: Sequence[int]) -> State:
        if not self.has_chance:
            return super().start_of_draws(outcomes)
        pieces = "".join(TYPES[outcome] for outcome in outcomes)
        return self.placement(_packed("O" + pieces[:_DEALT]), _packed("O" + pieces[_DEALT:]))

    def start(self) -> State:
        hands = tuple(self.hand) if self.hand != "free" else (10 * TYPES, 10 * TYPES)
        return self.placement(_packed(hands[0]), _packed(hands[1]))

    def placement(self, hand: Word, opp_hand: Word) -> State:
        """The empty board."""
        none = none_set(hand)
        nothing = (none, none, none, none, none)
        return self.judge(hand, opp_hand, nothing, nothing, none, none, none)

    def advance(self, state: State, action: Word) -> State:
        hand, opp_hand, (x, a, h, z, o), (ox, oa, oh, oz, oo), drops, quiet, player, _, _ = state
        c = self.constants.of(hand)
        start, beyond, price, to_x, to_a, to_h, to_z, to_o = c.effects[action]
        own, opp = (x, a, h, z, o), (ox, oa, oh, oz, oo)

        # rule 3: the piece on `start` goes to `target`, where it captures; an own piece there goes on to `beyond`: that is
        # O's push, and with beyond = start a swap
        goes = tuple(nonzero(piece & start) for piece in own)
        target = goes[0] & to_x | goes[1] & to_a | goes[2] & to_h | goes[3] & to_z | goes[4] & to_o
        captured = (ox | oa | oh | oz | oo) & target
        path, pushed = start | target, target | beyond
        moved = tuple(own[t] ^ path & goes[t] ^ pushed & nonzero(own[t] & target) for t in range(5))
        left = tuple(piece ^ piece & target for piece in opp)

        # rule 2: a piece of the hand is dropped
        moving = equal(drops, c.all_drops)
        if some(complement(moving)):
            moved = tuple(moved[t] | start & nonzero(price & c.hands[t]) for t in range(5))
            drops = drops + (complement(moving) & 1)
        # and when both have dropped seven, the rest of the hands is out of the game
        placing = complement(equal(drops, c.all_drops))
        quiet = (quiet + 1) & moving & zero(captured)
        return self.judge(opp_hand & placing, hand - price & placing, left, moved, drops, quiet, player ^ 1)

    def judge(self, hand: Word, opp_hand: Word, own: Words, opp: Words, drops: Word, quiet: Word, player: Word) -> State:
        """A position with its outcome and its legal actions."""
        c = self.constants.of(hand)
        x, a, h, z, o = own
        ox, oa, oh, oz, oo = opp
        mine: Word = x | a | h | z | o
        theirs: Word = ox | oa | oh | oz | oo
        empty = mine ^ theirs ^ c.full
        moving = equal(drops, c.all_drops)
        none = none_set(hand)
        put, take, swap, outcome = (none,) * 5, (none,) * 8, (none,) * 5, none
        if some(complement(moving)):
            put = self.drops_to(hand, empty & complement(moving), player)
        if some(moving):
            take, swap, outcome = self.moves_of(own, opp, mine, theirs, empty, quiet, player, moving)
        return State(hand, opp_hand, own, opp, drops, quiet, player, outcome, (*put, *take, *swap))

    def moves_of(
        self, own: Words, opp: Words, mine: Word, theirs: Word, empty: Word, quiet: Word, player: Word, moving: Word
    ) -> tuple[Words, Words, Word]:
        """Rules 3 to 5, where ``moving`` -> the pieces to move by direction, the pieces to swap by type, the outcome."""
        x, a, h, z, o = own
        ox, _, _, _, oo = opp
        pieces = (x & moving, a & moving, h & moving, z & moving, o & moving)
        take = self.steps_from(pieces, mine, empty, empty | theirs & complement(ox), empty | theirs)
        stuck = zero(take[0] | take[1] | take[2] | take[3] | take[4] | take[5] | take[6] | take[7]) & moving
        swap = pieces
        if not self.swaps:
            swap = tuple(word & 0 for word in pieces)
        elif some(stuck):
            # no swap either: all pieces are of one type
            two = (mine ^ x) & nonzero(x) | (mine ^ a) & nonzero(a) | (mine ^ h) & nonzero(h) | (mine ^ z) & nonzero(z)
            stuck = stuck & zero(two)
        outcome = self.ending(x, o, ox, oo, mine, theirs, stuck, quiet, player) & moving
        running = zero(outcome)
        return tuple(word & running for word in take), tuple(word & running for word in swap), outcome

    def drops_to(self, hand: Word, empty: Word, player: Word) -> Words:
        """Rule 2: the squares to drop a piece of each type on."""
        c = self.constants.of(hand)
        free = empty & c.zones[0]
        if self.home_rows is not None:
            free = empty & select(nonzero(player), c.zones[1], c.zones[0])
        return tuple(free & nonzero(hand & held) for held in c.hands)

    def steps_from(self, own: Words, mine: Word, empty: Word, prey: Word, free: Word) -> Words:
        """Rule 3: for every direction the pieces to move.

        prey: what A, H and Z may go to; free: what O may go to (X can be captured by O only); X captures nothing.
        """
        x, a, h, z, o = own
        empty_to, prey_to, free_to = self.by_columns(empty), self.by_columns(prey), self.by_columns(free)
        mine_to = self.by_columns(mine)
        from_x = tuple(x & back.along(empty_to[k]) for k, back in self.back[0])
        from_a = tuple(a & back.along(prey_to[k]) for k, back in self.back[1])
        from_h = tuple(h & back.along(prey_to[k]) for k, back in self.back[2])
        from_z = tuple(z & back.along(prey_to[k]) for k, back in self.back[3])
        # O, onto an own piece too if the square beyond that is empty: the piece is pushed
        from_o = tuple(o & back.along(free_to[k] | mine_to[k] & back.along(empty_to[k])) for k, back in self.back[4])
        first = tuple(from_x[d] | from_a[d] | from_h[d] | from_z[d] | from_o[d] for d in range(4))
        return (*first, *tuple(from_x[d] | from_a[d] for d in range(4, 8)))

    def ending(
        self, x: Word, o: Word, ox: Word, oo: Word, mine: Word, theirs: Word, stuck: Word, quiet: Word, player: Word
    ) -> Word:
        """Rules 4 and 5, for the movement phase -> the outcome. The player to act owns x, o, mine; the mover ox, oo, theirs."""
        c = self.constants.of(x)
        wins, loses = winner(player), winner(player ^ 1)
        outcome = equal(quiet, c.quiet_limit) & DRAW  # 5
        if some(stuck):
            outcome = select(stuck, loses, outcome)  # 4c
        by_x = zero(o | oo) & nonzero(x | ox)
        if some(by_x):  # 4b
            # more X, then more pieces
            rank, other_rank = popcount(x) << 3 | popcount(mine), popcount(ox) << 3 | popcount(theirs)
            only_x = zero(mine ^ x | theirs ^ ox)
            level = select(only_x, DRAW | x & 0, outcome)
            more = select(less(other_rank, rank), wins, select(less(rank, other_rank), loses, level))
            outcome = select(by_x, more, outcome)
        return select(zero(mine), loses, outcome)  # 4a

    # -------------------------------------------------------------------------------------- actions and observations

    def planes(self, state: State, own: Word) -> Sequence[Word]:
        c = self.constants.of(state.hand)
        x, a, h, z, o = state.own
        ox, oa, oh, oz, oo = state.opp
        mine = (select(own, x, ox), select(own, a, oa), select(own, h, oh), select(own, z, oz), select(own, o, oo))
        theirs = (select(own, ox, x), select(own, oa, a), select(own, oh, h), select(own, oz, z), select(own, oo, o))
        return (*mine, *theirs, state.hand & 0 | c.coloured, equal(state.drops, c.all_drops) & c.full)

    def counts(self, state: State, own: Word) -> Sequence[Word]:
        if self.hand == "free":
            # the player to act has dropped half, the other perhaps one more
            left, opp_left = DROPS - (state.drops >> 1), DROPS - (state.drops + 1 >> 1)
            return select(own, left, opp_left), select(own, opp_left, left), state.quiet
        mine, theirs = select(own, state.hand, state.opp_hand), select(own, state.opp_hand, state.hand)
        left = tuple(mine >> 4 * t & 15 for t in range(5))
        opp_left = tuple(theirs >> 4 * t & 15 for t in range(5))
        return (*left, *opp_left, state.quiet)

    def material(self, state: State) -> tuple[Word, Word]:
        """Pieces on the board in the movement phase; while all drop in turns nobody is ahead."""
        moving = equal(state.drops, self.constants.of(state.drops).all_drops)
        x, a, h, z, o = state.own
        ox, oa, oh, oz, oo = state.opp
        return popcount(x | a | h | z | o) & moving, popcount(ox | oa | oh | oz | oo) & moving

    def action_text(self, state: State, action: int) -> str:
        names, cells = self.board.names, len(self.board)
        if action >= 13 * cells:
            low, high = self.action_layout.pairs[action - 13 * cells]
            return f"{names[low]}={names[high]}"
        kind, cell = divmod(action, cells)
        if kind < 5:
            return f"{TYPES[kind]}@{names[cell]}"
        to = self.board.step(cell, OFFSETS[_type_on(state, cell)][kind - 5])
        assert to is not None
        return f"{names[cell]}-{names[to]}"

    def action_index(self, state: State, text: str) -> int:
        board, cells = self.board, len(self.board)
        cells_are = f"types {TYPES}, cells {board.names[0]} to {board.names[-1]}"
        form = f"{text!r} is no action: actions are 'X@c3', 'b2-c3' and 'b2=d5' ({cells_are}"
        sign = next((sign for sign in "@-=" if sign in text), "")
        left, _, right = text.partition(sign) if sign else (text, "", "")
        if right not in board or left not in (TYPES if sign == "@" else board) or len(left) != 1 + (sign != "@"):
            raise ValueError(f"{form})")
        to = board.index(right)
        if sign == "@":
            return TYPES.index(left) * cells + to
        cell = board.index(left)
        if sign == "=":
            if cell >= to:
                raise ValueError(f"{form}, the lower one first)")
            return self.action_layout.rank(cell, to)
        (row, column), (to_row, to_column) = board.cells[cell], board.cells[to]
        offset = to_row - row, to_column - column
        offsets = OFFSETS[_type_on(state, cell)]
        if offset not in offsets:
            raise ValueError(f"{text!r} is not legal: that is no square the piece on {left} can go to")
        return cells * (5 + offsets.index(offset)) + cell

    # ------------------------------------------------------------------------------------------------ position text

    def to_string(self, state: State) -> str:
        check_one(state)
        n = self.board_size
        white, black = (state.own, state.opp) if state.player == 0 else (state.opp, state.own)
        symbols = [EMPTY] * n * n
        for words, letters in ((white, TYPES), (black, TYPES.lower())):
            for word, letter in zip(words, letters, strict=True):
                for i in bit_indices(word):
                    symbols[i] = letter
        rows = write_rows([symbols[n * i : n * (i + 1)] for i in reversed(range(n))])
        if self.hand == "free":
            hands = f"{state.drops + 1 >> 1}/{state.drops >> 1}"
        else:
            first, second = (state.hand, state.opp_hand) if state.player == 0 else (state.opp_hand, state.hand)
            hands = f"{_letters(first) or '-'}/{_letters(second).lower() or '-'}"
        return f"{rows} {'wb'[state.player]} {hands} {state.quiet}"

    def from_string(self, text: str) -> State:
        n = self.board_size
        rows, side, hands, quiet_text = split_fields(text, ("rows", "side", "hands", "quiet"))
        lines = read_rows("rows", rows, [n] * n, TYPES + TYPES.lower())
        symbols = [symbol for line in reversed(lines) for symbol in line]
        white, black = (
            tuple(self.board.word(i for i, s in enumerate(symbols) if s == letter) for letter in letters)
            for letters in (TYPES, TYPES.lower())
        )
        on_board = [_pieces(white), _pieces(black)]
        for player, pieces in enumerate(on_board):
            if len(pieces) > DROPS:
                raise ValueError(f"rows {rows!r}: player_{player} has {len(pieces)} pieces; there are at most {DROPS}")
        player = choice("side", side, "wb")
        read = self._read_drops(hands, on_board) if self.hand == "free" else self._read_hands(hands, on_board)
        quiet = number("quiet", quiet_text, 0, self.quiet_limit if read is None else 0)
        if read is None:
            held, drops = [0, 0], 2 * DROPS
        else:
            held, drops = read, len(on_board[0]) + len(on_board[1])
            if len(on_board[0]) - len(on_board[1]) not in (0, 1):
                raise ValueError(f"hands is {hands!r}: the players drop in turns, so player_0 has dropped as many or one more")
            if player != drops % 2:
                raise ValueError(f"side is {side!r}; after {drops} drops it is {'wb'[drops % 2]!r}")
            for words, zone in zip((white, black), self.zones, strict=True):
                if outside := sum(words) & ~zone:
                    names = ", ".join(self.board.names[i] for i in bit_indices(outside))
                    raise ValueError(f"rows {rows!r}: in placement no piece can stand on {names}, where its player cannot drop")
        if player:
            return self.judge(held[1], held[0], black, white, drops, quiet, player)
        return self.judge(held[0], held[1], white, black, drops, quiet, player)

    def _read_hands(self, text: str, on_board: list[str]) -> list[int] | None:
        """``XAO../xho..`` -> both hands; None in the movement phase, ``-/-``."""
        if text == "-/-":
            return None
        hands = text.split("/")
        if len(hands) != 2:
            raise ValueError(f"hands is {text!r}; it is two hands, as in 'XAAHZO/xxhzoo', or '-/-' in the movement phase")
        found: list[int] = []
        for player, (hand, letters) in enumerate(zip(hands, (TYPES, TYPES.lower()), strict=True)):
            if list(hand) != sorted(hand, key=letters.find) or not set(hand) <= set(letters):
                raise ValueError(f"hands is {text!r}; a hand of player_{player} is letters in the order {letters}")
            if len(hand) + len(on_board[player]) != 10:
                dropped = len(on_board[player])
                left = f"so {10 - dropped} are left, not {len(hand)}"
                raise ValueError(f"hands is {text!r}: player_{player} has dropped {dropped}, {left}")
            dealt = _sorted(on_board[player] + hand.upper())
            if self.hand == "random" and "O" not in dealt:
                raise ValueError(f"hands is {text!r}: player_{player} was dealt no O; everybody is dealt at least one")
            if isinstance(self.hand, tuple) and dealt != self.hand[player]:
                raise ValueError(f"hands is {text!r}: player_{player} was dealt {self.hand[player]} in this game, not {dealt}")
            found.append(_packed(hand.upper()))
        if all(len(pieces) == DROPS for pieces in on_board):
            raise ValueError(f"hands is {text!r}; when both have dropped {DROPS} it is '-/-'")
        return found

    def _read_drops(self, text: str, on_board: list[str]) -> list[int] | None:
        """``3/2``, drops made by each -> what is left of both hands; None in the movement phase, ``7/7``."""
        if text == f"{DROPS}/{DROPS}":
            return None
        first, sign, second = text.partition("/")
        made = [number("hands", part, 0, DROPS) for part in (first, second)] if sign else []
        if made != [len(pieces) for pieces in on_board]:
            here = f"{len(on_board[0])}/{len(on_board[1])}"
            raise ValueError(f"hands is {text!r}; in placement it is how many each player has dropped, here {here!r}")
        return [_packed(10 * TYPES) - _packed(pieces) for pieces in on_board]

    @cached_property
    def key_layout(self) -> Layout:
        return Layout((len(self.board),) * 10 + (20, 20, 4, 7, 1))

    def key_words(self, state: State) -> Sequence[Word]:
        return (*state.own, *state.opp, state.hand, state.opp_hand, state.drops, state.quiet, state.player)

    # --------------------------------------------------------------------------------------------------- symmetries

    def make_symmetries(self) -> Iterable[Symmetry]:
        names = (
            "identity",
            "quarter turn",
            "half turn",
            "three-quarter turn",
            "reflection in the diagonal a1",
            "reflection left to right",
            "reflection in the other diagonal",
            "reflection top to bottom",
        )
        n, rows = self.board_size, self.home_rows or self.board_size
        zones = [self.board.word(range(n * rows)), self.board.word(range(n * (n - rows), n * n))]
        for exchanges in (False, True):
            for name, image in zip(names, self.board.maps, strict=True):
                if permute(self.coloured, image) == self.coloured and permute(zones[0], image) in zones:
                    players = ", players exchanged" if exchanges else ""
                    yield Symmetry(self, name + players, image, self._action_images(image), exchanges=exchanges)

    def _action_images(self, image: Sequence[int]) -> list[list[int]]:
        """Where a map of the board carries the actions, if the pieces that move are of each type."""
        board, cells = self.board, len(self.board)
        centre = cells // 2
        pairs = [self.action_layout.rank(*sorted((image[low], image[high]))) for low, high in self.action_layout.pairs]
        found: list[list[int]] = []
        for offsets in OFFSETS:
            turned: list[int] = []
            for offset in offsets:
                to = board.step(centre, offset)
                assert to is not None
                (r, c), (row, column) = board.cells[image[to]], board.cells[centre]
                turned.append(offsets.index((r - row, c - column)))
            kinds = [*range(5), *(5 + d for d in turned), *range(5 + len(offsets), 13)]
            found.append([cells * kind + cell for kind in kinds for cell in image] + pairs)
        return found

    def action_kinds(self, state: State) -> NDArray[np.int64]:
        """For every move the type of the piece that makes it (0 where there is none), for other actions 0."""
        cells = len(self.board)
        planes = Layout((cells,) * 5).unpack(state.own)
        types = planes.reshape(*planes.shape[:-1], 5, cells).argmax(axis=-2)
        none = np.zeros((*types.shape[:-1], 5 * cells), np.int64)
        pairs = np.zeros((*types.shape[:-1], len(self.action_layout.pairs)), np.int64)
        return np.concatenate([none, *[types] * 8, pairs], axis=-1)

    def symmetry_applies(self, symmetry: Symmetry, state: State) -> Any:
        """player_0 drops first, and in its zone: so in placement only what neither exchanges the players nor the zones."""
        turns_zones = permute(self.zones[0], symmetry.cells.tolist()) != self.zones[0]
        if not symmetry.exchanges and not turns_zones:
            return self.as_bools(state, ALL)
        return self.as_bools(state, equal(state.drops, self.constants.of(state.drops).all_drops))

    def transform(self, symmetry: Symmetry, state: State) -> State:
        image: list[int] = symmetry.cells.tolist()
        own, opp = (tuple(permute(word, image) for word in side) for side in (state.own, state.opp))
        player = state.player ^ 1 if symmetry.exchanges else state.player
        return self.judge(state.hand, state.opp_hand, own, opp, state.drops, state.quiet, player)


# ---------------------------------------------------------------------------------------------------------------- options


def _named_maps(board: Board) -> dict[str, list[int]]:
    """The coloured squares of the maps that a board of this size has."""
    n, cells = board.shape[0], range(len(board))
    away = [(abs(r - n // 2), abs(c - n // 2)) for r, c in board.cells]
    if n == 7:
        return {"ring": [i for i in cells if max(away[i]) <= 1], "open": []}
    return {"cross": [i for i in cells if sum(away[i]) <= 1], "open": []}


def _read_map(value: object, board: Board, maps: dict[str, list[int]]) -> str | tuple[str, ...]:
    """A map by name if it has one, else as its coloured squares in order; ValueError that says what is allowed."""
    allowed = f"it is {', '.join(map(repr, maps))} on this board, None ({next(iter(maps))!r}), or names of coloured squares"
    if value is None:
        return next(iter(maps))
    if isinstance(value, str):
        if value not in maps:
            raise ValueError(f"map is {value!r}; {allowed}")
        return value
    names: list[Any] = _listed(value) if isinstance(value, Iterable) else [None]
    for name in names:
        if not isinstance(name, str) or name not in board:
            raise ValueError(f"map is {value!r}; {allowed}, {board.names[0]} to {board.names[-1]}")
    cells = sorted({board.index(name) for name in names})
    return next((name for name, coloured in maps.items() if coloured == cells), tuple(board.names[i] for i in cells))


def _read_hand(value: object) -> str | tuple[str, str]:
    """Either "random", "free", or two hands with their letters in order; ValueError that says what is allowed."""
    if isinstance(value, str) and value in ("random", "free"):
        return value
    hands = [] if isinstance(value, str) else _listed(value)
    if len(hands) != 2 or not all(isinstance(h, str) and len(h) == 10 and set(h) <= set(TYPES) and "O" in h for h in hands):
        allowed = f"'random', 'free', or two texts of ten letters {TYPES}, each with at least one O"
        raise ValueError(f"hand is {value!r}; it is {allowed}")
    return _sorted(hands[0]), _sorted(hands[1])


def _listed(value: Any) -> list[Any]:
    try:
        return list(value)
    except TypeError:
        return []


# ------------------------------------------------------------------------------------------------------------------ hands


def _sorted(pieces: str) -> str:
    return "".join(sorted(pieces, key=TYPES.index))


def _packed(pieces: str) -> int:
    """Letters as a hand."""
    return sum(1 << 4 * TYPES.index(letter) for letter in pieces)


def _letters(hand: int) -> str:
    return "".join(letter * (hand >> 4 * t & 15) for t, letter in enumerate(TYPES))


def _pieces(words: Words) -> str:
    """The letters of pieces on the board."""
    return "".join(letter * popcount(word) for letter, word in zip(TYPES, words, strict=True))


# entry k: the hand of five pieces whose types are the digits of k in base 5
_FIVE_PIECES = Table(sum(1 << 4 * t for t in types) for types in product(range(5), repeat=5))
_HANDS = 5**_DEALT


def _dealt(random: Word) -> Word:
    """A hand from 64 random bits: an O and nine pieces (of 5**9 ways, each by the same chance to within 2**-21)."""
    ways = (random >> 21) * _HANDS >> 43
    # five pieces from the upper five digits; four from the lower four, whose leading zero stands for an X too many
    upper, lower = ways // 5**4, ways % 5**4
    return _FIVE_PIECES[as_index(upper)] + _FIVE_PIECES[as_index(lower)] - 1 + (1 << 16)


# ----------------------------------------------------------------------------------------------------------------- tables


def _constants(game: Xahzo) -> Both:
    """What each action does, and sets of cells."""
    board, cells = game.board, range(len(game.board))
    bits, none = [1 << i for i in cells], [0] * len(board)
    low, high = ([1 << pair[k] for pair in combinations(cells, 2)] for k in (0, 1))

    def at(offset: Cell, times: int = 1) -> list[int]:
        ahead = [board.step(i, (times * offset[0], times * offset[1])) for i in cells]
        return [0 if to is None else 1 << to for to in ahead]

    def targets(t: int) -> list[int]:
        moves = [bit for offset in OFFSETS[t] for bit in at(offset)]
        return none * 5 + moves + none * (8 - len(OFFSETS[t])) + high

    return Both(
        effects=Tables(
            bits * 13 + low,  # the cell to drop on, or of the piece that goes; of a swap the lower
            none * 5 + [bit for offset in OFFSETS[4] for bit in at(offset, 2)] + none * 4 + low,  # where a pushed piece goes
            [1 << 4 * t for t in range(5) for _ in cells] + none * 8 + [0] * len(low),  # what a drop takes out of the hand
            *(targets(t) for t in range(5)),  # where the piece goes, by its type
        ),
        after=tuple(board.word(i for i, (_, j) in enumerate(board.cells) if 0 <= j - c < board.shape[1]) for c in (-2, -1, 1, 2)),
        hands=tuple(15 << 4 * t for t in range(5)),
        zones=game.zones,
        full=board.full,
        coloured=game.coloured,
        all_drops=2 * DROPS,
        quiet_limit=game.quiet_limit,
    )


def _type_on(state: State, cell: int) -> int:
    """The type of the piece of the player to act on a cell; ValueError where there is none."""
    for t, word in enumerate(state.own):
        if word >> cell & 1:
            return t
    raise ValueError("the move is not legal: the player to act has no piece there")
