"""The rules of one game, written out: what makes a single game on ints fast without a second copy of its rules.

Rules are written for both kinds of word in small functions. For one game most of the time would go into calling these. So
`written_out` takes a method of a game (or board) and makes from its own source a function without ``self`` in which, the words
being ints,

* ``type(x) is int`` is true, and what follows from options, tables and constants of ``self`` is decided once;
* every attribute of ``self`` is a constant;
* calls of functions and methods of this package that are straight-line code are replaced by their bodies, and look-ups in a
  `Union` by one look-up for each of its parts.

Nothing else changes: same operations, same order, same results. Rules must be pure for this (they are: no in-place operators,
no side effects), their words ints and never bools, and what cannot be written out simply stays a call.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import operator
import textwrap
import tokenize
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import takewhile
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeGuard

from abstract_envs.core.bits import Both, Table, Tables, Union

__all__ = ["Writer", "definition", "source_of", "written_out"]

_PACKAGE = __name__.split(".")[0] + "."


def written_out(method: Callable[..., Any], state: Any = None) -> Callable[..., Any]:
    """A bound method as a function of its arguments alone, for ints; the method itself where there is no source to read.

    state: one that is like those which the function will be given as its first argument, if that is a state. Its fields are then
    read all at once, in the time of two.
    """
    try:
        writer = Writer()
        module = _Making(writer).visit(writer.module(method, state))
        code = compile(ast.fix_missing_locations(module), f"<{method.__qualname__}, written out>", "exec")
    except OSError:
        return method
    exec(code, writer.constants)
    return writer.constants[method.__name__]


def source_of(method: Callable[..., Any], state: Any = None) -> str:
    """The text of what `written_out` compiles, to read."""
    return ast.unparse(Writer().module(method, state))


class _Constant(ast.expr):
    """An expression whose value is known."""

    value: Any

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def __deepcopy__(self, memo: object) -> _Constant:
        return self  # tables and games are not to be copied


class _Record(ast.Tuple):
    """A state whose fields have been read into names; ``whole`` is the name of the state itself."""

    fields: tuple[str, ...]
    """Their names; none where it is a plain tuple in a state."""
    whole: ast.expr


class Writer:
    """Writes functions out into one function; ``constants`` become its globals.

    kept: functions whose calls stay calls.
    """

    def __init__(self, kept: Iterable[Callable[..., Any]] = ()) -> None:
        self.constants: dict[str, Any] = {}
        self.kept = frozenset(kept)
        self._used = 0

    def module(self, method: Callable[..., Any], state: Any = None) -> ast.Module:
        """A module that defines the method as a function of its arguments alone; OSError where it cannot be written out.

        state: see `written_out`.
        """
        function = _Function(self, method)
        arguments = [self.fresh(name) for name in function.parameters]
        known: dict[str, ast.expr] = {}
        for name, argument in zip(function.parameters, arguments, strict=True):
            known[name] = ast.Name(argument, ast.Load())
        reading: list[ast.stmt] = []
        if state is not None:
            known[function.parameters[0]] = self._read(arguments[0], state, reading)
        statements, result = function.write(known)
        if result is None:
            raise OSError(f"{method.__qualname__} is not straight-line code")
        for fields in reversed(reading):
            used = {n.id for part in (*statements, result) for n in ast.walk(part) if isinstance(n, ast.Name)}
            if used & set(_stored_in(fields)):
                statements.insert(0, fields)
        definition = ast.parse(f"def {method.__name__}({', '.join(arguments)}): pass").body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.body = [*statements, ast.Return(self.expression(result))]
        return ast.fix_missing_locations(ast.Module([definition], []))

    def _read(self, name: str, value: Any, reading: list[ast.stmt]) -> ast.expr:
        """What a name stands for whose value is like this one: itself, or the fields of a state, after they are read."""
        whole = ast.Name(name, ast.Load())
        kind: Any = value.__class__
        fields: tuple[str, ...] = getattr(value, "_fields", ())
        if kind is not tuple and not fields:
            return whole
        names = [self.fresh(field) for field in fields or [name] * len(value)]
        reading.append(ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())], whole))
        record = _Record([self._read(n, part, reading) for n, part in zip(names, value, strict=True)], ast.Load())
        record.fields, record.whole = fields, whole
        return record

    def fresh(self, name: str) -> str:
        self._used += 1
        return f"{name}_{self._used}"

    def expression(self, node: ast.expr) -> ast.expr:
        """A node as code: a known value as a literal, or as the name of a global."""
        if isinstance(node, _Record):
            return node.whole
        if not isinstance(node, _Constant):
            return node
        value: Any = node.value
        if value is None or type(value) in (int, bool, str):
            return ast.Constant(value)
        parts = _parts(node)
        if parts is not None and all(isinstance(part, _Constant) and type(part.value) is int for part in parts):
            return ast.Tuple([self.expression(part) for part in parts], ast.Load())
        if isinstance(value, Table | Tables):
            value = value.ints
        name = str(getattr(value, "__name__", "constant")).strip("<>")
        if getattr(builtins, name, None) is value:
            return ast.Name(name, ast.Load())
        for known, constant in self.constants.items():
            if constant is value:
                return ast.Name(known, ast.Load())
        name = self.fresh(name)
        self.constants[name] = value
        return ast.Name(name, ast.Load())


class _Making(ast.NodeTransformer):
    """For ints alone: states made as tuples are, without the function that takes their fields by name, in half the time;
    and tests of ``a | b | c`` as ``a or b or c``, which end at the first that is not zero.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        kind = self.writer.constants.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if len(getattr(kind, "_fields", ())) != len(node.args) or not node.args:
            return node
        new = self.writer.expression(_Constant(_tuple.__new__))
        return ast.Call(new, [node.func, ast.Tuple(node.args, ast.Load())], [])

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        parts = _joined_by_or(node.test)
        if len(parts) > 1 and all(isinstance(part, ast.Name) for part in parts):
            node.test = ast.BoolOp(ast.Or(), parts)
        return node


