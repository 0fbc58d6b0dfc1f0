//! Which Python a kernel may contain, and what to say about the rest.
//!
//! A kernel runs without a Python interpreter, once for each work-item, so everything that needs
//! objects, exceptions or a caller is out. Each refused construct has a code, the reason and the way
//! out. The constructs that are allowed are those of [`crate::syntax`].

use situ_ir::{Diagnostic, Span};

/// Deepest nesting of expressions and statements that is accepted.
///
/// Every later stage walks the tree recursively; a bound here keeps all of them off the end of the
/// stack whatever the input is.
pub(crate) const MAX_DEPTH: usize = 200;

/// Python that has no meaning in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    List,
    /// A list as an index, in functions of the host, where lists are tuples.
    ListIndex,
    Dict,
    Set,
    Comprehension,
    String,
    NoneValue,
    Ellipsis,
    Starred,
    NamedExpression,
    Yield,
    Await,
    AsyncFunction,
    AsyncStatement,
    Try,
    Raise,
    RaisedValue,
    PrintOption,
    NestedFormat,
    With,
    Match,
    Class,
    NestedFunction,
    TypeAlias,
    Import,
    Global,
    Delete,
    LoopElse,
    MatrixMultiply,
    Identity,
    Membership,
    DefaultValue,
    VariadicParameter,
    KeywordsParameter,
    KeywordOnlyParameter,
    TypeParameters,
    HugeInteger,
    TooDeep,
    IpythonCommand,
    RepeatedParameter,
    JumpOutsideLoop,
}

impl Refused {
    /// The diagnostic for this construct at a place.
    pub(crate) fn at(self, span: Span) -> Diagnostic {
        let entry = self.entry();
        Diagnostic::error(entry.code, entry.message)
            .label(span, entry.label)
            .why(entry.why)
            .help(entry.help)
    }

