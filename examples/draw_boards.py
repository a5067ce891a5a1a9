"""Draw the last position of every game in a file of game records: NAME.svg, NAME_2.svg, .., and all side by side, light and dark.

    python examples/draw_boards.py

draws docs/pictures/boards.txt beside that file, which makes the pictures of the documentation.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from abstract_envs.core.drawing import Drawing
from abstract_envs.movies import movie
from abstract_envs.records import read_records
from abstract_envs.render.options import RenderOptions
from abstract_envs.render.svg import to_svg

BOARDS = Path(__file__).parent.parent / "docs" / "pictures" / "boards.txt"
SIZE, SMALL = 360, 180
"""Of one picture, and of those side by side, in pixels."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=Path, default=BOARDS, metavar="FILE", help="game records (default: %(default)s)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: the folder of the records)")
    args = parser.parse_args()
    for name, text in pictures(args.games).items():
        ((args.out or args.games.parent) / name).write_text(text, encoding="utf-8", newline="\n")


def pictures(games: Path) -> dict[str, str]:
    """Name of a file -> SVG."""
    boards: dict[str, Drawing] = {}
    for record in read_records(games):
        name, number = record.game.name, 1
        while name in boards:
            number += 1
            name = f"{record.game.name}_{number}"
        boards[name] = movie(record).drawings[-1]
    options = RenderOptions(width=SIZE, height=SIZE)
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
