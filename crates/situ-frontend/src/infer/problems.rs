//! What can be wrong with names and types, in words.
//!
//! Each function makes one diagnostic: what happened, why, and what to do. The syntax that kernels
//! cannot contain has its words in [`crate::subset`]. All codes are explained in
//! `docs/errors/kernel.md`.

use situ_ir::nearest::nearest;
use situ_ir::{DType, Diagnostic, Span};

use crate::environment::KnownModule;
use crate::infer::library;
use crate::infer::value::LocalType;
use crate::syntax::{ComparisonOperator, Constant, Identifier};
use crate::typed::Array;

// ----- names -----

pub(crate) fn unknown_name(name: &str, known: &[&str], span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error("K040", format!("`{name}` is not defined"))
        .label(span, "unknown name")
        .why(
            "it is not a parameter or variable of this function, and there was no global or \
             closure variable of this name when the kernel was compiled",
        );
    match nearest(name, known.iter().copied()) {
        Some(close) => diagnostic.help(format!("did you mean `{close}`?")),
        None => diagnostic.help(format!(
            "pass `{name}` as an argument, or define it before the kernel is first called"
        )),
    }
}

pub(crate) fn unsupported_global(name: &str, description: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        "K041",
        format!("a kernel cannot use the global `{name}`, which is {description}"),
    )
    .label(span, "used here")
    .why(
        "from outside of itself a kernel can use numbers, tuples of numbers, dtypes, the modules \
         `math`, `cmath`, `numpy` and `situ`, and functions decorated with `@situ.device_func`",
    );
    if description == "a kernel" {
        diagnostic
            .help("a kernel is launched from the host; move what both do to a device function")
    } else if description.contains("array") {
        diagnostic.help(format!("pass `{name}` as an argument of the kernel"))
    } else if description.contains("function") {
        diagnostic.help(format!("decorate `{name}` with `@situ.device_func`"))
    } else {
        diagnostic.help("pass the numbers the kernel needs as arguments")
    }
}

pub(crate) fn used_before_assignment(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K042",
        format!("`{name}` may be used before it is assigned"),
    )
    .label(span, "not assigned on every path to here")
    .why(
        "a branch that is not taken, or a loop that runs zero times, would leave it without a \
             value, and a kernel cannot raise `UnboundLocalError`",
    )
    .help(format!(
        "give it a value first, e.g. `{name} = 0` before the branch or loop"
    ))
}

/// Whether a name is a function of Python that kernels do not have.
pub(crate) fn is_python_builtin(name: &str) -> bool {
    python_builtin_advice(name).is_some()
}

fn python_builtin_advice(name: &str) -> Option<&'static str> {
    Some(match name {
        "print" => "write `print(...)` as a statement of its own",
        "input" | "open" => "read what the kernel needs on the host, and pass it as an argument",
        "enumerate" | "zip" | "reversed" => {
            "use it in a `for` over tuples, e.g. `for a, b in zip(x, y):`; for arrays loop over `range(...)` and index \
             them"
        }
        "iter" | "next" | "map" | "filter" => "loop over `range(...)` and index the arrays",
        "sum" | "any" | "all" | "sorted" => {
            "loop over `range(...)` and update a variable; for whole arrays call the function of \
             situ on the host"
        }
        "isinstance" | "issubclass" | "type" | "hasattr" | "getattr" | "setattr" | "callable" => {
            "a kernel is compiled for the dtypes of each call; compare `x.dtype` on the host \
             and choose the kernel there"
        }
        "str" | "repr" | "format" | "chr" | "ord" | "hex" | "bin" | "oct" | "ascii" | "bytes"
        | "bytearray" => "kernels have no text; use numbers",
        "list" | "dict" | "set" | "frozenset" | "slice" | "object" => {
            "kernels have no containers; pass arrays, or use `situ.private.array(length, dtype)`"
        }
        "tuple" => "write the tuple out, e.g. `(i, j)`",
        "id" | "hash" | "vars" | "dir" | "globals" | "locals" | "eval" | "exec" | "compile"
        | "super" | "breakpoint" | "exit" | "quit" | "help" => "do this on the host",
        _ => return None,
    })
}

pub(crate) fn python_builtin(name: &str, span: Span) -> Diagnostic {
    let advice = python_builtin_advice(name).unwrap_or("do this on the host");
    Diagnostic::error("K043", format!("`{name}` does not exist in a kernel"))
        .label(span, "needs the Python interpreter")
        .why("kernels are compiled to machine code that runs without a Python interpreter")
        .help(advice)
}

pub(crate) fn array_parameter_assigned(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K044",
        format!("`{name}` is an array and cannot be assigned"),
    )
    .label(span, "would forget the array, not change it")
    .why("the caller passed the array, and sees only changes of its elements")
    .help(format!(
        "write an element, e.g. `{name}[i] = ...`, or use another name"
    ))
}

