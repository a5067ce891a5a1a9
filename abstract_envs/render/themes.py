"""What the names of colours mean, in a light theme and in a dark one.

The colours that tell players apart also differ in lightness, and for people who see red, green or blue as others do not:
tests/test_themes.py computes what they see. Red and blue, and the green of hints, follow Okabe and Ito's palette
(Color Universal Design, 2008).
"""

from __future__ import annotations

__all__ = ["THEMES"]

THEMES: dict[str, dict[str, str]] = {
    "light": {
        "background": "#fbfaf7",
        "text": "#262626",
        "cell": "#e4d8bf",
        "cell_line": "#b5a587",
        "path": "#b5a587",
        "coloured": "#9db8b5",
        "hole": "#fbfaf7",
        "marked": "#7a5500",
        "arrow": "#262626",
        "arrow_edge": "#ffffff",
        "hint": "#00745a",
        "hint_edge": "#ffffff",
        "white": "#ffffff",
        "white_edge": "#6b665c",
        "white_ink": "#262626",
        "black": "#333333",
        "black_edge": "#8c877d",
        "black_ink": "#ffffff",
        "red": "#e8743a",
        "red_edge": "#8f3a0b",
        "red_ink": "#ffffff",
        "blue": "#0a5f9e",
        "blue_edge": "#032a4a",
        "blue_ink": "#ffffff",
        "neutral": "#a8a29a",
        "neutral_edge": "#4d4943",
    },
    "dark": {
        "background": "#1b1d21",
        "text": "#e6e6e6",
        "cell": "#4b4f58",
        "cell_line": "#2b2e34",
        "path": "#747986",
        "coloured": "#2f7d80",
        "hole": "#1b1d21",
        "marked": "#ffd95e",
        "arrow": "#ffe48a",
        "arrow_edge": "#1b1d21",
        "hint": "#4fd3ab",
        "hint_edge": "#1b1d21",
        "white": "#f2f0ea",
        "white_edge": "#8d897f",
        "white_ink": "#1b1d21",
        "black": "#131417",
        "black_edge": "#9a9ea8",
        "black_ink": "#f2f0ea",
        "red": "#f08a55",
        "red_edge": "#5c2405",
        "red_ink": "#1b1d21",
        "blue": "#1f6fb5",
        "blue_edge": "#a9d2f5",
        "blue_ink": "#ffffff",
        "neutral": "#8f8b84",
        "neutral_edge": "#d8d4cb",
    },
}
"""Theme -> name -> colour."""
