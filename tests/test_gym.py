"""The gymnasium forms: one game and many, by gymnasium's own checks and against each other."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from abstract_envs import inphexion_v0, xahzo_v0
from abstract_envs.envs.aec import InvalidAction
from env_cases import Case, all_cases, all_doors
from learner_cases import CAPTURE, SMALL, WINS, WON, draw, first_legal, index, plays

ID = "abstract_envs/inphexion-v0"


def id_of(door: Any) -> str:
    package, _, name = door.__name__.rpartition(".")
    return f"{package}/{name.replace('_v', '-v')}"


def small(**options: Any) -> Any:
    return inphexion_v0.learner_env(board_size=4, **options)


def many(num_envs: int, **options: Any) -> Any:
    return inphexion_v0.learner_vector_env(num_envs, board_size=4, **options)


# ----------------------------------------------------------------------------------------------- gymnasium's own checks


@all_cases
@pytest.mark.parametrize("seat", ["alternate", 0, 1])
def test_check_env(case: Case, seat: Any) -> None:
    # without the wrappers of gymnasium.make, as the check wants it; a warning would be an error here
    mirror = any(symmetry.exchanges for symmetry in case.game().symmetries)
    check_env(gymnasium.make(id_of(case.door), seat=seat, mirror=mirror, **case.options).unwrapped)


@all_doors
def test_wrappers(door: Any) -> None:
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make(id_of(door), opponent="random"))
    rng = np.random.default_rng(0)
    for _ in range(3):
        (_, info), over, length, total = env.reset(), False, 0, 0.0
        while not over:
            np.testing.assert_array_equal(info["action_mask"], env.get_wrapper_attr("action_masks")())
            _, reward, terminated, truncated, info = env.step(draw(info["action_mask"], rng))
            over, length, total = terminated or truncated, length + 1, total + float(reward)
        assert (info["episode"]["l"], info["episode"]["r"]) == (length, total)
        assert not info["action_mask"].any()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_wrappers_of_many(mode: AutoresetMode) -> None:
    env = gymnasium.make_vec(ID, num_envs=16, autoreset_mode=mode, board_size=4)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    assert env.metadata["autoreset_mode"] is mode
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    rng, episodes = np.random.default_rng(0), 0
    _, info = env.reset(seed=0)
    for _ in range(60):
        _, _, terminations, truncations, info = env.step(draw(info["action_mask"], rng))
        over = terminations | truncations
        if over.any():
            np.testing.assert_array_equal(info["_episode"], over)
            assert set(np.abs(info["episode"]["r"][over])) == {1}
            episodes += over.sum()
            if mode is AutoresetMode.DISABLED:
                _, info = env.reset(options={"reset_mask": over})
    assert episodes > 16


def test_spaces() -> None:
    env, envs = gymnasium.make(ID), gymnasium.make_vec(ID, num_envs=3)
    assert env.observation_space == gymnasium.spaces.Box(0, 1, (8, 7, 7), np.int8) == envs.unwrapped.single_observation_space
    assert env.action_space == gymnasium.spaces.Discrete(344) == envs.unwrapped.single_action_space
    assert envs.observation_space.shape == (3, 8, 7, 7)
    assert envs.reset()[0] in envs.observation_space
    assert envs.action_space.sample() in envs.action_space
    assert repr(envs) == f"LearnerVectorEnv({ID}, num_envs=3)"


# -------------------------------------------------------------------------------------------- one game equals many games


@all_cases
@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_many_equal_single_games(case: Case, mirror: bool, mode: AutoresetMode) -> None:
    """Game by game: everything gymnasium's own SyncVectorEnv says of single environments is what ours says, dtypes aside."""
    n, options = 12, {"opponent": first_legal, "mirror": mirror, "max_plies": 24, **case.options}
    ours = case.door.learner_vector_env(n, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: case.door.learner_env(**options)] * n, autoreset_mode=mode)
    rng, ended, told = np.random.default_rng(0), 0, np.zeros(n, bool)
    a, b = ours.reset(seed=11), theirs.reset(seed=11)
    same((a[0], a[1]), (b[0], b[1]))
    for _ in range(45):
        actions = draw(a[-1]["action_mask"], rng)
        if rng.random() < 0.2:
            actions[rng.integers(n)] = rng.integers(ours.single_action_space.n)  # some are illegal
        a, b = ours.step(actions), theirs.step(actions)
        if mode is AutoresetMode.NEXT_STEP:
            assert not (a[2] | a[3])[told].any()
        same(a, b)
        told = a[2] | a[3]
        ended += told.sum()
        if mode is AutoresetMode.DISABLED and told.any():
            a = ours.reset(options={"reset_mask": told})
            b = theirs.reset(options={"reset_mask": told})
            np.testing.assert_array_equal(a[0], b[0])
            np.testing.assert_array_equal(a[1]["action_mask"][told], b[1]["action_mask"][told])
    assert ended > n


