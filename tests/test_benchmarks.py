"""benchmarks/throughput.py runs, and says what it should; no time is tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "benchmarks" / "throughput.py"
MEMORY = ROOT / "benchmarks" / "memory.py"
SHORT = ["--seconds", "0.01", "--repeats", "2", "--game", "inphexion"]

# the script with every peer made impossible to import
WITHOUT_PEERS = f"""
import runpy, sys
games = ("connect_four_v3", "tictactoe_v3", "go_v5", "chess_v6")
sys.modules.update(dict.fromkeys(("pyspiel", "pgx", "jax", *("pettingzoo.classic." + game for game in games))))
sys.argv[0] = {str(SCRIPT)!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(*command, status=0, timeout=60):
    """What a Python process prints."""
    done = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, cwd=ROOT, timeout=timeout, check=False
    )
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def test_table_and_json(tmp_path):
    printed = run(SCRIPT, *SHORT, "--batch", 1, 8, "--json", tmp_path / "out.json")
    head, *lines = printed.splitlines()
    assert head.split() == ["suite", "game", "way", "batch", "steps/cpu-s", "steps/s", "us/step", "spread", "length"]
    report = json.loads((tmp_path / "out.json").read_text())
    ids = [row["id"] for row in report["rows"]]
    ways = ("rules", "vector_env", "rules, numba", "vector_env, numba")
    assert ids[:11] == [
        *(f"own/inphexion/{way}" for way in ("rules", "raw_env", "env")),
        *(f"own/inphexion/{way}/{batch}" for way in ways for batch in (1, 8)),
    ]
    assert all("/rules, " in phase for phase in ids[11:])
    assert len(lines) == len(ids)
    for line, row in zip(lines, report["rows"], strict=True):
        assert line.startswith("own ")
        assert f"  {row['way']}  " in line
        if row["id"] in report["missing"]:
            assert "numba" in row["way"]
            assert line.endswith(report["missing"][row["id"]])
            continue
        assert f"{row['steps_per_cpu_second']:,.0f}" in line.split()
        assert len(row["samples_per_cpu_second"]) == len(row["samples_per_second"]) == 2
        assert min(row["samples_per_cpu_second"]) > 0
        assert row["error"] is None
    # all of them, or none where Numba is not installed
    assert list(report["missing"]) in ([], [name for name in ids if ", numba" in name])
    assert {"python", "cpu", "versions", "arguments"} <= report["environment"].keys()


def test_columns_are_aligned():
    lines = run(SCRIPT, *SHORT, "--batch", 8).splitlines()
    end = lines[0].index("steps/cpu-s") + len("steps/cpu-s")
    timed = [line for line in lines[1:] if "missing:" not in line]
    assert len(timed) >= 5
    assert all(line[end - 1].isdigit() and line[end] == " " for line in timed)


def test_missing_peers_are_named(tmp_path):
    printed = run("-c", WITHOUT_PEERS, *SHORT, "--batch", "--peers", "--json", tmp_path / "out.json")
    missing = [line.split()[:2] for line in printed.splitlines() if "missing:" in line]
    named = ["/".join(words) for words in missing]
    assert {"pettingzoo/connect_four_v3", "openspiel/lines_of_action", "pgx/hex", "pgx/chess"} <= set(named)
    why = json.loads((tmp_path / "out.json").read_text())["missing"]
    assert list(why) == named
    assert all(f"{name.partition('/')[2]} " in printed and reason in printed for name, reason in why.items())
    assert all(reason.startswith("missing: ") for reason in why.values())
    assert printed.count("own ") == len(printed.splitlines()) - 1 - len(named)


@pytest.mark.parametrize(
    ("kind", "options"),
    [("floors", ["--floors"]), ("targets", ["--targets"]), ("floors, all cores", ["--floors", "--all-cores"])],
)
def test_floors_without_peers(kind, options, tmp_path):
    printed = run("-c", WITHOUT_PEERS, *SHORT, *options, "--json", tmp_path / "out.json")
    assert printed.count("not measured: missing") == len(printed.splitlines()) - 1 >= 3
    measured = json.loads((tmp_path / "out.json").read_text())[kind]
    assert all(m["met"] is None and m["row"].startswith("own/inphexion/") for m in measured)