class _Function(ast.NodeTransformer):
    """One function or bound method, to be written out at one place."""

    def __init__(self, writer: Writer, function: Callable[..., Any]) -> None:
        self.writer = writer
        self.owner = function.__self__ if isinstance(function, MethodType) else None
        plain = function.__func__ if isinstance(function, MethodType) else function
        assert isinstance(plain, FunctionType)
        if plain.__closure__:
            raise OSError(f"{plain.__qualname__} is no plain function")
        text = vars(plain).get("text")
        source = _expression(text) if text else definition(plain.__code__)
        spec = source.args
        if spec.vararg or spec.kwarg or spec.kwonlyargs or spec.posonlyargs:
            raise OSError("arguments by other ways than by name")
        names = [argument.arg for argument in spec.args]
        self.me = names.pop(0) if self.owner is not None else None
        self.parameters = names
        defaults = plain.__defaults__ or ()
        self.defaults = dict(zip(names[len(names) - len(defaults) :], map(_Constant, defaults), strict=True))
        self.body = source.body
        self.globals = plain.__globals__
        self.stored = set(_stored_in(source))
        self.own = {*self.stored, *(n.target.id for n in ast.walk(source) if _loops_over_name(n))}
        """The names that are no globals, parameters excepted."""
        self.names: dict[str, ast.expr] = {}  # what a local name stands for
        if self.me is not None:
            self.names[self.me] = _Constant(self.owner)
        self.before: list[ast.stmt] = []  # statements to come before the one being written
        self.lazy = 0  # inside an expression that may not be evaluated, or more than once
        self.branch = 0  # inside a branch that may not be taken
        self.locals: set[str] = set()  # of the names in the written function, the ones that are assigned here

    # ---------------------------------------------------------------------------------------------------- statements

    def write(self, arguments: dict[str, ast.expr]) -> tuple[list[ast.stmt], ast.expr | None]:
        """The statements, and the expression that is returned; None for it if the function is no straight-line code."""
        out: list[ast.stmt] = []
        for name in self.parameters:
            value = arguments.get(name) or self.defaults.get(name)
            if value is None:
                return out, None
            if name in self.stored:
                out.append(self._assign(self._local(name), value))
            else:
                self.names[name] = value
        try:
            return out, self._block(self.body, out)
        except _NotStraight:
            return out, None

    def _block(self, body: list[ast.stmt], out: list[ast.stmt]) -> ast.expr | None:
        for statement in body:
            self.before = []
            match statement:
                case ast.Return(value=value) if value is not None:
                    result = self.visit(value)
                    out += self.before
                    return result
                case ast.If():
                    test = self.visit(statement.test)
                    out += self.before
                    if isinstance(test, _Constant):
                        result = self._block(statement.body if test.value else statement.orelse, out)
                        if result is not None:
                            return result
                        continue
                    if any(isinstance(n, ast.Return) for n in ast.walk(statement)):
                        raise _NotStraight
                    for name in () if self.branch else _stored_in(statement):
                        self._settle(name, out)
                    parts: list[list[ast.stmt]] = [[], []]
                    self.branch += 1
                    self._block(statement.body, parts[0])
                    self._block(statement.orelse, parts[1])
                    self.branch -= 1
                    out.append(ast.If(self.writer.expression(test), parts[0] or [ast.Pass()], parts[1]))
                case ast.For(target=ast.Name(id=name), orelse=[]):
                    among = _parts(self.visit(statement.iter))
                    out += self.before
                    if among is None:
                        raise _NotStraight
                    if name in self.stored:
                        raise _NotStraight
                    for part in [self._kept(name, part, out) for part in among]:
                        self.names[name] = part
                        if self._block(copy.deepcopy(statement.body), out) is not None:
                            raise _NotStraight
                    if self.branch:  # what it stands for after that depends on whether the branch is taken
                        self.names.pop(name, None)
                case ast.Assign(targets=[target], value=value):
                    self._assignment(target, value, out)
                case ast.AnnAssign(target=target, value=value) if value is not None:
                    self._assignment(target, value, out)
                case ast.Expr(value=ast.Constant()):
                    pass  # a docstring
                case _:
                    raise _NotStraight
        return None

    def _assignment(self, target: ast.expr, value: ast.expr, out: list[ast.stmt]) -> None:
        written = self.visit(value)
        out += self.before
        if isinstance(target, ast.Name) and isinstance(written, _Constant | _Record) and not self.branch:
            self.names[target.id] = written
            return
        pairs = _pairs(self._target(target), written) if isinstance(target, ast.Tuple) or self.branch else []
        if not pairs or not _independent(pairs):
            self._store(target, written, out)
        elif self.branch:
            out += [self._assign(stored, element) for stored, element in pairs]
        else:
            assert isinstance(target, ast.Tuple)
            for part, element in zip(target.elts, _parts(written) or (), strict=True):
                self._store(part, element, out)

    def _store(self, target: ast.expr, written: ast.expr, out: list[ast.stmt]) -> None:
        if isinstance(target, ast.Name) and isinstance(written, ast.Tuple) and not self.branch and not _starred(written):
            # a tuple that gets a name is kept as so many names; copies, for what they are copied from may change
            parts: list[ast.expr] = []
            for element in written.elts:
                parts.append(element if isinstance(element, ast.Constant) else self._copied(target.id, element, out))
            self.names[target.id] = ast.Tuple(parts, ast.Load())
            return
        stored = self._target(target)
        if isinstance(stored, ast.Name) and isinstance(written, ast.Name) and stored.id == written.id:
            pass  # x = x
        else:
            out.append(self._assign(stored, written))

    def _kept(self, name: str, value: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """An expression that stands for its value of now, whatever is stored in the locals later."""
        if isinstance(value, _Constant | ast.Constant | _Record) or (isinstance(value, ast.Name) and value.id not in self.locals):
            return value
        if isinstance(value, ast.Tuple) and not _starred(value):
            return ast.Tuple([self._kept(name, element, out) for element in value.elts], ast.Load())
        return self._copied(name, value, out)

    def _copied(self, name: str, value: ast.expr, out: list[ast.stmt]) -> ast.Name:
        """A new local with a value."""
        once = self.writer.fresh(name)
        out.append(self._assign(once, value))
        return ast.Name(once, ast.Load())

    def _assign(self, target: ast.expr | str, value: ast.expr) -> ast.Assign:
        if isinstance(target, str):
            target = ast.Name(target, ast.Store())
        return ast.Assign([target], self.writer.expression(value))

    def _target(self, target: ast.expr) -> ast.expr:
        if isinstance(target, ast.Name):
            known = self.names.get(target.id)
            if self.branch and isinstance(known, ast.Tuple):
                return _to_store(known)
            return ast.Name(self._local(target.id), ast.Store())
        if isinstance(target, ast.Tuple):
            return ast.Tuple([self._target(part) for part in target.elts], ast.Store())
        raise _NotStraight

    def _local(self, name: str) -> str:
        """The name in the written function of a name that is assigned here."""
        known = self.names.get(name)
        if not (isinstance(known, ast.Name) and known.id in self.locals):
            known = ast.Name(self.writer.fresh(name), ast.Load())
            self.locals.add(known.id)
            self.names[name] = known
        return known.id

    def _settle(self, name: str, out: list[ast.stmt]) -> None:
        """Before a branch that may store a name: the name must be a local of its own, a tuple so many locals."""
        known = self.names.get(name)
        parts = None if known is None else _parts(known)
        if parts and all(isinstance(part, _Constant | ast.Name | ast.Constant) for part in parts):
            copies = [self._copied(name, part, out) for part in parts]
            self.locals |= {copied.id for copied in copies}
            self.names[name] = ast.Tuple([*copies], ast.Load())
            return
        local = self._local(name)
        if known is not None and not (isinstance(known, ast.Name) and known.id == local):
            out.append(self._assign(local, known))

    # --------------------------------------------------------------------------------------------------- expressions

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _Constant(node.value)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Store):
            return node
        if node.id in self.names:
            return self.names[node.id]
        if node.id in self.own:
            raise _NotStraight
        if node.id in self.globals:
            return _Constant(self.globals[node.id])
        if hasattr(builtins, node.id):
            return _Constant(getattr(builtins, node.id))
        raise _NotStraight

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        value = self.visit(node.value)
        if isinstance(value, _Constant):
            return _Constant(getattr(value.value, node.attr))
        if isinstance(value, _Record) and node.attr in value.fields:
            return value.elts[value.fields.index(node.attr)]
        if isinstance(value, ast.Tuple) and not isinstance(value, _Record):  # a state of which it is not known any more
            raise _NotStraight
        return ast.Attribute(self.writer.expression(value), node.attr, ast.Load())

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if ast.unparse(node).startswith("type(") and ast.unparse(node).endswith(") is int"):
            return _Constant(True)
        if len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
            left, right = self.visit(node.left), self.visit(node.comparators[0])
            if isinstance(left, _Constant) and isinstance(right, _Constant):
                return _Constant(_COMPARISONS[type(node.ops[0])](left.value, right.value))
            code = [self.writer.expression(side) for side in (left, right)]
            return self._decided(ast.Compare(code[0], node.ops, code[1:]))
        return self._decided(self._plain(node))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        first = self.visit(node.values[0])
        self.lazy += 1
        parts = [first, *(self.visit(value) for value in node.values[1:])]
        self.lazy -= 1
        stops = isinstance(node.op, ast.Or)
        kept: list[ast.expr] = []
        for k, part in enumerate(parts):
            decides = isinstance(part, _Constant) and bool(part.value) is stops
            if decides or not isinstance(part, _Constant) or k == len(parts) - 1:  # the last one may be the result
                kept.append(part)
            if decides:
                break
        return kept[0] if len(kept) == 1 else ast.BoolOp(node.op, [self.writer.expression(part) for part in kept])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        return self._decided(self._plain(node))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        for side, other in ((left, right), (right, left)):
            if not isinstance(side, _Constant) or type(side.value) is not int:
                continue
            if side.value == 0:
                if isinstance(node.op, ast.BitAnd):
                    return side
                if isinstance(node.op, ast.BitOr | ast.BitXor):
                    return other
                if isinstance(node.op, ast.LShift | ast.RShift) and side is right:
                    return other
            match node.op, other:
                case ast.BitAnd(), ast.IfExp(test=test, body=ast.Constant(value=int(a)), orelse=ast.Constant(value=int(b))):
                    return ast.IfExp(test, ast.Constant(a & side.value), ast.Constant(b & side.value))
                case _:
                    pass
        if isinstance(left, _Constant) and isinstance(right, _Constant):
            return _Constant(_OPERATORS[type(node.op)](left.value, right.value))
        return ast.BinOp(self.writer.expression(left), node.op, self.writer.expression(right))

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.visit(node.test)
        if isinstance(test, _Constant):
            return self.visit(node.body if test.value else node.orelse)
        self.lazy += 1
        body, orelse = self.visit(node.body), self.visit(node.orelse)
        self.lazy -= 1
        return ast.IfExp(self.writer.expression(test), self.writer.expression(body), self.writer.expression(orelse))

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        elements: list[ast.expr] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                value = self.visit(element.value)
                if isinstance(value, ast.Tuple):
                    elements += value.elts
                elif isinstance(value, _Constant):
                    elements += [self.writer.expression(_Constant(part)) for part in value.value]
                else:
                    elements.append(ast.Starred(self.writer.expression(value), ast.Load()))
            else:
                elements.append(self.writer.expression(self.visit(element)))
        if all(isinstance(element, ast.Constant) for element in elements):
            return _Constant(tuple(element.value for element in elements if isinstance(element, ast.Constant)))
        return ast.Tuple(elements, ast.Load())

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        value, index = self.visit(node.value), self.visit(node.slice)
        if isinstance(index, _Constant) and type(index.value) is int:
            among = _parts(value)
            if among is None and isinstance(value, ast.Tuple) and index.value >= 0:  # those before what is of unknown length
                among = list(takewhile(lambda element: not isinstance(element, ast.Starred), value.elts))
            if among is not None and -len(among) <= index.value < len(among):
                return among[index.value]
        if isinstance(value, _Constant) and isinstance(value.value, Union) and not (self.lazy and len(value.value.parts) > 1):
            return self._union(value.value, self.writer.expression(index))
        return ast.Subscript(self.writer.expression(value), self.writer.expression(index), ast.Load())

    def _joined(self, words: list[ast.expr], offsets: tuple[int, ...]) -> ast.expr | None:
        """`Layout.joined`: the OR of the words that are not known to be zero. None where not all of them are known one by one.

        The words of a row of `Tables` are looked up as one, already joined.
        """
        joined: ast.expr = _Constant(0)
        left = list(offsets)
        for word in words:
            if isinstance(word, ast.Starred):
                placed = self._joined_row(word.value, left)
                if placed is None:
                    return None
            elif not left:
                return None
            else:
                offset = left.pop(0)
                if isinstance(word, ast.Constant) and word.value == 0:
                    continue
                placed = ast.BinOp(self.writer.expression(word), ast.LShift(), ast.Constant(offset)) if offset else word
            joined = placed if isinstance(joined, _Constant) else ast.BinOp(joined, ast.BitOr(), placed)
        return None if left else joined

    def _joined_row(self, row: ast.expr, left: list[int]) -> ast.expr | None:
        """A row of `Tables`, its words at the next of the offsets ``left``, which it takes; None for anything else."""
        match row:
            case ast.Subscript(value=ast.Name(id=name), slice=index) if not isinstance(index, ast.Slice):
                rows: Any = self.writer.constants.get(name)
                width = _width(rows)
                if not 0 < width <= len(left):
                    return None
                offsets, left[:] = left[:width], left[width:]
                joined = [sum(word << offset for word, offset in zip(words, offsets, strict=True)) for words in rows]
                return ast.Subscript(self.writer.expression(_Constant(joined)), row.slice, ast.Load())
            case _:
                return None

    def _union(self, union: Union, x: ast.expr) -> ast.expr:
        """A look-up in a union: the OR of one for each part."""
        if len(union.parts) > 1 and not isinstance(x, ast.Name):
            once = self.writer.fresh("cells")
            self.before.append(self._assign(once, x))
            x = ast.Name(once, ast.Load())
        found: ast.expr | None = None
        for start, mask, table in union.parts:
            at = ast.BinOp(x, ast.RShift(), ast.Constant(start)) if start else x
            at = ast.BinOp(at, ast.BitAnd(), ast.Constant(mask))
            part = ast.Subscript(self.writer.expression(_Constant(table)), at, ast.Load())
            found = part if found is None else ast.BinOp(found, ast.BitOr(), part)
        assert found is not None
        return found

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = self.visit(node.func)
        if isinstance(function, _Constant) and function.value is tuple and _is_generator(node.args):
            unrolled = self._unrolled(node.args[0])
            if unrolled is not None:
                return unrolled
        arguments = [self.visit(argument) for argument in node.args]
        if isinstance(function, _Constant):
            of: Any = function.value
            offsets: tuple[int, ...] | None = getattr(of, "offsets", None)
            if isinstance(of, MethodType) and isinstance(of.__self__, Both):
                return _Constant(of.__self__.ints)
            if offsets is not None and isinstance(arguments[0], ast.Tuple):
                joined = self._joined(arguments[0].elts, offsets)
                if joined is not None:
                    return joined
            if of is range and all(isinstance(argument, _Constant) for argument in arguments):
                return _Constant(range(*(argument.value for argument in arguments if isinstance(argument, _Constant))))
            if of is sum and len(arguments) == 2 and isinstance(arguments[1], _Constant) and arguments[1].value == ():
                among = _parts(arguments[0])
                parts = [_parts(part) for part in among or ()]
                if among is not None and None not in parts:
                    return ast.Tuple([self.writer.expression(e) for part in parts for e in part or ()], ast.Load())
            if of is len and isinstance(arguments[0], _Constant):
                return _Constant(len(arguments[0].value))
            if of is tuple and len(arguments) == 1 and isinstance(arguments[0], _Constant):
                return _Constant(tuple(arguments[0].value))
            if hasattr(of, "cache_info") and not node.keywords and all(isinstance(argument, _Constant) for argument in arguments):
                return _Constant(of(*(argument.value for argument in arguments if isinstance(argument, _Constant))))
            if not node.keywords and not any(isinstance(a, ast.Starred) for a in arguments):
                written = self._written(of, arguments)
                if written is not None:
                    return written
        keywords = [ast.keyword(k.arg, self.writer.expression(self.visit(k.value))) for k in node.keywords]
        code = [self.writer.expression(argument) for argument in arguments]
        return ast.Call(self.writer.expression(function), code, keywords)

    def _written(self, function: Any, arguments: list[ast.expr]) -> ast.expr | None:
        """The call of a function of this package, written out; None if it has to stay a call."""
        plain = function.__func__ if isinstance(function, MethodType) else function
        if not isinstance(plain, FunctionType) or not plain.__module__.startswith(_PACKAGE) or plain in self.writer.kept:
            return None
        try:
            callee = _Function(self.writer, function)
            if len(arguments) > len(callee.parameters):
                return None
            bound: dict[str, ast.expr] = {}
            statements: list[ast.Assign] = []
            for name, argument in zip(callee.parameters, arguments, strict=False):
                uses = sum(isinstance(n, ast.Name) and n.id == name for s in callee.body for n in ast.walk(s))
                bound[name] = self._simple(name, argument, statements) if uses > 1 else argument
            body, result = callee.write(bound)
        except (OSError, TypeError):
            return None
        if result is None:
            return None
        if not body:
            result, statements = _used_once(result, statements)
        if self.lazy and (statements or body):
            return None
        self.before += [*statements, *body]
        return result

    def _simple(self, name: str, value: ast.expr, before: list[Any]) -> ast.expr:
        """An expression that may be used more than once: what has to be computed is assigned to a name before."""
        if isinstance(value, _Constant | ast.Constant | ast.Name | _Record):
            return value
        if isinstance(value, ast.Tuple) and not _starred(value):
            return ast.Tuple([self._simple(name, element, before) for element in value.elts], ast.Load())
        once = self.writer.fresh(name)
        before.append(self._assign(once, value))
        return ast.Name(once, ast.Load())

    def _unrolled(self, node: ast.GeneratorExp) -> ast.expr | None:
        """``tuple(.. for .. in a tuple of known length)`` as a tuple; None where it is not of this form."""
        if len(node.generators) != 1 or node.generators[0].ifs or self.lazy:
            return None
        target, over = node.generators[0].target, _parts(self.visit(copy.deepcopy(node.generators[0].iter)))
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        if over is None or not all(isinstance(name, ast.Name) for name in names):
            return None
        elements: list[ast.expr] = []
        outer = self.names
        for part in over:
            value = self._simple("part", part, self.before)
            values = _parts(value) if isinstance(target, ast.Tuple) else [value]
            if values is None or len(values) != len(names):
                return None
            within = {name.id: v for name, v in zip(names, values, strict=True) if isinstance(name, ast.Name)}
            self.names = outer | within
            elements.append(self.writer.expression(self.visit(copy.deepcopy(node.elt))))
            self.names = outer
        return ast.Tuple(elements, ast.Load())

    def _no_straight_line(self, node: ast.expr) -> ast.expr:
        raise _NotStraight

    visit_Lambda = visit_NamedExpr = _no_straight_line

    def _comprehension(self, node: Any) -> ast.expr:
        """With fresh variables: those of the source may have the names of locals, and of what is written into it."""
        outer = self.names
        self.lazy += 1
        for generator in node.generators:
            generator.iter = self.writer.expression(self.visit(generator.iter))
            targets = [n for n in ast.walk(generator.target) if isinstance(n, ast.Name)]
            fresh = {n.id: self.writer.fresh(n.id) for n in targets}
            self.names = self.names | {name: ast.Name(new, ast.Load()) for name, new in fresh.items()}
            for target in targets:
                target.id = fresh[target.id]
            generator.ifs = self._part(generator.ifs)
        for field in node._fields:
            if field != "generators":
                setattr(node, field, self._part(getattr(node, field)))
        self.lazy -= 1
        self.names = outer
        return node

    visit_GeneratorExp = visit_ListComp = visit_SetComp = visit_DictComp = _comprehension

    def _plain(self, node: Any) -> Any:
        """Any other node: its parts written out."""
        for field in node._fields:
            setattr(node, field, self._part(getattr(node, field)))
        return node

    def _part(self, part: Any) -> Any:
        if _is(list, part):
            return [self._part(element) for element in part]
        if not isinstance(part, ast.AST) or isinstance(part, ast.expr_context):
            return part
        new: Any = self.visit(part)
        return self.writer.expression(new) if isinstance(new, ast.expr) else new

    generic_visit = _plain

    def _decided(self, node: ast.expr) -> ast.expr:
        """The value of an operation on literals."""
        if all(isinstance(part, ast.Constant | ast.operator | ast.unaryop | ast.cmpop) for part in ast.iter_child_nodes(node)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # `7 is None`, which nobody wrote
                return _Constant(eval(compile(ast.fix_missing_locations(ast.Expression(node)), "<constant>", "eval"), {}))
        return node


_operator: Any = operator
_tuple: Any = tuple
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: _operator.add,
    ast.Sub: _operator.sub,
    ast.Mult: _operator.mul,
    ast.FloorDiv: _operator.floordiv,
    ast.Mod: _operator.mod,
    ast.Pow: _operator.pow,
    ast.LShift: _operator.lshift,
    ast.RShift: _operator.rshift,
    ast.BitAnd: _operator.and_,
    ast.BitOr: _operator.or_,
    ast.BitXor: _operator.xor,
}


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {ast.Eq: _operator.eq, ast.NotEq: _operator.ne}


