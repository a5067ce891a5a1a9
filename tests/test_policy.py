"""Networks played by NumPy alone, and the policies that come with the library. That NumPy gives what torch gives: test_sb3.py."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import abstract_envs
from abstract_envs.agents import NetworkAgent, Policy, PPOAgent, evaluate, resolve
from abstract_envs.agents.network import Network
from abstract_envs.agents.policy import FOLDER, _sample
from helpers import NAMES, game_of

SMALL = game_of("inphexion", {"board_size": 3})


def constant(game: Any, logits: Any) -> Network:
    """A network that gives the same logits for whatever it sees."""
    inputs = int(np.prod(game.observation_shape))
    return Network(
        game, {"dense0.weight": np.zeros((inputs, game.num_actions)), "dense0.bias": np.full(game.num_actions, logits, float)}
    )


# ------------------------------------------------------------------------------------------------------------- networks


def test_a_convolution_by_hand() -> None:
    """A feature of the neighbours to the right and below, and six logits from it."""
    game = game_of("alveole", {})
    weight = np.zeros((3, 3, 4, 1))
    weight[1, 2, 0], weight[2, 1, 0] = 1, 10
    weights = {"conv0.weight": weight, "conv0.bias": np.array([0.5])}
    weights |= {"planes.weight": np.full((1, 6), 2.0), "planes.bias": np.arange(6.0)}
    seen = game.observe(game.init(1))
    logits = Network(game, weights).logits(seen)[0].reshape(6, 61)
    own = np.pad(seen[0, 0], 1)
    for cell, (row, column) in enumerate(divmod(place, 9) for place in game.board.places):
        feature = own[row + 1, column + 2] + 10 * own[row + 2, column + 1] + 0.5
        assert logits[:, cell].tolist() == [2 * feature + plane for plane in range(6)]


def test_likeliest_legal_action() -> None:
    logits = np.arange(SMALL.num_actions)
    states, rng = SMALL.init(2), np.random.default_rng(0)
    legal = np.flatnonzero(SMALL.action_mask(states)[0])
    assert legal.max() < SMALL.num_actions - 1  # what is likelier is illegal
    assert NetworkAgent(constant(SMALL, logits)).act(SMALL, states, rng).tolist() == [legal.max()] * 2


@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_draws_follow_the_softmax(temperature: float) -> None:
    logits = np.linspace(-1, 1, SMALL.num_actions)
    states, rng = SMALL.init(40_000), np.random.default_rng(2)  # of which one draw is exactly 0
    agent = NetworkAgent(constant(SMALL, logits), temperature=temperature)
    shares = np.bincount(agent.act(SMALL, states, rng), minlength=SMALL.num_actions) / 40_000
    expected = np.exp(logits / temperature) * SMALL.action_mask(SMALL.init(1))[0]
    np.testing.assert_allclose(shares, expected / expected.sum(), atol=0.01)


@pytest.mark.parametrize(
    "temperature", [-0.5, float("nan"), float("inf"), 1e38, 1000001, 10**400, True, np.True_, "x", None, [1]]
)
def test_no_temperature(temperature: Any) -> None:
    for make in (lambda: NetworkAgent(constant(SMALL, 0), temperature=temperature), lambda: PPOAgent(temperature)):
        with pytest.raises(ValueError, match=re.escape(f"temperature is {temperature!r}; it is a number from 0 to 1e+06")):
            make()


@pytest.mark.parametrize("temperature", [0, 1e-46, 1.0, 1e6])
@pytest.mark.parametrize("logit", [0.0, 3e38, -3e38, float("inf"), -float("inf"), float("nan")])
def test_no_logits_lead_to_an_illegal_action(temperature: float, logit: float) -> None:
    mask = (np.random.default_rng(0).random((500, 9)) < 0.3).astype(np.int8)
    mask[np.arange(500), np.arange(500) % 9] = 1
    logits = np.full((500, 9), logit, np.float32)
    logits[::2, 4:] = 3e38
    with np.errstate(over="ignore"):  # of the logits chosen here: the weights of a network are finite
        chosen = _sample(logits, mask, temperature, np.random.default_rng(0))
    assert mask[np.arange(500), chosen].all()


def test_the_hottest_is_uniform() -> None:
    logits = np.tile(np.linspace(-50, 50, 5, dtype=np.float32), (20_000, 1))
    chosen = _sample(logits, np.ones((20_000, 5), np.int8), 1e6, np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(chosen) / 20_000, 0.2, atol=0.015)


def test_a_policy_is_read_as_it_was_written(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    weights = {"dense0.weight": rng.normal(size=(3, 2)), "dense0.bias": rng.normal(size=2)}
    written = Policy("inphexion", {"board_size": 3}, True, "make it", weights)
    written.save(tmp_path / "policy.npz")
    read = Policy.load(tmp_path / "policy.npz")
    assert (read.game, read.options, read.mirror, read.command) == ("inphexion", {"board_size": 3}, True, "make it")
    assert read.weights.keys() == weights.keys()
    for name, array in weights.items():
        np.testing.assert_allclose(read.weights[name], array, rtol=1e-3)


def test_a_file_has_exactly_the_name_given(tmp_path: Path) -> None:
    Policy("inphexion", {}, True, "", {}).save(tmp_path / "policy")
    assert [path.name for path in tmp_path.iterdir()] == ["policy"]
    assert Policy.load(tmp_path / "policy").mirror is True


def test_policies_can_be_compared() -> None:
    policy = Policy.load(FOLDER / "alveole.npz")
    assert policy == policy
    assert policy != Policy.load(FOLDER / "alveole.npz")
    assert len({policy, policy}) == 1


def test_weights_that_float16_cannot_hold_are_not_written(tmp_path: Path) -> None:
    for bad in (1e5, float("nan"), -float("inf")):
        with pytest.raises(ValueError, match=r"^dense0.bias cannot be kept as float16: weights are from -65504.0 to 65504.0$"):
            Policy("inphexion", {}, True, "", {"a.bias": np.ones(2), "dense0.bias": np.array([0, bad])}).save(tmp_path / "p")
    assert not list(tmp_path.iterdir())


def archive(**entries: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **entries)
    return file.getvalue()


def damaged() -> dict[str, tuple[bytes, str]]:
    good, array = (FOLDER / "alveole.npz").read_bytes(), io.BytesIO()
    np.save(array, np.zeros(3))
    about: dict[str, Any] = {"game": "alveole", "options": {}, "mirror": False, "command": ""}
    return {
        "empty": (b"", "no .npz file"),
        "text": (b"hello", "no .npz file"),
        "truncated": (good[:3000], "not all of one"),
        "array": (array.getvalue(), "no .npz file"),
        "changed": (good[:2000] + bytes([good[2000] ^ 255]) + good[2001:], ""),
        "nothing": (archive(a=np.zeros(3)), "it has no entry `about`"),
        "no JSON": (archive(about=np.array("hello")), "Expecting value"),
        "list": (archive(about=np.array("[1]")), r"not an object with game \(str\), options \(dict\)"),
        "another": (archive(about=np.array('{"x": 1}')), "not an object with"),
        "more": (archive(about=np.array(json.dumps(about | {"weights": 1}))), "not an object with"),
        "kind": (archive(about=np.array(json.dumps(about | {"options": 1}))), "not an object with"),
        "object": (archive(about=np.array([{}])), "allow_pickle"),
    }


@pytest.mark.parametrize("name", damaged())
def test_what_is_no_policy_is_said_with_its_file(name: str, tmp_path: Path) -> None:
    content, message = damaged()[name]
    (tmp_path / "policy.npz").write_bytes(content)
    with pytest.raises(ValueError, match=f"^{re.escape(str(tmp_path))}/policy.npz holds no policy: .*{message}"):
        Policy.load(tmp_path / "policy.npz")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"policy\.npz"):
        Policy.load(tmp_path / "policy.npz")


@pytest.mark.parametrize(
    ("shipped", "played", "change", "message"),
    [
        ("inphexion", "alveole", {}, r"conv0.weight is of shape \(3, 3, 8, 16\); for alveole it is \(3, 3, 4, any number\)"),
        ("inphexion", "fano330", {}, "convolutions does not play fano330"),
        ("inphexion", "inphexion", {"conv1.bias": None}, "no conv1.bias"),
        ("inphexion", "inphexion", {"others.weight": None}, "no others.weight"),
        ("inphexion", "inphexion", {"conv3.weight": np.ones((1, 1, 16, 16))}, "conv3.weight are of no layer: .* conv1, planes"),
        ("inphexion", "inphexion", {"pairs.bias": np.ones(1)}, "pairs.bias are of no layer"),
        ("inphexion", "inphexion", {"planes.bias": np.ones(8)}, r"planes.bias is of shape \(8,\); .* \(7,\)"),
        ("inphexion", "inphexion", {"planes.weight": np.ones((16, 8))}, r"planes.weight is .* \(16, 7\) here"),
        ("inphexion", "inphexion", {"conv1.weight": np.ones((2, 2, 16, 16))}, "conv1.weight is 2 cells wide"),
        ("inphexion", "inphexion", {"conv1.weight": np.array(1.0)}, r"conv1.weight is of shape \(\)"),
        ("inphexion", "inphexion", {"planes.bias": np.ones(7, int)}, "planes.bias holds int64; weights are finite"),
        ("inphexion", "inphexion", {"planes.bias": np.full(7, np.nan)}, "planes.bias holds float64; weights are finite"),
        ("fano330", "fano330", {"dense1.weight": None}, r"dense0.weight is .* it is \(77, 44\)"),
        ("fano330", "fano330", {"dense0.weight": None, "dense0.bias": None}, "no dense0.weight"),
        ("fano330", "honey_donuts", {}, r"dense0.weight is .* it is \(150, any number\)"),
        ("fano330", "fano330", {"dense2.weight": np.ones((128, 43))}, r"dense2.weight is .* it is \(128, 44\)"),
    ],
)
def test_weights_that_do_not_fit(shipped: str, played: str, change: dict[str, Any], message: str) -> None:
    weights = {**Policy.load(FOLDER / f"{shipped}.npz").weights, **change}
    with pytest.raises(ValueError, match=message):
        Network(game_of(played, {}), {name: array for name, array in weights.items() if array is not None})


# -------------------------------------------------------------------------------------------------------------- shipped


def test_every_game_has_a_policy_and_they_are_small() -> None:
    files = sorted(FOLDER.iterdir())
    assert [file.name for file in files] == [f"{name}.npz" for name in NAMES]
    assert sum(file.stat().st_size for file in files) < 1_000_000


@pytest.mark.parametrize("name", NAMES)
def test_it_beats_random_play_by_far(name: str) -> None:
    result = evaluate(game_of(name, {}), "ppo", "random", 200, np.random.default_rng(7))
    assert min(seat.score for seat in result.seats) > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_what_made_it_is_told(name: str) -> None:
    policy = Policy.load(FOLDER / f"{name}.npz")
    assert policy.command.startswith(f"python examples/train_maskable_ppo.py --game {name}_v0 --self-play")
    assert policy.options == game_of(name, {}).options


def test_by_name_in_the_doors() -> None:
    game = game_of("fano330", {})
    drawing = resolve("ppo(temperature=20)", game)
    assert len(set(drawing.act(game, game.init(200), np.random.default_rng(0)).tolist())) > 1
    assert len(set(resolve("ppo").act(game, game.init(200), np.random.default_rng(0)).tolist())) == 1
    env = gymnasium.make("abstract_envs/fano330-v0", opponent="ppo", seat=1)
    observation, _ = env.reset(seed=0)
    assert observation[:4].sum() == 1  # it has placed a piece


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "inphexion",
            {"board_size": 5},
            "inphexion was trained with board_size=7, .*; it does not play with board_size=5",
        ),
        ("inphexion", {"pie_rule": True}, "it does not play with pie_rule=True"),
        ("honey_donuts", {"repetition": "simple"}, "it does not play with repetition='simple'"),
    ],
)
def test_other_options(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        resolve("ppo", game_of(name, options))
    with pytest.raises(ValueError, match=message):
        PPOAgent().act(game_of(name, options), game_of(name, options).init(1), np.random.default_rng(0))


@pytest.mark.parametrize("options", [{"map": ["a1", "d4"]}, {"hand": ["OXXAAHHZZO", "OXAHZOXAHZ"]}])
def test_options_that_are_tuples_are_kept(options: dict[str, Any], tmp_path: Path) -> None:
    game, weights = game_of("xahzo", options), Policy.load(FOLDER / "xahzo.npz").weights
    assert any(isinstance(value, tuple) for value in game.options.values())
    policy = Policy("xahzo", game.options, False, "", weights)
    policy.save(tmp_path / "policy.npz")
    for one in (policy, Policy.load(tmp_path / "policy.npz")):
        assert one.agent(game).act(game, game.init(3, np.random.default_rng(0)), np.random.default_rng(0)).shape == (3,)
        with pytest.raises(ValueError, match=r"was trained with .*; it does not play with (map='ring'|hand='random')$"):
            one.agent(game_of("xahzo", {}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "was trained with no options; it does not play with repetition_limit=3"),
        (
            {"repetition_limit": 3, "size": 7},
            "was trained with repetition_limit=3, size=7; it does not play with repetition_limit=3",
        ),
    ],
)
def test_options_of_another_kind(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Policy("fano330", options, False, "", {}).agent(game_of("fano330", {}))


def test_another_game() -> None:
    policy = Policy.load(FOLDER / "alveole.npz")
    with pytest.raises(ValueError, match="this policy plays alveole, not fano330"):
        policy.agent(game_of("fano330", {}))


def test_it_needs_neither_torch_nor_numba() -> None:
    code = """
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib", "numba"):
    sys.modules[name] = None
import numpy as np
from abstract_envs import evaluate, fano330_v0
print(evaluate(fano330_v0.game(), "ppo", "random", 10, np.random.default_rng(0)).both.games)
"""
    root = Path(abstract_envs.__file__).parent.parent
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=False, timeout=120)
    assert (run.stdout.strip(), run.stderr) == ("10", "")
