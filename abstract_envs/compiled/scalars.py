"""The third kind of word: an unsigned 64-bit number in code that Numba compiles, from the same source of the rules.

What `core.onegame` writes out for ints is nearly this already: straight-line code on words of at most 64 bits. `scalar`
makes every literal a uint64 (Numba takes a mixture of signed and unsigned for floats), every table an array, and calls what
stays a call - floods, histories - in the form that is given for it here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, NamedTuple, NoReturn

import numba
import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import types
from numpy.typing import NDArray

from abstract_envs.core.bits import where_set
from abstract_envs.core.history import Near, occurrences, union_of_past
from abstract_envs.core.onegame import Writer, definition

__all__ = ["OVER", "History", "clear_bytes", "compile_function", "copy_bytes", "nth_bit", "popcount", "scalar", "spread"]

_U64 = np.uint64


def compile_function(function: Callable[..., Any], parallel: bool = False) -> Callable[..., Any]:
    """A function as Numba compiles it when it is first called; it runs without Python's lock, ``parallel`` on several threads."""
    return numba.njit(nogil=True, parallel=parallel)(function)


def _instruction(function: Callable[..., Any]) -> Callable[..., Any]:
    return extending.intrinsic(function)  # in a function of its own, for the type checker knows neither


# -------------------------------------------------------------------------------------------------- processor instructions


@_instruction
def popcount(typing_context: Any, x: Any) -> Any:
    """The number of set bits."""
    return types.uint64(types.uint64), lambda context, builder, signature, arguments: builder.ctpop(arguments[0])


@_instruction
def _trailing_zeros(typing_context: Any, x: Any) -> Any:
    """The index of the lowest set bit; 64 where there is none."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), write


@_instruction
def bit_length(typing_context: Any, x: Any) -> Any:
    """The index of the highest set bit and one more; 0 where there is none."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 64), zeros)

    return types.uint64(types.uint64), write


def _store_bits(count: int) -> Any:
    """Stores a byte of 0 or 1 for each of the low ``count`` bits of a word, in an ``int8[:]`` from any place on."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(8), 8))
        vector, which = ir.VectorType(ir.IntType(8), count), ir.VectorType(ir.IntType(32), count)
        repeated = builder.shuffle_vector(word, word, ir.Constant(which, [k // 8 for k in range(count)]))
        bits = builder.and_(repeated, ir.Constant(vector, [1 << k % 8 for k in range(count)]))
        bools = builder.icmp_unsigned("!=", bits, ir.Constant(vector, [0] * count))
        builder.store(builder.zext(bools, vector), _place(context, builder, signature, arguments, vector), align=1)
        return context.get_dummy_value()

    @_instruction
    def store(typing_context: Any, array: Any, at: Any, word: Any) -> Any:
        return types.void(array, types.uint64, types.uint64), write

    return store


def _place(context: Any, builder: Any, signature: Any, arguments: Any, kind: Any, k: int = 0) -> Any:
    """Where in the array that is argument k the next argument says, as a pointer."""
    data = context.make_array(signature.args[k])(context, builder, arguments[k]).data
    return builder.bitcast(builder.gep(data, [arguments[k + 1]]), kind.as_pointer())


_store_8, _store_16, _store_32, _store_64 = map(_store_bits, (8, 16, 32, 64))

LINE = 64
"""Bytes of a line of the cache."""


@_instruction
def _stream_line(typing_context: Any, source: Any, start: Any, out: Any, at: Any) -> Any:
    """Copies a line from any place to the beginning of one, past the caches."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        line = ir.VectorType(ir.IntType(64), LINE // 8)
        value = builder.load(_place(context, builder, signature, arguments, line), align=1)
        stored = builder.store(value, _place(context, builder, signature, arguments, line, 2), align=LINE)
        stored.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)]))
        return context.get_dummy_value()

    return types.void(source, types.uint64, out, types.uint64), write


@_instruction
def _fence(typing_context: Any) -> Any:
    """Nobody sees what is stored after this without what was before."""
    return types.void(), lambda context, builder, signature, arguments: builder.fence("seq_cst")


# numbers without a sign are no indices from the end: a loop over such becomes a call of memcpy, over others it takes 30 x


