"""Random njit functions that are loops over array statements, as text.

They call `clipped`, a function of an array that whoever runs them defines.
"""

from hypothesis import strategies as st

# Names of arrays of `n` elements, and of `n` by `n`.
VECTORS = ("p", "q", "t")
MATRICES = ("a", "b")
HEADER = "def program(p, q, a, b, o, s, n):\n    t = p * 1\n    total = 0.0\n"
FOOTER = "    return p, q, t, a, b, total\n"


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """Draw an expression of numbers."""
    vector = draw(st.sampled_from(VECTORS))
    matrix = draw(st.sampled_from(MATRICES))
    return draw(
        st.sampled_from(
            (
                *("0.5", "2", "s", "i", "-1", "0.25"),
                *(f"{vector}[i]", f"{matrix}[i, 0]", f"{matrix}[0, -1]"),
                *(f"np.sum({vector})", f"{vector}[1:].sum()", f"np.max({matrix}[i])"),
                *(f"{vector} @ {vector}", f"np.dot({matrix}[i], {vector})", f"len({vector})"),
                *(f"np.argmin({vector})", f"{matrix}[:i + 1].argmax()"),
                *(f"np.count_nonzero({matrix})", f"{vector}.argmax(axis=0)"),
                *(f"{matrix}[:, i].min()", f"np.mean({vector})", f"{matrix}[:i].sum()"),
            )
        )
    )


@st.composite
def parts(draw: st.DrawFn, kind: str) -> str:
    """Draw a part of an array: of `n` elements, of one less, or of `n` by `n`."""
    vector = draw(st.sampled_from(VECTORS))
    matrix = draw(st.sampled_from(MATRICES))
    choices = {
        "whole": (
            *(f"{vector}", f"{vector}[:]", f"{vector}[::-1]", f"{matrix}[i]", f"{matrix}[:, i]"),
            *(f"{matrix}[-1, :]", f"{matrix}[i][::-1]", f"{matrix}.T[i]", f"{vector}[o]"),
            *(f"{matrix}[i, o[::-1]]", f"{vector}.copy().reshape(-1, 1)[:, 0]"),
        ),
        "less": (
            *(f"{vector}[1:]", f"{vector}[:-1]", f"{matrix}[i, 1:]", f"{matrix}[:-1, i]"),
            f"{vector}[:0:-1]",
        ),
        "matrix": (
            *(f"{matrix}", f"{matrix}[:, ::-1]", f"{matrix}.T", f"{matrix}[:]", f"{matrix}[...]"),
        ),
    }
    return draw(st.sampled_from(choices[kind]))


