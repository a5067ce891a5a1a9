"""Fano330-R-Morris: state, tables and rules. Rule numbers are those of docs/games/fano330.md.

A position is one word of eight lanes of 7 bits, seen by the player to move; point p is bit p - 1 of a lane:

    lane   0            1              2                 3                   4 .. 7
           own round    own triangle   opponent's round  opp.'s triangle     the same four, covered by another piece
           `------------------- on top of their points ----------------'

So one text of the rules serves both colours, and the eight lanes are eight planes of the observation. White is player 0.

Actions:   0 .. 13                        14 .. 43
           7 * shape + (point - 1)        14 + rank of (from, to) among the neighbour pairs; round is shape 0
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
    Table,
    Tables,
    Word,
    as_index,
    complement,
    equal,
    less,
    none_set,
    nonzero,
    permute,
    popcount,
    select,
    set_of,
    some,
    zero,
)
from abstract_envs.core.board import Board, points
from abstract_envs.core.game import DRAW, Game, check_one, winner
from abstract_envs.core.history import Past, PastBatch, occurrences
from abstract_envs.core.options import whole_number
from abstract_envs.core.positions import Positions
from abstract_envs.core.symmetry import Symmetry
from abstract_envs.core.text import choice, number, split_fields

__all__ = ["LINES", "Fano330", "State"]

NAMES = ("1", "2", "3", "4", "5", "6", "7")
LINES = ("124", "235", "346", "457", "561", "672", "713")
NEIGHBOURS = ("24567", "13457", "247", "12367", "127", "147", "123456")
PAIRS = [(a, NAMES.index(to)) for a, near in enumerate(NEIGHBOURS) for to in near]
"""(from, to) of the moves, counted from 0, in the order of their indices."""
LETTERS = ("OTot", "otOT")
"""Letters of lanes 0 to 3, for White and for Black to move."""
LANE = 127


def lanes(*which: int) -> int:
    """The word of all points in some lanes."""
    return set_of(7 * lane + point for lane in which for point in range(7))


def column(point: int) -> int:
    """The word of one point in the lanes of top pieces."""
    return set_of(7 * lane + point for lane in range(4))


def moves_where(end: int) -> Table:
    """For every set of points the moves of which the start (``end`` 0) or the goal (1) is one of them."""
    return Table(set_of(14 + k for k, pair in enumerate(PAIRS) if points >> pair[end] & 1) for points in range(128))


def allowed_by(shape: int) -> Table:
    """For every set of points that hold a player's pieces of a shape the actions allowed by these alone: placements until both
    are on the board, and after that no more of this shape.
    """
    every, moves, this = (1 << 44) - 1, ALL_MOVES, LANE << 7 * shape
    return Table(every ^ (this if points.bit_count() > 1 else moves) for points in range(128))


ALL_MOVES = (1 << 44) - (1 << 14)
LEAVING, ENTERING = moves_where(0), moves_where(1)
WITH_ROUND, WITH_TRIANGULAR = allowed_by(0), allowed_by(1)
# of each action: the piece put on the board, as an own top piece; where a piece is taken from; by how much it is shifted
# down to point 1 and up again; where it goes
EFFECTS = Tables(
    [1 << k for k in range(14)] + [0] * 30,
    [0] * 14 + [column(a) for a, _ in PAIRS],
    [0] * 14 + [a for a, _ in PAIRS],
    [0] * 14 + [b for _, b in PAIRS],
    [column(k % 7) for k in range(14)] + [column(b) for _, b in PAIRS],
)
CONSTANTS = Both(
    effects=EFFECTS,
    own=lanes(0, 1, 4, 5),
    top=lanes(0, 1, 2, 3),
    lane=lanes(0),
    colours=lanes(0, 2),
    four=lanes(0, 2, 4, 6),
    one=1,
    three=3,
    lane_1=7,
    lane_2=14,
    lane_3=21,
    lane_4=28,
    lane_5=35,
    lane_6=42,
)


class State(NamedTuple):
    """One game (ints) or a batch (``uint64[B]`` each)."""

    board: Word
    """Eight lanes, see above."""
    player: Word
    outcome: Word
    count: Word
    """How often the position has occurred, itself counted."""
    past: Past | PastBatch
    """Earlier boards, of the movement phase only: placements cannot come again. Empty when the game has ended."""
    legal: tuple[Word, ...]
    """One word of 44 actions."""


@dataclass(frozen=True, kw_only=True)
class Fano330(Game[State]):
    """The game of Fano330-R-Morris (Masahiro Nakajima, 2015).

    repetition_limit: as many occurrences of a position are a draw; 2 to 100.
    """

    repetition_limit: int = 3

    name: ClassVar[str] = "fano330"
    default_max_plies: ClassVar[int | None] = 300

    def __post_init__(self) -> None:
        object.__setattr__(self, "repetition_limit", whole_number("repetition_limit", self.repetition_limit, 2, 100))

    @cached_property
    def board(self) -> Board:
        return points(NAMES, NEIGHBOURS, LINES)

    @cached_property
    def action_layout(self) -> Layout:
        return Layout((44,))

    @cached_property
    def own_plane_names(self) -> tuple[str, ...]:
        kinds = ("own round pieces", "own triangular pieces", "opponent's round pieces", "opponent's triangular pieces")
        return (*(f"{kind} on top" for kind in kinds), *(f"{kind}, covered" for kind in kinds), "placement phase")

    @cached_property
    def plane_sizes(self) -> tuple[int, ...]:
        return 56, 7

    # ------------------------------------------------------------------------------------------------------- rules

    def start(self) -> State:
        return self.judge(0, 0, 1, Past())

    def advance(self, state: State, action: Word) -> State:
        board = self.turned(self.played(state.board, action))
        # rule 5; a placement cannot be repeated, so the placement phase needs no history
        past, count, moving = state.past, none_set(board) | 1, self.all_placed(state.board)
        if some(moving):
            past = past.push(state.board, moving)
            count = occurrences(past, board)
        return self.judge(board, state.player ^ 1, count, past)

    def played(self, board: Word, action: Word) -> Word:
        """Rules 1 and 2: a new piece, or the top piece of a point, is put on top of a point."""
        c = CONSTANTS.of(board)
        piece, start, down, up, goal = c.effects[action]
        moved = board & start
        uncovered = board >> c.lane_4 & start
        board = board ^ moved ^ uncovered ^ uncovered << c.lane_4
        covered = board & goal
        return board ^ covered | covered << c.lane_4 | moved >> down << up | piece

    def turned(self, board: Word) -> Word:
        """The board as the other player sees it."""
        c = CONSTANTS.of(board)
        return board >> c.lane_2 & c.own | (board & c.own) << c.lane_2

    def lined(self, board: Word) -> Word:
        """Rule 3: all ones where three top pieces of one colour, or of one shape, are in line.

        The lines are {k, k+1, k+3} with points counted round: in a lane laid down twice they are three bits apart so.
        """
        c = CONSTANTS.of(board)
        top = board & c.top
        colours = (top | top >> c.lane_1) & c.colours  # in lanes 0 and 2
        shapes = top | top >> c.lane_2  # in lanes 0 and 1
        four = colours | (shapes & c.lane) << c.lane_4 | (shapes >> c.lane_1 & c.lane) << c.lane_6
        twice = four | four << c.lane_1
        return nonzero(twice & twice >> c.one & twice >> c.three & c.four)

    def actions(self, board: Word) -> Word:
        """Rules 1 and 2: the legal actions of the player to move, if the game goes on."""
        c = CONSTANTS.of(board)
        covered = board >> c.lane_4
        full = covered | covered >> c.lane_2
        full = full | full >> c.lane_1
        round_, triangular = board & c.lane, board >> c.lane_1 & c.lane
        room_round, room_triangular = (full | round_) & c.lane ^ c.lane, (full | triangular) & c.lane ^ c.lane
        place = room_round | room_triangular << c.lane_1
        move = LEAVING[as_index(round_)] & ENTERING[as_index(room_round)]
        move = move | LEAVING[as_index(triangular)] & ENTERING[as_index(room_triangular)]
        rounds, triangles = (board | covered) & c.lane, (board | covered) >> c.lane_1 & c.lane
        return (place | move) & WITH_ROUND[as_index(rounds)] & WITH_TRIANGULAR[as_index(triangles)]

    def all_placed(self, board: Word) -> Word:
        """All ones in the movement phase."""
        return equal(popcount(board), 8)

    def judge(self, board: Word, player: Word, count: Word, past: Any) -> State:
        """A position with its outcome and its legal actions; ``count`` and ``past`` are known."""
        legal = self.actions(board)
        lined = self.lined(board)
        drawn = complement(less(count, self.repetition_limit))
        over = lined | drawn | zero(legal)
        outcome = none_set(board)
        if some(over):
            # rule 3: the player to move has won; rule 4: the other has
            outcome = winner(player ^ 1 ^ lined & 1) & over
            if some(drawn):  # rule 5, looked at between these
                outcome = select(drawn & complement(lined), DRAW, outcome)
            legal = legal & complement(over)
            past = past.kept(complement(over))
        return State(board, player, outcome, count, past, (legal,))

    def positions(self) -> Positions:
        from abstract_envs.games.fano330.positions import Fano330Positions  # which needs this module

        return Fano330Positions(self)

    # -------------------------------------------------------------------------------------- actions and observations

    def planes(self, state: State, own: Word) -> Sequence[Word]:
        board = state.board if type(own) is int and own else select(own, state.board, self.turned(state.board))
        return board, complement(self.all_placed(state.board)) & LANE

    def action_text(self, state: State, action: int) -> str:
        if action < 14:
            return "ot"[action // 7] + NAMES[action % 7]
        start, goal = PAIRS[action - 14]
        return f"{NAMES[start]}-{NAMES[goal]}"

    def action_index(self, state: State, text: str) -> int:
        if len(text) == 2 and text[0] in "ot" and text[1] in NAMES:
            return 7 * "ot".index(text[0]) + NAMES.index(text[1])
        start, dash, goal = text.partition("-")
        if not dash or start not in NAMES or goal not in NAMES:
            raise ValueError(
                f"{text!r} is no action: actions are 'o3', 't3' (put a round, a triangular piece) and '1-4', with points 1 to 7"
            )
        pair = NAMES.index(start), NAMES.index(goal)
        if pair not in PAIRS:
            raise ValueError(f"{text!r} is no action: {goal} is no neighbour of {start}")
        return 14 + PAIRS.index(pair)

    # ------------------------------------------------------------------------------------------------ position text

    def to_string(self, state: State) -> str:
        check_one(state)
        letters = LETTERS[int(state.player)]
        stacks: list[str] = []
        for point in range(7):
            pieces = [letters[lane % 4] for lane in (4, 5, 6, 7, 0, 1, 2, 3) if state.board >> 7 * lane + point & 1]
            stacks.append("".join(pieces) or "-")
        return f"{'/'.join(stacks)} {'wb'[state.player]} {state.count}"

    def from_string(self, text: str) -> State:
        field, side, counts = split_fields(text, ("points", "side", "counts"))
        stacks = field.split("/")
        if len(stacks) != 7:
            raise ValueError(f"points {field!r} are {len(stacks)}; there are 7, separated by '/'")
        player = choice("side", side, "wb")
        board = 0
        for point, stack in enumerate(stacks):
            board |= self._read_stack(field, point, stack, LETTERS[player])
        pieces = {letter: field.count(letter) for letter in "OTot"}
        for letter, count in pieces.items():
            if count > 2:
                raise ValueError(f"points {field!r} hold {count} pieces {letter!r}; a player has two of each shape")
        white, black = pieces["O"] + pieces["T"], pieces["o"] + pieces["t"]
        if not (white == black == 4 or white - black == player):
            raise ValueError(
                f"side is {side!r}, but White has placed {white} pieces and Black {black}: until all are on the board, "
                "equally many where White is to move, and White one more where Black is"
            )
        count = number("counts", counts, 1, self.repetition_limit)
        # the earlier occurrences, two plies apart; what lay between them is not known, and nothing equals it
        past = Past((board, _UNKNOWN) * (count - 1)) if white + black == 8 else Past()
        return self.judge(board, player, count, past)

    def _read_stack(self, field: str, point: int, stack: str, letters: str) -> int:
        """The pieces of one point as a board."""
        where = f"points {field!r}: {stack!r} on point {point + 1}"
        if stack == "-":
            return 0
        if not stack or any(piece not in letters for piece in stack):
            raise ValueError(f"{where}; it is '-', or the pieces O, T (White's), o, t (Black's), bottom first")
        if len(stack) > 2:
            raise ValueError(f"{where} are {len(stack)} pieces; there are at most two on a point")
        if stack[0] == stack[-1] and len(stack) == 2:
            raise ValueError(f"{where} are two pieces of the same colour and shape")
        return set_of(7 * (letters.index(piece) + 4 * depth) + point for depth, piece in enumerate(reversed(stack)))

    @cached_property
    def key_layout(self) -> Layout:
        return Layout((56, 1))

    def key_words(self, state: State) -> Sequence[Word]:
        return state.board, state.player

    # --------------------------------------------------------------------------------------------------- symmetries

    def make_symmetries(self) -> Iterable[Symmetry]:
        for colours in (0, 1):
            for shapes in (0, 1):
                for image in self.board.maps:
                    placements = [7 * (shape ^ shapes) + point for shape in (0, 1) for point in image]
                    moves = [14 + PAIRS.index((image[a], image[b])) for a, b in PAIRS]
                    planes = [*(lane ^ shapes for lane in range(8)), 8, 9, 10]
                    name = "points " + "".join(NAMES[point] for point in image)
                    name += ", shapes exchanged" * shapes + ", colours exchanged" * colours
                    yield Symmetry(self, name, image, placements + moves, planes, exchanges=bool(colours))

    def symmetry_applies(self, symmetry: Symmetry, state: State) -> Any:
        # White begins: with the colours exchanged Black would have placed first
        return self.as_bools(state, self.all_placed(state.board) if symmetry.exchanges else ALL)

    def transform(self, symmetry: Symmetry, state: State) -> State:
        bits = [7 * int(lane) + int(point) for lane in symmetry.planes[:8] for point in symmetry.cells]

        def image(board: Word) -> Word:
            return permute(board, bits)

        # the mover's view of the board is the same with the colours and the sides exchanged
        player = state.player ^ 1 if symmetry.exchanges else state.player
        return self.judge(image(state.board), player, state.count, state.past.mapped(image))


_UNKNOWN = 0
"""In place of a board in a history: the empty board, which nothing leads to."""
