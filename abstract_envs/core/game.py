"""The contract of a game, and all that follows from its rules alone.

A game is a frozen, hashable, picklable record of options. Its functions are pure and take one state or a batch of states:
a *state* is a NamedTuple whose fields are words (see `abstract_envs.core.bits`), tuples of words, or a repetition history
(`abstract_envs.core.history`). The first field is a word and so tells the kind. Every state has the fields ``player``
(0 or 1), ``outcome`` (see below) and ``legal``, the tuple of words that `Game.action_layout` makes the action mask of.

A game gives what is abstract here; the rest is written once, below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cached_property, lru_cache
from types import ModuleType
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstract_envs.core.bits import ALL, Layout, Word, as_index, bit_indices, select, set_of, some, zero
from abstract_envs.core.board import Board
from abstract_envs.core.chance import episode_seed
from abstract_envs.core.history import Past, PastBatch
from abstract_envs.core.onegame import written_out
from abstract_envs.core.options import whole_number
from abstract_envs.core.positions import Positions
from abstract_envs.core.symmetry import Symmetry

__all__ = [
    "DRAW",
    "PLAYER_0_WINS",
    "PLAYER_1_WINS",
    "REWARD_ROWS",
    "RUNNING",
    "Game",
    "Seen",
    "check_game",
    "check_one",
    "check_out",
    "interned",
    "winner",
]

RUNNING, PLAYER_0_WINS, PLAYER_1_WINS, DRAW = range(4)
"""Values of ``state.outcome``."""

_ONE: Word = np.array(1, np.uint64)
_TWO: Word = np.array(2, np.uint64)
_REWARDS = ((0.0, 0.0), (1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))
REWARD_ROWS: Any = np.array(_REWARDS, np.float32)
"""Rewards by outcome: ``float32[4, 2]``."""


class StateFields(Protocol):
    """What every State has."""

    @property
    def player(self) -> Word:
        """The player to act, 0 or 1; of an ended game as its position text says."""
        ...

    @property
    def outcome(self) -> Word:
        """`RUNNING`, `PLAYER_0_WINS`, `PLAYER_1_WINS` or `DRAW`."""
        ...

    @property
    def legal(self) -> tuple[Word, ...]:
        """Words that `Game.action_layout` makes the action mask of; all zero when the game has ended."""
        ...

    def __getitem__(self, field: Any, /) -> Any: ...


S = TypeVar("S", bound=StateFields)


class BatchActions(Protocol):
    """What a `Layout` does with the legal actions of a batch."""

    def pack(self, words: Sequence[Word], /) -> Any:
        """``state.legal`` in a form that the others take."""
        ...

    def spread_rows(self, packed: Any, out: NDArray[np.int8] | None = None, /) -> NDArray[np.int8]:
        """The action mask: ``int8[B, A]``. A fresh array, or ``out``."""
        ...

    def put_rows(self, packed: Any, rows: NDArray[np.int64], others: Any, words: Sequence[Word], /) -> Any:
        """With the games ``rows`` replaced by others, or by one for all; ``words``: what ``state.legal`` is then."""
        ...

    def has_in_rows(self, packed: Any, actions: NDArray[np.int64], /) -> NDArray[np.bool_]:
        """Whether each game's action is legal: ``bool[B]``."""
        ...


class Seen(NamedTuple):
    """What is seen of a batch of states."""

    legal: Any
    """The legal actions, as `BatchActions.pack` packs them."""
    observation: NDArray[np.int8]
    """``[B, P, R, C]``, of the player to act."""
    action_mask: NDArray[np.int8]
    """``[B, A]``"""
    player: NDArray[np.int8]
    """``[B]``, who is to act."""
    over: NDArray[np.bool_]
    """``[B]``, whether the game has ended."""
    rewards: NDArray[np.float32]
    """``[B, 2]``, by player."""


def check_game(game: object) -> None:
    """TypeError for what is no `Game`, such as a game's name, or its module in place of its rules."""
    if isinstance(game, Game):
        return
    if isinstance(game, ModuleType):
        module = game.__name__.rpartition(".")[2]
        raise TypeError(f"game is the module {module}; it is the rules, as {module}.game() gives them")
    raise TypeError(f"game is {game!r}; it is the rules, as the function game() of a game's module gives them")


