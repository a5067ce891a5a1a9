"""XAHZO: against the square-by-square reference, deals, house rules, statistics of play."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abstract_envs.perft import perft
from helpers import game_of, outcome_of, outcomes_of
from reference_xahzo import Position, Reference, offsets
from tables.xahzo import OPTIONS, PERFT_FROM, STATISTICS

HANDS = ["OXXAAHHZZO", "OXAHZOXAHZ"]
MORE_OPTIONS: list[dict[str, Any]] = [
    *OPTIONS,
    {"board_size": 5, "map": "open", "home_rows": 3},
    {"board_size": 5, "swaps": False},
    {"board_size": 5, "quiet_limit": 5},
    {"swaps": False, "home_rows": 2, "hand": "free", "map": "open", "quiet_limit": 30},
    {"board_size": 5, "hand": ["OOOOOXXXXX", "OAAAHHHZZZ"], "home_rows": 5},
    {"board_size": 5, "hand": ["OXXXXXXXXX", "OXXXXXXXXX"], "map": ["c3"]},
]


def chosen(reference: Reference, position: Position, legal: dict[str, int], eager: bool, rng: np.random.Generator) -> str:
    """A random action; if ``eager`` a capture where there is one, so that games come to an end."""
    captures = [text for text in legal if "-" in text and captures_by(reference, position, text)] if eager else []
    texts = captures or list(legal)
    return texts[int(rng.integers(len(texts)))]


def captures_by(reference: Reference, position: Position, text: str) -> bool:
    to = text.partition("-")[2]
    return reference.owner(position, ("abcdefg".index(to[0]), int(to[1:]) - 1)) == 1 - position.player


def plays_as_the_reference(options: dict[str, Any], games: int, seed: int, eager: bool, most: int = 400) -> Counter[Any]:
    """A batch of games; each ply of each game is compared, and with the same game on ints -> the outcomes."""
    game, reference = game_of("xahzo", options), Reference(**options)
    rng = np.random.default_rng(seed)
    states = game.init(games, rng=rng)
    singles = [game.take(states, i) for i in range(games)]
    positions = [reference.from_string(game.to_string(one)) for one in singles]
    met: Counter[Any] = Counter()
    for _ in range(most):
        outcomes, masks, players = outcomes_of(game, states), game.action_mask(states), game.current_player(states)
        actions = []
        for i, position in enumerate(positions):
            legal, text = reference.actions(position), reference.to_string(position)
            assert game.to_string(game.take(states, i)) == game.to_string(singles[i]) == text
            assert np.flatnonzero(masks[i]).tolist() == list(game.legal_actions(singles[i])) == list(legal.values()), text
            assert outcomes[i] == outcome_of(game, singles[i]) == reference.outcome(position), text
            assert players[i] == position.player
            assert len(legal) <= 77 or not position.moving
            met[outcomes[i]] += outcomes[i] is not None
            if not legal:
                actions.append(0)
                continue
            action = chosen(reference, position, legal, eager, rng)
            assert game.action_to_string(singles[i], legal[action]) == action
            actions.append(legal[action])
            positions[i] = reference.play(position, action)
            singles[i] = game.step(singles[i], legal[action])
        states = game.step(states, np.array(actions))
        keep = [i for i, outcome in enumerate(outcomes) if outcome is None]
        if not keep:
            break
        states = game.take(states, keep)
        singles, positions = [singles[i] for i in keep], [positions[i] for i in keep]
    return met


@pytest.mark.parametrize("options", MORE_OPTIONS, ids=str)
def test_plays_as_the_reference(options: dict[str, Any]) -> None:
    met = plays_as_the_reference(options, 12, seed=0, eager=True) + plays_as_the_reference(options, 4, 1, False, most=120)
    assert met.total() >= 12


@pytest.mark.slow
@pytest.mark.parametrize("options", MORE_OPTIONS, ids=str)
def test_plays_as_the_reference_for_long(options: dict[str, Any]) -> None:
    met: Counter[Any] = Counter()
    for seed in range(2, 5):
        met += plays_as_the_reference(options, 60, seed, eager=True) + plays_as_the_reference(options, 20, seed, eager=False)
    assert met.total() > 180


def scattered(board_size: int, rng: np.random.Generator) -> str:
    """A position of the movement phase with some pieces anywhere: few types, so that all endings come up."""
    cells = np.full(board_size**2, ".")
    letters = list(rng.choice(list("XAHZO"), int(rng.integers(1, 4)), replace=False))
    corner = int(rng.integers(2, board_size + 1))  # crowded together, pieces shut one another in
    near = [i for i in range(len(cells)) if i % board_size < corner and i // board_size < corner]
    pieces = [str(rng.choice(letters)) for _ in range(rng.integers(0, 8))]
    pieces += [str(rng.choice(letters)).lower() for _ in range(rng.integers(0, 8))]
    places = rng.permutation(near)[: len(pieces)]
    cells[places] = pieces[: len(places)]
    rows = "/".join("".join(row) for row in cells.reshape(board_size, board_size))
    for run in range(board_size, 0, -1):
        rows = rows.replace("." * run, str(run))
    return f"{rows} {rng.choice(['w', 'b'])} -/- {rng.choice([0, 50, 98, 99, 100])}"


@pytest.mark.parametrize("options", [{}, {"board_size": 5}, {"board_size": 5, "swaps": False}, {"swaps": False}], ids=str)
def test_positions_set_up(options: dict[str, Any]) -> None:
    """Positions that few games reach, and all that can follow."""
    game, reference = game_of("xahzo", options), Reference(**options)
    rng = np.random.default_rng(3)
    texts = [scattered(game.board_size, rng) for _ in range(400)]
    met = set()
    for text in texts:
        state, position = game.from_string(text), reference.from_string(text)
        assert game.to_string(state) == text
        legal, outcome = reference.actions(position), reference.outcome(position)
        assert list(game.legal_actions(state)) == list(legal.values()), text
        assert outcome_of(game, state) == outcome, text
        met.add((outcome, bool(reference.possible(position))))
        if legal:
            after = [reference.play(position, action) for action in legal]
            states = game.step(game.repeat(state, len(legal)), np.array(list(legal.values())))
            for i, action in enumerate(legal):
                assert game.to_string(game.take(states, i)) == reference.to_string(after[i]), (text, action)
            assert outcomes_of(game, states) == [reference.outcome(p) for p in after], text
    assert met >= {(0, True), (1, True), ("draw", True), (None, True), (0, False), (1, False)}


@pytest.mark.parametrize(("options", "text", "counts"), PERFT_FROM)
def test_perft(options: dict[str, Any], text: str, counts: list[int]) -> None:
    game = game_of("xahzo", options)
    assert [perft(game, depth, text) for depth in range(1, len(counts) + 1)] == counts


def test_number_of_actions_and_shape() -> None:
    for n, actions in ((5, 625), (7, 1813)):
        game = game_of("xahzo", {"board_size": n})
        assert game.num_actions == actions
        assert game.observation_shape == (25, n, n)
        assert game_of("xahzo", {"board_size": n, "hand": "free"}).observation_shape == (17, n, n)
        assert game_of("xahzo", {"board_size": n, "swaps": False}).num_actions == actions


# --------------------------------------------------------------------------------------------------------------------- deals


def test_deals_of_a_batch_are_those_of_single_games() -> None:
    game = game_of("xahzo", {})
    seeds = np.random.default_rng(0).integers(0, 2**64, 300, np.uint64, endpoint=False)
    seeds[:3] = 0, 1, 2**64 - 1
    states = game.deal(seeds)
    assert [game.to_string(game.take(states, i)) for i in range(300)] == [game.to_string(game.deal(int(s))) for s in seeds]


def test_deals_are_an_O_and_nine_pieces_drawn_uniformly() -> None:
    game = game_of("xahzo", {})
    size = 40_000
    states = game.deal(np.arange(size, dtype=np.uint64))
    hands = np.array([states.hand, states.opp_hand])
    counts = (hands[:, None] >> np.arange(0, 20, 4, dtype=np.uint64)[:, None] & np.uint64(15)).astype(np.int64)
    assert (counts.sum(1) == 10).all()
    assert (counts[:, 4] >= 1).all()
    counts[:, 4] -= 1
    # of nine pieces each type has 9/5; the variance of a count is 9 * 1/5 * 4/5, the covariance of two -9/25
    assert np.abs(counts.mean(2) - 1.8).max() < 5 * (1.44 / size) ** 0.5
    for hand in counts:
        expected = np.full((5, 5), -9 / 25) + np.eye(5) * 45 / 25
        assert np.abs(np.cov(hand) - expected).max() < 0.05
    # the two hands have nothing to do with one another, nor with those of the next seed
    between = np.corrcoef(counts[0], counts[1])[:5, 5:]
    following = np.corrcoef(counts[0][:, 1:], counts[0][:, :-1])[:5, 5:]
    assert max(np.abs(between).max(), np.abs(following).max()) < 5 / size**0.5
    assert counts.max() == 9 or counts.max() >= 7


def test_chance_is_a_matter_of_the_hand() -> None:
    assert game_of("xahzo", {}).has_chance
    for hand in ("free", HANDS):
        game = game_of("xahzo", {"hand": hand})
        assert not game.has_chance
        assert game.init() == game.init(rng=np.random.default_rng(0)) == game.deal(7)
    assert (
        game_of("xahzo", {"hand": HANDS})
        .to_string(game_of("xahzo", {"hand": HANDS}).init())
        .endswith(" w XXAAHHZZOO/xxaahhzzoo 0")
    )


def test_options_have_one_form() -> None:
    """Equal rules are equal games, however the options were written."""
    make = game_of("xahzo", {}).__class__
    assert make() == make(map="ring") == make(map=(c + r for r in "543" for c in "edc")) == make(map=None)
    assert make(board_size=5) == make(board_size=5, map={"c3", "c2", "c4", "b3", "d3"})
    assert make(map=[]) == make(map="open")
    assert make(map=["b2", "a1", "b2"]) == make(map=("a1", "b2"))
    assert make(map=["b2", "a1"]).options["map"] == ("a1", "b2")
    assert make(hand=HANDS) == make(hand=("XXAAHHZZOO", "ZHAXOZHAXO"))
    assert len({make(), make(map="ring"), make(map="open"), make(hand=HANDS), make(hand=tuple(HANDS))}) == 3


# --------------------------------------------------------------------------------------------------------------- house rules


@st.composite
def rules(draw: st.DrawFn) -> dict[str, Any]:
    n = draw(st.sampled_from([5, 7]))
    squares = [c + str(r) for c in "abcdefg"[:n] for r in range(1, n + 1)]
    hand = st.lists(st.sampled_from("XAHZO"), min_size=9, max_size=9).map(lambda pieces: "O" + "".join(pieces))
    return {
        "board_size": n,
        "map": draw(st.lists(st.sampled_from(squares), max_size=n * n, unique=True)),
        "home_rows": draw(st.one_of(st.none(), st.integers(1, n))),
        "swaps": draw(st.booleans()),
        "hand": draw(st.one_of(st.sampled_from(["random", "free"]), st.tuples(hand, hand))),
        "quiet_limit": draw(st.integers(1, 120)),
    }


@settings(max_examples=150)
@given(rules(), st.integers(0, 2**32))
def test_any_map_and_house_rules_play_to_the_end(options: dict[str, Any], seed: int) -> None:
    """Refused exactly where placement could get stuck; else 14 drops, each by somebody who can, and an end."""
    reference = Reference(**options)
    zones = [{s for s in reference.squares if reference.in_zone(player, s)} for player in (0, 1)]
    shared = min(7, len(zones[0] & zones[1]))
    make = game_of("xahzo", {}).__class__
    if min(map(len, zones)) < 7 + shared:
        with pytest.raises(ValueError, match=r"^(map|home_rows) is "):
            make(**options)
        return
    game, rng = make(**options), np.random.default_rng(seed)
    states = game.init(24, rng=rng)
    for ply in range(14):
        assert (states.drops == ply).all()
        assert game.action_mask(states).any(1).all()
        # player_1 in the way of player_0 as much as can be, and the other way round
        mask = game.action_mask(states)
        crowd = [i for i, square in enumerate(reference.squares) if square in zones[0] & zones[1]]
        for_all = np.flatnonzero(mask.any(1))
        hindering = [[a for a in np.flatnonzero(mask[i]) if a % len(reference.squares) in crowd] for i in for_all]
        drawn = game.sample(states, rng)
        states = game.step(
            states, np.array([h[int(rng.integers(len(h)))] if h else d for h, d in zip(hindering, drawn, strict=True)])
        )
    assert ((states.drops == 14) & (states.hand == 0) & (states.opp_hand == 0)).all()
    states = game.playout(states, rng)
    assert game.is_terminal(states).all()


# ---------------------------------------------------------------------------------------------------------------- statistics


def play_out(options: dict[str, Any], games: int, eager: bool, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Games between random players, or between players who capture whenever they can -> lengths, outcomes."""
    game, rng = game_of("xahzo", options), np.random.default_rng(seed)
    states, rows = game.init(games, rng=rng), np.arange(games)
    lengths, outcomes = np.zeros(games, np.int64), np.zeros(games, np.int64)
    while len(rows):
        actions = game.sample(states, rng)
        if eager:
            mask = game.action_mask(states) & taking(game, states)
            some = np.flatnonzero(mask.any(1))
            actions[some] = (rng.random((len(some), game.num_actions), np.float32) * mask[some]).argmax(1)
        states = game.step(states, actions)
        lengths[rows] += 1
        going = np.flatnonzero(~game.is_terminal(states))
        outcomes[rows] = states.outcome
        states, rows = game.take(states, going), rows[going]
    return lengths, outcomes


