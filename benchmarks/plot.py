"""The picture of docs/performance.md: steps per CPU-second against the size of the batch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["plot"]

Report = dict[str, Any]

# Okabe and Ito's palette, which the colour-blind can tell apart, without the yellow that paper hides
OWN_STYLES = (("#D55E00", "o"), ("#0072B2", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"), ("#56B4E9", "P"))
PEER_MARKERS = ("o", "s", "^", "D")
SIZE = 7.0, 5.2  # inches of 100 pixels
# one game: heading of a column -> suite, way
COLUMNS = {
    "abstract_envs\nraw_env": ("own", "raw_env"),
    "PettingZoo\nraw_env": ("pettingzoo", "raw_env"),
    "OpenSpiel\narrays": ("openspiel", "arrays"),
    "OpenSpiel\nlists": ("openspiel", "lists"),
}
# suite -> ways that are lines, each with its dashes
BATCHED: dict[str, dict[str, Any]] = {
    "own": {"vector_env": "solid", "vector_env, numba": (0, (1, 1))},
    "pgx": {"step": (0, (4, 2))},
}
WIDTHS = (4, 3.2, 2.5, 1.9, 1.3, 1)  # in the order they are drawn: where lines lie on each other, all are seen
LEAST_GAP = 0.036  # between two labels of a column, as a share of the height


def plot(report: Report, file: str) -> None:
    """Draws the rows of a report. ImportError, with what to install, where matplotlib is not."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("a plot needs matplotlib: pip install matplotlib") from error
    rows = [row for row in report["rows"] if row["steps_per_cpu_second"]]
    settings: dict[Any, Any] = {
        "svg.hashsalt": "abstract_envs",  # the same rows make the same file
        "svg.fonttype": "path",
        "font.family": "DejaVu Sans",  # comes with matplotlib
        "font.size": 8,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(settings):
        figure = Figure(figsize=SIZE, dpi=100, facecolor="white", layout="constrained")
        single, batched = figure.subplots(1, 2, sharey=True, width_ratios=(1.15, 1))
        games = list(dict.fromkeys(row["game"] for row in rows if row["suite"] == "own"))
        styles = dict(zip(games, OWN_STYLES, strict=False))
        _draw_batches(batched, rows, styles)
        _draw_single(single, rows, styles)
        single.set_ylabel("steps per CPU-second, one core")
        figure.legend(*batched.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False, handlelength=2.6)
        kind = Path(file).suffix[1:] or "svg"
        figure.savefig(file, format=kind, metadata={"Date": None, "Creator": None} if kind == "svg" else None)


def _draw_batches(axes: Any, rows: Sequence[Report], styles: dict[str, tuple[str, str]]) -> None:
    lines: dict[tuple[str, str, str], list[Report]] = {}
    for row in rows:
        if row["batch"] is not None and row["way"] in BATCHED.get(row["suite"], ()):
            lines.setdefault((row["suite"], row["game"], row["way"]), []).append(row)
    peers = [game for suite, game, _ in lines if suite != "own"]
    for (suite, game, way), points in lines.items():
        points.sort(key=lambda row: row["batch"])
        style: dict[str, Any] = {"linestyle": BATCHED[suite][way]}
        if suite == "own":
            if game not in styles:
                continue
            color, marker = styles[game]
            width = WIDTHS[list(styles).index(game)]
            style |= {"color": color, "marker": marker, "linewidth": width, "markersize": 3.5 + width, "zorder": 3}
        else:
            marker = PEER_MARKERS[peers.index(game) % len(PEER_MARKERS)]
            style |= {"color": "#555555", "marker": marker, "linewidth": 1, "markersize": 4.5, "markerfacecolor": "white"}
        x, y = [row["batch"] for row in points], [row["steps_per_cpu_second"] for row in points]
        label = f"{suite} {game}" if suite != "own" else game + way.removeprefix("vector_env")
        axes.plot(x, y, label=label, **style)
    axes.set_xscale("log")
    axes.set_yscale("log")
    batches = sorted({row["batch"] for points in lines.values() for row in points})
    axes.set_xticks(batches, [f"{batch:,}" for batch in batches], fontsize=7)
    axes.minorticks_off()
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("games in the batch")
    axes.set_title("vector_env, and Pgx", fontsize=8, loc="left")


def _draw_single(axes: Any, rows: Sequence[Report], styles: dict[str, tuple[str, str]]) -> None:
    for place, (suite, way) in enumerate(COLUMNS.values()):
        found = [row for row in rows if (row["suite"], row["way"]) == (suite, way) and row["batch"] is None]
        found = [row for row in found if suite != "own" or row["game"] in styles]
        low, high = axes.get_ylim()
        span = high / low
        heights = _spread([row["steps_per_cpu_second"] for row in found], span**LEAST_GAP)
        for row, height in zip(found, heights, strict=True):
            color, marker = styles[row["game"]] if suite == "own" else ("#555555", "_")
            rate = row["steps_per_cpu_second"]
            axes.plot([place - 0.38], [rate], color=color, marker=marker, markersize=6 if suite == "own" else 8, linestyle="none")
            axes.plot([place - 0.29, place - 0.22], [rate, height], color="#aaaaaa", linewidth=0.5)
            name = re.sub(r"_v\d+$", "", row["game"].partition("(")[0]).replace("_", " ")
            axes.text(place - 0.2, height, name, fontsize=6.5, color="#222222", verticalalignment="center")
    axes.set_xlim(-0.55, len(COLUMNS) - 0.3)
    axes.set_xticks([place - 0.05 for place in range(len(COLUMNS))], list(COLUMNS), fontsize=7)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title("one game", fontsize=8, loc="left")


def _spread(values: Sequence[float], factor: float) -> list[float]:
    """Heights near the values, each at least so many times the one below: labels that would lie on each other, moved apart."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    heights = [values[i] for i in order]
    for _ in range(200):
        moved = False
        for k in range(len(heights) - 1):
            lack = factor * heights[k] / heights[k + 1]
            if lack > 1.0001:
                heights[k], heights[k + 1], moved = heights[k] / lack**0.5, heights[k + 1] * lack**0.5, True
        if not moved:
            break
    placed = dict(zip(order, heights, strict=True))
    return [placed[i] for i in range(len(values))]
