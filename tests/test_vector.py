"""Vector environments: equal to single AEC games ply by ply, resets, what is refused, and arrays that stay the caller's."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from gymnasium.vector import AutoresetMode

from abstract_envs.envs import vector
from env_cases import AGENTS, Case, all_cases, all_doors, over, position_text
from helpers import before_line

MODES = tuple(AutoresetMode)
all_modes = pytest.mark.parametrize("mode", MODES, ids=[mode.value for mode in MODES])


# ------------------------------------------------------------------------------------------- equality with single AEC games


class Singles:
    """AEC environments fed the same actions one by one, and what a vector environment has to say about them."""

    def __init__(self, case: Case, num_envs: int, mode: AutoresetMode, **more: Any) -> None:
        first = case.env(**more)
        self.envs = [first, *(copy.deepcopy(first) for _ in range(num_envs - 1))]  # made faster than new ones
        self.mode = mode
        self.ended = 0

    def reset(self, seeds: list[int], **more: Any) -> dict[str, np.ndarray]:
        for env, seed in zip(self.envs, seeds, strict=True):
            env.reset(seed=seed, **more)
        return self.see()

    def restart(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        for row in rows:
            self.envs[row].reset()
        return self.see()

    def step(self, actions: np.ndarray) -> dict[str, np.ndarray]:
        n = len(self.envs)
        rewards, terminations, truncations = np.zeros((n, 2), np.float32), np.zeros(n, bool), np.zeros(n, bool)
        final_obs = np.zeros((n, *self.envs[0].game.observation_shape), np.int8)
        final_player = np.zeros(n, np.int8)
        for i, (env, action) in enumerate(zip(self.envs, actions.tolist(), strict=True)):
            if over(env):
                assert self.mode is AutoresetMode.NEXT_STEP
                env.reset()
                continue
            env.step(action)
            rewards[i] = [env.rewards[agent] for agent in AGENTS]
            terminations[i], truncations[i] = env.terminations["player_0"], env.truncations["player_0"]
            if over(env):
                self.ended += 1
                if self.mode is AutoresetMode.SAME_STEP:
                    final_player[i] = env.game.current_player(env.game_state)
                    final_obs[i] = env.observe(AGENTS[final_player[i]])["observation"]
                    env.reset()
        found = {"rewards": rewards, "terminations": terminations, "truncations": truncations}
        ended = terminations | truncations
        if self.mode is AutoresetMode.SAME_STEP and ended.any():
            found |= {"final_obs": final_obs, "final_player": final_player, "_final_obs": ended}
        return self.see() | found

    def see(self) -> dict[str, np.ndarray]:
        players = [env.game.current_player(env.game_state) for env in self.envs]
        seen = [env.observe(AGENTS[player]) for env, player in zip(self.envs, players, strict=True)]
        return {
            "observation": np.stack([one["observation"] for one in seen]),
            "action_mask": np.stack([one["action_mask"] for one in seen]),
            "current_player": np.array(players, np.int8),
        }


def named(result: tuple[Any, ...]) -> dict[str, np.ndarray]:
    """What a vector environment's reset or step returned, by name."""
    if len(result) == 2:
        return {"observation": result[0], **result[1]}
    return {"observation": result[0], "rewards": result[1], "terminations": result[2], "truncations": result[3], **result[4]}


