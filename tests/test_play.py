"""Play in the terminal: what people type, what they are told, and what is saved."""

from __future__ import annotations

import importlib.util
import io
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abstract_envs.agents import AGENTS, RandomAgent
from abstract_envs.cli import main, session
from abstract_envs.cli.session import Session
from abstract_envs.records import GameRecord, read_records, write_records
from helpers import DOORS, NAMES, game_of, random_game

HUMANS = ("human", "human")


def first_legal(game: Any, states: Any, rng: Any) -> Any:
    return game.action_mask(states).argmax(axis=1)


class Typed(io.StringIO):
    """Lines that are typed; "^C" is Ctrl-C."""

    def readline(self, *size: Any) -> str:
        line = super().readline(*size)
        if line.strip() == "^C":
            raise KeyboardInterrupt
        return line


def play(record: GameRecord, players: tuple[Any, Any], *lines: str, save: Path | None = None) -> tuple[Session, str]:
    """A session in which these lines are typed, and what it showed."""
    out = io.StringIO()
    env = DOORS[record.game.name].raw_env(max_plies=None, **record.game.options)
    typed = Typed("".join(line + "\n" for line in lines))
    found = Session(env, record, players, np.random.default_rng(0), typed, out, save)
    found.run()
    return found, out.getvalue()


def small(**more: Any) -> GameRecord:
    return GameRecord(game=game_of("inphexion", {"board_size": 3}), **more)


FANO = GameRecord(game=game_of("fano330", {}))


def last(shown: str) -> str:
    """What was shown in answer to the last line but one."""
    return re.split(r"^(?:player_[01]|game over)>\n", shown, flags=re.MULTILINE)[-2]


# ------------------------------------------------------------------------------------------------------------------ actions


def test_two_people() -> None:
    found, shown = play(small(), HUMANS, "b2", "b2-c2", "b2-b1")
    assert found.record.actions == ("b2", "b2-c2", "b2-b1")
    assert re.findall(r"^(player_[01])>", shown, re.MULTILINE) == ["player_0", "player_1", "player_0", "player_1"]
    # the board after every action, the last one marked
    assert shown.count("   a   b   c\n") == 4
    assert "last action: b2-c2\n" in shown
    assert "[b]" in shown


@pytest.mark.parametrize("name", NAMES)
def test_every_game_is_shown_as_its_environment_shows_it(name: str) -> None:
    env = DOORS[name].env(render_mode="ansi")
    env.reset(seed=5)
    game, texts, boards = env.game, [], [env.render()]
    for _ in range(6):
        action = game.sample(env.game_state, np.random.default_rng(len(texts)))
        texts.append(game.action_to_string(env.game_state, action))
        env.step(action)
        boards.append(env.render())
    found, shown = play(GameRecord(game=game, seed=5 if game.has_chance else None), HUMANS, *texts)
    assert found.record.actions == tuple(texts)
    at = 0
    for board in boards:
        at = shown.index(board, at) + len(board)


def test_an_agent_answers() -> None:
    found, shown = play(small(), ("human", first_legal), "c3")
    assert found.record.actions == ("c3", "c3-b3")
    assert re.findall(r"^(player_[01])>", shown, re.MULTILINE) == ["player_0", "player_0"]
    found, _ = play(small(), (first_legal, "human"))
    assert found.record.actions == ("a1",)


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("b2-c2", "b2-c2"),
        ("  b2-c2 ", "b2-c2"),
        ("b2-c2\r", "b2-c2"),
        ("b2-c", None),  # begins two actions: b2-c2 and b2-c1
        ("b2-b3", "b2-b3"),
        ("b2-a2", "b2-a2"),
        ("B2-A2", "b2-a2"),
        ("1", "b2-c2"),
        ("6", "b2-c1"),
        ("7", None),
        ("0", None),
        ("99999999999999999999", None),
        ("-1", None),
        ("²", None),
        ("b2 c2", None),
        ("", None),
        ("undo b2", None),
        ("quit now", None),
    ],
)
def test_ways_to_type_an_action(typed: str, action: str | None) -> None:
    """In a position of six actions."""
    found, shown = play(small(actions=("b2",)), HUMANS, typed)
    assert found.record.actions == (("b2",) if action is None else ("b2", action))
    assert "1 b2-c2" in shown


