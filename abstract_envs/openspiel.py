"""The games as games of OpenSpiel: importing this module registers them with pyspiel.

    import pyspiel
    from abstract_envs import openspiel

    game = pyspiel.load_game("inphexion_v0(board_size=5)")

Needs the extra ``openspiel``. A game's name is that of its module. Its parameters are its options, and ``max_plies``, after which
a game is a draw (0: no limit, where the rules bound the length). They are numbers, flags and texts: 0 or an empty text stand for
None, and a ``+`` separates, or follows, the texts of an option that takes several: ``map=a1+d4``.

XAHZO's deal is chance nodes, a draw of a piece each, so that algorithms see what can be dealt, and with what chance; a start that
a parameter seeded would be another game for every seed. With ``hand=OXXAAHHZZO+OXAHZOXAHZ`` nothing is left to chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np

import abstract_envs
from abstract_envs.core.game import Game
from abstract_envs.core.options import extra, whole_number
from abstract_envs.core.plain import join, kinds_of, split
from abstract_envs.records import door_name

try:
    import pyspiel  # pyright: ignore[reportMissingImports]
    from open_spiel.python.observation import IIGObserverForPublicInfoGame  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise ImportError(f"abstract_envs.openspiel needs {extra('openspiel')}") from error

__all__ = ["SpielGame", "SpielState", "params_of"]

_UNWRITABLE = ",=()"
"""What the text of a pyspiel game, by which it is pickled and serialised, cannot hold in a parameter."""


class SpielGame(pyspiel.Game):
    """A game as OpenSpiel sees it. ``rules`` is the game itself. Each game has a class of its own, with its ``door``."""

    door: ClassVar[ModuleType]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """params: by name, all of them or some; ValueError for what the game does not allow."""
        kind = type(self.door.game())
        params = {**_defaults(kind), **(params or {})}
        for name, value in params.items():
            if isinstance(value, str) and set(value) & set(_UNWRITABLE):
                raise ValueError(f"{name} is {value!r}; a parameter of pyspiel cannot hold any of {' '.join(_UNWRITABLE)}")
        rules: Game[Any] = self.door.game(**_options(kind, params))
        self.rules = rules
        self.max_plies = whole_number("max_plies", params["max_plies"], 0)
        bounds = [bound for bound in (self.max_plies or None, rules.longest_game) if bound is not None]
        if not bounds:
            raise ValueError(f"max_plies is 0; {rules.name} needs a limit, since its rules do not bound the length of a game")
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.num_actions,
            max_chance_outcomes=max(map(len, rules.chance_draws), default=0),
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=min(bounds),
        )
        super().__init__(_game_type(self.door, rules), info, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (str(self),)

    def new_initial_state(self, position: str | None = None) -> SpielState:
        """A state at the start; with a position text there, without chance (ValueError for an impossible one)."""
        return SpielState(self, position)

    def max_chance_nodes_in_history(self) -> int:
        return len(self.rules.chance_draws)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Any:
        """Both players see everything; with perfect recall, the history."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.rules, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


def _load(text: str) -> SpielGame:
    return pyspiel.load_game(text)


class _Now(NamedTuple):
    """Where a game stands. Nothing in it changes, so that a copied state of pyspiel shares it."""

    draws: tuple[int, ...]
    """Outcomes of the deal so far."""
    state: Any
    """The state of the rules; None until all is dealt."""
    plies: int

    def __deepcopy__(self, memo: object) -> _Now:
        return self


