"""Draw the last position of every game in a file of game records: NAME.svg, NAME_2.svg, .., and all side by side, light and dark.

    python examples/draw_boards.py

draws docs/pictures/boards.txt beside that file, which makes the pictures of the documentation; and

    python examples/draw_boards.py --legal-moves

docs/pictures/actions.txt with the legal actions on the boards: NAME_actions.svg, and none side by side.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from abstract_envs.core.drawing import Drawing
from abstract_envs.movies import movie
from abstract_envs.records import read_records
from abstract_envs.render.options import RenderOptions
from abstract_envs.render.svg import to_svg

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SIZE, SMALL = 360, 180
"""Of one picture, and of those side by side, in pixels."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=Path, metavar="FILE", help="game records (default: those of the documentation)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: the folder of the records)")
    parser.add_argument("--legal-moves", action="store_true", help="show what can be played in the last position")
    args = parser.parse_args()
    games = args.games or PICTURES / ("actions.txt" if args.legal_moves else "boards.txt")
    for name, text in pictures(games, args.legal_moves).items():
        ((args.out or games.parent) / name).write_text(text, encoding="utf-8", newline="\n")


def pictures(games: Path, legal_moves: bool = False) -> dict[str, str]:
    """Name of a file -> SVG."""
    boards: dict[str, Drawing] = {}
    for record in read_records(games):
        name, number = record.game.name, 1
        while name in boards:
            number += 1
            name = f"{record.game.name}_{number}"
        boards[name] = movie(record, legal_moves=legal_moves).drawings[-1]
    options = RenderOptions(width=SIZE, height=SIZE, legal_moves=legal_moves)
    if legal_moves:
        return {f"{name}_actions.svg": to_svg(drawing, options) for name, drawing in boards.items()}
    found = {f"{name}.svg": to_svg(drawing, options) for name, drawing in boards.items()}
    for theme, name in (("light", "all.svg"), ("dark", "all_dark.svg")):
        small = RenderOptions(width=SMALL, height=SMALL, theme=theme, coordinates=False)
        found[name] = side_by_side([to_svg(drawing, small) for drawing in boards.values()])
    return found


def side_by_side(documents: list[str]) -> str:
    """One SVG document of several small ones, in a row."""
    nested = [text.replace("<svg ", f'<svg x="{k * SMALL}" ', 1) for k, text in enumerate(documents)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SMALL * len(documents)} {SMALL}">\n'
    return head + "".join(nested) + "</svg>\n"


if __name__ == "__main__":
    main()
