"""Draw the last position of every game in a file of game records: NAME.svg and NAME_dark.svg, and all side by side.

    python examples/draw_boards.py

draws docs/pictures/boards.txt beside that file, which makes the pictures of the documentation.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from abstract_envs.movies import movie
from abstract_envs.records import read_records
from abstract_envs.render.options import RenderOptions
from abstract_envs.render.svg import to_svg

BOARDS = Path(__file__).parent.parent / "docs" / "pictures" / "boards.txt"
SIZE = 360
THEMES = {"light": "", "dark": "_dark"}
"""Theme -> end of the name."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=Path, default=BOARDS, metavar="FILE", help="game records (default: %(default)s)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: the folder of the records)")
    args = parser.parse_args()
    for name, text in pictures(args.games).items():
        ((args.out or args.games.parent) / name).write_text(text, encoding="utf-8", newline="\n")


def pictures(games: Path) -> dict[str, str]:
    """Name of a file -> SVG."""
    found: dict[str, str] = {}
    for theme, end in THEMES.items():
        options = RenderOptions(width=SIZE, height=SIZE, theme=theme)
        boards = {record.game.name: movie(record).drawings[-1] for record in read_records(games)}
        found |= {f"{name}{end}.svg": to_svg(drawing, options) for name, drawing in boards.items()}
        small = replace(options, width=180, height=180, coordinates=False)
        found[f"all{end}.svg"] = side_by_side([to_svg(drawing, small) for drawing in boards.values()], small)
    return found


def side_by_side(documents: list[str], options: RenderOptions) -> str:
    """One SVG document of several, in a row."""
    wide, high = options.width, options.height
    nested = [text.replace("<svg ", f'<svg x="{k * wide}" ', 1) for k, text in enumerate(documents)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide * len(documents)} {high}">\n'
    return head + "".join(nested) + "</svg>\n"


if __name__ == "__main__":
    main()
