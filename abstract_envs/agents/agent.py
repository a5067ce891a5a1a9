"""The protocol of an agent, and the agents known by name."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.alphabeta import AlphaBetaAgent
from abstract_envs.agents.greedy import GreedyAgent
from abstract_envs.agents.mcts import MCTSAgent
from abstract_envs.agents.perfect import PerfectAgent
from abstract_envs.agents.policy import PPOAgent
from abstract_envs.agents.random import RandomAgent
from abstract_envs.core.actions import check_actions
from abstract_envs.core.game import Game

__all__ = ["AGENTS", "Agent", "AgentLike", "act_one", "resolve"]


@runtime_checkable
class Agent(Protocol):
    """Chooses actions for a batch of games."""

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action, ``int64[B]``, for the player to act in each of a batch of states, none of which has ended."""
        ...


AgentLike: TypeAlias = Agent | Callable[[Game[Any], Any, np.random.Generator], NDArray[np.int64]] | str
"""An agent, a function with the arguments of `Agent.act`, or the name of an agent of the library, with options or without."""

AGENTS: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "mcts": MCTSAgent,
    "alphabeta": AlphaBetaAgent,
    "perfect": PerfectAgent,
    "ppo": PPOAgent,
}
"""The agents known by name."""


class _Function:
    def __init__(self, function: Callable[[Game[Any], Any, np.random.Generator], NDArray[np.int64]]) -> None:
        self._function = function

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        return self._function(game, states, rng)


def resolve(agent: AgentLike, game: Game[Any] | None = None, pools: bool = True) -> Agent:
    """The agent that a name, a function or an agent stands for; ValueError that says which names there are.

    A name may have options, numbers only, as in ``"mcts(simulations=400)"``.

    game: what it is to play: an agent that has a method ``check(game)`` is asked at once whether it can (ValueError if not).
    pools: whether an `OpponentPool` may stand here, for the error to say so.
    """
    if isinstance(agent, str):
        agent = _by_name(agent)
    check = getattr(agent, "check", None)
    if check is not None and game is not None:
        check(game)
    if isinstance(agent, Agent) and not isinstance(agent, type):
        return agent
    if callable(agent) and not isinstance(agent, type):
        return _Function(agent)
    function = "such a function or an OpponentPool" if pools else "such a function"
    raise ValueError(f"{agent!r} is no agent: an agent is a name, has a method act(game, states, rng), or is {function}")


def _by_name(text: str) -> Agent:
    """The agent of a text like ``mcts`` or ``mcts(simulations=400)``, which is read, and never run."""
    name, bracket, _ = text.partition("(")
    name = name.strip()
    if name not in AGENTS:
        raise ValueError(f"{text!r} is no agent; the agents known by name are {', '.join(sorted(AGENTS))}")
    if not bracket:
        return AGENTS[name]()
    known = {option.name: option.default for option in inspect.signature(AGENTS[name]).parameters.values()}
    allowed = [f"{option}={default}" for option, default in known.items() if isinstance(default, int | float)]
    expected = f"it is {name} alone, or {name}({', '.join(allowed)}) with some of these" if allowed else f"{name} has no options"
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        options = {option.arg: ast.literal_eval(option.value) for option in call.keywords}
        if len(options) < len(call.keywords):
            raise ValueError
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError(f"{text!r} is no agent: {expected}") from None
    for option, value in options.items():
        if option is None or not isinstance(known.get(option), int | float) or not isinstance(value, int | float):
            raise ValueError(f"{text!r} is no agent, for {option}={value!r}: {expected}")
    return AGENTS[name](**{str(option): value for option, value in options.items()})


def act_one(agent: Agent, game: Game[Any], state: Any, rng: np.random.Generator) -> int:
    """An agent's action for one state: by its method ``act_one(game, state, rng)`` if it has one, else as a batch of one."""
    alone = getattr(agent, "act_one", None)
    return int(check_actions(agent.act(game, game.stack([state]), rng), 1)[0]) if alone is None else alone(game, state, rng)