def check_one(state: Any) -> None:
    """ValueError for a batch in place of one state."""
    if type(state[0]) is not int:
        raise ValueError("state is a batch; one game is meant here, and take(states, i) gives it")


def winner(player: Word) -> Word:
    """The outcome in which a player (word 0 or 1) wins."""
    return player + 1


class Game(ABC, Generic[S]):
    """Base of all games. ``S`` is the game's State."""

    name: ClassVar[str]
    """As in the conformance data and in ``<name>_v0``."""
    default_max_plies: ClassVar[int | None] = None
    """The ply limit of this game's environments unless they are given another; None: no limit."""
    without_chance: ClassVar[Mapping[str, Any]] = {}
    """Of a game that can be dealt at random: an option, with a value, that leaves nothing to chance."""
    writes_in_place: ClassVar[bool] = False
    """Whether `look` and `turn` make observations and masks of a batch on the arrays they are given, and copy nothing there."""

    # ------------------------------------------------------------------------------------------- what a game gives

    @cached_property
    @abstractmethod
    def board(self) -> Board:
        """The cells."""

    @cached_property
    @abstractmethod
    def own_plane_names(self) -> tuple[str, ...]:
        """Names of the planes that `planes` and `counts` fill."""

    @abstractmethod
    def start(self) -> S:
        """The start of a game without chance; where `has_chance`, `deal` is what gives it."""

    @abstractmethod
    def advance(self, state: S, action: Word) -> S:
        """The rules: the state after a legal action of games that have not ended.

        A batch may hold ended ones beside them (with any action); what becomes of these is thrown away.
        """

    @cached_property
    @abstractmethod
    def action_layout(self) -> Layout:
        """How the words of ``state.legal`` make the action mask: A bits in all."""

    @abstractmethod
    def planes(self, state: S, own: Word) -> Sequence[Word]:
        """Words of cells, one for each of the first `own_plane_names` (or as `plane_sizes` says), as seen by an observer.

        ``own`` is all ones where the observer is the player to act, zero where it is the other.
        """

    def counts(self, state: S, own: Word) -> Sequence[Word]:
        """Numbers, one for each of the last `own_plane_names`: planes that show the number on every cell."""
        return ()

    @cached_property
    def count_bounds(self) -> tuple[int, ...]:
        """The largest value of each of the `counts`."""
        return ()

    @cached_property
    def plane_sizes(self) -> tuple[int, ...]:
        """The bits of each of the words of `planes`: one plane a word, unless a game has words of several planes end to end."""
        return (len(self.board),) * (len(self.own_plane_names) - len(self.count_bounds))

    @abstractmethod
    def to_string(self, state: S) -> str:
        """The position text of one state."""

    @abstractmethod
    def from_string(self, text: str) -> S:
        """The state of a position text, with a history of its own; ValueError that names the field and what is wrong."""

    @abstractmethod
    def action_text(self, state: S, action: int) -> str:
        """The text of a legal action of one state."""

    @abstractmethod
    def action_index(self, state: S, text: str) -> int:
        """The action of a text that has the form of one; ValueError otherwise. Legality is checked by the caller."""

    most_material: ClassVar[int] = 1
    """The largest number of `material`."""

    def material(self, state: S) -> tuple[Word, Word]:
        """What the player to act and the other have of something that decides games, as numbers: say, pieces; else 0 and 0.

        For `potential` alone: no rule depends on it.
        """
        none: Word = state.player & 0
        return none, none

    @cached_property
    @abstractmethod
    def key_layout(self) -> Layout:
        """How `key_words` make the key."""

    @abstractmethod
    def key_words(self, state: S) -> Sequence[Word]:
        """The position without history."""

    @abstractmethod
    def make_symmetries(self) -> Iterable[Symmetry]:
        """All symmetries, the identity first."""

    @abstractmethod
    def transform(self, symmetry: Symmetry, state: S) -> S:
        """The image of a state under a symmetry."""

    def action_kinds(self, state: S) -> NDArray[np.int64] | None:
        """Which of a symmetry's permutations of actions holds for each action: ``int64[A]``, or ``int64[B, A]``.

        None in games whose symmetries have only one, as nearly all.
        """
        return None

    def symmetry_applies(self, symmetry: Symmetry, state: S) -> Any:
        """Whether the image of a state is a position of the game: bool, or ``bool[B]``."""
        return self.as_bools(state, ALL)

    def positions(self) -> Positions | None:
        """All positions, where there are few enough to solve the game (`abstract_envs.agents.solver`); None elsewhere."""
        return None

    # ---------------------------------------------------------------------------------------------- what a game is

    @cached_property
    def num_actions(self) -> int:
        """A: actions are ``0 .. A - 1``."""
        return self.action_layout.total

    @property
    def chance_draws(self) -> tuple[tuple[str, ...], ...]:
        """The deal as draws, one after the other: of each the names of its outcomes, all equally likely. Empty without chance."""
        return ()

    def start_of_draws(self, outcomes: Sequence[int]) -> S:
        """The start that all `chance_draws` together give, each by the place of its outcome."""
        return self._start

    @property
    def has_chance(self) -> bool:
        """Whether the start is dealt at random; with some options of a game it may not be."""
        return bool(self.chance_draws)

    @property
    def longest_game(self) -> int | None:
        """No game from the start has more actions than this, by the rules alone; None: no such bound is known."""
        return None

    @property
    def options(self) -> dict[str, Any]:
        """The options by name, defaults included."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self.options)

    def __copy__(self) -> Game[S]:
        return self

    def __deepcopy__(self, memo: object) -> Game[S]:
        return self

    @cached_property
    def plane_names(self) -> tuple[str, ...]:
        """What each plane of an observation shows."""
        return (*self.own_plane_names, "observer is player_0", "observer is to act")

    @property
    def seat_plane(self) -> int:
        """The plane of ones when the observer is player_0."""
        return len(self.plane_names) - 2

    @cached_property
    def observation_shape(self) -> tuple[int, int, int]:
        """(P, R, C): planes, rows, columns."""
        return (len(self.plane_names), *self.board.shape)

    @cached_property
    def plane_bounds(self) -> tuple[int, ...]:
        """The largest value in each plane; the smallest is 0."""
        counts = len(self.count_bounds)
        return (*(1,) * (len(self.own_plane_names) - counts), *self.count_bounds, 1, 1)

    @cached_property
    def board_grid(self) -> NDArray[np.int8]:
        """``int8[R, C]``: 1 where a plane shows a cell, 0 in the corners that are none."""
        grid = np.zeros(self.board.shape, np.int8)
        grid.reshape(-1)[list(self.board.places)] = 1
        return grid

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries, the identity first."""
        return tuple(self.make_symmetries())

    # ---------------------------------------------------------------------------------------------- starting a game

    def init(self, batch_size: int | None = None, rng: np.random.Generator | None = None) -> S:
        """The start of one game, or of a batch of ``batch_size`` games.

        rng: where the deal comes from; required by games with chance (ValueError without it), ignored by the others.
        """
        size = None if batch_size is None else whole_number("batch_size", batch_size, 0)
        if self.has_chance and not isinstance(rng, np.random.Generator):
            raise ValueError(f"{self.name} is dealt at random: init(rng=...) needs a numpy Generator, not {rng!r}")
        if size is None:
            return self.deal(int(rng.integers(0, ALL, endpoint=True, dtype=np.uint64)) if self.has_chance and rng else 0)
        return self.deal(rng.integers(0, ALL, size, np.uint64, True) if self.has_chance and rng else np.zeros(size, np.uint64))

    def deal(self, seed: Word) -> S:
        """The start that 64-bit seeds deal: one game for an int, a batch for ``uint64[B]``. Without chance all are the same."""
        return self._start if type(seed) is int else self._taken(self.start_for_all, np.zeros(len(seed), np.int64))

    def episode_start(self, seed: Word, episode: Word = 0) -> S:
        """What an environment deals after ``reset(seed=seed)``, and in later episodes: one game, or a batch for ``uint64[B]``."""
        return self.deal(episode_seed(seed, episode))

    @cached_property
    def _start(self) -> S:
        return self.start()

    @cached_property
    def start_for_all(self) -> S:
        """The start of a game without chance as a batch of one, which `put` takes for any number of games."""
        return self.stack([self._start])

    # ------------------------------------------------------------------------------------------------- playing a game

    def step(self, state: S, action: Any) -> S:
        """The state after an action (int; ``int64[B]``). Inputs never change; an ended game stays as it is.

        Legality is the caller's: what an illegal action leads to is not defined.
        """
        outcome: Word = state.outcome
        if type(outcome) is int:
            action = action if type(action) is int else self._as_actions(state, action)
            return state if outcome else self.advance_one(state, action)
        action = self._as_actions(state, action)
        if not some(outcome):
            return self.advance(state, action)
        ended = outcome.nonzero()[0]
        if 2 * len(ended) <= len(outcome):  # these few are advanced along and put back; their histories are empty
            return self.put(self.advance(state, action), ended, self._taken(state, ended))
        running = (outcome == RUNNING).nonzero()[0]
        return self.put(state, running, self.advance(self._taken(state, running), action[running]))

    @cached_property
    def advance_one(self) -> Callable[[S, int], S]:
        """`advance` for one game (ints), written out: nothing is checked, and the game must not have ended."""
        return written_out(self.advance)

    def _as_actions(self, state: S, action: Any) -> Word:
        """Actions of one game or of a batch as int or ``int64[B]``; ValueError unless they are whole numbers."""
        array = np.asarray(action)
        shape = () if type(state[0]) is int else state[0].shape
        if array.dtype.kind not in "iu" or array.shape != shape:
            kind = "a whole number" if shape == () else f"integers of shape {shape}"
            raise ValueError(f"an action is {kind}, not {action!r}")
        return int(array) if shape == () else array.astype(np.int64, copy=False)

    def current_player(self, state: S) -> Any:
        """The player to act, 0 or 1: int, or ``int8[B]``. Of an ended game: as its position text says."""
        player: Word = state.player
        return player if type(player) is int else player.astype(np.int8)

    def is_terminal(self, state: S) -> Any:
        """Whether the game has ended by its rules: bool, or ``bool[B]``."""
        outcome: Word = state.outcome
        return outcome != RUNNING

    def rewards(self, state: S) -> Any:
        """Rewards by player, +1 for the winner, -1 for the loser, else 0: ``(float, float)``, or ``float32[B, 2]``."""
        outcome: Word = state.outcome
        return _REWARDS[outcome] if type(outcome) is int else REWARD_ROWS.take(as_index(outcome), axis=0)

    def action_mask(self, state: S) -> NDArray[np.int8]:
        """1 for legal actions: ``int8[A]``, or ``int8[B, A]``; all zero when the game has ended. A fresh array."""
        return self.action_layout.unpack(state.legal)

    def legal_actions(self, state: S) -> tuple[int, ...]:
        """The legal actions of one game, ascending."""
        check_one(state)
        return tuple(bit_indices(self.action_layout.joined(state.legal)))

    def is_legal(self, state: S, action: Any) -> Any:
        """Whether an action (int; ``int64[B]``) is legal: bool, or ``bool[B]``. Out of range is not legal."""
        plain = type(action) is int and type(state[0]) is int
        return self.action_layout.has(state.legal, action if plain else self._as_actions(state, action))

    def sample(self, state: S, rng: np.random.Generator) -> Any:
        """A uniformly random legal action: int, or ``int64[B]``; 0 where the game has ended."""
        return self.action_layout.draw(state.legal, rng)

    def observe(self, state: S, player: Any = None, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """What a player sees, own pieces first: ``int8[P, R, C]``, or ``int8[B, P, R, C]``.

        A fresh array, or a batch's ``out`` (ValueError unless it is ``int8``, of that shape, contiguous and writable).

        player: 0 or 1 (or ``[B]`` of these); None: the player to act.
        """
        if out is not None:
            check_out(out, (*np.shape(state[0]), *self.observation_shape))
        own, seat = self._viewpoint(state, player)
        if type(own) is int and type(seat) is int:
            seen = self._plane_layout.spread(self._plane_bits_one(state, own, seat))
        else:
            flat = None if out is None else out.reshape(len(out), -1)
            seen = self._plane_layout.spread_rows(self._plane_rows(state, own, seat), flat)
        observations = seen.reshape(-1, *self.observation_shape)
        if self.count_bounds:
            self._fill_counts(state, own, observations)
        return observations[0] if seen.ndim == 1 else observations

    def look(self, states: S, observation: NDArray[np.int8] | None = None, mask: NDArray[np.int8] | None = None) -> Seen:
        """All that is seen of a batch; observations and masks are fresh arrays, or those given."""
        legal = self.batch_actions.pack(states.legal)
        mask = self.batch_actions.spread_rows(legal, mask)
        observation = self.observe(states, None, observation)
        return Seen(legal, observation, mask, self.current_player(states), self.is_terminal(states), self.rewards(states))

    def turn(
        self,
        states: S,
        actions: NDArray[np.int64],
        observation: NDArray[np.int8] | None = None,
        mask: NDArray[np.int8] | None = None,
    ) -> tuple[S, Seen]:
        """`step` of a batch, and `look` at what it leads to."""
        states = self.step(states, actions)
        return states, self.look(states, observation, mask)

    def _plane_bits(self, state: S, own: int, seat: int) -> int:
        """The planes of one game, a bit for each number; zero where counts are to come."""
        seen_by: int = seat & 1 | own & zero(state.outcome) & 2
        return self._last_planes[seen_by] | self._first_planes.joined(self._plane_words(state, own))

    @cached_property
    def _plane_bits_one(self) -> Callable[[S, int, int], int]:
        return written_out(self._plane_bits, self.deal(0))

    def view(self, state: S) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """``observe(state)`` and ``action_mask(state)`` of one game, in one pass."""
        return self.view_one(state)

    @cached_property
    def view_one(self) -> Callable[[S], tuple[NDArray[np.int8], NDArray[np.int8]]]:
        """`view`, as a function that has all it needs at hand: a third less time."""
        view_bits, actions, shape = written_out(self._view_bits, self.deal(0)), self.num_actions, self.observation_shape
        total = actions + self._plane_layout.total
        size, counts, fill_counts = total + 7 >> 3, bool(self.count_bounds), self._fill_counts
        frombuffer, unpackbits, ndarray = np.frombuffer, np.unpackbits, np.ndarray
        unsigned, signed = np.dtype(np.uint8), np.dtype(np.int8)

        def view(state: S) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
            both = unpackbits(frombuffer(view_bits(state).to_bytes(size, "little"), unsigned), None, total, "little")
            # half the time of slicing and reshaping; what is made so keeps `both` alive
            mask, observation = ndarray((actions,), signed, both), ndarray(shape, signed, both, actions)
            if counts:
                fill_counts(state, ALL, observation[None])
            return observation, mask

        return view

    def _view_bits(self, state: S) -> int:
        """The action mask and after it the planes of one game, a bit for each number."""
        planes = self._plane_bits(state, ALL, zero(state.player))
        return planes << self.num_actions | self.action_layout.joined(state.legal)

    def _viewpoint(self, state: S, player: Any) -> tuple[Word, Word]:
        """(all ones where the observer is the player to act; all ones where the observer is player_0)"""
        to_move: Word = state.player
        if player is None:
            return ALL, zero(to_move)
        if type(player) is int and type(to_move) is int and player in (0, 1):
            return ALL if player == to_move else 0, 0 if player else ALL
        players = np.asarray(player)
        shape: tuple[int, ...] = np.shape(to_move)
        if players.shape not in ((), shape) or players.dtype.kind not in "iu" or not np.isin(players, (0, 1)).all():
            raise ValueError(f"player is {player!r}; it is None, 0 or 1" + (", or one of these for every game" if shape else ""))
        observer = np.broadcast_to(players, shape).astype(np.uint64) if shape else int(players)
        return zero(to_move ^ observer), zero(observer)

    def _plane_words(self, state: S, own: Word) -> Sequence[Word]:
        """Words for `_first_planes`."""
        return self.planes(state, own) if self._word_is_plane else self._in_grid(self.planes(state, own))

    def _plane_rows(self, state: S, own: Word, seat: Word) -> NDArray[np.uint64]:
        """`_plane_bits` of a batch, packed."""
        which: NDArray[np.int64] = as_index(seat & _ONE | own & zero(state.outcome) & _TWO)
        return self._first_planes.pack(self._plane_words(state, own), self._last_plane_rows.take(which, 0, None, "clip"))

    @cached_property
    def _first_planes(self) -> Layout:
        """The layout of all planes but those of counts and the last two."""
        planes = len(self.own_plane_names) - len(self.count_bounds)
        return Layout(self.plane_sizes if self._word_is_plane else self.board.grid_sizes * planes)

    @cached_property
    def _last_planes(self) -> tuple[int, ...]:
        """The last two planes at their place after all others, by 1 (seen by player_0) + 2 (by the player to act).

        There are these four cases, which are cheaper to look up than to write.
        """
        size, ones = self.board_grid.size, set_of(self.board.places)
        return tuple((ones * seat | ones * acts << size) << size * self.seat_plane for acts in (0, 1) for seat in (0, 1))

    @cached_property
    def _last_plane_rows(self) -> NDArray[np.uint64]:
        """`_last_planes` as `Layout.pack` packs them."""
        columns = range(0, self._plane_layout.total, 64)
        return np.array([[planes >> at & ALL for at in columns] for planes in self._last_planes], np.uint64)

    def _in_grid(self, planes: Sequence[Word]) -> tuple[Word, ...]:
        return sum(tuple(self.board.grid(plane) for plane in planes), ())

    @cached_property
    def _word_is_plane(self) -> bool:
        """Whether a set of cells is a plane as it is, bit for place."""
        return self.board.bits == self.board.places and len(self.board) == self.board.shape[0] * self.board.shape[1]

    @cached_property
    def _plane_layout(self) -> Layout:
        return Layout((self.board_grid.size,) * len(self.plane_names))

    def _fill_counts(self, state: S, own: Word, observations: NDArray[np.int8]) -> None:
        first = self.seat_plane - len(self.count_bounds)
        if type(own) is int and type(state[0]) is int:
            for plane, count in enumerate(self._counts_one(state, own), first):
                if count:
                    observations[0, plane] = self._cells_of_plane * count
            return
        # where a count is zero, so is its plane already
        values = np.array(self.counts(state, own)).astype(np.int8)
        which, rows = np.divmod(np.flatnonzero(values != 0), len(observations) or 1)
        size, number, height, width = observations.shape
        planes = observations.reshape(size * number, height * width)
        grid: Any = 1 if type(self._cells_of_plane) is int else self._cells_of_plane.reshape(-1)
        planes[rows * number + which + first] = grid * values[which, rows][:, None]

    @cached_property
    def _counts_one(self) -> Callable[[S, int], Sequence[int]]:
        return written_out(self.counts)

    @cached_property
    def _cells_of_plane(self) -> Any:
        """`board_grid`, or 1 where it is all ones."""
        return 1 if self.board_grid.all() else self.board_grid

    def potential(self, state: S, player: Any = None) -> Any:
        """How far a player is ahead in `material`, from -1 to 1: float, or ``float32[B]``; 0 in games that have none.

        A guess, to shape rewards with in training where +1 and -1 at the end come too late to learn from.

        player: 0 or 1 (or ``[B]`` of these); None: the player to act.
        """
        own, _ = self._viewpoint(state, player)
        to_act, other = self.material(state)
        mine, theirs = select(own, to_act, other), select(own, other, to_act)
        if type(mine) is int:
            return (mine - theirs) / self.most_material
        return (mine.astype(np.float32) - theirs.astype(np.float32)) / np.float32(self.most_material)

    def playout(self, state: S, rng: np.random.Generator) -> S:
        """The ended game, or games, that uniformly random play leads to."""
        while not np.all(self.is_terminal(state)):
            state = self.step(state, self.sample(state, rng))
        return state

    def key(self, state: S) -> Any:
        """The exact position without history; keys are equal if and only if the positions are.

        int; for a batch ``uint64[B]`` where a position of the game fits 64 bits, else ``uint64[B, W]``, whose row read as a
        little-endian number is the int.
        """
        words = self.key_words(state)
        if type(state[0]) is int:
            return self.key_layout.joined(words)
        packed = self.key_layout.pack(words)
        return packed[:, 0] if packed.shape[1] == 1 else packed

    # ------------------------------------------------------------------------------------------------------- texts

    def action_to_string(self, state: S, action: Any) -> str:
        """The text of an action of one state; ValueError if it is not legal."""
        check_one(state)
        if not self.is_legal(state, action):
            raise ValueError(f"action {action!r} is not legal in {self.to_string(state)!r}")
        return self.action_text(state, int(action))

    def string_to_action(self, state: S, text: str) -> int:
        """The action of a text in one state; ValueError if the text is no action, or an illegal one."""
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"{text!r} is no action: actions are texts")
        check_one(state)
        action = self.action_index(state, text)
        # the text of an action depends on the state: "d4" places, "@d4" relocates, and they are one action
        if not self.is_legal(state, action) or self.action_text(state, action) != text:
            raise ValueError(f"{text!r} is not legal in {self.to_string(state)!r}")
        return action

    def replay(self, texts: Iterable[str], start: S | str | None = None) -> list[S]:
        """The states of one game: its start and the one after each action text.

        start: a state or a position text; None: the start of the game.

        ValueError that says which action is wrong.
        """
        if start is None:
            if self.has_chance:
                raise ValueError(f"{self.name} is dealt at random: replay(texts, start=...) needs the start")
            start = self._start
        states = [self.from_string(start) if isinstance(start, str) else start]
        for number, text in enumerate(texts, 1):
            try:
                action = self.string_to_action(states[-1], text)
            except ValueError as error:
                raise ValueError(f"action {number}: {error}") from None
            states.append(self.step(states[-1], action))
        return states

    # ------------------------------------------------------------------------------------------- one game <-> a batch

    def batch_size(self, states: S) -> int:
        """B of a batch; ValueError for one game."""
        try:
            return len(states[0])
        except TypeError:
            raise ValueError("states are those of one game; a batch is meant here, and stack([state]) makes one") from None

    def repeat(self, state: S, batch_size: int) -> S:
        """A batch of copies of one game."""
        return self._taken(self.stack([state]), np.zeros(batch_size, np.int64))

    def stack(self, states: Sequence[S]) -> S:
        """Single games as a batch; ValueError for none."""
        if not len(states):
            raise ValueError("stack needs at least one state")
        for state in states:
            check_one(state)
        flat, built = self._fields
        parts = zip(*map(flat, states), strict=True)
        return built([PastBatch.stack(part) if type(part[0]) is Past else np.array(part, np.uint64) for part in parts])

    def take(self, states: S, i: Any) -> S:
        """Games of a batch: one for an int; a batch for an index array, a slice or a ``bool[B]``. IndexError past the end."""
        if i is None or isinstance(i, bool):
            raise IndexError(f"games of a batch are taken by an int, an index array, a slice or a bool[B], not by {i!r}")
        rows = np.arange(self.batch_size(states))[i]
        if isinstance(rows, np.integer):
            row = int(rows)
            flat, built = self._fields
            return built([part.one(row) if type(part) is PastBatch else int(part[row]) for part in flat(states)])
        return self._taken(states, rows)

    def _taken(self, states: S, rows: NDArray[np.int64]) -> S:
        """`take` of an index array that is known to be one."""
        flat, built = self._fields
        return built([part.take(rows) for part in flat(states)])

    def concatenate(self, batches: Sequence[S]) -> S:
        """Batches one after another, as one batch."""
        if not len(batches):
            raise ValueError("concatenate needs at least one batch")
        for states in batches:
            self.batch_size(states)  # which refuses one state
        flat, built = self._fields
        parts = zip(*map(flat, batches), strict=True)
        return built([PastBatch.concatenate(part) if type(part[0]) is PastBatch else np.concatenate(part) for part in parts])

    def put(self, states: S, rows: NDArray[np.int64], others: S) -> S:
        """A batch with the games of an index array replaced by those of another batch (of as many games, or of one for all)."""
        flat, built = self._fields
        changed: list[Any] = []
        for part, other in zip(flat(states), flat(others), strict=True):
            if type(part) is PastBatch:
                part = part.put(rows, other)
            else:
                part = part.copy()
                part[rows] = other
            changed.append(part)
        return built(changed)

    def put_into(self, states: S, rows: NDArray[np.int64], others: S) -> S:
        """`put` into a batch that `step` has just returned and nobody else has: its arrays may be written on."""
        return self.put(states, rows, others)

    def clear(self, array: NDArray[np.int8]) -> None:
        """Sets an array of a batch to zero."""
        array.fill(0)

    def copy_rows(
        self, source: NDArray[np.int8], which: NDArray[np.int64], out: NDArray[np.int8], rows: NDArray[np.int64]
    ) -> None:
        """``out[rows] = source[which]``, of arrays that have the games as first axis; all indices are inside."""
        out[rows] = source[which]

    @property
    def batch_actions(self) -> BatchActions:
        """How the legal actions of a batch are packed, and looked up there."""
        return self.action_layout

    @cached_property
    def _fields(self) -> tuple[Callable[[S], tuple[Any, ...]], Callable[[Sequence[Any]], S]]:
        """A state as a flat tuple of words and histories, and a state of these: one expression each, not a walk over fields."""
        return _flattening(self.deal(0))

    def where(self, mask: ArrayLike, a: S, b: S) -> S:
        """The games of batch ``a`` where ``mask`` (``bool[B]``) is true, those of ``b`` elsewhere."""
        chosen = np.asarray(mask, bool)
        if chosen.shape != (self.batch_size(b),):
            raise ValueError(f"mask has the shape {chosen.shape}; it is bool[{self.batch_size(b)}], one for every game")
        rows = chosen.nonzero()[0]
        return self.put(b, rows, self._taken(a, rows))

    def as_bools(self, state: S, mask: Word) -> Any:
        """A mask of all ones or zero as bool, or ``bool[B]``."""
        if type(state[0]) is int:
            return bool(mask)
        return np.broadcast_to(np.asarray(mask) != 0, (len(state[0]),)).copy()