def test_floors_met_and_missed():
    code = """
from benchmarks.floors import Floor, floor_table, measure_floors
a, b = "own/inphexion/raw_env", "own/inphexion/rules/2"
measured = measure_floors((Floor(a, 1e-9, b), Floor(a, 1e9, b)), seconds=0.01, repeats=2)
assert [m["met"] for m in measured] == [True, False], measured
assert all(len(m["ratios"]) == 2 and min(m["ratios"]) <= m["ratio"] <= max(m["ratios"]) for m in measured)
print(floor_table(measured))
"""
    lines = run("-c", code).splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["met", "MISSED"]


def test_targets_are_for_every_game_and_way():
    code = """
from benchmarks import own
from benchmarks.floors import TARGETS
ways = ["raw_env", *(f"{way}/{n}" for way in ("rules", "vector_env", "vector_env, numba") for n in (4096, 256))]
assert sorted(t.row for t in TARGETS) == sorted(f"own/{game}/{way}" for game in own.games() for way in ways)
assert all(t.row.split("/")[3:] == t.peer.split("/")[3:] for t in TARGETS)
"""
    run("-c", code)


def test_workers(tmp_path):
    printed = run(SCRIPT, *SHORT, "--batch", 1, 8, "--workers", 2, "--json", tmp_path / "out.json")
    head, line, *others = printed.splitlines()
    assert head.split() == ["row", "steps/s", "one", "worker", "ratio", "from", "to"]
    assert line.startswith("own/inphexion/vector_env, 2 workers/8 ")
    assert all(other.startswith("own/inphexion/vector_env, numba, 2 workers/8 ") for other in others)  # where Numba is installed
    report = json.loads((tmp_path / "out.json").read_text())
    told = report["environment"]["arguments"]
    assert (told["workers"], told["core"], told["all_cores"], told["repeats"], told["seconds"]) == (2, None, True, 2, 0.01)
    assert {"cores", "versions"} <= report["environment"].keys()
    assert "numba" in report["environment"]["versions"]
    row = report["workers"][0]
    assert len(row["ratios"]) == 2
    assert min(row["ratios"]) <= row["ratio"] <= max(row["ratios"])
    assert f"{row['steps_per_second']:,.0f}" in line


def test_workers_that_cannot_be_measured_lose_no_rows():
    code = """
from benchmarks import own, workers
from benchmarks.timing import Row
def cannot(): raise ValueError("workers is 3; there are 2")
row = own.row
own.row = lambda game, way, batch: Row("own", game, way, batch, cannot) if "numba" in way else row(game, way, batch)
measured = workers.measure_workers(["fano330"], [8], 2, 0.01, 2, lambda _: None)
print(measured[0]["ratio"] > 0, measured[1]["error"])
print(workers.lines(measured)[2])
from benchmarks.page import markdown
print(markdown({"workers": measured})["workers"])
"""
    printed = run("-c", code)
    assert printed.splitlines()[0] == "True ValueError: workers is 3; there are 2"
    assert "'not measured: ValueError: workers is 3; there are 2'" in printed
    assert "| `own/fano330/vector_env, numba, 2 workers/8` | - | - | - | ValueError: workers is 3; there are 2 |" in printed


def test_every_part_keeps_what_it_was_measured_with(saved, tmp_path):
    rows, memory = saved
    arguments = {"repeats": 7, "seconds": 2.0, "workers": 2}
    report = {"environment": {"cores": 4, "load_average": [1], "arguments": arguments}, "workers": []}
    (tmp_path / "workers.json").write_text(json.dumps(report))
    kept = tmp_path / "kept.json"
    for files in ((rows, tmp_path / "workers.json", memory), (tmp_path / "workers.json", rows), (kept, memory)):
        run(SCRIPT, "--from-json", *files, "--json", kept)
        merged = json.loads(kept.read_text())
        assert merged["environment"]["arguments"] == {"repeats": 5, "seconds": 1.0}
        assert merged["environments"] == {"workers": {"cores": 4, "arguments": arguments}}


