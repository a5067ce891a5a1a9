"""AlphaZero in one file: a network learns a game by searching in games against itself, from the rules alone.

    python examples/alphazero.py --game fano330_v0 --minutes 30      # train; writes runs/alphazero-fano330_v0-0/
    python examples/alphazero.py --evaluate runs/alphazero-fano330_v0-0  # load the network and judge its policy

Over and over: thousands of games are played some plies on, every move searched by some simulations (`search`, the Gumbel
AlphaZero of Danihelka et al. 2022); what the searches found becomes targets (`returns`, `images`); and the network learns them.
Games begin after random actions, so that all kinds of positions are seen, not only those that good play leads to.

Needs the extra `train`: pip install ".[train]", and with --backend numba the extra `numba`. A run's folder holds network.pt,
run.json (what was trained, and how), progress.csv and curve.png. How much is learnt in a time depends on the machine, so a
seed repeats a training only roughly.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from itertools import combinations
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents import AgentLike, Evaluation, Policy, evaluate, keeps_value, mean_regret, resolve, states_with_regret
from abstract_envs.agents.forest import Evaluated, Forest
from abstract_envs.agents.network import heads_of
from abstract_envs.agents.random import one_of_each
from abstract_envs.core.chance import check_seed
from abstract_envs.core.game import Game
from abstract_envs.core.options import extra, positive_number, real_number, whole_number
from abstract_envs.core.view import View
from abstract_envs.envs.spaces import observation_space
from abstract_envs.records import full_name

try:
    import torch
    from matplotlib.figure import Figure
    from torch import Tensor, nn
    from torch.nn import functional
    from tqdm import tqdm

    from abstract_envs.envs.sb3_policy import ActionHead, BoardTrunk, ScaledPlanes, ValueHead
except ModuleNotFoundError as error:
    sys.exit(f"this example needs {extra('train')} ({error})")


@dataclass(frozen=True)
class Settings:
    """How to learn a game. The defaults suit games whose actions lie on the board; each is an option of the command too."""

    parallel: int = 512
    """Games side by side."""
    plies: int = 8
    """Actions in each of them between two trainings of the network."""
    openings: int = 10
    """A game begins after 0 to so many uniformly random actions."""
    draws: int = 1
    """That number is the greatest of so many draws: with more than one, more games begin late, where there are more positions."""
    length: int = 1000
    """After so many actions of its own a game is given up: its end is then worth what the search says."""
    simulations: int = 24
    considered: int = 12
    """Actions that a search begins with, of which it soon leaves the worse ones."""
    exploration: float = 1.0
    """Weight of priors below the root, see `abstract_envs.agents.mcts`."""
    q_scale: float = 0.15
    """Weight of what a search found against what the policy said."""
    fading: float = 0.7
    """Lambda: the weight, in the target of the value, of what came later against what the search said at once."""
    discount: float = 1.0
    """What is certain n plies ahead is worth this to the power of n. Below 1 where play may go on for ever: a value that rests
    on nothing but itself then fades, and who wins makes progress."""
    mirror: bool = False
    """Show the network the game of player_1 as player_0 would see it."""
    width: int = 32
    """Channels of convolutions; of dense layers, features for each symmetry of the game."""
    depth: int = 3
    """Convolutions, or dense blocks of two layers."""
    tuples: int = 0
    """Dense layers are told what stands on each set of so many cells together, see `Tuples`. 0: nothing of the kind."""
    images: int = 2
    """Symmetric images of each position to learn from."""
    memory: int = 100_000
    """Images to draw from, the latest."""
    reuse: float = 2.0
    """How often an image is drawn, on average."""
    batch_size: int = 1024
    learning_rate: float = 2e-3
    final_rate: float = 0.02
    """What is left of the learning rate at the end, to which it falls evenly: small steps settle what was learnt."""
    weight_decay: float = 1e-4

    def __post_init__(self) -> None:
        for name in ("parallel", "plies", "draws", "length", "simulations", "considered", "width", "depth", "images", "memory"):
            whole_number(name, getattr(self, name), 1)
        whole_number("batch_size", self.batch_size, 1)
        whole_number("openings", self.openings, 0)
        whole_number("tuples", self.tuples, 0)
        for name in ("exploration", "q_scale", "reuse", "learning_rate"):
            positive_number(name, getattr(self, name))
        for name in ("fading", "discount", "final_rate", "weight_decay"):
            real_number(name, getattr(self, name), 0, 1)


SETTINGS = {
    "inphexion_v0": Settings(mirror=True, parallel=256, simulations=16, considered=8, reuse=4.0, batch_size=512),
    "alveole_v0": Settings(),
    "honey_donuts_v0": Settings(width=16, depth=2, length=24, discount=0.97),
    # a drawn game need not end, and good play would see few positions: games start everywhere and are given up at once, or the
    # policy would be good in positions that good play leads to, and much worse in others
    "fano330_v0": Settings(
        parallel=1024,
        openings=10,
        draws=2,
        length=2,
        considered=16,
        discount=0.97,
        width=16,
        depth=2,
        tuples=3,
        memory=400_000,
        # the policy lags far behind the search for long: many positions, searched a little, teach it more than few searched well
        reuse=3.0,
        batch_size=512,
        learning_rate=3e-3,
    ),
    "xahzo_v0": Settings(parallel=128, memory=20_000, batch_size=256),
}


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--game", type=full_name, default="fano330_v0", choices=sorted(SETTINGS), help="what to learn")
    add("--minutes", type=float, default=30.0, help="of training, judging in between included")
    add("--clock", default="wall", choices=["wall", "cpu"], help="cpu: count as if the cores were idle but for this, see `Clock`")
    add("--seed", type=int, default=0, help="of the network and the games")
    add("--out", type=Path, help="folder to write (default: runs/alphazero-<game>-<seed>)")
    add("--processes", type=int, default=1, choices=[1, 2], help="2: one plays while the other learns, a core each")
    add("--threads", type=int, default=1, help="of torch in each process: more than the idle cores cost much")
    add("--backend", default="numpy", choices=["numpy", "numba"], help="what steps the games")
    add("--evaluate", type=Path, metavar="FOLDER", help="train nothing: judge the network in this folder")
    add("--opponent", default="random", help="a name that abstract_envs.agents knows, to judge against")
    add("--against", metavar="POLICY", help="judge against another policy as well: a folder of train_maskable_ppo.py, or 'ppo'")
    add("--games", type=int, default=1000, help="games a seat when the network is judged at the end")
    add("--positions", type=int, default=10_000, help="in which its moves are judged, where the game is solved")
    add("--at-least", type=float, default=0.0, help="exit with 1 if the last figure printed is below this")
    settings = parser.add_argument_group("settings (their defaults are by game)")
    for field in fields(Settings):
        kind: Any = type(field.default)
        how: dict[str, Any] = {"action": argparse.BooleanOptionalAction} if kind is bool else {"type": kind, "metavar": "N"}
        settings.add_argument(f"--{field.name.replace('_', '-')}", **how)
    args = parser.parse_args(given)
    try:
        settings = settings_of(args)
        positive_number("minutes", args.minutes)
        for name in ("threads", "games", "positions"):
            whole_number(name, getattr(args, name), 1)
        check_seed(args.seed)
        real_number("at-least", args.at_least, 0, 1)
        missing = [name for name in ("run.json", "network.pt") if args.evaluate and not (args.evaluate / name).is_file()]
        if missing:
            raise ValueError(f"{args.evaluate} holds no {' and no '.join(missing)}: it is a folder that a training wrote")
        game = game_of(json.loads((args.evaluate / "run.json").read_text())["game"] if args.evaluate else args.game)
        if not args.evaluate:
            check_tuples(settings.tuples, game)
        resolve(args.opponent, game)
        other_policy(args.against, game)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    return args


def settings_of(args: argparse.Namespace) -> Settings:
    """How the game is learnt; ValueError for a setting out of range."""
    given = {field.name: getattr(args, field.name) for field in fields(Settings) if getattr(args, field.name) is not None}
    return replace(SETTINGS[args.game], **given)


def check_tuples(tuples: int, game: Game[Any]) -> None:
    """ValueError for sets of more cells than there are, or of any in a game whose network has no use for them."""
    if tuples and heads_of(game) is not None:
        raise ValueError(f"tuples is {tuples}; it is 0 for {game.name}, whose network has convolutions")
    whole_number("tuples", tuples, 0, len(game.board))


def game_of(name: str) -> Game[Any]:
    return import_module(f"abstract_envs.{name}").game()


def other_policy(name: str | None, game: Game[Any]) -> AgentLike | None:
    """The policy of --against; OSError or ValueError where there is none, or one of another game."""
    if name is None or name == "ppo":
        return resolve(name, game) if name else None
    return Policy.load(Path(name) / "policy.npz").agent(game)


# -------------------------------------------------------------------------------------------------------------- network


class Network(nn.Module):
    """Observations ``[B, P, R, C]`` -> logits of all actions, legal or not, ``[B, A]``, and of winning, ``[B]``.

    Convolutions where the actions lie on the board and it is wider than a line, else dense layers that know the symmetries.
    """

    def __init__(self, game: Game[Any], width: int, depth: int, tuples: int = 0) -> None:
        super().__init__()
        space, shape = observation_space(game), game.board.shape
        heads = heads_of(game)
        if heads is not None:
            self.trunk: nn.Module = BoardTrunk(space, width, (3,) * depth)
            self.policy: nn.Module = ActionHead(heads, width, shape, game.board.places)
            self.value: nn.Module = ValueHead(width, shape)
            self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        else:
            group = group_of(game)
            size = len(group.map)
            blocks = [Block(group.map, width) for _ in range(depth)]
            enter = nn.Sequential(ScaledPlanes(space), Tied(group.enter, 1, width))
            enter = Sum(enter, Tuples(game, group.enter, tuples, width)) if tuples else enter
            self.trunk = nn.Sequential(enter, *blocks, norm(size * width))
            self.policy = Tied(group.leave, width, 1)
            self.value = Tied(np.zeros((1, size), np.int64), width, 1)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        features = self.trunk(observations)
        return self.policy(features), self.value(features)[:, 0]


class Group(NamedTuple):
    """How the weights of dense layers are tied, see `Tied`, so that the network knows a game's G symmetries.

    Features are ``[B, G * width]``, ``width`` of them for each symmetry: what those of the identity would be if the board were
    carried by it. So the logits of an image are the image of the logits, and what is learnt of a position is learnt of all its
    images (Cohen and Welling 2016, "Group equivariant convolutional networks").
    """

    enter: NDArray[np.int64]
    """From observations, ``[G, P*R*C]``."""
    map: NDArray[np.int64]
    """From features to features, ``[G, G]``."""
    leave: NDArray[np.int64]
    """To logits, ``[A, G]``."""


def group_of(game: Game[Any]) -> Group:
    """The symmetries that exchange no players."""
    symmetries = [symmetry for symmetry in game.symmetries if not symmetry.exchanges]
    places = np.arange(np.prod(game.observation_shape)).reshape(game.observation_shape)
    # what the image under g shows at i is what the position shows at seen[g, i]; and so with actions
    seen = np.stack([symmetry.observation(places).ravel() for symmetry in symmetries])
    actions = np.stack([symmetry.policy(np.arange(game.num_actions)) for symmetry in symmetries])
    number = {row.tobytes(): g for g, row in enumerate(seen)}
    between = np.empty((len(seen), len(seen)), np.int64)  # [g, h]: the symmetry that, after g, makes h
    for g, k in np.ndindex(*between.shape):
        between[g, number[seen[g, seen[k]].tobytes()]] = k
    return Group(seen.argsort(1), between, actions.argsort(1).T)


class Tied(nn.Module):
    """A dense layer ``[B, columns * inputs] -> [B, rows * outputs]`` of blocks, equal ones where ``table`` has equal numbers.

    table: which block is where, ``[rows, columns]``.
    """

    table: Tensor

    def __init__(self, table: NDArray[np.int64], inputs: int, outputs: int) -> None:
        super().__init__()
        bound = (table.shape[1] * inputs) ** -0.5  # as nn.Linear begins
        self.weight = nn.Parameter(torch.empty(len(np.unique(table)), outputs, inputs).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("table", torch.from_numpy(np.ascontiguousarray(table)), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        weight = self.weight[self.table].transpose(1, 2).flatten(2, 3).flatten(0, 1)
        return functional.linear(x, weight, self.bias.repeat(len(self.table)))


class Tuples(nn.Module):
    """Features of what stands on several cells together: ``[B, P, R, C] -> [B, G * width]``.

    An n-tuple network (Bledsoe and Browning 1959; Lucas 2008, "Learning to play Othello with n-tuple systems"): whatever stands
    on a set of ``cells`` cells has a row of weights of its own, and a position's features are the sum of such rows. Sums of
    planes cannot tell what stands together, and the layers behind them learn it slowly. Of sets that are images of each other
    there is one: the features of the other symmetries have the others. Rows are found by hashing: far fewer contents come about
    than planes could show, and two that share a row do little harm.
    """

    ROWS = 2**15

    keys: Tensor
    first: Tensor

    def __init__(self, game: Game[Any], enter: NDArray[np.int64], cells: int, width: int) -> None:
        super().__init__()
        places = np.array(game.board.places)
        images = [symmetry.cells for symmetry in game.symmetries if not symmetry.exchanges]
        chosen = map(list, combinations(range(len(places)), cells))
        sets = sorted({min(tuple(sorted(image[some])) for image in images) for some in chosen})
        # the hash: a sum of random numbers, those of what is there, so that other contents have other sums
        rng = np.random.default_rng(0)
        planes, *size = game.observation_shape
        keys = np.zeros((len(sets), planes, np.prod(size)))
        for row, some in zip(keys, sets, strict=True):
            row[:, places[list(some)]] = rng.integers(0, 2**40, (planes, cells))
        # of a position's images under the symmetries, in the order of its features
        keys = keys.reshape(len(sets), -1)[:, enter].swapaxes(0, 1).reshape(-1, enter.shape[1])
        first = np.tile(rng.integers(0, 2**40, len(sets)), len(enter))
        # saved with the weights: another version of NumPy might draw others
        self.register_buffer("keys", torch.from_numpy(keys))
        self.register_buffer("first", torch.from_numpy(first))
        self.rows = nn.EmbeddingBag(self.ROWS, width, mode="sum")
        nn.init.normal_(self.rows.weight, std=0.1)
        self.sets = len(sets)

    def forward(self, observations: Tensor) -> Tensor:
        sums = functional.linear(observations.flatten(1).double(), self.keys)  # exact: whole numbers, below 2**53
        rows = (sums.long() + self.first) % self.ROWS
        return self.rows(rows.view(-1, self.sets)).view(len(observations), -1)


class Sum(nn.Module):
    """What two modules say of the same input, added."""

    def __init__(self, one: nn.Module, other: nn.Module) -> None:
        super().__init__()
        self.one, self.other = one, other

    def forward(self, x: Tensor) -> Tensor:
        return self.one(x) + self.other(x)


def norm(size: int) -> nn.Module:
    """Scales features, all alike."""
    return nn.LayerNorm(size, elementwise_affine=False)


class Block(nn.Module):
    """Two dense layers beside a short cut, the first one gated: ``[B, G * width] -> [B, G * width]``.

    A gate multiplies features, as in "this piece and that one", which sums of ReLUs learn slowly.
    """

    def __init__(self, table: NDArray[np.int64], width: int) -> None:
        super().__init__()
        self.norm = norm(len(table) * width)
        self.gate, self.first, self.second = (Tied(table, width, width) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        return x + self.second(functional.silu(self.gate(y)) * self.first(y))


class Judge:
    """The network as an `abstract_envs.agents.Evaluator`: priors, ``[B, A]``, and values by player, ``[B, 2]``."""

    def __init__(self, network: Network, mirror: bool) -> None:
        self.network, self.mirror = network, mirror

    @torch.inference_mode()
    def __call__(self, game: Game[Any], states: Any) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        view, players = View(game, self.mirror), game.current_player(states)
        mask = torch.from_numpy(view.mask(states, players))
        logits, wins = self.network(torch.from_numpy(view.observe(states, players)))
        priors = masked(logits, mask).softmax(1).numpy()
        return view.policy(priors, players), by_player(torch.tanh(wins / 2).numpy(), players)  # tanh(x / 2) = 2 sigmoid(x) - 1


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits that leave nothing to actions that are not legal."""
    return logits.masked_fill(mask == 0, -1e9)


