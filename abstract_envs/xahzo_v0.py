"""# XAHZO

A small capture game with hands dealt at random and several ways to win (an entry of the HSP programming contest of 2007).

| | |
|---|---|
| Import | `from abstract_envs import xahzo_v0` |
| Agents | `player_0` (capital letters), `player_1` (small letters) |
| Board | 7x7 squares, or 5x5 |
| Actions | `Discrete(1813)`; 5x5: `Discrete(625)` |
| Observation | `Box(0, 100, (25, 7, 7), int8)`: counts are up to 10 (hands) and up to `quiet_limit` |
| Rewards | +1 winner, -1 loser, 0 each for a draw, at the end |
| Longest game | placement is 14 actions; then 100 actions without a capture are a draw. Ply limit 512 |

## Rules in short

Each player is dealt an O and nine pieces of any of the five types, all to be seen. The players drop seven pieces each, one by
one, on empty squares that are not coloured; the rest of the hands is out of the game. Then they move one piece a turn. X goes to
the 8 neighbouring squares, A as a chess knight, H two squares along a row or column, Z two along a diagonal, O to the 4
orthogonal neighbours; all leap. A piece captures by moving onto an enemy piece, but X captures nothing, and only O captures X.
O can push an own piece beside it one square on. Or two own pieces of different type change places, wherever they are.

Who has no piece left, or no action, loses. When the last O is gone and some X is there, more X win, then more pieces. A hundred
actions without a capture are a draw.

## Options

| option | default | |
|---|---|---|
| `board_size` | 7 | 5 or 7 |
| `map` | None | coloured squares: a name (see below), or `("a1", "d4")`; at least 14 stay free |
| `home_rows` | None | drops only on a player's own nearest rows, so many of them |
| `swaps` | True | False: no swaps |
| `hand` | `"random"` | or two texts of ten letters, `("OXXAAHHZZO", "OXAHZOXAHZ")`; or `"free"`: ten of every type |
| `quiet_limit` | 100 | actions without a capture that make a draw, 1 to 120 |

Maps: `"ring"` is the central 3x3 of the 7x7, and its default; `"cross"` the central plus of the 5x5, and its default;
`"open"` has no coloured squares. The squares a player can drop on must be enough that placement cannot get stuck.
On the command line `+` joins texts: `--map a1+d4`, `--hand OXXAAHHZZO+OXAHZOXAHZ`.

Environments also take `max_plies` (512; None: no limit) and `render_mode` (None, `"human"`, `"rgb_array"`, `"svg"`, `"ansi"`),
with `width`, `height`, `theme`, `coordinates` and `legal_moves` for pictures. With given hands, or `"free"`, nothing is left to
chance; otherwise `reset(seed=...)` decides the deal.

## Actions, N = n*n squares

| index | text | |
|---|---|---|
| N*type + cell | `X@c3` | drop, types in the order X A H Z O |
| N*(5 + direction) + cell | `b2-c3` | move (capture, push); directions: the targets of the piece there, by (row, column) |
| 13*N + rank of the pair | `b2=d5` | swap, lower cell first; pairs in lexicographic order |

Cell = n*row + column; text names are column letter + row number, `a1` bottom left.

## Observation planes

Own X, A, H, Z, O; opponent's X, A, H, Z, O; coloured squares; movement phase (all ones in it); how many X, A, H, Z, O are in the
own hand, and in the opponent's (with `hand="free"` instead: own drops left, opponent's drops left); actions since the last
capture; the observer is `player_0`; the observer is to act.

## Version history

* v0: first release
"""

from __future__ import annotations

from abstract_envs.envs.doors import door
from abstract_envs.games.xahzo.drawing import draw
from abstract_envs.games.xahzo.rules import Xahzo

__all__ = ["env", "game", "learner_env", "learner_vector_env", "raw_env", "vector_env"]

env, raw_env, vector_env, game, learner_env, learner_vector_env = door(Xahzo, draw, version=0)
