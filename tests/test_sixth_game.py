"""The game that docs/sixth_game.md adds: the page's files are written into a copy of the repository, and all suites run there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from test_readme import ROOT, WITH_FILES, blocks

FOLDERS = ("abstract_envs", "benchmarks", "docs", "examples", "tests")
FILES = (
    "Makefile",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "CITATION.cff",
    "constraints.txt",
    "pyproject.toml",
)
INSTEAD, AT_END, TO_LIST = "these lines instead", "added at the end", "added to the list"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the game in it."""
    to = tmp_path_factory.mktemp("repository")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in FILES:
        shutil.copy(ROOT / file, to / file)
    for block in blocks(WITH_FILES):
        if block.title:
            name, _, how = block.title.partition(", ")
            (to / name).parent.mkdir(exist_ok=True)
            write(to / name, block.text, how)
    run(to, "examples/draw_boards.py")
    return to


def write(path: Path, text: str, how: str) -> None:
    if not how:
        assert not path.exists(), f"{path.name} is there already"
        path.write_text(text + "\n" if text else "", encoding="utf-8")
        return
    before = path.read_text(encoding="utf-8").rstrip()
    if how == AT_END:
        after = f"{before}\n\n{text}\n"
    elif how == TO_LIST:
        after = f"{before.removesuffix(']').rstrip()},\n{text}\n]\n"
    else:
        assert how == INSTEAD
        after = before + "\n"
        for line in filter(None, text.splitlines()):
            begin = re.match(r"GAMES = |from abstract_envs import ", line)
            assert begin, line
            after, found = re.subn(rf"^{begin[0]}.*$", line, after, flags=re.MULTILINE)
            assert found == 1, line
    path.write_text(after, encoding="utf-8")


def run(copy: Path, *command: str) -> str:
    """Runs Python in the copy -> what it prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(copy), str(copy / "tests")])}
    done = subprocess.run(
        [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True, timeout=800, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def test_blocks_of_the_page(copy: Path) -> None:
    """What the page shows of the game, once it is there."""
    code = "import abstract_envs, test_readme; test_readme.run_blocks(test_readme.WITH_FILES); print(abstract_envs.__file__)"
    said = run(copy, "-c", code)
    assert Path(said.strip()).is_relative_to(copy)


@pytest.mark.slow
def test_suites(copy: Path) -> None:
    """All tests that the page's command runs; and those of the walls, which are not of one game."""
    run(copy, "-m", "pytest", "-q", "tests/test_walls.py")
    (line,) = (block.text for block in blocks(WITH_FILES) if block.kind == "bash")
    make, test, setting = shlex.split(line)
    assert (make, test) == ("make", "test")
    said = run(copy, "-m", "pytest", "-q", "-m", "not slow", *shlex.split(setting.removeprefix("PYTEST=")))
    # as many as the other games have: nothing was left out because something of the game was not found
    assert int(re.findall(r"^(\d+) passed", said, re.MULTILINE)[-1]) > 500
