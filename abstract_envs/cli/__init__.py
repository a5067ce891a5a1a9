"""The command line, ``python -m abstract_envs COMMAND``: one module a command.

A command is a module with a docstring (its help), ``NAME``, ``add_arguments(parser)`` and ``run(args)``. What the user got wrong
is a ValueError, whose text is shown without a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from abstract_envs import __version__
from abstract_envs.cli import arena, games, numbers, perft, play
from abstract_envs.cli.options import Parser

__all__ = ["COMMANDS", "main"]

COMMANDS = (games, numbers, perft, play, arena)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line (None: that of the process) and returns its exit code: 2 for a wrong command line."""
    parser = Parser(prog="python -m abstract_envs", description="Abstract board games as environments.")
    parser.add_argument("--version", action="version", version=f"abstract_envs {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        text = (command.__doc__ or "").strip()
        sub = commands.add_parser(command.NAME, help=text.split("\n")[0], description=text)
        command.add_arguments(sub)
        sub.set_defaults(run=command.run, parser=sub)
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")  # who knows the options of its game
    try:
        args.run(args)
        sys.stdout.flush()
    except ValueError as error:
        args.parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # the reader, say `head`, has gone; nothing more can be written, at exit neither
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0
