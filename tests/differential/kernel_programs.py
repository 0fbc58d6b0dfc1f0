"""Random kernels as text, made so that Python and the compiler must give the same numbers.

A program is a device function and a kernel with variables, branches, loops, tuples, a private
array and elements of its arguments. It is typed as it is made: each expression is made for one
dtype, so that NumPy's scalars, which `simulate` computes with, have the dtype that the compiler
infers. Python's own integers (ids and counters) are converted where they are used, since only the
compiler gives them a width. Bools are conditions, and take part in arithmetic with numbers. Left
out is what differs on purpose or has more than one answer: conversions of floats to integers,
powers, and functions that are not exact.
"""

import linecache
import zlib
from dataclasses import dataclass
from itertools import count

import numpy as np
from hypothesis import strategies as st

import situ

SIZE = 5
DTYPES = ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
FLOATS = ["float32", "float64"]
ARGUMENTS = ["bool", *DTYPES]
ODD_BOOLS = [0, 2, 128, 255, 1]
MAX_DEPTH = 3
MAX_NESTING = 3


def _sources() -> dict[str, list[tuple[str, str]]]:
    """Return the pairs of dtypes whose promotion is each dtype."""
    pairs: dict[str, list[tuple[str, str]]] = {dtype: [] for dtype in ARGUMENTS}
    for left in ARGUMENTS:
        for right in ARGUMENTS:
            pairs[np.result_type(left, right).name].append((left, right))
    return pairs


PAIRS = _sources()


def is_integer(dtype: str) -> bool:
    return "int" in dtype


@dataclass
class Scope:
    """What a piece of code can name, and where it is."""

    variables: dict[str, str]
    counters: list[str]
    arrays: bool
    nesting: int = 0
    in_loop: bool = False