pub(crate) fn kind_changed(
    name: &str,
    old: &LocalType,
    since: Span,
    new: &LocalType,
    span: Span,
) -> Diagnostic {
    let (old, new) = (old.describe(), new.describe());
    let message = if old == new {
        format!("`{name}` cannot stand for two different things")
    } else {
        format!("`{name}` cannot be {old} and {new}")
    };
    Diagnostic::error("K045", message)
        .label(span, format!("{new} here"))
        .label(since, format!("{old} here"))
        .why("a name has one kind in the whole kernel; only the dtype of numbers is adapted")
        .help("use two names")
}

pub(crate) fn object_assigned(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K045", format!("`{name}` cannot hold an object"))
        .label(span, "")
        .why("variables of a kernel hold numbers")
        .help("use the attributes where they are needed, e.g. `settings.width`")
}

// ----- loops -----

pub(crate) fn not_a_range(found: &str, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error("K026", "a kernel can loop over `range(...)` and tuples only")
            .label(span, format!("this is {found}"))
            .why("a loop counts, or is written out when the kernel is compiled; Python's iterators do not exist there");
    if found == "an array" || found == "a part of an array" {
        diagnostic.help("loop over its indices, e.g. `for i in range(a.shape[0]):`, and use `a[i]`")
    } else {
        diagnostic.help("use `for i in range(n):` or `while`")
    }
}

pub(crate) fn range_of_variables(span: Span) -> Diagnostic {
    Diagnostic::error("K026", "this `range` must have numbers that are known when compiling")
        .label(span, "its length is known only when the kernel runs")
        .why("a loop with `enumerate` or `zip` is written out round by round when the kernel is compiled")
        .help("loop over the `range` itself, `for i in range(n):`, and index with `i`")
}

pub(crate) fn not_reversible(span: Span) -> Diagnostic {
    Diagnostic::error("K026", "`reversed` takes a `range` or a tuple")
        .label(span, "this has no last item that Python could start with")
        .why("Python cannot reverse `enumerate` and `zip` either: they go forward only")
        .help("reverse what is inside, e.g. `zip(reversed(a), reversed(b))`")
}

pub(crate) fn count_from(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K026", "`enumerate` counts from an integer")
        .label(span, format!("this is {found}"))
        .why("the numbers of the rounds are integers")
        .help("convert it, e.g. `enumerate(items, int(start))`")
}

pub(crate) fn too_many_rounds(rounds: usize, most: usize, span: Span) -> Diagnostic {
    Diagnostic::error("K026", "this loop is too long to be written out")
        .label(span, format!("its body would be there {rounds} times"))
        .why(format!(
            "a loop over a tuple is compiled as its rounds one after the other, at most {most} with the loops around it"
        ))
        .help("pass an array and loop over its indices, `for i in range(a.shape[0]):`")
}

pub(crate) fn after_its_loop(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K045", format!("`{name}` has no meaning after its loop"))
        .label(span, "used here")
        .why("it stood for something else in each round, and no number says for what")
        .help("use it inside of the loop, or name what you mean")
}

pub(crate) fn range_outside_for(span: Span) -> Diagnostic {
    Diagnostic::error("K026", "`range` can only be looped over")
        .label(span, "not in a `for`")
        .why("a kernel has no range objects")
        .help("write it in the loop: `for i in range(...):`")
}

pub(crate) fn zero_step(span: Span) -> Diagnostic {
    Diagnostic::error("K046", "the step of a `range` cannot be zero")
        .label(span, "this is 0")
        .why("the loop would never end; Python raises `ValueError`")
        .help("use a positive step to count up or a negative one to count down")
}

pub(crate) fn range_type(found: &str, culprit: Option<Culprit>, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error("K047", "`range` takes integers").label(span, format!("this is {found}"));
    explain_culprit(diagnostic, culprit)
        .help("convert it, e.g. `range(int(x))`, or divide with `//`")
}

pub(crate) fn loop_target(span: Span) -> Diagnostic {
    Diagnostic::error("K069", "the counter of a loop must be a plain name")
        .label(span, "not a name")
        .why("`range` gives one integer in each round")
        .help("use a name, and assign from it in the body")
}

// ----- operators -----

pub(crate) fn unary_operands(symbol: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K050", format!("`{symbol}` does not take {found}"))
        .label(span, "")
        .why("bits are those of integers")
        .help("convert first, e.g. `int(x)`; for the opposite of a condition use `not`")
}

