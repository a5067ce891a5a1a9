"""How fast the library is to be beside its peers, on one core, per CPU-second.

``throughput.py --floors`` measures what it makes at least, ``--targets`` what it is to make.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.rows import find
from benchmarks.tables import align
from benchmarks.timing import pairs, ratio

__all__ = ["FLOORS", "TARGETS", "Floor", "floor_table", "measure_floors"]

CONNECT_FOUR_RAW = "pettingzoo/connect_four_v3/raw_env"
CONNECT_FOUR = "pettingzoo/connect_four_v3/env"
PGX_HEX = "pgx/hex/step/4096"
PGX_HEX_256 = "pgx/hex/step/256"


@dataclass(frozen=True)
class Floor:
    """``row`` makes at least ``times`` the steps of ``peer``. Both are ids of rows."""

    row: str
    times: float
    peer: str


FLOORS = (
    Floor("own/alveole/raw_env", 1.7, CONNECT_FOUR_RAW),
    Floor("own/alveole/vector_env/4096", 4, PGX_HEX),
    Floor("own/alveole/rules/4096", 4, PGX_HEX),
    Floor("own/inphexion/raw_env", 3, CONNECT_FOUR_RAW),
    Floor("own/inphexion/env", 3, CONNECT_FOUR),
    Floor("own/inphexion/vector_env/4096", 5, PGX_HEX),
    Floor("own/inphexion/rules/4096", 5, PGX_HEX),
    Floor("own/fano330/raw_env", 2.5, CONNECT_FOUR_RAW),
    Floor("own/fano330/vector_env/4096", 12, PGX_HEX),
    Floor("own/fano330/rules/4096", 12, PGX_HEX),
    Floor("own/honey_donuts/raw_env", 1.4, CONNECT_FOUR_RAW),
    Floor("own/honey_donuts/vector_env/4096", 4.5, PGX_HEX),
    Floor("own/honey_donuts/rules/4096", 4.5, PGX_HEX),
    Floor("own/honey_donuts(repetition='simple')/raw_env", 1.8, CONNECT_FOUR_RAW),
    Floor("own/honey_donuts(repetition='simple')/vector_env/4096", 7, PGX_HEX),
    Floor("own/honey_donuts(repetition='simple')/rules/4096", 7, PGX_HEX),
    Floor("own/xahzo/raw_env", 1, CONNECT_FOUR_RAW),
    Floor("own/xahzo/vector_env/4096", 2, PGX_HEX),
    Floor("own/xahzo/rules/4096", 2, PGX_HEX),
)


def _targets(game: str, one_game: float, batch_4096: float, batch_256: float) -> tuple[Floor, ...]:
    """Of one game: the environment against connect four's, the rules alone and ``vector_env`` against Pgx hex's batches."""
    return (
        Floor(f"own/{game}/raw_env", one_game, CONNECT_FOUR_RAW),
        *(Floor(f"own/{game}/{way}/4096", batch_4096, PGX_HEX) for way in ("rules", "vector_env", "vector_env, numba")),
        *(Floor(f"own/{game}/{way}/256", batch_256, PGX_HEX_256) for way in ("rules", "vector_env", "vector_env, numba")),
    )


TARGETS = (
    *_targets("inphexion", 4, 8, 2),
    *_targets("fano330", 3, 16, 4),
    *_targets("honey_donuts", 1.8, 6, 1.6),
    *_targets("alveole", 2, 5, 1.8),
    *_targets("xahzo", 1.3, 2.5, 1),
)


def measure_floors(
    floors: Sequence[Floor], seconds: float, repeats: int, say: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
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