def test_an_action_that_begins_another_is_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it would be on a board of ten rows."""
    monkeypatch.setattr(Session, "_legal", lambda self: ["a1", "a1-b1", "b1-c1"])
    found, _ = play(small(), HUMANS, "a1")
    assert found.record.actions == ("a1",)


def test_every_action_can_be_typed() -> None:
    """Relocations too, while captured discs wait."""
    record = small(position="3/ww1/bw1 w -")
    game = record.game
    texts = [game.action_to_string(record.start(), action) for action in game.legal_actions(record.start())]
    for text in texts:
        found, _ = play(record, HUMANS, text)
        assert found.record.actions == (text,)


def test_capitals_are_told_apart_where_the_game_does() -> None:
    record = GameRecord(game=game_of("xahzo", {"board_size": 5, "hand": ["OXXAAHHZZO", "OXAHZOXAHZ"]}))
    found, _ = play(record, HUMANS, "x@a1", "h@e5")
    assert found.record.actions == ("X@a1", "H@e5")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("b2-c", "'b2-c' begins 2 actions: b2-c2, b2-c1"),
        ("7", "7 is none of the numbers 1 to 6; `moves` lists them"),
        ("pass", "'pass' is no action: actions are 'd4', '@d4', 'd4-e4' and 'swap'; cells are a1 to c3"),
        ("a1", "'a1' is not legal in '3/1w1/3 b -'; `moves` lists the actions, `help` the commands"),
        ("save", "save where? `save FILE`"),
        ("undo it", "'undo it' is no action"),
    ],
)
def test_what_is_wrong_is_told_and_asked_again(typed: str, said: str) -> None:
    found, shown = play(small(actions=("b2",)), HUMANS, typed, "b2-b3")
    assert said in shown
    assert found.record.actions == ("b2", "b2-b3")


def test_lists() -> None:
    """Few actions are listed at once, and once; many when asked for."""
    _, shown = play(small(actions=("b2",)), HUMANS, "x", "y")
    assert shown.count("1 b2-c2   2 b2-b3") == 1
    _, shown = play(GameRecord(game=game_of("inphexion", {})), HUMANS, "x", "moves")
    assert last(shown).split()[:4] == ["1", "a1", "2", "b1"]
    assert last(shown).split()[-2:] == ["49", "g7"]
    assert max(map(len, last(shown).splitlines())) <= 78
    assert shown.count("49 g7") == 1


# ----------------------------------------------------------------------------------------------------------------- commands


def test_undo_goes_back_to_the_last_decision_of_a_person() -> None:
    found, _ = play(small(), ("human", first_legal), "c3", "undo")
    assert found.record.actions == ()
    found, _ = play(small(), HUMANS, "b2", "b2-c2", "undo", "b2-b3")
    assert found.record.actions == ("b2", "b2-b3")
    found, shown = play(small(), (first_legal, "human"), "undo")
    assert found.record.actions == ("a1",)
    assert "there is nothing to take back" in shown
    found, _ = play(small(), (first_legal, "human"), "a1-b1", "undo")
    assert found.record.actions == ("a1",)


def test_undo_of_what_was_loaded_and_of_the_end() -> None:
    game = game_of("fano330", {})
    states, actions = random_game(game, 0)
    texts = [game.action_to_string(state, action) for state, action in zip(states, actions, strict=False)]
    whole = GameRecord(game=game, actions=tuple(texts))
    found, shown = play(whole, HUMANS, "undo", texts[-1])
    assert found.record == whole
    assert re.findall(r"^(.*)>", shown, re.MULTILINE)[0] == "game over"
    found, _ = play(whole, HUMANS, *["undo"] * len(texts))
    assert found.record.actions == ()


def test_after_the_end() -> None:
    """Nothing is played any more, but what was can be saved or taken back."""
    record = small(position="wbb/wwb/wwb b -")
    found, shown = play(record, HUMANS, "a1", "1", "hint", "moves", "undo")
    assert found.record == record
    assert shown.count("game over>") == 6
    assert shown.count("and the game is over: `undo`, `save FILE` or `quit`") == 2
    assert "there is nothing to advise" in shown
    assert "there are no actions" in shown


def test_hints() -> None:
    found, shown = play(FANO, HUMANS, "hint")
    assert re.search(r"^perfect would play [ot]\d$", shown, re.MULTILINE)
    assert found.record.actions == ()
    _, shown = play(FANO, HUMANS, "o7", "hint")  # which loses
    assert "perfect would play" in shown


def test_who_gives_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best of the agents that can play the game."""
    for name in ("mcts", "greedy"):
        monkeypatch.delitem(AGENTS, name, raising=False)
    _, shown = play(small(), HUMANS, "hint")
    assert "random would play" in shown
    monkeypatch.setitem(AGENTS, "greedy", RandomAgent)
    _, shown = play(small(), HUMANS, "hint")
    assert "greedy would play" in shown


