"""Every block of code in the documentation is run: a block of a kind that is not known here is an error, not a gap.

python: run in order, one namespace a page; a `text` block right behind is what it prints.
console: commands behind `$ ` and what they print; in tables with a column of seconds numbers with a decimal point excepted.
bash: make targets that exist, pip installations of extras that exist (test_package.py installs the package for real), and
    scripts, and commands of ray, with options that they have.
text: output, or a picture of a board.
title="...": of whatever kind, a file: test_sixth_game.py writes these, and runs what there is then.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
NEEDS_TRAIN = [ROOT / name for name in ("README.md", "docs/alphazero.md", "docs/questions.md", "docs/training.md")]
"""Pages whose blocks need the extra `train`: test_train_docs.py runs them."""
WITH_FILES = ROOT / "docs" / "sixth_game.md"
"""The page that has files: test_sixth_game.py runs its blocks."""
NEEDS_FRAMEWORKS = [ROOT / "docs" / "frameworks.md"]
"""Pages whose blocks need what `make test-frameworks` installs: tests/frameworks/test_frameworks_docs.py runs them."""
NEEDS_RLLIB = [ROOT / "docs" / "rllib.md"]
"""Pages whose blocks need what `make test-rllib` installs: tests/rllib/test_rllib_docs.py runs them."""


class Block(NamedTuple):
    kind: str
    text: str
    line: int
    title: str = ""


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page; one that is not closed, or has no kind, is an error."""
    found: list[Block] = []
    start, kind, lines = 0, "", []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.fullmatch(r" *```(.*)", line)
        if fence and not start:
            start, kind, lines = number, fence[1].strip(), []
        elif fence:
            named = re.fullmatch(r'(\w+) title="([^"]+)"', kind)
            found.append(Block(named[1] if named else kind, "\n".join(lines), start, named[2] if named else ""))
            start = 0
        elif start:
            lines.append(line)
    assert not start, f"{page.name}:{start}: block is not closed"
    return found


@pytest.mark.parametrize(
    "page",
    sorted({*PAGES} - {*NEEDS_TRAIN, *NEEDS_FRAMEWORKS, *NEEDS_RLLIB, WITH_FILES}),
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_blocks(page: Path) -> None:
    run_blocks(page)


def run_blocks(page: Path) -> None:
    """Runs and checks the blocks of a page, in order."""
    namespace: dict[str, object] = {"__name__": "__page__"}
    printed: str | None = None
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.title:
            assert page == WITH_FILES, f"{where}: nobody writes this file"
            continue
        if block.kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                # keeps the page's line numbers in tracebacks
                exec(compile("\n" * block.line + block.text, str(page), "exec"), namespace)
            printed = out.getvalue()
            continue
        if block.kind == "text":
            assert printed is None or block.text.strip() == printed.strip(), f"{where}: the block above prints\n{printed}"
        elif block.kind == "console":
            run_console(block.text, where)
        elif block.kind == "bash":
            for line in block.text.splitlines():
                check_command(line, where)
        else:
            pytest.fail(f"{where}: no way to run a block of kind {block.kind!r}")
        printed = None


def run_console(text: str, where: str) -> None:
    parts = re.split(r"^\$ (.*)\n?", text, flags=re.MULTILINE)
    assert parts[0] == "", f"{where}: output before the first command"
    for command, expected in zip(parts[1::2], parts[2::2], strict=True):
        words = shlex.split(command)
        assert words[0] == "python", f"{where}: {command}"
        done = subprocess.run([sys.executable, *words[1:]], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{where}: {command}\n{done.stderr}"
        assert masked(done.stdout) == masked(expected), f"{where}: {command} prints\n{done.stdout}"


def masked(text: str) -> list[str]:
    """The lines, without times in a table that has them."""
    pattern = r" *\d+\.\d+" if re.match(r".* seconds\n", text) else r" *$"
    return [re.sub(pattern, "", line).rstrip() for line in text.strip().splitlines()]


def check_command(line: str, where: str) -> None:
    words = shlex.split(line)
    if words[0] == "make":
        done = subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, f"{where}: {line}\n{done.stderr}"
        for script in re.findall(r"python (\S+\.py)", done.stdout):
            assert (ROOT / script).is_file(), f"{where}: {line} runs {script}, which is not there"
        return
    script = words[0] == "python" and (ROOT / words[1]).is_file()
    if script or words[0] == "ray":
        program = [sys.executable, words[1]] if script else [str(Path(sys.executable).with_name("ray")), words[1]]
        told = subprocess.run([*program, "--help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        options = re.findall(r"^  (--[\w-]+)", told, re.MULTILINE)
        unknown = {word for word in words if word.startswith("--")} - set(options)
        assert not unknown, f"{where}: {line}: no option {unknown}"
        return
    place = re.fullmatch(r"\.(?:\[(.*)\])?", words[-1])
    if words[:2] != ["pip", "install"] or len(words) != 3 or not place:
        pytest.fail(f"{where}: no way to check {line!r}")
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(filter(None, (place[1] or "").split(","))) <= set(known), f"{where}: {line}"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links(page: Path) -> None:
    """Links to files of the repository, and to headings of the same page, lead somewhere."""
    text = page.read_text(encoding="utf-8")
    headings = {re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in re.findall(r"^#+ (.*)", text, re.MULTILINE)}
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if path.startswith("https:"):
            continue
        assert (page.parent / path).exists(), target
        assert path or anchor in headings, target
