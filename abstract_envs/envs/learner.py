"""A batch of games against an opponent inside: what the gymnasium and the SB3 vector environments are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from abstract_envs.agents import AgentLike, members_of, resolve
from abstract_envs.core.actions import check_actions, named
from abstract_envs.core.chance import fresh_seed
from abstract_envs.core.game import Game, check_game
from abstract_envs.core.options import real_number, whole_number
from abstract_envs.core.view import View
from abstract_envs.envs.aec import InvalidAction
from abstract_envs.envs.seats import Seat, check_seat, seat_of
from abstract_envs.envs.vector import Deals, autoreset, read_positions, read_reset_mask, read_seeds

__all__ = ["LearnerGames", "Shaping", "Step", "by_material"]

Shaping: TypeAlias = Callable[[Game[Any], Any, NDArray[np.int8]], NDArray[np.float32]]
"""A potential ``phi(game, states, player) -> float32[B]``: how good each of a batch of states is for ``player``, ``int8[B]``."""


def by_material(weight: float) -> Shaping:
    """Shaping by ``weight`` times the potential that the game itself offers, `Game.potential`."""

    def shaping(game: Game[Any], states: Any, player: NDArray[np.int8]) -> NDArray[np.float32]:
        return np.float32(weight) * game.potential(states, player)

    return shaping


def _check_shaping(shaping: object) -> Any:
    if shaping is not None and not callable(shaping):
        raise ValueError(f"shaping is {shaping!r}; it is None or a function of game, states and players, as by_material(1.0)")
    return shaping


class Step(NamedTuple):
    """What a step led to, from the learner's side. N games, K of them ended in this step."""

    rewards: NDArray[np.float32]
    """``[N]``: +1, -1 or 0 at the end, as the game says; -1 for an illegal action."""
    shaping: NDArray[np.float32]
    """``[N]``: what potential-based shaping adds to the rewards; zeros without."""
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    ended: NDArray[np.int64]
    """``[K]``: the games that ended, in order."""
    final_seats: NDArray[np.int8]
    """``[K]``: the learner's seat in them."""
    final_observations: NDArray[np.int8]
    """``[K, P, R, C]``: what the learner sees of their ends, with same-step autoreset; else ``[0, P, R, C]``."""


