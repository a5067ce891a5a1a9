#!/usr/bin/env python3
"""Steps per second of uniformly random play: mask, observation, draw, step and restart included.

    python benchmarks/throughput.py                                 every game, one game and batches
    python benchmarks/throughput.py --game inphexion --batch 4096   some of it
    python benchmarks/throughput.py --peers                         beside PettingZoo, OpenSpiel and Pgx, as far as installed
    python benchmarks/throughput.py --peers connect_four_v3 pgx/hex beside some of these
    python benchmarks/throughput.py --floors                        how fast it is at least, beside its peers: met or missed
    python benchmarks/throughput.py --workers 2                     vector_env on two cores beside one, by the wall clock
    python benchmarks/throughput.py --list                          the ids of the rows
    python benchmarks/throughput.py --profile own/inphexion/vector_env/4096

One step is one action in one game. Every row is warmed up, then timed --repeats times for at least --seconds, all rows in turns;
the table has medians. `steps/cpu-s` counts the time of this process on all its threads, which other programs hardly change;
`steps/s` is by the wall clock. Everything runs on one core, where the system can be told so: XLA takes its threads from the
cores it may use, whatever its flags say, and makes 40 % more steps per CPU-second of Pgx hex with one than with two.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout this file is in, installed or not

from benchmarks import own, peers, workers
from benchmarks.floors import FLOORS, Floor
from benchmarks.timing import Result, Row, pairs, profile, ratio, rounds

# columns of ratios: heading -> id of the row compared with, {batch} as in the row
AGAINST_ONE = {
    "x c4 raw": "pettingzoo/connect_four_v3/raw_env",
    "x c4 env": "pettingzoo/connect_four_v3/env",
}
AGAINST_BATCH = {"x pgx hex": "pgx/hex/step/{batch}"}
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
PACKAGES = ("abstract-envs", "numpy", "gymnasium", "pettingzoo", "open_spiel", "pgx", "jax", "jaxlib")


def find(row_id: str) -> Row:
    """The row of an id; ValueError for one that is none."""
    suite, *rest = row_id.split("/")
    if len(rest) not in (2, 3) or (len(rest) == 3 and not rest[2].isdecimal()):
        raise ValueError(f"{row_id!r} is no row: rows are suite/game/way, or suite/game/way/batch; --list has them")
    game, way, batch = rest[0], rest[1], int(rest[2]) if len(rest) == 3 else None
    return own.row(game, way, batch) if suite == "own" else peers.row(suite, game, way, batch)


# ---------------------------------------------------------------------------------------------------------------- tables


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


# ---------------------------------------------------------------------------------------------------------------- floors


def measure_floors(floors: tuple[Floor, ...], seconds: float, repeats: int) -> list[dict[str, Any]]:
    """Each floor with the measured ratio, and whether it is met (None: not measured, and why)."""
    measured = []
    for floor in floors:
        say(f"measuring {floor.row} against {floor.peer}")
        a, b = pairs(find(floor.row), find(floor.peer), seconds, repeats)
        times = ratio(a, b)
        samples = [x / y for x, y in zip(a.per_cpu_second, b.per_cpu_second, strict=True)]
        measured.append(
            {
                "row": floor.row,
                "peer": floor.peer,
                "floor": floor.times,
                "ratio": times,
                "ratios": samples,
                "steps_per_cpu_second": a.median(),
                "peer_steps_per_cpu_second": b.median(),
                "met": None if times is None else times >= floor.times,
                "error": a.error or b.error or None,
            }
        )
    return measured


def floor_table(measured: list[dict[str, Any]]) -> str:
    lines = [["row", "peer", "row/cpu-s", "peer/cpu-s", "floor", "ratio", "from", "to", ""]]
    for m in measured:
        line = [m["row"], m["peer"]]
        if m["ratio"] is None:
            lines.append([*line, "-", "-", f"{m['floor']:.1f}", "-", "-", "-", f"not measured: {m['error']}"])
            continue
        rates = [f"{m['steps_per_cpu_second']:,.0f}", f"{m['peer_steps_per_cpu_second']:,.0f}"]
        times = [f"{m['ratio']:.2f}", f"{min(m['ratios']):.2f}", f"{max(m['ratios']):.2f}"]
        lines.append([*line, *rates, f"{m['floor']:.1f}", *times, "met" if m["met"] else "MISSED"])
    return align(lines, left=2)


# --------------------------------------------------------------------------------------------------------------- program


def environment(args: argparse.Namespace) -> dict[str, Any]:
    """What the figures were measured on and with."""
    versions: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    return {
        "when": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "versions": versions,
        "arguments": vars(args),
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def say(text: str) -> None:
    """How far it is, on one line of the terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--game", nargs="+", default=list(own.games()), help="games, with options as 'inphexion(board_size=5)' (default: all)")
    add("--batch", nargs="*", type=int, default=[1, 16, 256, 4096, 16384], help="games in a batch (default: 1 16 256 4096 16384)")
    add("--seconds", type=float, default=1.0, help="shortest length of one timing (default: 1)")
    add("--repeats", type=int, default=5, help="timings of a row (default: 5)")
    add("--peers", nargs="*", metavar="PEER", help="time peers too: all, or those whose suite/game contains a text")
    add("--floors", action="store_true", help="only measure the floors; exit status 1 if one is missed")
    add("--workers", type=int, metavar="N", help="only measure vector_env with N worker processes beside one process")
    add("--profile", metavar="ROW", help="only profile one row")
    add("--list", action="store_true", help="only name the rows")
    add("--json", metavar="FILE", help="write the figures there too")
    add("--core", type=int, default=max(CORES, default=None), help=f"the core to run on (default: the last of {CORES})")
    add("--all-cores", action="store_true", help="run on whatever cores there are, as XLA does unless it is told")
    args = parser.parse_args(arguments)
    if args.seconds <= 0 or args.repeats < 1 or min(args.batch, default=1) < 1:
        parser.error("--seconds is above 0, --repeats and --batch are at least 1")
    if args.workers is not None and args.workers < 2:
        parser.error("--workers is at least 2")
    if args.core is not None and args.core not in CORES:
        parser.error(f"--core is one of {CORES}")
    return args


