#!/usr/bin/env python3
"""Steps per second of uniformly random play: mask, observation, draw, step and restart included.

    python benchmarks/throughput.py                                 every game, one game and batches
    python benchmarks/throughput.py --game inphexion --batch 4096   some of it
    python benchmarks/throughput.py --peers                         beside PettingZoo, OpenSpiel and Pgx, as far as installed
    python benchmarks/throughput.py --peers connect_four_v3 pgx/hex beside some of these
    python benchmarks/throughput.py --floors                        how fast it is at least, beside its peers: met or missed
    python benchmarks/throughput.py --targets                       how fast it is to be
    python benchmarks/throughput.py --workers 2                     vector_env with two workers beside one, by the wall clock
    python benchmarks/throughput.py --list                          the ids of the rows
    python benchmarks/throughput.py --profile own/inphexion/vector_env/4096
    python benchmarks/throughput.py --parts                         what the time of a step of vector_env goes to
    python benchmarks/throughput.py --peers --json FILE --plot PICTURE.svg
    python benchmarks/throughput.py --from-json FILE .. --markdown docs/performance.md --plot docs/performance.svg

The last measures nothing: it makes tables and the picture of what --json has saved, here and by benchmarks/memory.py.

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

from benchmarks import own, page, peers, workers
from benchmarks.floors import FLOORS, TARGETS, Floor, floor_table, measure_floors
from benchmarks.parts import measure_parts, parts_table
from benchmarks.plot import plot
from benchmarks.rows import find
from benchmarks.tables import align, compare, table
from benchmarks.timing import profile, rounds

CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
PACKAGES = ("abstract-envs", "numpy", "gymnasium", "pettingzoo", "open_spiel", "pgx", "jax", "jaxlib", "numba")
MEASURING = ("game", "batch", "seconds", "repeats", "peers", "workers", "core", "all_cores")
"""The arguments that figures depend on."""


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
        "arguments": {name: value for name, value in vars(args).items() if name in MEASURING},
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
    only = parser.add_mutually_exclusive_group().add_argument
    only("--floors", action="store_true", help="only measure the floors; exit status 1 if one is missed")
    only("--targets", action="store_true", help="only measure the targets; exit status 1 if one is missed")
    only("--workers", type=int, metavar="N", help="only measure vector_env with N workers beside one, on all cores")
    only("--profile", metavar="ROW", help="only profile one row")
    only("--parts", nargs="*", metavar="ROW", help="only tell what vector_env spends its time on (default: 256 and 4,096 games)")
    only("--list", action="store_true", help="only name the rows")
    only("--from-json", nargs="+", metavar="FILE", help="measure nothing: take the figures that --json has saved")
    add("--json", metavar="FILE", help="write the figures there too")
    add("--markdown", nargs="?", const="", metavar="PAGE", help="print the tables for a page, or put them into it")
    add("--plot", metavar="FILE", help="draw steps against the size of the batch (matplotlib)")
    add("--core", type=int, default=max(CORES, default=None), help=f"the core to run on (default: the last of {CORES})")
    add("--all-cores", action="store_true", help="run on whatever cores there are, as XLA does unless it is told")
    args = parser.parse_args(arguments)
    if args.seconds <= 0 or args.repeats < 1 or min(args.batch, default=1) < 1:
        parser.error("--seconds is above 0, --repeats and --batch are at least 1")
    if args.workers is not None and args.workers < 2:
        parser.error("--workers is at least 2")
    if args.core is not None and args.core not in CORES:
        parser.error(f"--core is one of {CORES}")
    if args.workers or args.all_cores:
        args.core, args.all_cores = None, True
    return args


def main(arguments: list[str] | None = None) -> int:
    args = parse_arguments(arguments)
    warnings.filterwarnings("ignore")
    if CORES and not args.all_cores:
        os.sched_setaffinity(0, {args.core})
    try:
        report, status = (page.merge(args.from_json), 0) if args.from_json else measure(args)
        publish(report, args)
    except (TypeError, ValueError, OSError, ImportError) as error:  # a row, a game, an option or a file that is none
        print(f"throughput.py: {error}", file=sys.stderr)
        return 2
    return status


def measure(args: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """Measures and prints -> (report, exit status)."""
    report: dict[str, Any] = {"environment": environment(args)}
    if args.profile:
        row = find(args.profile)
        if own.has_workers(row):
            raise ValueError(f"{row.id!r}: a profile shows the functions of one thread, and the steps are made by workers")
        print(profile(row, args.seconds))
        return report, 0
    if args.parts is not None:
        wanted = args.parts or [f"own/{game}/vector_env/{batch}" for game in args.game for batch in (256, 4096)]
        report["parts"] = measure_parts(wanted, args.seconds)
        print(parts_table(report["parts"]))
        return report, 0
    if args.floors or args.targets:
        kind, floors = ("targets", TARGETS) if args.targets else ("floors", FLOORS)
        wanted = tuple(floor for floor in floors if _of_game(floor, args.game))
        measured = measure_floors(wanted, args.seconds, args.repeats, say)
        report[kind + (page.ALL_CORES if args.all_cores else "")] = measured
        say("")
        print(floor_table(measured))
        return report, int(any(floor["met"] is False for floor in measured))
    if args.workers:
        report["workers"] = workers.measure_workers(args.game, args.batch, args.workers, args.seconds, args.repeats, say)
        say("")
        print(align(workers.lines(report["workers"]), left=1))
        return report, 0
    rows = list(own.rows(args.game, args.batch))
    if args.peers is not None:
        rows += peers.rows(args.batch, args.peers)
    if args.list:
        print("\n".join(row.id for row in rows))
        return report, 0
    results = rounds(rows, args.seconds, args.repeats, say)
    ratios = compare(results)
    say("")
    print(table(results, ratios))
    report["rows"] = [result.as_dict() | {"ratios": ratios[result.row.id]} for result in results]
    report["missing"] = {result.row.id: result.error for result in results if result.error}
    return report, 0


def _of_game(floor: Floor, games: list[str]) -> bool:
    """Whether a floor is one of these games', whatever their options."""
    return own.parse(find(floor.row).game)[0] in [own.parse(text)[0] for text in games]


def publish(report: dict[str, Any], args: argparse.Namespace) -> None:
    """Writes what was asked for."""
    if args.json:
        text = page.compact(report) if args.from_json else json.dumps(report, indent=1) + "\n"
        Path(args.json).write_text(text)
    if args.markdown is not None:
        tables = page.markdown(report)
        if args.markdown:
            file = Path(args.markdown)
            file.write_text(page.insert(file.read_text(), tables))
        else:
            print("\n\n".join(f"<!-- table {name} -->\n{text}\n<!-- end -->" for name, text in tables.items()))
    if args.plot:
        if not report.get("rows"):
            raise ValueError("--plot: there are no rows to draw")
        plot(report, args.plot)


if __name__ == "__main__":
    raise SystemExit(main())
