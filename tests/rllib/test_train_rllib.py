"""examples/train_rllib.py on a local cluster with real runners: every game, masks, the league, and the loss of a runner."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray
from ray.rllib.callbacks.callbacks import RLlibCallback

import train_rllib
from abstract_envs.agents import Policy
from helpers import DOORS, NAMES, before_line
from process_cases import gone, wait_until
from rllib_cases import LINE, OF_RAY

pytestmark = OF_RAY


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One for all tests: starting it takes longer than they do. Its processes import the example as this one does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        train_rllib.start_ray(train_rllib.Settings(runners=2), None)
        yield
        ray.shutdown()


def run_main(monkeypatch: pytest.MonkeyPatch, *args: object) -> None:
    monkeypatch.setattr(sys, "argv", ["train_rllib.py", *map(str, args)])
    train_rllib.main()


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("name", NAMES)
def test_two_iterations(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runners play, the network learns, the folder has what the page says, and goes on from its checkpoint. That of another
    run, which was in the folder, is gone before the first is written: --resume would go on with it."""
    iterations = train_rllib.iterations

    def watched(*given: Any) -> Iterator[dict[str, Any]]:
        assert train_rllib.checkpoints(tmp_path / "run") == []
        return iterations(*given)

    for folder in ("checkpoint", "checkpoint.old"):
        (tmp_path / "run" / folder).mkdir(parents=True)
    args = ["--game", f"{name}_v0", "--runners", 2, "--iterations", 2, "--steps", 600, "--snapshot-every", 2, "--games", 20]
    with monkeypatch.context() as patch:
        patch.setattr(train_rllib, "iterations", watched)
        run_main(monkeypatch, *args, "--out", tmp_path / "run")
    out = capsys.readouterr().out.splitlines()
    told = [LINE.fullmatch(line) for line in out[:2]]
    assert all(told), out
    assert [line.groups()[3:] for line in told if line] == [("2", "2", "0")] * 2
    assert re.search(r"score against random play \d\.\d{3} in 20 games", out[2])
    rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text().splitlines()]
    assert [row["iteration"] for row in rows] == [1, 2]
    assert rows[1]["league"]["snapshots"] == 1
    assert 600 <= rows[0]["steps"] <= rows[1]["steps"] - 600
    game = DOORS[name].game()
    policy = Policy.load(tmp_path / "run" / "policy.npz")
    assert policy.agent(game)
    assert policy.command.startswith(f"python examples/train_rllib.py --game {name}_v0 ")
    if name == "fano330":
        goes_on(tmp_path / "run", rows, monkeypatch, capsys)


