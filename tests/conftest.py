import os
import signal
from pathlib import Path

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

# tables of solved games are kept beside pytest's own cache, and not among the user's files
os.environ.setdefault("ABSTRACT_ENVS_CACHE", str(Path(__file__).parent.parent / ".pytest_cache" / "tables"))

# compiled batches are shared out to two threads, on one core too
os.environ.setdefault("NUMBA_NUM_THREADS", str(max(2, os.cpu_count() or 1)))

# windows are real, and nobody sees them
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

# what a shell started in the background ignores Ctrl-C, and so would the programs that tests interrupt
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
