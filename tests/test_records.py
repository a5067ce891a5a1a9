"""Game records: what is written is read back, what is read has been played, and every error names its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import abstract_envs
from abstract_envs.records import RESULTS, GameRecord, parse_records, read_records, write_records
from helpers import CONFORMANCE, DOORS, EVERY_GAME, NAMES, TABLES, every_game, game_of, label, outcome_of, random_game

GAMES = [parameter.values[0] for parameter in EVERY_GAME]
lines_of_text = st.text(min_size=1).filter(lambda text: text.isprintable() and text.strip())


def played(game: Any, seed: int, plies: int, **more: Any) -> GameRecord:
    """The first plies of a random game."""
    states, actions = random_game(game, seed)
    start = {"position": game.to_string(states[0])} if game.has_chance else {}
    texts = [game.action_to_string(state, action) for state, action in zip(states, actions, strict=False)]
    return GameRecord(game=game, actions=tuple(texts[:plies]), **start, **more)


# --------------------------------------------------------------------------------------------------------------- round trips


@settings(max_examples=60)
@given(st.data())
def test_round_trip(data: Any) -> None:
    """Of several games in a file: any game, options, start, length, names and limit."""
    records: list[GameRecord] = []
    for _ in range(data.draw(st.integers(0, 3))):
        game = data.draw(st.sampled_from(GAMES))
        states, actions = random_game(game, data.draw(st.integers(0, 1)), 60)
        begin = data.draw(st.integers(0, len(actions)))
        end = data.draw(st.integers(begin, min(len(actions), begin + 30)))
        more: dict[str, Any] = {}
        for field in ("player_0", "player_1", "event"):
            more[field] = data.draw(st.none() | lines_of_text)
        more["date"] = data.draw(st.none() | st.dates().map(str))
        more["max_plies"] = data.draw(st.none() | st.integers(max(end - begin, 1), 600))
        position = game.to_string(states[begin])
        if begin or game.has_chance or data.draw(st.booleans()):
            more["position"] = position
        state, texts = game.from_string(position), []  # without the past, in which other moves may be legal
        for action in actions[begin:end]:
            if not game.is_legal(state, action):
                break
            texts.append(game.action_to_string(state, action))
            state = game.step(state, action)
        record = GameRecord(game=game, actions=tuple(texts), **more)
        assert game.to_string(record.replay()[-1]) == game.to_string(state)
        records.append(record)
    text = "\n".join(map(str, records))
    assert parse_records(text) == records
    assert "\n".join(map(str, parse_records(text))) == text
    assert parse_records("\n\n" + text.replace("\n", "\r\n") + "\n\n") == records


@every_game
def test_a_seed_deals_as_the_environment_does(game: Any) -> None:
    """What was played in an environment after reset(seed=...) is told by the seed and the actions alone."""
    env = DOORS[game.name].env(**game.options)
    for seed in (0, 7, 2**64 - 1):
        env.reset(seed=seed)
        start, actions, rng = env.game_state, [], np.random.default_rng(seed % 1000)
        while env.agents and len(actions) < 25 and not any(env.terminations.values()):
            actions.append(game.sample(env.game_state, rng))
            env.step(actions[-1])
        record = GameRecord.of(game, actions, **({"seed": seed} if game.has_chance else {}))
        (again,) = parse_records(str(record))
        states = again.replay()
        assert states[0] == start
        assert states[-1] == env.game_state
        assert len(states) == len(actions) + 1


def _conformance() -> list[Any]:
    rows = [json.loads(line) for name in NAMES for line in (CONFORMANCE / f"{name}.jsonl").read_text().splitlines()]
    return [pytest.param(row, id=f"{row['game']}-{row['seed']}-{i}") for i, row in enumerate(rows)]


@pytest.mark.parametrize("row", _conformance())
def test_recorded_games(row: dict[str, Any]) -> None:
    """Games recorded elsewhere, with their results, to records and back."""
    options = {k: v for k, v in row["options"].items() if k not in getattr(TABLES[row["game"]], "UNLISTED", {})}
    game = game_of(row["game"], options)
    actions = tuple(ply["action"] for ply in row["plies"])
    record = GameRecord(game=game, actions=actions, position=row["start"])
    expected = {None: "*", "draw": "draw", 0: "player_0", 1: "player_1"}[row["outcome"]]
    assert record.result == expected
    (again,) = parse_records(str(record))
    assert again == record
    assert [game.to_string(state) for state in again.replay()] == [*(ply["position"] for ply in row["plies"]), row["final"]]
    # from the actions' numbers, and from the start as a state
    numbers = [game.string_to_action(state, text) for state, text in zip(again.replay(), actions, strict=False)]
    assert GameRecord.of(game, numbers, game.from_string(row["start"])) == record


def test_the_text() -> None:
    """Written by hand."""
    game = game_of("inphexion", {"board_size": 5, "pie_rule": True})
    names = {"player_0": 'Ann "the disc"', "player_1": "Zoë"}
    record = GameRecord(game=game, actions=("c3", "swap"), date="2026-01-31", **names)
    assert str(record) == (
        '[Game "inphexion_v0"]\n[board_size 5]\n[pie_rule true]\n[Player0 "Ann \\"the disc\\""]\n[Player1 "Zoë"]\n'
        '[Date "2026-01-31"]\n[Result "*"]\n1. c3 swap\n'
    )
    assert parse_records(str(record)) == [record]


@every_game
def test_options_are_written_if_they_are_not_the_usual_ones(game: Any) -> None:
    record = played(game, 0, 3)
    written = {line[1:].split(" ")[0] for line in str(record).splitlines() if line[1].islower()}
    usual = type(game)().options
    assert written == {name for name, value in game.options.items() if value != usual[name]}
    assert parse_records(str(record))[0].game == game


def test_actions_with_numbers_without_or_one_a_line() -> None:
    record = played(game_of("alveole", {}), 0, 25)
    head, _, _ = str(record).partition("1. ")
    assert str(record).count("\n") == head.count("\n") + 3
    for moves in (" ".join(record.actions), "\n".join(f"{i}. {a}" for i, a in enumerate(record.actions, 1))):
        assert parse_records(head + moves) == [record]


def test_results() -> None:
    game = game_of("fano330", {})
    states, actions = random_game(game, 0)
    full = played(game, 0, len(actions))
    assert outcome_of(game, states[-1]) in (0, 1)
    assert full.result == f"player_{outcome_of(game, states[-1])}"
    assert played(game, 0, len(actions) - 1).result == "*"
    assert played(game, 0, 3, max_plies=3).result == "truncated"
    assert played(game, 0, 3, max_plies=4).result == "*"
    # a game that ends with its last allowed ply is not cut off
    assert played(game, 0, len(actions), max_plies=len(actions)).result == full.result
    drawn = game_of("xahzo", {"map": "open", "swaps": False, "quiet_limit": 1})
    assert {r.result for r in (played(drawn, seed, 400) for seed in range(4))} == {"draw"}
    assert set(RESULTS) == {"player_0", "player_1", "draw", "truncated", "*"}


def test_records_are_values() -> None:
    record = played(game_of("fano330", {}), 0, 3)
    assert hash(record) == hash(parse_records(str(record))[0])
    assert record != played(game_of("fano330", {}), 0, 2)
    assert record != played(game_of("fano330", {"repetition_limit": 2}), 0, 3)


def test_a_past_that_the_text_does_not_hold() -> None:
    """Fano330's text counts the occurrences of its own position, not those of earlier ones."""
    game = game_of("fano330", {"repetition_limit": 2})
    loop = _loop(game)
    states = [loop[0][0]]
    for _, action in loop[:-1]:
        states.append(game.step(states[-1], action))
    # the last action of the loop ends the game, unless the past is forgotten
    with pytest.raises(ValueError, match="the past of the start matters"):
        GameRecord.of(game, [loop[-1][1]], states[-1])
    whole = GameRecord.of(game, [action for _, action in loop], loop[0][0])
    assert whole.result == "draw"