def goes_on(folder: Path, rows: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that was killed after its checkpoint and in the midst of a line goes on. No iteration is told twice, and no setting
    changed but the number of runners, which is the run's own where none is given."""
    settings = json.loads((folder / "settings.json").read_text())
    with open(folder / "results.jsonl", "a") as results:
        results.write("".join(json.dumps(rows[1] | {"iteration": i}) + "\n" for i in (3, 4)) + '{"iteration": 2')
    for iteration, runners, args in ((3, 2, ["--steps", 600]), (4, 1, ["--runners", 1])):
        run_main(monkeypatch, "--resume", folder, "--iterations", 1, "--games", 20, *args)
        line = LINE.fullmatch(capsys.readouterr().out.splitlines()[0])
        assert line
        assert line.groups()[3:] == (str(runners), str(runners), "0")
        assert (line[1], line[3]) == (str(iteration), "1")
        assert int(line[2].replace(",", "")) >= rows[1]["steps"] + 600 * (iteration - 2)
        now = [json.loads(row) for row in (folder / "results.jsonl").read_text().splitlines()]
        assert now[:2] == rows
        assert [row["iteration"] for row in now] == [*range(1, iteration + 1)]
        assert json.loads((folder / "settings.json").read_text()) == settings | {"runners": runners}


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


class Legal(RLlibCallback):
    """Counts the actions that runners draw, and the illegal ones among them."""

    seen: list[tuple[int, int]] = []  # noqa: RUF012

    def on_sample_end(self, *, metrics_logger: Any, samples: list[Any], **kwargs: Any) -> None:
        parts = [part for piece in samples for part in piece.agent_episodes.values()]
        chosen = [part.get_observations(t)["action_mask"][part.get_actions(t)] for part in parts for t in range(len(part))]
        metrics_logger.log_value("drawn", len(chosen), reduce="sum")
        metrics_logger.log_value("illegal", len(chosen) - sum(map(int, chosen)), reduce="sum")

    def on_train_result(self, *, result: dict[str, Any], **kwargs: Any) -> None:
        played = result["env_runners"]
        self.seen.append((int(played["drawn"]), int(played["illegal"])))


def on_runners(algorithm: Any, function: Any) -> list[Any]:
    return algorithm.env_runner_group.foreach_env_runner(function, local_env_runner=False)


def weights_of(holder: Any) -> dict[str, dict[str, np.ndarray]]:
    """By module and name."""
    return {name: {k: np.asarray(v) for k, v in one.get_state().items()} for name, one in holder.module.items()}


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.usefixtures("cluster")
def test_a_runner_is_killed() -> None:
    """In the middle of an iteration: that one is finished by the other runner, and the result says what happened. The runner that
    is started in its place plays with the same league."""
    settings = train_rllib.Settings("honey_donuts_v0", steps=3000, league=2, snapshot_every=1, hidden=32)
    config = train_rllib.config_of(settings).callbacks([partial(train_rllib.League, settings), Legal])
    algorithm = config.build_algo()
    rows = train_rllib.iterations(algorithm, 30)
    before = next(rows)
    assert (before["runners"], before["restarts"]) == (2, 0)
    pids = on_runners(algorithm, lambda runner: os.getpid())
    for weights in on_runners(algorithm, weights_of):
        assert same(weights["snapshot_0"], weights["main"])
        assert not same(weights["snapshot_1"], weights["main"])
        frozen = weights["snapshot_0"]

    threading.Timer(0.5, os.kill, (pids[0], signal.SIGKILL)).start()
    hit = next(row for row in rows if (row["runners"], row["restarts"]) != (2, 0))  # the first, unless iterations are quick
    assert hit["steps"] >= before["steps"] + settings.steps
    assert (hit["runners"], hit["restarts"]) in {(1, 0), (2, 1)}  # the second if it is back already
    wait_until(lambda: gone(pids[0]))
    row = next(row for row in rows if row["runners"] == 2)
    assert row["restarts"] == 1
    assert "env runners 2 of 2, restarts 1" in train_rllib.told(row, settings.runners)

    now = on_runners(algorithm, lambda runner: os.getpid())
    assert len({*now} - {*pids}) == len({*now} & {*pids}) == 1
    (learner,) = [result.get() for result in algorithm.learner_group.foreach_learner(weights_of).result_or_errors]
    for weights in on_runners(algorithm, weights_of):
        assert {*weights} == {"main", "snapshot_0", "snapshot_1"}
        assert all(same(weights[name], learner[name]) for name in weights)
        assert not same(weights["main"], frozen)
    after = next(rows)
    assert after["steps"] >= row["steps"] + settings.steps
    assert (after["runners"], after["restarts"]) == (2, 1)
    algorithm.stop()
    assert len(Legal.seen) == after["iteration"]
    # what a player has done last is in the next piece of a game that is cut here
    assert all(drawn > 0.9 * settings.steps and illegal == 0 for drawn, illegal in Legal.seen), Legal.seen


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["--game", "chess_v0"], "invalid choice: 'chess_v0'"),
        (["--runners", "0"], "runners is 0; it is a whole number of at least 1"),
        (["--steps", "1e3"], "argument --steps: invalid int value: '1e3'"),
        (["--seed", "-1"], "seed is -1; it is a whole number from 0 to 2147483647"),
        (["--seed", "4294967295"], "seed is 4294967295; it is a whole number from 0 to 2147483647"),
        (["--snapshot-score", "70"], "snapshot_score is 70.0; it is a number from 0 to 1"),
        (["--games", "11"], "games is 11; it is an even number"),
        (["--iterations", "0"], "iterations is 0; it is a whole number of at least 1"),
        (["--resume", "nowhere"], "--resume: there is no nowhere"),
    ],
)
def test_bad_arguments(args: list[str], error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run_main(monkeypatch, *args)
    assert error in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["--game", "fano330_v0"], "game is fano330_v0; the run in {run} has alveole_v0, and goes on as it was: leave it out"),
        (["--seed", "0", "--steps", "4000"], "seed is 0; the run in {run} has 7, and goes on as it was"),
        (["--league", "2"], "league is 2; the run in {run} has 4"),
        (["--seed", "7", "--snapshot-score", "0.5"], "snapshot_score is 0.5; the run in {run} has 0.7"),
        (["--snapshot-every", "3"], "snapshot_every is 3; the run in {run} has 25"),
        (["--steps", "500"], "steps is 500; the run in {run} has 4000"),
        (["--out", "elsewhere"], "--out is elsewhere; with --resume it is left out"),
        (["--runners", "0"], "runners is 0; it is a whole number of at least 1"),
    ],
)
def test_what_a_run_cannot_go_on_with(
    args: list[str], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    (run / "checkpoint").mkdir(parents=True)
    with pytest.raises(SystemExit):
        run_main(monkeypatch, "--resume", run)
    assert f"--resume: there is no {run / 'settings.json'}" in capsys.readouterr().err
    (run / "settings.json").write_text('{"game": "alveole_v0", "seed": 7, "runners": 5}')
    with pytest.raises(SystemExit):
        run_main(monkeypatch, "--resume", run, *args)
    assert error.format(run=run) in capsys.readouterr().err


@pytest.mark.parametrize("line", range(12))
def test_a_checkpoint_is_there_at_any_time(line: int, tmp_path: Path) -> None:
    """Whole, whenever the one who puts it there is killed; and the next one takes its place."""

    def put(text: str) -> None:
        fresh = tmp_path / "checkpoint.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        (fresh / "weights").write_text(text)
        train_rllib.put(fresh)

    def found() -> str:
        return (train_rllib.checkpoints(tmp_path)[0] / "weights").read_text()

    put("first")
    with contextlib.suppress(KeyboardInterrupt), before_line(train_rllib, line, interrupt):
        put("second")
    assert found() in ("first", "second")
    shutil.rmtree(tmp_path / "checkpoint.new", ignore_errors=True)
    assert found() in ("first", "second")  # the next one is being written
    put("third")
    assert found() == "third"
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]


@pytest.mark.usefixtures("cluster")
def test_more_runners_than_the_cluster_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error: they would wait for ever."""
    with pytest.raises(SystemExit, match="runners is 4; the cluster has 3 logical CPUs, and each runner wants one"):
        run_main(monkeypatch, "--runners", 4)


def test_who_plays_whom() -> None:
    """Each snapshot in each seat as often, and the share of self-play; both agents of an episode get answers that fit."""
    settings = train_rllib.Settings(league=3, self_play=0.4)
    match = train_rllib.Match(settings)
    counts: dict[tuple[str, str], int] = {}
    for number in range(6000):
        episode = type("Episode", (), {"id_": f"{number * 2**96:032x}"})()
        pair = match("player_0", episode), match("player_1", episode)
        assert pair == (match("player_0", episode), match("player_1", episode))
        counts[pair] = counts.get(pair, 0) + 1
    assert counts.pop(("main", "main")) == pytest.approx(2400, rel=0.1)
    assert len(counts) == 6
    assert all(("main" in pair) and count == pytest.approx(600, rel=0.2) for pair, count in counts.items())
