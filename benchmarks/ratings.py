"""The table of ratings in README.md, from those in docs/ratings.md.

    python benchmarks/ratings.py

writes it; what docs/ratings.md holds is printed by ``python -m abstract_envs arena``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout this file is in, installed or not

from benchmarks.page import insert

__all__ = ["README", "SOURCE", "table"]

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "docs" / "ratings.md"
README = ROOT / "README.md"
_PART = re.compile(r"^<!-- ratings: \w+ -->\n\n### (.+)\n\n```text\nagent .*\n((?:.+\n)+?)moving first", re.MULTILINE)
_LINE = re.compile(r"^(\S+) +(-?\d+) .*$", re.MULTILINE)


def table(page: str) -> str:
    """The ratings of each game that has them, by agent, as a Markdown table: agents in the order of their mean."""
    games = {game: dict(_LINE.findall(lines)) for game, lines in _PART.findall(page)}
    found = {agent: [int(elos[agent]) for elos in games.values() if agent in elos] for elos in games.values() for agent in elos}
    order = sorted(found, key=lambda agent: sum(found[agent]) / len(found[agent]))
    rows = [["", *games], ["---", *["---:"] * len(games)]]
    rows += [[f"`{agent}`", *(elos.get(agent, "-") for elos in games.values())] for agent in order]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


if __name__ == "__main__":
    tables = {"ratings": table(SOURCE.read_text(encoding="utf-8"))}
    README.write_text(insert(README.read_text(encoding="utf-8"), tables), encoding="utf-8")
