"""The notebook runs from its first cell to its last, and shows a board and a movie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent.parent / "examples" / "watch_a_game.ipynb"


@pytest.mark.slow
def test_notebook() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # committed without
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    board, game, text = (cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    assert _svg(board).count("<animate ") == 0
    assert "White to move, joins top and bottom" in _svg(board)
    assert _svg(game).count("<animate ") > 10
    assert text[0]["text"].startswith('[Game "inphexion_v0"]\n[board_size 5]\n[Player0 "greedy"]')


def _svg(outputs: Any) -> str:
    (shown,) = outputs
    return shown["data"]["image/svg+xml"]
