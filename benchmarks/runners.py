"""What env runners gain in RLlib: steps per second of examples/train_rllib.py against their number.

    python benchmarks/runners.py --game inphexion_v0 --runners 1 2 4

Needs the extra `rllib`. Prints a line for each number of runners, all of them processes on this machine:

    sampling    steps per second of all runners together, nothing else going on
    training    steps per second of whole iterations: play, the update by one learner, and the new weights to all runners
    runners     milliseconds of processor time in the runners for 1,000 steps of a training
    learner     the same of the process that updates: while it works the runners wait

The last two depend little on how many cores there are: with enough of them 1,000 steps take about learner + runners / number.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout this file is in, installed or not
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)  # of the runners

from benchmarks.tables import align
from examples import train_rllib


def on_runners(algorithm: Any, function: Any) -> list[Any]:
    return algorithm.env_runner_group.foreach_env_runner(function, local_env_runner=False)


def measure(settings: train_rllib.Settings, iterations: int) -> list[str]:
    """The cells of a line."""
    algorithm = train_rllib.config_of(settings).build_algo()
    algorithm.train()  # what is slow the first time

    def cpu_of_runners() -> float:
        return sum(on_runners(algorithm, lambda runner: time.process_time()))

    share = settings.steps // settings.runners
    start = time.perf_counter()
    for _ in range(iterations):
        on_runners(algorithm, lambda runner: len(runner.sample(num_timesteps=share)))
    sampling = share * settings.runners * iterations / (time.perf_counter() - start)

    start, own, theirs = time.perf_counter(), time.process_time(), cpu_of_runners()
    steps = sum(int(algorithm.train()["env_runners"]["num_env_steps_sampled"]) for _ in range(iterations))
    seconds, own, theirs = time.perf_counter() - start, time.process_time() - own, cpu_of_runners() - theirs
    algorithm.stop()
    rates = [f"{sampling:,.0f}", f"{steps / seconds:,.0f}"]
    return [str(settings.runners), *rates, *(f"{1e6 * cpu / steps:,.0f}" for cpu in (theirs, own))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    at_least_1 = train_rllib.whole("a number", 1)
    parser.add_argument("--game", default="inphexion_v0", choices=train_rllib.GAMES)
    parser.add_argument("--runners", type=at_least_1, nargs="+", default=[1, 2, 4])
    parser.add_argument("--iterations", type=at_least_1, default=3, help="of each kind that are timed")
    parser.add_argument("--steps", type=at_least_1, default=4000, help="of an iteration")
    args = parser.parse_args()
    torch.set_num_threads(1)
    train_rllib.start_ray(train_rllib.Settings(runners=max(args.runners)), None)
    lines = [["runners", "sampling", "training", "runners", "learner"]]
    lines += [
        measure(train_rllib.Settings(args.game, runners=number, steps=args.steps), args.iterations) for number in args.runners
    ]
    print(f"{args.game}, steps/s and ms of processor time for 1,000 steps")
    print(align(lines, left=0))


if __name__ == "__main__":
    main()
