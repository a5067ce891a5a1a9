"""Vector environments with worker processes: the same as without, and nothing left over, however they end."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from abstract_envs import fano330_v0, inphexion_v0, xahzo_v0
from abstract_envs.envs.workers import _KEPT, slices
from env_cases import Case, all_doors, position_text
from helpers import DOORS
from process_cases import LIMIT, gone, wait_until
from test_vector import all_modes, assert_equal, named, random_actions, texts

# the defaults of every game, and options that change sizes or bring in chance
CASES = [Case(door, {}) for door in DOORS.values()] + [Case(DOORS["inphexion"], {"board_size": 5, "pie_rule": True})]
every_case = pytest.mark.parametrize("case", CASES, ids=[f"{case.door.__name__}-{len(case.options)}" for case in CASES])
ROOT = Path(__file__).parent.parent


@pytest.fixture
def make() -> Iterator[Any]:
    """Makes environments that are closed at the end."""
    made: list[Any] = []

    def make(door: Any, num_envs: int, **more: Any) -> Any:
        made.append(door.vector_env(num_envs, **more))
        return made[-1]

    yield make
    for venv in made:
        venv.close()


def pids(venv: Any) -> list[int]:
    return list(venv._team.pids)


def play(venv: Any, steps: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(steps):
        venv.step(venv.sample(rng))


def named_shared_memory() -> set[str]:
    return set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()


# ------------------------------------------------------------------------------------------------------------------- equality


def test_slices() -> None:
    for games in range(1, 40):
        for workers in range(1, games + 1):
            found = slices(games, workers)
            assert [i for own in found for i in range(own.start, own.stop)] == list(range(games))
            sizes = [own.stop - own.start for own in found]
            assert len(sizes) == workers
            assert max(sizes) - min(sizes) <= 1


@every_case
@pytest.mark.parametrize(
    ("mode", "max_plies"),
    [(AutoresetMode.SAME_STEP, None), (AutoresetMode.NEXT_STEP, 7), (AutoresetMode.DISABLED, 7)],
    ids=lambda value: getattr(value, "value", str(value)),
)
def test_equal_to_one_process(case: Case, mode: AutoresetMode, max_plies: int | None, make: Any) -> None:
    n = 23
    more = {"autoreset_mode": mode, "max_plies": max_plies, **case.options}
    one, many = make(case.door, n, **more), make(case.door, n, workers=3, **more)
    assert many.workers == 3
    assert isinstance(many, type(one))
    for name in ("num_envs", "max_plies", "autoreset_mode", "metadata", "game"):
        assert getattr(many, name) == getattr(one, name)
    for name in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
        assert getattr(many, name) == getattr(one, name)
    rng, rngs = np.random.default_rng(1), (np.random.default_rng(2), np.random.default_rng(2))
    seed: Any
    for seed in (4, list(range(50, 50 + n)), None, np.arange(n) % 5, 2**64 - 3):
        expected = named(one.reset(seed=seed))
        assert_equal(named(many.reset(seed=seed)), expected)
        for ply in range(25):
            ended = ~expected["action_mask"].any(axis=1)
            if (mode is AutoresetMode.DISABLED and ended.any()) or ply == 11:
                mask = ended | (rng.random(n) < 0.1) | (np.arange(n) == 20)
                options = {"reset_mask": mask}
                again = None if ply % 2 else 1000 + ply
                expected = named(one.reset(again, options))
                assert_equal(named(many.reset(again, options)), expected)
            drawn = one.sample(rngs[0])
            assert np.array_equal(drawn, many.sample(rngs[1]))
            actions = drawn if ply % 3 else random_actions(expected["action_mask"], rng)
            expected = named(one.step(actions))
            found = named(many.step(actions))
            assert list(found) == list(expected)
            assert_equal(found, expected)
        assert texts(many) == texts(one)
        assert np.array_equal(one.sample(rngs[0]), one.game.sample(many.states, rngs[1]))


@every_case
def test_positions(case: Case, make: Any) -> None:
    one, many = (make(case.door, 7, autoreset_mode="NextStep", **case.options, **more) for more in ({}, {"workers": 2}))
    running, ended = position_text(case, ended=False), position_text(case, ended=True)
    mask = np.array([False] * 4 + [True, False, True])  # nothing of the first worker's
    for options in (
        {"position": running},
        {"position": [running] * 2 + [ended] + [running] * 4},
        {"position": [None] * 4 + [running, "nonsense", ended], "reset_mask": mask},
        {"reset_mask": mask},
    ):
        expected = named(one.reset(options=options, seed=3))
        assert_equal(named(many.reset(options=options, seed=3)), expected)
        assert texts(many) == texts(one)
    for _ in range(3):
        actions = random_actions(expected["action_mask"], np.random.default_rng(0))
        expected = named(one.step(actions))
        assert_equal(named(many.step(actions)), expected)


def test_a_game_for_every_worker(make: Any) -> None:
    one, many = make(fano330_v0, 3), make(fano330_v0, 3, workers=3)
    expected = named(one.reset(seed=0))
    assert_equal(named(many.reset(seed=0)), expected)
    for _ in range(30):  # so that the workers' games end apart
        actions = one.sample(np.random.default_rng(0))
        expected = named(one.step(actions))
        assert_equal(named(many.step(actions)), expected)


def test_unseeded_games_differ(make: Any) -> None:
    venv = make(xahzo_v0, 40, workers=2)
    venv.reset()
    dealt = texts(venv)
    assert len(set(dealt)) > 20
    venv.reset()
    assert len({*dealt, *texts(venv)}) > len(set(dealt)) + 10


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "dropped"])
def test_arrays_are_the_callers(make: Any, keep: bool) -> None:
    """Whatever the caller keeps or writes on: more of them than there are in shared memory, and views of dropped ones."""
    one, many = make(inphexion_v0, 9, max_plies=3), make(inphexion_v0, 9, max_plies=3, workers=2)
    rng = np.random.default_rng(0)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    expected, found = named(one.reset(seed=1)), named(many.reset(seed=1))
    for ply in range(4 * _KEPT):
        assert_equal(found, expected)
        for name, array in found.items():
            assert array.flags.writeable
            assert not any(np.shares_memory(array, other) for key, other in found.items() if key != name)
            assert not any(np.shares_memory(array, other) for other, _ in kept)
            array[...] = 1
            part = None
            if keep or ply < 2:
                part = array[2:][1:].reshape(-1)[3:] if ply % 2 else array.view()
                part[...] = 0
                kept.append((part, part.copy()))
        del array, part
        actions = random_actions(expected["action_mask"], rng)
        given = actions.copy()
        found = named(many.step(given))
        given[...] = -1
        expected = named(one.step(actions))
        if not keep and ply == 5:
            kept.clear()
    for array, copied in kept:
        assert np.array_equal(array, copied)
    drawn = many.sample(np.random.default_rng(0))
    before = drawn.copy()
    many.step(drawn)
    assert np.array_equal(drawn, before)
    many.close()
    del many
    gc.collect()
    assert all(np.array_equal(array, copied) for array, copied in kept)
    assert_equal(found, found)


# ------------------------------------------------------------------------------------------------------------ what is refused


@all_doors
def test_bad_numbers_of_workers(door: Any) -> None:
    for bad in (0, -1, 1.5, "2", True, None, [2]):
        with pytest.raises(ValueError, match=r"workers is .*whole number of at least 1"):
            door.vector_env(4, workers=bad)
    with pytest.raises(ValueError, match=r"workers is 5; with num_envs 4 it is at most 4"):
        door.vector_env(4, workers=5)
    with pytest.raises(ValueError, match="num_envs is 0"):
        door.vector_env(0, workers=2)
    with pytest.raises(ValueError, match="autoreset_mode is"):
        door.vector_env(4, workers=2, autoreset_mode="no")
    assert type(door.vector_env(4, workers=np.int64(1))) is type(door.vector_env(4))


def message(function: Any, *args: Any, **kwargs: Any) -> tuple[type, str]:
    with pytest.raises(Exception) as caught:  # noqa: PT011  whatever it is, it is compared
        function(*args, **kwargs)
    return caught.type, str(caught.value)


@pytest.mark.parametrize("case", [Case(fano330_v0, {}), Case(xahzo_v0, {})], ids=["fano330", "xahzo"])
@all_modes
def test_errors_are_those_of_one_process(case: Case, mode: AutoresetMode, make: Any) -> None:
    """Type and text; and nothing has changed in any game, also where a worker had nothing to object to."""
    n = 25
    limit = None if mode is AutoresetMode.NEXT_STEP else 4  # where all games are being reset, nothing is illegal
    one, many = (make(case.door, n, autoreset_mode=mode, max_plies=limit, **more) for more in ({}, {"workers": 2}))

    def refused(name: str, *args: Any) -> str:
        expected = message(lambda: getattr(one, name)(*args))
        assert message(lambda: getattr(many, name)(*args)) == expected
        return expected[1]

    refused("step", [0] * n)
    refused("sample", np.random.default_rng(0))
    assert "states cannot be accessed" in refused("__getattribute__", "states")
    some = np.arange(n) == 3
    refused("reset", None, {"reset_mask": some})
    refused("reset", "123")
    assert_equal(named(many.reset(seed=5)), named(one.reset(seed=5)))
    rng, ended = np.random.default_rng(0), np.zeros(n, bool)
    for ply in range(6):
        actions = one.sample(rng)
        forbidden = (one.game.action_mask(one.states) == 0).argmax(axis=1)
        for rows in ([2], [20], [3, 24], range(n), range(13, 25)):
            bad = actions.copy()
            bad[list(rows)] = forbidden[list(rows)] if ply % 2 else -7
            assert ("have ended" if ended.any() else "illegal actions") in refused("step", bad)
        for bad in (actions[:-1], actions.astype(float), None, [2**70] * n):
            refused("step", bad)
        for seed, options in (
            (-1, None),
            ([1, 2], None),
            ([1.5] * n, None),
            (1, {"reset_mask": some[:-1]}),
            (1, {"position": "nonsense"}),
            (1, {"position": [position_text(case, False)] * (n - 1) + [""]}),
        ):
            refused("reset", seed, options)
        if not ended.any():
            expected = named(one.step(actions))
            assert_equal(named(many.step(actions)), expected)
            if mode is AutoresetMode.DISABLED:
                ended = expected["terminations"] | expected["truncations"]
    if mode is AutoresetMode.DISABLED:
        assert "have ended" in refused("step", [-1] * n)
        mended = {"reset_mask": ended}
        assert_equal(named(many.reset(options=mended)), named(one.reset(options=mended)))
    assert texts(many) == texts(one)
    assert_equal(named(many.reset()), named(one.reset()))  # the counts of deals, too, are as they were


def test_it_is_not_copied(make: Any) -> None:
    venv = make(fano330_v0, 4, workers=2)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            copied(venv)
    venv.reset()


# --------------------------------------------------------------------------------------------------- how workers come to an end


def refuses_all(venv: Any, match: str) -> None:
    """Every call says why the environment is closed."""
    for call in (
        venv.reset,
        lambda: venv.step([0] * venv.num_envs),
        lambda: venv.sample(np.random.default_rng(0)),
        lambda: venv.states,
    ):
        with pytest.raises(RuntimeError, match=match):
            call()


def test_close() -> None:
    venv = fano330_v0.vector_env(4, workers=2)
    workers = pids(venv)
    assert len(set(workers)) == 2
    observation, _ = venv.reset(seed=0)
    before = observation.copy()
    for _ in range(2):
        assert venv.close() is None
        assert all(map(gone, workers))
        refuses_all(venv, r"closed: close\(\) was called")
    assert np.array_equal(observation, before)
    observation[...] = 1


def test_with_blocks_and_references() -> None:
    with fano330_v0.vector_env(4, workers=2) as venv:
        workers = pids(venv)
        venv.reset()
    assert all(map(gone, workers))

    def fails() -> None:
        nonlocal workers
        with fano330_v0.vector_env(4, workers=2) as venv:
            workers = pids(venv)
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        fails()
    assert all(map(gone, workers))
    venv = fano330_v0.vector_env(4, workers=2)
    workers = pids(venv)
    del venv
    gc.collect()
    assert all(map(gone, workers))
    with fano330_v0.vector_env(4) as venv:
        venv.reset()
    venv.reset()  # without workers there was nothing to release


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_killed_worker(which: int, make: Any) -> None:
    venv = make(fano330_v0, 8, workers=3)
    venv.reset(seed=0)
    rng = np.random.default_rng(0)
    venv.step(venv.sample(rng))
    actions, workers = venv.sample(rng), pids(venv)
    os.kill(workers[which], signal.SIGKILL)
    wait_until(lambda: gone(workers[which]))
    games = ("0 to 2", "3 to 5", "6 to 7")[which]
    said = rf"worker {which} of 3 \(games {games}\) ended in .*\(\) with exit code -9 \(SIGKILL\)"
    with pytest.raises(RuntimeError, match=said):
        venv.step(actions)
    assert all(map(gone, workers))
    assert pids(venv) == []
    refuses_all(venv, said)


def test_a_worker_killed_while_it_works(make: Any) -> None:
    venv = make(inphexion_v0, 4096, workers=2)
    venv.reset(seed=0)
    workers = pids(venv)
    with subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(.5); os.kill({workers[1]}, 9)"]) as killer:
        with pytest.raises(RuntimeError, match=r"worker 1 of 2 .*exit code -9"):
            play(venv, 10**6)
        assert killer.wait(LIMIT) == 0
    assert all(map(gone, workers))


def test_an_error_in_a_worker(make: Any) -> None:
    venv = make(fano330_v0, 8, workers=2)
    venv.reset(seed=0)
    workers = pids(venv)
    with pytest.raises(
        RuntimeError, match=r"(?s)worker 0 of 2 \(games 0 to 3\) failed in step_slice.*Traceback.*KeyError: 'action_mask'"
    ):
        venv._team.call("step", venv._team.ask, "step_slice", {"observation": 0, "final_obs": 0})
    assert all(map(gone, workers))
    refuses_all(venv, "failed in step_slice")


def test_an_error_while_workers_start(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fano330(type(fano330_v0.game())):  # a class that workers cannot find
        pass

    from abstract_envs.envs.workers import WorkersVectorEnv

    with pytest.raises((RuntimeError, AttributeError, pickle.PicklingError), match="Fano330"):
        WorkersVectorEnv(Fano330(), 4, "name", 2)
    monkeypatch.setattr(sys, "path", [])
    said = r"(?s)worker 0 of 2 .* ended being started with exit code 1; .*The worker's last words:.*ModuleNotFoundError"
    with pytest.raises(RuntimeError, match=said):
        fano330_v0.vector_env(4, workers=2)
    for executable in (None, ""):
        monkeypatch.setattr(sys, "executable", executable)
        with pytest.raises(RuntimeError, match=r"started with sys\.executable, a Python; it is (None|'')"):
            fano330_v0.vector_env(4, workers=2)


def test_workers_ignore_interrupts(make: Any) -> None:
    venv = make(fano330_v0, 8, workers=2)
    for pid in pids(venv):
        os.kill(pid, signal.SIGINT)
        assert os.getpgid(pid) != os.getpgid(0)  # the terminal does not even send them one
    venv.reset(seed=0)
    venv.step(venv.sample(np.random.default_rng(0)))


class Interruption(BaseException):
    pass


def at_line(n: int, names: set[str], run: Any) -> bool:
    """Raises at the n-th line of functions of these names while something is run -> whether it came to that."""
    count = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        if frame.f_code.co_name not in names or not frame.f_code.co_filename.endswith("processes.py"):
            return None
        if event == "line":
            count += 1
            if count == n:
                sys.settrace(None)
                raise Interruption
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    except Interruption:
        return True
    finally:
        sys.settrace(before)
    return False


def test_interrupted_at_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Either nothing has been done, or all is ended. The workers, each with a list, load nothing but that one module."""
    import abstract_envs.envs.processes as module

    assert module.__file__
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(module.__file__).parent)])
    monkeypatch.delitem(sys.modules, "processes", raising=False)
    import processes  # pyright: ignore[reportMissingImports]

    def new() -> Any:
        return processes.Processes(list, [(), ()], ["0", "1"], 1)

    def add() -> None:
        team.call("add", team.ask, "append", 7)

    team, n, ended = new(), 1, 0
    while at_line(n, {"call", "_exchange"}, add):
        if team._why_closed:
            assert team._why_closed == "a call was interrupted in add() by Interruption"
            assert all(process.returncode == -signal.SIGKILL for process in team._running)
            ended += 1
            team = new()
        else:  # before it began
            assert not team._under_way
            assert [len(items) for items in team.call("look", team.ask, "copy")] == [1, 1]
        n += 1
    assert ended > 15
    team.close()
    monkeypatch.delitem(sys.modules, "processes")


