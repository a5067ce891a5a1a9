"""Record a game between two agents as an animated SVG, a GIF and a game record.

    python examples/record_game.py --game inphexion_v0 --player-0 greedy --player-1 random --out game

writes game.svg, game.gif and game.txt. The GIF needs the extra `render`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import abstract_envs
from abstract_envs.agents import act_one, resolve
from abstract_envs.core.chance import check_seed
from abstract_envs.core.options import positive_number
from abstract_envs.movies import movie
from abstract_envs.records import GameRecord, door_name, full_name, write_records
from abstract_envs.render.options import RenderOptions
from abstract_envs.render.themes import THEMES

GAMES = {door_name(door): door for door in abstract_envs.GAMES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", type=full_name, choices=GAMES, default="inphexion_v0", help="default: %(default)s")
    parser.add_argument("--player-0", default="greedy", metavar="NAME", help="an agent (default: %(default)s)")
    parser.add_argument("--player-1", default="random", metavar="NAME", help="an agent (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the deal, and of the agents' chance (default: %(default)s)")
    parser.add_argument("--max-plies", type=int, default=200, help="cut the game off after so many (default: %(default)s)")
    parser.add_argument("--size", type=int, default=400, help="of the pictures, in pixels (default: %(default)s)")
    parser.add_argument("--fps", type=float, default=2, help="positions a second (default: %(default)s)")
    parser.add_argument("--theme", choices=THEMES, default="light", help="default: %(default)s")
    parser.add_argument(
        "--out", type=Path, default=Path("game"), metavar="PATH", help="files, without an end (default: %(default)s)"
    )
    args = parser.parse_args()
    try:
        check_seed(args.seed)
        positive_number("fps", args.fps)
        RenderOptions(width=args.size, height=args.size)
        record = play(args.game, (args.player_0, args.player_1), args.seed, args.max_plies)
        text, svg, gif = (args.out.with_name(args.out.name + end) for end in (".txt", ".svg", ".gif"))
        write_records(text, [record])  # first: whatever becomes of the pictures, they can be made from it
    except (OSError, ValueError) as error:
        parser.error(str(error))
    shown = movie(record, args.fps, width=args.size, height=args.size, theme=args.theme)
    shown.save(svg)
    try:
        shown.save(gif)
    except (ImportError, ValueError) as error:
        raise SystemExit(f"{text} and {svg} are written, {gif} is not: {error}") from None
    print(f"{len(record.actions)} actions, result {record.result}: {args.out}.svg, .gif and .txt")


def play(name: str, players: tuple[str, str], seed: int, max_plies: int) -> GameRecord:
    """A game between two agents."""
    env = GAMES[name].env(max_plies=max_plies)
    agents = dict(zip(env.possible_agents, (resolve(player, env.game) for player in players), strict=True))
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    actions: list[int] = []
    for agent in env.agent_iter():
        _, _, termination, truncation, _ = env.last(observe=False)
        if termination or truncation:
            env.step(None)
        else:
            actions.append(act_one(agents[agent], env.game, env.game_state, rng))
            env.step(actions[-1])
    more = {"seed": seed} if env.game.has_chance else {}
    return GameRecord.of(env.game, actions, max_plies=max_plies, player_0=players[0], player_1=players[1], **more)


if __name__ == "__main__":
    main()
