"""A window that shows a game. Needs the extra `render`; SDL starts with the first window and ends with the last."""

from __future__ import annotations

import os
from dataclasses import replace
from weakref import WeakSet

from abstract_envs.core.drawing import Drawing
from abstract_envs.render.options import RenderOptions
from abstract_envs.render.pixels import to_image

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would be printed among the program's own output
try:
    import pygame
    from pygame import Window as SdlWindow
except ImportError as error:
    raise ImportError(
        "render_mode='human' needs the extra `render`: pip install '.[render]' in a clone (pygame-ce, not pygame)"
    ) from error

__all__ = ["Window"]

_REDRAW = (pygame.WINDOWSIZECHANGED, pygame.WINDOWEXPOSED)
_CLOSE = (pygame.WINDOWCLOSE, pygame.QUIT)
_NAP = 20
"""Milliseconds between looks at what the user does, while a picture is left to be seen."""

_open: WeakSet[Window] = WeakSet()
_started = False  # whether it was a window of this module that has started SDL's display


class Window:
    """A window for one game. It can be resized, and closed by its user: the game then goes on unseen.

    It answers its user whenever `show` is called, also while it waits there; a call with what is shown already does no more
    than that. Under SDL's dummy driver nothing waits, since nobody looks.
    """

    def __init__(self, title: str, options: RenderOptions, fps: float) -> None:
        """
        title: of the window.
        options: how the picture is to look; its size is that of the window, until it is resized.
        fps: pictures a second, at most.
        """
        global _started
        if not pygame.display.get_init():
            pygame.display.init()
            _started = True
        self._options = options
        self._window: SdlWindow | None = SdlWindow(title, (options.width, options.height), resizable=True)
        self._stay = round(1000 / fps) if pygame.display.get_driver() != "dummy" else 0
        self._until = 0  # when, on SDL's clock, the picture has been seen long enough
        self._drawing: Drawing | None = None
        _open.add(self)

    @property
    def is_open(self) -> bool:
        """False after `close`, or when the user has closed the window."""
        return self._window is not None

    def show(self, drawing: Drawing) -> None:
        """Shows a position, after the one before has been seen long enough."""
        if drawing != self._drawing:
            self._wait()
            self._drawing = drawing
            self._draw()
            self._until = pygame.time.get_ticks() + self._stay
        _serve()

    def close(self) -> None:
        """Closes the window, after its last position has been seen long enough; nothing if it is closed."""
        self._wait()
        self._destroy()

    def __del__(self) -> None:
        if getattr(self, "_window", None) is not None:
            self._destroy()

    def _wait(self) -> None:
        _serve()
        while self.is_open and (left := self._until - pygame.time.get_ticks()) > 0:
            pygame.time.wait(min(left, _NAP))
            _serve()

    def _draw(self) -> None:
        if self._window is not None and self._drawing is not None:
            width, height = self._window.size
            image = to_image(self._drawing, replace(self._options, width=width, height=height))
            self._window.get_surface().blit(pygame.image.frombytes(image.tobytes(), image.size, "RGB"), (0, 0))
            self._window.flip()

    def _destroy(self) -> None:
        global _started
        if self._window is not None:
            self._window.destroy()
            self._window = None
        _open.discard(self)
        if _started and not _open:
            pygame.display.quit()
            _started = False


def _serve() -> None:
    """Does what the users of all windows want; events of other windows are left to the program, if it has any."""
    if not _open:
        return
    for event in pygame.event.get() if _started else pygame.event.get((*_REDRAW, *_CLOSE)):
        for window in list(_open):
            if event.type == pygame.QUIT or getattr(event, "window", None) is window._window:
                if event.type in _CLOSE:
                    window._destroy()
                elif event.type in _REDRAW:
                    window._draw()