def main(arguments: list[str] | None = None) -> int:
    args = parse_arguments(arguments)
    warnings.filterwarnings("ignore")
    if CORES and not args.all_cores and not args.workers:
        os.sched_setaffinity(0, {args.core})
    report: dict[str, Any] = {"environment": environment(args)}
    status = 0
    try:
        rows = [find(args.profile)] if args.profile else list(own.rows(args.game, args.batch))
    except (TypeError, ValueError) as error:  # a row, a game or an option that is none
        print(f"throughput.py: {error}", file=sys.stderr)
        return 2
    if args.peers is not None and not args.profile:
        rows += peers.rows(args.batch, args.peers)
    if args.list:
        print("\n".join(row.id for row in rows))
    elif args.profile:
        print(profile(rows[0], args.seconds))
    elif args.floors:
        report["floors"] = measure_floors(FLOORS, args.seconds, args.repeats)
        say("")
        print(floor_table(report["floors"]))
        status = int(any(floor["met"] is False for floor in report["floors"]))
    elif args.workers:
        report["workers"] = workers.measure_workers(args.game, args.batch, args.workers, args.seconds, args.repeats, say)
        say("")
        print(align(workers.lines(report["workers"]), left=1))
    else:
        results = rounds(rows, args.seconds, args.repeats, say)
        ratios = compare(results)
        say("")
        print(table(results, ratios))
        report["rows"] = [result.as_dict() | {"ratios": ratios[result.row.id]} for result in results]
        report["missing"] = [row.id for row in rows if row.missing]
    if args.json:
        Path(args.json).write_text(json.dumps(report, indent=1) + "\n")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
