"""Trains RLlib's PPO by self-play and against a league of its own snapshots, on one machine or on a cluster of many.

    python examples/train_rllib.py --game inphexion_v0 --runners 2          # writes runs/rllib-inphexion_v0-0/
    python examples/train_rllib.py --address auto --runners 32              # on the cluster that this machine belongs to
    python examples/train_rllib.py --resume runs/rllib-inphexion_v0-0       # goes on from its checkpoint, 50 iterations more

Needs the extra `rllib`: pip install ".[rllib]" (torch first, the build for your machine), in an environment of its own, since ray
pins gymnasium. Each env runner is a process that steps games of this library. One that is lost is started again while the
training goes on, and every line of results says how many there are, and how many restarts there were.
A run's folder holds checkpoint/ (RLlib's), results.jsonl (a line an iteration), settings.json and policy.npz (the policy alone,
as `abstract_envs.agents.Policy` reads it).
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when ray is imported

import numpy as np

import abstract_envs
from abstract_envs.agents import Policy, evaluate
from abstract_envs.core.options import extra, real_number, whole_number
from abstract_envs.records import door_name, full_name

try:
    import ray  # pyright: ignore[reportMissingImports]
    import torch
    from ray.rllib.algorithms.algorithm import Algorithm  # pyright: ignore[reportMissingImports]
    from ray.rllib.algorithms.ppo import PPOConfig  # pyright: ignore[reportMissingImports]
    from ray.rllib.callbacks.callbacks import RLlibCallback  # pyright: ignore[reportMissingImports]
    from ray.rllib.core.columns import Columns  # pyright: ignore[reportMissingImports]
    from ray.rllib.core.rl_module.apis import ValueFunctionAPI  # pyright: ignore[reportMissingImports]
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec  # pyright: ignore[reportMissingImports]
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec  # pyright: ignore[reportMissingImports]
    from ray.rllib.core.rl_module.torch import TorchRLModule  # pyright: ignore[reportMissingImports]
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv  # pyright: ignore[reportMissingImports]
    from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, FAULT_TOLERANCE_STATS  # pyright: ignore[reportMissingImports]
    from ray.rllib.utils.torch_utils import FLOAT_MIN  # pyright: ignore[reportMissingImports]
    from ray.tune.registry import register_env  # pyright: ignore[reportMissingImports]
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    sys.exit(f"this example needs {extra('rllib')} ({error})")

GAMES = [door_name(door) for door in abstract_envs.GAMES]
MAIN = "main"
"""The module that learns. The other modules are its snapshots, which do not."""


@dataclass(frozen=True)
class Settings:
    """What to train, and how."""

    game: str = "inphexion_v0"
    seed: int = 0
    runners: int = 2
    """Processes that play."""
    games_per_runner: int = 16
    """Games that a runner plays side by side, so that a network pass serves several."""
    steps: int = 4_000
    """Actions of both players between two updates, of all runners together."""
    league: int = 4
    """How many snapshots there are. They all begin as the untrained network, whose play is close to random."""
    self_play: float = 0.5
    """The share of games in which both players are the one that learns; the others are against a snapshot."""
    snapshot_score: float = 0.7
    """A snapshot replaces the oldest when the learner has scored this against the league since the last, or ..."""
    snapshot_games: int = 100
    """(... over at least so many games)"""
    snapshot_every: int = 25
    """... when so many iterations have gone by."""
    hidden: int = 128
    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("runners", "games_per_runner", "steps", "league", "snapshot_games", "snapshot_every", "hidden"):
            whole_number(name, getattr(self, name), 1)
        whole_number("seed", self.seed, 0, 2**31 - 1)  # RLlib adds the numbers of runners and games; NumPy takes 32 bits
        for name in ("self_play", "snapshot_score"):
            real_number(name, getattr(self, name), 0, 1)


# ------------------------------------------------------------------------------------------------------------ the environment


class BoardEnv(PettingZooEnv):
    """A game as RLlib steps it: its own wrapper of PettingZoo, with seeds that differ from runner to runner."""

    def __init__(self, context: Any) -> None:
        super().__init__(import_module(f"abstract_envs.{context['game']}").env())
        self._runner = context.worker_index

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        if seed is not None:  # RLlib's is the sum of a runner's number and a game's, so that runners would share deals
            seed = int(np.random.SeedSequence((self._runner, seed)).generate_state(1)[0])
        return super().reset(seed=seed, options=options)


# ---------------------------------------------------------------------------------------------------------------- the network


class BoardModule(TorchRLModule, ValueFunctionAPI):
    """Two small networks from planes, policy and value. Illegal actions have no chance: their logits are as low as can be."""

    def setup(self) -> None:
        planes: Any = self.observation_space["observation"]
        hidden, size = self.model_config["hidden"], int(np.prod(planes.shape))
        # planes of counts reach up to 100 where others have ones
        self.register_buffer("scale", 1 / torch.as_tensor(planes.high, dtype=torch.float32))
        self.policy, self.value = (
            nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
            for outputs in (self.action_space.n, 1)
        )
        # to begin with all legal actions are about as likely
        for parameter in self.policy[-1].parameters():
            nn.init.normal_(parameter, std=0.001)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        logits = self.policy(self._planes(batch))
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(batch[Columns.OBS]["action_mask"] == 0, FLOAT_MIN)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        return self.value(self._planes(batch)).squeeze(-1)

    def _planes(self, batch: dict[str, Any]) -> Tensor:
        return (batch[Columns.OBS]["observation"] * self.scale).flatten(-3)

    def weights(self) -> dict[str, np.ndarray]:
        """Those of the policy, as `abstract_envs.agents.Policy` keeps them."""
        dense = [layer for layer in self.policy if isinstance(layer, nn.Linear)]
        found = {f"dense{i}.weight": layer.weight.detach().numpy().T for i, layer in enumerate(dense)}
        return found | {f"dense{i}.bias": layer.bias.detach().numpy() for i, layer in enumerate(dense)}


# ----------------------------------------------------------------------------------------------------------------- the league


def snapshots(settings: Settings) -> list[str]:
    return [f"snapshot_{i}" for i in range(settings.league)]


class Match:
    """Who plays an episode: RLlib asks for each agent, and both answers follow from the episode's id."""

    def __init__(self, settings: Settings) -> None:
        self._snapshots, self._self_play = snapshots(settings), settings.self_play

    def __call__(self, agent: str, episode: Any, **kwargs: Any) -> str:
        rng = np.random.default_rng(int(episode.id_, 16))
        if rng.random() < self._self_play:
            return MAIN
        opponent, seat = rng.choice(self._snapshots), rng.integers(2)
        return MAIN if agent == f"player_{seat}" else str(opponent)