def test_hints_of_an_agent_by_name() -> None:
    found, shown = play(FANO, HUMANS, "hint ppo", "hint  mcts(simulations=5, leaves=1) ", "hint nobody")
    assert re.search(r"^ppo would play [ot]\d$", shown, re.MULTILINE)
    assert re.search(r"^mcts\(simulations=5, leaves=1\) would play [ot]\d$", shown, re.MULTILINE)
    assert "'nobody' is no agent; the agents known by name are alphabeta, " in shown
    assert found.record.actions == ()
    _, shown = play(small(), HUMANS, "hint perfect", "hint ppo")
    assert "inphexion is not solved" in shown
    assert "the policy for inphexion was trained with board_size=7" in shown


@pytest.mark.parametrize(("options", "who"), [({}, "ppo"), ({"repetition": "simple"}, "perfect")])
def test_hints_where_the_table_does_not_know_the_rules_on_repetition(options: dict[str, Any], who: str) -> None:
    """The policy is the better one, and perfect play is asked where it does not play."""
    _, shown = play(GameRecord(game=game_of("honey_donuts", options)), HUMANS, "hint")
    assert f"\n{who} would play" in shown


@pytest.mark.parametrize("name", NAMES)
def test_rules(name: str) -> None:
    """From the page of the game's module, and nothing else of it."""
    game = game_of(name, {})
    _, shown = play(GameRecord(game=game, seed=0 if game.has_chance else None), HUMANS, "rules")
    page = DOORS[name].__doc__
    rules, actions = (page.split(f"\n## {part}")[1].split("\n## ")[0] for part in ("Rules in short", "Actions"))
    assert rules.strip() in shown
    assert actions.strip() in shown
    assert not any(part in shown for part in ("Version history", "Observation planes", "Ply limit"))


@pytest.mark.parametrize("end", ["quit", "exit", "q"])
def test_help_and_quit(end: str) -> None:
    found, shown = play(small(), HUMANS, "help", end, "b2")
    assert "is no action" not in shown
    assert all(f"  {command} " in shown for command in session.COMMANDS)
    assert found.record.actions == ()