def _loop(game: Any) -> list[tuple[Any, int]]:
    """Four moves that lead back to a position: a piece of each side there and back again."""
    for seed in range(200):
        for state in random_game(game, seed)[0]:
            start = game.from_string(game.to_string(state))
            for a in game.legal_actions(start):
                text = game.action_to_string(start, a)
                if "-" not in text:
                    continue
                one = game.step(start, a)
                for b in game.legal_actions(one):
                    texts = [text, game.action_to_string(one, b)]
                    if "-" not in texts[1]:
                        continue
                    try:
                        back = [text[::-1] for text in texts]
                        states = game.replay([*texts, *back], start)
                    except ValueError:
                        continue
                    if outcome_of(game, states[-1]) == "draw":
                        numbers = [game.string_to_action(s, t) for s, t in zip(states, [*texts, *back], strict=False)]
                        return list(zip(states, numbers, strict=False))
    raise AssertionError("no loop found")


# --------------------------------------------------------------------------------------------------------------------- files


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    records = [played(game_of(name, {}), seed, 12, player_0="Zoë") for name in NAMES for seed in (0, 1)]
    write_records(path, records)
    assert read_records(path) == records
    assert path.read_text(encoding="utf-8").count("\n\n") == len(records) - 1
    write_records(path, records[:1])
    write_records(path, records[1:], append=True)
    assert read_records(str(path)) == records
    write_records(path, [], append=True)
    assert read_records(path) == records
    write_records(path, [])
    assert read_records(path) == []
    write_records(path, records[:1], append=True)
    assert read_records(path) == records[:1]


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda text: b"\xef\xbb\xbf" + text, id="byte order mark"),
        pytest.param(lambda text: text.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(lambda text: text.rstrip(b"\n"), id="no end of line"),
        pytest.param(lambda text: text.replace(b"\n", b"\r\n").rstrip(), id="CRLF, no end of line"),
    ],
)
def test_files_that_an_editor_has_saved(edit: Any, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    records = [played(game_of(name, {}), 0, 12, player_0="Zoë") for name in NAMES]
    write_records(path, records[:2])
    path.write_bytes(edit(path.read_bytes()))
    assert read_records(path) == records[:2]
    write_records(path, records[2:], append=True)
    assert read_records(path) == records


def test_another_file_is_not_added_to(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("to do: play\n")
    with pytest.raises(ValueError, match="notes.txt, line 1: 'to do: play' follows no header"):
        write_records(path, [played(game_of("fano330", {}), 0, 1)], append=True)
    assert path.read_text() == "to do: play\n"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="notes.txt: this is no UTF-8 text"):
        read_records(path)


# -------------------------------------------------------------------------------------------------------------------- errors

FANO = '[Game "fano330_v0"]\n'
OPEN = '[Result "*"]\n'
SMALL = '[Game "inphexion_v0"]\n[board_size 3]\n'
XAHZO = '[Game "xahzo_v0"]\n'


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        # headers
        ("o1 o2", 1, ["'o1 o2' follows no header"]),
        (FANO + OPEN + "\no1 o2", 4, ["'o1 o2' follows no header", "without an empty line"]),
        (OPEN, 1, ["no header Game", "Result"]),
        (FANO + "o1", 1, ["no header Result", "Game"]),
        (FANO + OPEN + FANO, 3, ["Game is given twice, first in line "]),
        (FANO + OPEN + OPEN, 3, ["Result is given twice, first in line "]),
        (FANO + '[Rated "yes"]\n' + OPEN, 2, ["Rated is no header", "Player0", "repetition_limit"]),
        ('[Game "alveole_v0"]\n[board_size 5]\n' + OPEN, 2, ["board_size is no header", "alveole_v0: none"]),
        ('[Game "go_v0"]\n' + OPEN, 1, ["Game is 'go_v0'", *(f"'{name}_v0'" for name in NAMES)]),
        ('[Game "fano330"]\n' + OPEN, 1, ["Game is 'fano330'", "'fano330_v0'"]),
        ("[Game 3]\n" + OPEN, 1, ["Game is 3"]),
        ('[Game ["fano330_v0"]]\n' + OPEN, 1, ["Game is ['fano330_v0']"]),
        ("[Game fano330_v0]\n" + OPEN, 1, ["the value of Game is fano330_v0", "JSON"]),
        ("[Game]\n" + OPEN, 1, ["'[Game]' is no header", "[Name value]"]),
        ('[Game "fano330_v0"\n' + OPEN, 1, ["is no header"]),
        (FANO + f"[Seed {'9' * 5000}]\n" + OPEN, 2, ["Seed"]),
        (FANO + f"[Event {'[' * 100_000}]\n" + OPEN, 2, ["Event"]),
        # options
        (FANO + "[repetition_limit 1]\n" + OPEN, 2, ["repetition_limit is 1", "from 2 to 100"]),
        (FANO + '[repetition_limit "3"]\n' + OPEN, 2, ["repetition_limit is '3'"]),
        (FANO + "[repetition_limit null]\n" + OPEN, 2, ["repetition_limit is None"]),
        ('[Game "inphexion_v0"]\n[board_size 4]\n[neutral true]\n' + OPEN, 3, ["neutral=True needs a centre cell"]),
        (XAHZO + '[Seed 1]\n[map ["a9"]]\n' + OPEN, 3, ["map is ['a9']"]),
        # the start
        (XAHZO + OPEN, 1, ["dealt at random", "a seed or a position is needed"]),
        (FANO + "[Seed 5]\n" + OPEN, 2, ["seed is 5", "not dealt at random"]),
        (XAHZO + "[Seed -1]\n" + OPEN, 2, ["seed is -1", "from 0 to"]),
        (XAHZO + '[Seed "1"]\n' + OPEN, 2, ["seed is '1'"]),
        (XAHZO + "[Seed true]\n" + OPEN, 2, ["seed is True"]),
        (
            XAHZO + '[Position "7/7/7/7/7/7/7 w OOOOOOOOOO/oooooooooo 0"]\n[Seed 1]\n' + OPEN,
            3,
            ["seed and position are both given"],
        ),
        (SMALL + '[Position "3/1w1/3"]\n' + OPEN, 3, ["a position has the fields"]),
        (SMALL + "[Position 3]\n" + OPEN, 3, ["position is 3"]),
        (SMALL + "[Position null]\n" + OPEN, 3, ["position is null"]),
        # other headers
        (FANO + "[MaxPlies 0]\n" + OPEN, 2, ["max_plies is 0", "at least 1"]),
        (FANO + "[MaxPlies 2.0]\n" + OPEN, 2, ["max_plies is 2.0"]),
        (FANO + "[Player0 null]\n" + OPEN, 2, ["player_0 is null"]),
        (FANO + '[Player1 "a\\nb"]\n' + OPEN, 2, ["player_1 is 'a\\nb'", "a line of text"]),
        (FANO + '[Player1 " "]\n' + OPEN, 2, ["player_1 is ' '"]),
        (FANO + "[Event 3]\n" + OPEN, 2, ["event is 3"]),
        (FANO + '[Date "31.1.2026"]\n' + OPEN, 2, ["date is '31.1.2026'", "2026-01-31"]),
        (FANO + '[Date "2026-02-30"]\n' + OPEN, 2, ["date is '2026-02-30'"]),
        (FANO + '[Date "20260130"]\n' + OPEN, 2, ["date is '20260130'"]),
        # results
        (FANO + '[Result "1-0"]\n', 2, ["Result is '1-0'", "'player_0', 'player_1', 'draw', 'truncated', '*'"]),
        (FANO + '[Result ["*"]]\n', 2, ["Result is ['*']"]),
        (FANO + '[Result "draw"]\no1 o2', 2, ["Result is 'draw'", "2 actions", "'*'"]),
        (FANO + '[MaxPlies 2]\n[Result "*"]\no1 o2', 3, ["Result is '*'", "'truncated'"]),
        (FANO + '[MaxPlies 3]\n[Result "truncated"]\no1 o2', 3, ["Result is 'truncated'", "'*'"]),
        # actions
        (FANO + OPEN + "o1 o2\nt9", 4, ["action 3, 't9', in 'O/o/-/-/-/-/- w 1'", "is no action"]),
        (FANO + OPEN + "1. o1 o1 o1", 3, ["action 3, 'o1', in 'Oo/-/-/-/-/-/- w 1'", "not legal"]),
        (FANO + OPEN + "o1\n3. o2", 4, ["'3.'", "action 2"]),
        (FANO + OPEN + "o1\n02. o2", 4, ["'02.'", "action 2"]),
        (FANO + OPEN + "1. o1 2.", 3, ["'2.'", "action 2"]),
        (FANO + OPEN + "1. 1. o1", 3, ["'1.'", "action 1"]),
        (FANO + OPEN + "o1 o2 *", 3, ["action 3, '*'", "is no action"]),
        (FANO + OPEN + 'o1 o2\n[Event "x"]', 4, ["behind actions", "empty line"]),
        (FANO + '[MaxPlies 2]\n[Result "truncated"]\no1 o2 o4', 4, ["action 3, 'o4'", "ply limit, 2"]),
        (SMALL + '[Position "wbb/wwb/wwb b -"]\n[Result "player_0"]\na1-a2', 5, ["action 1, 'a1-a2'", "ended before"]),
    ],
)
def test_errors(text: str, line: int, said: list[str]) -> None:
    """With another game before it, whose lines count too."""
    for before in ("", str(played(game_of("fano330", {}), 0, 2)) + "\n"):
        with pytest.raises(ValueError) as refused:  # noqa: PT011 what it says is looked at below
            parse_records(before + text)
        message = str(refused.value)
        assert message.startswith(f"line {line + before.count(chr(10))}: "), message
        for part in said:
            assert part in message, message


