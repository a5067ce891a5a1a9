"""A game whose batches are stepped by compiled code: `compiled`. Needs Numba, the extra ``numba``."""

from __future__ import annotations

try:
    import numba as _numba  # noqa: F401
except ImportError as error:
    raise ImportError('compiled games need Numba: pip install "abstract-envs[numba]"') from error

from abstract_envs.compiled.game import compiled

__all__ = ["compiled"]
