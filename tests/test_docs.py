"""What the site makes of the texts, and figures of the README that stand elsewhere too. `make docs` builds the site itself."""

from __future__ import annotations

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
