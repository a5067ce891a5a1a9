"""Trains MaskablePPO against an opponent inside the environment, both seats in turn, and shows how well it plays.

    python examples/train_maskable_ppo.py --game inphexion_v0             # train; writes runs/inphexion_v0-0/
    python examples/train_maskable_ppo.py --self-play                     # learn from games with its own past, for ten minutes
    python examples/train_maskable_ppo.py --evaluate runs/inphexion_v0-0  # load the model and play 1,000 games a seat

Needs the extra `train`: pip install ".[train]". A run's folder holds model.zip, policy.npz (the policy alone, as NumPy plays
it), run.json (what was trained, and how), progress.csv and curve.png. At the defaults the same seed gives the same model on the
same machine and versions.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import shlex
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np

from abstract_envs.agents import (
    Evaluation,
    NetworkAgent,
    OpponentPool,
    Policy,
    evaluate,
    mean_regret,
    resolve,
    states_with_regret,
)
from abstract_envs.agents.network import Network
from abstract_envs.agents.pool import HEAVIEST
from abstract_envs.core.options import extra, flag, one_of, positive_number, real_number, whole_number
from abstract_envs.envs.learner import by_material
from abstract_envs.records import full_name

try:
    import torch
    from matplotlib.figure import Figure
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.utils import LinearSchedule
    from tqdm import tqdm

    from abstract_envs.envs.sb3 import LearnerVecEnv, ModelAgent
    from abstract_envs.envs.sb3_policy import BoardPolicy, BoolMaskBuffer, check_sizes, heads_for
except ModuleNotFoundError as error:
    sys.exit(f"this example needs {extra('train')} ({error})")


@dataclass(frozen=True)
class Settings:
    """How to learn a game. The defaults suit games whose actions lie on the board."""

    steps: int = 600_000
    """Actions of the learner in all."""
    mirror: bool = False
    """Show player_1 the board as player_0 would see it."""
    network: str = "conv"
    """See `BoardPolicy`, also for the next four."""
    channels: int = 16
    kernels: tuple[int, ...] = (3, 3)
    hidden: int = 128
    pair_bias: float = 0.0
    num_envs: int = 256
    n_steps: int = 32
    """Actions a game between two updates."""
    batch_size: int = 1024
    n_epochs: int = 3
    """Passes over the data of an update: few, or it forgets (SB3's default is 10)."""
    learning_rate: float = 2e-3
    final_rate: float = 1.0
    """What is left of the learning rate at the end, to which it falls evenly: small steps settle what was learnt."""
    gamma: float = 0.99
    gae_lambda: float = 0.95
    material: float = 0.0
    """Weight of `Game.potential`, which shapes the rewards of the training; the games that judge are never shaped."""
    random: float = 1.0
    """Of self-play, see `OpponentPool`: how often a game is against random play, in proportion to ..."""
    greedy: float = 3.0
    """... how often against greedy play, and ..."""
    past: float = 3.0
    """... how often against a snapshot of the learner."""
    snapshots: int = 8
    """How many snapshots are kept."""
    newest: float = 0.5
    """The share of the newest among them."""
    snapshot_every: int = 10
    """Updates from one to the next."""

    def __post_init__(self) -> None:
        for name in ("steps", "num_envs", "n_steps", "n_epochs", "snapshots", "snapshot_every"):
            whole_number(name, getattr(self, name), 1)
        whole_number("batch_size", self.batch_size, 2)
        if self.num_envs * self.n_steps % self.batch_size == 1:  # PPO divides by the deviation of each batch
            data = f"num_envs * n_steps is {self.num_envs * self.n_steps}"
            raise ValueError(f"{data}; batches of {self.batch_size} must not leave one alone, for two are the least")
        flag("mirror", self.mirror)
        one_of("network", self.network, ("conv", "mlp"))
        check_sizes(self.channels, self.kernels, self.hidden, self.pair_bias)
        positive_number("learning_rate", self.learning_rate)
        for name in ("final_rate", "gamma", "gae_lambda"):
            real_number(name, getattr(self, name), 0, 1)
        for name in ("material", "random", "greedy", "past"):
            real_number(name, getattr(self, name), 0, HEAVIEST)
        self.pool()

    def pool(self) -> OpponentPool:
        """A new one, for self-play."""
        return OpponentPool([("random", self.random), ("greedy", self.greedy)], self.snapshots, self.past, self.newest)


OF_SELF_PLAY = ("random", "greedy", "past", "snapshots", "newest", "snapshot_every")

SETTINGS = {
    "inphexion_v0": Settings(mirror=True),
    "alveole_v0": Settings(n_epochs=2, steps=400_000),
    "honey_donuts_v0": Settings(network="mlp", learning_rate=1e-3, steps=1_500_000),
    "fano330_v0": Settings(network="mlp", final_rate=0.1, steps=2_400_000),
    # games are too long to learn from their ends alone, so pieces count as well; and swaps are up to a third of the legal
    # actions, so they start out unlikely. Smaller batches, and so more updates, where few steps fit into the time
    "xahzo_v0": Settings(
        channels=32,
        kernels=(5, 1),
        pair_bias=-1.5,
        batch_size=256,
        n_epochs=2,
        gamma=0.97,
        gae_lambda=0.9,
        material=2.0,
        steps=550_000,
    ),
}


SELF_PLAY = {
    "inphexion_v0": replace(SETTINGS["inphexion_v0"], steps=4_400_000, final_rate=0.03, random=9.0, greedy=2.0, past=2.0),
    "alveole_v0": replace(SETTINGS["alveole_v0"], steps=600_000, final_rate=0.1),
    "honey_donuts_v0": replace(SETTINGS["honey_donuts_v0"], steps=2_000_000, hidden=256, learning_rate=2e-3, final_rate=0.1),
    "fano330_v0": replace(
        SETTINGS["fano330_v0"], steps=12_000_000, mirror=True, learning_rate=3e-3, final_rate=0.03, random=8.0, past=1.0
    ),
    "xahzo_v0": replace(SETTINGS["xahzo_v0"], steps=1_000_000, final_rate=0.1, random=5.0, greedy=1.0, past=1.0),
}
"""How to learn a game from itself."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--game", type=full_name, default="inphexion_v0", choices=sorted(SETTINGS), help="what to learn")
    add("--steps", type=int, help="actions of the learner in all (default: by game)")
    add("--seconds", type=float, help="stop after so many seconds, if the steps are not done by then")
    add("--seed", type=int, default=0, help="of the network, the games and the opponent")
    add("--opponent", default="random", help="a name that abstract_envs.agents knows")
    add("--self-play", action="store_true", help="learn against a pool of random and greedy play and of snapshots of the learner")
    add("--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help="change one of the settings; repeatable")
    add("--out", type=Path, help="folder to write (default: runs/<game>-<seed>)")
    add("--threads", type=int, default=1, help="of torch: 2 help on an idle machine and cost much on a busy one")
    add("--settings", action="store_true", help="train nothing: print how each game is learnt")
    add("--evaluate", type=Path, metavar="FOLDER", help="train nothing: play with the model in this folder")
    add("--games", type=int, default=1000, help="games a seat when the model is judged at the end")
    add("--positions", type=int, default=10_000, help="in which its moves are judged, where the game is solved")
    add("--at-least", type=float, default=0.0, help="exit with 1 if the lower end of an interval is below this")
    args = parser.parse_args()
    try:
        check_options(args)
        check_settings(args)
    except ValueError as error:
        parser.error(str(error))
    return args


def check_options(args: argparse.Namespace) -> None:
    """ValueError for an option that is out of range."""
    whole_number("--seed", args.seed, 0, 2**32 - 1)  # all that Stable-Baselines3 takes
    for name in ("threads", "games", "positions"):
        whole_number(f"--{name}", getattr(args, name), 1)
    if args.steps is not None:
        whole_number("--steps", args.steps, 1)
    if args.seconds is not None:
        positive_number("--seconds", args.seconds)
    real_number("--at-least", args.at_least, 0, 1)
    missing = [name for name in ("run.json", "model.zip") if args.evaluate and not (args.evaluate / name).is_file()]
    if missing:
        raise ValueError(f"--evaluate: {args.evaluate} holds no {' and no '.join(missing)}: it is a folder that a training wrote")
    resolve(args.opponent, rules_of(json.loads((args.evaluate / "run.json").read_text())["game"] if args.evaluate else args.game))


def check_settings(args: argparse.Namespace) -> None:
    """ValueError for a setting that is out of range, or not one for the game."""
    try:
        heads_for(rules_of(args.game), settings_of(args).network)
    except ValueError as error:
        raise ValueError(f"--set: {error}") from None


def settings_of(args: argparse.Namespace) -> Settings:
    """How the game is learnt; ValueError for a setting out of range."""
    chosen = dict(args.set) if args.steps is None else dict(args.set) | {"steps": args.steps}
    return replace((SELF_PLAY if args.self_play else SETTINGS)[args.game], **chosen)


def setting(text: str) -> tuple[str, Any]:
    """``name=value`` of a setting; ArgumentTypeError for what is none. Whether the value is one is for `Settings` to say."""
    name, equals, value = text.partition("=")
    known = asdict(Settings())
    if name not in known:
        raise argparse.ArgumentTypeError(f"{name!r} is no setting; there are {', '.join(known)}")
    if not equals:
        raise argparse.ArgumentTypeError(f"{name} is given no value; it is NAME=VALUE, such as {name}={known[name]}")
    if not isinstance(known[name], str):
        with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # what it raises where it reads nothing
            return name, ast.literal_eval(value)
    return name, value


def rules_of(name: str) -> Any:
    return import_module(f"abstract_envs.{name}").game()


def game_of(name: str) -> Any:
    """The rules; compiled, with the same results in less time, where Numba is installed."""
    game = rules_of(name)
    return game if find_spec("numba") is None else import_module("abstract_envs.compiled").compiled(game)


class Watch(BaseCallback):
    """Progress bar, the score from time to time, and the end when the seconds are over."""

    GAMES = 200  # of an evaluation in between, both seats together
    POINTS = 10  # evaluations in between

    def __init__(
        self, args: argparse.Namespace, game: Any, mirror: bool, steps: int, pool: OpponentPool | None, every: int
    ) -> None:
        super().__init__()
        self.rows: list[dict[str, float]] = []
        self._args, self._game, self._mirror, self._steps, self._pool, self._every = args, game, mirror, steps, pool, every
        self._next = self._updates = 0
        self._rng = np.random.default_rng(args.seed)

    def _on_training_start(self) -> None:
        self._bar = tqdm(total=self._steps, unit=" steps", unit_scale=True)
        self._start, self._cpu = time.perf_counter(), time.process_time()

    def _on_step(self) -> bool:
        self._bar.update(self.training_env.num_envs)
        return self._args.seconds is None or time.perf_counter() - self._start < self._args.seconds

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self._next:
            self.judge()
            self._next += self._steps // self.POINTS
        if self._pool is not None and self._updates and self._updates % self._every == 0:
            network = Network(self._game, cast(BoardPolicy, self.model.policy).weights())
            self._pool.add(NetworkAgent(network, self._mirror, temperature=1.0), self._rng)
        self._updates += 1

    def _on_training_end(self) -> None:
        self.judge()
        self._bar.close()

    def judge(self) -> None:
        """Adds a row to the curve."""
        seconds = time.perf_counter() - self._start
        model = cast(MaskablePPO, self.model)
        row = {"steps": self.num_timesteps, "seconds": round(seconds, 1), "cpu": round(time.process_time() - self._cpu, 1)}
        shown: list[str] = []
        for opponent in judges(self._args):
            result = match(model, self._game, self._mirror, opponent, self.GAMES, seed=self._args.seed)
            first, second = (seat.score for seat in result.seats)
            row |= {f"{opponent}, as player_0": first, f"{opponent}, as player_1": second}
            shown.append(f"{first:.3f} and {second:.3f} against {opponent}")
        self.rows.append(row)
        self._bar.set_postfix_str(", ".join(shown))


def judges(args: argparse.Namespace) -> list[str]:
    """Against whom the learner is judged."""
    return list(dict.fromkeys([args.opponent, "greedy"])) if args.self_play else [args.opponent]


def train(args: argparse.Namespace) -> Path:
    """Trains a model and returns its folder."""
    settings = settings_of(args)
    game = game_of(args.game)
    update = settings.num_envs * settings.n_steps
    steps = -(-settings.steps // update) * update  # whole updates
    shaping = by_material(settings.material) if settings.material else None
    pool = settings.pool() if args.self_play else None
    venv = LearnerVecEnv(
        game, settings.num_envs, pool or args.opponent, mirror=settings.mirror, shaping=shaping, gamma=settings.gamma
    )
    model = MaskablePPO(
        BoardPolicy,
        venv,
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        learning_rate=LinearSchedule(settings.learning_rate, settings.learning_rate * settings.final_rate, 1.0),
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        policy_kwargs={
            "game": game,
            "network": settings.network,
            "channels": settings.channels,
            "kernels": settings.kernels,
            "hidden": settings.hidden,
            "pair_bias": settings.pair_bias,
        },
        rollout_buffer_class=BoolMaskBuffer,
        seed=args.seed,
        device="cpu",
    )
    watch = Watch(args, game, settings.mirror, steps, pool, settings.snapshot_every)
    model.learn(steps, callback=watch)

    folder = args.out or Path("runs") / f"{args.game}-{args.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    model.save(folder / "model.zip")
    weights = cast(BoardPolicy, model.policy).weights()
    Policy(game.name, game.options, settings.mirror, command_of(args), weights).save(folder / "policy.npz")
    learnt = {"game": args.game, "seed": args.seed, "opponent": args.opponent, "self_play": args.self_play}
    run = learnt | asdict(settings) | {"steps": model.num_timesteps}
    (folder / "run.json").write_text(json.dumps(run, indent=2) + "\n")
    with open(folder / "progress.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, watch.rows[0])
        writer.writeheader()
        writer.writerows(watch.rows)
    draw(watch.rows, f"{args.game}, {'self-play, ' if args.self_play else ''}seed {args.seed}", folder / "curve.png")
    return folder


def command_of(args: argparse.Namespace) -> str:
    """What to type for the same training."""
    words = ["python examples/train_maskable_ppo.py", f"--game {args.game}"]
    words += ["--self-play"] if args.self_play else [f"--opponent {shlex.quote(args.opponent)}"]
    words += [f"--seed {args.seed}"]
    words += [] if args.steps is None else [f"--steps {args.steps}"]
    words += [] if args.seconds is None else [f"--seconds {args.seconds:g}"]
    words += [shlex.join(["--set", f"{name}={value}"]) for name, value in args.set]
    return " ".join(words)


def draw(rows: list[dict[str, float]], title: str, path: Path) -> None:
    """The learning curve as a picture."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for judged in list(rows[0])[3:]:
        axes.plot([row["steps"] for row in rows], [row[judged] for row in rows], label=f"against {judged}")
    axes.set(title=title, xlabel="actions of the learner", ylabel="score", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)


def match(model: MaskablePPO, game: Any, mirror: bool, opponent: str, games: int, seed: int) -> Evaluation:
    """Games between the model, the likeliest action of one network pass at every turn, and an opponent."""
    return evaluate(game, ModelAgent(model, mirror), opponent, games, np.random.default_rng(seed))


def judge(args: argparse.Namespace, folder: Path) -> bool:
    """Loads a model, plays, and prints its scores; whether the one against ``args.opponent`` is good enough."""
    run = json.loads((folder / "run.json").read_text())
    game = game_of(run["game"])
    model = MaskablePPO.load(folder / "model.zip", device="cpu")
    seed = 1_000_000 + run["seed"]  # other games than those that the curve was drawn from
    print(f"{folder}: {run['game']}, seed {run['seed']}, {run['steps']:,} steps")
    args.self_play = run["self_play"]
    lowest = 1.0
    for opponent in judges(args):
        result = match(model, game, run["mirror"], opponent, 2 * args.games, seed)
        print_match(opponent, result)
        if opponent == args.opponent:
            lowest = min(seat.interval[0] for seat in result.seats)
    if game.positions() is not None:  # solved
        if args.opponent != "perfect":
            print_match("perfect", match(model, game, run["mirror"], "perfect", 2 * args.games, seed))
        print_regret(game, ModelAgent(model, run["mirror"]), args.positions, seed)
    return lowest >= args.at_least


def print_match(opponent: str, result: Evaluation) -> None:
    """The score in each seat."""
    print(f"against {opponent}, {result.seats[0].games:,} games a seat:")
    for player, seat in enumerate(result.seats):
        low, high = seat.interval
        print(f"  as player_{player}: score {seat.score:.3f}, 95 % interval {low:.3f} to {high:.3f} ", end="")
        print(f"({seat.wins} won, {seat.draws} drawn, {seat.losses} lost; {seat.draws / seat.games:.1%} draws)")
    low, high = result.interval
    print(f"  in both seats: score {result.score:.3f}, 95 % interval {low:.3f} to {high:.3f}")


def print_regret(game: Any, agent: ModelAgent, positions: int, seed: int) -> None:
    """How much of a position's value a move gives away, from 0 to 2, on average over positions where some move gives any."""
    rng = np.random.default_rng(seed)
    states = states_with_regret(game, positions, rng)
    means = [mean_regret(game, player, states, rng) for player in (agent, "random")]
    print(f"mean regret in {positions:,} positions where some move has any: {means[0]:.3f}, of random play {means[1]:.3f}")


def print_settings(self_play: bool) -> None:
    """A row for every setting, a column for every game."""
    table = {game: asdict(settings) for game, settings in (SELF_PLAY if self_play else SETTINGS).items()}
    print(f"{'':14}", *(f"{game.rpartition('_v')[0]:>12}" for game in table))
    for name in asdict(Settings()):
        if name in OF_SELF_PLAY and not self_play:
            continue
        values = (table[game][name] for game in table)
        print(f"{name:14}", *(f"{value if type(value) is not int else format(value, ',')!s:>12}" for value in values))


def main() -> int:
    args = arguments()
    if args.settings:
        print_settings(args.self_play)
        return 0
    torch.set_num_threads(args.threads)
    return 0 if judge(args, args.evaluate or train(args)) else 1


if __name__ == "__main__":
    sys.exit(main())
