"""Trains Tianshou's DQN, actions masked, as player_0 against random play, and shows how it scores before and after.

    python examples/train_tianshou.py --game honey_donuts_v0

Needs the extra `tianshou`: pip install ".[tianshou]".
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

import numpy as np

import abstract_envs
from abstract_envs.core.options import extra, whole_number
from abstract_envs.records import door_name, full_name

try:
    import torch
    from tianshou.algorithm import (  # pyright: ignore[reportMissingImports]
        DQN,
        MARLRandomDiscreteMaskedOffPolicyAlgorithm,
        MultiAgentOffPolicyAlgorithm,
    )
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy  # pyright: ignore[reportMissingImports]
    from tianshou.algorithm.optim import AdamOptimizerFactory  # pyright: ignore[reportMissingImports]
    from tianshou.data import Collector, VectorReplayBuffer  # pyright: ignore[reportMissingImports]
    from tianshou.env import DummyVectorEnv, PettingZooEnv  # pyright: ignore[reportMissingImports]
    from tianshou.trainer import OffPolicyTrainerParams  # pyright: ignore[reportMissingImports]
    from tianshou.utils.net.common import Net  # pyright: ignore[reportMissingImports]
except ModuleNotFoundError as error:
    sys.exit(f"this example needs {extra('tianshou')} ({error})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--game", type=full_name, default="honey_donuts_v0", choices=[door_name(door) for door in abstract_envs.GAMES]
    )
    parser.add_argument("--steps", type=int, default=8_000, help="actions of both players in all")
    parser.add_argument("--games", type=int, default=100, help="to judge by, before and after")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    try:
        for name in ("steps", "games"):
            whole_number(name, getattr(args, name), 1)
        whole_number("seed", args.seed, 0, 2**32 - 1)  # all that NumPy's older generator takes
    except ValueError as error:
        parser.error(str(error))

    np.random.seed(args.seed)  # noqa: NPY002  (Tianshou explores with this one)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    door = import_module(f"abstract_envs.{args.game}")

    def make_env() -> PettingZooEnv:
        return PettingZooEnv(door.env())

    env = make_env()
    network = Net(
        state_shape=env.observation_space["observation"].shape,
        action_shape=env.action_space.n,
        hidden_sizes=[128, 128],
    )
    learner = DQN(
        policy=DiscreteQLearningPolicy(model=network, action_space=env.action_space, eps_training=0.2),
        optim=AdamOptimizerFactory(lr=1e-3),
        # the next transition is the opponent's: it shows the board as the opponent sees it, and holds the learner's loss; two
        # steps on it is the learner's turn again
        n_step_return_horizon=2,
        gamma=0.95,
        target_update_freq=100,
    )
    opponent = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
    players = MultiAgentOffPolicyAlgorithm(algorithms=[learner, opponent], env=env)

    envs = DummyVectorEnv([make_env for _ in range(10)])
    judged = DummyVectorEnv([make_env for _ in range(10)])
    envs.seed(args.seed)
    judged.seed(args.seed + len(envs))
    collector = Collector(players, envs, VectorReplayBuffer(20_000, len(envs)), exploration_noise=True)
    judge = Collector(players, judged)

    def score() -> float:
        """Mean reward of player_0."""
        judge.reset()
        with torch.no_grad():
            return float(judge.collect(n_episode=args.games).returns[:, 0].mean())

    before = score()
    collector.reset()
    players.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=args.steps,
            collection_step_num_env_steps=50,
            update_step_num_gradient_steps_per_sample=0.2,
            batch_size=64,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            show_progress=False,
            verbose=False,
        )
    )
    print(f"mean reward as player_0 against random play, {args.games} games: {before:+.2f} before, {score():+.2f} after")


if __name__ == "__main__":
    main()
