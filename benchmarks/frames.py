"""How many pictures a second, of processor time, `render` makes in random play.

    python benchmarks/frames.py

Steps are not timed. Masks and the empty board are made anew for each row, as they are in a fresh process.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout this file is in, installed or not

import abstract_envs
from abstract_envs.render import pixels

WAYS: dict[str, dict[str, Any]] = {
    "128 x 128": {"render_mode": "rgb_array", "width": 128, "height": 128},
    "512 x 512": {"render_mode": "rgb_array"},
    "512 x 512, legal_moves": {"render_mode": "rgb_array", "legal_moves": True},
    "1,024 x 1,024": {"render_mode": "rgb_array", "width": 1024, "height": 1024},
    "svg": {"render_mode": "svg"},
    "ansi": {"render_mode": "ansi"},
}


def rate(door: Any, frames: int, **options: Any) -> float:
    """Pictures a second."""
    pixels.forget()
    env, rng, seconds, made, seed = door.raw_env(**options), np.random.default_rng(0), 0.0, 0, 0
    while made < frames:
        env.reset(seed=seed)
        seed += 1
        while made < frames:
            start = time.process_time()
            env.render()
            seconds += time.process_time() - start
            made += 1
            if any(env.terminations.values()) or any(env.truncations.values()):
                break
            env.step(env.game.sample(env.game_state, rng))
    return made / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=1000, metavar="N", help="of each row (default: %(default)s)")
    args = parser.parse_args()
    print("| game | " + " | ".join(WAYS) + " |")
    print("|---|" + "---|" * len(WAYS))
    for door in abstract_envs.GAMES:
        rates = [rate(door, args.frames, **options) for options in WAYS.values()]
        print(f"| {door.game().name} | " + " | ".join(f"{number:,.0f}" for number in rates) + " |", flush=True)


if __name__ == "__main__":
    main()
