"""A game in the terminal: a loop between two streams, in which people type their actions and agents answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from abstract_envs.agents import AGENTS, Agent, AgentLike, act_one, drawn, resolve
from abstract_envs.core.game import Game
from abstract_envs.envs.aec import RawEnv
from abstract_envs.records import GameRecord, door_of, write_records
from abstract_envs.render.ansi import has_colour, to_ansi

__all__ = ["HUMAN", "Session"]

HUMAN = "human"
ADVISERS = ("perfect", "mcts", "greedy", "random")
"""Who is asked for a hint: the first of these that there is and that can play the game."""
ADVISERS_ABOUT_REPETITION = ("ppo", *ADVISERS)
"""The same where the table of perfect play does not know the rules on repetition: docs/ratings.md has who is stronger there."""
FEW = 24
"""So many actions are shown without being asked for."""
WIDTH = 78
COMMANDS = {
    "undo": "take back, to your last decision",
    "hint NAME": "ask an agent what it would play; without NAME, a good one",
    "moves": "list all actions",
    "save FILE": "add the game, as it stands, to a file of game records",
    "rules": "show the rules in short, and how actions are written",
    "help": "show this",
    "quit": "end the session; so do `exit` and `q`",
}
HELP = "\n".join(
    [
        "Type an action, the beginning of one if no other begins so, or its number in the list. Or:",
        *(f"  {command:<10} {text}" for command, text in COMMANDS.items()),
    ]
)


class Session:
    """A game that is being played.

    env: of the game: it draws the board.
    record: where the game starts, its ply limit, and what has been played already.
    players: who is player_0 and who player_1: ``"human"``, or an agent.
    stdin, stdout: the streams; the process's own, if they are a terminal, have completion too.
    save: add the game to this file at the end of the session.
    """

    def __init__(
        self,
        env: RawEnv,
        record: GameRecord,
        players: tuple[AgentLike, AgentLike],
        rng: np.random.Generator,
        stdin: TextIO,
        stdout: TextIO,
        save: Path | None = None,
    ) -> None:
        env.reset()  # before which no state can be set
        self.env, self.game, self.rng = env, record.game, rng
        self._given, self._texts, self._states = record, list(record.actions), record.replay()
        self._agents: tuple[Agent | None, ...] = tuple(None if p == HUMAN else drawn(resolve(p, self.game), rng) for p in players)
        self._stdin, self._stdout, self._save = stdin, stdout, save
        self._saved: set[tuple[Path, GameRecord]] = set()
        self._listed = False
        self._going = True

    @property
    def record(self) -> GameRecord:
        """The game as it stands."""
        return replace(self._given, actions=tuple(self._texts))

    @property
    def state(self) -> Any:
        """The state of play."""
        return self._states[-1]

    def run(self) -> None:
        """Plays until the game has ended and nobody wants to say more, or until `quit`, end of input or Ctrl-C."""
        people = None in self._agents
        try:
            if people:
                self._say("`help` shows what you can type.\n")
            self._show()
            with _completion(self._completions) if self._is_terminal() else nullcontext():
                while self._going and (people or not self._over()):
                    agent = None if self._over() else self._agents[self.game.current_player(self.state)]
                    if agent is None:
                        self._listen()
                    else:
                        self._play(self._ask(agent))
        except (EOFError, KeyboardInterrupt):
            self._say("")
        finally:
            if self._save is not None and (self._save, self.record) not in self._saved:
                if self.record == self._given:
                    self._say(f"nothing is added to {self._save}: no action was played")
                else:
                    self._write(self._save)

    # ---------------------------------------------------------------------------------------------------------- the game

    def _over(self) -> bool:
        return self.game.is_terminal(self.state) or len(self._texts) == self._given.max_plies

    def _ask(self, agent: Agent) -> int:
        action = act_one(agent, self.game, self.state, self.rng)
        if not self.game.is_legal(self.state, action):
            raise ValueError(f"an agent plays {action}, which is not legal in {self.game.to_string(self.state)!r}")
        return action

    def _play(self, action: int) -> None:
        self._texts.append(self.game.action_to_string(self.state, action))
        self._states.append(self.game.step(self.state, action))
        self._show()

    def _show(self) -> None:
        """The board, the last action marked."""
        self._listed = False
        if self._texts:
            before = self._states[-2]
            self.env.game_state = before
            self.env.step(self.game.string_to_action(before, self._texts[-1]))
        else:
            self.env.game_state = self.state
        drawing = self.env.drawing()
        if self._over() and not self.game.is_terminal(self.state):
            drawing = drawing.cut_off(len(self._texts))
        self._say(to_ansi(drawing, has_colour(self._stdout)))

    # ---------------------------------------------------------------------------------------------------------- people

    def _listen(self) -> None:
        """One line of a person, and what follows from it."""
        legal = self._legal()
        if legal and len(legal) <= FEW and not self._listed:
            self._list()
        command, _, rest = self._line().strip().partition(" ")
        rest = rest.strip()
        known: dict[str, Callable[[], None]] = {
            "undo": self._undo,
            "moves": self._list,
            "rules": lambda: self._say(_rules(self.game)),
            "help": lambda: self._say(HELP),
            **dict.fromkeys(("quit", "exit", "q"), self._quit),
        }
        if command == "save":
            self._write(Path(rest)) if rest else self._say("save where? `save FILE`")
        elif command == "hint":
            self._hint(rest)
        elif command in known and not rest:
            known[command]()
        elif command:
            try:
                action = self._read(" ".join(filter(None, (command, rest))))
            except ValueError as error:
                self._say(str(error))
            else:
                self._play(action)

    def _legal(self) -> list[str]:
        """The texts of the legal actions; none after the end."""
        legal = () if self._over() else self.game.legal_actions(self.state)
        return [self.game.action_to_string(self.state, action) for action in legal]

    def _read(self, text: str) -> int:
        """The action that was typed; ValueError that says why it is none."""
        legal = self._legal()
        if not legal:
            raise ValueError(f"{text!r} is no command, and the game is over: `undo`, `save FILE` or `quit`")
        if text.isascii() and text.isdigit():
            if not 1 <= int(text[:9]) <= len(legal):
                raise ValueError(f"{text} is none of the numbers 1 to {len(legal)}; `moves` lists them")
            return self.game.string_to_action(self.state, legal[int(text) - 1])
        for same in (str, str.lower):  # capitals are not insisted on
            typed = same(text)
            found = [t for t in legal if same(t) == typed] or [t for t in legal if same(t).startswith(typed)]
            if len(found) == 1:
                return self.game.string_to_action(self.state, found[0])
            if found:
                shown = ", ".join(found[:10]) + (", .." if len(found) > 10 else "")
                raise ValueError(f"{text!r} begins {len(found)} actions: {shown}")
        try:
            self.game.string_to_action(self.state, text)
        except ValueError as error:
            raise ValueError(f"{error}; `moves` lists the actions, `help` the commands") from None
        raise AssertionError(f"{text!r} is legal, but none of the legal actions")

    def _list(self) -> None:
        """The legal actions with their numbers, in columns."""
        self._listed = True
        legal = self._legal()
        if not legal:
            self._say("the game is over: there are no actions")
            return
        cells = [f"{number:>{len(str(len(legal)))}} {text}" for number, text in enumerate(legal, 1)]
        wide = max(map(len, cells)) + 3
        a_line = max(WIDTH // wide, 1)
        rows = [cells[at : at + a_line] for at in range(0, len(cells), a_line)]
        self._say("\n".join("".join(cell.ljust(wide) for cell in row).rstrip() for row in rows))

    def _undo(self) -> None:
        own = [k for k, state in enumerate(self._states[:-1]) if self._agents[self.game.current_player(state)] is None]
        if not own:
            self._say("there is nothing to take back")
            return
        del self._states[own[-1] + 1 :], self._texts[own[-1] :]
        self._show()

    def _hint(self, name: str) -> None:
        """name: who is asked; empty: `_adviser`."""
        if self._over():
            self._say("the game is over: there is nothing to advise")
            return
        try:
            name = name or _adviser(self.game)
            agent = resolve(name, self.game)
        except ValueError as error:
            self._say(str(error))
            return
        action = self._ask(agent)
        self._say(f"{name} would play {self.game.action_to_string(self.state, action)}")

    def _quit(self) -> None:
        self._going = False

    def _write(self, path: Path) -> None:
        try:
            write_records(path, [self.record], append=True)
            self._saved.add((path, self.record))
        except (OSError, ValueError) as error:
            self._say(f"the game is not saved: {error}")
        else:
            self._say(f"the game is saved in {path}")

    # ---------------------------------------------------------------------------------------------------------- streams

    def _say(self, text: str) -> None:
        print(text, file=self._stdout, flush=True)

    def _line(self) -> str:
        prompt = "game over> " if self._over() else f"player_{self.game.current_player(self.state)}> "
        if self._is_terminal():
            return input(prompt)  # which has editing, history and completion
        self._say(prompt.rstrip())
        line = self._stdin.readline()
        if not line:
            raise EOFError
        return line

    def _is_terminal(self) -> bool:
        return self._stdin is sys.stdin and self._stdout is sys.stdout and sys.stdin.isatty() and sys.stdout.isatty()

    def _completions(self, begun: str) -> list[str]:
        return [text for text in [*self._legal(), *(c.split(" ")[0] for c in COMMANDS)] if text.startswith(begun)]


def _rules(game: Game[Any]) -> str:
    """The rules and the texts of actions, from the page of a game's module."""
    parts = (door_of(game).__doc__ or "").split("\n## ")
    return "\n".join(part.strip() + "\n" for part in parts if part.startswith(("Rules", "Actions")))


def _adviser(game: Game[Any]) -> str:
    positions = game.positions()
    for name in ADVISERS if positions is None or positions.exact else ADVISERS_ABOUT_REPETITION:
        if name in AGENTS:
            with suppress(ValueError):
                resolve(name, game)
                return name
    raise AssertionError("random play can play every game")


@contextmanager
def _completion(candidates: Callable[[str], list[str]]) -> Any:
    """Lets the Tab key complete what is typed, where the readline module exists."""
    try:
        import readline
    except ModuleNotFoundError:
        yield
        return

    def complete(begun: str, number: int) -> str | None:
        return [*candidates(begun), None][number]

    before = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    readline.set_completer_delims(" ")  # actions have signs like - and @ in them
    readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])
