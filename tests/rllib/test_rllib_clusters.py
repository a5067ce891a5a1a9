"""examples/train_rllib.py as users run it, on a cluster that it starts and on one of several machines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ray.cluster_utils import Cluster

import train_rllib
from rllib_cases import LINE, OF_RAY

pytestmark = OF_RAY


def as_users_run_it(*args: object) -> list[str]:
    root = Path(train_rllib.__file__).parent.parent
    return [sys.executable, str(root / "examples" / "train_rllib.py"), "--games", "20", *map(str, args)]


def test_on_this_machine(tmp_path: Path) -> None:
    """On a cluster of its own, with more runners than this machine may have cores."""
    command = as_users_run_it("--game", "fano330_v0", "--runners", 3, "--iterations", 2, "--steps", 600, "--out", tmp_path)
    done = subprocess.run(command, capture_output=True, text=True, timeout=560, check=False)
    assert done.returncode == 0, done.stderr
    lines = [LINE.fullmatch(line) for line in done.stdout.splitlines()]
    assert [line.groups()[3:] for line in lines if line] == [("3", "3", "0")] * 2, done.stdout


def test_a_machine_of_a_cluster_is_lost(tmp_path: Path) -> None:
    """Two runners were there; the training goes on with the third, and with all when another machine has come."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    machine = cluster.add_node(num_cpus=2)
    command = as_users_run_it("--address", cluster.address, "--game", "honey_donuts_v0", "--runners", 3, "--iterations", 400)
    command += ["--steps", "1000", "--out", str(tmp_path)]
    seen: list[tuple[str, ...]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as training:
        try:
            assert training.stdout
            for told in filter(None, map(LINE.fullmatch, map(str.strip, training.stdout))):
                seen.append(told.groups()[3:])
                if len(seen) == 2:
                    cluster.remove_node(machine, allow_graceful=False)
                if seen[-1] == ("1", "3", "0") and seen[-2] != seen[-1]:
                    cluster.add_node(num_cpus=2)
                if seen[-1] == ("3", "3", "2"):
                    break
        finally:
            training.kill()
            cluster.shutdown()
    assert seen[:2] == [("3", "3", "0")] * 2
    assert seen[-1] == ("3", "3", "2")
    assert ("1", "3", "0") in seen
    # one after the other; what is between is lost, or back
    assert seen == sorted(seen, key=lambda row: (int(row[2]), -int(row[0])))
