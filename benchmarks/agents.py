"""How fast Monte Carlo tree search is, and which of two agents is stronger for the time they take.

    python benchmarks/agents.py
    python benchmarks/agents.py --match "alphabeta(nodes=2000)" "mcts(simulations=60)" --game honey_donuts

The first prints simulations per CPU-second, with the usual options, for one position on ints and for batches. The second plays a
match on ints, and prints the first agent's score with its 95 % interval and the CPU time of a move.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout this file is in, installed or not

from abstract_envs.agents import MCTSAgent, act_one, evaluate, resolve
from benchmarks import own

PLIES = 8
"""Random plies before the positions that are searched: none is much like the other."""


class Timed:
    """An agent asked one state at a time, and the time that it takes."""

    def __init__(self, agent: str) -> None:
        self.agent, self.seconds, self.moves = resolve(agent), 0.0, 0

    def act(self, game: Any, states: Any, rng: np.random.Generator) -> Any:
        singles = [game.take(states, i) for i in range(game.batch_size(states))]
        start = time.process_time()
        actions = [act_one(self.agent, game, state, rng) for state in singles]
        self.seconds += time.process_time() - start
        self.moves += len(actions)
        return np.array(actions)


def positions(game: Any, count: int) -> Any:
    """So many running games of some plies."""
    rng = np.random.default_rng(0)
    states = game.init(4 * count, rng)
    for _ in range(PLIES):
        after = game.step(states, game.sample(states, rng))
        states = game.where(game.is_terminal(after), states, after)
    return game.take(states, slice(count))


def rate(game: Any, batch: int, seconds: float) -> float:
    """Simulations per CPU-second in a batch of states, or, for 0, in one state on ints after the other."""
    agent, rng, done, turn = MCTSAgent(), np.random.default_rng(0), 0, 0
    states = positions(game, batch or 64)
    singles = [] if batch else [game.take(states, i) for i in range(64)]
    start = None
    while start is None or time.process_time() - start < seconds:
        found = agent.search(game, states, rng) if batch else agent.search_one(game, singles[turn % 64], rng)
        if start is None:
            start = time.process_time()  # the first one made tables
        else:
            done += int(found.visits.sum())
        turn += 1
    return done / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append", choices=sorted(own.games()), help="this game (or these) only")
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU time of a measurement")
    parser.add_argument("--batch", type=int, nargs="*", default=[16, 256])
    parser.add_argument("--match", nargs=2, metavar=("A", "B"), help="names of agents")
    parser.add_argument("--games", type=int, default=80)
    parser.add_argument("--max-plies", type=int)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if not arguments.match:
        print(f"{'simulations per CPU-second':28}{'ints':>9}" + "".join(f"{f'batch {size}':>11}" for size in arguments.batch))
    doors = own.games()
    for name in arguments.game or doors:
        game = doors[name].game()
        if arguments.match:
            a, b = map(Timed, arguments.match)
            found = evaluate(game, a, b, arguments.games, np.random.default_rng(arguments.seed), arguments.max_plies)
            low, high = found.interval
            times = ", ".join(f"{name} {1e3 * agent.seconds / agent.moves:.1f}" for name, agent in (("A", a), ("B", b)))
            print(f"{name}: A scores {found.score:.3f} ({low:.2f} to {high:.2f}) in {arguments.games} games; ms a move: {times}")
        else:
            rates = [rate(game, size, arguments.seconds) for size in (0, *arguments.batch)]
            print(f"{name:28}{rates[0]:9,.0f}" + "".join(f"{found:11,.0f}" for found in rates[1:]), flush=True)


if __name__ == "__main__":
    main()