@compile_function
def copy_bytes(source: Any, out: Any, at: Any, count: Any, streaming: Any) -> None:
    """The first bytes of ``source`` to ``out``, from ``at`` on, ``at`` and ``count`` words; ``streaming``: past the caches."""
    first, behind = _whole_lines(out, at, count) if streaming else (count, count)
    for k in range(first):
        out[at + k] = source[k]
    for k in range(first, behind, _U64(LINE)):
        _stream_line(source, k, out, at + k)
    for k in range(behind, count):
        out[at + k] = source[k]
    if streaming:
        _fence()


@compile_function
def clear_bytes(out: Any, at: Any, count: Any) -> None:
    """Zeros on ``out``, from ``at`` on, ``at`` and ``count`` words, past the caches."""
    zeros = np.zeros(LINE, np.int8)
    first, behind = _whole_lines(out, at, count)
    for k in range(first):
        out[at + k] = 0
    for k in range(first, behind, _U64(LINE)):
        _stream_line(zeros, _U64(0), out, at + k)
    for k in range(behind, count):
        out[at + k] = 0
    _fence()


@compile_function
def _whole_lines(out: Any, at: Any, count: Any) -> Any:
    """Behind ``at``, how far it is to where lines begin, and to where those end that lie within ``count`` bytes."""
    first = min(_U64(-(out.ctypes.data + np.int64(at)) % LINE), count)
    return first, first + (count - first) // _U64(LINE) * _U64(LINE)


@compile_function
def nth_bit(word: Any, rank: Any) -> Any:
    """The index of the set bit that has ``rank`` set bits below it."""
    for _ in range(rank):
        word &= word - _U64(1)
    return _trailing_zeros(word)


@compile_function
def spread(word: Any, size: Any, out: Any, at: Any) -> None:
    """A byte of 0 or 1 for each of the low ``size`` bits of a word; up to `OVER` bytes after these are written on too."""
    if size > _U64(32):
        _store_64(out, at, word)
    elif size > _U64(16):
        _store_32(out, at, word)
    elif size > _U64(8):
        _store_16(out, at, word)
    else:
        _store_8(out, at, word)


OVER = 31
"""How many bytes `spread` may write past the end."""


# ------------------------------------------------------------------------------- what stays a call, in form for scalars


class History(NamedTuple):
    """The earlier positions of one game of a batch: a column of the rows of its `PastBatch`."""

    rows: NDArray[np.uint64]
    newest: Any
    """The row of the last position pushed."""
    age: Any
    """How many earlier positions there are, a word."""
    game: Any
    """Which column."""


@compile_function
def _push(past: Any, key: Any, running: Any) -> Any:
    past.rows[past.newest + 1, past.game] = key
    return History(past.rows, past.newest + 1, past.age + _U64(1) if running else _U64(0), past.game)


@compile_function
def _kept(past: Any, running: Any) -> Any:
    return History(past.rows, past.newest, past.age if running else _U64(0), past.game)


@compile_function
def _occurrences(past: Any, key: Any) -> Any:
    count = _U64(1)
    for back in range(2, np.int64(past.age) + 1, 2):
        if past.rows[past.newest - back + 1, past.game] == key:
            count += _U64(1)
    return count


@compile_function
def _union_of_past(past: Any, key: Any, newest: Any, first: Any, near: Any, f: Any) -> Any:
    union = f(key, newest) if past.age else _U64(0)
    for back in range(np.int64(first), np.int64(past.age) + 1, 2):
        earlier = past.rows[past.newest - back + 1, past.game]
        if near(key ^ earlier):
            union |= f(key, earlier)
    return union


@compile_function
def _clipped(index: Any, last: Any) -> Any:
    return index if index < last else last


@compile_function
def _where_set(mask: Any, f: Any, *words: Any) -> Any:
    if mask:
        return f(*words)
    return _U64(0)


def _near(near: Near) -> Any:
    """Whether two keys with a difference are near each other."""
    terms = "".join(f" | difference >> _{lane}" for lane in near.lanes)
    names: dict[str, Any] = {f"_{lane}": _U64(lane) for lane in near.lanes}
    names |= {"popcount": popcount, "cells": _U64(near.cells), "most": _U64(near.most)}
    return compile_function(eval(f"lambda difference: popcount((difference{terms}) & cells) <= most", names))


_FORMS: dict[Callable[..., Any], Any] = {
    occurrences: _occurrences,
    union_of_past: _union_of_past,
    where_set: _where_set,
}
_METHODS = {"bit_count": popcount, "bit_length": bit_length, "push": _push, "kept": _kept}


# ---------------------------------------------------------------------------------------------------- from the source


