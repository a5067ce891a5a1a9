"""Honey Donuts where a position text does not say all: rule 5 over the history of a game, by ints and by arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abstract_envs.core.bits import none_set
from abstract_envs.games.honey_donuts.rules import HoneyDonuts
from abstract_envs.perft import perft
from helpers import game_of, outcome_of, outcomes_of

START = "bBb/wwww/ww.ww/wwww/rRr"


def played(game: Any, texts: str) -> list[Any]:
    """The states of a game by ints, each compared with a batch that plays it beside the start."""
    states = game.replay(texts.split())
    batch = game.init(2)
    for state, text in zip(states, [*texts.split(), None], strict=True):
        assert np.flatnonzero(game.action_mask(batch)[0]).tolist() == list(game.legal_actions(state))
        assert outcomes_of(game, batch)[0] == outcome_of(game, state)
        if text is not None:
            batch = game.step(batch, np.array([game.string_to_action(state, text), game.legal_actions(game.init())[0]]))
    return states


def legal(game: Any, state: Any) -> set[str]:
    return {game.action_to_string(state, action) for action in game.legal_actions(state)}


def test_strict_a_position_three_plies_ago() -> None:
    """Red goes to and fro; Blue, who left the start by a1-a3, may not come back to it by a3-a1 when Red has."""
    game = game_of("honey_donuts", {})
    states = played(game, "e1-e3 a1-a3 e3-e1")
    assert game.to_string(states[-1]) == "bbB/wwww/ww.ww/wwww/rRr b bbB/wwww/ww.ww/wwww/rrR"
    text = game.from_string(game.to_string(states[-1]))
    assert legal(game, text) - legal(game, states[-1]) == {"a3-a1"}
    assert legal(game, states[-1]) < legal(game, text)


def test_strict_the_same_player_to_move() -> None:
    """A board may come again with the other player to move: after three turns each and one lost ply it does."""
    game = game_of("honey_donuts", {"setup": "www/wwww/rr.bB/Rwww/bww r -"})
    states = played(game, "c1-c2")  # changes nothing: the board of the start, and Blue to move
    assert game.to_string(states[-1]).split(" ")[0] == game.to_string(states[0]).split(" ")[0]
    # neither side may now push back to this board with the side that has had it to move
    again = played(game, "c1-c2 e1-e3 d1-d4 e3-e1")
    boards = [game.to_string(state).split(" ")[0] for state in again]
    assert boards[0] == boards[1] != boards[4]
    # Red pushes d4-d1: the board of the start with Blue to move has been (after c1-c2)
    assert "d4-d1" not in legal(game, again[4])
    assert "d4-d1" in legal(game, game.from_string(game.to_string(again[4])))


def test_strict_the_opponents_pass_may_not_be_answered_by_a_pass() -> None:
    """Both sides have a short segment of their own regulars; Red changes nothing, and then Blue may not either."""
    game = game_of("honey_donuts", {"setup": "wwB/wwww/rr.bb/Rwww/www r -"})
    before, after = played(game, "c1-c2")
    assert {"c1-c2", "c2-c1"} <= legal(game, before)
    assert not {"c4-c5", "c5-c4"} & legal(game, after)
    assert {"c4-c5", "c5-c4"} <= legal(game, game.from_string(game.to_string(after)))


def test_simple_only_the_last_push_may_not_be_undone() -> None:
    game = game_of("honey_donuts", {"repetition": "simple"})
    states = played(game, "e1-e3 a1-a3 e3-e1")
    assert "a3-a1" in legal(game, states[-1])


def test_simple_the_third_occurrence_is_a_draw() -> None:
    game = game_of("honey_donuts", {"repetition": "simple"})
    states = played(game, "e1-e3 a1-a3 e3-e1 a3-a1 e1-e3 a1-a3 e3-e1 a3-a1")
    assert [outcome_of(game, state) for state in states] == [None] * 8 + ["draw"]
    assert game.to_string(states[-1]) == f"{START} r bbB/wwww/ww.ww/wwww/rRr"
    assert game.rewards(states[-1]) == (0.0, 0.0)
    assert states[-1].past == ()
    # the text alone is a position seen once
    assert outcome_of(game, game.from_string(game.to_string(states[-1]))) is None


@pytest.mark.parametrize("setup", ["www/wwww/rr.bB/Rwww/bww b -", "bBb/wwww/ww.ww/wwww/rrR b wBb/wbww/ww.ww/wwww/rrR"])
def test_setup(setup: str) -> None:
    """A set-up is the start; its last position is forbidden by the simple rule alone."""
    for repetition in ("strict", "simple"):
        game = game_of("honey_donuts", {"setup": setup, "repetition": repetition})
        assert game.to_string(game.init()) == setup
        assert game.options == {"repetition": repetition, "setup": setup}
        assert ("a1-b2" in legal(game, game.init())) == (repetition == "strict" and "rrR" in setup)


class WithoutRule(HoneyDonuts):
    """Rules 1 to 4 alone, which the sheet counts too: no option of the game."""

    def banned(self, board: Any, last: Any, past: Any) -> Any:
        return none_set(board)


def test_perft_without_a_repetition_rule() -> None:
    assert [perft(WithoutRule(), depth) for depth in (1, 2, 3, 4)] == [12, 144, 1820, 22834]
