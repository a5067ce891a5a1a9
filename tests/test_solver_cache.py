"""Tables in the cache folder: kept, verified, made anew, and whole whoever else writes them at the time."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abstract_envs.agents import solver, tables
from abstract_envs.agents.tables import cache_folder, read, table_of, write
from abstract_envs.core.positions import Positions
from helpers import game_of

ROOT = Path(__file__).parent.parent
HEAD: dict[str, Any] = {"format": 1, "game": "a game", "options": "{}", "positions": 5000, "sources": "abc"}
CODES = np.random.default_rng(0).integers(-100, 100, 5000).astype(np.int8)


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the games that are solved; in place of solving, some codes are made up."""
    done: list[str] = []

    def made_up(positions: Positions, name: str, progress: bool) -> NDArray[np.int8]:
        done.append(name)
        return np.arange(len(positions)).astype(np.int8)

    monkeypatch.setattr(solver, "solve", made_up)
    return done


def fresh(folder: Path, name: str = "honey_donuts", **options: Any) -> NDArray[np.integer[Any]]:
    """The codes as another process would get them."""
    tables._table_of.cache_clear()
    try:
        return table_of(game_of(name, options), folder, progress=False).codes
    finally:
        tables._table_of.cache_clear()


def test_kept_and_read(tmp_path: Path, solves: list[str]) -> None:
    made = fresh(tmp_path / "new" / "folder")
    (path,) = (tmp_path / "new" / "folder").iterdir()
    assert path.stat().st_size < 1_000_000
    found = fresh(tmp_path / "new" / "folder")
    assert solves == ["honey_donuts"]
    assert found.dtype == made.dtype
    assert np.array_equal(made, found)
    # options that do not change the values share the table
    fresh(tmp_path / "new" / "folder", repetition="simple")
    assert solves == ["honey_donuts"]


def test_one_table_in_memory(tmp_path: Path, solves: list[str]) -> None:
    assert table_of(game_of("honey_donuts", {}), tmp_path) is table_of(game_of("honey_donuts", {}), str(tmp_path))
    tables._table_of.cache_clear()


@pytest.mark.parametrize("at", [0, 10, 60, -1, -3000])
def test_damaged(tmp_path: Path, solves: list[str], at: int) -> None:
    made = fresh(tmp_path)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at:][1:])
    assert np.array_equal(fresh(tmp_path), made)
    assert len(solves) == 2
    assert path.read_bytes() == whole  # mended
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("what", [b"", b"\n", b"{}\n", b"[]\n", b"null\nx", b"\xff\xfe\n", b'{"type": "int8", "sha256": 3}\n'])
def test_no_table_at_all(tmp_path: Path, what: bytes) -> None:
    path = tmp_path / "a.table"
    assert read(path, HEAD) is None
    path.write_bytes(what)
    assert read(path, HEAD) is None
    write(path, HEAD, CODES)
    found = read(path, HEAD)
    assert found is not None
    assert found.dtype == CODES.dtype
    assert np.array_equal(found, CODES)


def test_cut_short_at_every_length(tmp_path: Path) -> None:
    path = tmp_path / "a.table"
    write(path, HEAD, CODES)
    whole = path.read_bytes()
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        assert read(path, HEAD) is None


@pytest.mark.parametrize("field", sorted(HEAD))
def test_of_something_else(tmp_path: Path, field: str) -> None:
    path = tmp_path / "a.table"
    other = HEAD | {field: 4999 if field == "positions" else "other"}
    write(path, other, CODES)
    assert read(path, HEAD) is None


def test_the_body_of_another_table(tmp_path: Path) -> None:
    """Whole, and of the right length: the checksum alone tells."""
    path = tmp_path / "a.table"
    write(path, HEAD, CODES)
    line, _, _ = path.read_bytes().partition(b"\n")
    write(path, HEAD, CODES[::-1])
    _, _, body = path.read_bytes().partition(b"\n")
    path.write_bytes(line + b"\n" + body)
    assert read(path, HEAD) is None


def test_a_body_of_another_length(tmp_path: Path) -> None:
    path = tmp_path / "a.table"
    write(path, HEAD, CODES[:-1])
    assert read(path, HEAD) is None
    write(path, HEAD, CODES)
    line, _, body = path.read_bytes().partition(b"\n")
    # the checksum is right, and what it is of is no compressed table
    forged = json.loads(line) | {"sha256": hashlib.sha256(body[1:]).hexdigest()}
    path.write_bytes(json.dumps(forged).encode() + b"\n" + body[1:])
    assert read(path, HEAD) is None


