"""AEC environments: PettingZoo's own tests, its wrappers as reference for misuse, and what is promised beyond them."""

from __future__ import annotations

import copy
import enum
import functools
import importlib
import itertools
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from abstract_envs import inphexion_v0, xahzo_v0
from env_cases import (
    AGENTS,
    Case,
    all_cases,
    all_doors,
    attempt,
    everything,
    facts,
    illegal,
    legal,
    mid_game,
    over,
    plain,
    play,
    position_text,
)

both_kinds = pytest.mark.parametrize("kind", ["env", "raw_env"])

# api_test gives these for every third-party environment whose observations are dicts
EXPECTED = ("Observation is not a NumPy array", "Observation space for each agent probably should be")


# ------------------------------------------------------------------------------------------------ PettingZoo's own tests


@all_cases
@both_kinds
def test_api(case: Case, kind: str) -> None:
    EnvLogger.flush()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(getattr(case, kind)(), num_cycles=300)
    unexpected = [str(w.message) for w in caught if not str(w.message).startswith(EXPECTED)]
    assert unexpected == []
    assert EnvLogger.mqueue == []


@all_cases
@both_kinds
def test_seed(case: Case, kind: str) -> None:
    seed_test(getattr(case, kind), num_cycles=100)


@all_cases
@both_kinds
def test_render(case: Case, kind: str) -> None:
    render_test(getattr(case, kind), {"svg": lambda text: text.startswith("<svg "), "ansi": lambda text: text.endswith("\n")})


