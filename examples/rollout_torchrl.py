"""TorchRL plays a game of this library: a rollout of 200 steps in which both players draw from masked policy networks.

    python examples/rollout_torchrl.py --game inphexion_v0

Needs the extra `torchrl`: pip install ".[torchrl]".
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import Any

import abstract_envs
from abstract_envs.core.options import extra, whole_number
from abstract_envs.records import door_name, full_name

try:
    import torch
    from tensordict.nn import TensorDictModule, TensorDictSequential  # pyright: ignore[reportMissingImports]
    from torch import nn
    from torchrl.envs import PettingZooWrapper  # pyright: ignore[reportMissingImports]
    from torchrl.modules import MaskedCategorical, ProbabilisticActor  # pyright: ignore[reportMissingImports]
except ModuleNotFoundError as error:
    sys.exit(f"this example needs {extra('torchrl')} ({error})")


def make_env(name: str, seed: int = 0, **options: Any) -> PettingZooWrapper:
    """Turns are an AEC environment's; `use_mask` adds each player's `mask`, whether it is that player's turn."""
    env = import_module(f"abstract_envs.{name}").env(**options)
    return PettingZooWrapper(env, use_mask=True, seed=seed)


class Logits(nn.Module):
    """A small network from planes, ``int8[..., P, R, C]``, to an unmasked logit for each action."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.LazyLinear(64), nn.ReLU(), nn.Linear(64, actions))

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        return self.layers(planes.flatten(-3).float())


def make_policy(env: PettingZooWrapper) -> TensorDictSequential:
    """A network for each player, as each is a group of its own. Who is not to act sees an open mask and is not asked."""
    actors = []
    for player in env.group_map:
        actions = env.full_action_spec_unbatched[player, "action"].n
        planes, logits, mask = (player, "observation", "observation"), (player, "logits"), (player, "action_mask")
        network = TensorDictModule(Logits(actions), in_keys=[planes], out_keys=[logits])
        actors.append(
            ProbabilisticActor(
                network,
                in_keys={"logits": logits, "mask": mask},
                out_keys=[(player, "action")],
                distribution_class=MaskedCategorical,
            )
        )
    return TensorDictSequential(*actors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--game", type=full_name, default="inphexion_v0", choices=[door_name(door) for door in abstract_envs.GAMES]
    )
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    try:
        whole_number("steps", args.steps, 1)
        whole_number("seed", args.seed, 0, 2**32 - 1)
    except ValueError as error:
        parser.error(str(error))

    torch.manual_seed(args.seed)
    env = make_env(args.game, args.seed)
    with torch.no_grad():
        # without break_when_any_done the environment is reset when a game ends, and the rollout goes on
        steps = env.rollout(args.steps, make_policy(env), break_when_any_done=False)
    ended = steps["next", "done"].sum()
    rewards = {player: steps["next", player, "reward"].sum() for player in env.group_map}
    legal = {player: steps[player, "action_mask"].gather(-1, steps[player, "action"].unsqueeze(-1)) for player in rewards}
    print(f"{len(steps)} steps, {ended} games ended; sum of rewards " + ", ".join(f"{p} {r:+.0f}" for p, r in rewards.items()))
    print("all actions legal:", all(bool(chosen.all()) for chosen in legal.values()))


if __name__ == "__main__":
    main()