def by_player(values: NDArray[Any], players: NDArray[Any]) -> NDArray[np.float64]:
    """Values for ``players``, ``[B]``, as values by player, ``[B, 2]``. Kept so, they mean the same whoever acts next."""
    first = np.where(players == 0, values, -values).astype(np.float64)
    return np.stack([first, -first], 1)


class PolicyAgent:
    """Plays the action that the network's policy likes best, without search."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of a batch of states: ``int64[B]``."""
        priors, _ = self._judge(game, states)
        return np.where(game.action_mask(states) != 0, priors, -1).argmax(1)


# --------------------------------------------------------------------------------------------------------------- search


class Found(NamedTuple):
    """What searches found in a batch of states."""

    actions: NDArray[np.int64]
    """``[B]``: what to play."""
    policy: NDArray[np.float64]
    """``[B, A]``: better than the network's."""
    values: NDArray[np.float64]
    """``[B, 2]``, by player."""


def search(
    game: Game[Any],
    states: Any,
    evaluate: Callable[[Game[Any], Any], Evaluated],
    settings: Settings,
    rng: np.random.Generator,
) -> Found:
    """Searches a batch of running games as Gumbel AlphaZero does, with the library's trees below the roots.

    At the roots actions are drawn without replacement, by their priors, and get their simulations by sequential halving. The
    better policy is softmax(logits + scale * completed values), where an action not visited is worth what the others say.
    Results that are proven count as certain.
    """
    size = game.batch_size(states)
    legal = game.action_mask(states) != 0
    noise = rng.gumbel(size=legal.shape)
    visits_in_turn = schedule(settings.considered, settings.simulations)
    wanted = visits_in_turn[legal.sum(1).clip(max=settings.considered)]
    turn = 0

    def root_score(trees: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.float64]:
        nodes, of = forest.nodes, forest.edges
        here = np.arange(edges.shape[1]) < nodes.edges[trees][:, None]
        visits = np.where(here, of.visits[edges], 0)
        mean = nodes.value[trees, nodes.player[trees]] / nodes.visits[trees]
        q = np.where(visits > 0, of.value[edges] / np.maximum(visits, 1), mean[:, None])  # -inf: known to lose
        score = noise[trees[:, None], of.action[edges]] + logits_of(of.prior[edges]) + scaled(q, visits, settings.q_scale)
        # if all that are due are known to lose, the best of the others
        return score + np.where(visits == wanted[trees, turn][:, None], 1e6, 0.0)

    order = rng.permutation(game.num_actions)
    forest = Forest(game, states, lambda s: evaluate(game, s), order, settings.exploration, 1, root_score)
    rows, players = np.arange(size), forest.nodes.player[:size].astype(np.int64)
    guess = forest.nodes.value[rows, players]  # the network's: there has been one visit
    for turn in range(settings.simulations):  # noqa: B007, read by root_score
        forest.simulate(1)

    trees, edges = forest.of_roots()
    actions = forest.edges.action[edges]
    visits, q, priors = np.zeros(legal.shape, np.int64), np.zeros(legal.shape), np.zeros(legal.shape)
    visits[trees, actions] = forest.edges.visits[edges]
    q[trees, actions] = forest.edges.value[edges] / np.maximum(visits[trees, actions], 1)
    priors[trees, actions] = forest.edges.prior[edges]
    won, lost = q == np.inf, q == -np.inf
    usable = np.where(won.any(1, keepdims=True), won, legal & ~lost)
    usable = np.where(usable.any(1, keepdims=True), usable, legal)

    q = completed(q.clip(-1, 1), visits, priors, guess)
    score = np.where(usable, logits_of(priors) + scaled(q, visits, settings.q_scale), -np.inf)
    policy = np.exp(score - score.max(1, keepdims=True))
    policy /= policy.sum(1, keepdims=True)
    most = usable & (visits == np.where(usable, visits, -1).max(1, keepdims=True))
    played = np.where(most, score + noise, -np.inf).argmax(1)
    return Found(played, policy, by_player((policy * q).sum(1), players))


