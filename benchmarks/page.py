"""The tables of docs/performance.md, made of what ``--json`` has saved: ``throughput.py --from-json FILE .. --markdown``.

In the page a table stands between ``<!-- table NAME -->`` and ``<!-- end -->``; `insert` replaces what is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.parts import PARTS

__all__ = ["ALL_CORES", "compact", "fit", "insert", "markdown", "merge"]

Report = dict[str, Any]
MIB = 1 << 20
WAYS = ("rules", "rules, numba", "vector_env", "vector_env, numba", "raw_env", "env", "lists", "arrays", "step")
"""Of the rows that are shown: not the phases."""
ALL_CORES = ", all cores"
"""What the names of floors and targets end in that were measured so."""
PARTS_OF_REPORTS = ("floors", "targets", f"floors{ALL_CORES}", f"targets{ALL_CORES}", "workers", "parts", "compile", "memory")
"""What is measured by a run of its own, beside the rows."""
DIGITS = 4
"""Of the figures that are kept."""


def merge(files: Iterable[str]) -> Report:
    """Saved reports as one, each part that of the last file that has it; OSError or ValueError for a bad file.

    ``environment`` is that of the rows, ``environments`` has those of the other parts, by the names of these.
    Single timings are left out, and figures rounded: so the tables are the same, made of this or of what is kept of it.
    """
    merged: Report = {}
    for file in files:
        report = json.loads(Path(file).read_text())
        others = {part: report["environment"] for part in PARTS_OF_REPORTS if part in report and "environment" in report}
        if "rows" in report:
            others = {}
        elif "environment" in merged:
            report.pop("environment", None)
        others = merged.get("environments", {}) | report.get("environments", {}) | others
        merged |= report | ({"environments": others} if others else {})
    for environment in (merged.get("environment", {}), *merged.get("environments", {}).values()):
        environment.pop("load_average", None)
    for row in merged.get("rows", ()):
        for samples in [key for key in row if key.startswith("samples")]:
            del row[samples]
    return _rounded(merged)


def compact(report: Report) -> str:
    """JSON with a row a line."""
    parts = []
    for key, value in report.items():
        lines = ",\n".join(f"  {json.dumps(item)}" for item in value) if isinstance(value, list) else ""
        parts.append(f" {json.dumps(key)}: " + (f"[\n{lines}\n ]" if lines else json.dumps(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value


# ------------------------------------------------------------------------------------------------------------- the model


def fit(batches: Sequence[int], seconds: Sequence[float]) -> tuple[float, float, float]:
    """``seconds = a call + a game * batch`` -> (a call, a game, the worst relative misfit).

    Least squares of the relative misfits, as a large batch would else decide alone; neither part is below zero.
    """
    size, time = np.array(batches, float), np.array(seconds, float)
    scaled = np.stack([1 / time, size / time], axis=1)
    (call, game), *_ = np.linalg.lstsq(scaled, np.ones(len(size)), rcond=None)
    if call < 0 or game < 0:
        alone = scaled[:, 0] if game < 0 else scaled[:, 1]
        best = alone.sum() / (alone @ alone)
        call, game = (best, 0.0) if game < 0 else (0.0, best)
    misfit = np.abs((call + game * size) / time - 1).max()
    return float(call), float(game), float(misfit)


# ---------------------------------------------------------------------------------------------------------------- tables


def markdown(report: Report) -> dict[str, str]:
    """The tables that can be made of a report, by name."""
    return {name: make(report) for name, (needed, make) in TABLES.items() if report.get(needed)}


def insert(page: str, tables: dict[str, str]) -> str:
    """The page with its tables replaced; ValueError for one that has no place."""
    for name, text in tables.items():
        page, found = re.subn(
            rf"(<!-- table {re.escape(name)} -->\n).*?(<!-- end -->)",
            lambda m, t=text: f"{m[1]}{t}\n{m[2]}",
            page,
            flags=re.DOTALL,
        )
        if found != 1:
            raise ValueError(f"the page has {found} places for the table {name!r}")
    return page


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [head, ["---", *["---:"] * (len(head) - 1)], *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _rate(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value / 1e6:.3g} M" if value >= 1e6 else f"{value / 1e3:.3g} k" if value >= 1e3 else f"{value:.3g}"


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} x"


def _name(row: Report) -> str:
    return f"{row['suite']} {row['game']}, `{row['way']}`" if row["suite"] == "own" else f"{row['suite']} {row['game']}"


def _timed(report: Report) -> list[Report]:
    """The rows that were timed, phases left out."""
    return [row for row in report["rows"] if row["steps_per_cpu_second"] and row["way"] in WAYS]


def _one_game(report: Report) -> str:
    rows = [row for row in _timed(report) if row["batch"] is None]
    lines = [
        [
            f"{row['suite']} {row['game']}",
            f"`{row['way']}`",
            f"{row['steps_per_cpu_second']:,.0f}",
            f"{row['steps_per_second']:,.0f}",
            f"{1e6 / row['steps_per_cpu_second']:.1f}",
            *(_times(row["ratios"].get(heading)) for heading in ("x c4 raw", "x c4 env")),
        ]
        for row in rows
    ]
    head = ["", "way", "steps/CPU-s", "steps/s", "us a step", "connect four `raw_env`", "connect four `env`"]
    return _table(head, lines)


def _by_batch(report: Report, cell: Callable[[Report], str]) -> str:
    rows = [row for row in _timed(report) if row["batch"] is not None]
    batches = sorted({row["batch"] for row in rows})
    names = list(dict.fromkeys(map(_name, rows)))
    found = {(_name(row), row["batch"]): cell(row) for row in rows}
    return _table(
        ["", *(f"{batch:,}" for batch in batches)],
        [[name, *(found.get((name, batch), "-") for batch in batches)] for name in names],
    )


def _batches(report: Report) -> str:
    return _by_batch(report, lambda row: _rate(row["steps_per_cpu_second"]))


def _ratios(report: Report) -> str:
    return _by_batch(report, lambda row: _times(row["ratios"].get("x pgx hex")))


def _cost(report: Report) -> str:
    times: dict[str, list[tuple[int, float]]] = {}
    for row in _timed(report):
        if row["batch"] is not None:
            times.setdefault(_name(row), []).append((row["batch"], row["batch"] / row["steps_per_cpu_second"]))
    lines = []
    for name, points in times.items():
        if len(points) < 3:
            continue
        call, game, misfit = fit(*zip(*points, strict=True))
        half = f"{call / game:,.0f}" if game else "-"
        lines.append([name, f"{call * 1e6:,.0f}", f"{game * 1e9:,.0f}", half, f"{misfit:.0%}"])
    return _table(["", "us a call", "ns a game", "games whose cost is that of the call", "worst misfit"], lines)


def _targets(report: Report, part: str = "targets") -> str:
    lines = []
    for m in report[part]:
        spread = f"{min(m['ratios']):.2f} to {max(m['ratios']):.2f}" if m["ratios"] else f"{m['error']}"
        state = "not measured" if m["met"] is None else "met" if m["met"] else "missed"
        lines.append([f"`{m['row']}`", f"`{m['peer']}`", f"{m['floor']:g} x", _times(m["ratio"]), spread, state])
    return _table(["row", "against", "target", "median", "from .. to", ""], lines)


def _memory(report: Report) -> str:
    columns = list(report["memory"][0]["bytes_a_game"])
    lines = []
    for m in report["memory"]:
        sizes = [f"{m['bytes_a_game'][column]:,.0f}" for column in columns]
        lines.append([m["game"], *sizes, str(m["oldest_history"] or "-"), f"{m['before'] / MIB:,.0f}", f"{m['peak'] / MIB:,.0f}"])
    return _table(["bytes a game", *columns, "longest history", "before, MiB", "peak, MiB"], lines)


def _workers(report: Report) -> str:
    lines = []
    for m in report["workers"]:
        if m.get("error"):
            lines.append([f"`{m['row']}`", "-", "-", "-", m["error"]])
            continue
        spread = f"{min(m['ratios']):.2f} to {max(m['ratios']):.2f}"
        rates = [_rate(m[name]) for name in ("one_worker_steps_per_second", "steps_per_second")]
        lines.append([f"`{m['row']}`", *rates, _times(m["ratio"]), spread])
    return _table(["row", "one worker, steps/s", "with workers, steps/s", "median", "from .. to"], lines)


def _parts(report: Report) -> str:
    lines = [[f"{m['game']}, {m['batch']:,}", *(f"{m['parts'][part]:.0%}" for part in PARTS)] for m in report["parts"]]
    return _table(["game, batch", *PARTS], lines)


def _measured(report: Report) -> str:
    at, told = report["environment"], report["environment"]["arguments"]
    versions = ", ".join(f"{package} {version}" for package, version in at["versions"].items() if version)
    missing = "; ".join(f"{name} ({why})" for name, why in report.get("missing", {}).items())
    return (
        f"Measured with Python {at['python']}, {versions}, on one core of {at['cpu']}; {told['repeats']} timings of "
        f"{told['seconds']:g} s a row. " + (f"Missing: {missing}." if missing else "No peer is missing.")
    )


TABLES: dict[str, tuple[str, Callable[[Report], str]]] = {
    "measured": ("rows", _measured),
    "one-game": ("rows", _one_game),
    "batches": ("rows", _batches),
    "ratios": ("rows", _ratios),
    "cost": ("rows", _cost),
    "targets": ("targets", _targets),
    "targets-all-cores": (f"targets{ALL_CORES}", partial(_targets, part=f"targets{ALL_CORES}")),
    "workers": ("workers", _workers),
    "parts": ("parts", _parts),
    "memory": ("memory", _memory),
}
"""name -> (what of a report it needs, how it is made)"""