def assert_equal(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype, name
        assert found[name].shape == array.shape, name
        assert np.array_equal(found[name], array), name


def random_actions(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Legal actions where there are any, else nonsense."""
    actions = (rng.random(mask.shape) * mask).argmax(axis=1)
    nonsense = rng.integers(-(2**62), 2**62, len(mask))
    nonsense[::2] %= mask.shape[1]
    return np.where(mask.any(axis=1), actions, nonsense)


@all_cases
@all_modes
@pytest.mark.parametrize(("max_plies", "n", "steps"), [(None, 64, 150), (1, 40, 12), (6, 80, 60), (40, 30, 100)])
def test_equal_to_single_games(case: Case, mode: AutoresetMode, max_plies: int | None, n: int, steps: int) -> None:
    venv = case.vector_env(n, max_plies=max_plies, autoreset_mode=mode)
    singles = Singles(case, n, mode, max_plies=max_plies)
    rng = np.random.default_rng(11)
    found = named(venv.reset(seed=5))
    assert_equal(found, singles.reset(list(range(5, 5 + n))))
    flags = np.zeros(2, int)
    for _ in range(steps):
        actions = random_actions(found["action_mask"], rng)
        found = named(venv.step(actions))
        assert_equal(found, singles.step(actions))
        assert not (found["terminations"] & found["truncations"]).any()
        flags += found["terminations"].sum(), found["truncations"].sum()
        ended = found["terminations"] | found["truncations"]
        if mode is AutoresetMode.DISABLED and ended.any():
            found = named(venv.reset(options={"reset_mask": ended}))
            assert_equal(found, singles.restart(np.flatnonzero(ended)))
    assert singles.ended == flags.sum()
    if max_plies is None:
        assert flags[0] > 0
        assert flags[1] == 0
    else:
        # every game ends within the limit, and in next-step mode takes a step more
        assert flags.sum() >= n * (steps // (max_plies + (mode is AutoresetMode.NEXT_STEP)))
        assert flags[1] > 0 or max_plies > 6


@all_cases
def test_one_game(case: Case) -> None:
    venv, singles = case.vector_env(1), Singles(case, 1, AutoresetMode.SAME_STEP)
    rng = np.random.default_rng(0)
    found = named(venv.reset(seed=0))
    assert_equal(found, singles.reset([0]))
    for _ in range(100):
        actions = random_actions(found["action_mask"], rng)
        found = named(venv.step(actions))
        assert_equal(found, singles.step(actions))


@all_cases
def test_states(case: Case) -> None:
    venv = case.vector_env(3)
    with pytest.raises(AttributeError, match="before reset"):
        _ = venv.states
    observation, info = venv.reset(seed=0)
    game = venv.game
    for _ in range(30):
        states = venv.states
        assert np.array_equal(observation, game.observe(states))
        assert np.array_equal(info["action_mask"], game.action_mask(states))
        before = texts(venv)
        observation, *_, info = venv.step(game.sample(states, np.random.default_rng(0)))
        assert [game.to_string(game.take(states, i)) for i in range(3)] == before  # a batch that was taken stays


def texts(venv: Any) -> list[str]:
    return [venv.game.to_string(venv.game.take(venv.states, i)) for i in range(venv.num_envs)]


# --------------------------------------------------------------------------------------------------- shapes, dtypes, spaces


@all_cases
@all_modes
def test_shapes_and_dtypes(case: Case, mode: AutoresetMode) -> None:
    n = 5
    venv = case.vector_env(n, autoreset_mode=mode, max_plies=6)
    planes, actions = venv.game.observation_shape, venv.game.num_actions
    assert venv.num_envs == n
    assert venv.single_action_space == Discrete(actions)
    assert venv.single_observation_space.shape == planes
    assert venv.single_observation_space.dtype == np.int8
    assert venv.action_space == MultiDiscrete([actions] * n)
    assert isinstance(venv.observation_space, Box)
    assert venv.observation_space.shape == (n, *planes)
    assert venv.metadata["autoreset_mode"] is mode
    assert venv.autoreset_mode is mode
    assert venv.metadata["name"] == f"{venv.game.name}_v0"
    _, info = venv.reset(seed=1)
    assert set(info) == {"action_mask", "current_player"}
    always = {"action_mask": ((n, actions), np.int8), "current_player": ((n,), np.int8)}
    at_ends = {"final_obs": ((n, *planes), np.int8), "_final_obs": ((n,), np.bool_), "final_player": ((n,), np.int8)}
    for ply in range(1, 7):
        taken = venv.game.sample(venv.states, np.random.default_rng(ply))
        assert venv.action_space.contains(taken)
        observation, rewards, terminations, truncations, info = venv.step(taken)
        assert (observation.shape, observation.dtype) == ((n, *planes), np.int8)
        assert venv.observation_space.contains(observation)
        assert (rewards.shape, rewards.dtype) == ((n, 2), np.float32)
        assert (terminations.shape, terminations.dtype) == (truncations.shape, truncations.dtype) == ((n,), np.bool_)
        ended = terminations | truncations
        expected = always | (at_ends if ended.any() and mode is AutoresetMode.SAME_STEP else {})
        assert {name: (array.shape, array.dtype) for name, array in info.items()} == expected
        if ended.any():
            assert mode is not AutoresetMode.SAME_STEP or np.array_equal(info["_final_obs"], ended)
            break
    assert ended.any()
    assert venv.close() is None


@all_doors
def test_bad_arguments(door: Any) -> None:
    for bad in (0, -1, 1.5, "3", True, None, [4], np.float64(2)):
        with pytest.raises(ValueError, match=r"num_envs is .*whole number of at least 1"):
            door.vector_env(bad)
    for bad in ("same_step", "", 3, None, [], "NEXT_STEP"):
        with pytest.raises(ValueError, match=r"autoreset_mode is .*'NextStep', 'SameStep', 'Disabled'"):
            door.vector_env(2, autoreset_mode=bad)
    for mode in MODES:
        assert door.vector_env(np.int32(2), autoreset_mode=mode.value).autoreset_mode is mode
    assert door.vector_env(np.int32(2)).num_envs == 2
    assert door.vector_env(2).autoreset_mode is AutoresetMode.SAME_STEP


# ----------------------------------------------------------------------------------------------------------------- resets


@all_cases
def test_seeds(case: Case) -> None:
    n = 4
    for seed, seeds in (
        (7, [7, 8, 9, 10]),
        (np.int64(7), [7, 8, 9, 10]),
        ([3, 3, 0, 9], [3, 3, 0, 9]),
        ((5, 4, 3, 2), [5, 4, 3, 2]),
        (np.array([1, 2, 3, 4]), [1, 2, 3, 4]),
    ):
        venv = case.vector_env(n)
        singles = Singles(case, n, AutoresetMode.SAME_STEP)
        assert_equal(named(venv.reset(seed=seed)), singles.reset(seeds))
        for _ in range(2):  # without a seed the deals go on
            assert_equal(named(venv.reset()), singles.restart(np.arange(n)))
        assert texts(venv) == [env.game.to_string(env.game_state) for env in singles.envs]
    venv.reset(seed=[2**64 - 1, 0, 1, 2])


@all_cases
@all_modes
def test_deals_are_those_of_single_games(case: Case, mode: AutoresetMode, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every start is dealt from the seed that a single game gets; games without chance are taken for games with it."""
    asked: list[int] = []
    deal = type(case.game()).deal
    one = case.game().init(rng=np.random.default_rng(0))
    # what a game makes when it is first used looks at a deal of its own
    case.game().repeat(one, 2), case.game().view(one), case.game().observe(one, 0)

    def watched(game: Any, seed: Any) -> Any:
        asked.extend([seed] if isinstance(seed, int) else seed.tolist())
        return deal(game, seed)

    monkeypatch.setattr(type(case.game()), "deal", watched)
    monkeypatch.setattr(type(case.game()), "has_chance", True)

    def dealt() -> list[int]:
        seeds = sorted(asked)
        asked.clear()
        return seeds

    venv, singles = case.vector_env(6, autoreset_mode=mode, max_plies=3), Singles(case, 6, mode, max_plies=3)
    seen: set[int] = set()
    mask = np.array([True, False, True, False, False, True])
    for seed in (5, None, [3, 4, 5, 0, 1, 2], None):
        found = named(venv.reset(seed=seed))
        ours = dealt()
        for i, env in enumerate(singles.envs):
            env.reset(seed=seed + i if isinstance(seed, int) else seed[i] if seed else None)
        assert ours == dealt()
        assert len(set(ours)) == 6
        seen |= set(ours)
        if mode is AutoresetMode.DISABLED:
            venv.reset(options={"reset_mask": mask})
            ours = dealt()
            singles.restart(np.flatnonzero(mask))
            assert ours == dealt()
            continue
        for _ in range(7):
            actions = random_actions(found["action_mask"], np.random.default_rng(0))
            found = named(venv.step(actions))
            ours = dealt()
            singles.step(actions)
            assert ours == dealt()
            seen |= set(ours)
    assert len(seen) > 12


@all_cases
def test_bad_seeds_change_nothing(case: Case) -> None:
    venv = case.vector_env(3)
    for started in (False, True):
        for bad in (
            -1,
            1.5,
            "123",
            True,
            2**64,
            [1, 2],
            [1, 2, 3, 4],
            [1, 2, -3],
            [1, 2, None],
            [1, 2, 2.5],
            np.zeros((3, 2), int),
            np.array(1.5),
            b"abc",
        ):
            before = everything_of(venv)
            with pytest.raises(ValueError, match="seed"):
                venv.reset(seed=bad)
            assert everything_of(venv) == before, bad
        if not started:
            venv.reset(seed=1)
            venv.step(venv.game.sample(venv.states, np.random.default_rng(0)))


def everything_of(venv: Any) -> dict[str, Any]:
    """All that a vector environment holds, in bytes."""
    held = {name: pickle.dumps(value) for name, value in vars(venv).items() if "space" not in name}
    return held | ({"states": id(venv.states)} if venv._states is not None else {})


@all_cases
@all_modes
def test_reset_mask(case: Case, mode: AutoresetMode) -> None:
    """The games of the mask start anew, the others are untouched; equal to single games."""
    n = 6
    venv, singles = case.vector_env(n, autoreset_mode=mode, max_plies=5), Singles(case, n, mode, max_plies=5)
    rng = np.random.default_rng(2)
    found = named(venv.reset(seed=1))
    singles.reset(list(range(1, 1 + n)))
    for _ in range(40):
        ended = np.array([over(env) for env in singles.envs])
        mask = rng.random(n) < 0.4
        if mode is AutoresetMode.DISABLED:
            mask |= ended
        if mask.any():
            given = mask.copy()
            before = texts(venv)
            found = named(venv.reset(options={"reset_mask": given, "other": 1}))
            assert np.array_equal(given, mask)
            assert_equal(found, singles.restart(np.flatnonzero(mask)))
            assert all(text == old for text, old, new in zip(texts(venv), before, mask, strict=True) if not new)
        actions = random_actions(found["action_mask"], rng)
        found = named(venv.step(actions))
        assert_equal(found, singles.step(actions))
    assert singles.ended > n


@all_cases
def test_reset_mask_with_seeds_and_positions(case: Case) -> None:
    n, text = 4, position_text(case, ended=False)
    mask = np.array([False, True, False, True])
    venv, singles = case.vector_env(n, autoreset_mode="Disabled"), Singles(case, n, AutoresetMode.DISABLED)
    venv.reset(seed=1)
    singles.reset([1, 2, 3, 4])
    found = named(venv.reset(seed=[50, 51, 52, 53], options={"reset_mask": mask}))
    singles.envs[1].reset(seed=51)
    singles.envs[3].reset(seed=53)
    assert_equal(found, singles.see())
    found = named(venv.reset(options={"reset_mask": mask, "position": text}))
    for row in (1, 3):
        singles.envs[row].reset(options={"position": text})
    assert_equal(found, singles.see())
    assert_equal(named(venv.reset()), singles.restart(np.arange(n)))  # each game has its own count of deals
    # only texts of games in the mask are read
    found = named(venv.reset(options={"reset_mask": mask, "position": ["nonsense", text, None, text]}))
    for row in (1, 3):
        singles.envs[row].reset(options={"position": text})
    assert_equal(found, singles.see())


@all_cases
@all_modes
def test_bad_reset_masks_change_nothing(case: Case, mode: AutoresetMode) -> None:
    venv = case.vector_env(3, autoreset_mode=mode)
    with pytest.raises(ValueError, match="the first reset starts all games"):
        venv.reset(options={"reset_mask": np.array([True, False, True])})
    venv.reset(seed=1)
    bad_masks = [
        [True, True, False],
        np.array([1, 1, 0]),
        np.array([1.0, 1.0, 0.0]),
        np.array([True, False]),
        np.ones(4, bool),
        np.ones((3, 1), bool),
        np.zeros(3, bool),
        np.array(True),
        True,
        "all",
    ]
    for bad in bad_masks:
        before = everything_of(venv)
        with pytest.raises(ValueError, match="reset_mask is"):
            venv.reset(seed=9, options={"reset_mask": bad})
        assert everything_of(venv) == before, bad
    venv.reset(options={"reset_mask": np.ones(3, bool)})
    venv.reset(options={"reset_mask": None})


@all_cases
@all_modes
def test_positions(case: Case, mode: AutoresetMode) -> None:
    running, ended = position_text(case, ended=False), position_text(case, ended=True)
    venv = case.vector_env(3, autoreset_mode=mode)
    for given in (running, [running] * 3, (running,) * 3, np.array([running] * 3), np.array(running)):
        venv.reset(seed=1, options={"position": given})
        assert texts(venv) == [running] * 3
    _, info = venv.reset(options={"position": [running, ended, running], "other": 1})
    assert texts(venv) == [running, ended, running]
    assert info["action_mask"].any(axis=1).tolist() == [True, False, True]
    actions = random_actions(info["action_mask"], np.random.default_rng(0))
    if mode is AutoresetMode.NEXT_STEP:
        _, rewards, terminations, _, info = venv.step(actions)
        assert not rewards[1].any()
        assert not terminations[1]
        assert info["action_mask"][1].any()
    else:
        with pytest.raises(ValueError, match=r"games 1 have ended"):
            venv.step(actions)
    venv.reset(options={"position": None})


@all_cases
def test_bad_positions_change_nothing(case: Case) -> None:
    text = position_text(case, ended=False)
    venv = case.vector_env(3)
    with pytest.raises(ValueError, match=r"\S"):
        venv.reset(options={"position": "nonsense"})
    with pytest.raises(AttributeError):
        _ = venv.states
    venv.reset(seed=1)
    bad = [
        "",
        "nonsense",
        text + " ",
        5,
        True,
        {},
        {0: text},
        {text},
        [],
        [text],
        [text] * 4,
        [text, text, 5],
        [text, None, text],
        np.array(3),
        b"w",
    ]
    for position in bad:
        before = everything_of(venv)
        with pytest.raises(ValueError, match=r"\S"):
            venv.reset(seed=9, options={"position": position})
        assert everything_of(venv) == before, position
    with pytest.raises(ValueError, match="position of game 2: "):
        venv.reset(options={"position": [text, text, "nonsense"]})
    for wrong in ("abc", text, [text], 3, True):
        with pytest.raises(ValueError, match="options is .*; it is a dict"):
            venv.reset(options=wrong)
        with pytest.raises(ValueError, match="options is .*; it is a dict"):
            case.env().reset(options=wrong)


# ------------------------------------------------------------------------------------------------------- what is refused


@all_doors
def test_step_before_reset(door: Any) -> None:
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before step"):
        door.vector_env(2).step([0, 0])


def running(
    case: Case, n: int, mode: AutoresetMode | str = AutoresetMode.SAME_STEP, plies: int = 2, **more: Any
) -> tuple[Any, np.ndarray]:
    """A vector environment some plies on, and legal actions."""
    venv = case.vector_env(n, autoreset_mode=mode, **more)
    venv.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(plies):
        venv.step(venv.game.sample(venv.states, rng))
    return venv, venv.game.sample(venv.states, rng)


@all_cases
@all_modes
def test_illegal_actions_step_nothing(case: Case, mode: AutoresetMode) -> None:
    venv, actions = running(case, 12, mode)
    count = venv.game.num_actions
    forbidden = (venv.game.action_mask(venv.states) == 0).argmax(axis=1)
    twin = copy.deepcopy(venv)
    before = everything_of(venv)
    for rows, values in (
        ([5], None),
        ([2, 11], None),
        ([0], [-1]),
        ([3, 4], [count, 2**62]),
        ([7], [-(2**62)]),
        ([8], [-count]),
        (range(12), None),
    ):
        bad = actions.copy()
        bad[list(rows)] = forbidden[list(rows)] if values is None else values
        numbers = ", ".join(map(str, list(rows)[:10])) + (", .. (12 in all)" if len(rows) > 10 else "")
        with pytest.raises(ValueError, match="illegal actions") as caught:
            venv.step(bad)
        assert f" in games {numbers};" in str(caught.value)
        assert str(bad[rows[0]]) in str(caught.value)
        assert everything_of(venv) == before
    assert_equal(named(venv.step(actions)), named(twin.step(actions)))
    assert texts(venv) == texts(twin)


@all_doors
@all_modes
@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.slow)])
def test_an_interrupted_call_is_made_or_not(door: Any, mode: AutoresetMode, backend: str) -> None:
    venv = door.vector_env(6, max_plies=4, autoreset_mode=mode, backend=backend)
    venv.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(3):
        venv.step(venv.sample(rng))
    # games end in the first step, and are started anew in the same or the next
    for call in ("step", "reset") if mode is AutoresetMode.DISABLED else ("step", "step", "reset"):
        arguments = (venv.sample(rng),) if call == "step" else ()
        made, line, not_made = copy.deepcopy(venv), 0, 0
        getattr(made, call)(*arguments)
        twin = copy.deepcopy(venv)
        while _interrupted(getattr(twin, call), arguments, line):
            assert _goes_on_from(twin) in (_goes_on_from(venv), _goes_on_from(made)), line
            not_made += _goes_on_from(twin) == _goes_on_from(venv)
            twin, line = copy.deepcopy(venv), line + 1
        assert not_made > 10
        venv = made


