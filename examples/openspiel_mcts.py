"""OpenSpiel's Monte Carlo tree search plays a game of this library against random play, from both seats in turn.

    python examples/openspiel_mcts.py --game "inphexion_v0(board_size=5)"

Needs the extra `openspiel`: pip install ".[openspiel]".
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

import abstract_envs
from abstract_envs.core.options import extra, one_of, whole_number
from abstract_envs.records import door_name, full_name

try:
    import pyspiel  # pyright: ignore[reportMissingImports]
    from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator  # pyright: ignore[reportMissingImports]
    from open_spiel.python.bots.uniform_random import UniformRandomBot  # pyright: ignore[reportMissingImports]

    import abstract_envs.openspiel  # makes the games known to pyspiel
except ModuleNotFoundError as error:
    sys.exit(f"this example needs {extra('openspiel')} ({error})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="inphexion_v0(board_size=5)", help="as pyspiel.load_game takes it")
    parser.add_argument("--simulations", type=int, default=50, help="of the search, for every action")
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    try:
        for name in ("simulations", "games"):
            whole_number(name, getattr(args, name), 1)
        whole_number("seed", args.seed, 0, 2**32 - 1)  # all that NumPy's older generator takes
        name, bracket, options = args.game.partition("(")
        name = one_of("game", full_name(name), [door_name(door) for door in abstract_envs.GAMES])
        game = pyspiel.load_game(f"{name}{bracket}{options}")
    except (ValueError, pyspiel.SpielError) as error:
        parser.error(str(error))

    rng = np.random.RandomState(args.seed)
    search = MCTSBot(game, 1.4, args.simulations, RandomRolloutEvaluator(1, rng), random_state=rng)
    total = 0.0
    for number in range(args.games):
        seat = number % 2
        bots = {seat: search, 1 - seat: UniformRandomBot(1 - seat, rng)}
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choice(outcomes, p=chances))
            else:
                state.apply_action(bots[state.current_player()].step(state))
        total += state.returns()[seat]
        result = f"{state.returns()[seat]:+.0f} after {state.move_number()} moves"
        print(f"game {number + 1}: search as player_{seat} {result}: {state}")
    print(f"mean return of the search: {total / args.games:+.2f}")


if __name__ == "__main__":
    main()
