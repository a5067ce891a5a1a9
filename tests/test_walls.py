"""Which part may import which, read from the sources; and what importing the package must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import abstract_envs

PACKAGE = Path(abstract_envs.__file__).parent
ROOT = "abstract_envs"
FILES = sorted(PACKAGE.rglob("*.py"))
NOT_LOADED = (
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "ray",
    "matplotlib",
    "PIL",
    "pygame",
    "tqdm",
    "platformdirs",
    "pandas",
    "numba",
)
CORE_ONLY = {"numpy"}
"""What core may import besides the standard library; so may rules, drawings and perft."""


def module_of(path: Path) -> str:
    parts = [ROOT, *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    """Full names of the modules (or names in modules) that a file imports, those inside functions included."""
    package = module_of(path).split(".") if path.name == "__init__.py" else module_of(path).split(".")[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{source}.{alias.name}" for alias in node.names}
    return found


def part(name: str) -> str:
    """The part of the package that a module belongs to: "core", "games.inphexion.rules", "inphexion_v0", ..."""
    rest = name.split(".")[1:]
    if not rest:
        return ""
    return ".".join(rest[:3]) if rest[0] == "games" else rest[0]


def allowed(of: str) -> list[str]:
    """The parts that a part may import."""
    doors = [door.__name__.split(".")[1] for door in abstract_envs.GAMES]
    fixed = {
        "": [*doors, "envs.registration", "evaluate"],
        "core": ["core"],
        "render": ["core", "render"],
        "agents": ["core", "agents"],
        "perft": ["core"],
        "evaluate": ["agents"],  # its public name
        "compiled": ["core", "compiled"],
        "movies": ["records", "render"],
        "records": ["", "core"],  # games only through the list of doors
        "envs": ["core", "compiled", "render", "agents", "envs"],
        # commands reach games only through the list of doors
        "cli": ["", "core", "render", "agents", "envs", "perft", "records", "cli"],
        "__main__": ["cli", "perft"],
        "games": [],
    }
    if of in fixed:
        return fixed[of]
    if of in doors:
        game = of.rpartition("_v")[0]
        return ["envs.doors", f"games.{game}"]
    if of.startswith("games."):
        pieces = of.split(".")
        if len(pieces) == 3 and pieces[2] == "drawing":
            return ["core", f"games.{pieces[1]}.rules"]
        if len(pieces) == 2:  # the folder's __init__
            return []
        # rules name their positions in one function, which imports them when it is called
        return ["core", f"games.{pieces[1]}.positions" if pieces[2] == "rules" else f"games.{pieces[1]}"]
    pytest.fail(f"the part {of!r} of the package has no place in the walls")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_walls(path: Path) -> None:
    of = part(module_of(path))
    may = allowed(of)
    for name in imports(path):
        if name.split(".")[0] != ROOT:
            continue
        target = part(name)
        if target in ("GAMES", "__version__"):
            target = ""
        fits = any(
            target == m if m == "" else f"{target}.".startswith(f"{m}.") or f"{name[len(ROOT) + 1 :]}.".startswith(f"{m}.")
            for m in may
        )
        assert fits, f"{module_of(path)} imports {name}; {of or 'the package'} may import {may}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_core_and_rules_need_numpy_only(path: Path) -> None:
    of = part(module_of(path))
    others = {name.split(".")[0] for name in imports(path)} - set(sys.stdlib_module_names) - {ROOT}
    if of in ("core", "perft") or of.startswith("games"):
        assert others <= CORE_ONLY


def test_files_of_every_game() -> None:
    folders = {path.name for path in (PACKAGE / "games").iterdir() if path.is_dir() and path.name != "__pycache__"}
    doors = {door.__name__.split(".")[1].rpartition("_v")[0] for door in abstract_envs.GAMES}
    assert folders == doors
    for name in folders:
        assert {"rules.py", "drawing.py"} <= {path.name for path in (PACKAGE / "games" / name).iterdir()}
    assert {door.__file__ for door in abstract_envs.GAMES} == {str(path) for path in PACKAGE.glob("*_v[0-9]*.py")}


def test_no_game_is_named_in_what_all_share() -> None:
    names = [door.__name__.split(".")[1].rpartition("_v")[0] for door in abstract_envs.GAMES]
    for path in FILES:
        of = part(module_of(path))
        if of == "" or of.startswith("games") or of.rpartition("_v")[0] in names:
            continue
        strings = [
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value
        ]
        assert not set(strings) & set(names), f"{path.name} names a game"


def test_the_reader_of_imports() -> None:
    """That it sees every form of import, here in the one door and in core."""
    assert "abstract_envs.envs.doors.door" in imports(PACKAGE / "inphexion_v0.py")
    assert "abstract_envs.core.bits.Word" in imports(PACKAGE / "core" / "history.py")
    assert part("abstract_envs.games.inphexion.rules.State") == "games.inphexion.rules"
    assert part("abstract_envs.core.bits") == "core"


def test_what_the_import_loads() -> None:
    code = f"import abstract_envs, sys; print([m for m in {NOT_LOADED!r} if m in sys.modules], 'numpy' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[] True"
    assert run.stderr == ""