def same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            same(ours[key], theirs[key])
    elif isinstance(theirs, tuple):
        for x, y in zip(ours, theirs, strict=True):
            same(x, y)
    elif theirs.dtype == object:
        assert ours.dtype == object
        for x, y in zip(ours, theirs, strict=True):
            assert (x is None) == (y is None)
            if x is not None:
                np.testing.assert_array_equal(x, y)
                assert x.dtype == y.dtype
    else:
        np.testing.assert_array_equal(ours, theirs)


def test_arrays_are_the_callers() -> None:
    envs = many(4, opponent=first_legal)
    observation, info = envs.reset(seed=0)
    kept = [observation, *info.values()]
    before = [array.copy() for array in kept]
    for array in kept:
        array[...] = 0
    again, info_again = envs.reset(seed=0)
    for array, expected in zip([again, *info_again.values()], before, strict=True):
        np.testing.assert_array_equal(array, expected)
    envs.step(envs.action_masks().argmax(1))


# ------------------------------------------------------------------------------------------------------------- one game


def test_the_seat_alternates() -> None:
    env = small()
    assert [env.reset(seed=seed)[1]["seat"] for seed in (4, 7)] == [0, 1]
    assert [env.reset()[1]["seat"] for _ in range(3)] == [0, 1, 0]
    assert {small().reset()[1]["seat"] for _ in range(30)} == {0, 1}


def test_one_game_runs_on_ints(monkeypatch: pytest.MonkeyPatch) -> None:
    def no(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a batch was made")

    for name in ("stack", "take", "put", "repeat"):
        monkeypatch.setattr(type(SMALL), name, no)
    env, rng = small(mirror=True), np.random.default_rng(0)
    for _ in range(4):
        (_, info), over = env.reset(), False
        while not over:
            _, _, over, _, info = env.step(draw(info["action_mask"], rng))


def test_the_learner_acts_twice_and_so_does_the_opponent() -> None:
    env = small(seat=0, opponent=first_legal)
    env.reset(options={"position": CAPTURE})
    _, reward, over, _, info = env.step(index("d3-d4"))
    assert (reward, over) == (0, False)
    np.testing.assert_array_equal(info["action_mask"], SMALL.action_mask(SMALL.from_string("4/4/3w/2w1 w 1:d4")))
    env = small(seat=1, opponent=plays("d3-d4", "@a1"))
    _, info = env.reset(options={"position": CAPTURE})
    np.testing.assert_array_equal(info["action_mask"], SMALL.action_mask(SMALL.from_string("b3/4/3w/2w1 b -")))


@pytest.mark.parametrize(("position", "seat", "reward"), [(WINS, 0, 1.0), (WON, 0, 1.0), (WON, 1, -1.0)])
def test_rewards(position: str, seat: Any, reward: float) -> None:
    env = small(seat=seat)
    env.reset(options={"position": position})
    assert env.step(index("d4-c4"))[1:4] == (reward, True, False)


def test_the_loser_gets_its_loss() -> None:
    env = small(seat=1, opponent=plays("d4-c4"))
    env.reset(options={"position": "3w/3w/w2w/3b b -"})
    _, reward, terminated, truncated, info = env.step(index("a3-a4"))
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert not info["action_mask"].any()


def test_the_ply_limit() -> None:
    env = small(seat=0, opponent=first_legal, max_plies=3)
    env.reset()
    assert env.step(5)[2:4] == (False, False)
    _, reward, terminated, truncated, info = env.step(env.action_masks().argmax())
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert not info["action_mask"].any()


def test_an_illegal_action_loses() -> None:
    env = small(seat=0)
    before, _ = env.reset()
    observation, reward, terminated, truncated, info = env.step(100)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    np.testing.assert_array_equal(observation, before)
    assert not info["action_mask"].any()
    assert not env.action_masks().any()
    with pytest.raises(ResetNeeded):
        env.step(0)


@pytest.mark.parametrize("action", [-1, 113, 1.0, True, "0", None, np.array([1]), np.float32(1), np.bool_(True), np.array(1.0)])
def test_what_is_no_action(action: Any) -> None:
    env = small(seat=0)
    env.reset()
    with pytest.raises(InvalidAction, match=r"^action is .*; it is a whole number from 0 to 112$"):
        env.step(action)
    assert env.step(np.array(5))[2:4] == (False, False)


def test_an_illegal_opponent_is_found_out() -> None:
    env = small(seat=1, opponent=lambda game, states, rng: np.array([112]))
    with pytest.raises(ValueError, match="the opponent's action 112 is illegal"):
        env.reset()


@pytest.mark.parametrize("mirror", ["yes", "", 1, 0, None, [True]])
def test_mirror_is_true_or_false(mirror: Any) -> None:
    for make in (small, lambda **options: many(2, **options), lambda **options: gymnasium.make(ID, **options)):
        with pytest.raises(ValueError, match=rf"^mirror is {re.escape(repr(mirror))}; it is True or False$"):
            make(mirror=mirror)


def test_a_list_is_no_opponent() -> None:
    """The error says that there may be several."""
    for make in (small, lambda **options: many(2, **options)):
        with pytest.raises(ValueError, match=r"^\['random'\] is no agent: .*, or is such a function or an OpponentPool$"):
            make(opponent=["random"])


def test_reset_comes_first() -> None:
    for env, action in ((small(), 0), (many(2), [0, 0])):
        with pytest.raises(ResetNeeded):
            env.step(action)


@pytest.mark.parametrize("position", ["nonsense", "4/4/4/4 b -", 3])
def test_an_impossible_position_changes_nothing(position: Any) -> None:
    env = small(opponent=first_legal)
    env.reset(seed=0)
    env.step(3)
    masks = env.action_masks()
    with pytest.raises(ValueError):  # noqa: PT011 - each game's own message
        env.reset(options={"position": position})
    np.testing.assert_array_equal(env.action_masks(), masks)


def test_render() -> None:
    env = gymnasium.make(ID, render_mode="ansi", seat=1, opponent=first_legal)
    env.reset(seed=0)
    text = env.render()
    assert isinstance(text, str)
    assert "last action: a1" in text
    with pytest.raises(ValueError, match="render_mode is 'rgb'"):
        small(render_mode="rgb")


def test_pickle() -> None:
    env, rng = small(), np.random.default_rng(0)
    _, info = env.reset(seed=1)
    env.step(draw(info["action_mask"], rng))
    twin = pickle.loads(pickle.dumps(env))
    for _ in range(3):
        action = draw(env.action_masks(), rng)
        same(env.step(action)[0], twin.step(action)[0])


def test_the_seed_is_told() -> None:
    """The first reset draws one where there is none; it starts the same game, with the same answers, again."""
    env, twin = (xahzo_v0.learner_env(board_size=5, seat=0) for _ in range(2))
    first, _ = env.reset()
    same(first, twin.reset(seed=env.np_random_seed)[0])
    for _ in range(4):
        action = env.action_masks().argmax()
        same(env.step(action)[0], twin.step(action)[0])


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8, np.array])
def test_seeds_are_whole_numbers_of_any_kind(kind: Any) -> None:
    env, expected = xahzo_v0.learner_env(), xahzo_v0.learner_env().reset(seed=7)[0]
    for _ in range(2):
        same(env.reset(seed=kind(7))[0], expected)
        assert env.np_random_seed == 7
        assert type(env.np_random_seed) is int


