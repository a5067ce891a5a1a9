"""A MaskablePPO policy for these games: subclasses of sb3-contrib's, nothing patched. Needs the extra `train`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.options import extra, real_number, whole_number

try:
    import torch
    from gymnasium import spaces
    from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
    from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution, MaybeMasks
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.buffers import RolloutBuffer
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.type_aliases import Schedule
    from torch import Tensor, nn
except ImportError as error:
    raise ImportError(f"abstract_envs.envs.sb3_policy needs {extra('train')}") from error

from abstract_envs.agents.network import Heads, heads_of
from abstract_envs.core.game import Game, check_game

__all__ = ["BoardPolicy", "BoolMaskBuffer", "MaskedCategorical", "check_sizes", "heads_for"]


class BoardPolicy(MaskableActorCriticPolicy):
    """Two small networks to choose from, by what fits the game.

    "conv": convolutions over the board that policy and value share; a 1x1 convolution gives the logits of the actions
    that a cell has, plane by plane. "mlp": two layers for the policy and two for the value.

    game: the rules, for the board and the action layout.
    network: "conv", "mlp" or None: "conv" where the actions lie on the board (`heads_of`) and it is wider than a line.
    channels, kernels: of the convolutions, one after the other.
    hidden: width of the layers of the MLP.
    pair_bias: what the logits of actions on two cells start with, from -100 to 100.
    ValueError for "conv" where it does not fit, sizes that no network has, and spaces that are not those of the game.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        game: Game[Any],
        network: str | None = None,
        channels: int = 16,
        kernels: tuple[int, ...] = (3, 3),
        hidden: int = 128,
        pair_bias: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self._own = {
            "game": game,
            "network": network,
            "channels": channels,
            "kernels": kernels,
            "hidden": hidden,
            "pair_bias": pair_bias,
        }
        _check_spaces(game, observation_space, action_space)
        check_sizes(channels, kernels, hidden, pair_bias)
        self._heads = heads_for(game, network)
        if self._heads is None:
            kwargs |= {"features_extractor_class": ScaledPlanes, "net_arch": {"pi": [hidden, hidden], "vf": [hidden, hidden]}}
        else:
            trunk = {"channels": channels, "kernels": tuple(kernels)}
            kwargs |= {"features_extractor_class": BoardTrunk, "features_extractor_kwargs": trunk, "net_arch": []}
        super().__init__(observation_space, action_space, lr_schedule, activation_fn=nn.ReLU, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        self.action_dist = MaskedCategorical(int(self.action_space.n))  # type: ignore[attr-defined]
        super()._build(lr_schedule)
        if self._heads is None:
            return
        # in place of the dense layers that SB3 puts on the features; started as SB3 starts its own
        game, channels = self._own["game"], self._own["channels"]
        self.action_net = ActionHead(self._heads, channels, game.board.shape, game.board.places)
        self.value_net = ValueHead(channels, game.board.shape)
        self.action_net.apply(partial(self.init_weights, gain=0.01))
        self.value_net.apply(partial(self.init_weights, gain=1.0))
        if self._heads.pairs:
            nn.init.constant_(self.action_net.pairs.bias, self._own["pair_bias"])  # type: ignore[arg-type]
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # a pass takes two thirds of the time; see `BoardTrunk`
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Those that give the logits, as `abstract_envs.agents.network.Network` takes them. Fresh arrays."""
        layers: dict[str, Any]
        if self._heads is None:
            dense = [layer for layer in self.mlp_extractor.policy_net if isinstance(layer, nn.Linear)]
            layers = {f"dense{i}": layer for i, layer in enumerate([*dense, self.action_net])}
        else:
            convolutions = [layer for layer in self.features_extractor.layers if isinstance(layer, nn.Conv2d)]  # type: ignore[union-attr]
            heads = {name: head for name in self._heads._fields if (head := getattr(self.action_net, name)) is not None}
            layers = {f"conv{i}": layer for i, layer in enumerate(convolutions)} | heads
        found: dict[str, NDArray[np.float32]] = {}
        for name, layer in layers.items():
            weight = layer.weight.detach().cpu().numpy()  # [out, in] or [out, in, k, k]
            found[f"{name}.weight"] = _in_out(weight, name.startswith("conv"))
            found[f"{name}.bias"] = layer.bias.detach().cpu().numpy().copy()
        return found

    def _get_constructor_parameters(self) -> dict[str, Any]:
        ours = {"features_extractor_class", "features_extractor_kwargs", "net_arch", "activation_fn"}
        return {k: v for k, v in super()._get_constructor_parameters().items() if k not in ours} | self._own


def check_sizes(channels: int, kernels: Sequence[int], hidden: int, pair_bias: float) -> None:
    """ValueError for sizes of which `BoardPolicy` makes no network."""
    whole_number("channels", channels, 1)
    whole_number("hidden", hidden, 1)
    real_number("pair_bias", pair_bias, -100, 100)  # in float32, e**-100 is almost nothing, and what is masked is far below
    odd = isinstance(kernels, Sequence) and bool(kernels) and not isinstance(kernels, str)  # pyright: ignore[reportUnnecessaryIsInstance]
    # an even one would make the board grow
    if not odd or any(whole_number("a size in kernels", kernel, 1) % 2 == 0 for kernel in kernels):
        raise ValueError(f"kernels is {kernels!r}; it is one odd size or more, such as (3, 3)")


def heads_for(game: Game[Any], network: str | None) -> Heads | None:
    """Those of a convolutional network, None of an MLP; ValueError for a ``network`` that the game cannot have."""
    heads = heads_of(game)
    if network not in (None, "conv", "mlp") or (network == "conv" and heads is None):
        fits = "'conv', 'mlp' or None" if heads else f"'mlp' or None: the actions of {game.name} do not lie on its board"
        raise ValueError(f"network is {network!r}; it is {fits}")
    return None if network == "mlp" else heads


def _check_spaces(game: Game[Any], observations: spaces.Space[Any], actions: spaces.Space[Any]) -> None:
    check_game(game)
    own = game.observation_shape, game.num_actions
    theirs = observations.shape, getattr(actions, "n", None)
    if own != theirs:
        shown = "observations {} and {} actions".format
        raise ValueError(f"game is {game}, which has {shown(*own)}; it is the environment's game, which has {shown(*theirs)}")


def _in_out(weight: NDArray[np.float32], convolution: bool) -> NDArray[np.float32]:
    """``[out, in, k, k]`` -> ``[k, k, in, out]``; without ``convolution``, of ones of 1x1 too, ``[in, out]``."""
    return np.ascontiguousarray(weight.transpose(2, 3, 1, 0) if convolution else weight.reshape(weight.shape[:2]).T)


# ------------------------------------------------------------------------------------------------------------- networks


class ScaledPlanes(BaseFeaturesExtractor):
    """The planes as one row of numbers from 0 to 1: ``[B, P, R, C] -> [B, P*R*C]``. Counts are divided by their bounds."""

    scale: Tensor

    def __init__(self, observation_space: spaces.Box) -> None:
        super().__init__(observation_space, int(np.prod(observation_space.shape)))
        # planes of counts reach up to 100 where others have ones, and drown them (measured: no learning at all)
        self.register_buffer("scale", 1 / torch.as_tensor(observation_space.high, dtype=torch.float32))

    def forward(self, observations: Tensor) -> Tensor:
        return (observations * self.scale).flatten(1)


class BoardTrunk(ScaledPlanes):
    """Convolutions over the scaled planes: ``[B, P, R, C] -> [B, channels, R, C]``, which the heads take as it is."""

    def __init__(self, observation_space: spaces.Box, channels: int, kernels: tuple[int, ...]) -> None:
        super().__init__(observation_space)
        planes, rows, columns = observation_space.shape
        self._features_dim = channels * rows * columns
        layers: list[nn.Module] = []
        for kernel in kernels:
            layers += [nn.Conv2d(planes, channels, kernel, padding=kernel // 2), nn.ReLU()]
            planes = channels
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: Tensor) -> Tensor:
        return self.layers((observations * self.scale).contiguous(memory_format=torch.channels_last))


class ActionHead(nn.Module):
    """Logits from the trunk's features: ``[B, channels, R, C] -> [B, A]``, in the order of the action layout."""

    places: Tensor
    cells: Tensor

    def __init__(self, heads: Heads, channels: int, shape: tuple[int, int], places: tuple[int, ...]) -> None:
        super().__init__()
        self.planes = nn.Conv2d(channels, heads.planes, 1)
        self.others = nn.Linear(channels, heads.others) if heads.others else None
        self.pairs = nn.Conv2d(channels, 1, 1) if heads.pairs else None
        self.full = places == tuple(range(shape[0] * shape[1]))
        self.register_buffer("places", torch.tensor(places), persistent=False)
        self.register_buffer("cells", torch.triu_indices(len(places), len(places), 1), persistent=False)

    def forward(self, features: Tensor) -> Tensor:
        logits = [self._by_cell(self.planes(features)).flatten(1)]
        if self.others is not None:
            logits.append(self.others(features.mean((2, 3))))
        if self.pairs is not None:
            one = self._by_cell(self.pairs(features))[:, 0]
            logits.append(one[:, self.cells[0]] + one[:, self.cells[1]])
        return torch.cat(logits, 1) if len(logits) > 1 else logits[0]

    def _by_cell(self, planes: Tensor) -> Tensor:
        """``[B, K, R, C] -> [B, K, cells]``: the places of the grid that are cells, in the order of their indices."""
        flat = planes.flatten(2)
        return flat if self.full else flat[:, :, self.places]


class ValueHead(nn.Module):
    """The value from the trunk's features: ``[B, channels, R, C] -> [B, 1]``."""

    def __init__(self, channels: int, shape: tuple[int, int], planes: int = 4, hidden: int = 64) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, planes, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(planes * shape[0] * shape[1], hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, features: Tensor) -> Tensor:
        return self.layers(features)


# ------------------------------------------------------------------------------------------- distribution and buffer


class MaskedCategorical(MaskableCategoricalDistribution):
    """sb3-contrib's masked distribution with one ``log_softmax`` a pass in place of three: it doubles the training speed.

    `entropy` is None, whereupon PPO takes the mean of ``-log_prob`` over the actions drawn, an estimate of it.

    As sb3-contrib's, it refuses logits that are nan (ValueError): no legal action follows from them.
    """

    def proba_distribution(self, action_logits: Tensor) -> MaskedCategorical:
        """The distribution of ``[B, A]`` logits, nothing masked."""
        self._logits, self._log_probs = action_logits.view(-1, self.action_dim), None
        return self

    def apply_masking(self, masks: MaybeMasks) -> None:
        """Leaves only the actions whose mask, ``[B, A]``, is not 0."""
        if masks is not None:
            legal = torch.as_tensor(masks, dtype=torch.bool, device=self._logits.device).reshape(self._logits.shape)
            self._logits, self._log_probs = self._logits.masked_fill(~legal, -1e8), None

    def _normalised(self) -> Tensor:
        if self._log_probs is None:
            self._log_probs = torch.log_softmax(self._logits, -1)
            _check_numbers(self._log_probs[:, 0])  # one nan among the logits makes all of them nan
        return self._log_probs

    def log_prob(self, actions: Tensor) -> Tensor:
        """``[B]``."""
        return self._normalised().gather(-1, actions.long().view(-1, 1)).squeeze(-1)

    def entropy(self) -> None:  # type: ignore[override]
        """None: see above."""

    def sample(self) -> Tensor:
        """``int64[B]``: by one uniform draw on the cumulative sums."""
        sums = self._normalised().exp().cumsum(-1)
        draws = torch.rand(len(sums), 1, device=sums.device) * sums[:, -1:]
        return (sums > draws).to(torch.int8).argmax(-1)  # the first sum beyond the draw

    def mode(self) -> Tensor:
        """``int64[B]``: the likeliest actions."""
        most, actions = self._logits.max(-1)
        _check_numbers(most)
        return actions


def _check_numbers(found: Tensor) -> None:
    if found.isnan().any():
        raise ValueError(
            "the policy's logits are nan: training has diverged, say, at too high a learning rate, or its input is nan"
        )


class BoolMaskBuffer(MaskableRolloutBuffer):
    """sb3-contrib's rollout buffer with masks of one byte: a quarter of its memory."""

    def reset(self) -> None:
        """Empties the buffer."""
        self.mask_dims = int(self.action_space.n)  # type: ignore[attr-defined]
        self.action_masks = np.zeros((self.buffer_size, self.n_envs, self.mask_dims), bool)
        RolloutBuffer.reset(self)  # the one between them would make float32 masks