pub(crate) fn binary_operands(
    symbol: &str,
    left: &str,
    right: &str,
    common: DType,
    span: Span,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        "K050",
        format!("`{symbol}` does not take {left} and {right}"),
    )
    .label(span, format!("these meet in `{common}`"));
    if common.is_complex() {
        diagnostic
            .why("complex numbers have no order and no remainder")
            .help("compare or divide their parts, e.g. `z.real`, or `abs(z)`")
    } else if left.contains("int") && right.contains("int") {
        diagnostic
            .why("NumPy has no integer dtype that holds both `int64` and `uint64`")
            .help("convert one of them, e.g. `np.uint64(i)`")
    } else {
        diagnostic
            .why("bits and shifts are those of integers")
            .help("convert first, e.g. `int(x)`")
    }
}

pub(crate) fn tuple_order(symbol: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K050", format!("`{symbol}` does not take tuples"))
        .label(span, "")
        .why("tuples are compared with `==` and `!=` only")
        .help("compare their items, e.g. `t[0] < u[0]`")
}

/// `min` (`Less`) or `max` (`Greater`) of complex numbers.
pub(crate) fn no_order(better: ComparisonOperator, common: DType, span: Span) -> Diagnostic {
    let name = match better {
        ComparisonOperator::Less => "min",
        _ => "max",
    };
    let symbol = better.symbol();
    Diagnostic::error("K050", format!("`{name}` does not take complex numbers"))
        .label(span, format!("these meet in `{common}`"))
        .why(format!(
            "complex numbers have no order; Python says that '{symbol}' is not supported between instances of \
             'complex' and 'complex'"
        ))
        .help(format!("compare their parts or magnitudes, e.g. `{name}(z.real, w.real)` or `{name}(abs(z), abs(w))`"))
}

pub(crate) fn constant_does_not_fit(constant: Constant, dtype: DType, span: Span) -> Diagnostic {
    let value = python_text(constant);
    Diagnostic::error(
        "K051",
        format!("the integer {value} does not fit into `{dtype}`"),
    )
    .label(span, format!("computed in `{dtype}`"))
    .why("a Python integer takes the dtype of what it meets, as in NumPy 2")
    .help(format!(
        "convert the other operand to a wider dtype, e.g. `np.int64(x)`, or use a number that \
             fits into `{dtype}`"
    ))
}

pub(crate) fn constant_operands(
    symbol: &str,
    left: Constant,
    right: Constant,
    span: Span,
) -> Diagnostic {
    let (left, right) = (python_text(left), python_text(right));
    Diagnostic::error(
        "K062",
        format!("`{left} {symbol} {right}` cannot be computed"),
    )
    .label(span, "both sides are constants")
    .why("constants are computed when the kernel is compiled, with Python's rules")
    .help("check the constants; a kernel can divide by zero only with numbers of a dtype")
}

pub(crate) fn no_integer(value: f64, span: Span) -> Diagnostic {
    let value = python_text(Constant::Float(value));
    Diagnostic::error("K062", format!("there is no integer for {value}"))
        .label(span, "")
        .why("constants are computed when the kernel is compiled, with Python's rules")
        .help("check the constant")
}

pub(crate) fn array_as_number(array: &Array, span: Span) -> Diagnostic {
    let name = if array.name.is_empty() {
        "a"
    } else {
        &array.name
    };
    let indices = ["i", "j", "k"]
        .get(..array.ndim)
        .map_or_else(|| "i, ...".to_owned(), |names| names.join(", "));
    Diagnostic::error(
        "K061",
        format!("`{name}` is an array, but a number is needed here"),
    )
    .label(span, "the whole array")
    .why("a kernel describes what happens to one element; each work-item runs it")
    .help(format!("name the element, e.g. `{name}[{indices}]`"))
}

/// What compiled code leaves to the array library.
pub(crate) fn not_written_out(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K061", format!("{what} is left to the array library"))
        .label(span, "")
        .why("compiled code writes out array expressions whose dtypes and dimensions it knows")
        .help("nothing needs to change: the statement runs by the array library")
}

/// What the array library says where there are no elements to choose from.
pub(crate) fn no_elements(name: &str) -> String {
    format!(
        "`{name}` of no elements has no answer\n  why:  the shape is {{}}, so there is nothing to choose from\n  help: check the size first, \
         or name axes that are not empty"
    )
}

pub(crate) fn not_a_number(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K060", format!("a number is needed here, not {found}"))
        .label(span, format!("this is {found}"))
        .why("expressions in a kernel work on single numbers")
        .help(if found.contains("Item`") {
            "ask it for a number, e.g. `item.get_id(0)` or `item.get_global_id(0)`"
        } else {
            "use a number, or an element of an array"
        })
}

pub(crate) fn complex_to_real(dtype: DType, span: Span) -> Diagnostic {
    Diagnostic::error("K068", format!("a complex number cannot become `{dtype}`"))
        .label(span, "the imaginary part would be lost")
        .why("situ does not throw half of a number away silently")
        .help("take a part of it, e.g. `z.real` or `abs(z)`")
}

// ----- indices and tuples -----

