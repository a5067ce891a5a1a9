"""Agents that play what a trained network says, one pass an action: `NetworkAgent`, and those that are shipped, `PPOAgent`."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.network import Network
from abstract_envs.core.game import Game
from abstract_envs.core.options import flag, real_number
from abstract_envs.core.view import act_by_view

__all__ = ["NetworkAgent", "PPOAgent", "Policy"]

FOLDER = Path(__file__).parent / "policies"
"""The policies shipped, one file a game."""

HOTTEST = 1e6
"""The highest temperature: far above what makes play uniform, and far below what float32 cannot hold."""

SMALLEST, LARGEST = np.finfo(np.float32).tiny, np.finfo(np.float32).max


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class Policy:
    """The weights of a trained policy, and what they are for."""

    game: str
    options: dict[str, Any]
    mirror: bool
    """As in training, see `abstract_envs.core.view.View`."""
    command: str
    """What made it."""
    weights: Mapping[str, NDArray[Any]]
    """See `Network`."""

    def save(self, path: str | Path) -> None:
        """Writes a file of exactly this name, which `load` reads, weights as ``float16``; ValueError for one out of its range."""
        about = {"game": self.game, "options": self.options, "mirror": self.mirror, "command": self.command}
        largest = float(np.finfo(np.float16).max)
        if large := [name for name, array in self.weights.items() if not np.less_equal(np.abs(array), largest).all()]:
            raise ValueError(f"{', '.join(large)} cannot be kept as float16: weights are from -{largest} to {largest}")
        arrays: dict[str, Any] = {name: array.astype(np.float16) for name, array in self.weights.items()}
        with open(path, "wb") as file:  # NumPy would add an ending to a name that lacks it
            np.savez_compressed(file, about=np.array(json.dumps(about)), **arrays)

    @staticmethod
    def load(path: str | Path) -> Policy:
        """Reads a file. Nothing in it is run. ValueError, which names the file and what is wrong with it, if it holds no policy.

        That the weights fit the game is seen by `agent`.
        """
        with open(path, "rb") as file:
            try:
                return _read(file)
            except _UNREADABLE as error:
                raise ValueError(f"{path} holds no policy: {error}") from error

    def agent(self, game: Game[Any], temperature: float = 0.0) -> NetworkAgent:
        """Who plays it, see `NetworkAgent`. ValueError for another game than it was trained for, or for other options."""
        if game.name != self.game:
            raise ValueError(f"this policy plays {self.game}, not {game.name}")
        # as JSON has them, for which a tuple is a list
        trained, played = (json.loads(json.dumps(options)) for options in (self.options, game.options))
        if trained != played:
            wrong = [name for name in played if name not in trained or trained[name] != played[name]] or list(played)
            raise ValueError(
                f"the policy for {self.game} was trained with {_listed(self.options, self.options)}; "
                f"it does not play with {_listed(game.options, wrong)}"
            )
        return NetworkAgent(Network(game, self.weights), self.mirror, temperature)


def _listed(options: dict[str, Any], names: Iterable[str]) -> str:
    return ", ".join(f"{name}={options[name]!r}" for name in names) or "no options"


_ABOUT = {"game": str, "options": dict, "mirror": bool, "command": str}
"""What a file says of its policy, as JSON."""

_UNREADABLE = (ValueError, KeyError, EOFError, OSError, NotImplementedError, MemoryError, zipfile.BadZipFile, zlib.error)
"""What NumPy and zipfile raise in damaged files."""


def _read(file: IO[bytes]) -> Policy:
    if not zipfile.is_zipfile(file):
        raise ValueError("it is no .npz file, or not all of one")
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        if "about" not in arrays.files:
            raise ValueError("it has no entry `about`")
        about = json.loads(str(arrays["about"]))
        weights = {name: arrays[name] for name in arrays.files if name != "about"}
    fits = isinstance(about, dict) and about.keys() == _ABOUT.keys()
    if not fits or not all(isinstance(about[name], kind) for name, kind in _ABOUT.items()):
        kinds = ", ".join(f"{name} ({kind.__name__})" for name, kind in _ABOUT.items())
        raise ValueError(f"its entry `about` is not an object with {kinds}")
    return Policy(**about, weights=weights)


class NetworkAgent:
    """Plays by a network.

    mirror: as it was trained.
    temperature: 0: the likeliest action. 1: actions drawn as likely as the network says; less and more: sharper and blunter.
        From 0 to a million, ValueError otherwise.
    """

    def __init__(self, network: Network, mirror: bool = False, temperature: float = 0.0) -> None:
        self._network, self._mirror = network, flag("mirror", mirror)
        self._temperature = real_number("temperature", temperature, 0, HOTTEST)

    def check(self, game: Game[Any]) -> None:
        """ValueError for another game than the network was made for."""
        self._network.check(game)

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of a batch of states: ``int64[B]``."""
        return act_by_view(
            game, states, self._mirror, lambda seen, mask: _sample(self._network.logits(seen), mask, self._temperature, rng)
        )


def _sample(
    logits: NDArray[np.float32], mask: NDArray[np.int8], temperature: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """A legal action a row, ``int64[B]``: the likeliest, or with a temperature one drawn by softmax(logits / temperature)."""
    if temperature:
        # with such noise (Gumbel's) the largest is distributed as softmax of the logits is; draws may be exactly 0
        noise = np.log(np.maximum(rng.standard_exponential(logits.shape, np.float32), SMALLEST))
        logits = logits - np.float32(temperature) * noise
    # whatever a network gives, a legal action stays above those that are not
    return np.where(mask, np.maximum(logits, -LARGEST), -np.inf).argmax(1)


class PPOAgent:
    """The policies that come with the library, trained by self-play with MaskablePPO: one for each game, at its usual options.

    temperature: as for `NetworkAgent`.
    """

    def __init__(self, temperature: float = 0.0) -> None:
        self._temperature = real_number("temperature", temperature, 0, HOTTEST)

    def check(self, game: Game[Any]) -> None:
        """ValueError for a game without a policy, or with other options than it was trained for."""
        _shipped(game, self._temperature)

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of a batch of states: ``int64[B]``."""
        return _shipped(game, self._temperature).act(game, states, rng)


@lru_cache(64)
def _shipped(game: Game[Any], temperature: float) -> NetworkAgent:
    path = FOLDER / f"{game.name}.npz"
    if not path.exists():
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.npz")))
        raise ValueError(f"no policy for {game.name} comes with the library; there are some for {known}")
    return Policy.load(path).agent(game, temperature)