@all_cases
@both_kinds
def test_performance_benchmark(case: Case, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(0.0, 0.1)  # each look at it takes a tenth of a second, so it is over after some fifty
    module = importlib.import_module("pettingzoo.test.performance_benchmark")
    monkeypatch.setattr(module.time, "time", lambda: next(clock))
    performance_benchmark(getattr(case, kind)())
    assert next(clock) > 5


# -------------------------------------------------------------------------------------- misuse, against PettingZoo's wrappers


def wrapped(case: Case, **more: Any) -> Any:
    """The reference: the raw environment in the three wrappers, in PettingZoo's order."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(case.raw_env(**more), illegal_reward=-1)))


class Number(enum.IntEnum):
    ONE = 1


def wrong_actions(num_actions: int) -> list[Any]:
    """What is no action, by both our account and PettingZoo's."""
    a = num_actions
    values = [
        -1,
        a,
        a + 5,
        2**40,
        -(2**40),
        np.int64(-1),
        np.int16(-1),
        np.int64(a),
        np.array(a),
        np.array(-1),
        np.uint64(2**64 - 1),
    ]
    kinds = [
        0.0,
        1.5,
        np.float64(1),
        np.float32(0),
        float("nan"),
        1j,
        "1",
        "",
        b"1",
        [1],
        [],
        (1,),
        {},
        {1},
        object(),
        np.bool_(True),
    ]
    arrays = [
        np.array([1]),
        np.array([0, 1]),
        np.array([], np.int64),
        np.array(1.0),
        np.array(True),
        np.array("1"),
        np.zeros((1, 1), int),
    ]
    return [*values, *kinds, *arrays]


class Pair:
    """Our environment and the reference, driven through the same calls and compared after each."""

    def __init__(self, case: Case, look: bool = True, **more: Any) -> None:
        self.ours, self.theirs = case.env(**more), wrapped(case, **more)
        self.look = look  # whether to look at everything after every call, which a wrapper might remember
        self.iterators: tuple[Any, Any] | None = None
        self.compare("made")

    def compare(self, call: str) -> None:
        if self.look:
            assert facts(self.ours) == facts(self.theirs), call

    def do(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Calls a method of both; the result, or the type of the error of ours."""
        call = f"{name}{args}{kwargs or ''}"
        before = facts(self.ours) if self.look else {}
        EnvLogger.flush()
        theirs = attempt(self.method(self.theirs, name), *args, **kwargs)
        said = list(EnvLogger.mqueue)
        EnvLogger.flush()
        ours = attempt(self.method(self.ours, name), *args, **kwargs)
        assert EnvLogger.mqueue == said, call
        EnvLogger.flush()
        assert ours[0] == theirs[0], (call, ours, theirs)
        if ours[0] == "error":
            assert issubclass(ours[1], theirs[1]), (call, ours, theirs)
            if self.look:
                assert facts(self.ours) == before, call
        else:
            assert ours == theirs, call
        self.compare(call)
        return ours[1]

    @staticmethod
    def method(env: Any, name: str) -> Any:
        return functools.partial(getattr, env, name) if name in ("rewards", "agents") else getattr(env, name)

    def iterate(self) -> Any:
        """Asks an iterator of both for the next agent; an error or the end drops it."""
        if self.iterators is None:
            made = [attempt(lambda env=env: list(env.agent_iter(0))) for env in (self.ours, self.theirs)]
            assert made[0] == made[1]
            if made[0][0] == "error":
                return made[0][1]
            self.iterators = iter(self.ours.agent_iter()), iter(self.theirs.agent_iter())
        ours, theirs = (attempt(next, iterator) for iterator in self.iterators)
        assert ours == theirs
        if ours[0] == "error":
            self.iterators = None
        self.compare("next(agent_iter)")
        return ours[1]

    def step_legal(self) -> None:
        self.do("step", legal(self.ours)[0])

    def step_illegal(self) -> None:
        self.do("step", illegal(self.ours))

    def advance(self, plies: int) -> None:
        self.do("reset", seed=1)
        for _ in range(plies):
            self.step_legal()


looking = pytest.mark.parametrize("look", [True, False], ids=["looking", "blind"])


@all_cases
def test_misuse_before_reset(case: Case) -> None:
    pair = Pair(case, render_mode="ansi")
    for value in (0, None, -1, "1", illegal_at_start(case)):
        assert pair.do("step", value) is AssertionError
    for name in ("state", "render", "agent_iter"):
        assert pair.do(name) is AssertionError
    for agent in (*AGENTS, "nobody"):
        assert pair.do("observe", agent) is AssertionError
    for name in (
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "agent_selection",
        "num_agents",
        "agents",
        "_cumulative_rewards",
    ):
        ours, theirs = (attempt(getattr, env, name) for env in (pair.ours, pair.theirs))
        assert ours == theirs == ("error", AttributeError), name
    assert pair.do("last") is AttributeError
    with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
        _ = pair.ours.agents
    with pytest.raises(AttributeError, match="'no_such_thing'"):
        _ = pair.ours.no_such_thing
    assert not hasattr(pair.ours, "rewards")
    pair.do("close")
    pair.advance(2)


def illegal_at_start(case: Case) -> int:
    env = case.env()
    env.reset(seed=1)
    return illegal(env)


@all_cases
@looking
@pytest.mark.parametrize("plies", [0, 1, 3])
def test_illegal_action(case: Case, plies: int, look: bool) -> None:
    pair = Pair(case, look)
    pair.advance(plies)
    mover = pair.ours.agent_selection
    other = AGENTS[1 - AGENTS.index(mover)]
    pair.step_illegal()
    assert pair.ours.rewards == {mover: -1, other: 0}
    assert pair.ours.terminations == pair.ours.truncations == {"player_0": True, "player_1": True}
    assert not any(pair.ours.observe(agent)["action_mask"].any() for agent in AGENTS)
    # again, and legal ones: the agent is dead, so anything but None is an error
    assert issubclass(pair.do("step", 0), ValueError)
    pair.step_illegal()
    assert pair.do("step", -1) is not None
    collected = {}
    for _ in AGENTS:
        collected[pair.ours.agent_selection] = pair.ours.last()[1]
        pair.do("step", None)
    assert collected == {mover: -1, other: 0}
    assert pair.ours.agents == []
    pair.do("step", 0)  # a warning only
    pair.compare("at the end")
    pair.advance(plies + 1)  # reset after illegal
    pair.step_illegal()
    pair.do("reset")
    pair.step_illegal()
    pair.look = True
    pair.compare("at the end")


@all_cases
def test_reset_between_the_deaths(case: Case) -> None:
    for plies, max_plies in ((0, None), (2, None), (2, 2)):
        pair = Pair(case, max_plies=max_plies)
        pair.advance(plies)
        if max_plies is None:
            pair.step_illegal()
        pair.do("step", None)
        assert len(pair.ours.agents) == 1
        pair.advance(1)


@all_cases
def test_wrong_actions(case: Case) -> None:
    pair = Pair(case)
    pair.advance(2)
    for value in [None, *wrong_actions(pair.ours.game.num_actions)]:
        before = everything(pair.ours)
        error = pair.do("step", value)
        assert issubclass(error, ValueError), value
        assert issubclass(error, AssertionError), value
        assert everything(pair.ours) == before, value
    pair.step_legal()


@all_cases
def test_wrong_actions_of_the_dead(case: Case) -> None:
    pair = Pair(case, max_plies=2)
    pair.advance(2)
    assert over(pair.ours)
    for value in [0, 1, np.int32(1), *wrong_actions(pair.ours.game.num_actions)]:
        before = everything(pair.ours)
        assert issubclass(pair.do("step", value), ValueError)
        assert everything(pair.ours) == before, value
    pair.do("step", None)
    pair.do("step", None)
    for value in (0, None, -1, "1"):  # after the end: a warning, whatever it is
        pair.do("step", value)


@all_cases
def test_actions_stricter_than_pettingzoo(case: Case) -> None:
    """Booleans pass in PettingZoo, where bool is an int; whole numbers past 64 bits may be an OverflowError there."""
    env = mid_game(case)
    for value in (True, False, 2**70, -(2**70)):
        before = everything(env)
        with pytest.raises(ValueError, match="whole number from 0 to") as caught:
            env.step(value)
        assert isinstance(caught.value, AssertionError)
        assert str(value) in str(caught.value)
        assert everything(env) == before


@all_cases
def test_kinds_of_whole_numbers(case: Case) -> None:
    kinds = (
        int,
        np.int16,
        np.int32,
        np.int64,
        np.uint16,
        lambda a: np.array(a),
        lambda a: np.array(a, np.int32),
        lambda a: enum.IntEnum("A", {"A": a}).A,
    )
    expected = None
    for kind in kinds:
        pair = Pair(case)
        pair.do("reset", seed=1)
        for _ in range(3):
            pair.do("step", kind(legal(pair.ours)[-1]))
        assert not over(pair.ours)
        found = facts(pair.ours)
        assert expected is None or found == expected
        expected = found
    env = case.env()
    env.reset(seed=1)
    for _ in range(3):
        env.step(np.uint64(legal(env)[-1]))
    assert facts(env) == expected


@all_cases
@both_kinds
def test_the_callers_action_is_not_kept(case: Case, kind: str) -> None:
    env = getattr(case, kind)(render_mode="ansi")
    env.reset(seed=1)
    action = np.array(legal(env)[0])
    env.step(action)
    shown = env.render()
    action[...] = legal(env)[-1]
    assert env.render() == shown


@all_cases
def test_agent_iter(case: Case) -> None:
    pair = Pair(case)
    assert pair.iterate() is AssertionError  # before reset
    pair.do("reset", seed=1)
    pair.iterate()
    assert pair.iterate() is AssertionError  # no step since
    pair.do("reset", seed=1)
    pair.iterate()
    pair.do("reset", seed=2)  # a reset counts as a step
    pair.iterate()
    pair.step_legal()
    pair.iterate()
    pair.do("last")
    assert pair.iterate() is AssertionError
    pair.step_illegal()
    for _ in AGENTS:
        assert pair.iterate() in AGENTS
        pair.do("step", None)
    assert pair.iterate() is StopIteration
    for limit in (0, 1, 3):
        counts = []
        for env in (pair.ours, pair.theirs):
            env.reset(seed=1)
            counts.append(sum(env.step(legal(env)[0]) is None for _ in env.agent_iter(limit)))
        assert counts == [limit, limit]


@all_cases
def test_random_misuse(case: Case) -> None:
    """Scripts of random calls, right and wrong."""
    texts = [position_text(case, ended=False), position_text(case, ended=True)]
    seen = set()
    for seed in range(15):
        rng = np.random.default_rng(seed)
        pair = Pair(case, look=bool(seed % 4), max_plies=(None, 3, 6)[seed % 3])
        wrong = wrong_actions(pair.ours.game.num_actions)
        if rng.random() < 0.8:
            pair.do("reset", seed=seed)
        for _ in range(60):
            ready = hasattr(pair.ours, "agents")
            actions = legal(pair.ours) if ready else []
            call = rng.choice(
                ["legal", "illegal", "wrong", "None", "iterate", "reset", "position", "observe"],
                p=[0.5, 0.1, 0.06, 0.16, 0.06, 0.03, 0.03, 0.06],
            )
            if call == "legal":
                pair.do("step", int(rng.choice(actions)) if actions else 0)
            elif call == "illegal" and ready:
                pair.step_illegal()
            elif call == "wrong":
                pair.do("step", wrong[rng.integers(len(wrong))])
            elif call == "None":
                pair.do("step", None)
            elif call == "iterate":
                pair.iterate()
            elif call == "reset":
                pair.do("reset", seed=int(rng.integers(100)))
            elif call == "position":
                pair.do("reset", options={"position": texts[rng.integers(2)]})
            else:
                pair.do("observe", AGENTS[rng.integers(2)])
            if ready and not pair.ours.agents:
                seen.add("end")
            if ready and any(reward == -1 for reward in pair.ours.rewards.values()):
                seen.add("loss")
        pair.look = True
        pair.compare("at the end")
    assert seen == {"end", "loss"}


# ------------------------------------------------------------------------------------------------- observations and masks


@all_cases
@both_kinds
def test_masks(case: Case, kind: str) -> None:
    env = getattr(case, kind)()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        while not over(env):
            mover = env.agent_selection
            assert mover == AGENTS[env.game.current_player(env.game_state)]
            for agent in AGENTS:
                seen = env.observe(agent)
                assert env.observation_space(agent).contains(seen)
                assert seen["observation"].dtype == seen["action_mask"].dtype == np.int8
                expected = legal(env) if agent == mover else []
                assert np.flatnonzero(seen["action_mask"]).tolist() == expected
                assert np.array_equal(seen["observation"], env.game.observe(env.game_state, AGENTS.index(agent)))
            assert env.last()[0]["action_mask"].any()
            assert np.array_equal(env.state(), env.observe("player_0")["observation"])
            assert env.state_space.contains(env.state())
            env.step(int(rng.choice(legal(env))))
        assert_masks_zero(env)
        env.step(None)
        assert_masks_zero(env)
        env.step(None)
        assert_masks_zero(env)


def assert_masks_zero(env: Any) -> None:
    for agent in AGENTS:
        seen = env.observe(agent)
        assert not seen["action_mask"].any()
        assert env.observation_space(agent).contains(seen)


@all_cases
def test_masks_zero_after_truncation_and_illegal(case: Case) -> None:
    env = mid_game(case, 2)
    env.step(illegal(env))
    assert legal(env)  # by the rules the game goes on
    assert_masks_zero(env)
    for kind in (case.env, case.raw_env):
        env = kind(max_plies=2)
        env.reset(seed=1)
        play(env, np.random.default_rng(1))
        assert legal(env)
        assert_masks_zero(env)
        env.step(None)
        assert_masks_zero(env)


@all_cases
@both_kinds
def test_arrays_are_the_callers(case: Case, kind: str) -> None:
    env = mid_game(case, make=getattr(case, kind))

    def arrays() -> list[np.ndarray]:
        seen = [env.observe(agent) for agent in (*AGENTS, *AGENTS)] + [env.last()[0]]
        return [array for one in seen for array in (one["observation"], one["action_mask"])] + [env.state(), env.state()]

    before, expected = everything(env), facts(env)
    first = arrays()
    for one, other in itertools.combinations(first, 2):
        assert not np.shares_memory(one, other)
    kept = [array.copy() for array in first]
    for array in first:
        array[...] = 1  # read-only ones would raise
        array[...] = 0
    for array, copied in zip(arrays(), kept, strict=True):
        assert np.array_equal(array, copied)
    assert everything(env) == before
    assert facts(env) == expected
    # arrays of earlier plies stay as they were
    second = arrays()
    copies = [array.copy() for array in second]
    play(env, np.random.default_rng(0))
    for array, copied in zip(second, copies, strict=True):
        assert np.array_equal(array, copied)


@all_cases
def test_writing_on_the_mask_makes_nothing_legal(case: Case) -> None:
    env = mid_game(case)
    mover = env.agent_selection
    env.last()[0]["action_mask"][...] = 1
    env.observe(mover)["action_mask"][...] = 1
    env.step(illegal(env))
    assert env.rewards[mover] == -1
    env = mid_game(case)
    mover = env.agent_selection
    env.last()[0]["action_mask"][...] = 0
    env.step(legal(env)[0])
    assert env.rewards[mover] != -1
    assert not any(env.truncations.values())


@all_cases
@both_kinds
def test_observe_is_pure(case: Case, kind: str) -> None:
    env = getattr(case, kind)(render_mode="ansi")
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(6):
        before = everything(env)
        expected = facts(env)
        env.render()
        assert facts(env) == expected
        assert everything(env) == before
        if over(env):
            break
        env.step(int(rng.choice(legal(env))))
    with pytest.raises(ValueError, match="'player_7' is no agent"):
        env.observe("player_7")


@all_cases
@both_kinds
def test_spaces(case: Case, kind: str) -> None:
    env = getattr(case, kind)()
    game = env.game
    kept = {agent: (env.observation_space(agent), env.action_space(agent)) for agent in AGENTS}
    env.reset(seed=0)
    play(env, np.random.default_rng(0), 3)
    for agent in AGENTS:
        assert env.observation_space(agent) is kept[agent][0] is env.observation_spaces[agent]
        assert env.action_space(agent) is kept[agent][1] is env.action_spaces[agent]
        assert env.action_space(agent) == gymnasium.spaces.Discrete(game.num_actions)
        space = env.observation_space(agent)
        assert set(space.spaces) == {"observation", "action_mask"}
        assert space["observation"].dtype == space["action_mask"].dtype == np.int8
        assert space["observation"].shape == game.observation_shape
        assert space["action_mask"] == gymnasium.spaces.Box(0, 1, (game.num_actions,), np.int8)
    assert env.possible_agents == list(AGENTS)
    assert env.unwrapped is env
    assert env.metadata["name"] == str(env) == f"{game.name}_v0"
    assert env.metadata["render_modes"] == ["ansi", "human", "rgb_array", "svg"]
    assert env.metadata["render_fps"] == 2
    assert env.metadata["is_parallelizable"] is False
    assert env.render_mode is None


@all_doors
@both_kinds
def test_seeding_an_action_space_leaves_that_of_the_other_agent(door: Any, kind: str) -> None:
    mine, theirs = map(getattr(door, kind)().action_space, AGENTS)
    mine.seed(1)
    expected = [mine.sample() for _ in range(5)]
    mine.seed(1)
    theirs.seed(2)
    theirs.sample()
    assert [mine.sample() for _ in range(5)] == expected


# ------------------------------------------------------------------------------------------------- where a game starts


@all_cases
@both_kinds
def test_reset_to_a_position(case: Case, kind: str) -> None:
    text = position_text(case, ended=False)
    env = getattr(case, kind)()
    for _ in range(2):  # first reset, and one in the middle of a game
        env.reset(seed=1, options={"position": text, "other": 3})
        assert env.game.to_string(env.game_state) == text
        assert env.agent_selection == AGENTS[env.game.current_player(env.game.from_string(text))]
        assert env.agents == list(AGENTS)
        assert not over(env)
        env.step(legal(env)[0])
    plain_reset = getattr(case, kind)()
    plain_reset.reset(seed=4)
    for options in (None, {}, {"options": 1}, {"position": None}, {"Position": "x"}):
        env.reset(seed=4, options=options)
        assert facts(env) == facts(plain_reset)


@all_cases
@both_kinds
def test_reset_to_an_ended_position(case: Case, kind: str) -> None:
    text = position_text(case, ended=True)
    env = getattr(case, kind)()
    env.reset(options={"position": text})
    rewards = dict(zip(AGENTS, env.game.rewards(env.game.from_string(text)), strict=True))
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.truncations == {"player_0": False, "player_1": False}
    assert env.rewards == env._cumulative_rewards == rewards
    assert_masks_zero(env)
    got = {}
    for agent in env.agent_iter():
        _, got[agent], terminated, _, _ = env.last()
        assert terminated
        env.step(None)
    assert got == rewards
    assert env.agents == []


@all_cases
@both_kinds
def test_impossible_positions_change_nothing(case: Case, kind: str) -> None:
    text = position_text(case, ended=False)
    env = mid_game(case, make=getattr(case, kind))
    for bad in ("", "nonsense", text + " ", " " + text, text + " x", "/" + text, 5, ["a"], b"w", True):
        before = everything(env)
        with pytest.raises(ValueError, match=r"\S"):
            env.reset(seed=99, options={"position": bad})
        assert everything(env) == before, bad
    play(env, np.random.default_rng(0))
    env = getattr(case, kind)()
    before = everything(env)
    with pytest.raises(ValueError, match=r"\S"):
        env.reset(options={"position": "nonsense"})
    assert everything(env) == before
    assert not hasattr(env, "agents")


@all_cases
def test_bad_seeds_change_nothing(case: Case) -> None:
    env = mid_game(case)
    for bad in (-1, 1.5, "1", True, 2**64, [1]):
        before = everything(env)
        with pytest.raises(ValueError, match="seed is"):
            env.reset(seed=bad)
        assert everything(env) == before
    for good in (0, np.int64(3), 2**64 - 1):
        env.reset(seed=good)


@all_cases
def test_seeds(case: Case) -> None:
    """Equal seeds start equal games, and so does every further reset."""
    one, other = case.env(), case.env()
    for seed in (0, 1, 7):
        one.reset(seed=seed)
        play(one, np.random.default_rng(0), 2)
        other.reset(seed=seed)
        for _ in range(3):
            one.reset()
            other.reset()
            assert facts(one) == facts(other)


@all_cases
@both_kinds
def test_game_state(case: Case, kind: str) -> None:
    source = mid_game(case, 4, getattr(case, kind))
    state = source.unwrapped.game_state
    expected = facts(source)
    env = mid_game(case, 1, getattr(case, kind), render_mode="ansi")
    env.unwrapped.game_state = state
    assert env.unwrapped.game_state is state
    assert facts(env) == expected
    assert isinstance(env.render(), str)
    play(env, np.random.default_rng(0))
    env.step(None)
    env.unwrapped.game_state = state  # both agents are back
    assert facts(env) == expected
    game = env.game
    ended = game.from_string(position_text(case, ended=True))
    env.unwrapped.game_state = ended
    assert env.rewards == env._cumulative_rewards == dict(zip(AGENTS, game.rewards(ended), strict=True))
    assert env.terminations == {"player_0": True, "player_1": True}
    before = everything(env)
    for bad in (None, tuple(state), game.stack([state]), "text"):
        with pytest.raises(TypeError, match="game_state is a State"):
            env.unwrapped.game_state = bad
        assert everything(env) == before


@pytest.mark.parametrize("door", [inphexion_v0, xahzo_v0])
def test_game_state_of_a_larger_board(door: Any) -> None:
    large, small = door.game(), door.env(board_size=5)
    small.reset(seed=0)
    before = small.game_state
    start = large.deal(0)
    with pytest.raises(ValueError, match=r"game_state is a State of .*board_size=5.* has pieces beside its board$"):
        small.game_state = large.step(start, large.legal_actions(start)[-1])  # a piece on one of the last rows
    assert small.game_state is before


@all_cases
@both_kinds
def test_plies_are_counted_from_a_state_that_was_set(case: Case, kind: str) -> None:
    env = getattr(case, kind)(max_plies=2)
    env.reset(seed=1)
    start = env.unwrapped.game_state
    for plies in (1, 2):
        env.reset(seed=1)
        play(env, np.random.default_rng(0), plies)
        env.unwrapped.game_state = start
        assert len(play(env, np.random.default_rng(0), 10)) == 2
        assert all(env.truncations.values())


# ------------------------------------------------------------------------------------------------------- how games end


@all_cases
@both_kinds
def test_limit_of_plies(case: Case, kind: str) -> None:
    make = getattr(case, kind)
    env = make(max_plies=None)
    env.reset(seed=5)
    actions = play(env, np.random.default_rng(5))
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    rewards = dict(env.rewards)
    for limit in (1, 2, len(actions) - 1, len(actions), len(actions) + 1):
        env = make(max_plies=np.int64(limit))
        for _ in range(2):  # the count starts anew
            env.reset(seed=5)
            for ply, action in enumerate(actions[:limit], 1):
                assert not over(env)
                env.step(action)
                if ply < min(limit, len(actions)):
                    assert env.rewards == {"player_0": 0, "player_1": 0}
            ended = limit >= len(actions)
            assert env.terminations == dict.fromkeys(AGENTS, ended)
            assert env.truncations == dict.fromkeys(AGENTS, not ended)
            assert env.rewards == env._cumulative_rewards == (rewards if ended else dict.fromkeys(AGENTS, 0))
            assert env.agents == list(AGENTS)
            for agent in env.agent_iter():
                assert env.last()[1] == (rewards[agent] if ended else 0)
                env.step(None)


@all_doors
@pytest.mark.parametrize("kind", ["env", "raw_env", "vector_env"])
def test_bad_limits(door: Any, kind: str) -> None:
    first = (2,) if kind == "vector_env" else ()
    for bad in (0, -1, 1.5, 2.0, "3", True, [3], np.float64(3)):
        with pytest.raises(ValueError, match=r"max_plies is .*whole number of at least 1"):
            getattr(door, kind)(*first, max_plies=bad)


@all_cases
@both_kinds
def test_rewards_of_whole_games(case: Case, kind: str) -> None:
    """Through the usual loop the loser's last() gives -1, the winner's +1, and both give 0 before the end."""
    env = getattr(case, kind)(max_plies=None)
    results = set()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        last: dict[str, float] = {}
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, info = env.last()
            assert isinstance(reward, float)
            assert info == {}
            assert not truncated
            if terminated:
                last[agent] = reward
                env.step(None)
            else:
                assert reward == 0
                env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
        assert last == dict(zip(AGENTS, env.game.rewards(env.game_state), strict=True))
        assert sum(last.values()) == 0
        assert env.agents == []
        assert env.rewards == env.infos == {}
        results.add(last["player_0"])
    assert len(results) > 1


@all_cases
def test_infos(case: Case) -> None:
    env = mid_game(case)
    assert env.infos == {"player_0": {}, "player_1": {}}
    env.infos["player_0"]["mine"] = 1
    assert env.infos["player_1"] == {}
    env.reset()
    assert env.infos == {"player_0": {}, "player_1": {}}


# ------------------------------------------------------------------------------------------------------------- copies


COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env))}


@all_cases
@both_kinds
@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_copies(case: Case, kind: str, how: str, render_mode: str | None) -> None:
    for env in (
        mid_game(case, 4, getattr(case, kind), render_mode=render_mode, max_plies=30),
        ended_env(case, kind, render_mode),
    ):
        if render_mode:
            env.render()
        copied = COPIES[how](env)
        assert type(copied) is type(env)
        assert facts(copied) == facts(env)
        assert copied.observation_space("player_0") == env.observation_space("player_0")
        twin = COPIES[how](copied)
        expected = facts(env), everything(env)
        play(copied, np.random.default_rng(1))  # independent: the original stays
        copied.step(None)
        copied.infos.clear()
        assert (facts(env), everything(env)) == expected
        assert play(env, np.random.default_rng(2)) == play(twin, np.random.default_rng(2))
        assert facts(env) == facts(twin)
        if render_mode:
            assert env.render() == twin.render()
        env.reset()
        twin.reset()  # the same next deal
        assert facts(env) == facts(twin)


def ended_env(case: Case, kind: str, render_mode: str | None) -> Any:
    env = getattr(case, kind)(render_mode=render_mode)
    env.reset(seed=2)
    play(env, np.random.default_rng(2))
    return env


@all_cases
@both_kinds
@pytest.mark.parametrize("how", COPIES)
def test_copies_before_reset(case: Case, kind: str, how: str) -> None:
    for render_mode in (None, "ansi", "human", "rgb_array", "svg"):
        env = getattr(case, kind)(render_mode=render_mode)
        copied = COPIES[how](env)
        assert copied.render_mode == render_mode
        assert not hasattr(copied, "agents")
        copied.reset(seed=1)
        assert not hasattr(env, "agents")
        env.reset(seed=1)
        assert facts(copied) == facts(env)


# ------------------------------------------------------------------------------------------------------------ showing


@all_cases
@both_kinds
def test_render_without_a_mode(case: Case, kind: str) -> None:
    env = mid_game(case, make=getattr(case, kind))
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


@all_doors
def test_bad_render_modes(door: Any) -> None:
    for make in (door.env, door.raw_env):
        for bad in ("rgb", "Ansi", "", 3, ["ansi"], True):
            with pytest.raises(ValueError, match=r"render_mode is .*'ansi', 'human'"):
                make(render_mode=bad)


def test_plain_sees_differences() -> None:
    """The tests above compare with it."""
    assert plain({"a": np.zeros(2, np.int8)}) != plain({"a": np.zeros(2, np.int16)})
    assert plain([np.zeros((1, 2))]) != plain([np.zeros((2, 1))])
    assert plain(object()) != plain(object())


@all_cases
@both_kinds
def test_a_limit_is_shown(case: Case, kind: str) -> None:
    """Who would be to move is not said after the end, nor what were legal; a new game says it again."""
    env = mid_game(case, 3, getattr(case, kind), render_mode="ansi", legal_moves=True, max_plies=4)
    assert " to " in env.render()
    assert env.drawing().hints
    env.step(legal(env)[0])
    if env.game.is_terminal(env.game_state):
        assert "cut off" not in env.render()
        return
    assert env.render().endswith("\ncut off after 4 actions\n")
    assert (env.drawing().hints, env.drawing().hinted) == ((), frozenset())
    state = env.game_state
    env.game_state = state
    assert "cut off" not in env.render()


@all_cases
def test_illegal_actions_are_shown(case: Case) -> None:
    env = mid_game(case, 3, render_mode="ansi", legal_moves=True)
    before = env.drawing()
    env.step(illegal(env))
    drawing = env.drawing()
    assert drawing.status == (env.game_state.player, "has ended the game by an illegal action")
    assert (drawing.hints, drawing.hinted) == ((), frozenset())
    assert (drawing.symbols, drawing.last, drawing.marked) == (before.symbols, before.last, before.marked)
    env.reset()
    assert "illegal" not in env.render()