pub(crate) fn index_count(array: &Array, found: usize, span: Span) -> Diagnostic {
    let (name, ndim) = (&array.name, array.ndim);
    let diagnostic = Diagnostic::error(
        "K053",
        format!(
            "`{name}` has {} but is indexed with {found}",
            plural(ndim, "dimension")
        ),
    )
    .label(span, plural(found, "index"))
    .why("in a kernel every index names one element");
    match ndim {
        0 => diagnostic.help(format!("write `{name}[()]`")),
        1 => diagnostic.help(format!("write `{name}[i]`")),
        2 => diagnostic.help(format!("write `{name}[i, j]`")),
        _ => diagnostic.help(format!("give {ndim} indices, e.g. `{name}[i, j, k]`")),
    }
}

pub(crate) fn index_type(
    name: &str,
    found: &str,
    culprit: Option<Culprit>,
    span: Span,
) -> Diagnostic {
    let diagnostic = Diagnostic::error("K052", format!("an index of `{name}` must be an integer"))
        .label(span, format!("this is {found}"));
    let diagnostic = explain_culprit(diagnostic, culprit);
    if found.contains("bool") {
        diagnostic.help("use `if` to select elements, or `int(condition)` for 0 and 1")
    } else {
        diagnostic.help("convert it, e.g. `int(x)`, or divide with `//` instead of `/`")
    }
}

/// A variable that gives an expression a dtype it should not have.
pub(crate) struct Culprit {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    /// Where it got the dtype.
    pub(crate) since: Span,
    pub(crate) is_parameter: bool,
}

fn explain_culprit(diagnostic: Diagnostic, culprit: Option<Culprit>) -> Diagnostic {
    const WHOLE: &str = "elements and rounds are counted in whole numbers";
    let Some(culprit) = culprit else {
        return diagnostic.why(WHOLE);
    };
    let (name, dtype) = (culprit.name, culprit.dtype);
    if culprit.is_parameter {
        diagnostic
            .label(culprit.since, format!("`{name}` is passed as `{dtype}`"))
            .why(WHOLE)
    } else {
        diagnostic
            .label(culprit.since, format!("`{name}` becomes `{dtype}` here"))
            .why("a variable has one dtype, promoted over all its assignments")
    }
}

pub(crate) fn index_out_of_range(name: &str, index: i128, size: i128, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K063",
        format!("index {index} is outside of `{name}`, which has {size} elements there"),
    )
    .label(span, "")
    .why(format!(
        "indices go from 0 to {}, or from -{size} to -1 counted from the end",
        size - 1
    ))
    .help("use an index that exists, or make the array larger")
}

pub(crate) fn not_indexable(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K054", format!("{found} cannot be indexed"))
        .label(span, "")
        .why("only arrays and tuples have elements")
        .help(if found.contains("Item`") {
            "the first parameter is the index object of the launch; add a parameter for the array"
        } else {
            "check that the argument passed for this name is an array"
        })
}

pub(crate) fn tuple_is_constant(span: Span) -> Diagnostic {
    Diagnostic::error("K064", "items of a tuple cannot be assigned")
        .label(span, "")
        .why("tuples do not change")
        .help("use `situ.private.array(length, dtype)` for numbers that change")
}

pub(crate) fn tuple_of(name: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K064", format!("the tuple `{name}` cannot contain {found}"))
        .label(span, "")
        .why("a variable of a kernel holds a number or a tuple of numbers")
        .help("use separate names")
}

pub(crate) fn tuple_index(len: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K065",
        "the index of a tuple must be a constant inside of it",
    )
    .label(span, format!("the tuple has {}", plural(len, "item")))
    .why("items of a tuple can have different types, so the item must be known when compiling")
    .help("use a literal such as `0`; for an index that varies, use an array")
}

pub(crate) fn unpack_count(targets: usize, items: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K059",
        format!(
            "cannot unpack {items} values into {}",
            plural(targets, "name")
        ),
    )
    .label(span, plural(targets, "name"))
    .why("each value needs a name of its own")
    .help("write as many names as there are values; `_` for those you do not need")
}

pub(crate) fn unpack_type(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K059", format!("cannot unpack {found}"))
        .label(span, "several names need several values")
        .why("only tuples such as `a.shape` can be unpacked")
        .help("assign to one name")
}

pub(crate) fn nothing_assigned(span: Span) -> Diagnostic {
    Diagnostic::error("K066", "this call returns nothing")
        .label(span, "there is no value to assign")
        .why("the function works by its effect only")
        .help("call it in a statement of its own")
}

pub(crate) fn assignment_target(span: Span) -> Diagnostic {
    Diagnostic::error("K067", "a kernel can assign to names and elements only")
        .label(span, "")
        .why("attributes belong to Python objects, which do not exist in a kernel")
        .help("assign to a name, or to an element such as `a[i]`")
}

// ----- attributes and calls -----