def _goes_on_from(venv: Any) -> dict[str, Any]:
    """What the next call of a vector environment depends on."""
    names = ("_legal", "_plies", "_over", "_deals")
    return {"states": texts(venv)} | {name: pickle.dumps(vars(venv)[name]) for name in names}


def _interrupted(call: Any, arguments: Any, line: int) -> bool:
    """Makes a call that Ctrl-C interrupts at one of the lines of the module; whether it has that many."""
    try:
        with before_line(vector, line, _interrupt):
            call(*arguments)
    except KeyboardInterrupt:
        return True
    return False


def _interrupt() -> None:
    raise KeyboardInterrupt


@all_doors
def test_a_reset_packs_the_legal_actions_once(door: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    venv = door.vector_env(6)
    layout, times = venv.game.batch_actions, 0
    pack = type(layout).pack

    def counted(self: Any, *args: Any) -> Any:  # planes have layouts of their own
        nonlocal times
        times += self is layout
        return pack(self, *args)

    monkeypatch.setattr(type(layout), "pack", counted)
    venv.reset()
    assert times == 1
    venv.reset(options={"reset_mask": np.arange(6) < 2})
    assert times == 2


@all_cases
def test_wrong_kinds_of_actions(case: Case) -> None:
    venv, actions = running(case, 3)
    before = everything_of(venv)
    wrong = [
        actions.astype(float),
        actions.astype(np.float32),
        actions.tolist()[:2],
        [*actions.tolist(), 0],
        [float(a) for a in actions],
        np.ones(3, bool),
        [True, False, True],
        actions[:, None],
        actions[None],
        int(actions[0]),
        None,
        "012",
        ["0", "1", "2"],
        actions.astype(object),
        [2**70, 0, 0],
        [],
        [[0], [0, 1], [2]],
    ]
    for bad in wrong:
        with pytest.raises(ValueError, match=r"actions are integers of shape \(3,\)|inhomogeneous"):
            venv.step(bad)
        assert everything_of(venv) == before, bad
    with pytest.raises(ValueError, match=r"illegal actions 18446744073709551615 in games 0;"):
        venv.step(np.array([2**64 - 1, *actions[1:]], np.uint64))
    results = []
    for kind in (np.int64, np.int16, np.uint32, np.uint64, list, tuple):
        twin = copy.deepcopy(venv)
        given = kind(actions.tolist()) if kind in (list, tuple) else actions.astype(kind)
        results.append(named(twin.step(given)))
        assert_equal(results[-1], results[0])


@all_cases
@pytest.mark.parametrize("max_plies", [None, 7])
def test_next_step_ignores_actions_of_games_being_reset(case: Case, max_plies: int | None) -> None:
    """Whatever they are, the outcome is the same; those of running games are still checked."""
    venv = case.vector_env(30, max_plies=max_plies, autoreset_mode=AutoresetMode.NEXT_STEP)
    info = venv.reset(seed=0)[1]
    rng = np.random.default_rng(0)
    looked = 0
    for _ in range(120):
        ended = ~info["action_mask"].any(axis=1)
        actions = random_actions(info["action_mask"], rng)
        if ended.any() and looked < 20:
            looked += 1
            expected = None
            for nonsense in (0, -1, venv.game.num_actions, 2**62, -(2**62), venv.game.num_actions - 1):
                twin = copy.deepcopy(venv)
                result = named(twin.step(np.where(ended, nonsense, actions)))
                expected = expected or result
                assert_equal(result, expected)
                assert not any(expected[name][ended].any() for name in ("rewards", "terminations", "truncations"))
            if not ended.all():
                row = int(np.flatnonzero(~ended)[0])
                bad = np.where(ended, -1, actions)
                bad[row] = -1
                with pytest.raises(ValueError, match=rf"illegal actions -1 in games {row};"):
                    venv.step(bad)
        *_, info = venv.step(actions)
    assert looked > 0


@all_cases
@pytest.mark.parametrize("max_plies", [None, 3])
def test_disabled_mode_refuses_to_step_ended_games(case: Case, max_plies: int | None) -> None:
    venv = case.vector_env(8, max_plies=max_plies, autoreset_mode=AutoresetMode.DISABLED)
    observation, info = venv.reset(seed=0)
    rng = np.random.default_rng(0)
    ended = np.zeros(8, bool)
    while not ended.any():
        observation, _, terminations, truncations, info = venv.step(venv.game.sample(venv.states, rng))
        ended = terminations | truncations
    rows = np.flatnonzero(ended)
    assert not info["action_mask"][ended].any()
    assert info["action_mask"][~ended].any(axis=1).all()
    before = everything_of(venv)
    with pytest.raises(ValueError, match=f"games {', '.join(map(str, rows))} have ended.*reset_mask"):
        venv.step(random_actions(info["action_mask"], rng))
    assert everything_of(venv) == before
    again, info = venv.reset(options={"reset_mask": ended})
    assert info["action_mask"].any(axis=1).all()
    assert np.array_equal(again[~ended], observation[~ended])
    venv.step(venv.game.sample(venv.states, rng))


# ------------------------------------------------------------------------------------------------------ arrays and copies


@all_cases
@all_modes
@pytest.mark.parametrize("keep", [True, False], ids=["kept", "dropped"])
def test_arrays_are_the_callers(case: Case, mode: AutoresetMode, keep: bool) -> None:
    check_arrays(case.vector_env, mode, keep)


def check_arrays(vector_env: Callable[..., Any], mode: AutoresetMode, keep: bool) -> None:
    """Arrays of earlier steps never change, and writing on any of them changes nothing, whether they are kept or not."""
    venv, twin = (vector_env(6, autoreset_mode=mode, max_plies=4) for _ in range(2))
    rng = np.random.default_rng(4)
    venv.reset(seed=4)
    twin.reset(seed=4)
    for first in (4, 2):  # so that games end at three different times
        for one in (venv, twin):
            one.step(one.game.sample(one.states, np.random.default_rng(0)))
        found, expected = (named(one.reset(options={"reset_mask": np.arange(6) < first})) for one in (venv, twin))
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    given_out: list[np.ndarray] = []
    for _ in range(25):
        ended = ~expected["action_mask"].any(axis=1)
        if mode is AutoresetMode.DISABLED and ended.any():
            mask = ended.copy()
            found = named(venv.reset(options={"reset_mask": mask}))
            mask[...] = ~mask
            expected = named(twin.reset(options={"reset_mask": ended}))
        assert_equal(found, expected)
        kept += [(array, array.copy()) for array in expected.values()]
        for name, array in found.items():
            assert not any(np.shares_memory(array, other) for key, other in found.items() if key != name)
            assert not any(np.shares_memory(array, other) for other in given_out)
            array[...] = 1  # read-only ones would raise
            del array
        if keep:
            given_out = [*given_out, *found.values()][-30:]
        found.clear()
        actions = random_actions(expected["action_mask"], rng)
        given = actions.copy()
        found = named(venv.step(given))
        assert np.array_equal(given, actions)
        given[...] = 0
        expected = named(twin.step(actions))
        assert texts(venv) == texts(twin)
    for array, copied in kept:
        assert np.array_equal(array, copied)


@all_cases
@all_modes
@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_copies(case: Case, mode: AutoresetMode, how: str) -> None:
    def copied(venv: Any) -> Any:
        return copy.deepcopy(venv) if how == "deepcopy" else pickle.loads(pickle.dumps(venv))

    venv = copied(case.vector_env(5, autoreset_mode=mode, max_plies=9))
    assert venv.autoreset_mode is mode
    found = named(venv.reset(seed=8))
    for ply in range(20):
        ended = ~found["action_mask"].any(axis=1)
        if mode is AutoresetMode.DISABLED and ended.any():
            found = named(venv.reset(options={"reset_mask": ended}))
        actions = random_actions(found["action_mask"], np.random.default_rng(ply))
        first, second = copied(venv), copied(venv)
        assert first.single_observation_space == venv.single_observation_space
        before, shown = everything_of(venv), texts(venv)
        expected = named(first.step(actions))
        next_deal = named(first.reset())
        assert everything_of(venv) == before  # independent
        assert texts(venv) == shown
        assert_equal(named(second.step(actions)), expected)
        assert_equal(named(second.reset()), next_deal)
        found = named(venv.step(actions))
        assert_equal(found, expected)