class Writer:
    """Writes one program with the choices of Hypothesis."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.fresh = count()

    def pick(self, choices):
        """Return one of the choices."""
        return self.draw(st.sampled_from(choices))

    # ----- expressions -----

    def literal(self, dtype: str) -> str:
        """Return a Python number that fits any dtype of the kind."""
        if is_integer(dtype):
            return str(self.draw(st.integers(0, 100)))
        return repr(self.draw(st.sampled_from([0.0, 0.5, 1.0, 2.25, 3.0, 1e3])))

    def leaf(self, dtype: str, scope: Scope) -> str:
        """Return a number, variable, counter or element of a dtype."""
        names = [name for name, own in scope.variables.items() if own == dtype]
        choices = [f"np.{dtype}({self.literal(dtype)})"]
        choices += names * 3
        choices += [f"np.{dtype}(np.int64({counter}))" for counter in scope.counters]
        if scope.arrays:
            at = self.draw(st.integers(0, SIZE - 1))
            choices += [f"x_{dtype}[i]", f"x_{dtype}[(i + {at}) % {SIZE}]"]
        return self.pick(choices)

    def expression(self, dtype: str, scope: Scope, depth: int = 0) -> str:
        """Return the text of an expression that has exactly this dtype."""
        if dtype == "bool":
            return self.condition(scope, depth)
        if depth >= MAX_DEPTH:
            return self.leaf(dtype, scope)

        def inner(wanted: str = dtype) -> str:
            return self.expression(wanted, scope, depth + 1)

        forms = ["leaf", "arithmetic", "arithmetic", "mixed", "literal", "unary", "choice"]
        forms += ["extreme", "convert", "shared", "logical"]
        if is_integer(dtype):
            forms += ["bitwise", "shift"]
        else:
            forms += ["exact"]
        if dtype == "float64":
            forms += ["quotient"]
        match self.pick(forms):
            case "arithmetic":
                operator = self.pick(["+", "-", "*", "//", "%"])
                return f"({inner()} {operator} {inner()})"
            case "mixed":
                left, right = self.pick(PAIRS[dtype])
                return f"({inner(left)} {self.pick(['+', '-', '*', '//', '%'])} {inner(right)})"
            case "literal":
                operator = self.pick(["+", "-", "*", "//", "%"])
                sides = [inner(), self.literal(dtype)]
                if self.draw(st.booleans()):
                    sides.reverse()
                return f"({sides[0]} {operator} {sides[1]})"
            case "unary":
                return self.pick(["(-{})", "abs({})", "(+{})"]).format(inner())
            case "choice":
                return f"({inner()} if {self.condition(scope, depth + 1)} else {inner()})"
            case "logical":
                return f"({inner()} {self.pick(['and', 'or'])} {inner()})"
            case "extreme":
                return (
                    f"{self.pick(['min', 'max', 'np.minimum', 'np.maximum'])}({inner()}, {inner()})"
                )
            case "convert":
                sources = [own for own in ARGUMENTS if own not in FLOATS or not is_integer(dtype)]
                return f"np.{dtype}({inner(self.pick(sources))})"
            case "shared":
                return f"helper(np.{dtype}(1), {inner()}, {inner()})"
            case "bitwise":
                return f"({inner()} {self.pick(['&', '|', '^'])} {inner()})"
            case "shift":
                bits = np.dtype(dtype).itemsize * 8
                distance = self.draw(st.integers(0, bits - 1))
                return f"({inner()} {self.pick(['<<', '>>'])} {distance})"
            case "exact":
                function = self.pick(["np.floor", "np.ceil", "np.trunc", "np.sqrt", "np.rint"])
                return f"{function}({inner()})"
            case "quotient":
                left, right = self.pick([*PAIRS["float64"], *PAIRS["int64"], *PAIRS["int8"]])
                return f"({inner(left)} / {inner(right)})"
            case _:
                return self.leaf(dtype, scope)

    def condition(self, scope: Scope, depth: int = 0) -> str:
        """Return the text of something that is true or false."""
        dtype = self.pick(DTYPES)

        def number(wanted: str = dtype) -> str:
            return self.expression(wanted, scope, depth + 1)

        comparisons = ["<", "<=", ">", ">=", "==", "!="]
        forms = ["compare", "compare", "bool", "bool"]
        if depth < MAX_DEPTH:
            forms += ["bools", "choice", "mixed", "chain", "and", "not", "number", "in"]
        match self.pick(forms):
            case "bool":
                return self.bool_leaf(scope)
            case "bools":
                left, right = self.bool_leaf(scope), self.condition(scope, depth + 1)
                return f"({left} {self.pick(comparisons)} {right})"
            case "choice":
                chosen = self.condition(scope, depth + 1)
                return f"({self.bool_leaf(scope)} if {chosen} else {self.bool_leaf(scope)})"
            case "mixed":
                other = self.pick(ARGUMENTS)
                return f"({number()} {self.pick(comparisons)} {number(other)})"
            case "chain":
                first, second = self.pick(comparisons), self.pick(comparisons)
                return f"({number()} {first} {number()} {second} {number()})"
            case "and":
                left, right = self.condition(scope, depth + 1), self.condition(scope, depth + 1)
                return f"({left} {self.pick(['and', 'or', '&', '|', '^'])} {right})"
            case "not":
                return f"(not {self.condition(scope, depth + 1)})"
            case "number":
                return f"bool({number()})"
            case "in":
                return f"({number()} {self.pick(['in', 'not in'])} ({number()}, {number()}))"
            case _:
                return f"({number()} {self.pick(comparisons)} {number()})"

    def bool_leaf(self, scope: Scope) -> str:
        """Return a bool that is there already."""
        at = self.draw(st.integers(0, SIZE - 1))
        return self.pick(["v_bool", "x_bool[i]", f"x_bool[(i + {at}) % {SIZE}]", "flags[0]"])

    # ----- statements -----

    def block(self, scope: Scope) -> list[str]:
        """Return the lines of one to three statements."""
        lines: list[str] = []
        for _ in range(self.draw(st.integers(1, 3))):
            lines += self.statement(scope)
        return lines

    def statement(self, scope: Scope) -> list[str]:
        """Return the lines of a statement."""
        forms = ["assign", "assign", "augment", "swap", "element", "store"]
        if scope.nesting < MAX_NESTING:
            forms += ["if", "for", "while"]
        if scope.in_loop:
            forms += ["leave"]
        name = self.pick(sorted(scope.variables))
        dtype = scope.variables[name]
        match self.pick(forms):
            case "augment" if dtype == "bool":
                return [f"{name} {self.pick(['&', '|', '^'])}= {self.condition(scope)}"]
            case "augment":
                fitting = [own for own in ARGUMENTS if (dtype, own) in PAIRS[dtype]]
                operator = self.pick(["+", "-", "*", "//", "%"])
                return [f"{name} {operator}= {self.expression(self.pick(fitting), scope)}"]
            case "swap":
                others = [other for other, own in scope.variables.items() if own == dtype]
                other = self.pick(others)
                return [f"{name}, {other} = {other}, {self.expression(dtype, scope)}"]
            case "element":
                if dtype == "bool":
                    return [f"flags[0] = {self.condition(scope)}"]
                at = self.draw(st.integers(0, 2))
                return [f"own[{at}] += {self.expression('int32', scope)}", f"v_int32 ^= own[{at}]"]
            case "store":
                return [f"out_{dtype}[i] = {self.expression(dtype, scope)}"]
            case "if":
                return self.branch(scope)
            case "for":
                return self.counted_loop(scope)
            case "while":
                return self.open_loop(scope)
            case "leave":
                return [f"if {self.condition(scope)}:", f"    {self.pick(['break', 'continue'])}"]
            case _:
                return [f"{name} = {self.expression(dtype, scope)}"]

    def branch(self, scope: Scope) -> list[str]:
        """Return the lines of an `if`, with or without the rest."""
        inner = self.inside(scope)
        lines = [f"if {self.condition(scope)}:", *indented(self.block(inner))]
        if self.draw(st.booleans()):
            lines += [f"elif {self.condition(scope)}:", *indented(self.block(inner))]
        if self.draw(st.booleans()):
            lines += ["else:", *indented(self.block(inner))]
        return lines

    def counted_loop(self, scope: Scope) -> list[str]:
        """Return the lines of a `for` over a range that depends on the id."""
        counter = f"k{next(self.fresh)}"
        start, end = self.draw(st.integers(-3, 3)), self.draw(st.integers(-3, 3))
        step = self.pick([1, 1, 2, -1, -2])
        header = f"for {counter} in range({start}, {end} + i, {step}):"
        if step < 0:
            header = f"for {counter} in range({start} + i, {end}, {step}):"
        inner = self.inside(scope, in_loop=True)
        inner.counters = [*inner.counters, counter]
        return [header, *indented(self.block(inner))]

    def open_loop(self, scope: Scope) -> list[str]:
        """Return the lines of a `while` that ends after some rounds at the latest."""
        turns = f"turns{next(self.fresh)}"
        inner = self.inside(scope, in_loop=True)
        limit = self.draw(st.integers(1, 4))
        body = [f"{turns} += 1", *self.block(inner)]
        condition = f"{turns} < {limit} and {self.condition(scope)}"
        return [f"{turns} = 0", f"while {condition}:", *indented(body)]

    def inside(self, scope: Scope, *, in_loop: bool = False) -> Scope:
        """Return what the block of a statement can name."""
        return Scope(
            scope.variables,
            scope.counters,
            scope.arrays,
            scope.nesting + 1,
            in_loop or scope.in_loop,
        )

    # ----- programs -----

    def helper(self) -> list[str]:
        """Return a generic device function: the dtype is that of its arguments."""
        comparison = self.pick(["<", ">", "!=", "<="])
        first, second = self.pick(["a", "b", "a + b", "a * one"]), self.pick(["b", "a - b", "a"])
        return [
            "@situ.device_func",
            "def helper(one, a, b):",
            f"    if a {comparison} b:",
            f"        return {first}",
            f"    return {second}",
        ]

    def program(self) -> str:
        """Return the text of the device function and the kernel."""
        scope = Scope({f"v_{dtype}": dtype for dtype in ARGUMENTS}, ["i"], arrays=True)
        parameters = [f"{kind}_{dtype}" for kind in ("x", "out") for dtype in ARGUMENTS]
        body = ["i = situ.get_global_id(0)", "own = situ.private.array(3, np.int32)"]
        body += [f"own[{at}] = {at}" for at in range(3)]
        body += ["flags = situ.private.array(1, np.bool_)", "flags[0] = x_bool[i]"]
        body += [f"v_{dtype} = x_{dtype}[i]" for dtype in ARGUMENTS]
        for _ in range(self.draw(st.integers(1, 4))):
            body += self.statement(scope)
        body += [f"out_{dtype}[i] += v_{dtype}" for dtype in DTYPES]
        body += ["out_bool[i] ^= v_bool"]
        kernel = ["@situ.kernel", f"def kernel({', '.join(parameters)}):", *indented(body)]
        return "\n".join([*self.helper(), *kernel]) + "\n"


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@st.composite
def kernel_programs(draw) -> str:
    """Text with a kernel `kernel`: an input and an output of each dtype, of `SIZE` elements."""
    return Writer(draw).program()


def compiled_from(text: str) -> situ.Kernel:
    """Define the kernel in text; its source is found as if the text were a file."""
    # The same text has the same name each time, so that Hypothesis sees the same failure.
    name = f"<program {zlib.crc32(text.encode()):08x}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, object] = {"np": np, "situ": situ}
    exec(compile(text, name, "exec"), namespace)
    kernel = namespace["kernel"]
    assert isinstance(kernel, situ.Kernel)
    return kernel


def inputs() -> list[np.ndarray]:
    """Return one array of each dtype with its extremes and some ordinary numbers."""
    return [_input(np.dtype(dtype)) for dtype in ARGUMENTS]


def inputs_with_odd_bools() -> list[np.ndarray]:
    """Return the same inputs, with bools that are true by other bytes than 1."""
    return [np.array(ODD_BOOLS, np.uint8).view(np.bool_), *inputs()[1:]]


def _input(dtype: np.dtype) -> np.ndarray:
    if dtype.kind == "b":
        return np.array(ODD_BOOLS) != 0
    if dtype.kind == "f":
        return np.array([0.0, -2.5, 7.75, 1e6, np.inf], dtype)
    limits = np.iinfo(dtype)
    return np.array([0, 3, limits.max, limits.min, 77], dtype)
