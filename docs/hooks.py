"""What the site has besides the pages of this folder: the texts of the repository's root, and links that lead out of the folder.

The same texts are read in the repository and on the site. So README.md is the start page, CONTRIBUTING.md and CHANGELOG.md are
pages, links to any of these, and from them into docs/, are made to fit, and of a link to another file of the repository, which
the site does not have, the text stays.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parent.parent
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Texts of the root -> their pages."""

_FETCHED = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)=["']?(https?:)?//[^>]*>""")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Adds the texts of the root to the site's files."""
    from mkdocs.structure.files import File

    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Makes the links of a page fit."""
    return linked(markdown, page.file.src_uri)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """An error if a page would have something fetched from elsewhere."""
    if found := _FETCHED.search(output):
        raise ValueError(f"{page.file.src_uri}: the page would fetch {found[0]}")
    return output


def linked(markdown: str, page: str) -> str:
    """A text with links that hold on the site; page: its path there. Blocks of code stay as they are."""
    source = next((name for name, other in PAGES.items() if other == page), f"docs/{page}")

    def link(match: re.Match[str]) -> str:
        target = target_of(match[3], source, page)
        return f"{match[1]}[{match[2]}]({target})" if target else match[2]

    parts: list[str] = []
    at = 0
    for fence in _FENCE.finditer(markdown):
        parts += [_LINK.sub(link, markdown[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, _LINK.sub(link, markdown[at:])])


def target_of(target: str, source: str, page: str) -> str:
    """What a link leads to on the site; "" for a file that is not there.

    source, page: the path of the text that holds it, in the repository and on the site.
    """
    path, mark, anchor = target.partition("#")
    if ":" in path or not path:
        return target
    file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    there = PAGES.get(file) or (file.removeprefix("docs/") if file.startswith("docs/") else "")
    return there and posixpath.relpath(there, posixpath.dirname(page) or ".") + mark + anchor