# ----------------------------------------------------------------------------------------------------------- many games


def test_make_vec_of_a_thousand() -> None:
    envs, rng = gymnasium.make_vec(ID, num_envs=1024, opponent="random"), np.random.default_rng(0)
    assert type(envs).__name__ == "LearnerVectorEnv"
    _, info = envs.reset(seed=0)
    rewards = np.zeros(1024)
    for _ in range(40):
        _, reward, terminations, _, info = envs.step(draw(info["action_mask"], rng))
        rewards += reward
        np.testing.assert_array_equal(reward != 0, terminations)
    assert np.abs(rewards).sum() > 800
    assert abs(rewards.sum()) < 150  # random against random, from both seats
    envs.close()
    assert envs.closed


def test_the_seed_of_many_is_told() -> None:
    envs, twin = (xahzo_v0.learner_vector_env(3, board_size=5) for _ in range(2))
    assert envs.np_random_seed == -1  # not known, in gymnasium's words
    first, _ = envs.reset()
    seed = envs.np_random_seed
    same(first, twin.reset(seed=seed)[0])
    for _ in range(4):
        actions = envs.action_masks().argmax(1)
        same(envs.step(actions)[0], twin.step(actions)[0])
    envs.reset()
    assert envs.np_random_seed == seed  # of which later games are a function too
    for given, told in ((np.int64(5), 5), ([3, 1, 2], (3, 1, 2)), (np.array([4, 4, 6]), (4, 4, 6))):
        envs.reset(seed=given)
        assert envs.np_random_seed == told


def test_the_generator_of_many_can_be_replaced() -> None:
    def seen(generator: int) -> Any:
        envs = many(8, seat=0, opponent="random")
        envs.reset(seed=0)
        envs.np_random = np.random.default_rng(generator)
        assert envs.np_random_seed == -1
        return envs.step(np.full(8, 5))[0]

    same(seen(1), seen(1))
    assert (seen(1) != seen(2)).any()


