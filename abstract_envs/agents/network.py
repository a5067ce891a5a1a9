"""Policy networks in NumPy: what `abstract_envs.envs.sb3_policy` trains, played without torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.game import Game

__all__ = ["Heads", "Network", "find_heads", "heads_of"]

Floats = NDArray[np.float32]

CHUNK = 32
"""Games of a pass: what a convolution reads stays in the cache then."""


class Heads(NamedTuple):
    """How an action space lies on a board: ``planes`` actions a cell, cell by cell, and after them others."""

    planes: int
    others: int
    """Actions that belong to no cell, and not ``pairs`` either."""
    pairs: int
    """Actions on two cells: all unordered pairs, lower cell first, in lexicographic order."""


def find_heads(sizes: tuple[int, ...], cells: int) -> Heads | None:
    """The heads for an action layout on a board of so many cells; None where a convolution would not fit.

    >>> find_heads((49,) * 7 + (1,), 49)
    Heads(planes=7, others=1, pairs=0)
    """
    planes = 0
    while planes < len(sizes) and sizes[planes] == cells:
        planes += 1
    rest, pairs = sum(sizes[planes:]), cells * (cells - 1) // 2
    if rest == pairs:
        return Heads(planes, 0, pairs) if planes else None
    return Heads(planes, rest, 0) if planes and rest < cells else None


def heads_of(game: Game[Any]) -> Heads | None:
    """The heads of a game; None where the actions do not lie on its board, or that is no wider than a line."""
    return find_heads(game.action_layout.sizes, len(game.board)) if min(game.board.shape) > 1 else None


class Network:
    """Logits from observations, by the weights of a trained policy.

    weights: by name, of any float type, each ``<layer>.weight`` with a ``<layer>.bias`` ``[out]``. With convolutions
        ``conv0``, ``conv1``, ...: ``[k, k, in, out]``, and of the heads ``planes``, ``others`` and ``pairs`` those that the
        game has: ``[in, out]``. Without: ``dense0``, ``dense1``, ...: ``[in, out]``, the last one giving the logits.
        ValueError that names what does not fit the game, is missing, or is not used.
    """

    def __init__(self, game: Game[Any], weights: Mapping[str, NDArray[Any]]) -> None:
        self._layers = _Reader(game, weights).layers()
        self._plays = _shape_of(game)
        self._scale = (1 / np.array(game.plane_bounds)).astype(np.float32)
        self._num_actions = game.num_actions
        self._places = np.array(game.board.places)
        self._low, self._high = np.triu_indices(len(game.board), 1)

    def check(self, game: Game[Any]) -> None:
        """ValueError for another game than it was made for, or one whose board, planes or actions are others."""
        if _shape_of(game) != self._plays:
            name = self._plays[0]
            raise ValueError(f"this network plays {name}, {'with other options' if game.name == name else f'not {game.name}'}")

    def logits(self, observations: NDArray[np.int8]) -> Floats:
        """``[B, P, R, C]`` -> ``float32[B, A]``."""
        logits = np.empty((len(observations), self._num_actions), np.float32)
        for start in range(0, len(observations), CHUNK):
            chunk = slice(start, start + CHUNK)
            planes = observations[chunk].astype(np.float32) * self._scale[:, None, None]
            logits[chunk] = self._on_board(planes) if "conv0" in self._layers else self._dense(planes)
        return logits

    def _dense(self, planes: Floats) -> Floats:
        x = planes.reshape(len(planes), -1)
        for number in range(len(self._layers)):
            x = self._by("dense", number, x)
        return x

    def _by(self, kind: str, number: int, x: Floats) -> Floats:
        """A layer; all but the last are followed by a ReLU."""
        weight, bias = self._layers[f"{kind}{number}"]
        x = x @ weight + bias
        return np.maximum(x, 0) if f"{kind}{number + 1}" in self._layers else x

    def _on_board(self, planes: Floats) -> Floats:
        x = planes.transpose(0, 2, 3, 1)
        count, number = len(x), 0
        while (layer := self._layers.get(f"conv{number}")) is not None:
            x, number = np.maximum(_convolve(x, *layer), 0), number + 1
        cells = x.reshape(count, -1, x.shape[-1]).take(self._places, axis=1)
        logits = [self._head("planes", cells).transpose(0, 2, 1).reshape(count, -1)]
        if "others" in self._layers:
            logits.append(self._head("others", x.mean((1, 2))))
        if "pairs" in self._layers:
            one = self._head("pairs", cells)[:, :, 0]
            logits.append(one.take(self._low, axis=1) + one.take(self._high, axis=1))
        return np.concatenate(logits, axis=1)

    def _head(self, name: str, x: Floats) -> Floats:
        weight, bias = self._layers[name]
        return x @ weight + bias


def _shape_of(game: Game[Any]) -> tuple[Any, ...]:
    """What a network must have been made for."""
    return game.name, game.observation_shape, tuple(game.plane_bounds), game.num_actions


class _Reader:
    """Reads the layers of a network for a game, and refuses weights that do not make one."""

    def __init__(self, game: Game[Any], weights: Mapping[str, NDArray[Any]]) -> None:
        self._game, self._weights = game, weights
        self._layers: dict[str, tuple[Floats, Floats]] = {}

    def layers(self) -> dict[str, tuple[Floats, Floats]]:
        """By name, the weight and the bias."""
        planes, *size = self._game.observation_shape
        if "conv0.weight" in self._weights:
            self._on_board(planes)
        else:
            self._dense(planes * int(np.prod(size)))
        used = {f"{layer}.{part}" for layer in self._layers for part in ("weight", "bias")}
        if unused := sorted(set(self._weights) - used):
            raise ValueError(f"the weights {', '.join(unused)} are of no layer: the layers are {', '.join(self._layers)}")
        return self._layers

    def _on_board(self, width: int) -> None:
        heads = heads_of(self._game)
        if heads is None:
            raise ValueError(f"a network with convolutions does not play {self._game.name}: its actions do not lie on the board")
        for layer in self._numbered("conv"):
            size = np.shape(self._weights[f"{layer}.weight"])[:1]
            if size and size[0] % 2 == 0:
                raise ValueError(f"{layer}.weight is {size[0]} cells wide; that is an odd number")
            width = self._read(layer, *size, *size, width)
        self._read("planes", width, out=heads.planes)
        if heads.others:
            self._read("others", width, out=heads.others)
        if heads.pairs:
            self._read("pairs", width, out=1)

    def _dense(self, width: int) -> None:
        *hidden, last = self._numbered("dense")
        for layer in hidden:
            width = self._read(layer, width)
        self._read(last, width, out=self._game.num_actions)

    def _numbered(self, kind: str) -> list[str]:
        count = 1
        while f"{kind}{count}.weight" in self._weights:
            count += 1
        return [f"{kind}{number}" for number in range(count)]

    def _read(self, layer: str, *before: int, out: int | None = None) -> int:
        """Takes a layer in and returns how much it gives; before: the shape of its weight but for that."""
        weight = self._array(f"{layer}.weight")
        last = weight.shape[-1] if out is None and weight.ndim else out or 0
        if weight.shape != (*before, last):
            shape = ", ".join([*map(str, before), "any number" if out is None else str(out)])
            raise ValueError(f"{layer}.weight is of shape {weight.shape}; for {self._game.name} it is ({shape}) here")
        bias = self._array(f"{layer}.bias")
        if bias.shape != (last,):
            raise ValueError(f"{layer}.bias is of shape {bias.shape}; with its weight it is {(last,)}")
        self._layers[layer] = weight, bias
        return last

    def _array(self, name: str) -> Floats:
        if name not in self._weights:
            raise ValueError(f"the weights have no {name}; there are {', '.join(self._weights) or 'none'}")
        array = np.asarray(self._weights[name])
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ValueError(f"{name} holds {array.dtype}; weights are finite floating-point numbers")
        return array.astype(np.float32)


def _convolve(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """``[B, R, C, in]``, zeros around it -> ``[B, R, C, out]``: one product of all neighbourhoods and the weights."""
    size, _, planes, out = weight.shape
    count, rows, columns, _ = x.shape
    edge = size // 2
    padded = np.zeros((count, rows + 2 * edge, columns + 2 * edge, planes), np.float32)
    padded[:, edge : edge + rows, edge : edge + columns] = x
    game, row, column, plane = padded.strides
    # what lies side by side in a row of a neighbourhood does so in memory too
    near = np.lib.stride_tricks.as_strided(
        padded, (count, rows, columns, size, size * planes), (game, row, column, row, plane), writeable=False
    )
    product = near.reshape(-1, size * size * planes) @ weight.reshape(-1, out) + bias
    return product.reshape(count, rows, columns, out)
