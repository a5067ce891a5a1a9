"""How fast the library is at least, beside its peers, on one core, per CPU-second: ``throughput.py --floors`` measures it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FLOORS", "Floor"]

CONNECT_FOUR_RAW = "pettingzoo/connect_four_v3/raw_env"
CONNECT_FOUR = "pettingzoo/connect_four_v3/env"
PGX_HEX = "pgx/hex/step/4096"


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