pub(crate) fn unknown_member(module: KnownModule, name: &str, span: Span) -> Diagnostic {
    let module_name = module.name();
    let diagnostic = Diagnostic::error(
        "K055",
        format!("a kernel cannot use `{module_name}.{name}`"),
    )
    .label(span, "unknown here")
    .why(match module {
        KnownModule::NumPy => {
            "of NumPy, kernels know the element-wise functions of numbers, constants and dtypes"
        }
        KnownModule::Situ => {
            "of situ, kernels know the work-item functions, the element-wise functions of numbers, \
             constants and dtypes"
        }
        _ => "kernels know those functions of the module that run on a device",
    });
    match nearest(name, library::member_names(module)) {
        Some(close) => diagnostic.help(format!("did you mean `{close}`?")),
        None => diagnostic.help("compute it on the host and pass the result, or write it out"),
    }
}

pub(crate) fn unknown_attribute(what: &str, attribute: &Identifier, known: &[&str]) -> Diagnostic {
    const CHANGES: [&str; 6] = ["append", "extend", "insert", "pop", "remove", "sort"];
    let name = &attribute.name;
    let diagnostic = Diagnostic::error(
        "K055",
        format!("{what} has no attribute `{name}` in a kernel"),
    )
    .label(attribute.span, "unknown here");
    if what.starts_with("a tuple") && CHANGES.contains(&name.as_str()) {
        return diagnostic
            .why("a list is a tuple here: how many items it has is part of what is compiled")
            .help(
                "make an array that is large enough, e.g. `out = np.empty(n)`, and count what is stored",
            );
    }
    let diagnostic =
        diagnostic.why("only what is known when compiling, or passed with the array, is available");
    if known.is_empty() {
        return diagnostic.help("use the value itself");
    }
    if let Some(close) = nearest(name, known.iter().copied()) {
        diagnostic.help(format!("did you mean `{close}`?"))
    } else {
        let list: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        diagnostic.help(format!("available are {}", list.join(", ")))
    }
}

pub(crate) fn not_callable(name: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K056", format!("`{name}` is {found} and cannot be called"))
        .label(span, "")
        .why("only functions and dtypes can be called")
        .help("to index an array use square brackets")
}

pub(crate) fn argument_count(name: &str, expected: &str, found: usize, span: Span) -> Diagnostic {
    let arguments = if expected == "1" {
        "argument"
    } else {
        "arguments"
    };
    Diagnostic::error(
        "K057",
        format!("`{name}` takes {expected} {arguments}, not {found}"),
    )
    .label(span, plural(found, "argument"))
    .why("kernels have the plain form of each function, for single numbers")
    .help(format!("pass {expected} {arguments}"))
}

pub(crate) fn device_argument_count(
    name: &str,
    parameters: &[&str],
    found: usize,
    span: Span,
) -> Diagnostic {
    let expected = plural(parameters.len(), "argument");
    let signature = parameters.join(", ");
    Diagnostic::error("K057", format!("`{name}` takes {expected}, not {found}"))
        .label(span, plural(found, "argument"))
        .why(format!("it is defined as `def {name}({signature})`"))
        .help(format!("pass {expected}"))
}

pub(crate) fn keyword_argument(name: &str, keyword: &Identifier) -> Diagnostic {
    Diagnostic::error(
        "K035",
        format!(
            "`{name}` takes no argument called `{}` in a kernel",
            keyword.name
        ),
    )
    .label(keyword.span, "")
    .why("arguments are passed by position")
    .help("pass it by position, or leave it out if it is an option of the host's function")
}

pub(crate) fn unknown_keyword(name: &str, keyword: &Identifier, known: &[&str]) -> Diagnostic {
    let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
    Diagnostic::error(
        "K035",
        format!("`{name}` takes no argument called `{}` here", keyword.name),
    )
    .label(keyword.span, "")
    .why("each argument is given once, by position or by name")
    .help(format!("its arguments are {}", known.join(", ")))
}

pub(crate) fn no_complex_function(name: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K058", format!("`{name}` does not take {found}"))
        .label(span, "")
        .why("the function is defined for real numbers only")
        .help("apply it to a part, e.g. `z.real`, or to `abs(z)`")
}

pub(crate) fn view_dtype(from: DType, to: DType, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K058",
        format!("the bits of a `{from}` cannot be seen as `{to}`"),
    )
    .label(span, "")
    .why("both must be integers or floats of the same number of bytes")
    .help(format!("convert the number instead, e.g. `np.{to}(x)`"))
}

pub(crate) fn no_length(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K048", format!("{found} has no length"))
        .label(span, "")
        .why("`len` takes an array with at least one dimension, or a tuple")
        .help("check that the argument passed for this name is an array")
}

pub(crate) fn effect_in_divmod(span: Span) -> Diagnostic {
    Diagnostic::error("K049", "`divmod` cannot contain a call here")
        .label(span, "")
        .why("both results use both arguments, which would call the function twice")
        .help("assign the result of the call to a name first")
}