def schedule(considered: int, simulations: int) -> NDArray[np.int64]:
    """Sequential halving: ``[considered + 1, simulations]``.

    In row k, for k actions to begin with: how many visits the action to visit next has had. All have one visit after another,
    then the better half of them, and so on down to two.

    >>> schedule(4, 8)[4].tolist()
    [0, 0, 0, 0, 1, 1, 2, 2]
    """
    rows = [list(range(simulations))]  # no action, which is no running game
    for most in range(1, considered + 1):
        row: list[int] = []
        left, rounds, visits = most, max(1, int(np.ceil(np.log2(most)))), 0
        while len(row) < simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                row += [visits] * left
                visits += 1
            left = min(left, max(2, left // 2))
        rows.append(row[:simulations])
    return np.array(rows)


def logits_of(priors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms, none below that of 1e-6."""
    return np.log(np.maximum(priors, 1e-6))


def scaled(q: NDArray[np.float64], visits: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """Values of actions, ``[B, A]``, in the scale of logits: the more has been looked at, the more they count."""
    return (50 + visits.max(1, keepdims=True)) * scale * q


def completed(
    q: NDArray[np.float64], visits: NDArray[np.int64], priors: NDArray[np.float64], guess: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values of actions, ``[B, A]``, those not visited being worth a mixture of the network's guess and the others."""
    weights = np.where(visits > 0, np.maximum(priors, 1e-6), 0.0)
    total, count = weights.sum(1), visits.sum(1)
    others = (weights * q).sum(1) / np.where(total > 0, total, 1)
    mixed = (guess + count * others) / (1 + count)
    return np.where(visits > 0, q, mixed[:, None])


# ------------------------------------------------------------------------------------------------------------ self-play


class Samples(NamedTuple):
    """What the network learns from: K positions, seen by the player to act."""

    observations: NDArray[np.int8]
    """``[K, P, R, C]``"""
    masks: NDArray[np.int8]
    """``[K, A]``"""
    policies: NDArray[np.float16]
    """``[K, A]``"""
    values: NDArray[np.float32]
    """``[K]``, for the player to act."""


class Ply(NamedTuple):
    """One action in every game."""

    states: Any
    found: Found
    results: NDArray[np.float32]
    """``[B, 2]``: rewards by player, of games that ended with it."""
    ended: NDArray[np.bool_]
    cut: NDArray[np.bool_]
    """``[B]``: given up after it."""


class SelfPlay:
    """Games that go on and on: where one ends, another begins."""

    def __init__(self, game: Game[Any], judge: Judge, settings: Settings, rng: np.random.Generator) -> None:
        self.judge = judge
        self._game, self._settings, self._rng = game, settings, rng
        self._states = self._begin(settings.parallel)
        self._ages = np.zeros(settings.parallel, np.int64)

    def play(self) -> Samples:
        """``plies`` actions in every game, and what is to be learnt from them."""
        record = [self._ply() for _ in range(self._settings.plies)]
        values = np.stack([ply.found.values for ply in record])
        ended, cut = np.stack([ply.ended for ply in record]), np.stack([ply.cut for ply in record])
        results, settings = np.stack([ply.results for ply in record]), self._settings
        targets = returns(values, results, ended, cut, settings.fading, settings.discount)
        parts: list[Samples] = []
        for ply, target in zip(record, targets, strict=True):
            players = self._game.current_player(ply.states)
            value = target[np.arange(len(target)), players].astype(np.float32)
            for _ in range(settings.images):
                seen = images(self._game, ply.states, ply.found.policy, settings.mirror, self._rng)
                parts.append(Samples(*seen, value))
        return Samples(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _ply(self) -> Ply:
        game, settings, states = self._game, self._settings, self._states
        found = search(game, states, self.judge, settings, self._rng)
        after = game.step(states, found.actions)
        self._ages += 1
        ended = game.is_terminal(after)
        cut = ~ended & (self._ages >= settings.length)
        anew = np.flatnonzero(ended | cut)
        ply = Ply(states, found, game.rewards(after), ended, cut)
        if len(anew):
            after = game.put(after, anew, self._begin(len(anew)))
            self._ages[anew] = 0
        self._states = after
        return ply

    def _begin(self, count: int) -> Any:
        settings = self._settings
        plies = self._rng.integers(0, settings.openings, (settings.draws, count), endpoint=True).max(0)
        return openings(self._game, plies, self._rng)


def openings(game: Game[Any], plies: NDArray[np.int64], rng: np.random.Generator) -> Any:
    """A start after each of these numbers of uniformly random actions, ``[B]``; an action that ends the game is taken back."""
    states = game.init(len(plies), rng)
    for ply in range(int(plies.max(initial=0))):
        after = game.step(states, game.sample(states, rng))
        states = game.where((ply < plies) & ~game.is_terminal(after), after, states)
    return states


def returns(
    values: NDArray[np.float64],
    results: NDArray[np.float32],
    ended: NDArray[np.bool_],
    cut: NDArray[np.bool_],
    fading: float,
    discount: float,
) -> NDArray[np.float64]:
    """What positions turned out to be worth: ``[T, B, 2]``, by player, from T plies of B games.

    values: what the searches said, ``[T, B, 2]``.
    results: of the games that ``ended`` with a ply, ``[T, B, 2]``; after those ``cut``, and after the last ply, nothing is known.
    """
    targets = np.empty_like(values)
    later = values[-1]
    for t in reversed(range(len(values))):
        later = np.where(ended[t, :, None], results[t], np.where(cut[t, :, None], values[t], later))
        targets[t] = later = discount * ((1 - fading) * values[t] + fading * later)
    return targets


def images(
    game: Game[Any], states: Any, policy: NDArray[np.float64], mirror: bool, rng: np.random.Generator
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float16]]:
    """Observations, masks and policies of a random image of each state, with ``mirror`` of one in which player_0 acts."""
    players = game.current_player(states)
    fits = np.stack([np.broadcast_to(symmetry.applies(states), players.shape) for symmetry in game.symmetries], 1)
    if mirror:
        fits = fits & (np.array([symmetry.exchanges for symmetry in game.symmetries]) == (players == 1)[:, None])
        if not fits.any(1).all():
            raise ValueError(f"mirror: in some positions of {game.name} no symmetry exchanges the players")
    drawn = one_of_each(fits, rng)
    observations, masks, policies = game.observe(states), game.action_mask(states), policy.astype(np.float16)
    for i in np.unique(drawn):
        rows, symmetry = np.flatnonzero(drawn == i), game.symmetries[i]
        some = game.take(states, rows)
        observations[rows] = symmetry.observation(observations[rows])
        masks[rows], policies[rows] = symmetry.mask(masks[rows], some), symmetry.policy(policies[rows], some)
    return observations, masks, policies


# ------------------------------------------------------------------------------------------------------------- learning


class Memory:
    """The latest samples."""

    def __init__(self, size: int) -> None:
        self._size, self._next, self.count = size, 0, 0
        self._kept: list[NDArray[Any]] = []

    def add(self, samples: Samples) -> None:
        """Puts samples in the place of the oldest."""
        latest: list[NDArray[Any]] = [part[-self._size :] for part in samples]
        if not self._kept:
            self._kept = [np.zeros((self._size, *part.shape[1:]), part.dtype) for part in latest]
        places = np.arange(self._next, self._next + len(latest[0])) % self._size
        for kept, part in zip(self._kept, latest, strict=True):
            kept[places] = part
        self._next = (self._next + len(places)) % self._size
        self.count = min(self.count + len(places), self._size)

    def draw(self, count: int, rng: np.random.Generator) -> list[Tensor]:
        """Samples drawn uniformly, as tensors."""
        rows = rng.integers(0, self.count, count)
        return [torch.from_numpy(part[rows]) for part in self._kept]


def learn(network: Network, optimizer: torch.optim.Optimizer, memory: Memory, steps: int, size: int, rng: Any) -> list[float]:
    """So many steps of gradient descent; the mean losses: how far the policy is from the searches', and the value's loss."""
    losses = np.zeros(2)
    for _ in range(steps):
        observations, masks, policies, values = memory.draw(size, rng)
        logits, wins = network(observations)
        targets = policies.float()
        likelihoods = masked(logits, masks).log_softmax(1)
        policy_loss = functional.kl_div(likelihoods, targets, reduction="batchmean")
        value_loss = functional.binary_cross_entropy_with_logits(wins, (values + 1) / 2)
        optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        optimizer.step()
        losses += policy_loss.item(), value_loss.item()
    return list(losses / max(steps, 1))


def train(args: argparse.Namespace) -> Path:
    """Trains a network and returns its folder."""
    settings = settings_of(args)
    game, judge = begin(args, settings)
    network, memory, rng = judge.network, Memory(settings.memory), np.random.default_rng([args.seed, 1])
    optimizer = torch.optim.AdamW(network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay)
    folder = args.out or Path("runs") / f"alphazero-{args.game}-{args.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    two = args.processes == 2
    with ProcessPoolExecutor(1, get_context("spawn"), begin_beside, (args, settings)) if two else AtOnce() as player:
        watch = Watch(args, game, settings, judge, folder)
        coming = player.submit(play, weights_of(network))
        owed = 0.0  # samples that are still to be drawn
        while not watch.over:
            samples, seconds = coming.result()
            coming = player.submit(play, weights_of(network))
            memory.add(samples)
            for group in optimizer.param_groups:
                group["lr"] = settings.learning_rate * (1 - watch.share * (1 - settings.final_rate))
            owed += settings.reuse * len(samples.values)
            steps, owed = int(owed // settings.batch_size), owed % settings.batch_size
            losses = learn(network, optimizer, memory, steps, settings.batch_size, rng)
            watch.note(len(samples.values) // settings.images, losses, seconds if two else 0.0)
        watch.close()
    return folder


_games: list[SelfPlay] = []
"""Those of this process."""


def begin(args: argparse.Namespace, settings: Settings) -> tuple[Game[Any], Judge]:
    """Starts the games of this process, and the network that plays them."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    game = game_of(args.game)
    if args.backend == "numba":
        from abstract_envs.compiled import compiled  # an extra of its own

        game = compiled(game)
    judge = Judge(Network(game, settings.width, settings.depth, settings.tuples), settings.mirror)
    _games[:] = [SelfPlay(game, judge, settings, np.random.default_rng(args.seed))]
    return game, judge


def begin_beside(args: argparse.Namespace, settings: Settings) -> None:
    """`begin` in a process of its own, which ends when the one that started it does, however that comes about."""
    parent = parent_process()
    assert parent is not None
    Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
    begin(args, settings)


def play(weights: dict[str, NDArray[Any]]) -> tuple[Samples, float]:
    """Some plies of this process's games, played by a network of these weights; and the CPU seconds that they took."""
    start = time.process_time()
    _games[0].judge.network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return _games[0].play(), time.process_time() - start


def weights_of(network: Network) -> dict[str, NDArray[Any]]:
    """A copy of them, as arrays."""
    return {name: tensor.numpy().copy() for name, tensor in network.state_dict().items()}


class AtOnce(Executor):
    """Calls functions in this process, where they are handed in."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The result, when it is there."""
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


class Clock:
    """How long a training has taken.

    On a machine with other work to do, the time on the wall says little. With ``cpu`` each round of playing and learning counts
    as the CPU time of the busier process: what it would take on cores that are idle, a process each.
    """

    def __init__(self, cpu: bool) -> None:
        self._by_cpu, self._rounds = cpu, 0.0
        self._start, self._first = time.perf_counter(), time.process_time()
        self._here = self._first
        self._others = 0.0

    def tick(self, elsewhere: float) -> None:
        """A round is over, in which another process was at work for so many CPU seconds."""
        now = time.process_time()
        self._rounds += max(now - self._here, elsewhere)
        self._here, self._others = now, self._others + elsewhere

    @property
    def minutes(self) -> float:
        """By the clock that was asked for; of CPU time, up to the last `tick`."""
        return self._rounds / 60 if self._by_cpu else self.wall

    @property
    def wall(self) -> float:
        """Minutes on the wall."""
        return (time.perf_counter() - self._start) / 60

    @property
    def cpu(self) -> float:
        """CPU minutes of all processes together."""
        return (time.process_time() - self._first + self._others) / 60


class Watch:
    """Progress bar, the figures from time to time, and the files."""

    GAMES = 200  # of an evaluation in between, both seats together
    POSITIONS = 2_000
    POINTS = 20  # evaluations

    def __init__(self, args: argparse.Namespace, game: Game[Any], settings: Settings, judge: Judge, folder: Path) -> None:
        self._args, self._game, self._settings, self._judge, self._folder = args, game, settings, judge, folder
        self._states = None
        if game.positions() is not None:
            self._states = states_with_regret(game, self.POSITIONS, np.random.default_rng(args.seed))
        self._rows: list[dict[str, float]] = []
        self._positions = 0
        self._bar = tqdm(total=args.minutes, bar_format="{percentage:3.0f}% of {total} minutes |{bar}| {postfix}")
        self._clock = Clock(args.clock == "cpu")
        self._look([0.0, 0.0])

    @property
    def over(self) -> bool:
        """Whether it is time to stop, something having been learnt."""
        return self.share == 1 and self._positions > 0

    @property
    def share(self) -> float:
        """Of the time that is over, 1 at the end."""
        return min(1.0, self._clock.minutes / self._args.minutes)

    def note(self, positions: int, losses: list[float], elsewhere: float) -> None:
        """So many positions more have been searched, with so many CPU seconds of another process."""
        self._positions += positions
        self._clock.tick(elsewhere)
        self._bar.n = min(self._clock.minutes, self._args.minutes)
        self._bar.refresh()
        if self.share >= len(self._rows) / self.POINTS:
            self._look(losses)

    def _look(self, losses: list[float]) -> None:
        """Adds a row to the curve, and writes all files."""
        args, rng = self._args, np.random.default_rng(self._args.seed)
        clock = self._clock
        row = {"minutes": clock.minutes, "wall_minutes": clock.wall, "cpu_minutes": clock.cpu}
        row = {name: round(value, 2) for name, value in row.items()} | {"positions": self._positions}
        row |= dict(zip(("policy_loss", "value_loss"), np.round(losses, 4).tolist(), strict=True))
        agent = PolicyAgent(self._judge)
        seats = evaluate(self._game, agent, args.opponent, self.GAMES, rng).seats
        row |= {f"player_{i}": round(seat.score, 4) for i, seat in enumerate(seats)}
        if self._states is not None:
            row["keeps_value"] = round(keeps_value(self._game, agent, self._states, rng), 4)
        self._rows.append(row)
        self._bar.set_postfix_str(", ".join(f"{name} {row[name]}" for name in list(row)[1:]))
        run = {"game": args.game, "seed": args.seed, "clock": args.clock}
        run |= {name: row[name] for name in ("minutes", "wall_minutes", "cpu_minutes", "positions")}
        run |= {"processes": args.processes, "threads": args.threads, "backend": args.backend, "settings": asdict(self._settings)}
        (self._folder / "run.json").write_text(json.dumps(run, indent=2) + "\n")
        torch.save(self._judge.network.state_dict(), self._folder / "network.pt")
        with open(self._folder / "progress.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, row)
            writer.writeheader()
            writer.writerows(self._rows)
        draw(self._rows, f"{args.game}, the policy without search, seed {args.seed}", args.opponent, self._folder / "curve.png")

    def close(self) -> None:
        """Looks a last time."""
        if self._rows[-1]["positions"] < self._positions:
            self._look([self._rows[-1]["policy_loss"], self._rows[-1]["value_loss"]])
        self._bar.close()


def draw(rows: list[dict[str, float]], title: str, opponent: str, path: Path) -> None:
    """The learning curve as a picture."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    labels = {f"player_{i}": f"score against {opponent} as player_{i}" for i in (0, 1)}
    labels["keeps_value"] = "moves that keep the value"
    for name, label in labels.items():
        if name in rows[0]:
            axes.plot([row["minutes"] for row in rows], [row[name] for row in rows], label=label)
    axes.set(title=title, xlabel="minutes of training", ylabel="share", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)


# -------------------------------------------------------------------------------------------------------------- judging


def load(folder: Path) -> tuple[Game[Any], Judge, dict[str, Any]]:
    """The game, the network and the run of a folder."""
    run = json.loads((folder / "run.json").read_text())
    game = game_of(run["game"])
    settings = Settings(**run["settings"])  # with the default of one that is younger than the run
    network = Network(game, settings.width, settings.depth, settings.tuples)
    network.load_state_dict(torch.load(folder / "network.pt", weights_only=True))
    return game, Judge(network, settings.mirror), run


OPENING = 4
"""Random actions before a game between two policies, the same ones once with each seat."""


def report(args: argparse.Namespace, folder: Path) -> bool:
    """Loads a network and prints how well its policy plays; whether the last figure is good enough."""
    game, judge, run = load(folder)
    agent, rng = PolicyAgent(judge), np.random.default_rng(1_000_000 + run["seed"])  # other games than the curve's
    print(f"{folder}: {run['game']}, seed {run['seed']}, {run['minutes']} minutes, {run['positions']:,} positions searched")
    opponents: dict[str, AgentLike] = {args.opponent: args.opponent}
    if game.positions() is not None:
        opponents["perfect"] = "perfect"
    figure = 0.0
    for name, opponent in opponents.items():
        figure = print_match(name, evaluate(game, agent, opponent, 2 * args.games, rng))
    other = other_policy(args.against, game)
    if other is not None:
        # neither draws anything at random, so every pair of games begins elsewhere
        starts = game.take(openings(game, np.full(args.games, OPENING), rng), np.arange(2 * args.games) // 2)
        figure = print_match(
            f"{args.against}, after {OPENING} random actions", evaluate(game, agent, other, 2 * args.games, rng, starts=starts)
        )
    if game.positions() is not None:
        figure = print_regret(game, agent, args.positions, rng)
    return figure >= args.at_least


def print_match(opponent: str, result: Evaluation) -> float:
    """The score in each seat; the lower end of the interval over both."""
    print(f"against {opponent}, {result.seats[0].games:,} games a seat:")
    for player, seat in enumerate(result.seats):
        low, high = seat.interval
        print(f"  as player_{player}: score {seat.score:.3f}, 95 % interval {low:.3f} to {high:.3f} ", end="")
        print(f"({seat.wins} won, {seat.draws} drawn, {seat.losses} lost)")
    low, high = result.interval
    print(f"  over both seats: score {result.score:.3f}, 95 % interval {low:.3f} to {high:.3f}")
    return low


def print_regret(game: Game[Any], agent: AgentLike, positions: int, rng: np.random.Generator) -> float:
    """How the moves do in positions where some move has regret; the share of those that keep the value."""
    states = states_with_regret(game, positions, rng)
    print(f"in {positions:,} positions drawn uniformly from those where some move has regret:")
    figures = {}
    for name, player in (("this policy", agent), ("random play", "random")):
        kept, regret = keeps_value(game, player, states, rng), mean_regret(game, player, states, rng)
        print(f"  {name} keeps the value in {kept:.1%}, mean regret {regret:.3f}")
        figures[name] = kept
    return figures["this policy"]


def main() -> int:
    args = arguments()
    torch.set_num_threads(args.threads)
    return 0 if report(args, args.evaluate or train(args)) else 1


if __name__ == "__main__":
    sys.exit(main())
