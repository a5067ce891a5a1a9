"""Random functions do the same written out as they stand."""

from __future__ import annotations

import itertools
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abstract_envs.core.onegame import source_of, written_out

HEAD = """
cell = 5

class Rules:
    n = 3
    t = (4, 0, 9)
    none = ()
"""
ARGUMENTS = tuple(itertools.product((0, 1, 6), (0, 3)))
VARIABLES = ("a", "x", "y", "cell", "self", "x_1", "x_3")
"""Names that comprehensions take: a parameter, locals, a global, and what the writer may call its own."""


LEAVES = ("V", "V", "0", "1", "7")
FORMS = (
    *LEAVES,
    *("(E O E)", "(E O E O E)", "(E and 1)", "(0 or E)", "(E and E or 0)", "(E if E else E)", "(E, E)[K]", "(not E)"),
    *("sum(S)", "sum([G])", "sum({G})", "len([G])", "sum(V + x - y for x in S for y in (x, 3))"),
)
METHODS = ("self.helped(E, E)", "self.added(E)", "self.added(E, more=E)", "self.added(E, E)")
"""Forms of expressions: E is another one, V a variable, O an operator, K an index, S numbers, G what is in a comprehension."""


class Text:
    """Draws the text of functions, in which every name that is read has a value."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw

    def pick(self, *among: Any) -> Any:
        return self._draw(st.sampled_from(among))

    def number(self, known: frozenset[str], depth: int) -> str:
        """An expression whose value is a number."""
        form = self.pick(*(LEAVES if depth == 0 else FORMS), *(METHODS if "self" in known and depth else ()))
        return re.sub("[EGSKVO]", lambda place: self._filled(place[0], known, depth), form)

    def _filled(self, place: str, known: frozenset[str], depth: int) -> str:
        match place:
            case "E":
                return self.number(known, depth - 1)
            case "G":
                return self.generator(known, depth - 1)
            case "S":
                return self.numbers(known, depth - 1)
            case "V":
                return self.pick(
                    *sorted(known - {"self"}), "cell", *(["self.n", "self.t[2]", "self.t[-1]"] if "self" in known else [])
                )
            case "O":
                return self.pick("+", "&", "|", "^", "-", "and", "or", "==", "<", "!=")
            case _:
                return self.pick("0", "1", "-1", "-2")

    def numbers(self, known: frozenset[str], depth: int) -> str:
        """One whose values are numbers: a tuple, or a generator."""
        form = self.pick("()", "(E, E)", "range(3)", *(["self.t", "(*self.t, E)"] if "self" in known else []), "tuple(G)", "(G)")
        return re.sub("[EG]", lambda place: self._filled(place[0], known, depth), form if depth > 0 else "(0, 7)")

    def generator(self, known: frozenset[str], depth: int) -> str:
        name = self.pick(*VARIABLES)
        within = known - {"self"} if name == "self" else known | {name}
        value, test = self.number(within, max(depth, 0)), self.number(within, 0)
        return f"{value} for {name} in {self.numbers(known, depth)}" + self.pick("", "", f" if {test}")

    def body(self, known: frozenset[str], depth: int, indent: str) -> tuple[list[str], frozenset[str]]:
        """Statements, and the names that have values after them."""
        lines: list[str] = []
        for _ in range(self.pick(1, 2, 3)):
            name, other = self.pick(("x", "y"), ("y", "x"), ("x", "b"), ("a", "y"))
            kind = self.pick("one", "two", "tuple", "if", "for") if depth else "one"
            if kind == "one":
                lines.append(f"{indent}{name} = {self.number(known, 2)}")
                known |= {name}
            elif kind == "two":
                lines.append(f"{indent}{name}, {other} = {self.number(known, 1)}, {self.number(known, 1)}")
                known |= {name, other}
            elif kind == "tuple":
                lines += [f"{indent}pair = ({self.number(known, 1)}, {self.number(known, 1)})"]
                lines += [f"{indent}{name} = pair[0] - pair[1] + sum(pair)"]
                known |= {name}
            elif kind == "if":
                first, after = self.body(known, depth - 1, indent + "    ")
                second, after_else = self.body(known, depth - 1, indent + "    ")
                lines += [f"{indent}if {self.number(known, 2)}:", *first, f"{indent}else:", *second]
                known |= after & after_else
            else:
                loop = self.pick("z", "w")
                over = self.pick("(1, 2)", "range(2)", f"({self.number(known, 1)}, {self.number(known, 1)})")
                inner, after = self.body(known | {loop}, depth - 1, indent + "    ")
                lines += [f"{indent}for {loop} in {over}:", *inner]
                known |= after
        return lines, known

    def function(self, name: str, defaults: str = "") -> str:
        lines, known = self.body(frozenset({"self", "a", "b"}), 2, "        ")
        return "\n".join([f"    def {name}(self, a, b{defaults}):", *lines, f"        return {self.number(known, 2)}"])


def functions(draw: Any) -> str:
    text = Text(draw)
    helper = "    def helped(self, a, b):\n        return " + text.number(frozenset({"a", "b"}), 2)
    added = f"    def added(self, a, more=cell):\n        y = a + {text.number(frozenset({'a'}), 2)}\n        return y ^ more"
    return "\n".join([HEAD, helper, added, text.function("rule")])


@given(st.composite(functions)())
@settings(max_examples=80, deadline=None)
def test_random_functions_agree(text: str) -> None:
    rules = made(text)
    _check(rules, text)


def made(text: str) -> Any:
    """An object of the class in a source, whose functions count as this package's."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rules.py")
        file.write_text(text)
        names: dict[str, Any] = {"__name__": "abstract_envs.written"}
        exec(compile(text, str(file), "exec", dont_inherit=True), names)
        rules = names["Rules"]()
        rules.fast = written_out(rules.rule)  # while there is a source
        rules.source = _source_or_why(rules.rule)
    return rules