def check_out(out: NDArray[np.int8], shape: tuple[int, ...]) -> None:
    """ValueError unless an array can be written on as one of ``int8`` and a shape."""
    if not isinstance(out, np.ndarray) or out.dtype != np.int8 or out.shape != shape or not out.flags.carray:  # pyright: ignore[reportUnnecessaryIsInstance]
        what = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else repr(out)  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"out is a contiguous, writable array of int8 and shape {shape}, not {what}")


@lru_cache(maxsize=256)
def interned(game: Game[Any]) -> Game[Any]:
    """One object for all equal games, so that tables are made, and rules written out, once."""
    return game


def _make(kind: Callable[..., Game[Any]], options: dict[str, Any]) -> Game[Any]:
    return interned(kind(**options))


def _flattening(sample: Any) -> tuple[Callable[[Any], tuple[Any, ...]], Callable[[Sequence[Any]], Any]]:
    """`Game._fields` for states like a sample."""
    places: list[str] = []
    kinds: dict[str, Any] = {}

    def building(value: Any, place: str) -> str:
        kind: Any = value.__class__
        if kind is Past or not issubclass(kind, tuple):
            places.append(place)
            return f"parts[{len(places) - 1}]"
        name = "" if kind is tuple else kind.__name__
        kinds[name] = kind
        return f"{name}({', '.join(building(field, f'{place}[{k}]') for k, field in enumerate(value))},)"

    built = eval(f"lambda parts: {building(sample, 'state')}", kinds)
    return eval(f"lambda state: ({', '.join(places)},)"), built