class League(RLlibCallback):
    """Keeps the learner's score against the league, and replaces the oldest snapshot by the learner when that is due.

    The number of modules is fixed, and who plays whom depends on no history, so that an env runner that has been started again
    needs nothing but the weights, which RLlib gives it.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._since = 0
        self._games = self._points = 0.0

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **kwargs: Any) -> None:
        """On a runner: a game has ended. A draw, and a game cut off, counts half."""
        learners = [agent for agent in episode.agent_ids if episode.module_for(agent) == MAIN]
        if len(learners) == 1:
            points = (1 + episode.agent_episodes[learners[0]].get_return()) / 2
            metrics_logger.log_value("league_games", 1, reduce="sum")
            metrics_logger.log_value("league_points", points, reduce="sum")

    def on_train_result(self, *, algorithm: Algorithm, metrics_logger: Any, result: dict[str, Any], **kwargs: Any) -> None:
        """On the driver: an iteration has ended."""
        settings, played = self._settings, result[ENV_RUNNER_RESULTS]
        self._games += float(played.get("league_games", 0))
        self._points += float(played.get("league_points", 0))
        self._since += 1
        taken = int(metrics_logger.peek("snapshots", default=0))  # kept there, it is in checkpoints
        result["league"] = {"games": self._games, "score": self._points / self._games if self._games else None}
        enough = self._games >= settings.snapshot_games and self._points >= settings.snapshot_score * self._games
        if enough or self._since >= settings.snapshot_every:
            take_snapshot(algorithm, snapshots(settings)[taken % settings.league])
            metrics_logger.log_value("snapshots", 1, reduce="lifetime_sum")
            taken, self._since, self._games, self._points = taken + 1, 0, 0.0, 0.0
        result["league"]["snapshots"] = taken


def take_snapshot(algorithm: Algorithm, name: str) -> None:
    """Gives a snapshot the learner's weights, everywhere."""
    state = algorithm.get_module(MAIN).get_state()

    def copy(holder: Any) -> None:
        holder.module[name].set_state(state)

    algorithm.learner_group.foreach_learner(copy)
    # RLlib's sync_weights would do nothing here: it skips runners that have had the weights of the last update
    algorithm.env_runner_group.foreach_env_runner(copy)


# ---------------------------------------------------------------------------------------------------------------- the training


