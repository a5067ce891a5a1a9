"""The third kind of word: compiled batches do what the arrays do, word by word, in every game."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from abstract_envs import inphexion_v0
from abstract_envs.compiled import compiled, kernels, loops
from abstract_envs.compiled.scalars import OVER, clear_bytes, compile_function, copy_bytes, scalar, spread
from helpers import (
    DOORS,
    EVERY_GAME,
    NAMES,
    assert_same,
    by_options,
    frozen,
    game_of,
    label,
    mid_game,
    play_in_lockstep,
    random_game,
    recorded_game_of,
    recorded_games,
    write_protect,
)
from test_vector import all_modes, check_arrays

# each game takes seconds to compile: the other options are for `make test-slow`
DEFAULTS = [pytest.param(game_of(name, {}), id=name) for name in NAMES]
OTHERS = [
    pytest.param(*game.values, id=game.id, marks=pytest.mark.slow)
    for game in EVERY_GAME
    if game.values[0] not in [default.values[0] for default in DEFAULTS]
]
every_game = pytest.mark.parametrize("game", DEFAULTS + OTHERS)
default_games = pytest.mark.parametrize("game", DEFAULTS)


@pytest.mark.parametrize(
    "records",
    [
        pytest.param(records, id=label(name, json.loads(options)), marks=[pytest.mark.slow] if options != "{}" else [])
        for name in NAMES
        for options, records in by_options(recorded_games(name)).items()
    ],
)
def test_recorded_games_in_lockstep(records: list[dict[str, Any]]) -> None:
    play_in_lockstep(compiled(recorded_game_of(records[0])), records)


@every_game
def test_random_play_agrees_with_the_arrays(game: Any) -> None:
    fast, size = compiled(game), 37
    rng, fast_rng = np.random.default_rng(5), np.random.default_rng(5)
    states = game.init(size, rng=np.random.default_rng(1))
    assert_same(fast.init(size, rng=np.random.default_rng(1)), states)
    fast_states = states
    for _ in range(300):
        actions = game.sample(states, rng)
        assert np.array_equal(actions, fast.sample(fast_states, fast_rng))
        assert fast.is_legal(fast_states, actions).tolist() == (~game.is_terminal(states)).tolist()
        mask, observation = game.action_mask(states), game.observe(states)
        assert np.array_equal(fast.action_mask(fast_states), mask)
        assert np.array_equal(fast.observe(fast_states), observation)
        states, fast_states = game.step(states, actions), fast.step(fast_states, actions)
        assert_same(fast_states, states)
        ended = np.flatnonzero(game.is_terminal(states))
        if len(ended) > size // 3:  # ended games stay in the batch for a while, as with autoreset disabled
            fresh = game.init(len(ended), rng=rng)
            fast.init(len(ended), rng=fast_rng)
            states, fast_states = game.put(states, ended, fresh), fast.put(fast_states, ended, fresh)
            assert_same(fast_states, states)


@every_game
def test_which_actions_are_legal(game: Any) -> None:
    fast, states = compiled(game), mid_game(game, 40)
    for action in range(-3, game.num_actions + 3):
        actions = np.full(40, action)
        assert np.array_equal(fast.is_legal(states, actions), game.is_legal(states, actions)), action


@default_games
def test_inputs_stay_as_they_are(game: Any) -> None:
    fast, states = compiled(game), mid_game(game, 20)
    actions, rows = game.sample(states, np.random.default_rng(0)), np.array([3, 4])
    write_protect(states)
    before = frozen(states)
    first = fast.step(states, actions)
    other = fast.step(states, game.sample(states, np.random.default_rng(7)))  # an older state, stepped once more
    fast.observe(states), fast.action_mask(states), fast.put(states, rows, fast.take(states, rows + 5))
    assert_same(before, frozen(states))
    assert_same(first, game.step(states, actions))
    assert_same(other, game.step(states, game.sample(states, np.random.default_rng(7))))


@default_games
def test_games_of_a_batch_are_taken_and_put_as_ever(game: Any) -> None:
    fast, states, others = compiled(game), mid_game(game, 12), mid_game(game, 12, seed=3)
    for i in (np.array([5, 2, 2]), np.array([-1, 3]), np.array([], np.int64), slice(2, 9, 3), states.player == 0, [1, 2]):
        assert_same(fast.take(states, i), game.take(states, i))
    assert_same(fast.take(states, 4), game.take(states, 4))
    for rows in (np.array([7, 1]), np.array([-2, 1]), np.array([0, 1], np.int32)):
        assert_same(fast.put(states, rows, game.take(others, [0, 1])), game.put(states, rows, game.take(others, [0, 1])))
        assert_same(fast.put(states, rows, game.take(others, [3])), game.put(states, rows, game.take(others, [3])))
    assert_same(fast.where(states.player == 1, states, others), game.where(states.player == 1, states, others))
    for bad in (np.array([12]), np.array([-13])):
        with pytest.raises(IndexError):
            fast.take(states, bad)
        with pytest.raises(IndexError):
            fast.put(states, bad, game.take(others, [0]))
    with pytest.raises(ValueError, match="shape mismatch"):
        fast.put(states, np.array([1, 2, 3]), game.take(others, [0, 1]))


def test_bits_are_spread_to_bytes() -> None:
    """As many as are asked for, from any place on; nothing before them changes, and nothing behind `OVER` bytes more."""
    run = compile_function(lambda word, size, out, at: spread(word, size, out, at))
    rng = np.random.default_rng(0)
    for size in range(1, 65):
        word = int(rng.integers(0, 1 << 64, dtype=np.uint64)) >> 64 - size
        out = np.full(200, 9, np.int8)
        at = size % 9
        run(np.uint64(word), np.uint64(size), out, np.uint64(at))
        assert out[:at].tolist() == [9] * at
        assert out[at : at + size].tolist() == [word >> k & 1 for k in range(size)]
        assert (out[at + size + OVER :] == 9).all()


@pytest.mark.parametrize("streaming", [True, False])
def test_bytes_are_copied(streaming: bool) -> None:
    """To any place, beside the lines of the cache or not, and not a byte more."""
    run = compile_function(lambda source, out, at, count, streaming: copy_bytes(source, out, at, count, streaming))
    source = np.arange(300, dtype=np.int16).astype(np.int8)
    for at in range(0, 130, 3):
        for count in (0, 1, 5, 63, 64, 65, 127, 128, 200, 300):
            out = np.full(450, 9, np.int8)
            run(source, out, np.uint64(at), np.uint64(count), streaming)
            assert np.array_equal(out[at : at + count], source[:count])
            assert (out[:at] == 9).all()
            assert (out[at + count :] == 9).all()


def test_bytes_are_cleared() -> None:
    """As they are copied; many of them past the caches."""
    run = compile_function(lambda out, at, count: clear_bytes(out, at, count))
    for at in range(0, 130, 3):
        for count in (0, 1, 63, 64, 65, 128, 300):
            out = np.full(450, 9, np.int8)
            run(out, np.uint64(at), np.uint64(count))
            assert not out[at : at + count].any()
            assert (out[:at] == 9).all()
            assert (out[at + count :] == 9).all()
    for size in (kernels._READ_SOON, kernels._READ_SOON + 1, 3_000_001):
        around = np.full(size + 100, 9, np.int8)
        compiled(game_of("fano330", {})).clear(around[50:-50])
        assert not around[50:-50].any()
        assert (around[:50] == 9).all()
        assert (around[-50:] == 9).all()


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_nothing_is_written_beside_the_arrays(threads: int) -> None:
    """Small rows, of which what is written past the end of one reaches over several others."""
    game = game_of("inphexion", {"board_size": 3})
    fast = compiled(game, threads)
    for size in (1, 2, 3, 5, 31, 32, 33, 34, 64, 65, 70, 97):
        states = mid_game(game, size)
        seen = []
        for shape in ((size, *game.observation_shape), (size, game.num_actions)):
            around = np.full(np.prod(shape) + 128, 9, np.int8)
            seen.append((around, around[64:-64].reshape(shape)))
        fast.turn(states, game.sample(states, np.random.default_rng(0)), seen[0][1], seen[1][1])
        after = game.step(states, game.sample(states, np.random.default_rng(0)))
        for (around, inside), expected in zip(seen, (game.observe(after), game.action_mask(after)), strict=True):
            assert np.array_equal(inside, expected)
            assert (around[:64] == 9).all()
            assert (around[-64:] == 9).all()


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_more_than_the_caches_hold(threads: int) -> None:
    """Observations of 17 MB, which are written past the caches."""
    game = game_of("fano330", {})
    states = game.take(mid_game(game, 100), np.arange(220_000) % 100)
    found = compiled(game, threads).observe(states)
    assert found.nbytes > loops._CACHED
    assert np.array_equal(found, game.observe(states))


@default_games
def test_no_games_and_one(game: Any) -> None:
    fast = compiled(game)
    for size in (0, 1):
        states = game.init(size, rng=np.random.default_rng(0))
        assert fast.action_mask(states).shape == (size, game.num_actions)
        assert fast.observe(states).shape == (size, *game.observation_shape)
        assert_same(fast.step(states, np.zeros(size, int)), game.step(states, np.zeros(size, int)))


@default_games
def test_words_that_are_not_next_to_each_other(game: Any) -> None:
    fast, states = compiled(game), mid_game(game, 12)
    actions = game.sample(states, np.random.default_rng(0))

    def spaced(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return np.repeat(value, 2)[::2]
        if isinstance(value, tuple):
            parts = [spaced(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return value

    assert_same(fast.step(spaced(states), np.repeat(actions, 2)[::2]), game.step(states, actions))


@default_games
def test_one_word_of_another_layout(game: Any) -> None:
    # such words come of slices, of torch, or are write-protected by a caller
    fast, states, rows = compiled(game), mid_game(game, 12), np.array([3, 4])
    actions = game.sample(states, np.random.default_rng(0))
    read_only, strided = states[0].copy(), np.repeat(states.legal[0], 2)[::2]
    read_only.setflags(write=False)
    one = states._replace(**{states._fields[0]: read_only})
    for batch in (one, states._replace(legal=(strided, *states.legal[1:]))):
        assert_same(fast.step(batch, actions), game.step(states, actions))
        assert_same(fast.take(batch, rows), game.take(states, rows))
        assert_same(fast.put(batch, rows, fast.take(batch, rows + 1)), game.put(states, rows, game.take(states, rows + 1)))
        assert fast.is_legal(batch, actions).tolist() == game.is_legal(states, actions).tolist()
        assert np.array_equal(fast.sample(batch, np.random.default_rng(0)), actions)
        assert np.array_equal(fast.action_mask(batch), game.action_mask(states))
        assert np.array_equal(fast.observe(batch), game.observe(states))
    assert not read_only.flags.writeable
    given = np.broadcast_to(actions[:1], 12)
    assert_same(fast.step(game.take(states, np.zeros(12, int)), given), game.step(game.take(states, np.zeros(12, int)), given))


@default_games
def test_arrays_that_do_not_fit_are_refused(game: Any) -> None:
    # nothing is checked in the loops: what does not fit would be read, or written, past its end
    fast, states = compiled(game), mid_game(game, 12)
    for kind in (game, fast):
        shape = (12, *game.observation_shape)
        for out in (
            np.zeros((11, *shape[1:]), np.int8),
            np.zeros(shape, np.float32),
            np.zeros((*shape[:-1], 2 * shape[-1]), np.int8)[..., ::2],
            np.broadcast_to(np.int8(0), shape),
            [],
        ):
            with pytest.raises(ValueError, match=r"out is a contiguous, writable array of int8 and shape \(12, "):
                kind.observe(states, None, out)
        out = np.full(shape, 9, np.int8)
        assert kind.observe(states, None, out) is out or kind.observe(states, None, out).base is not None
        assert np.array_equal(out, game.observe(states))
        for rng in (None, np.zeros(11, np.uint32), np.zeros(12), np.random.RandomState(0)):
            with pytest.raises(ValueError, match=r"it is a numpy.random.Generator.* \(or 12 draws, uint32\)"):
                kind.sample(states, rng)
    short = states._replace(**{states._fields[0]: states[0][:5]})
    with pytest.raises(ValueError, match="arrays of a batch of 5 games"):
        fast.observe(short)


@default_games
def test_illegal_actions_crash_nothing(game: Any) -> None:
    # what they lead to is not defined; that no memory is read or written past its end is
    fast, states = compiled(game), mid_game(game, 12)
    for action in (-1, game.num_actions, 2**62, -(2**62), 2**63 - 1):
        fast.step(states, np.full(12, action, np.int64))
    for wrong in (np.zeros(11, int), np.zeros(12), 3):
        with pytest.raises(ValueError, match="integers of shape"):
            fast.step(states, wrong)


@default_games
def test_a_compiled_game_is_the_game(game: Any) -> None:
    fast = compiled(game)
    assert compiled(fast) is fast
    assert compiled(game) is fast
    assert pickle.loads(pickle.dumps(fast)) is fast
    assert copy.deepcopy(fast) is fast
    assert (fast.name, fast.options) == (game.name, game.options)
    assert fast != game  # its type is another
    states, actions = random_game(game, 1)
    for state, action, after in zip(states, actions, states[1:], strict=False):
        assert fast.step(state, action) == after
        assert all(np.array_equal(a, b) for a, b in zip(fast.view(state), game.view(state), strict=True))
        assert np.array_equal(fast.observe(state, 0), game.observe(state, 0))
    batch = mid_game(game, 9)
    for player in (0, 1, np.arange(9) % 2):
        assert np.array_equal(fast.observe(batch, player), game.observe(batch, player))


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
@pytest.mark.parametrize("name", NAMES)
def test_vector_env(name: str, mode: str) -> None:
    plain, fast = (
        DOORS[name].vector_env(19, max_plies=30, autoreset_mode=mode, backend=backend) for backend in ("numpy", "numba")
    )
    rng = np.random.default_rng(3)
    ours, theirs = fast.reset(seed=4), plain.reset(seed=4)
    for _ in range(80):
        _assert_equal(ours, theirs)
        assert_same(fast.states, plain.states)
        over = (theirs[-1]["action_mask"] == 0).all(1)
        if mode == "Disabled" and over.any():
            ours, theirs = (venv.reset(options={"reset_mask": over}) for venv in (fast, plain))
            continue
        actions = plain.game.sample(plain.states, rng)
        ours, theirs = fast.step(actions), plain.step(actions)
    fast.reset(seed=0)
    with pytest.raises(ValueError, match="illegal actions -1, -1, .* in games 0, 1, 2"):
        fast.step(np.full(19, -1))


@all_modes
@pytest.mark.parametrize("keep", [True, False], ids=["kept", "dropped"])
def test_arrays_of_a_vector_env_are_the_callers(mode: AutoresetMode, keep: bool) -> None:
    """Compiled ones use memory again."""
    check_arrays(partial(DOORS["fano330"].vector_env, backend="numba"), mode, keep)


@pytest.mark.parametrize("name", NAMES)
def test_vector_env_with_threads(name: str) -> None:
    plain, threaded = DOORS[name].vector_env(19), DOORS[name].vector_env(19, backend="numba", workers=2)
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    ours, theirs = threaded.reset(seed=4), plain.reset(seed=4)
    kept = []
    for _ in range(60):
        _assert_equal(ours, theirs)
        assert_same(threaded.states, plain.states)
        kept.append((ours[0], theirs[0]))  # what was given out before stays as it was
        actions = plain.sample(rng)
        assert np.array_equal(threaded.sample(other), actions)
        ours, theirs = threaded.step(actions), plain.step(actions)
    _assert_equal(*zip(*kept, strict=True))
    threaded.reset(seed=0)
    with pytest.raises(ValueError, match="illegal actions -1, -1, .* in games 0, 1, 2"):
        threaded.step(np.full(19, -1))


def test_numbers_of_threads() -> None:
    game = DOORS["fano330"].game()
    assert compiled(game, 2) is not compiled(game)
    assert compiled(compiled(game, 2)) is compiled(game)
    assert pickle.loads(pickle.dumps(compiled(game, 2))) is compiled(game, 2)
    many = numba.config.NUMBA_NUM_THREADS + 1
    for bad in (0, many, 1.5):
        with pytest.raises(ValueError, match=rf"threads is {bad}; it is a whole number from 1 to {many - 1}"):
            compiled(game, bad)


def _assert_equal(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        ours, theirs = list(ours.values()), [theirs[key] for key in ours]
    if isinstance(theirs, tuple | list):
        for mine, other in zip(ours, theirs, strict=True):
            _assert_equal(mine, other)
    else:
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


def test_a_backend_that_is_none() -> None:
    with pytest.raises(ValueError, match="backend is 'jax'; it is 'numpy' or 'numba'"):
        DOORS[NAMES[0]].vector_env(4, backend="jax")


@pytest.mark.parametrize("game", [inphexion_v0, "inphexion", None])
def test_what_is_no_game(game: Any) -> None:
    with pytest.raises(TypeError, match=r"^game is .*; it is the rules, as "):
        compiled(game)


def test_without_numba_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from abstract_envs import fano330_v0\n"
        "fano330_v0.vector_env(4)\n"
        "fano330_v0.vector_env(4, backend='numba')"
    )
    assert _last_error(code).startswith(
        'ImportError: compiled games need the extra `numba`: pip install ".[numba]" in a clone. Numba cannot be imported: '
    )


def _last_error(code: str, **environment: str) -> str:
    """The last line that a Python process writes to stderr."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **environment},
    )
    return "".join(run.stderr.splitlines()[-1:])