class _NotStraight(Exception):
    """A function that cannot be written out: it stays a call."""


def definition(code: CodeType) -> ast.FunctionDef:
    """The definition that a code was compiled from; OSError where there is none, or another one, in its file by now."""
    try:
        lines, codes = _file(code.co_filename)
    except (OSError, SyntaxError, UnicodeError) as error:
        raise OSError(f"the source of {code.co_name}, {code.co_filename}, cannot be read: {type(error).__name__}") from error
    if code not in codes:
        raise OSError(f"the source of {code.co_name}, {code.co_filename}, is not what was imported")
    definition = ast.parse(textwrap.dedent("".join(inspect.getblock(lines[code.co_firstlineno - 1 :])))).body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise OSError(f"{code.co_name} is no plain function")
    return definition


def _expression(text: str) -> ast.FunctionDef:
    """The definition of a function that was made from the text of a lambda."""
    made = ast.parse(text, mode="eval").body
    assert isinstance(made, ast.Lambda)
    written = ast.parse("def expression(): pass").body[0]
    assert isinstance(written, ast.FunctionDef)
    written.args, written.body = made.args, [ast.Return(made.body)]
    return written


@lru_cache(None)
def _file(name: str) -> tuple[list[str], set[CodeType]]:
    """The lines of a file, and all code in it. Read once, so that the two agree."""
    with tokenize.open(name) as file:
        lines = file.readlines()
    found: set[CodeType] = set()
    todo = [compile("".join(lines), name, "exec", dont_inherit=True)]
    while todo:
        code = todo.pop()
        found.add(code)
        constants: list[Any] = list(code.co_consts)
        todo += [constant for constant in constants if isinstance(constant, CodeType)]
    return lines, found