    fn entry(self) -> Entry {
        const INTERPRETER: &str =
            "kernels are compiled to machine code that runs without a Python interpreter";
        match self {
            Self::List => Entry {
                code: "K010",
                message: "a kernel cannot make a list",
                label: "this would be a new Python object",
                why: INTERPRETER,
                help: "for a few numbers use scalars or `situ.private.array(length, dtype)`; \
                       for data pass an array as argument",
            },
            Self::ListIndex => Entry {
                code: "K010",
                message: "a kernel cannot use a list as an index",
                label: "a list is a tuple here, which would mean something else",
                why: INTERPRETER,
                help: "use an array of indices, e.g. `places = np.array([0, 2])`, then `x[places]`",
            },
            Self::Dict => Entry {
                code: "K010",
                message: "a kernel cannot make a dict",
                label: "this would be a new Python object",
                why: INTERPRETER,
                help: "pass arrays of keys and values, or choose with `if` / `elif`",
            },
            Self::Set => Entry {
                code: "K010",
                message: "a kernel cannot make a set",
                label: "this would be a new Python object",
                why: INTERPRETER,
                help: "compare with `or`, e.g. `x == 1 or x == 2`",
            },
            Self::Comprehension => Entry {
                code: "K011",
                message: "a kernel cannot contain a comprehension or generator expression",
                label: "this would be a new Python object",
                why: INTERPRETER,
                help: "write a `for` loop over `range(...)` that updates a variable",
            },
            Self::String => Entry {
                code: "K012",
                message: "a kernel cannot work with strings",
                label: "this is text",
                why: INTERPRETER,
                help: "use numbers as codes, or decide on the host before the launch",
            },
            Self::NoneValue => Entry {
                code: "K013",
                message: "`None` has no meaning in a kernel",
                label: "this is not a number",
                why: "every value in a kernel is a number of a fixed dtype",
                help: "use a number that stands for \"nothing\", such as -1 or `math.nan`",
            },
            Self::Ellipsis => Entry {
                code: "K013",
                message: "`...` has no meaning in a kernel",
                label: "this is not a number",
                why: "every value in a kernel is a number of a fixed dtype, and every index names \
                      one element",
                help: "write out every index, e.g. `a[i, j]`; use `pass` for an empty body",
            },
            Self::NestedFunction => Entry {
                code: "K014",
                message: "a function inside of a kernel cannot have this decorator",
                label: "only `@situ.device_func`, or none",
                why: "it is compiled with the kernel; what a decorator makes of it would be lost",
                help: "remove the decorator",
            },
            Self::Class => Entry {
                code: "K015",
                message: "a kernel cannot define a class",
                label: "classes cannot be made at run time",
                why: INTERPRETER,
                help: "pass the numbers the kernel needs as arrays or scalars",
            },
            Self::Try => Entry {
                code: "K016",
                message: "a kernel cannot catch exceptions",
                label: "nothing in a kernel raises",
                why: "device code has no exceptions: every operation has a result, e.g. `n // 0` is 0",
                help: "test for the condition before, e.g. `if n != 0:`",
            },
            Self::Raise => Entry {
                code: "K016",
                message: "a kernel cannot raise an exception",
                label: "there is nobody to catch it",
                why: "work-items run on the device while the host goes on",
                help: "write `assert condition, \"message\"`, which the host raises when it waits for the kernel",
            },
            Self::RaisedValue => Entry {
                code: "K016",
                message: "`raise` takes a class of exceptions and its message",
                label: "this is something else",
                why: "the exception is made after the compiled code has ended, from the name of its \
                      class and the numbers in its message",
                help: "write e.g. `raise ValueError(f\"bad value {x}\")`",
            },
            Self::PrintOption => Entry {
                code: "K016",
                message: "`print` in a kernel takes `sep=` and `end=` with text, and no other options",
                label: "not possible here",
                why: "what a kernel prints is collected on the device and printed when the host waits for it",
                help: "leave the option out",
            },
            Self::NestedFormat => Entry {
                code: "K016",
                message: "a format in a kernel cannot contain numbers that are computed",
                label: "this would have to be known when the kernel is compiled",
                why: "how numbers are formatted is fixed when the kernel is compiled",
                help: "write the width and precision as digits, e.g. `{x:8.3f}`",
            },
            Self::With => Entry {
                code: "K017",
                message: "a kernel cannot use `with`",
                label: "context managers are Python objects",
                why: INTERPRETER,
                help: "enter the context on the host, around the call of the kernel",
            },
            Self::Match => Entry {
                code: "K018",
                message: "a kernel cannot use `match`",
                label: "",
                why: "patterns are about Python objects; kernels have only numbers",
                help: "use `if` / `elif` / `else`",
            },
            Self::Import => Entry {
                code: "K019",
                message: "a kernel cannot import",
                label: "imports run in the interpreter",
                why: INTERPRETER,
                help: "import at the top of the file; kernels can use `math`, `numpy` and `situ` \
                       from there",
            },
            Self::Global => Entry {
                code: "K020",
                message: "a kernel cannot change variables of the host",
                label: "names from outside are constants here",
                why: "a kernel reads globals once, when it is compiled, and runs on the device",
                help: "pass an array and write the result to it",
            },
            Self::Delete => Entry {
                code: "K022",
                message: "a kernel cannot delete names or elements",
                label: "there is nothing to free",
                why: "scalars live in registers and arrays belong to the host",
                help: "remove this statement",
            },
            Self::Yield => Entry {
                code: "K023",
                message: "a kernel cannot be a generator",
                label: "there is nobody to hand this value to",
                why: "every work-item runs the function once, from start to end",
                help: "pass an output array and write each value to it",
            },
            Self::Await => Entry {
                code: "K024",
                message: "a kernel cannot await",
                label: "there is no event loop on the device",
                why: "a kernel runs from start to end; launches themselves are asynchronous",
                help: "await the event of the launch on the host",
            },
            Self::AsyncFunction => Entry {
                code: "K024",
                message: "a kernel cannot be an `async def`",
                label: "",
                why: "a kernel runs from start to end; launches themselves are asynchronous",
                help: "write `def`; await the event of the launch on the host",
            },
            Self::AsyncStatement => Entry {
                code: "K024",
                message: "a kernel cannot use `async for` or `async with`",
                label: "there is no event loop on the device",
                why: "a kernel runs from start to end; launches themselves are asynchronous",
                help: "use a plain `for` over `range(...)`",
            },
            Self::LoopElse => Entry {
                code: "K025",
                message: "a loop in a kernel cannot have an `else`",
                label: "",
                why: "it is rarely what readers expect, and a flag says the same",
                help: "set `found = False` before the loop, `found = True` before the `break`, and \
                       test it after the loop",
            },
            Self::DefaultValue => Entry {
                code: "K027",
                message: "this default is not known when the kernel is compiled",
                label: "known only when the kernel runs",
                why: "what a function inside of a kernel takes by default is part of the compiled code",
                help: "use a constant, or remove the default and pass the value at each call",
            },
            Self::VariadicParameter => Entry {
                code: "K027",
                message: "a kernel cannot take `*args` or `**kwargs`",
                label: "how many there are must be known",
                why: "a kernel is compiled for a fixed list of arguments",
                help: "name each parameter",
            },
            Self::KeywordsParameter => Entry {
                code: "K027",
                message: "a kernel cannot take `**kwargs`",
                label: "which names there are must be known",
                why: "a kernel is compiled for a fixed list of names",
                help: "name each parameter; those after a `*` are given by name only",
            },
            Self::KeywordOnlyParameter => Entry {
                code: "K027",
                message: "a kernel cannot have keyword-only parameters",
                label: "",
                why: "every parameter of a kernel can be given by position",
                help: "remove the `*` from the parameter list; arguments can be given by name without it",
            },
            Self::TypeParameters => Entry {
                code: "K027",
                message: "a kernel cannot have type parameters",
                label: "",
                why: "kernels are compiled for the dtypes of each call; annotations are ignored",
                help: "remove the `[...]` after the name",
            },
            Self::Starred => Entry {
                code: "K028",
                message: "a kernel cannot unpack with `*`",
                label: "how many there are must be known",
                why: "the number of values is fixed when the kernel is compiled",
                help: "write out each value",
            },
            Self::NamedExpression => Entry {
                code: "K029",
                message: "a kernel cannot use `:=`",
                label: "",
                why: "expressions in a kernel have no effects, so that they can be reordered",
                help: "assign in a statement of its own before",
            },
            Self::MatrixMultiply => Entry {
                code: "K031",
                message: "a kernel cannot use `@`",
                label: "operands in a kernel are single numbers",
                why: "matrix multiplication is about whole arrays",
                help: "multiply on the host with `situ.matmul`, or sum products in a loop",
            },
            Self::Identity => Entry {
                code: "K031",
                message: "a kernel cannot use `is`",
                label: "numbers have no identity",
                why: "every value in a kernel is a number of a fixed dtype",
                help: "compare with `==` or `!=`",
            },
            Self::Membership => Entry {
                code: "K031",
                message: "a kernel cannot have `in` inside of a chain of comparisons",
                label: "several comparisons at once",
                why: "a chain compares numbers, and `in` asks about a tuple",
                help: "join them with `and`, e.g. `x < 9 and x in (1, 2)`",
            },
            Self::TypeAlias => Entry {
                code: "K032",
                message: "a kernel cannot define a type alias",
                label: "",
                why: "annotations are ignored in kernels",
                help: "remove this statement",
            },
            Self::HugeInteger => Entry {
                code: "K033",
                message: "this integer is too large for every dtype",
                label: "more than 64 bits",
                why: "the widest integers are `int64` and `uint64`",
                help: "use a float, e.g. `1e30`",
            },
            Self::TooDeep => Entry {
                code: "K034",
                message: "this code is nested too deeply",
                label: "more than 200 levels",
                why: "a bound keeps the compiler from running out of stack",
                help: "name parts of the expression with assignments, or move them to a \
                       `@situ.device_func`",
            },
            Self::RepeatedParameter => Entry {
                code: "K001",
                message: "this is not Python",
                label: "a parameter of this name is there already",
                why: "the name of a parameter says which argument is meant",
                help: "rename one of them",
            },
            Self::JumpOutsideLoop => Entry {
                code: "K001",
                message: "this is not Python",
                label: "there is no loop around this",
                why: "`break` and `continue` are about the innermost loop",
                help: "use `return` to end the function",
            },
            Self::IpythonCommand => Entry {
                code: "K001",
                message: "IPython commands are not Python",
                label: "",
                why: "a kernel is read from its source as plain Python",
                help: "move this line out of the kernel",
            },
        }
    }
}

/// What is said about a construct.
struct Entry {
    code: &'static str,
    message: &'static str,
    label: &'static str,
    why: &'static str,
    help: &'static str,
}