// ----- results -----

pub(crate) fn returned_value(value: Span, statement: Span) -> Diagnostic {
    Diagnostic::error("K021", "a kernel cannot return a value")
        .label(statement.join(value), "this value has nowhere to go")
        .why("every work-item runs the function, so there is no single caller to return to")
        .help("pass an output array and write the value to it, e.g. `out[i] = ...`")
}

pub(crate) fn returned_tuple(span: Span) -> Diagnostic {
    Diagnostic::error("K082", "a device function cannot return this tuple")
        .label(span, "something in it is not a number")
        .why("a device function returns a number, a tuple of numbers or nothing")
        .help("return numbers only; what is an array or a function is known to the caller anyway")
}

pub(crate) fn captured_elsewhere(function: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K014", format!("`{function}` cannot be called here"))
        .label(
            span,
            format!("it uses the variable `{name}` of the function it is defined in"),
        )
        .why("such a function is given the variable with each call, and there is none of it here")
        .help(format!("make `{name}` a parameter of it, and pass it"))
}

pub(crate) fn two_results(before: &str, now: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K082",
        format!("a device function cannot return {now} here and {before} elsewhere"),
    )
    .label(span, format!("{now} here"))
    .why("a call has one kind of result; only the dtypes of numbers are adapted")
    .help("return the same number of values on every path")
}

pub(crate) fn tuple_passed(span: Span) -> Diagnostic {
    Diagnostic::error("K082", "this call returns a tuple, which has no name yet")
        .label(span, "passed on as an argument")
        .why("each item is passed for itself, and the function would be called for each of them")
        .help("assign the result first, e.g. `pair = f(x)`, and pass that")
}

pub(crate) fn inner_tuple(span: Span) -> Diagnostic {
    Diagnostic::error(
        "K082",
        "this item of the result is a tuple, which has no name yet",
    )
    .label(span, "")
    .why("an item that is used directly must be a number")
    .help("assign the result of the call first, e.g. `pair = f(x)`")
}

// ----- parts of arrays -----

pub(crate) fn slice_alone(span: Span) -> Diagnostic {
    Diagnostic::error(
        "K030",
        "a slice can only select a part of an array or tuple",
    )
    .label(span, "")
    .why("it has a meaning between the brackets of an array or tuple alone")
    .help("write e.g. `part = tile[2:6]`")
}

pub(crate) fn part_assigned(span: Span) -> Diagnostic {
    Diagnostic::error("K030", "a kernel cannot assign several elements at once")
        .label(span, "this selects several elements")
        .why("a statement in a kernel writes one element; a loop says in which order")
        .help("loop over the elements, e.g. `for k in range(n): a[k] = 0`")
}

pub(crate) fn slice_step(span: Span) -> Diagnostic {
    Diagnostic::error(
        "K030",
        "the step of a slice must be a constant other than 0",
    )
    .label(span, "")
    .why("how the elements of a part lie in memory is known when compiling")
    .help("write a literal, or index the elements one by one")
}

pub(crate) fn slice_bound(span: Span) -> Diagnostic {
    Diagnostic::error("K030", "the bounds of a slice must be integers")
        .label(span, "")
        .why("they count elements")
        .help("convert it, e.g. `int(x)`, or use `//` instead of `/`")
}

pub(crate) fn result_on_some_paths(
    name: &Identifier,
    with: Span,
    without: Option<Span>,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        "K083",
        format!("`{}` returns a value on some paths only", name.name),
    )
    .label(with, "returns a value here");
    let diagnostic = match without {
        Some(span) => diagnostic.label(span, "returns nothing here"),
        None => diagnostic.label(name.span, "but its end can be reached without `return`"),
    };
    diagnostic
        .why("Python would return `None` there, which has no meaning in a kernel")
        .help("return a number on every path")
}

pub(crate) fn recursion(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K081", format!("`{name}` calls itself"))
        .label(span, "this call never ends at compile time")
        .why("devices have no call stack, so calls are resolved when compiling")
        .help("write a loop")
}

// ----- work-items -----

pub(crate) fn dimension_constant(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K070",
        format!("the dimension of `{name}` must be a constant"),
    )
    .label(span, "known only at run time")
    .why("the number of dimensions of a launch follows from the dimensions a kernel asks for")
    .help("write 0, 1 or 2")
}

pub(crate) fn dimension_range(dimension: i128, span: Span) -> Diagnostic {
    Diagnostic::error("K070", format!("there is no dimension {dimension}"))
        .label(span, "")
        .why("a range has at most three dimensions: 0 (slowest), 1 and 2 (fastest)")
        .help("use 0, 1 or 2; for more dimensions compute the indices from one id")
}