@st.composite
def arrays(draw: st.DrawFn, kind: str, depth: int = 2) -> str:
    """Draw an array expression."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(parts(kind))

    def operand() -> str:
        choice = draw(st.integers(0, 5))
        if choice == 0:
            return draw(numbers())
        if choice == 1 and kind == "matrix":
            return draw(st.sampled_from(("{0}[:, None]", "{0}", "{0}[None]"))).format(
                draw(parts("whole"))
            )
        return draw(arrays(kind, depth - 1))

    left, right = draw(arrays(kind, depth - 1)), operand()
    if draw(st.booleans()):
        left, right = right, left
    form = draw(
        st.sampled_from(
            (
                *("({0} + {1})", "({0} - {1})", "({0} * {1})", "np.minimum({0}, {1})"),
                *("np.where({0} > {1}, {0}, {1})", "np.maximum({1}, {0})", "(-{0} + {1})"),
                *("(abs({0}) + {1})", "({0} * ({1} < 2))"),
            )
        )
    )
    if kind == "whole" and draw(st.integers(0, 5)) == 0:
        form = draw(
            st.sampled_from(
                (
                    *("({0} + a @ {2})", "({0} - np.sum(b, axis=0))", "(a.max(axis=1) + {0})"),
                    *("np.cumsum({0})", "np.sort({0})", "(a.argmin(axis=0) - {0})"),
                    *("np.cumsum(b, axis=0)[i]", "np.concatenate(({0}[i:], {0}[:i]))"),
                    *("np.hstack(({0}[:1], np.diff({0})))", "a.max(axis=1, keepdims=True)[:, 0]"),
                )
            )
        )
        return form.format(draw(arrays(kind, depth - 1)), "", draw(parts("whole")))
    return form.format(left, right)


@st.composite
def shared_work(draw: st.DrawFn, vector: str, matrix: str) -> str:
    """Draw a loop over `prange`, work with a mask, or a call of a function."""
    fixed = draw(st.sampled_from(("s", "i", "0.5", "2")))
    # No element of a matrix whose rows are written at the same time.
    number = draw(st.sampled_from((fixed, f"{matrix}[i, 0]")))
    return draw(
        st.sampled_from(
            (
                f"for k in prange(n): {vector}[k] = np.minimum({matrix}[k, 0] + {number}, 7)",
                f"for k in prange(n): total += {vector}[k] * 0.5",
                f"for k in prange(1, n): total = max(total, {matrix}[k - 1, i])",
                f"for k in prange(n): {matrix}[k] = np.minimum({matrix}[k] + {vector}, 7)",
                f"for k in prange(n): {matrix}[k, :] = clipped({matrix}[k] - {fixed})",
                f"{vector}[{vector} > 1] = 0.5",
                f"for w in ({vector}, {matrix}[i]): w[i] = np.minimum(w[-1] + {number}, 7)",
                f"for k, w in enumerate((p, {vector} * 2)): total += w[i] * k",
                f"t[:] = q[:] = np.minimum({matrix}[i] + {number}, 7)",
                f"total += np.sum({vector}[{vector} < {number}])",
                f"{vector}[:] = clipped({vector} + {number})",
                f"total = np.sum(clipped({matrix}[:, i]))",
            )
        )
    )


@st.composite
def statements(draw: st.DrawFn) -> str:
    """Draw a statement of a round."""
    vector = draw(st.sampled_from(VECTORS))
    matrix = draw(st.sampled_from(MATRICES))
    kind, targets = draw(
        st.sampled_from(
            (
                ("whole", (f"{vector}[:]", f"{matrix}[i]", f"{matrix}[:, i]", f"{vector}")),
                ("less", (f"{vector}[1:]", f"{matrix}[i, 1:]", f"{matrix}[:-1, i]")),
                ("matrix", (f"{matrix}[:]", f"{matrix}", f"{matrix}[::-1]")),
            )
        )
    )
    target = draw(st.sampled_from(targets))
    value = draw(arrays(kind))
    choice = draw(st.integers(0, 12))
    if choice >= 10:
        return draw(shared_work(vector, matrix))
    if choice == 0:
        return "p, q = q, p"
    if choice == 1:
        return f"total += {draw(numbers())}"
    if choice == 2:
        return f"total = np.sum({value}) * 0.125"
    if choice == 3:
        return f"{target} -= np.minimum({value}, 3)"
    if choice == 4:
        return f"{vector} = {draw(parts('whole'))}"
    if choice == 5:
        return f"{matrix} = {matrix}.copy()"
    if choice == 6:
        value = draw(st.one_of(numbers(), arrays("whole", 1)))
        place = draw(st.sampled_from((f"{vector}[o]", f"{matrix}[i, o]")))
        return f"{place} = np.maximum(np.minimum({value}, 7), -7)"
    # Numbers stay small, so that all sums are exact.
    return f"{target} = np.maximum(np.minimum({value}, 7), -7)"


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw a function."""
    body = draw(st.lists(statements(), min_size=1, max_size=4))
    lines = [HEADER, "    for i in range(n):\n"]
    for line in body:
        if draw(st.integers(0, 4)) == 0:
            lines.append(f"        if {draw(numbers())} > 1:\n            {line}\n")
        else:
            lines.append(f"        {line}\n")
    return "".join([*lines, FOOTER])