def _source_or_why(rule: Any) -> str:
    try:
        return source_of(rule)
    except OSError as error:
        return str(error)


def _check(rules: Any, text: str) -> None:
    for a, b in ARGUMENTS:
        assert rules.fast(a, b) == rules.rule(a, b), f"{text}\n\nwritten out:\n{rules.source}"


@pytest.mark.parametrize(
    "body",
    [
        "x = a & 7; return sum(x for x in self.t) | x << 8",
        "x = sum([cell for cell in self.t]); return x + cell",
        "x = a + 1; return sum(x_3 + x for x_3 in self.t) + sum({x: x_3 for x, x_3 in enumerate(self.t)})",
        "return sum(self.within(x) for x in self.t)",
        "return sum(tuple(x for x in ((1, a), (2, b)))[1]) + sum(tuple(y + z for ((x, y), z) in (((1, a), b),)))",
        "return (a and 1, (a and self.n) + 1, 0 or 0, a or 0 or 2, a or 3 or b, 1 and a and 0 and b)",
        "return (a, b)[-1], (a, b, *self.t)[1], (*self.t, a, b)[-2], self.t[-1]",
        "x = (y := a + 1) + 1; return x + y",
        "k = 9\n        if a:\n            for k in (1, 2):\n                b = b + k\n        return k + b",
        "for k in (b + 1, b + 2):\n            b = b + k\n        return b",
        "p = a, b\n        if a:\n            if b:\n                p = b, a\n        return p",
        "p = a, b\n        if a:\n            p = b, a\n        for x in p:\n            p = x, 8\n        return p",
        "return self.cached(1, k=2) + self.defaulted(a)",
    ],
)
def test_what_was_written_out_wrong(body: str) -> None:
    within = "    def within(self, a):\n        return sum(x * a for x in self.t)\n"
    defaulted = "    cell = 7\n    def defaulted(self, a, more=cell):\n        return a + more\n"
    cached = "    @staticmethod\n    @lru_cache\n    def cached(x, k=1):\n        return 10 * x + k\n"
    text = (
        "from functools import lru_cache\n" + HEAD + within + defaulted + cached + f"    def rule(self, a, b):\n        {body}\n"
    )
    _check(made(text), text)