pub(crate) fn array_shape(span: Span) -> Diagnostic {
    Diagnostic::error(
        "K071",
        "the shape of a local or private array must be constant",
    )
    .label(
        span,
        "not a positive integer or a tuple of them, known when compiling",
    )
    .why("its memory is reserved when the kernel is compiled")
    .help("use literals or global constants, e.g. `situ.local.array(256, np.float32)`")
}

pub(crate) fn not_a_dtype(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K071", format!("a dtype is needed here, not {found}"))
        .label(span, "")
        .why("the elements of an array have one dtype, known when compiling")
        .help("use e.g. `np.float32` or `a.dtype`")
}

pub(crate) fn round_digits(span: Span) -> Diagnostic {
    Diagnostic::error(
        "K036",
        "`round` takes a number of digits that is known when compiling",
    )
    .label(span, "")
    .why("the power of ten that it needs is computed when compiling")
    .help("write a literal, e.g. `round(x, 2)`, or scale the number yourself")
}

pub(crate) fn part_index_count(ndim: usize, found: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K053",
        format!(
            "this part of an array has {} but is indexed with {found}",
            plural(ndim, "dimension")
        ),
    )
    .label(span, plural(found, "index"))
    .why("an atomic function works on one element")
    .help("give an index for each dimension, e.g. `(i, j)`")
}

pub(crate) fn membership(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K031", "a kernel can ask for `in` of a tuple only")
        .label(span, format!("this is {found}"))
        .why("what is compared must be known when compiling")
        .help("write a tuple, e.g. `n in (1, 2)`, or search an array in a loop")
}

pub(crate) fn atomic_without_array(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K072", "an atomic function works on an element of an array")
        .label(span, format!("this is {found}"))
        .why("only memory that work-items share needs atomics")
        .help("pass the array and the index separately, e.g. `situ.atomic.add(a, i, 1)`")
}

pub(crate) fn atomic_on_private(span: Span) -> Diagnostic {
    Diagnostic::error("K072", "private arrays need no atomics")
        .label(span, "only this work-item sees it")
        .why("atomics order accesses of different work-items")
        .help("use an ordinary assignment, e.g. `a[i] += 1`")
}

pub(crate) fn atomic_dtype(
    operation: &str,
    dtype: DType,
    is_bitwise: bool,
    span: Span,
) -> Diagnostic {
    let needed = if is_bitwise {
        "32- and 64-bit integers"
    } else {
        "32- and 64-bit integers and floats"
    };
    Diagnostic::error(
        "K072",
        format!("atomic `{operation}` does not work on `{dtype}`"),
    )
    .label(span, format!("its elements are `{dtype}`"))
    .why(format!("devices have this atomic for {needed}"))
    .help("use an array of another dtype, e.g. `int32` or `float32`")
}

pub(crate) fn early_return(early: Span, meeting: Span) -> Diagnostic {
    Diagnostic::error(
        "K073",
        "a device function in which work-items meet must return at its end",
    )
    .label(early, "returns here")
    .label(
        meeting,
        "the work-items of a group meet here, or have memory in common",
    )
    .why("its body takes the place of each call, and others would wait for a work-item that left")
    .help("assign the result to a variable and return it in the last line")
}

pub(crate) fn too_many_bodies(name: &str, most: usize, span: Span) -> Diagnostic {
    Diagnostic::error("K078", format!("`{name}` is called too often"))
        .label(span, format!("more than {most} bodies with this call"))
        .why(
            "work-items meet in it, so its body takes the place of each call, \
             and those of the calls inside of it do, too",
        )
        .help("call it in a loop, or let the calls be of functions without barriers")
}

pub(crate) fn dimension_of_item(dimension: u8, dims: u8, span: Span) -> Diagnostic {
    let dimensions = plural(usize::from(dims), "dimension");
    Diagnostic::error("K070", format!("the range has no dimension {dimension}"))
        .label(span, format!("the kernel is launched over {dimensions}"))
        .why("an index object has the dimensions of the range it comes from, counted from 0")
        .help("launch over a range of more dimensions, or ask for one that is there")
}

pub(crate) fn item_without_groups(attribute: &Identifier) -> Diagnostic {
    let name = &attribute.name;
    Diagnostic::error("K074", format!("an `Item` has no `{name}`"))
        .label(attribute.span, "this needs work-groups")
        .why("a launch over a `Range` gives an `Item`, which knows its place in the range only")
        .help("launch over `situ.NdRange(global_size, local_size)`, which gives an `NdItem`")
}

pub(crate) fn not_a_group(name: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K075", format!("`{name}` takes a group, not {found}"))
        .label(span, "")
        .why("it is the work-items of a group that do something together")
        .help("pass `item.get_group()`, where `item` is the kernel's `NdItem`")
}

