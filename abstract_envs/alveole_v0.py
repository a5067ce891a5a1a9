"""# Alveole

Lines of Action on a hexagonal board, also known as Grapiz (Motion-Twin, 2004): gather all your pieces into one group.

| | |
|---|---|
| Import | `from abstract_envs import alveole_v0` |
| Agents | `player_0` (Red), `player_1` (Blue) |
| Board | hexagon of side 5, 61 cells |
| Actions | `Discrete(366)` |
| Observation | `Box(0, 1, (4, 9, 9), int8)` |
| Rewards | +1 winner, -1 loser, at the end; no draws |
| Longest game | no bound by the rules; truncated after 400 plies (99.5 % of random games end before) |

## Rules in short

Each player has nine pieces. You move one of them along a line, in one of six directions, by exactly as many cells as there are
pieces of both colours on that whole line. It may jump over your own pieces, not over the opponent's, and must not land on one of
your own; an opponent's piece that it lands on is captured. Who has all pieces in one connected group wins, and one piece left is
a group. If a move joins both sides, the mover wins; if it joins only the opponent's, the opponent wins. A player who cannot move
loses.

## Options

None. Environments take `max_plies` (400; None: no limit) and `render_mode` (None, `"human"`, `"rgb_array"`, `"svg"`, `"ansi"`),
with `width`, `height`, `theme`, `coordinates` and `legal_moves` for pictures.

## Actions

| index | text | |
|---|---|---|
| 61*direction + cell | `e1-e3` | move the piece on e1; the position says how far, the text where it lands |

Columns are a to i from the left; within a column cells are numbered from the top. Cells count in reading order of the names: a1,
a2, .. a5, b1, .. i5. Directions: SE, S, SW, NW, N, NE.

## Observation planes

Own pieces; opponent's pieces; the observer is `player_0`; the observer is to act. Row r + 4, column q + 4 of a plane is the cell
at axial (q, r), q = -4..4 for columns a..i; the places with |q + r| > 4 are no cells and stay zero.

## Version history

* v0: first release
"""

from __future__ import annotations

from abstract_envs.envs.doors import door
from abstract_envs.games.alveole.drawing import draw
from abstract_envs.games.alveole.rules import Alveole

__all__ = ["env", "game", "learner_env", "learner_vector_env", "raw_env", "vector_env"]

env, raw_env, vector_env, game, learner_env, learner_vector_env = door(Alveole, draw, version=0)