def taking(game: Any, states: Any) -> Any:
    """Moves onto an enemy piece, among the legal ones: ``int8[B, A]``."""
    n, cells = game.board_size, len(game.board)
    theirs = np.zeros(len(states.hand), np.uint64)
    for word in states.opp:
        theirs |= word
    taking = np.zeros((len(theirs), game.num_actions), np.int8)
    for letter, word in zip("XAHZO", states.own, strict=True):
        for d, (c, r) in enumerate(offsets(letter)):
            for cell in range(cells):
                column, row = cell % n + c, cell // n + r
                if 0 <= column < n and 0 <= row < n:
                    here = word >> np.uint64(cell) & theirs >> np.uint64(n * row + column) & np.uint64(1)
                    taking[:, (5 + d) * cells + cell] |= here.astype(np.int8)
    return taking


@pytest.mark.slow
@pytest.mark.parametrize(("options", "eager", "plies", "shares"), STATISTICS)
def test_statistics(options: dict[str, Any], eager: bool, plies: float, shares: tuple[float, float, float]) -> None:
    """10,000 games; the sheet's own standard error, of 1,000 games, is most of the difference that is allowed (4 of them)."""
    lengths, outcomes = play_out(options, 10_000, eager, seed=0)
    errors = [(lengths.std() * (1 / size) ** 0.5) for size in (1_000, 10_000)]
    assert abs(lengths.mean() - plies) < 0.5 + 4 * (errors[0] ** 2 + errors[1] ** 2) ** 0.5
    for outcome, share in zip((1, 2, 3), shares, strict=True):
        found = float((outcomes == outcome).mean())
        error = (found * (1 - found) * (1 / 1_000 + 1 / 10_000)) ** 0.5
        assert abs(found - share) < 0.005 + 4 * error, (outcome, found)


# --------------------------------------------------------------------------------------------------------- the deal as draws


def test_draws_deal_what_seeds_deal() -> None:
    """Rule 1: nine draws of any type for player_0, then nine for player_1, and an O to each."""
    game = game_of("xahzo", {})
    assert game.chance_draws == (("X", "A", "H", "Z", "O"),) * 18
    for seed in range(50):
        dealt = game.deal(seed)
        hands = game.to_string(dealt).split()[2].upper().split("/")
        outcomes = ["XAHZO".index(letter) for hand in hands for letter in hand.replace("O", "", 1)]
        assert game.start_of_draws(outcomes) == dealt
    assert game.to_string(game.start_of_draws([0] * 9 + [3] * 9)).split()[2] == "XXXXXXXXXO/zzzzzzzzzo"


@pytest.mark.parametrize("hand", ["free", HANDS])
def test_nothing_is_drawn_without_chance(hand: Any) -> None:
    game = game_of("xahzo", {"hand": hand})
    assert game.chance_draws == ()
    assert game.start_of_draws([]) == game.init()
