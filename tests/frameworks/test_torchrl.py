"""TorchRL's PettingZooWrapper on every game: masks, rewards and resets of rollouts, and the recorded games."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
import torch
from tensordict import TensorDictBase
from torchrl.envs import PettingZooWrapper

from abstract_envs.envs.aec import AGENTS
from env_cases import all_doors
from framework_cases import FEW_RECORDS
from helpers import DOORS

STEPS = 200
torch.set_num_threads(1)
pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version == 1.24.3:UserWarning")


def wrapped(env: Any) -> PettingZooWrapper:
    return PettingZooWrapper(env, use_mask=True, seed=0)


@all_doors
def test_rollout(door: ModuleType) -> None:
    """200 steps of random play: every step is one of the rules, from the position that they are in, and games follow games."""
    aec = door.env(max_plies=60)
    env, game = wrapped(aec), aec.game
    torch.manual_seed(0)
    states: list[Any] = []

    def draw(tensordict: TensorDictBase) -> TensorDictBase:
        states.append(aec.game_state)
        return env.rand_action(tensordict)

    steps = env.rollout(STEPS, draw, break_when_any_done=False)
    assert len(steps) == len(states) == STEPS
    ended = 0
    for t, state in enumerate(states):
        mover, other = AGENTS[state.player], AGENTS[1 - state.player]
        assert steps[t][mover, "mask"].item()
        assert not steps[t][other, "mask"].item()
        assert steps[t][mover, "action_mask"][0].nonzero().flatten().tolist() == [*game.legal_actions(state)]
        planes = steps[t][mover, "observation", "observation"][0].numpy()
        assert (planes == game.observe(state)).all()
        after = game.step(state, steps[t][mover, "action"].item())
        next_step = steps[t]["next"]
        rewards = tuple(next_step[agent, "reward"].item() for agent in AGENTS)
        assert rewards == game.rewards(after)
        assert next_step["terminated"].item() == game.is_terminal(after)
        done = next_step["done"].item()
        assert done == (next_step["terminated"].item() or next_step["truncated"].item())
        ended += done
        if t + 1 < STEPS:
            # after the end the next step begins a game
            begins = not any(states[t + 1].own) if done and game.has_chance else states[t + 1] == game.deal(0)
            assert begins if done else states[t + 1] == after
    assert ended >= 3
    assert not steps["next", "truncated"].all()


@pytest.mark.parametrize("record", FEW_RECORDS)
def test_recorded_game(record: dict[str, Any]) -> None:
    """The masks along recorded games are the rules'."""
    aec = DOORS[record["game"]].env(max_plies=None, **record["options"])
    env = wrapped(aec)
    step = env.reset(options={"position": record["start"]})
    for ply in record["plies"]:
        mover = AGENTS[ply["to_move"]]
        assert step[mover, "mask"].item()
        assert step[mover, "action_mask"][0].nonzero().flatten().tolist() == ply["legal"]
        assert not step["done"].item()
        action = aec.game.string_to_action(aec.game_state, ply["action"])
        for agent in AGENTS:
            step[agent, "action"] = torch.tensor([action if agent == mover else 0])
        step = env.step(step)["next"]
    assert step["terminated"].item() == (record["outcome"] is not None)
    if record["outcome"] in (0, 1):
        assert step[AGENTS[record["outcome"]], "reward"].item() == 1
