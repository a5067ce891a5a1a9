"""# Honey Donuts

Push the enemy King off a ring-shaped board that is always full (Masahiro Nakajima, 2011).

| | |
|---|---|
| Import | `from abstract_envs import honey_donuts_v0` |
| Agents | `player_0` (Red), `player_1` (Blue) |
| Board | hexagon of side 3 without its centre, 18 cells |
| Actions | `Discrete(36)` |
| Observation | `Box(0, 1, (6, 5, 5), int8)` |
| Rewards | +1 winner, -1 loser, at the end; 0 each for a draw, which only the simple rule knows |
| Ply limit | 512 |

## Rules in short

Each player has a King and two regulars; white pieces fill the other cells. A move pushes a whole straight segment, from edge or
hole to edge or hole, one cell along; it must hold a piece of yours. The piece that falls off comes back at the other end, unless
it is the enemy King: then you have won. Your own King may not fall off. No move may repeat an earlier position of the game with
the same player to move. A player who cannot move loses.

## Options

| option | default | |
|---|---|---|
| `repetition` | `"strict"` | or `"simple"`: only the last move may not be undone; the third occurrence is a draw |
| `setup` | `"row"` | or the position text of an unfinished game, `rows side last` |

Environments also take `max_plies` (512; None: no limit) and `render_mode` (None, `"human"`, `"rgb_array"`, `"svg"`, `"ansi"`),
with `width`, `height`, `theme`, `coordinates` and `legal_moves` for pictures.

## Actions

| index | text | |
|---|---|---|
| 18*direction + segment | `e1-e3` | push the segment from e1 to e3 from e1 towards e3 |

Segments are sorted by axis (rows; columns; diagonals), then by their lowest cell in reading order; direction 0 runs from the
lower cell to the higher one.

## Observation planes

Own regulars; own King; opponent's regulars; opponent's King; the observer is `player_0`; the observer is to act. A plane is the
rhombus around the hexagon: row a to e, axial column -2 to 2; the hole and the corners are zero.

## Version history

* v0: first release
"""

from __future__ import annotations

from abstract_envs.envs.doors import door
from abstract_envs.games.honey_donuts.drawing import draw
from abstract_envs.games.honey_donuts.rules import HoneyDonuts

__all__ = ["env", "game", "learner_env", "learner_vector_env", "raw_env", "vector_env"]

env, raw_env, vector_env, game, learner_env, learner_vector_env = door(HoneyDonuts, draw, version=0)