def test_what_numba_says_is_told(tmp_path: Path) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text("raise ImportError('Numba needs NumPy 2.3 or less')\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import abstract_envs.compiled"
    assert _last_error(code).endswith("cannot be imported: Numba needs NumPy 2.3 or less")


def test_a_compiler_that_is_turned_off() -> None:
    error = _last_error("import abstract_envs.compiled", NUMBA_DISABLE_JIT="1")
    assert error == "ImportError: compiled games need Numba's compiler, which NUMBA_DISABLE_JIT turns off"


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_more_workers_than_games(backend: str) -> None:
    with pytest.raises(ValueError, match="^workers is 2; with num_envs 1 it is at most 1, a game for every worker$"):
        DOORS["fano330"].vector_env(1, workers=2, backend=backend)
    with pytest.raises(ValueError, match="^num_envs is 'x'"):
        DOORS["fano330"].vector_env("x", workers=2, backend=backend)


def test_more_workers_than_numba_has_threads() -> None:
    many = numba.config.NUMBA_NUM_THREADS + 1
    with pytest.raises(ValueError, match=rf"^workers is {many}; .* from 1 to {many - 1}, Numba's number of threads"):
        DOORS["fano330"].vector_env(64, workers=many, backend="numba")


def test_loops_of_several_threads_at_once() -> None:
    """One of Numba's layers ends the process there."""
    code = """
import sys, threading
import numpy as np
from abstract_envs.compiled import kernels
from abstract_envs.compiled.loops import loop
clear = loop(kernels.clearing, 2)
arrays = np.ones((2, 200_000), np.int8)
def run(array):
    for _ in range(500):
        clear(array.size, array)
clear(1, arrays[0])
threads = [threading.Thread(target=run, args=(array,)) for array in arrays]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit(f"done, {arrays.sum()} left")
"""
    assert _last_error(code, NUMBA_THREADING_LAYER="workqueue", NUMBA_NUM_THREADS="2") == "done, 0 left"


# --------------------------------------------------------------------------------------- what cannot be compiled


class Refused:
    """Rules that numbers of 64 bits without a sign do not follow."""

    def negative(self, x: Any) -> Any:
        return x * -1

    def large(self, x: Any) -> Any:
        return x & 1 << 64

    def broken(self, x: Any) -> Any:
        return x * 0.5

    def divided(self, x: Any) -> Any:
        return x / 2

    def complemented(self, x: Any) -> Any:
        return ~x & 7

    def far(self, x: Any) -> Any:
        return (x << 70) >> 70

    def named(self, x: Any) -> Any:
        return self.taken(y=x, x=9)

    def taken(self, x: Any, y: Any) -> Any:
        return x - y


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ("negative", "-1 is none"),
        ("large", "18446744073709551616 is none"),
        ("broken", "0.5 is none"),
        ("divided", "may be no whole number"),
        ("complemented", "is negative on ints"),
        ("far", "shifts by more than 63"),
        ("named", "has arguments by name"),
    ],
)
def test_what_would_be_another_number_is_refused(method: str, why: str) -> None:
    with pytest.raises(TypeError, match=f"^Refused.{method} cannot be compiled .*{why}"):
        scalar(getattr(Refused(), method))


