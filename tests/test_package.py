"""The package as users get it: built, installed into an empty environment, imported with warnings as errors."""

from __future__ import annotations

import email
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import abstract_envs
from helpers import NAMES

ROOT = Path(__file__).parent.parent
CORE = {"numpy", "gymnasium", "pettingzoo"}
THEIRS = {"cloudpickle", "farama-notifications", "typing-extensions"}
"""What the three need themselves."""


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the source distribution, so that this is tested too."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    assert sdist.name == f"abstract_envs-{abstract_envs.__version__}.tar.gz"
    return wheel


def test_contents(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    info = f"abstract_envs-{abstract_envs.__version__}.dist-info"
    source = {path.relative_to(ROOT).as_posix() for path in (ROOT / "abstract_envs").rglob("*.py")}
    policies = {f"abstract_envs/agents/policies/{name}.npz" for name in NAMES}
    assert source | policies | {"abstract_envs/py.typed", f"{info}/licenses/LICENSE"} <= names
    assert {name.split("/")[0] for name in names} == {"abstract_envs", info}


def test_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    needs = metadata.get_all("Requires-Dist", [])
    assert {re.split(r"[<>=!~ ;]", need)[0] for need in needs if "extra ==" not in need} == CORE
    extras = {"render", "solve", "numba", "arena", "train", "rllib", "test", "dev"}
    assert set(metadata.get_all("Provides-Extra", [])) == extras
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"


def test_installs_into_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run(python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel)
    installed = json.loads(run(python, "-m", "pip", "list", "--format", "json"))
    names = {re.sub(r"[-_.]+", "-", package["name"]).lower() for package in installed}
    assert names - {"pip", "setuptools"} == CORE | THEIRS | {"abstract-envs"}

    program = """
import sys
import abstract_envs
import numpy as np
assert not sys.flags.no_site and "site-packages" in abstract_envs.__file__
for door in abstract_envs.GAMES:
    game = door.game()
    assert game.is_terminal(game.playout(game.init(8, np.random.default_rng(0)), np.random.default_rng(1))).all()
    env = door.env(render_mode="ansi")
    env.reset(seed=0)
    assert env.render()
    door.vector_env(4).reset(seed=0)
    assert abstract_envs.evaluate(game, "ppo", "random", 20, np.random.default_rng(0)).score > 0.7
"""
    run(python, "-I", "-W", "error", "-c", program, cwd=tmp_path)
    for module in ("abstract_envs", *(f"abstract_envs.{door.__name__.split('.')[1]}" for door in abstract_envs.GAMES)):
        run(python, "-I", "-W", "error", "-c", f"import {module}", cwd=tmp_path)
    assert "inphexion_v0" in run(python, "-I", "-W", "error", "-m", "abstract_envs", "games", cwd=tmp_path)