class SpielState(pyspiel.State):
    """A state as OpenSpiel sees it."""

    def __init__(self, game: SpielGame, position: str | None = None) -> None:
        super().__init__(game)
        rules = game.rules
        # the one attribute: pyspiel copies, pickles and serialises all that there are
        self._now = _Now((), None if rules.has_chance else rules.init(), 0)
        if position is not None:
            self._now = _Now((), rules.from_string(position), 0)

    @property
    def rules(self) -> Game[Any]:
        """The rules of the game."""
        return self.get_game().rules

    @property
    def game_state(self) -> Any:
        """The state of the rules; None until all is dealt."""
        return self._now.state

    def current_player(self) -> int:
        _, state, _ = self._now
        if state is None:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else state.player

    def is_terminal(self) -> bool:
        _, state, plies = self._now
        # plies last: asking pyspiel for the game costs more than the rest
        return state is not None and (state.outcome != 0 or (plies > 0 and plies == self.get_game().max_plies))

    def returns(self) -> list[float]:
        state = self._now.state
        return [0.0, 0.0] if state is None else list(self.rules.rewards(state))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Of the next draw of the deal: each outcome with its probability."""
        names = self._next_draw()
        return [(outcome, 1 / len(names)) for outcome in range(len(names))]

    def _next_draw(self) -> tuple[str, ...]:
        return self.rules.chance_draws[len(self._now.draws)]

    def _legal_actions(self, player: int) -> Sequence[int]:
        return self.rules.legal_actions(self._now.state)

    def _apply_action(self, action: int) -> None:
        (draws, state, plies), rules = self._now, self.rules
        if state is not None:
            self._now = _Now(draws, rules.step(state, action), plies + 1)
            return
        draws = (*draws, action)
        self._now = _Now(draws, rules.start_of_draws(draws) if len(draws) == len(rules.chance_draws) else None, 0)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self._next_draw()[action]
        return self.rules.action_to_string(self._now.state, action)

    def __str__(self) -> str:
        """The position text; until all is dealt, what has been."""
        return _text(self.rules, self._now)


def _text(rules: Game[Any], now: _Now) -> str:
    if now.state is not None:
        return rules.to_string(now.state)
    return "dealt: " + " ".join(names[outcome] for names, outcome in zip(rules.chance_draws, now.draws, strict=False))


class _Observer:
    """The planes of the game (see `Game.observe`), by pyspiel's protocol: ``tensor``, float32[P * R * C], and views of it."""

    def __init__(self, rules: Game[Any], params: dict[str, Any] | None) -> None:
        if params:
            raise ValueError(f"params is {params!r}; observations of {rules.name} have none")
        self._rules = rules
        planes = np.zeros(rules.observation_shape, np.float32)
        self.tensor = planes.reshape(-1)
        self.dict = {"observation": planes}

    def set_from(self, state: SpielState, player: int) -> None:
        """Zeros until all is dealt."""
        now = state.game_state
        self.dict["observation"][:] = 0 if now is None else self._rules.observe(now, player)

    def string_from(self, state: SpielState, player: int) -> str:
        return str(state)


# ------------------------------------------------------------------------------------------------------- parameters, types


def _defaults(rules: type[Game[Any]]) -> dict[str, int | bool | str]:
    """The parameters of a game with their defaults."""
    found: dict[str, Any] = {field.name: field.default for field in fields(rules)}  # type: ignore[arg-type]
    for name, kinds in kinds_of(rules).items():
        if found[name] is None:
            found[name] = "" if str in kinds else 0
    return {**found, "max_plies": rules.default_max_plies or 0}


def _options(rules: type[Game[Any]], params: dict[str, Any]) -> dict[str, Any]:
    """The options that parameters stand for."""
    found: dict[str, Any] = {}
    for name, kinds in kinds_of(rules).items():
        value = found[name] = params[name]
        if value in ("", 0) and type(None) in kinds:
            found[name] = None
        elif isinstance(value, str):
            found[name] = split(value, kinds)
    return found


def params_of(game: Game[Any]) -> dict[str, int | bool | str]:
    """The parameters that make pyspiel load this game, ``pyspiel.load_game("<game>_v0", params_of(game))``."""
    found: dict[str, Any] = {}
    for name, value in game.options.items():
        if value is None:
            value = _defaults(type(game))[name]
        elif isinstance(value, tuple):
            value = join(value)
        found[name] = value
    return found


def _game_type(door: ModuleType, rules: Game[Any]) -> Any:
    chance = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=door_name(door),
        long_name=(door.__doc__ or "").partition("\n")[0].lstrip("# "),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if rules.has_chance else chance.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_defaults(type(rules)),
    )


for _door in abstract_envs.GAMES:
    # a class and no other function: pyspiel keeps what it is given until Python has ended, which only classes outlive
    pyspiel.register_game(_game_type(_door, _door.game()), type(door_name(_door), (SpielGame,), {"door": _door}))