def test_positions_and_seeds_of_many() -> None:
    envs = many(2, seat=0)
    observation, _ = envs.reset(options={"position": [CAPTURE, "4/4/3w/2w1 w 1:d4"]})
    np.testing.assert_array_equal(observation[1], SMALL.observe(SMALL.from_string("4/4/3w/2w1 w 1:d4")))
    with pytest.raises(ValueError, match="position has 3 texts"):
        envs.reset(options={"position": [CAPTURE] * 3})
    assert many(3).reset(seed=[2, 3, 5])[1]["seat"].tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="seed has 2 numbers"):
        many(3).reset(seed=[2, 3])


@pytest.mark.parametrize("mask", [[True, False], np.array([1, 0]), np.array([True]), np.zeros(2, bool)])
def test_a_bad_reset_mask(mask: Any) -> None:
    envs = many(2)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="reset_mask is"):
        envs.reset(options={"reset_mask": mask})


def test_unknown_options() -> None:
    for make in (lambda **options: gymnasium.make(ID, **options), lambda **options: gymnasium.make_vec(ID, 2, **options)):
        with pytest.raises(TypeError, match="'boardsize' .did you mean 'board_size'"):
            make(boardsize=5)
        with pytest.raises(TypeError, match="'oponent' .did you mean 'opponent'"):
            make(oponent="random")
        with pytest.raises(ValueError, match="'nobody' is no agent"), warnings.catch_warnings():
            make(opponent="nobody")


def test_fouls_are_shown() -> None:
    env = small(render_mode="ansi", seat=0, opponent=first_legal, legal_moves=True)
    env.reset(options={"position": "bw2/b3/4/4 w -"})
    assert env.step(0)[2]
    shown = env.render()
    assert shown.endswith("\nWhite (w) has ended the game by an illegal action\n")
    assert "to move" not in shown
    assert "(" not in shown.removesuffix("White (w) has ended the game by an illegal action\n")
    env.reset()
    assert "to move" in env.render()


def test_nothing_to_show_before_reset() -> None:
    for env in (small(render_mode="ansi"), small(render_mode="svg"), inphexion_v0.raw_env(render_mode="ansi")):
        for show in (env.render, env.drawing):
            with pytest.raises(ResetNeeded, match=r"reset\(\) needs to be called"):
                show()
        assert env._repr_svg_() is None
    for env in (small(), inphexion_v0.learner_vector_env(2)):
        with pytest.raises(ResetNeeded, match=r"reset\(\) needs to be called before action_masks\(\)"):
            env.action_masks()
    with pytest.raises(AssertionError):
        inphexion_v0.env(render_mode="ansi").drawing()


def test_batches_show_nothing() -> None:
    where = r"\(only env\(\), raw_env\(\) and learner_env\(\) show"
    for option in ("render_mode", "width"):
        with pytest.raises(TypeError, match=rf"no option '{option}' {where}"):
            inphexion_v0.vector_env(2, **{option: 64})
    with pytest.raises(TypeError, match=rf"no option 'width' {where}"):
        gymnasium.make_vec(ID, 2, width=64)
    for mode in ("rgb_array", "human", False):
        with pytest.raises(ValueError, match=rf"render_mode is {mode!r}; it is None, for batches show nothing {where}"):
            gymnasium.make_vec(ID, 2, render_mode=mode)


@pytest.mark.parametrize("how", ["vector_entry_point", "sync"])
def test_batches_without_a_render_mode(how: str) -> None:
    """None is what gymnasium's own environments have without one, one game or many."""
    envs = gymnasium.make_vec(ID, 2, vectorization_mode=how, render_mode=None)
    assert envs.render_mode is None
    assert envs.reset(seed=0)[0].shape[0] == 2
    envs.close()


def test_the_rules_and_the_state_of_play() -> None:
    env, envs = gymnasium.make(ID, board_size=4, seat=0), gymnasium.make_vec(ID, num_envs=2, board_size=4, seat=0)
    for made, attribute in ((env, "game_state"), (envs, "states")):
        assert made.unwrapped.game == SMALL
        with pytest.raises(AttributeError, match=f"{attribute} cannot be accessed before reset"):
            getattr(made.unwrapped, attribute)
    env.reset(options={"position": CAPTURE})
    envs.reset(options={"position": CAPTURE})
    assert SMALL.to_string(env.unwrapped.game_state) == CAPTURE
    assert [SMALL.to_string(SMALL.take(envs.unwrapped.states, i)) for i in range(2)] == [CAPTURE] * 2


def test_wrapped_environments_in_notebooks() -> None:
    env = gymnasium.make(ID)
    env.reset()
    assert not hasattr(env, "_repr_svg_")
    assert env.unwrapped._repr_svg_().startswith("<svg ")  # type: ignore[attr-defined]
