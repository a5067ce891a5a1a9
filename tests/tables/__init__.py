"""What each game's rule sheet says, as data for the suites that run over every game of ``abstract_envs.GAMES``.

One module a game, named as the game. Each holds

* OPTIONS: sets of options that the suites play, the defaults first;
* PERFT: (options, counts at depth 1, 2, ..) from the sheet;
* POSITIONS: `Case`s with what is legal and who has won, reasoned from the sheet by hand;
* IMPOSSIBLE: (options, position text, parts of the error's message);
* BAD_OPTIONS: (options, parts of the ValueError's message); none for a game without options;
* SYMMETRIES: (options, how many there are, how many of them exchange the players);
* observation(game, text, observer, ended): the planes by name, ``{name: rows of numbers}``, made from a position text.

and, where a game has them,

* history_matters(options): whether earlier positions decide what is legal or who wins;
* without_history(text): the part of a position text that is the position alone.

and, where recorded data name options that the sheet does not list,

* UNLISTED: each with the value that the sheet fixes. To give it is an error; the records are games without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A position and what the rules say about it.

    legal: all legal action texts in index order, separated by spaces; None where only the rest is looked at.
    also, never: action texts that are, and are not, legal.
    outcome: 0, 1, "draw", or None while the game runs.
    then: pairs (action text, position text afterwards, outcome afterwards) of actions that follow from one another.
    """

    note: str
    position: str
    outcome: Any = None
    legal: str | None = None
    also: str = ""
    never: str = ""
    then: tuple[tuple[str, str, Any], ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