class Decides:
    """Truth values that are results."""

    three = 3

    def both(self, x: Any) -> Any:
        return x and 1

    def sums(self, x: Any) -> Any:
        return (x and self.three) + (0 or x) + (x or 2)


@pytest.mark.parametrize("method", ["both", "sums"])
def test_results_of_and_and_or(method: str) -> None:
    plain = getattr(Decides(), method)
    fast = scalar(plain)
    assert [fast(np.uint64(x)) for x in range(4)] == [plain(x) for x in range(4)]


def test_sources_that_are_not_there_or_are_others(tmp_path: Path) -> None:
    def made(file: Path) -> Any:
        names: dict[str, Any] = {}
        exec(compile("def f(x):\n    return x + 1\n", str(file), "exec"), names)
        return names["f"]

    with pytest.raises(RuntimeError, match=r"the source of f, .*gone\.py, cannot be read: FileNotFoundError"):
        scalar(made(tmp_path / "gone.py"))
    (tmp_path / "rules.zip").touch()
    with pytest.raises(RuntimeError, match=r"the source of f, .*rules\.py, cannot be read: NotADirectoryError"):
        scalar(made(tmp_path / "rules.zip" / "rules.py"))
    (tmp_path / "edited.py").write_text("def f(x):\n    return x + 2\n")
    with pytest.raises(RuntimeError, match=r"the source of f, .*edited\.py, is not what was imported"):
        scalar(made(tmp_path / "edited.py"))
