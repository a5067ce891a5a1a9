"""A window that shows a game. Needs the extra `render`; SDL starts with the first window and ends with the last,
unless the program uses it too.
"""

from __future__ import annotations

import os
from dataclasses import replace
from time import monotonic, sleep
from warnings import warn
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
_LEGACY = (pygame.ACTIVEEVENT, pygame.VIDEOEXPOSE, pygame.VIDEORESIZE)
"""What pygame sends besides, for a display surface. It names no window."""
_UNUSED = (
    *(pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, pygame.MOUSEWHEEL),
    *(pygame.KEYDOWN, pygame.KEYUP, pygame.TEXTEDITING, pygame.TEXTINPUT),
    *(pygame.FINGERDOWN, pygame.FINGERMOTION, pygame.FINGERUP),
    *(pygame.WINDOWSHOWN, pygame.WINDOWHIDDEN, pygame.WINDOWMOVED, pygame.WINDOWRESIZED, pygame.WINDOWDISPLAYCHANGED),
    *(pygame.WINDOWMINIMIZED, pygame.WINDOWMAXIMIZED, pygame.WINDOWRESTORED, pygame.WINDOWICCPROFCHANGED),
    *(pygame.WINDOWENTER, pygame.WINDOWLEAVE, pygame.WINDOWFOCUSGAINED, pygame.WINDOWFOCUSLOST),
    *(pygame.WINDOWTAKEFOCUS, pygame.WINDOWHITTEST),
)
"""What users do to a window that it does not answer. Where nobody took it, it would fill SDL's queue."""
_NAP = 0.02
"""Seconds between looks at what the user does, while a picture is left to be seen."""
_UNSEEN = ("dummy", "offscreen")
"""SDL's drivers without a screen."""

_open: WeakSet[Window] = WeakSet()
_started = False  # whether it was a window of this module that has started SDL's display
_warned = False  # that there is no screen


class Window:
    """A window for one game. It can be resized, and closed by its user: the game then goes on unseen.

    It answers its user whenever `show` is called, also while it waits there; a call with what is shown already does no more
    than that. Under SDL's drivers without a screen, dummy and offscreen, nothing waits, since nobody looks. Where the program
    ends SDL's display, or all of pygame, its windows count as closed by their user.
    """

    def __init__(self, title: str, options: RenderOptions, fps: float) -> None:
        """
        title: of the window.
        options: how the picture is to look; its size is that of the window, until it is resized.
        fps: pictures a second, at most.
        """
        global _started
        _forget_dead()
        if not pygame.display.get_init():
            pygame.display.init()
            _started = True
        try:
            self._window: SdlWindow | None = SdlWindow(title, (options.width, options.height), resizable=True)
        except BaseException:
            _end_display()
            raise
        _open.add(self)
        self._options = options
        self._stay = 1 / fps if _is_seen() else 0.0
        self._until = monotonic()  # when the picture has been seen long enough
        self._drawing: Drawing | None = None

    @property
    def is_open(self) -> bool:
        """False after `close`, when the user has closed the window, and when the program has ended SDL's display."""
        _forget_dead()
        return self._window is not None

    def show(self, drawing: Drawing) -> None:
        """Shows a position, after the one before has been seen long enough."""
        if drawing != self._drawing:
            self._wait()
            self._drawing = drawing
            self._draw()
            self._until = monotonic() + self._stay
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
        while self.is_open and (left := self._until - monotonic()) > 0:
            sleep(min(left, _NAP))
            _serve()

    def _draw(self) -> None:
        if self._window is not None and self._drawing is not None:
            width, height = self._window.size
            image = to_image(self._drawing, replace(self._options, width=width, height=height))
            self._window.get_surface().blit(pygame.image.frombytes(image.tobytes(), image.size, "RGB"), (0, 0))
            self._window.flip()

    def _destroy(self) -> None:
        if self._window is not None:
            if _lives(self._window):
                self._window.destroy()
            self._window = None
        _open.discard(self)
        _end_display()


def _is_seen() -> bool:
    """Whether windows are on a screen; warns, once, where they are not and nobody has asked for that."""
    global _warned
    driver = pygame.display.get_driver()
    if driver in _UNSEEN and not _warned and driver not in os.environ.get("SDL_VIDEODRIVER", ""):
        _warned = True
        warn(
            f"render_mode='human', but there is no screen: SDL draws for nobody (its driver is {driver!r})."
            f" SDL_VIDEODRIVER={driver} says that this is meant.",
            stacklevel=2,
        )
    return driver not in _UNSEEN


def _lives(window: SdlWindow) -> bool:
    """Whether SDL still has a window: it loses them all with its display."""
    try:
        return pygame.display.get_init() and window.id > 0
    except pygame.error:
        return False


def _forget_dead() -> None:
    """Closes the windows that SDL has lost, since the program has ended its display. One that runs now is the program's."""
    global _started
    for window in list(_open):
        if window._window is not None and not _lives(window._window):
            window._window, _started = None, False
            _open.discard(window)


def _end_display() -> None:
    """Ends SDL's display after the last window, if it is nobody else's."""
    global _started
    if _started and not _open:
        if _is_ours():
            pygame.display.quit()
        _started = False


def _is_ours() -> bool:
    """Whether a window of this module has started SDL's display, and the program has not begun to show something there."""
    return _started and pygame.display.get_init() and pygame.display.get_surface() is None


def _serve() -> None:
    """Does what the users of all windows want. What is meant for others is put back, for the program."""
    _forget_dead()
    if not _open:
        return
    ours = _is_ours()
    events = pygame.event.get((*_REDRAW, *_CLOSE, *_UNUSED, *_LEGACY) if ours else (*_REDRAW, *_CLOSE))
    windows = {id(window._window): window for window in list(_open)}
    for event in events:
        window = windows.get(id(getattr(event, "window", None)))
        if window is not None:
            if event.type in _CLOSE:
                window._destroy()
            elif event.type in _REDRAW:
                window._draw()
        elif event.type == pygame.QUIT and ours:
            for window in windows.values():
                window._destroy()
        elif event.type not in _LEGACY and pygame.display.get_init():
            pygame.event.post(event)