def test_every_row_has_an_id_that_finds_it():
    code = """
from benchmarks import own
from benchmarks.floors import FLOORS, TARGETS
from benchmarks.rows import find
from benchmarks.tables import AGAINST_BATCH, AGAINST_ONE
for row in own.rows(list(own.games()), [1, 8]):
    assert find(row.id).id == row.id, row.id
for floor in (*FLOORS, *TARGETS):
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
    assert "(_play)" in printed


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--game", "checkers"], "'checkers' is no game; the games are inphexion"),
        (["--profile", "own/inphexion"], "suite/game/way"),
        (["--profile", "own/inphexion/raw_env/8"], "no row 'raw_env' for a batch"),
        (["--profile", "pgx/checkers/step/8"], "pgx/checkers is no peer"),
        (["--profile", "own/inphexion(board_size=99)/env"], "board_size"),
        (["--seconds", "0"], "--seconds"),
        (["--workers", "1"], "--workers"),
        (["--workers", "9", "--batch", "1", "8"], "--batch is 1, 8; 9 workers need 9 games at least"),
        (["--workers", "2", "--targets"], "argument --targets: not allowed with argument --workers"),
        (["--list", "--floors"], "argument --floors: not allowed with argument --list"),
        (["--profile", "own/inphexion/vector_env, 2 workers/8"], "the steps are made by workers"),
        (["--profile", "own/inphexion/vector_env, numba, 2 workers/8"], "the steps are made by workers"),
        (["--parts", "own/inphexion/vector_env, 2 workers/8"], "parts are those of own/GAME/vector_env/BATCH"),
        (["--parts", "own/inphexion/vector_env, numba/8"], "parts are those of own/GAME/vector_env/BATCH"),
        (["--profile", "own/inphexion/vector_env, two workers/8"], "'vector_env, numba, 2 workers'"),
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


# ------------------------------------------------------------------------------------------------------ from saved figures


def row(suite, game, way, batch, rate):
    facts = {"suite": suite, "game": game, "way": way, "batch": batch, "error": None, "game_length": None}
    name = "/".join(str(part) for part in (suite, game, way, batch) if part is not None)
    ratios = {"x c4 raw": 2.5} if batch is None else {"x pgx hex": rate / (100 * batch)}
    return facts | {
        "id": name,
        "steps_per_cpu_second": rate,
        "steps_per_second": rate,
        "ratios": ratios,
        "samples_per_second": [rate],
    }


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save(tmp_path_factory.mktemp("saved"))


def save(folder):
    """Two reports: rows, targets and parts; what memory.py saves."""
    rows = [row("own", "inphexion", "raw_env", None, 1234.56789), row("openspiel", "havannah", "lists", None, 5000.0)]
    # 100 us a call and 2 us a game
    rows += [row("own", "inphexion", "vector_env", batch, batch / (100e-6 + 2e-6 * batch)) for batch in (1, 16, 256)]
    rows += [row("pgx", "hex", "step", batch, 100.0 * batch) for batch in (1, 16, 256)]
    arguments = {"repeats": 5, "seconds": 1.0}
    environment = {
        "python": "3.11",
        "cpu": "a processor",
        "load_average": [1],
        "versions": {"numpy": "2.0", "pgx": None},
        "arguments": arguments,
    }
    target = {"row": "own/a", "peer": "pgx/b", "floor": 4, "ratio": 3.9, "ratios": [3.8, 3.9], "met": False, "error": None}
    parts = ("draw", "legality", "rules", "history", "connection", "tables", "mask", "observation", "restart", "rest")
    shares = dict.fromkeys(parts, 0.125)
    report = {"environment": environment, "rows": rows, "missing": {"pgx/chess": "missing: no module"}, "targets": [target]}
    report["targets, all cores"] = [target | {"ratio": 4.75, "ratios": [4.5, 4.75], "met": True}]
    report["parts"] = [{"row": "own/inphexion/vector_env/256", "game": "inphexion", "batch": 256, "parts": shares}]
    (folder / "rows.json").write_text(json.dumps(report))
    sizes = {"state": 100.0, "history": 7.0}
    memory = {"game": "inphexion", "bytes_a_game": sizes, "oldest_history": 0, "before": 1 << 20, "peak": 5 << 20, "met": True}
    (folder / "memory.json").write_text(json.dumps({"memory": [memory]}))
    return folder / "rows.json", folder / "memory.json"


def test_markdown(saved):
    printed = run(SCRIPT, "--from-json", *saved, "--markdown")
    assert printed.count("<!-- table ") == printed.count("<!-- end -->") == 9
    assert "| own inphexion | `raw_env` | 1,235 | 1,235 | 809.7 | 2.50 x | - |" in printed
    assert "| pgx hex | 1.00 x | 1.00 x | 1.00 x |" in printed
    assert "| own inphexion, `vector_env` | 100 | 2,000 | 50 | 0% |" in printed
    assert "| `own/a` | `pgx/b` | 4 x | 3.90 x | 3.80 to 3.90 | missed |" in printed
    assert "| `own/a` | `pgx/b` | 4 x | 4.75 x | 4.50 to 4.75 | met |" in printed
    assert "| inphexion | 100 | 7 | - | 1 | 5 |" in printed
    assert "Missing: pgx/chess (missing: no module)." in printed


def test_markdown_into_a_page(saved, tmp_path):
    page = tmp_path / "page.md"
    names = ("measured", "one-game", "batches", "ratios", "cost", "targets", "targets-all-cores", "parts", "memory")
    page.write_text("above\n" + "".join(f"<!-- table {name} -->\nold\n<!-- end -->\nbetween\n" for name in names))
    run(SCRIPT, "--from-json", *saved, "--markdown", page, "--json", tmp_path / "kept.json")
    once = page.read_text()
    assert once.startswith("above\n")
    assert "old" not in once
    assert once.count("between") == 9
    assert "809.7" in once
    # the kept figures, rounded and merged, make the same page
    kept = (tmp_path / "kept.json").read_text()
    assert "samples" not in kept
    assert "load_average" not in kept
    run(SCRIPT, "--from-json", tmp_path / "kept.json", "--markdown", page, "--json", tmp_path / "kept.json")
    assert page.read_text() == once
    assert (tmp_path / "kept.json").read_text() == kept
    page.write_text("no place")
    assert "0 places for the table 'measured'" in run(SCRIPT, "--from-json", *saved, "--markdown", page, status=2)


def test_the_documentation_shows_what_is_kept_beside_it(tmp_path):
    page = ROOT / "docs" / "performance.md"
    (tmp_path / "page.md").write_text(page.read_text())
    run(SCRIPT, "--from-json", ROOT / "docs" / "performance.json", "--markdown", tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text() == page.read_text()


def test_fit_follows_the_data():
    code = """
