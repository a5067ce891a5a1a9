"""A game whose batches are stepped by compiled code: `compiled`. Needs Numba, the extra ``numba``.

Importing this is an ImportError where Numba cannot be imported, or has been told to compile nothing (NUMBA_DISABLE_JIT).
"""

from __future__ import annotations

from abstract_envs.core.options import extra

try:
    from numba.core import config as _config
except ImportError as error:
    raise ImportError(f"compiled games need {extra('numba')}. Numba cannot be imported: {error}") from error
if _config.DISABLE_JIT:  # type: ignore[attr-defined]  # made when Numba is imported
    raise ImportError("compiled games need Numba's compiler, which NUMBA_DISABLE_JIT turns off")

from abstract_envs.compiled.game import compiled
from abstract_envs.compiled.loops import check_threads

__all__ = ["check_threads", "compiled"]