def config_of(settings: Settings) -> PPOConfig:
    """The configuration of RLlib's PPO."""
    register_env("abstract_envs", BoardEnv)
    env = import_module(f"abstract_envs.{settings.game}").env()
    seen, actions = env.observation_space("player_0"), env.action_space("player_0")
    modules = [MAIN, *snapshots(settings)]
    spec = RLModuleSpec(BoardModule, observation_space=seen, action_space=actions, model_config={"hidden": settings.hidden})
    return (
        PPOConfig()
        # RLlib's check of an environment plays without a look at the mask
        .environment("abstract_envs", env_config={"game": settings.game}, disable_env_checking=True)
        .env_runners(
            num_env_runners=settings.runners,
            num_envs_per_env_runner=settings.games_per_runner,
            sample_timeout_s=600,
        )
        .multi_agent(policies=set(modules), policy_mapping_fn=Match(settings), policies_to_train=[MAIN])
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(modules, spec)))
        .training(
            train_batch_size_per_learner=settings.steps,
            minibatch_size=256,
            num_epochs=4,
            lr=settings.learning_rate,
            gamma=0.99,
            lambda_=0.95,
            entropy_coeff=0.01,
            grad_clip=0.5,
        )
        # a runner that is lost is started again; its games are lost, and the others go on
        .fault_tolerance(restart_failed_env_runners=True)
        .callbacks(partial(League, settings))
        .debugging(seed=settings.seed, log_level="ERROR")
    )


def iterations(algorithm: Algorithm, number: int) -> Iterator[dict[str, Any]]:
    """Trains, and gives what is worth telling of every iteration."""
    for _ in range(number):
        result = algorithm.train()
        played, faults = result[ENV_RUNNER_RESULTS], result[FAULT_TOLERANCE_STATS]
        yield {
            "iteration": result["training_iteration"],
            "steps": int(played.get("num_env_steps_sampled_lifetime", 0)),
            "steps_per_second": round(played.get("num_env_steps_sampled", 0) / result["time_this_iter_s"]),
            "games": int(played.get("num_episodes_lifetime", 0)),
            "league": result["league"],
            "runners": faults["num_healthy_workers"],
            "restarts": faults["num_remote_worker_restarts"],
        }


def told(row: dict[str, Any], runners: int) -> str:
    """A line for people."""
    league = row["league"]
    score = "none yet" if league["score"] is None else f"{league['score']:.2f} in {league['games']:.0f} games"
    line = f"iteration {row['iteration']}: {row['steps']:,} steps, {row['steps_per_second']:,} a second, {row['games']:,} games; "
    line += f"score against the league {score}, snapshots taken {league['snapshots']}; "
    line += f"env runners {row['runners']} of {runners}, restarts {row['restarts']}"
    return line


def start_ray(settings: Settings, address: str | None) -> None:
    """Joins a cluster, or starts one on this machine.

    There, as many logical CPUs as there will be processes, whatever the machine has: each runner asks for one, and would wait
    for ever for what is not there.
    """
    for logger in ("ray", "ray.rllib"):  # to be left with what goes wrong
        logging.getLogger(logger).setLevel(logging.ERROR)
    where: dict[str, Any] = {"address": address}
    if address is None:
        where = {"address": "local", "num_cpus": settings.runners + 1, "include_dashboard": False}
    ray.init(log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True, **where)
    if (there := int(ray.cluster_resources().get("CPU", 0))) < settings.runners:
        sys.exit(f"runners is {settings.runners}; the cluster has {there} logical CPUs, and each runner wants one")


def train(settings: Settings, folder: Path, number: int, checkpoint_every: int, resume: bool) -> None:
    """Trains for so many iterations on the cluster that ray knows, and writes the folder."""
    algorithm = config_of(settings).build_algo()
    if resume:
        algorithm.restore_from_path(str(checkpoints(folder)[0].resolve()))
        drop_later_rows(folder / "results.jsonl", algorithm.iteration)
    else:  # those of another run here, with which --resume would go on until there is one of this
        for checkpoint in checkpoints(folder):
            shutil.rmtree(checkpoint)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "settings.json", json.dumps(asdict(settings), indent=2) + "\n")
    with open(folder / "results.jsonl", "a" if resume else "w") as results:
        for row in iterations(algorithm, number):
            print(told(row, settings.runners), flush=True)
            print(json.dumps(row), file=results, flush=True)
            if row["iteration"] % checkpoint_every == 0:
                save(algorithm, folder)
    save(algorithm, folder)
    game = import_module(f"abstract_envs.{settings.game}").game()
    command = shlex.join(["python", "examples/train_rllib.py", *sys.argv[1:]])
    Policy(game.name, game.options, False, command, algorithm.get_module(MAIN).weights()).save(folder / "policy.npz")
    algorithm.stop()


def drop_later_rows(results: Path, iteration: int) -> None:
    """Leaves out what was written after the checkpoint, since those iterations are made again; and half a line at the end."""
    lines = results.read_text().splitlines(keepends=True) if results.exists() else []
    kept = [line for line in lines if line.endswith("\n") and json.loads(line)["iteration"] <= iteration]
    write(results, "".join(kept))


def write(file: Path, text: str) -> None:
    """Writes a file beside the last one, and then puts it in its place: there is a whole one at any time."""
    fresh = file.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(file)


