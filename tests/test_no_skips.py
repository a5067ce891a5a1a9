"""The plugin that CI loads: skips and expected failures make a run fail, and nothing else does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

LEFT_OUT = {
    "test_mark.py": "@pytest.mark.skip\ndef test(): pass\n",
    "test_runs.py": "def test(): pytest.skip('no reason')\n",
    "test_module.py": "pytest.importorskip('no_such_module')\ndef test(): pass\n",
    "test_xfail.py": "@pytest.mark.xfail\ndef test(): assert False\n",
    "test_xpass.py": "@pytest.mark.xfail(strict=False)\ndef test(): pass\n",
}


def run(path: Path, files: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    for name, source in ({"test_passes.py": "def test(): pass\n"} | files).items():
        (path / name).write_text("import pytest\n" + source)
    (path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-c", str(path / "pytest.ini"), "-p", "no:cacheprovider", *options, str(path)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "workers"])
def test_what_is_left_out_is_named_and_fails_the_run(tmp_path: Path, workers: tuple[str, ...]) -> None:
    done = run(tmp_path, LEFT_OUT, "-p", "tests.no_skips", *workers)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    named = done.stdout.partition("every test must run here")[2]
    assert [name for name in LEFT_OUT if name not in named] == []
    assert "test_passes.py" not in named


def test_other_runs_end_as_they_do(tmp_path: Path) -> None:
    done = run(tmp_path, {}, "-p", "tests.no_skips")
    assert done.returncode == pytest.ExitCode.OK, done.stdout
    assert "every test must run here" not in done.stdout


def test_without_the_plugin_skips_pass(tmp_path: Path) -> None:
    assert run(tmp_path, LEFT_OUT).returncode == pytest.ExitCode.OK