from benchmarks.page import fit
batches = (1, 16, 256, 4096)
call, game, misfit = fit(batches, [3e-4 + 1e-7 * batch for batch in batches])
assert abs(call / 3e-4 - 1) < 1e-9 and abs(game / 1e-7 - 1) < 1e-9 and misfit < 1e-9
call, game, misfit = fit(batches, [1e-6 * batch**1.2 for batch in batches])  # dearer by the game in large batches
assert call == 0 and game > 0 and misfit > 0.1
"""
    run("-c", code)


def test_parts():
    head, line = run(SCRIPT, "--parts", "own/inphexion/vector_env/64", "--seconds", "0.1").splitlines()
    shares = dict(zip(head.split()[1:], (int(cell.rstrip("%")) for cell in line.split()[1:]), strict=True))
    within = shares.pop("history") + shares.pop("connection") + shares.pop("tables")
    assert 0 < within <= shares["rules"]
    assert abs(sum(shares.values()) - 100) <= 4  # rounded
    assert min(shares[part] for part in ("draw", "rules", "mask", "observation", "restart")) > 0
    assert "parts are those of own/GAME/vector_env/BATCH" in run(SCRIPT, "--parts", "own/inphexion/rules/8", status=2)


def test_timing_waits_for_what_the_row_before_left_running():
    code = """