def scalar(function: Callable[..., Any]) -> Any:
    """A method of a game or board, or a function of `core.bits` in the form for ints, compiled for uint64 scalars.

    RuntimeError where there is no source to compile it from; TypeError for what numbers of 64 bits would do otherwise than ints,
    as far as the source shows it.
    """
    try:
        return _Scalar(function).compiled()
    except OSError as error:
        raise RuntimeError(f"compiled games are made from the sources of their rules, but {error}") from error


class _Scalar(ast.NodeTransformer):
    """Rewrites a function on ints for uint64 scalars; ``names`` become its globals."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.names: dict[str, Any] = {method.__name__: method for method in _METHODS.values()}
        if isinstance(function, MethodType):
            writer = Writer(kept=_FORMS)
            self.module, self.given = writer.module(function), writer.constants
        else:
            assert isinstance(function, FunctionType)
            body = definition(function.__code__)
            body.returns = None
            for argument in body.args.args:
                argument.annotation = None
            self.module, self.given = ast.Module([body], []), function.__globals__

    def compiled(self) -> Any:
        module = ast.fix_missing_locations(self.visit(self.module))
        exec(compile(module, f"<{self.function.__qualname__}, for scalars>", "exec"), self.names)
        return compile_function(self.names[self.function.__name__])

    def _refuse(self, what: str) -> NoReturn:
        raise TypeError(f"{self.function.__qualname__} cannot be compiled for numbers of 64 bits without a sign: {what}")

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self._number(node.value) if type(node.value) in (int, float, complex) else node

    def _number(self, value: Any) -> ast.expr:
        name = f"_{value}"
        self.names[name] = self._word(value)
        return ast.Name(name, ast.Load())

    def _word(self, value: Any) -> np.uint64:
        if type(value) is not int or not 0 <= value < 1 << 64:
            self._refuse(f"{value} is none")
        return _U64(value)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self.given and node.id not in self.names:
            self.names[node.id] = self._value(self.given[node.id])
        return node

    def _value(self, value: Any) -> Any:
        if type(value) in (int, float, complex):
            return self._word(value)
        if isinstance(value, list):
            return np.array(value, _U64)
        if isinstance(value, Near):
            return _near(value)
        if isinstance(value, FunctionType | MethodType):
            return _FORMS.get(value) or scalar(value)
        return value

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        table = self.given.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if not isinstance(table, list):  # a part of a tuple: which one, Numba wants to know as it compiles
            index = node.slice if isinstance(node.slice, ast.Constant) else self.visit(node.slice)
            return ast.Subscript(self.visit(node.value), index, node.ctx)
        assert isinstance(node.value, ast.Name)
        # as a `Table` of arrays: past the end (where no bit is set, say) is the last entry
        self.names[_clipped.__name__] = _clipped
        index = ast.Call(ast.Name(_clipped.__name__, ast.Load()), [self.visit(node.slice), self._number(len(table) - 1)], [])
        if not isinstance(table[0], tuple):
            return ast.Subscript(self.visit(node.value), index, ast.Load())
        columns: list[ast.expr] = []
        for k, column in enumerate(zip(*table, strict=True)):
            name = f"{node.value.id}_{k}"
            self.names[name] = np.array(column, _U64)
            columns.append(ast.Subscript(ast.Name(name, ast.Load()), index, ast.Load()))
        return ast.Tuple(columns, ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if node.keywords:  # the names of arguments are others when a function is compiled
            self._refuse(f"{ast.unparse(node)} stays a call, and has arguments by name")
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            method = ast.Name(_METHODS[node.func.attr].__name__, ast.Load())
            return ast.Call(method, [self.visit(part) for part in (node.func.value, *node.args)], [])
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if isinstance(node.op, ast.Div | ast.Pow | ast.MatMult):
            self._refuse(f"{ast.unparse(node)} may be no whole number")
        by = node.right.value if isinstance(node.right, ast.Constant) else 0
        if isinstance(node.op, ast.LShift | ast.RShift) and type(by) is int and by >= 64:
            self._refuse(f"{ast.unparse(node)} shifts by more than 63")
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Invert):
            self._refuse(f"{ast.unparse(node)} is negative on ints")
        if isinstance(node.op, ast.USub):
            return ast.BinOp(self._number(0), ast.Sub(), self.visit(node.operand))
        return self.generic_visit(node)  # type: ignore[return-value]