def save(algorithm: Algorithm, folder: Path) -> None:
    """The same with a checkpoint, of which `checkpoints` finds a whole one."""
    fresh = (folder / "checkpoint.new").resolve()
    shutil.rmtree(fresh, ignore_errors=True)
    algorithm.save_to_path(str(fresh))
    put(fresh)


def put(fresh: Path) -> None:
    """Puts a checkpoint in the place of the last one, which is set aside meanwhile: a folder cannot be replaced at once."""
    checkpoint, last = fresh.with_suffix(""), fresh.with_suffix(".old")
    if checkpoint.exists():
        shutil.rmtree(last, ignore_errors=True)
        checkpoint.rename(last)
    fresh.rename(checkpoint)
    shutil.rmtree(last, ignore_errors=True)


def checkpoints(folder: Path) -> list[Path]:
    """Those of a run that there are, the one to go on from first; the other one may be half removed."""
    return [path for name in ("checkpoint", "checkpoint.old") if (path := folder / name).is_dir()]


def judge(settings: Settings, folder: Path, games: int) -> None:
    """Plays with the policy that was written, the likeliest action at every turn, against random play in both seats."""
    game = import_module(f"abstract_envs.{settings.game}").game()
    agent = Policy.load(folder / "policy.npz").agent(game)
    result = evaluate(game, agent, "random", games, np.random.default_rng(settings.seed))
    low, high = result.interval
    print(f"{folder}: score against random play {result.score:.3f} in {games:,} games, 95 % interval {low:.3f} to {high:.3f}")


def main() -> None:
    args = arguments()
    torch.set_num_threads(args.threads)
    start_ray(args.settings, args.address)
    train(args.settings, args.out, args.iterations, args.checkpoint_every, resume=bool(args.resume))
    judge(args.settings, args.out, args.games)


def arguments() -> argparse.Namespace:
    """As typed, with ``settings`` and ``out`` made from them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    # those of `Settings` have no default here, so that with --resume it is known what was typed
    add("--game", type=full_name, choices=GAMES, help="what to learn")
    add("--runners", type=int, help="processes that play: as many as there are cores, or one less")
    add("--iterations", type=int, default=50, help="updates; with --resume, so many more")
    add("--steps", type=int, help="actions of both players between two updates")
    add("--league", type=int, help="snapshots of the learner to play against")
    add("--snapshot-score", type=float, help="against the league, for which the next is taken")
    add("--snapshot-every", type=int, metavar="ITERATIONS", help="at the latest")
    add("--seed", type=int, help="of the network and the games")
    add("--out", type=Path, metavar="FOLDER", help="what to write (default: runs/rllib-<game>-<seed>)")
    add("--checkpoint-every", type=int, default=10, metavar="ITERATIONS", help="and at the end")
    add("--resume", type=Path, metavar="FOLDER", help="go on there with what was trained, as it was; --runners may change")
    add("--address", help="of a ray cluster to join, or 'auto': the one that this machine belongs to (default: start one here)")
    add("--threads", type=int, default=1, help="of torch where the updates are made; runners have one each")
    add("--games", type=int, default=1000, help="of the policy against random play at the end, an even number")
    args = parser.parse_args()
    typed = {field.name: getattr(args, field.name, None) for field in fields(Settings)}
    chosen = {name: value for name, value in typed.items() if value is not None}
    try:
        for name in ("iterations", "checkpoint_every", "threads", "games"):
            whole_number(name, getattr(args, name), 1)
        if args.games % 2:
            raise ValueError(f"games is {args.games}; it is an even number: seats alternate")
        args.settings = resumed(args.resume, args.out, chosen) if args.resume else Settings(**chosen)
    except ValueError as error:
        parser.error(str(error))
    args.out = args.resume or args.out or Path("runs") / f"rllib-{args.settings.game}-{args.settings.seed}"
    return args


def resumed(folder: Path, out: Path | None, chosen: dict[str, Any]) -> Settings:
    """The settings of a run that goes on: its own, but for ``runners``. ValueError for what it cannot go on with."""
    for there, name in ((checkpoints(folder), "checkpoint"), ((folder / "settings.json").exists(), "settings.json")):
        if not there:
            raise ValueError(f"--resume: there is no {folder / name}")
    if out is not None and out.resolve() != folder.resolve():
        raise ValueError(f"--out is {out}; with --resume it is left out: what goes on in {folder} is written there")
    own = Settings(**json.loads((folder / "settings.json").read_text()))
    for name, value in chosen.items():
        if name != "runners" and value != getattr(own, name):
            known = f"the run in {folder} has {getattr(own, name)}"
            raise ValueError(f"{name} is {value}; {known}, and goes on as it was: leave it out, or begin another run")
    return replace(own, **chosen)


if __name__ == "__main__":
    main()
