"""The functions of a game's door, made from its rules and its drawing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Literal, NamedTuple

from gymnasium.vector import AutoresetMode

from abstract_envs.agents import AgentLike
from abstract_envs.core.game import Game, interned
from abstract_envs.core.options import near, whole_number
from abstract_envs.envs.aec import RENDER_FPS, RENDER_MODES, Draw, GuardedEnv, RawEnv
from abstract_envs.envs.gym import LearnerEnv, LearnerVectorEnv
from abstract_envs.envs.seats import Seat
from abstract_envs.envs.vector import VectorEnv
from abstract_envs.envs.workers import WorkersVectorEnv, check_workers
from abstract_envs.render.options import NAMES, RenderOptions

__all__ = ["Door", "door"]


class Door(NamedTuple):
    """What a module ``<game>_v0`` offers."""

    env: Callable[..., GuardedEnv]
    raw_env: Callable[..., RawEnv]
    vector_env: Callable[..., VectorEnv]
    game: Callable[..., Game[Any]]
    learner_env: Callable[..., LearnerEnv]
    learner_vector_env: Callable[..., LearnerVectorEnv]


def door(rules: type[Game[Any]], draw: Draw, version: int) -> Door:
    """The functions of a game. Their keyword options are the fields of its rules, and of `RenderOptions` where there is
    something to see; an unknown one is a TypeError.
    """
    name = f"{rules.name}_v{version}"
    limit = rules.default_max_plies

    def game(**options: Any) -> Game[Any]:
        """The rules alone: pure functions on states. Options as in the module's documentation."""
        _check_names("game()", options, rules, ())
        return interned(rules(**options))

    def env(render_mode: str | None = None, max_plies: int | None = limit, **options: Any) -> GuardedEnv:
        """A PettingZoo AEC environment: illegal actions end the game, wrong calls are errors.

        render_mode: "human", "rgb_array", "svg" or "ansi". How pictures look is said by width, height, theme, coordinates
            and legal_moves (`abstract_envs.render.options.RenderOptions`).

        Options as in the module's documentation.
        """
        _check_names("env()", options, rules, ("render_mode", "max_plies", *NAMES))
        look = _render_options(options)
        return GuardedEnv(interned(rules(**options)), draw, name, render_mode, max_plies, look)

    def raw_env(render_mode: str | None = None, max_plies: int | None = limit, **options: Any) -> RawEnv:
        """The same without guards: legality and the order of calls are the caller's."""
        _check_names("raw_env()", options, rules, ("render_mode", "max_plies", *NAMES))
        look = _render_options(options)
        return RawEnv(interned(rules(**options)), draw, name, render_mode, max_plies, look)

    def vector_env(
        num_envs: int,
        max_plies: int | None = limit,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        backend: Literal["numpy", "numba"] = "numpy",
        workers: int = 1,
        **options: Any,
    ) -> VectorEnv:
        """Many games at once, for self-play.

        backend: "numba" steps them by compiled code (`abstract_envs.compiled`), to the same results; needs the extra ``numba``.
        workers: if more than one, processes that share out the games, a core each; with "numba", threads.

        TypeError for an option that there is not, ValueError for a bad value: ``workers`` is at most ``num_envs``, and with
        "numba" at most the threads that Numba has (NUMBA_NUM_THREADS: the cores, unless set). RuntimeError for worker processes
        where there are none (Windows). With "numba", ImportError where Numba cannot be imported or may not compile; and, when a
        function is compiled, at its first call, RuntimeError where the package has no sources, or others than were imported.

        With "numba" and several workers the threads are those of Numba's layer, OpenMP's as a rule: a process that is forked
        after such a step is ended by it when it makes one in its turn. Steps in several Python threads at once do no harm; they
        wait for each other.
        """
        _check_names("vector_env()", options, rules, ("num_envs", "max_plies", "autoreset_mode", "backend", "workers"))
        if backend not in ("numpy", "numba"):
            raise ValueError(f"backend is {backend!r}; it is 'numpy' or 'numba'")
        game, workers = interned(rules(**options)), check_workers(workers, whole_number("num_envs", num_envs, 1))
        if backend == "numba":
            from abstract_envs.compiled import check_threads, compiled  # an extra, imported when used

            return VectorEnv(compiled(game, check_threads(workers, "workers")), num_envs, name, max_plies, autoreset_mode)
        if workers == 1:
            return VectorEnv(game, num_envs, name, max_plies, autoreset_mode)
        return WorkersVectorEnv(game, num_envs, name, workers, max_plies, autoreset_mode)

    def learner_env(
        render_mode: str | None = None,
        max_plies: int | None = limit,
        opponent: AgentLike = "random",
        seat: Seat = "alternate",
        mirror: bool = False,
        **options: Any,
    ) -> LearnerEnv:
        """A gymnasium environment with an opponent inside: what ``gymnasium.make`` makes."""
        own = ("render_mode", "max_plies", "opponent", "seat", "mirror", *NAMES)
        _check_names("learner_env()", options, rules, own)
        look = _render_options(options)
        return LearnerEnv(RawEnv(interned(rules(**options)), draw, name, render_mode, max_plies, look), opponent, seat, mirror)

    def learner_vector_env(
        num_envs: int,
        max_plies: int | None = limit,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        opponent: AgentLike = "random",
        seat: Seat = "alternate",
        mirror: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> LearnerVectorEnv:
        """The same for many games at once, as a gymnasium VectorEnv: what ``gymnasium.make_vec`` makes.

        render_mode: None, for who hands it to all environments; ValueError for another one.
        """
        own = ("num_envs", "max_plies", "autoreset_mode", "opponent", "seat", "mirror", "render_mode")
        _check_names("learner_vector_env()", options, rules, own)
        if render_mode is not None:
            raise ValueError(f"render_mode is {render_mode!r}; it is None, for batches show nothing{_hint('render_mode', own)}")
        return LearnerVectorEnv(interned(rules(**options)), num_envs, name, opponent, seat, mirror, max_plies, autoreset_mode)

    # where gymnasium.make looks for the modes, so that it knows "rgb_array_list" too
    learner_env.metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # type: ignore[attr-defined]
    made = Door(env, raw_env, vector_env, game, learner_env, learner_vector_env)
    for function in made:
        _show_options(function, (RenderOptions, rules) if function in (env, raw_env, learner_env) else (rules,))
        # where users find it, in help(), in error messages and for pickle
        function.__module__ = f"{rules.__module__.partition('.')[0]}.{name}"
        function.__qualname__ = function.__name__
    return made


def _render_options(options: dict[str, Any]) -> RenderOptions:
    """Takes the options of pictures out."""
    return RenderOptions(**{name: options.pop(name) for name in NAMES if name in options})


def _check_names(function: str, options: dict[str, Any], rules: type[Game[Any]], own: tuple[str, ...]) -> None:
    allowed = (*own, *_option_names(rules))
    unknown = [name for name in options if name not in allowed]
    if unknown:
        named = ", ".join(repr(name) + _hint(name, allowed) for name in unknown)
        known = f"its options are {', '.join(allowed)}" if allowed else "it has no options"
        raise TypeError(f"{rules.name}: {function} has no option {named}; {known}")


def _hint(name: str, allowed: tuple[str, ...]) -> str:
    if name in ("render_mode", *NAMES):
        return " (only env(), raw_env() and learner_env() show something: give one of these a game out of a batch)"
    return near(name, allowed)


def _option_names(rules: type[Game[Any]]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(rules))  # type: ignore[arg-type]


def _show_options(function: Callable[..., Any], kinds: tuple[type[Any], ...]) -> None:
    """Lets ``help()`` and completion show the options that these have as fields, in place of ``**options``."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    options = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
        for kind in kinds
        for field in fields(kind)
    ]
    function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