@pytest.mark.parametrize("end", ["quit", "^C", None])
def test_every_end_saves(end: str | None, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    found, shown = play(small(player_0="Ann"), HUMANS, "b2", *([end] if end else []), save=path)
    assert read_records(path) == [found.record] == [small(player_0="Ann", actions=("b2",))]
    assert f"the game is saved in {path}" in shown
    assert shown.endswith("\n")


def test_a_game_is_added_to_the_file_once(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    play(small(), HUMANS, "b2", f"save {path}", "quit", save=path)
    assert [record.actions for record in read_records(path)] == [("b2",)]
    _, shown = play(small(actions=("b2",)), HUMANS, "quit", save=path)
    assert shown.endswith(f"nothing is added to {path}: no action was played\n")
    assert len(read_records(path)) == 1
    play(small(), HUMANS, "b2", f"save {path}", "b2-c2", "quit", save=path)
    assert [record.actions for record in read_records(path)] == [("b2",), ("b2",), ("b2", "b2-c2")]


def test_what_is_not_saved_is_said(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    said = f"nothing is added to {path}: no action was played\n"
    assert play(small(), HUMANS, "quit", save=path)[1].endswith(said)
    assert play(small(position="wbb/wwb/wwb b -"), ("random", "random"), save=path)[1].endswith(said)
    assert not path.exists()
    # nor is there a word of it where it was saved, or nobody asked
    assert "nothing is added" not in play(small(), HUMANS, f"save {path}", "quit", save=path)[1]
    assert "nothing is added" not in play(small(), HUMANS, "quit")[1]


def test_a_game_that_cannot_be_saved(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("to do\n")
    found, shown = play(small(), HUMANS, f"save {other}", f"save {tmp_path}", "b2")
    assert "the game is not saved: " in shown
    assert "line 1: 'to do' follows no header" in shown
    assert shown.count("the game is not saved") == 2
    assert other.read_text() == "to do\n"
    assert found.record.actions == ("b2",)


# -------------------------------------------------------------------------------------------------------------------- agents


def test_two_agents_play_to_the_end_without_a_question() -> None:
    found, shown = play(FANO, ("random", "perfect"))
    assert found.record.result in ("player_1", "draw")
    assert ">" not in shown
    assert shown.count("to place") + shown.count("to move") >= len(found.record.actions)


def test_the_ply_limit() -> None:
    game = game_of("xahzo", {})
    found, shown = play(GameRecord(game=game, seed=1, max_plies=5), ("random", "random"))
    assert (found.record.result, len(found.record.actions)) == ("truncated", 5)
    # as environments say it
    env = DOORS["xahzo"].env(render_mode="ansi", max_plies=5)
    env.reset(seed=1)
    for action in found.record.actions:
        env.step(game.string_to_action(env.game_state, action))
    assert env.render().endswith("\ncut off after 5 actions\n")
    assert shown.endswith(f"{env.render()}\n")


def test_an_agent_that_plays_nonsense(tmp_path: Path) -> None:
    """Is named as what is wrong, and the game up to there is saved."""

    def nonsense(game: Any, states: Any, rng: Any) -> Any:
        return np.array([game.num_actions - 1])

    with pytest.raises(ValueError, match="not legal"):
        play(small(), ("human", nonsense), "b2", save=tmp_path / "games.txt")
    assert read_records(tmp_path / "games.txt")[0].actions == ("b2",)


# --------------------------------------------------------------------------------------------------------------- the command


def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: list[str], typed: str = "") -> str:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert main(["play", *line]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    line = ["xahzo", "--board-size", "5", "--seed", "7", "--save", str(path)]
    command(monkeypatch, capsys, line, "1\n1\n")
    (record,) = read_records(path)
    game = game_of("xahzo", {"board_size": 5})
    env = DOORS["xahzo"].env(board_size=5)
    env.reset(seed=7)
    assert (record.game, record.seed, record.max_plies, len(record.actions)) == (game, 7, 512, 4)
    assert record.start() == env.game_state
    assert (record.player_0, record.player_1) == ("human", "random")
    # the same seed, and the same agent's chance
    command(monkeypatch, capsys, line, "1\n1\n")
    assert read_records(path)[1] == record
    # and on from there, against another, with the options of the file
    command(monkeypatch, capsys, ["xahzo", "--load", str(path), "--player-0", "random", "--save", str(path)])
    whole = read_records(path)[2]
    assert whole.result != "*"
    assert whole.actions[:4] == record.actions
    assert (whole.player_0, whole.player_1, whole.seed) == ("random", "random", 7)


def test_a_deal_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    for _ in range(2):
        command(monkeypatch, capsys, ["xahzo", "--save", str(path)], "1\n")
    one, other = read_records(path)
    assert one.seed != other.seed


def test_position(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["inphexion", "--board-size", "3", "--position", "3/1w1/3 b -"]
    out = command(monkeypatch, capsys, [*line, "--player-1", "human"])
    assert out.endswith("player_1>\n\n")
    out = command(monkeypatch, capsys, [*line, "--player-0", "random"])
    assert out.index("Black (b) to move") < out.index("last action: b2-")
    assert ">" not in out


def test_a_persons_name_in_a_file_is_a_person(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "games.txt"
    write_records(path, [FANO, small(player_0="Ann", player_1="random", actions=("b2",))])
    out = command(monkeypatch, capsys, ["inphexion", "--load", str(path), "--save", str(path)], "1\n")
    assert "player_0>" in out
    assert "player_1>" not in out
    record = read_records(path)[-1]
    assert (record.player_0, record.player_1) == ("Ann", "random")
    assert len(record.actions) >= 3


def test_options_beside_a_file_that_has_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "games.txt"
    write_records(path, [small(actions=("b2",))])
    for options in ([], ["--board-size", "3"], ["--board-size", "3", "--no-pie-rule"]):
        assert "last action: b2" in command(monkeypatch, capsys, ["inphexion", "--load", str(path), *options], "quit\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["go"], "invalid choice: 'go'"),
        (["inphexion", "--player-0", "nobody"], "'nobody' is no agent"),
        (["inphexion", "--player-1", "perfect"], "inphexion is not solved"),
        (["inphexion", "--seed", "-1"], "seed is -1"),
        (["inphexion", "--seed", "abc"], "seed is 'abc'; it is a whole number from 0 to "),
        (["inphexion", "--position", "7/7"], "a position has the fields"),
        (["inphexion", "--board-size", "9"], "board_size is 9"),
        (["inphexion", "--save", "/no/such/folder/games.txt"], "there is no folder /no/such/folder"),
        (["inphexion", "--save", "{notes}"], "line 1: 'to do' follows no header"),
        (["inphexion", "--load", "{notes}"], "line 1: 'to do' follows no header"),
        (["inphexion", "--load", "/no/such/file"], "--load: "),
        (["inphexion", "--load", "{empty}"], "holds no game"),
        (["inphexion", "--load", "{fano}"], "is fano330, not inphexion"),
        (["fano330", "--load", "{fano}", "--repetition-limit", "5"], "has the options {'repetition_limit': 3}"),
        (["inphexion", "--load", "{small}", "--board-size", "6"], "leave --board-size out, or give the same"),
        # which is the default: given is given
        (["inphexion", "--load", "{small}", "--board-size", "7"], "leave --board-size out, or give the same"),
        (["inphexion", "--load", "{small}", "--board-size", "3", "--pie-rule"], "leave --pie-rule out"),
        (["inphexion", "--load", "{small}", "--board-size", "x"], "board_size is 'x'; it is a whole number"),
        (["fano330", "--load", "{fano}", "--position", "x"], "--load and --position are both given"),
    ],
)
def test_wrong_command_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, line: list[str], said: str
) -> None:
    files = {name: tmp_path / name for name in ("notes", "empty", "fano", "small")}
    files["notes"].write_text("to do\n")
    files["empty"].write_text("\n")
    write_records(files["fano"], [FANO])
    write_records(files["small"], [small(actions=("b2",))])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(SystemExit):
        main(["play", *(word.format(**files) for word in line)])
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_as_a_process_with_a_pipe() -> None:
    words = [sys.executable, "-W", "error", "-m", "abstract_envs", "play", "inphexion", "--board-size", "3", "--seed", "1"]
    done = subprocess.run(words, input="b2\nquit\n", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "last action: b2\n" in done.stdout


class Terminal:
    """The command in a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.shown = ""
        self.fd, theirs = pty.openpty()
        # makes it the terminal that Ctrl-C comes from
        begin = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.executable, sys.argv[1:])"
        line = [sys.executable, "-c", begin, sys.executable, "-m", "abstract_envs", *words]
        everything = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        self.process = subprocess.Popen(line, **everything, start_new_session=True, env={**os.environ, "TERM": "dumb"})
        os.close(theirs)

    def wait(self, text: str) -> None:
        """Reads until this has been shown."""
        until = time.monotonic() + 60
        while text not in self.shown:
            if not select.select([self.fd], [], [], max(until - time.monotonic(), 0))[0]:
                self.process.kill()
                pytest.fail(f"{text!r} was not shown, but\n{self.shown}")
            try:
                self.shown += os.read(self.fd, 10_000).decode()
            except OSError:
                pytest.fail(f"the command ended and had not shown {text!r}, but\n{self.shown}")

    def type(self, text: str) -> None:
        self.shown = ""
        os.write(self.fd, text.encode())

    def close(self, end: str) -> int:
        """Types what ends the command, and reads to the end -> the exit code."""
        try:
            for _ in range(60):
                # again and again: a terminal that is just being made ready for a line drops what was typed before
                os.write(self.fd, end.encode())
                while select.select([self.fd], [], [], 1)[0]:
                    self.shown += os.read(self.fd, 10_000).decode()
            self.process.kill()
            pytest.fail(f"{end!r} did not end the command\n{self.shown}")
        except OSError:  # what Linux gives at the end of a terminal
            pass
        os.close(self.fd)
        return self.process.wait(60)


@pytest.mark.parametrize("end", ["\x03", "\x04", "quit\n"])
def test_in_a_terminal(end: str) -> None:
    """With the Tab key, and the three ways to leave."""
    terminal = Terminal("play", "inphexion", "--board-size", "3", "--player-1", "human")
    terminal.wait("player_0> ")
    terminal.type("b2\n")
    terminal.wait("player_1> ")
    has_completion = importlib.util.find_spec("readline") is not None
    terminal.type("b2-b\t3\n" if has_completion else "b2-b3\n")
    terminal.wait("last action: b2-b3")
    terminal.wait("player_0> ")
    terminal.type("und\t\n" if has_completion else "undo\n")
    terminal.wait("last action: b2\r\n")
    terminal.wait("player_1> ")
    assert terminal.close(end) == 0
    assert "Traceback" not in terminal.shown
