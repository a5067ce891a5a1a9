"""# Fano330-R-Morris

Three in a row on the seven points of the Fano plane, and whoever completes a row loses (Masahiro Nakajima, 2015).

| | |
|---|---|
| Import | `from abstract_envs import fano330_v0` |
| Agents | `player_0` (White), `player_1` (Black) |
| Board | 7 points, 7 lines |
| Actions | `Discrete(44)` |
| Observation | `Box(0, 1, (11, 1, 7), int8)` |
| Rewards | +1 winner, -1 loser, 0 each for a draw, at the end |
| Ply limit | 300 |

## Rules in short

Each player has two round and two triangular pieces. The players first put them on the board, one a turn, on a point that is
empty or holds a single piece, which the new one then covers; never on a piece of the same colour and shape. When all eight are
placed, a turn is to move one of your top pieces to a neighbouring point, under the same condition. Only top pieces count: if at
the end of your turn a line shows three of one colour or three of one shape, whoever owns them, you lose. A player who cannot
move loses. The third occurrence of a position is a draw.

## Options

| option | default | |
|---|---|---|
| `repetition_limit` | 3 | as many occurrences of a position are a draw; 2 to 100 |

Environments also take `max_plies` (300; None: no limit) and `render_mode` (None, `"human"`, `"rgb_array"`, `"svg"`, `"ansi"`),
with `width`, `height`, `theme`, `coordinates` and `legal_moves` for pictures.

## Actions

| index | text | |
|---|---|---|
| 7*shape + (point - 1) | `o3`, `t3` | put a round piece (shape 0), a triangular one (shape 1) on a point |
| 14 + rank of (from, to) | `1-4` | move the top piece of point 1 to point 4 |

The 30 pairs of neighbours are ranked in lexicographic order: 1-2, 1-4, 1-5, 1-6, 1-7, 2-1, .., 7-6.

## Observation planes

Own round pieces, own triangular pieces, opponent's round pieces, opponent's triangular pieces on top; the same four covered;
placement phase; the observer is `player_0`; the observer is to act. A plane is the row of points 1 to 7.

## Version history

* v0: first release
"""

from __future__ import annotations

from abstract_envs.envs.doors import door
from abstract_envs.games.fano330.drawing import draw
from abstract_envs.games.fano330.rules import Fano330

__all__ = ["env", "game", "learner_env", "learner_vector_env", "raw_env", "vector_env"]

env, raw_env, vector_env, game, learner_env, learner_vector_env = door(Fano330, draw, version=0)