import threading, time
from benchmarks.timing import _settle
end = time.perf_counter() + 0.4
def work():
    while time.perf_counter() < end: pass
threading.Thread(target=work).start()
_settle()
print(time.perf_counter() >= end)
"""
    assert run("-c", code) == "True\n"


def test_a_game_has_ended_before_a_row_is_timed():
    """What starts new games may be compiled when it is first needed, and soon after: that is no part of a timing."""
    code = """
from types import SimpleNamespace
from benchmarks import timing
played, clock = 0, 0.0
def run(rounds):
    global played, clock
    for _ in range(rounds):
        played += 1
        clock += 1.0 if played in (30, 60) else 0.001  # as if something were compiled then
timing.time = SimpleNamespace(perf_counter=lambda: clock)
timing.Runner(timing.Row("own", "inphexion", "rules", None, lambda: timing.Work(run, lambda: played // 30)), 0.1)
print(60 < played < 200, played)
"""
    assert run("-c", code).startswith("True")


# ---------------------------------------------------------------------------------------------------------------- memory


def test_memory_counts_every_array(tmp_path):
    printed = run(MEMORY, "--game", "honey_donuts", "xahzo", "--games", 50, "--steps", 30, "--json", tmp_path / "out.json")
    assert [line.split()[-1] for line in printed.splitlines()[1:]] == ["met", "met"]
    donuts, xahzo = json.loads((tmp_path / "out.json").read_text())["memory"]
    sizes = donuts["bytes_a_game"]
    assert (sizes["mask"], sizes["observation"], sizes["final_obs"]) == (36, 150, 150)
    # rewards, terminations, truncations, current_player, _final_obs, final_player
    assert sizes["other"] == 8 + 1 + 1 + 1 + 1 + 1
    assert 8 < donuts["oldest_history"] <= 30
    assert sizes["history"] >= 8 * donuts["oldest_history"]
    assert xahzo["oldest_history"] == xahzo["bytes_a_game"]["history"] == 0
    assert xahzo["bytes_a_game"]["mask"] == 1813
    assert donuts["before"] < donuts["peak"] < donuts["limit"] == 2 << 30


def test_memory_names_what_is_not_there():
    assert "'checkers' is no game" in run(MEMORY, "--game", "checkers", status=2)


COMPILING = ROOT / "benchmarks" / "compiling.py"


def test_compiling_names_what_is_not_there():
    assert "'checkers' is no game" in run(COMPILING, "--game", "checkers", status=2)
    assert "--threads are from 1" in run(COMPILING, "--threads", 0, status=2)


@pytest.mark.slow
def test_compiling_is_measured(tmp_path):
    head, *lines = run(COMPILING, "--game", "honey_donuts", "--json", tmp_path / "out.json", timeout=600).splitlines()
    assert head.split() == ["game", "threads", "import", "wall", "cpu", "before", "after", "peak"]
    one, two = json.loads((tmp_path / "out.json").read_text())["compile"]
    assert [line.split()[:2] for line in lines] == [["honey_donuts", "1"], ["honey_donuts", "2"]]
    assert 0 < one["before"] < one["after"] <= one["peak"] < two["peak"]
    assert min(m[key] for m in (one, two) for key in ("import_seconds", "wall_seconds", "cpu_seconds")) > 0


@pytest.mark.slow
def test_a_hundred_thousand_games_stay_within_the_limit():
    """Of any game, mask and observation included; the exit status says it."""
    printed = run(MEMORY, timeout=600)
    assert [line.split()[-1] for line in printed.splitlines()[1:]] == ["met"] * 5


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


def test_frames_are_measured():
    head, _, *lines = run(ROOT / "benchmarks" / "frames.py", "--frames", 3).splitlines()
    columns = len(head.split(" | "))
    assert [line.split(" | ")[0] for line in lines] == ["| inphexion", "| honey_donuts", "| fano330", "| xahzo", "| alveole"]
    for line in lines:
        _, *rates = line.strip("| ").split(" | ")
        assert len(rates) == columns - 1
        assert all(int(rate.replace(",", "")) > 0 for rate in rates)