def test_made_anew_for_another_version(tmp_path: Path, solves: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    fresh(tmp_path)
    monkeypatch.setattr(tables, "FORMAT", 2)
    fresh(tmp_path)
    fresh(tmp_path)
    assert len(solves) == 2


def test_made_anew_when_the_code_has_changed(tmp_path: Path, solves: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    fresh(tmp_path)
    source = tables.inspect.getsource

    def changed(module: Any) -> str:
        return source(module) + "# changed" * module.__name__.endswith("honey_donuts.rules")

    monkeypatch.setattr(tables.inspect, "getsource", changed)
    fresh(tmp_path)
    assert len(solves) == 2

    def missing(module: Any) -> str:
        raise OSError

    monkeypatch.setattr(tables.inspect, "getsource", missing)
    fresh(tmp_path)
    fresh(tmp_path)
    assert len(solves) == 3


def test_made_anew_for_other_options(tmp_path: Path, solves: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a game whose values depend on an option; each of its values has a file."""
    from abstract_envs.games.honey_donuts.positions import HoneyDonutsPositions

    for options in ({"repetition": "strict"}, {"repetition": "simple"}) * 2:
        monkeypatch.setattr(HoneyDonutsPositions, "options", options)
        fresh(tmp_path)
    assert len(solves) == len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_cannot_be_written(tmp_path: Path, solves: list[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(UserWarning, match="the table of honey_donuts could not be kept in"):
        codes = fresh(tmp_path / "file" / "folder")
    assert len(codes) == 3_341_520


def test_nothing_is_left_behind_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*names: Any) -> None:
        raise OSError("no")

    write(tmp_path / "a.table", HEAD, CODES)
    monkeypatch.setattr(tables.os, "replace", failing)
    with pytest.raises(OSError, match="no"):
        write(tmp_path / "a.table", HEAD, CODES[::-1])
    assert [path.name for path in tmp_path.iterdir()] == ["a.table"]
    found = read(tmp_path / "a.table", HEAD)
    assert found is not None
    assert np.array_equal(found, CODES)


# ------------------------------------------------------------------------------------------------------------- the folder


def test_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import platformdirs

    monkeypatch.setenv("ABSTRACT_ENVS_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("ABSTRACT_ENVS_CACHE")
    assert cache_folder() == platformdirs.user_cache_path("abstract_envs", appauthor=False)
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    assert cache_folder() is None


def test_without_a_folder_tables_are_made_all_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # perfect play and its hints are there for who installed no extra
    monkeypatch.delenv("ABSTRACT_ENVS_CACHE", raising=False)
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    monkeypatch.setenv("HOME", str(tmp_path))
    game = game_of("fano330", {})
    assert (table_of(game).codes < 0).sum() == 177_656  # see docs/solved.md
    assert not any(tmp_path.iterdir())


# ------------------------------------------------------------------------------------------------------ several processes

AT_ONCE = """
import sys
from abstract_envs import fano330_v0
from abstract_envs.agents import table_of
print("ready", flush=True)
sys.stdin.readline()
codes = table_of(fano330_v0.game(), sys.argv[1], progress=False).codes
print((codes > 0).sum(), (codes < 0).sum(), len(codes))
"""

WRITES = """
import sys
from pathlib import Path
sys.path.insert(0, "tests")
from test_solver_cache import CODES, HEAD, write
print("ready", flush=True)
sys.stdin.readline()
for round in range(60):
    write(Path(sys.argv[1]) / "a.table", HEAD, CODES)
"""


def start(program: str, *arguments: Path) -> subprocess.Popen[str]:
    """A process that waits for a line."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n", process.communicate()
    return process


def go(processes: list[subprocess.Popen[str]]) -> None:
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()


def test_two_processes_make_the_same_table_at_once(tmp_path: Path) -> None:
    processes = [start(AT_ONCE, tmp_path) for _ in range(2)]
    go(processes)
    for process in processes:
        out, error = process.communicate(timeout=120)
        assert (process.returncode, error) == (0, "")
        assert out == "335144 177656 789175\n"
    assert [path.name for path in tmp_path.iterdir()] == ["fano330.table"]
    codes = fresh(tmp_path, "fano330")
    assert (codes == 0).sum() == 276_375


def test_a_reader_among_writers(tmp_path: Path) -> None:
    """Two processes write the same file again and again; whoever reads it in between finds it whole."""
    write(tmp_path / "a.table", HEAD, CODES)
    processes = [start(WRITES, tmp_path) for _ in range(2)]
    go(processes)
    reads = 0
    while any(process.poll() is None for process in processes):
        found = read(tmp_path / "a.table", HEAD)
        assert found is not None
        assert np.array_equal(found, CODES)
        reads += 1
    for process in processes:
        _, error = process.communicate(timeout=60)
        assert (process.returncode, error) == (0, "")
    assert reads > 10
    assert [path.name for path in tmp_path.iterdir()] == ["a.table"]
