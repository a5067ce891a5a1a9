"""The colours can be told apart, also by people who see red, green or blue as others do not, and in grey."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from abstract_envs.render.themes import THEMES

# what people without one kind of cones see, from linear RGB: Machado, Oliveira and Fernandes, "A Physiologically-based Model for
# Simulation of Color Vision Deficiency" (2009), severity 1
SEEN = {
    "everything": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "no blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
TOGETHER = [
    ("white", "black"),
    ("white", "black", "neutral"),
    ("red", "blue", "white"),
    ("cell", "coloured", "background", "marked"),
    ("cell", "white"),
    ("cell", "black"),
    ("cell", "red"),
    ("cell", "blue"),
    ("hint", "cell"),
    ("hint", "coloured"),
    ("arrow_edge", "marked"),
]
"""Colours that have to be told from one another."""


def linear(colour: str) -> NDArray[np.float64]:
    values = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE L*a*b* of linear sRGB, white point D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(to_xyz @ np.clip(rgb, 0, 1) / (0.9505, 1, 1.089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(a: str, b: str, seen: NDArray[np.float64]) -> float:
    """Delta E of 1976: about 2 is just seen."""
    return float(np.linalg.norm(lab(seen @ linear(a)) - lab(seen @ linear(b))))


def contrast(a: str, b: str) -> float:
    """As WCAG 2 defines it: 1 to 21."""
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05 for r, g, b in (linear(a), linear(b)))
    return high / low


all_themes = pytest.mark.parametrize("theme", THEMES)


@all_themes
@pytest.mark.parametrize("who", SEEN)
def test_colours_can_be_told_apart(theme: str, who: str) -> None:
    for names in TOGETHER:
        for a, b in combinations(names, 2):
            assert difference(THEMES[theme][a], THEMES[theme][b], SEEN[who]) > 12, (a, b)
    for a, b in (("white", "black"), ("red", "blue")):  # the players
        assert difference(THEMES[theme][a], THEMES[theme][b], SEEN[who]) > 40, (a, b)


@all_themes
def test_players_differ_in_lightness(theme: str) -> None:
    """So that a grey print shows who is who."""
    colours = THEMES[theme]
    assert contrast(colours["white"], colours["black"]) > 7
    assert contrast(colours["red"], colours["blue"]) > 1.9


@all_themes
def test_marks_differ_in_lightness(theme: str) -> None:
    """From all cells, so that the last action is seen in grey: 3 is what WCAG 2 asks of signs."""
    for cell in ("cell", "coloured"):
        assert contrast(THEMES[theme]["marked"], THEMES[theme][cell]) > 3


@all_themes
def test_texts_can_be_read(theme: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours["text"], colours["background"]) > 7
    for piece in ("white", "black"):
        assert contrast(colours[piece], colours[f"{piece}_ink"]) > 7
    for piece in ("red", "blue"):  # crowns, which are large
        assert contrast(colours[piece], colours[f"{piece}_ink"]) > 2.8
    for piece in ("white", "black", "red", "blue", "neutral"):
        assert contrast(colours[piece], colours[f"{piece}_edge"]) > 2
    for sign in ("arrow", "hint"):
        assert contrast(colours[sign], colours[f"{sign}_edge"]) > 4.5


def test_themes_have_the_same_names() -> None:
    light, dark = THEMES.values()
    assert list(light) == list(dark)
    for colour in (*light.values(), *dark.values()):
        assert len(colour) == 7
        assert int(colour[1:], 16) >= 0
