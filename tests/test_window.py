"""The window of render_mode="human", under SDL's dummy driver, each test in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SETUP = """
import sys
import numpy as np
import abstract_envs
from abstract_envs import fano330_v0, inphexion_v0

def surface(env):
    "What the window shows, as an array."
    shown = env._window._window.get_surface()
    return np.frombuffer(pygame.image.tobytes(shown, "RGB"), np.uint8).reshape(*shown.get_size()[::-1], 3)

def twin(env, **options):
    "The picture of the same position."
    other = type(env)(env.game, env._draw, "twin", "rgb_array", None, env._render_options)
    other.reset()
    vars(other).update(_state=env._state, _last=env._last)
    return other.render()

def started(door=inphexion_v0, **options):
    env = door.env(render_mode="human", **options)
    env.reset(seed=0)
    return env

def post(kind, env=None):
    pygame.event.post(pygame.event.Event(kind, **({} if env is None else {"window": env._window._window})))
"""


def run(code: str, head: str = "import pygame\n", driver: str = "dummy") -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SETUP + head + code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "SDL_VIDEODRIVER": driver},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_sdl_starts_when_it_is_asked_for() -> None:
    """pygame is loaded when an environment is made for a window, its display starts with the window and ends with it."""
    out = run(
        """
env = inphexion_v0.env(render_mode="rgb_array")
env.reset()
env.render()
assert "pygame" not in sys.modules
env = inphexion_v0.env(render_mode="human")
import pygame
print(pygame.display.get_init())
env.reset()
print(pygame.display.get_init(), pygame.mixer and pygame.mixer.get_init())
env.close()
print(pygame.display.get_init())
env.close()
""",
        head="",
    )
    assert out.split("\n") == ["False", "True None", "False", ""]  # and no greeting


def test_every_step_is_shown() -> None:
    run(
        """
for door in abstract_envs.GAMES:
    env = started(door, width=150, height=120, theme="dark", legal_moves=True)
    for _ in range(4):
        np.testing.assert_array_equal(surface(env), twin(env))
        env.step(env.game.legal_actions(env.game_state)[-1])
    np.testing.assert_array_equal(surface(env), twin(env))
    assert env.render() is None
    title, size = env._window._window.title, env._window._window.size
    assert (title, size) == (env.metadata["name"], (150, 120)), (title, size)
    env.close()
"""
    )


def test_the_learners_window() -> None:
    run(
        """
import gymnasium
env = gymnasium.make("abstract_envs/inphexion-v0", render_mode="human", width=100, height=100)
env.reset(seed=0)
raw = env.unwrapped._raw
env.step(int(np.flatnonzero(env.unwrapped.action_masks())[0]))
np.testing.assert_array_equal(surface(raw), twin(raw))
env.close()
assert not pygame.display.get_init()
"""
    )


def test_what_is_no_step_is_shown_too() -> None:
    """A game that an illegal action has ended, also by a learner, and a position that was set."""
    run(
        """
import gymnasium, warnings
env = started(legal_moves=True)
env.step(0)
before = surface(env)
state = env.game_state
warnings.simplefilter("ignore")
env.step(0)
assert (surface(env) != before).any()
ended = surface(env)
env.game_state = state
assert (surface(env) != ended).any()
np.testing.assert_array_equal(surface(env), twin(env))

learner = gymnasium.make("abstract_envs/inphexion-v0", render_mode="human", seat=1)
learner.reset(seed=0)
raw = learner.unwrapped._raw
before = surface(raw)
learner.step(raw._last[1])
assert (surface(raw) != before).any()
"""
    )


def test_answers_events_while_nothing_happens() -> None:
    """Calls of render() without a step take what has come in, and draw nothing anew."""
    run(
        """
env = started()
window = env._window
for _ in range(3):
    kinds = (pygame.MOUSEMOTION, pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN)
    for kind in kinds:
        post(kind, env)
    drawn = []
    window._draw = lambda: drawn.append(1)
    env.render()
    assert pygame.event.get(kinds) == [] and drawn == []
    post(pygame.WINDOWEXPOSED, env)
    env.render()
    assert drawn == [1]
"""
    )


def test_resized_by_its_user() -> None:
    run(
        """
env = started()
env._window._window.size = (300, 220)
post(pygame.WINDOWSIZECHANGED, env)
env.render()
shown = surface(env)
assert shown.shape == (220, 300, 3)
env._render_options = type(env._render_options)(width=300, height=220)
np.testing.assert_array_equal(shown, twin(env))
"""
    )


@pytest.mark.parametrize("event", ["WINDOWCLOSE", "QUIT"])
def test_closed_by_its_user(event: str) -> None:
    """The game goes on unseen; after close() the next window opens."""
    run(
        f"""
env = started()
post(pygame.{event}, env if "{event}" == "WINDOWCLOSE" else None)
env.render()
assert not env._window.is_open and not pygame.display.get_init()
env.step(env.game.legal_actions(env.game_state)[0])
env.render()
assert not env._window.is_open and not pygame.display.get_init()
env.close()
env.reset()
assert env._window.is_open and pygame.display.get_init()
np.testing.assert_array_equal(surface(env), twin(env))
env.close()
"""
    )


def test_two_windows() -> None:
    """Each is closed by itself, whichever environment takes the event."""
    run(
        """
a, b = started(), started(fano330_v0)
post(pygame.WINDOWCLOSE, a)
b.render()
assert (a._window.is_open, b._window.is_open) == (False, True)
np.testing.assert_array_equal(surface(b), twin(b))
a.close()
assert pygame.display.get_init()
b.close()
assert not pygame.display.get_init()
"""
    )


def test_a_display_of_the_program_is_left_alone() -> None:
    """Its events stay, what asks it to end too, and so does it."""
    run(
        """
