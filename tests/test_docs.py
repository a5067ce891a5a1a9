"""What the site makes of the texts, and figures of the README that stand elsewhere too. `make docs` builds the site itself."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import abstract_envs
from benchmarks import ratings

ROOT = Path(__file__).parent.parent


def hooks() -> Any:
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("index.md", "[a](docs/games/xahzo.md#board), [b](LICENSE)", "[a](games/xahzo.md#board), b"),
        ("index.md", "![a](docs/pictures/all.svg) [b](CHANGELOG.md)", "![a](pictures/all.svg) [b](changelog.md)"),
        ("rendering.md", "[a `b`](../examples/x.py) [c](../README.md#d)", "a `b` [c](index.md#d)"),
        ("games/xahzo.md", "[a](../rendering.md) [b](../../CONTRIBUTING.md)", "[a](../rendering.md) [b](../contributing.md)"),
        ("games/xahzo.md", "[a](#board) [b](https://semver.org)", "[a](#board) [b](https://semver.org)"),
        ("index.md", "```python\nf[0](docs/x.md)\n```\n[b](LICENSE)", "```python\nf[0](docs/x.md)\n```\nb"),
    ],
)
def test_links(page: str, text: str, expected: str) -> None:
    assert hooks().linked(text, page) == expected


@pytest.mark.parametrize(
    ("html", "fetches"),
    [
        ('<script src="https://elsewhere.org/a.js"></script>', True),
        ("<img alt=x src=//elsewhere.org/a.png>", True),
        ('<link rel="preconnect" href="https://elsewhere.org" crossorigin>', True),
        ('<a href="https://semver.org">semantic</a> <script src="assets/a.js"></script> <link href="assets/a.css">', False),
    ],
)
def test_nothing_is_fetched(html: str, fetches: bool) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md"))
    if fetches:
        with pytest.raises(ValueError, match=r"a\.md: the page would fetch <"):
            hooks().on_post_page(html, page, None)
    else:
        assert hooks().on_post_page(html, page, None) == html


def test_ratings_in_the_readme() -> None:
    """`python benchmarks/ratings.py` makes the table of what docs/ratings.md says."""
    table = ratings.table(ratings.SOURCE.read_text(encoding="utf-8"))
    assert f"<!-- table ratings -->\n{table}\n<!-- end -->" in ratings.README.read_text(encoding="utf-8")
    assert table.count("\n") >= 6


def test_table_of_ratings() -> None:
    page = "\n".join(
        [
            *("<!-- ratings: a -->", "", "### A", "", "```text", "agent  Elo  95 %  score"),
            *("ppo     12  1 to 20  60.0 %", "random   0           4.0 %", "moving first: 0 Elo (-1 to 1)", "```"),
            *("", "<!-- ratings: b -->", "", "<!-- ratings: c -->", "", "### C", "", "```text", "agent  Elo  95 %  score"),
            *("random   0           4.0 %", "x(n=1) -30  1 to 20  60.0 %", "moving first: 0 Elo", "```"),
        ]
    )
    rows = ["|  | A | C |", "| --- | ---: | ---: |", "| `x(n=1)` | - | -30 |", "| `random` | 0 | 0 |", "| `ppo` | 12 | - |"]
    assert ratings.table(page).splitlines() == rows


def test_citation() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", text, re.MULTILINE) == [abstract_envs.__version__]


def names_of(module: str) -> dict[str, str]:
    """The names of a module's ``__all__`` -> where they are defined, read from its source: some need extras to be imported."""
    found: dict[str, str] = {}
    told: list[str] = []
    for node in ast.parse(source_of(module).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            found |= {name.name: f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            told = ast.literal_eval(node.value)
    return {name: found.get(name, f"{module}.{name}") for name in told}


def source_of(module: str) -> Path:
    path = ROOT / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_reference() -> None:
    """docs/api.md has every public name of the modules that are there to be imported from."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    shown: set[str] = set()
    for target, options in re.findall(r"^::: (\S+)\n((?: +.*\n)*)", page, re.MULTILINE):
        if not source_of(target).exists():
            module, _, name = target.rpartition(".")
            shown.add(names_of(module)[name])
        elif "members: false" not in options:
            shown |= {*names_of(target).values()}
    for module in ("agents", "core.symmetry", "envs.gym", "envs.learner", "envs.sb3", "evaluate", "movies", "perft", "records"):
        assert {*names_of(f"abstract_envs.{module}").values()} <= shown, module
    assert {"abstract_envs.compiled.game.compiled", "abstract_envs.envs.vector.VectorEnv"} <= shown
