"""``python -m abstract_envs``: see `abstract_envs.cli`."""

from __future__ import annotations

import sys

from abstract_envs.cli import main

if __name__ == "__main__":
    sys.exit(main())