def read(text: str) -> tuple[list[GameRecord], str]:
    """The records of a text, or why it is refused."""
    try:
        return parse_records(text), ""
    except ValueError as error:
        return [], str(error)


@every_game
@pytest.mark.parametrize("value", [None, True, -1, 1e400, "x", "", [], ["a1"], [1], {"a": []}, [[]], ["O" * 10, "O" * 10]])
def test_any_value_of_an_option_is_taken_or_refused(game: Any, value: Any) -> None:
    """By a ValueError with its line, and nothing else."""
    name = f"{game.name}_v0"
    for option in game.options:
        text = f'[Game "{name}"]\n[{option} {json.dumps(value)}]\n[Seed 1]\n[Result "*"]\n'
        records, refusal = read(text)
        assert refusal.startswith(("line 2: ", "line 3: ")) != bool(records), label(name, {option: value})
        assert parse_records("".join(map(str, records))) == records


@given(st.text(alphabet='[]"\\ \n\r\tabcot123.-*:{}', max_size=60))
def test_nonsense(text: str) -> None:
    records, refusal = read(text)
    assert records == []
    assert refusal.startswith("line ") == bool(text.strip())


@given(st.integers(0, 10_000), st.sampled_from('[]" \nx1.'), st.sampled_from(["insert", "replace", "delete"]))
def test_a_character_changed(place: int, character: str, how: str) -> None:
    """A damaged record is refused, or is another that is a game too; never anything but a ValueError."""
    text = str(played(game_of("inphexion", {"board_size": 5, "neutral": True}), 1, 30, player_0="Ann"))
    at = place % len(text)
    damaged = text[:at] + (character if how != "delete" else "") + text[at + (how != "insert") :]
    records, refusal = read(damaged)
    assert refusal.startswith("line ") != bool(records)
    assert parse_records("\n".join(map(str, records))) == records


def test_no_fields_that_cannot_be() -> None:
    game = game_of("fano330", {})
    for field, value in (("seed", -1), ("position", 3), ("max_plies", 0), ("player_0", ""), ("event", "a\nb"), ("date", "x")):
        with pytest.raises(ValueError, match=f"{field} is "):
            GameRecord(game=game, **{field: value})
    with pytest.raises(ValueError, match="not legal"):
        GameRecord.of(game, [43])


def test_every_game_has_a_name_with_its_version() -> None:
    assert [door.__name__.rpartition(".")[2] for door in abstract_envs.GAMES] == [
        json.loads(str(played(door.game(), 0, 0)).split("\n")[0].removeprefix("[Game ").removesuffix("]"))
        for door in abstract_envs.GAMES
    ]