def test_interrupted_after_the_workers_have_replied(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused step that could not be taken back, and a step that was made and not returned."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    for actions, owner, name in (([-1, 0, 0, 0], "_team", "settle"), ([0] * 4, None, "_seen")):
        venv = make(fano330_v0, 4, workers=2)
        venv.reset(seed=0)
        workers = pids(venv)
        monkeypatch.setattr(getattr(venv, owner) if owner else venv, name, interrupt)
        with pytest.raises(KeyboardInterrupt):
            venv.step(actions)
        assert all(map(gone, workers))
        refuses_all(venv, r"closed: a call was interrupted in step\(\) by KeyboardInterrupt")


def test_calls_during_a_call(make: Any) -> None:
    """From another thread and from within: refused, and nothing is closed; `close` ends what is under way."""
    venv = make(fano330_v0, 4, workers=2)
    venv.reset(seed=0)
    said: list[str] = []

    def tries() -> None:
        with pytest.raises(RuntimeError) as caught:
            venv.reset()
        said.append(str(caught.value))

    def under_way() -> None:
        thread = threading.Thread(target=tries)
        thread.start()
        thread.join()
        tries()

    venv._team.call("step", under_way)
    assert said == [
        f"the environment is in use: a call of step() in {where} thread has not come to its end" for where in ("another", "this")
    ]
    venv.step(venv.sample(np.random.default_rng(0)))
    os.kill(pids(venv)[0], signal.SIGSTOP)  # so that the next call waits
    closing = threading.Timer(0.2, venv.close)
    closing.start()
    with pytest.raises(RuntimeError, match=r"closed: close\(\) was called"):
        venv.reset()
    closing.join()
    refuses_all(venv, r"closed: close\(\) was called")


@pytest.mark.parametrize(
    ("before", "shell"),
    [
        ("import os; os.chdir('/')", '"$0" -c "$1"'),
        ("import pathlib; sys.path.append(pathlib.Path('/'))", '"$0" -c "$1"'),
        ("", '"$0" -c "$1" <&-'),
        ("", '"$0" -c "$1" <&- 2>&-'),
    ],
    ids=["another directory", "a Path in sys.path", "input closed", "errors closed too"],
)
def test_workers_start(before: str, shell: str) -> None:
    """In programs that are not as usual; the package is imported from the current directory."""
    code = f"import sys\nfrom abstract_envs import fano330_v0\n{before}\nfano330_v0.vector_env(4, workers=2).reset()\nprint('ok')"
    done = subprocess.run(
        ["sh", "-c", shell, sys.executable, code],
        capture_output=True, text=True, timeout=LIMIT, check=False, cwd=ROOT, env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("ok\n", 0), done.stderr


def test_a_killed_worker_where_nobody_waits(tmp_path: Path) -> None:
    program = Program(
        tmp_path,
        """
import os, signal
os.kill(venv._team.pids[0], signal.SIGKILL)
try:
    venv.step([0] * 2048)
except RuntimeError as error:
    print(error)
""",
        before="import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n",
    )
    code, out, err = program.ends()
    assert (code, err) == (0, "")
    assert "an exit code that is not known" in out


# ------------------------------------------------------------------------------------------------------------ whole programs

PLAY = """
import sys
import numpy as np
from abstract_envs import inphexion_v0
venv = inphexion_v0.vector_env(2048, workers=2)
venv.reset(seed=0)
rng = np.random.default_rng(0)
print(*venv._team.pids, flush=True)
"""
FOR_EVER = """
print("playing", flush=True)
while True:
    kept = venv.step(venv.sample(rng))
"""


class Program:
    """A program, not guarded by ``if __name__``, that has started its workers and goes on as told."""

    def __init__(self, tmp_path: Path, rest: str, *, before: str = "") -> None:
        file = tmp_path / "program.py"
        file.write_text(before + PLAY + rest)
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-X", "dev", str(file)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # or what is read ahead with a line is lost to `communicate`
            process_group=0,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert self.process.stdout
        self.workers = [int(pid) for pid in self.process.stdout.readline().split()]

    def playing(self) -> None:
        assert self.process.stdout
        assert self.process.stdout.readline() == b"playing\n"

    def ends(self) -> tuple[int, str, str]:
        """Exit code, what was printed, errors; workers are gone, though their output is no longer held open by anybody."""
        try:
            out, err = self.process.communicate(timeout=LIMIT)
        finally:
            self.process.kill()
        wait_until(lambda: all(map(gone, self.workers)))
        assert len(self.workers) == 2
        return self.process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize(
    ("rest", "code", "said"),
    [
        ("venv.step(venv.sample(rng))", 0, ""),
        ("venv.close()", 0, ""),
        ("raise SystemExit(3)", 3, ""),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("import os; kept = venv.step(venv.sample(rng)); os._exit(5)", 5, ""),
        # what was forked from it does not end the workers, nor step their games
        (
            "import os\n"
            "if not os.fork():\n"
            "    try:\n"
            "        venv.reset()\n"
            "    except RuntimeError as error:\n"
            "        print(error, flush=True)\n"
            "    venv.close()\n"
            "    sys.exit(0)\n"
            "assert os.wait()[1] == 0\n"
            "venv.step(venv.sample(rng))",
            0,
            "",
        ),
    ],
    ids=["falls off the end", "closes", "exits", "raises", "exits at once", "forks"],
)
def test_programs_end(tmp_path: Path, rest: str, code: int, said: str) -> None:
    before = named_shared_memory()
    program = Program(tmp_path, rest)
    found, out, err = program.ends()
    assert found == code, err
    assert said in err
    assert err == "" or said
    assert "fork" not in rest or "belongs to the process" in out
    assert named_shared_memory() == before


@pytest.mark.parametrize("group", [False, True], ids=["the program", "its group"])
def test_interrupted_program(tmp_path: Path, group: bool) -> None:
    program = Program(
        tmp_path,
        """
import time
try:
    print("playing", flush=True)
    while True:
        venv.step(venv.sample(rng))
except KeyboardInterrupt:
    try:  # not in the midst of a call: nothing is lost
        venv.step(venv.sample(rng))
        print("goes on")
    except RuntimeError as error:
        print(error)
""",
    )
    program.playing()
    time.sleep(0.2)
    (os.killpg if group else os.kill)(program.process.pid, signal.SIGINT)
    code, out, err = program.ends()
    assert (code, err) == (0, "")
    assert re.fullmatch(r"goes on\n|the environment is closed: a call was interrupted in \w+\(\) by KeyboardInterrupt\n", out)


def test_interrupted_while_waiting(tmp_path: Path) -> None:
    """The interruption comes in the midst of a call for certain: a worker is stopped."""
    program = Program(
        tmp_path,
        """
import os, signal
os.kill(venv._team.pids[0], signal.SIGSTOP)
print("playing", flush=True)
try:
    venv.step([0] * 2048)
except KeyboardInterrupt:
    pass
try:
    venv.reset()
except RuntimeError as error:
    print(error)
""",
    )
    program.playing()
    time.sleep(0.2)
    os.kill(program.process.pid, signal.SIGINT)
    code, out, err = program.ends()
    assert (code, err) == (0, "")
    assert out == "the environment is closed: a call was interrupted in step() by KeyboardInterrupt\n"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("rest", [FOR_EVER, 'print("playing", flush=True)\nsys.stdin.read()'], ids=["stepping", "idle"])
def test_killed_program(tmp_path: Path, how: signal.Signals, rest: str) -> None:
    before = named_shared_memory()
    program = Program(tmp_path, rest)
    program.playing()
    os.kill(program.process.pid, how)
    code, _, err = program.ends()
    assert (code, err) == (-how, "")
    assert named_shared_memory() == before


def test_killed_program_whose_connections_are_held_open(tmp_path: Path) -> None:
    """A process forked from it lives on: the workers see that their parent is another one."""
    program = Program(tmp_path, "import os, time\nif not os.fork():\n    time.sleep(600)\n    os._exit(0)\n" + FOR_EVER)
    program.playing()
    os.kill(program.process.pid, signal.SIGKILL)
    try:
        program.process.wait(LIMIT)
        wait_until(lambda: all(map(gone, program.workers)))
    finally:
        os.killpg(program.process.pid, signal.SIGKILL)  # the one that lives on
    program.ends()


def test_a_program_without_a_file() -> None:
    """As in a notebook or at a prompt, and from a thread."""
    code = (
        PLAY
        + "import threading\nthread = threading.Thread(target=venv.step, args=(venv.sample(rng),))\nthread.start()\nthread.join()"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error"], input=code, capture_output=True, text=True, timeout=LIMIT, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert all(gone(int(pid)) for pid in done.stdout.split())