pub(crate) fn fence_spaces(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K076",
        format!("`{name}` does not know this kind of memory"),
    )
    .label(span, "")
    .why("which memory is ordered must be known when compiling")
    .help("write `situ.LOCAL_MEM_FENCE`, `situ.GLOBAL_MEM_FENCE`, both with `|`, or nothing")
}

pub(crate) fn enum_member(class: &str, span: Span) -> Diagnostic {
    let example = match class {
        "MemoryOrder" => "MemoryOrder.RELAXED",
        "MemoryScope" => "MemoryScope.DEVICE",
        _ => "AddressSpace.GLOBAL",
    };
    Diagnostic::error("K076", format!("a member of `{class}` is needed here"))
        .label(span, "")
        .why("how memory is ordered must be known when compiling; no device orders by `CONSUME`")
        .help(format!("write one of them, e.g. `{example}`"))
}

pub(crate) fn address_space(space: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K076", format!("this array is in {space} memory"))
        .label(span, "another address space is named here")
        .why("where an array lives follows from how it was made")
        .help("leave the address space out")
}

pub(crate) fn expected_content(found: &str, dtype: DType, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K072",
        "what is expected must be in an array, which then gets what was found",
    )
    .label(span, format!("this is {found}"))
    .why(format!(
        "a compare-exchange reads its expected `{dtype}` from an array of one dimension and that \
         dtype, and writes the content there if it is another"
    ))
    .help(format!(
        "make one, e.g. `situ.private.array(1, np.{dtype})`, or use \
         `situ.atomic.compare_exchange(a, i, expected, value)`"
    ))
}

pub(crate) fn constant_option(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K071", format!("`{name}` must be a constant"))
        .label(span, "known only at run time")
        .why("what the array starts with is decided when the kernel is compiled")
        .help("write `True` or `False`")
}

pub(crate) fn broadcast_position(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K077",
        format!("the position of a work-item is an integer, not {found}"),
    )
    .label(span, "")
    .why("it counts the work-items of the group")
    .help("convert it, e.g. `int(x)`")
}

pub(crate) fn combine_operator(span: Span) -> Diagnostic {
    Diagnostic::error("K077", "contributions cannot be combined by this")
        .label(span, "")
        .why("devices combine by sum, product, minimum, maximum and bitwise operations")
        .help(
            "pass `np.add`, `np.multiply`, `np.minimum`, `np.maximum`, `np.bitwise_and`, \
             `np.bitwise_or` or `np.bitwise_xor`",
        )
}

pub(crate) fn combined_dtype(operator: &str, dtype: DType, span: Span) -> Diagnostic {
    Diagnostic::error(
        "K077",
        format!("a group cannot combine `{dtype}` by `{operator}`"),
    )
    .label(span, "")
    .why("bitwise operations are for integers, and only sums are for complex numbers")
    .help("convert what is contributed, or combine through local memory")
}

// ----- launches -----

pub(crate) fn kernel_argument_count(
    name: &Identifier,
    expected: &[&str],
    found: usize,
) -> Diagnostic {
    let names: Vec<_> = expected.iter().map(|name| format!("`{name}`")).collect();
    let help = if names.is_empty() {
        "call it without arguments".to_owned()
    } else {
        format!("pass {}", names.join(", "))
    };
    Diagnostic::error(
        "K090",
        format!(
            "`{}` takes {}, but {found} {} given",
            name.name,
            plural(expected.len(), "argument"),
            if found == 1 { "was" } else { "were" }
        ),
    )
    .label(name.span, "defined here")
    .why("every parameter of a kernel needs an argument")
    .help(help)
}

// ----- words -----

/// "1 index", "2 indices".
fn plural(count: usize, noun: &str) -> String {
    match (count, noun) {
        (1, noun) => format!("1 {noun}"),
        (count, "index") => format!("{count} indices"),
        (count, noun) => format!("{count} {noun}s"),
    }
}

/// A constant as Python writes it.
fn python_text(constant: Constant) -> String {
    match constant {
        Constant::Bool(true) => "True".to_owned(),
        Constant::Bool(false) => "False".to_owned(),
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) => format!("{value:?}"),
        Constant::Complex(real, imaginary) => format!("({real:?}{imaginary:+?}j)"),
    }
}

// ----- messages -----

pub(crate) fn not_printable(description: &str, span: Span) -> Diagnostic {
    Diagnostic::error("K092", format!("a kernel cannot print {description}"))
        .label(span, "this is not a number")
        .why("what is printed goes to the host as text that is known before, and numbers that are not")
        .help("print its elements or attributes, e.g. `a[i]` or `a.shape[0]`")
}

pub(crate) fn long_assertion(span: Span) -> Diagnostic {
    Diagnostic::error(
        "K092",
        "there are too many numbers in the message of this assertion",
    )
    .label(span, "more than 16 numbers of 64 bits")
    .why("they are kept in a place of a fixed size until the host reads them")
    .help("leave some out, or `print` them")
}