def _is(kind: type, value: Any) -> bool:
    return isinstance(value, kind)  # in a function of its own, or the type checker forgets the rest


def _stored_in(statement: ast.stmt) -> list[str]:
    """The names that assignments in a statement store; variables of comprehensions are none of them."""
    assignments = [n for n in ast.walk(statement) if isinstance(n, ast.Assign | ast.AnnAssign)]
    targets = [t for n in assignments for t in (n.targets if isinstance(n, ast.Assign) else [n.target])]
    return sorted({n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)})


def _loops_over_name(node: ast.AST) -> TypeGuard[Any]:
    return isinstance(node, ast.For) and isinstance(node.target, ast.Name)


def _is_generator(arguments: list[ast.expr]) -> TypeGuard[list[ast.GeneratorExp]]:
    """Whether there is one argument, a generator."""
    return len(arguments) == 1 and isinstance(arguments[0], ast.GeneratorExp)


def _width(rows: Any) -> int:
    """How many words each row of `Tables` has; 0 for anything but such rows."""
    if not _is(list, rows) or not all(type(row) is tuple and {*map(type, row)} == {int} for row in rows):
        return 0
    widths = {len(row) for row in rows}
    return widths.pop() if len(widths) == 1 else 0


def _joined_by_or(node: ast.expr) -> list[ast.expr]:
    """The parts of ``a | b | c``."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*_joined_by_or(left), *_joined_by_or(right)]
        case _:
            return [node]


def _used_once(result: ast.expr, assigned: list[ast.Assign]) -> tuple[ast.expr, list[ast.Assign]]:
    """An expression, and the assignments that it needs before it: a name that it uses once is replaced by its value, and one that
    it does not use is not assigned.

    What the branches that are not written out have used does not count any more.
    """
    if any(isinstance(n, ast.comprehension) for n in ast.walk(result)):
        return result, assigned
    kept: list[ast.Assign] = []
    for statement in reversed(assigned):
        (name,) = _stored_in(statement)
        replace = _Replace(name, statement.value)
        written = replace.visit(copy.deepcopy(result))
        if replace.found == 1:
            result = written
        elif replace.found:
            kept.insert(0, statement)
    return result, kept


class _Replace(ast.NodeTransformer):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value
        self.found = 0

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.name:
            return node
        self.found += 1
        return self.value


def _starred(node: ast.Tuple) -> bool:
    return any(isinstance(element, ast.Starred) for element in node.elts)


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """The elements of a tuple (or range) whose length is known; None for anything else."""
    if isinstance(node, _Constant):
        known: Any = node.value
        return [_Constant(part) for part in known] if type(known) in (tuple, range) else None
    return node.elts if isinstance(node, ast.Tuple) and not _starred(node) else None


def _to_store(names: ast.Tuple) -> ast.Tuple:
    """A tuple of names, and of tuples of these, as a target."""
    targets: list[ast.expr] = []
    for part in names.elts:
        if isinstance(part, ast.Tuple):
            targets.append(_to_store(part))
        elif isinstance(part, ast.Name):
            targets.append(ast.Name(part.id, ast.Store()))
        else:
            raise _NotStraight
    return ast.Tuple(targets, ast.Store())


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """``(a, b), c = (x, y), z`` as pairs of a name and its value; none where the value is not known part by part."""
    if isinstance(target, ast.Name):
        return [(target, value)]
    parts = _parts(value)
    if not isinstance(target, ast.Tuple) or parts is None or len(parts) != len(target.elts):
        return []
    pairs = [_pairs(*pair) for pair in zip(target.elts, parts, strict=True)]
    return [pair for part in pairs for pair in part] if all(pairs) else []


def _independent(pairs: list[tuple[ast.expr, ast.expr]]) -> bool:
    """Whether pairs of a name and its value may be assigned one after another."""
    for k, (part, _) in enumerate(pairs):
        later = {n.id for _, value in pairs[k + 1 :] for n in ast.walk(value) if isinstance(n, ast.Name)}
        if not isinstance(part, ast.Name) or part.id in later:
            return False
    return True
