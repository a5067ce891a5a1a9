"""A reset forgets all that came before it, in the midst of games and at their ends (`test_sb3` has the same of its form)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from gymnasium.vector import AutoresetMode

from abstract_envs import inphexion_v0
from learner_cases import SMALL, first_legal

LEARNER: dict[str, Any] = {"board_size": 4, "max_plies": 4, "opponent": first_legal, "seat": 0}


class Played(NamedTuple):
    """An environment in which two steps are a game, cut off by the limit of plies."""

    reset: Callable[[], object]
    step: Callable[[], bool]
    """Plays the first legal actions -> whether the games, all alike, are over."""
    states: Callable[[], Any]
    """One state, or a batch of three."""


def aec(kind: str) -> Played:
    env = getattr(inphexion_v0, kind)(board_size=4, max_plies=2)

    def step() -> bool:
        env.step(int(env.last()[0]["action_mask"].argmax()))
        return all(env.truncations.values())

    return Played(env.reset, step, lambda: env.game_state)


def one() -> Played:
    env = inphexion_v0.learner_env(**LEARNER)
    return Played(env.reset, lambda: env.step(env.action_masks().argmax())[3], lambda: env.game_state)


def self_play(mode: AutoresetMode) -> Played:
    envs = inphexion_v0.vector_env(3, board_size=4, max_plies=2, autoreset_mode=mode)
    return Played(envs.reset, lambda: envs.step(SMALL.action_mask(envs.states).argmax(1))[3].all(), lambda: envs.states)


def many(mode: AutoresetMode) -> Played:
    envs = inphexion_v0.learner_vector_env(3, autoreset_mode=mode, **LEARNER)
    return Played(envs.reset, lambda: envs.step(envs.action_masks().argmax(1))[3].all(), lambda: envs.states)


def texts(states: Any) -> list[str]:
    batch = SMALL.stack([states]) if type(states[0]) is int else states
    return [SMALL.to_string(SMALL.take(batch, i)) for i in range(SMALL.batch_size(batch))]


KINDS: dict[str, Callable[[], Played]] = {
    "env": lambda: aec("env"),
    "raw_env": lambda: aec("raw_env"),
    "learner_env": one,
    **{f"vector_env-{mode.value}": lambda mode=mode: self_play(mode) for mode in AutoresetMode},
    **{f"learner_vector_env-{mode.value}": lambda mode=mode: many(mode) for mode in AutoresetMode},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_reset_forgets_what_came_before(kind: str) -> None:
    fresh = KINDS[kind]()
    expected: list[list[str]] = []
    fresh.reset()
    for over in (None, False, True):
        assert over is None or fresh.step() == over
        expected.append(texts(fresh.states()))
    assert len({text for step in expected[:2] for text in step}) == 2

    played = KINDS[kind]()
    for steps in (1, 2, 1, 2, 2):  # resets come in the midst of games, whose plies do not count any more, and at their ends
        played.reset()
        assert texts(played.states()) == expected[0]
        for step in range(1, steps + 1):
            assert played.step() == (step == 2)
            assert texts(played.states()) == expected[step]
