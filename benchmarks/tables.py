"""The tables that are printed."""

from __future__ import annotations

from benchmarks.timing import Result, ratio

__all__ = ["AGAINST_BATCH", "AGAINST_ONE", "align", "compare", "table"]

# columns of ratios: heading -> id of the row compared with, {batch} as in the row
AGAINST_ONE = {
    "x c4 raw": "pettingzoo/connect_four_v3/raw_env",
    "x c4 env": "pettingzoo/connect_four_v3/env",
}
AGAINST_BATCH = {"x pgx hex": "pgx/hex/step/{batch}"}


def compare(results: list[Result]) -> dict[str, dict[str, float | None]]:
    """For each row id, how many times the steps of the rows in the ratio columns it makes."""
    by_id = {result.row.id: result for result in results}
    compared: dict[str, dict[str, float | None]] = {}
    for result in results:
        columns = AGAINST_ONE if result.row.batch is None else AGAINST_BATCH
        others = {heading: by_id.get(row_id.format(batch=result.row.batch)) for heading, row_id in columns.items()}
        compared[result.row.id] = {heading: ratio(result, other) for heading, other in others.items() if other}
    return compared


def table(results: list[Result], ratios: dict[str, dict[str, float | None]]) -> str:
    """Aligned lines, one a row; ratio columns where there is something to compare with."""
    present = {heading for found in ratios.values() for heading, value in found.items() if value is not None}
    headings = [heading for heading in (*AGAINST_ONE, *AGAINST_BATCH) if heading in present]
    lines = [["suite", "game", "way", "batch", "steps/cpu-s", "steps/s", "us/step", "spread", "length", *headings]]
    for result in results:
        row = result.row
        line = [row.suite, row.game, row.way, "-" if row.batch is None else str(row.batch)]
        if result.error:
            lines.append([*line, result.error])
            continue
        facts = result.as_dict()
        rate = facts["steps_per_cpu_second"]
        spread = (max(result.per_cpu_second) - min(result.per_cpu_second)) / rate
        length = "-" if result.game_length is None else f"{result.game_length:.1f}"
        line += [f"{rate:,.0f}", f"{facts['steps_per_second']:,.0f}", f"{1e6 / rate:.3f}", f"{spread:.0%}", length]
        found = ratios.get(row.id, {})
        lines.append([*line, *(_times(found.get(heading)) for heading in headings)])
    return align(lines, left=3)


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def align(lines: list[list[str]], left: int) -> str:
    """Columns padded to their width, the first ``left`` to the right of their text. A last cell alone may stick out."""
    columns = len(lines[0])
    full = [line for line in lines if len(line) == columns]
    widths = [max(len(line[column]) for line in (lines if column < 4 else full)) for column in range(columns)]
    texts = []
    for line in lines:
        padded = zip(line, widths, strict=False)
        cells = [f"{cell:<{width}}" if k < left else f"{cell:>{width}}" for k, (cell, width) in enumerate(padded)]
        if len(line) < columns:
            cells[-1] = line[-1]
        texts.append("  ".join(cells).rstrip())
    return "\n".join(texts)
