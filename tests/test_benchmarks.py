"""benchmarks/throughput.py runs, and says what it should; no time is tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "benchmarks" / "throughput.py"
SHORT = ["--seconds", "0.01", "--repeats", "2", "--game", "inphexion"]

# the script with every peer made impossible to import
WITHOUT_PEERS = f"""
import runpy, sys
games = ("connect_four_v3", "tictactoe_v3", "go_v5", "chess_v6")
sys.modules.update(dict.fromkeys(("pyspiel", "pgx", "jax", *("pettingzoo.classic." + game for game in games))))
sys.argv[0] = {str(SCRIPT)!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(*command, status=0):
    """What a Python process prints."""
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def test_table_and_json(tmp_path):
    printed = run(SCRIPT, *SHORT, "--batch", 1, 8, "--json", tmp_path / "out.json")
    head, *lines = printed.splitlines()
    assert head.split() == ["suite", "game", "way", "batch", "steps/cpu-s", "steps/s", "us/step", "spread", "length"]
    report = json.loads((tmp_path / "out.json").read_text())
    ids = [row["id"] for row in report["rows"]]
    assert ids[:7] == [
        *(f"own/inphexion/{way}" for way in ("rules", "raw_env", "env")),
        *(f"own/inphexion/{way}/{batch}" for way in ("rules", "vector_env") for batch in (1, 8)),
    ]
    assert all("/rules, " in phase for phase in ids[7:])
    assert len(lines) == len(ids)
    for line, row in zip(lines, report["rows"], strict=True):
        assert line.startswith("own ")
        assert f"  {row['way']}  " in line
        assert f"{row['steps_per_cpu_second']:,.0f}" in line.split()
        assert len(row["samples_per_cpu_second"]) == len(row["samples_per_second"]) == 2
        assert min(row["samples_per_cpu_second"]) > 0
        assert row["error"] is None
    assert report["missing"] == []
    assert {"python", "cpu", "versions", "arguments"} <= report["environment"].keys()


def test_columns_are_aligned():
    lines = run(SCRIPT, *SHORT, "--batch", 8).splitlines()
    end = lines[0].index("steps/cpu-s") + len("steps/cpu-s")
    assert all(line[end - 1].isdigit() and line[end] == " " for line in lines[1:])


def test_missing_peers_are_named(tmp_path):
    printed = run("-c", WITHOUT_PEERS, *SHORT, "--batch", "--peers", "--json", tmp_path / "out.json")
    missing = [line.split()[:2] for line in printed.splitlines() if "missing:" in line]
    named = ["/".join(words) for words in missing]
    assert {"pettingzoo/connect_four_v3", "openspiel/lines_of_action", "pgx/hex", "pgx/chess"} <= set(named)
    assert json.loads((tmp_path / "out.json").read_text())["missing"] == named
    assert printed.count("own ") == len(printed.splitlines()) - 1 - len(named)


def test_floors_without_peers():
    printed = run("-c", WITHOUT_PEERS, *SHORT, "--floors")
    assert printed.count("not measured: missing") == len(printed.splitlines()) - 1 >= 3


def test_floors_met_and_missed():
    code = """
from benchmarks.throughput import Floor, floor_table, measure_floors
a, b = "own/inphexion/raw_env", "own/inphexion/rules/2"
measured = measure_floors((Floor(a, 1e-9, b), Floor(a, 1e9, b)), seconds=0.01, repeats=2)
assert [m["met"] for m in measured] == [True, False], measured
assert all(len(m["ratios"]) == 2 and min(m["ratios"]) <= m["ratio"] <= max(m["ratios"]) for m in measured)
print(floor_table(measured))
"""
    lines = run("-c", code).splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["met", "MISSED"]


def test_every_row_has_an_id_that_finds_it():
    code = """
from benchmarks.floors import FLOORS
from benchmarks.throughput import AGAINST_BATCH, AGAINST_ONE, find, own
for row in own.rows(list(own.games()), [1, 8]):
    assert find(row.id).id == row.id, row.id
for floor in FLOORS:
    assert find(floor.row).id == floor.row and find(floor.peer).id == floor.peer, floor
for row_id in (*AGAINST_ONE.values(), *AGAINST_BATCH.values()):
    find(row_id.format(batch=8))
"""
    run("-c", code)


def test_list_and_options():
    ids = run(SCRIPT, "--game", "inphexion(board_size=5, pie_rule=True)", "--batch", 8, "--list").split("\n")
    assert "own/inphexion(board_size=5, pie_rule=True)/vector_env/8" in ids


def test_profile():
    printed = run(SCRIPT, "--profile", "own/inphexion(board_size=3)/vector_env/8", "--seconds", "0.01")
    assert "Ordered by: internal time" in printed
    assert "(step)" in printed


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--game", "checkers"], "'checkers' is no game; the games are inphexion"),
        (["--profile", "own/inphexion"], "suite/game/way"),
        (["--profile", "own/inphexion/raw_env/8"], "no row 'raw_env' for a batch"),
        (["--profile", "pgx/checkers/step/8"], "pgx/checkers is no peer"),
        (["--profile", "own/inphexion(board_size=99)/env"], "board_size"),
        (["--seconds", "0"], "--seconds"),
    ],
)
def test_what_is_not_there_is_named(arguments, named):
    assert named in run(SCRIPT, *arguments, status=2)


def test_aec_loop_notices_arrays_given_out_twice():
    code = """
import numpy as np
from benchmarks.own import aec
class Env:
    kept = {"observation": np.zeros(3, np.int8), "action_mask": np.ones(3, np.int8)}
    def reset(self, seed=None): pass
    def last(self): return self.kept, 0, False, False, {}
    def step(self, action): pass
work = aec(Env, fresh=True)
work.run(2)
try:
    work.check()
except AssertionError as error:
    print(error)
"""
    assert "given out twice" in run("-c", code)


def test_agents_are_measured():
    script = ROOT / "benchmarks" / "agents.py"
    head, line = run(script, "--game", "fano330", "--seconds", 0.01, "--batch", 4).splitlines()
    assert head.split()[-3:] == ["ints", "batch", "4"]
    name, *rates = line.split()
    assert name == "fano330"
    assert all(int(found.replace(",", "")) > 0 for found in rates)
    assert len(rates) == 2
    match = ["--match", "alphabeta(nodes=50)", "random", "--games", 8]
    line = run(script, "--game", "fano330", *match)
    assert line.startswith("fano330: A scores ")
    assert "in 8 games; ms a move: A " in line
