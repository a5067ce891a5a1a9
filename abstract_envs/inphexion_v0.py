"""# inpHeXion

A connection game in which captured discs are not removed but sent elsewhere (Masahiro Nakajima, 2014).

| | |
|---|---|
| Import | `from abstract_envs import inphexion_v0` |
| Agents | `player_0` (White), `player_1` (Black) |
| Board | 7x7 rhombus of hexagons |
| Actions | `Discrete(344)` |
| Observation | `Box(0, 1, (8, 7, 7), int8)` |
| Rewards | +1 winner, -1 loser, at the end; no draws |
| Longest game | `n*n` turns, so no ply limit is needed |

## Rules in short

White puts a disc on any cell. From then on a turn is: choose an enemy disc that has an empty neighbouring cell, shove it
there, and put a disc of your own where it was. An enemy disc that stands alone and has only discs of yours around it because
of this placement is captured (up to three at once): you put each captured disc on another empty cell, one action each. White
wins by joining top and bottom, Black by joining left and right, whoever made the chain. A player who cannot move loses, and
so does one who captures more discs than there are empty cells.

## Options

| option | default | |
|---|---|---|
| `board_size` | 7 | 3 to 8 |
| `pie_rule` | False | after White's first disc Black may swap sides (action `swap`) |
| `neutral` | False | a neutral piece starts on the centre cell and is shoved first; needs an odd `board_size` |

Environments also take `max_plies` (None: no limit) and `render_mode` (None, `"human"`, `"rgb_array"`, `"svg"`, `"ansi"`), with
`width`, `height`, `theme`, `coordinates` and `legal_moves` for pictures.

## Actions, N = n*n cells

| index | text | |
|---|---|---|
| 0 .. N-1 | `d4`, `@d4` | put the first disc, or a captured disc, on a cell |
| N*(1 + direction) + cell | `d4-e4` | take d4 and shove its disc to e4 |
| 7*N | `swap` | pie rule |

Cell = n*row + column; text names are column letter + row number, `a1` top left. Directions (rows, columns): (0,+1), (+1,0),
(+1,-1), (0,-1), (-1,0), (-1,+1).

## Observation planes

Own discs; opponent's discs; (with `neutral`) the neutral piece; cells the captured pieces came from; 1, 2, 3 captured pieces
wait; the observer is `player_0`; the observer is to act.

## Version history

* v0: first release
"""

from __future__ import annotations

from abstract_envs.envs.doors import door
from abstract_envs.games.inphexion.drawing import draw
from abstract_envs.games.inphexion.rules import InpHeXion

__all__ = ["env", "game", "learner_env", "learner_vector_env", "raw_env", "vector_env"]

env, raw_env, vector_env, game, learner_env, learner_vector_env = door(InpHeXion, draw, version=0)