pygame.display.init()
env = started()
post(pygame.KEYDOWN)
post(pygame.QUIT)
pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=None))
post(pygame.WINDOWEXPOSED, env)
env.render()
assert env._window.is_open
left = [event.type for event in pygame.event.get()]
assert {pygame.KEYDOWN, pygame.QUIT, pygame.WINDOWCLOSE} <= set(left) and pygame.WINDOWEXPOSED not in left
env.close()
assert pygame.display.get_init()
"""
    )


def test_a_program_that_comes_later() -> None:
    """SDL was started for a window, then the program uses it as well: it is the program's from then on."""
    run(
        """
env = started()
mine = pygame.event.custom_type()
post(mine)
post(pygame.KEYDOWN)  # of no window
env.render()
assert {event.type for event in pygame.event.get((mine, pygame.KEYDOWN))} == {pygame.KEYDOWN, mine}
screen = pygame.display.set_mode((50, 50))
post(pygame.QUIT)
post(pygame.KEYDOWN, env)
env.render()
assert env._window.is_open
assert len(pygame.event.get((pygame.QUIT, pygame.KEYDOWN))) == 2
env.close()
assert pygame.display.get_init() and pygame.display.get_surface() is screen
screen.fill("red")
pygame.display.flip()
"""
    )


@pytest.mark.parametrize("end", ["pygame.quit()", "pygame.display.quit()", "pygame.quit(); pygame.display.init(); Window()"])
def test_the_program_ends_sdl(end: str) -> None:
    """Its windows are closed by that, the games go on unseen, and a new window opens after close()."""
    run(
        f"""
from pygame import Window
def check(call):
    env, beside = started(), started(fano330_v0)
    {end}
    on = pygame.display.get_init()
    call(env)
    assert not beside._window.is_open
    beside.step(0)
    assert beside.game_state.player == 1
    beside.close()
    assert pygame.display.get_init() == on
    env = started()
    np.testing.assert_array_equal(surface(env), twin(env))
    env.close()
    assert pygame.display.get_init() == on
    pygame.quit()

check(lambda env: env.step(0))
check(lambda env: env.render())
check(lambda env: env.close())
check(lambda env: env.__dict__.clear())
"""
    )


def test_beside_the_window_of_a_wrapper() -> None:
    """gymnasium's HumanRendering ends all of pygame when it is closed."""
    run(
        """
import gymnasium
wrapped = gymnasium.wrappers.HumanRendering(gymnasium.make("abstract_envs/inphexion-v0", render_mode="rgb_array"))
wrapped.reset(seed=0)
env = started()
env.step(0)
assert env._window.is_open
wrapped.close()
env.step(env.game.legal_actions(env.game_state)[0])
env.close()
env.reset()
assert env._window.is_open
"""
    )


def test_a_window_that_cannot_be_made() -> None:
    """SDL does not stay on."""
    run(
        """
from abstract_envs.render import window
def broken(*args, **options):
    raise pygame.error("no")
window.SdlWindow, whole = broken, window.SdlWindow
try:
    started()
except pygame.error:
    assert not pygame.display.get_init()
window.SdlWindow = whole
assert started()._window.is_open
"""
    )


def test_without_a_screen() -> None:
    """SDL takes its driver `offscreen` by itself: nobody is waited for, and that is said once."""
    out = run(
        """
import os, warnings
from abstract_envs.render import window
def never(seconds):
    raise AssertionError("waits")
window.sleep = never
pygame.display.init()
del os.environ["SDL_VIDEODRIVER"]  # as if SDL had chosen
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for _ in range(2):
        env = started()
        env.step(0)
        env.close()
print(pygame.display.get_driver(), len(said), said[0].message)
""",
        driver="offscreen",
    )
    assert out.startswith("offscreen 1 render_mode='human', but there is no screen")


def test_forgotten_windows() -> None:
    """An environment that is gone takes its window along; a program may end with one open."""
    assert (
        run(
            """
env = started()
del env
import gc
gc.collect()
print(pygame.display.get_init())
env = started()
"""
        )
        == "False\n"
    )


def test_copies_have_windows_of_their_own() -> None:
    run(
        """
import copy, pickle
env = started()
for twin_ in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
    assert twin_._window is None
    twin_.step(0)
    assert twin_._window is not env._window
    np.testing.assert_array_equal(surface(env), twin(env))
    np.testing.assert_array_equal(surface(twin_), twin(twin_))
    twin_.close()
assert env._window.is_open
"""
    )


def test_positions_are_left_to_be_seen() -> None:
    """Before the next one, and before the end, the window waits out the rest of 1 / render_fps, by a clock of this test."""
    run(
        """
from abstract_envs.render import window
now, waits = 1000.0, []
def wait(seconds):
    global now
    waits.append(seconds)
    now += seconds
def waited():
    return round(sum(waits), 6)
window.monotonic, window.sleep = lambda: now, wait
pygame.display.get_driver = lambda: "one that is seen"
env = started()
assert waits == []
now += 0.1  # the agent thinks
env.step(0)
assert waited() == 0.4 and max(waits) <= 0.02
now += 9
env.step(env.game.legal_actions(env.game_state)[0])
assert waited() == 0.4
env.render()  # nothing new
assert waited() == 0.4
env.close()
assert waited() == 0.9
env.reset()
post(pygame.WINDOWCLOSE, env)
env.step(0)  # a window that is closed keeps nobody waiting
assert waited() <= 0.92
"""
    )
