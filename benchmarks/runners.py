"""What env runners gain in RLlib: steps per second of examples/train_rllib.py against their number.

    python benchmarks/runners.py --game inphexion_v0 --runners 1 2 4

Needs the extra `rllib`. Prints a line for each number of runners, all of them processes on this machine:

    sampling    steps per second of all runners together, nothing else going on
    training    steps per second of an iteration: play, the update by one learner, and the new weights to all runners
    ms runners  milliseconds of processor time in the runners for 1,000 steps of a training
    ms learner  the same of the process that updates: while it works the runners wait

The first two are those of the fastest of some iterations, since other programs may run on the machine.
The last two depend less on that: with cores enough, 1,000 steps take about ms learner + ms runners / number.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout this file is in, installed or not
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)  # of the runners

from abstract_envs.core.options import whole_number
from benchmarks.tables import align
from examples import train_rllib


def on_runners(algorithm: Any, function: Any) -> list[Any]:
    return algorithm.env_runner_group.foreach_env_runner(function, local_env_runner=False)


def fastest(play: Callable[[], int], times: int) -> tuple[float, int]:
    """Steps per second of the fastest of so many calls, which return their steps, and the steps of all."""
    rates, steps = [], 0
    for _ in range(times):
        start = time.perf_counter()
        made = play()
        rates.append(made / (time.perf_counter() - start))
        steps += made
    return max(rates), steps


def measure(settings: train_rllib.Settings, iterations: int) -> list[str]:
    """The cells of a line."""
    algorithm = train_rllib.config_of(settings).build_algo()
    algorithm.train()  # what is slow the first time
    share = -(-settings.steps // settings.runners)

    def sample() -> int:
        return sum(on_runners(algorithm, lambda runner: sum(map(len, runner.sample(num_timesteps=share)))))

    def train() -> int:
        return int(algorithm.train()["env_runners"]["num_env_steps_sampled"])

    def cpu_of_runners() -> float:
        return sum(on_runners(algorithm, lambda runner: time.process_time()))

    own, theirs = time.process_time(), cpu_of_runners()
    training, steps = fastest(train, iterations)
    cpu = cpu_of_runners() - theirs, time.process_time() - own
    sampling, _ = fastest(sample, iterations)  # last: the next result of a training would count these steps
    algorithm.stop()
    return [str(settings.runners), f"{sampling:,.0f}", f"{training:,.0f}", *(f"{1e6 * spent / steps:,.0f}" for spent in cpu)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="inphexion_v0", choices=train_rllib.GAMES)
    parser.add_argument("--runners", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--iterations", type=int, default=5, help="of each kind that are timed")
    parser.add_argument("--steps", type=int, default=4000, help="of an iteration")
    args = parser.parse_args()
    try:
        whole_number("iterations", args.iterations, 1)
        settings = [train_rllib.Settings(args.game, runners=number, steps=args.steps) for number in args.runners]
    except ValueError as error:
        parser.error(str(error))
    torch.set_num_threads(1)
    train_rllib.start_ray(train_rllib.Settings(runners=max(args.runners)), None)
    lines = [["runners", "sampling", "training", "ms runners", "ms learner"]]
    lines += [measure(one, args.iterations) for one in settings]
    print(args.game)
    print(align(lines, left=0))


if __name__ == "__main__":
    main()