class LearnerGames:
    """``num_envs`` games; in each a learner has one seat and an opponent the other.

    game: the rules.
    opponent: an agent, a function ``act(game, states, rng)``, or a name. It plays whenever it is to act, after a start
        as well, until the learner is to act or the game is over. ValueError for an illegal action of its own. Of an
        `OpponentPool` each game has a member, drawn when it starts.
    seat: 0 or 1; "alternate": by game and by episode, (seed of the game + episode) % 2.
    mirror: show player_1 the game as player_0 would see it; see `View`.
    max_plies: truncate a game after so many actions of both players; None: never.
    shaping, gamma: adds ``gamma * phi' - phi`` to the rewards, where phi' is 0 when the game ended by its rules (Ng, Harada,
        Russell 1999). Where the ply limit cut it off phi' is that of the last state, from which a learner bootstraps.
        ValueError for what is no function, and unless gamma is from 0 to 1.

    An illegal action ends the game with -1. A game that is over before the learner could act (a position set up so) ends
    with its first step, whatever the action.

    ``states`` is the batch of states, ``seats``, ``int8[N]``, where the learner sits. ``rng`` is what the opponent draws from,
    and ``seed`` the one given to `reset` last, or drawn by the first one; -1 before it.
    """

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        opponent: AgentLike = "random",
        seat: Seat = "alternate",
        mirror: bool = False,
        max_plies: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        shaping: Shaping | None = None,
        gamma: float = 1.0,
    ) -> None:
        check_game(game)
        self.game = game
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self.max_plies = None if max_plies is None else whole_number("max_plies", max_plies, 1)
        self.autoreset_mode = autoreset(autoreset_mode)
        self.seats = np.zeros(self.num_envs, np.int8)
        self.states: Any = None
        self._opponent = members_of(resolve(opponent, game))
        self._seat: Seat = check_seat(seat)
        self._view = View(game, mirror)
        self._shaping, self._gamma = _check_shaping(shaping), np.float32(real_number("gamma", gamma, 0, 1))
        self._deals = Deals(game, self.num_envs)
        self.rng = np.random.default_rng()
        self.seed: int | tuple[int, ...] = -1
        self._members = np.zeros(self.num_envs, np.int64)  # of the opponent, the one that plays a game
        self._plies = np.zeros(self.num_envs, np.int64)
        self._fouls = np.zeros(self.num_envs, bool)  # games that an illegal action ended
        self._told = np.zeros(self.num_envs, bool)  # games whose end a step has told, not yet started anew
        self._potential = np.zeros(self.num_envs, np.float32)

    # ------------------------------------------------------------------------------------------------------ playing

    def reset(self, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts games as `VectorEnv.reset` does; a seed also seeds the opponent's draws."""
        rows = read_reset_mask(options, self.num_envs, first=self.states is None)
        positions = read_positions(self.game, options, rows, self.num_envs)
        if seed is None and self.states is None:
            seed = fresh_seed()
        seeds = read_seeds(seed, self.num_envs)
        dealt = self._deals.start(rows, seeds)
        if seeds is not None:
            self.seed = int(seed) if np.ndim(seed) == 0 else tuple(seeds.tolist())  # type: ignore[arg-type]
            self.rng = np.random.default_rng(self.seed)
        self._begin(rows, dealt if positions is None else positions)

    def step(self, actions: ArrayLike) -> Step:
        """Plays the learner's actions, integers ``[N]``, and the opponent's answers.

        ValueError, nothing changed, unless there is an integer for every game; `InvalidAction` for one out of range; in
        next-step mode the action of a game that is being reset is ignored.
        """
        if self.states is None:
            raise ResetNeeded("reset() needs to be called before step()")
        anew = np.flatnonzero(self._told)
        if len(anew) and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ValueError(f"games {named(anew)} have ended: reset(options={{'reset_mask': ...}}) starts them anew")
        actions = self._check(actions)
        running = ~self._over()
        legal = self.game.is_legal(self.states, actions)
        self._fouls |= running & ~legal
        rows = np.flatnonzero(running & legal)
        self._play(rows, self.game.take(self.states, rows), actions.take(rows))
        self._answer(rows)

        terminations = self.game.is_terminal(self.states) | self._fouls
        truncations = self._at_limit() & ~terminations
        rewards = self.game.rewards(self.states)[np.arange(self.num_envs), self.seats]
        rewards[self._fouls] = -1
        shaping = self._shape(terminations)
        if len(anew):
            self._begin(anew, self._deals.next(anew))
            terminations[anew] = truncations[anew] = False
            rewards[anew] = shaping[anew] = 0
        over = terminations | truncations
        ended = np.flatnonzero(over)
        final_seats, final_observations = self.seats[ended], np.zeros((0, *self.game.observation_shape), np.int8)
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            if len(ended):
                final_observations = self._view.observe(self.game.take(self.states, ended), final_seats)
                self._begin(ended, self._deals.next(ended))
        else:
            self._told = over
        return Step(rewards, shaping, terminations, truncations, ended, final_seats, final_observations)

    def observe(self) -> NDArray[np.int8]:
        """What the learner sees: ``int8[N, P, R, C]``. A fresh array."""
        return self._view.observe(self.states, self.seats)

    def action_masks(self) -> NDArray[np.int8]:
        """The learner's legal actions: ``int8[N, A]``, all zero where the game is over. A fresh array."""
        if self.states is None:
            raise ResetNeeded("reset() needs to be called before action_masks()")
        mask = self._view.mask(self.states, self.seats)
        over = self._over()
        if over.any():
            mask[over] = 0
        return mask

    # ------------------------------------------------------------------------------------------------------- inside

    def _check(self, actions: ArrayLike) -> NDArray[np.int64]:
        """The learner's actions as actions of the game."""
        chosen = np.where(self._told, 0, check_actions(actions, self.num_envs))
        outside = np.flatnonzero((chosen < 0) | (chosen >= self.game.num_actions))
        if len(outside):
            raise InvalidAction(
                f"actions {named(chosen[outside])} of games {named(outside)}; they are from 0 to {self.game.num_actions - 1}"
            )
        return self._view.action(chosen, self.seats)

    def _begin(self, rows: NDArray[np.int64], starts: Any) -> None:
        """Starts games and lets the opponent open where it begins."""
        self.states = starts if self.states is None else self.game.put(self.states, rows, starts)
        self.seats = self.seats.copy()
        self.seats[rows] = seat_of(self._seat, self._deals.numbers(rows))
        self._plies[rows] = 0
        self._fouls[rows] = self._told[rows] = False
        self._members[rows] = self._opponent.draw(len(rows), self.rng)
        self._answer(rows)
        if self._shaping is not None:
            self._potential[rows] = self._phi(self._shaping, rows, self.game.is_terminal(self.states)[rows])

    def _play(self, rows: NDArray[np.int64], states: Any, actions: NDArray[np.int64]) -> None:
        """One action in each of the games ``rows``, whose states are given; the other games wait."""
        stepped = self.game.step(states, actions)
        self.states = stepped if len(rows) == self.num_envs else self.game.put(self.states, rows, stepped)
        self._plies[rows] += 1

    def _answer(self, rows: NDArray[np.int64]) -> None:
        """Lets the opponent play in the games ``rows`` until the learner is to act or the game is over."""
        game = self.game
        while True:
            # a player may act several times in a row, so look again who is to act
            waits = (game.current_player(self.states) != self.seats) & ~self._over()
            rows = rows[waits.take(rows)]
            if not len(rows):
                return
            states = game.take(self.states, rows)
            actions = check_actions(self._opponent.act_as(self._members.take(rows), game, states, self.rng), len(rows))
            wrong = np.flatnonzero(~game.is_legal(states, actions))
            if len(wrong):
                raise ValueError(f"the opponent's actions {named(actions[wrong])} in games {named(rows[wrong])} are illegal")
            self._play(rows, states, actions)

    def _at_limit(self) -> NDArray[np.bool_]:
        return np.zeros(self.num_envs, bool) if self.max_plies is None else self._plies >= self.max_plies

    def _over(self) -> NDArray[np.bool_]:
        return self.game.is_terminal(self.states) | self._fouls | self._at_limit()

    def _shape(self, terminations: NDArray[np.bool_]) -> NDArray[np.float32]:
        """What shaping adds to the rewards of a step; remembers the potentials for the next."""
        if self._shaping is None:
            return np.zeros(self.num_envs, np.float32)
        before, self._potential = self._potential, self._phi(self._shaping, np.arange(self.num_envs), terminations)
        return self._gamma * self._potential - before

    def _phi(self, shaping: Shaping, rows: NDArray[np.int64], zero: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The potentials of the games ``rows`` for the learner; 0 where ``zero``."""
        states = self.game.take(self.states, rows)
        return np.where(zero, np.float32(0), np.asarray(shaping(self.game, states, self.seats[rows]), np.float32))
