//! The IR as text.
//!
//! [`print()`] writes any module; [`parse()`] reads what it wrote, and what people write. Printing what
//! was parsed gives the same text again once it has been printed (comments, spacing and optional parts
//! are not kept). Use it to look at kernels, to write test cases, and to report bugs.
//!
//! ```
//! let text = "\
//! module \"example\"
//!
//! kernel[1] scale(x: global f32*, factor: f32) {
//!     let i: i64 = global_id(0);
//!     x[i] = x[i] * factor;
//! }
//! ";
//! let module = situ_ir::text::parse(situ_ir::Source::new("scale.sir", text)).unwrap();
//! assert_eq!(situ_ir::text::print(&module), text);
//! ```
//!
//! # Grammar
//!
//! `x?` is an optional x, `x*` any number, `x,*` any number with commas between; `|` separates choices.
//! Spaces and line breaks separate words and mean nothing else. `//` starts a comment that runs to
//! the end of the line.
//!
//! ```text
//! module     = ("module" string)? function*
//! function   = "kernel" "[" integer "]" name signature     1 to 3 dimensions
//!            | "device" name signature
//! signature  = "(" (name ":" type),* ")" ("->" dtype)? "{" declaration* statement* "}"
//! type       = dtype | space dtype "*"
//! space      = "global" | "local" | "private"
//! dtype      = "bool" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64"
//!            | "f16" | "f32" | "f64" | "c64" | "c128"
//!
//! declaration = "var" name ":" dtype ";"
//!            | "array" name ":" space dtype "[" integer "]" ";"
//!
//! statement  = bind? effect ";"
//!            | "let" name (":" type)? "=" expression ";"
//!            | name "=" expression ";"                      assigns a variable
//!            | pointer "[" index "]" "=" expression ";"     stores an element
//!            | "if" condition block ("else" (block | if))?
//!            | "while" condition block ("step" block)?      a loop with a condition
//!            | "loop" block ("step" block)?                 a loop without one
//!            | "parallel" name "," name "below" count block  rounds that do not depend on each other
//!            | "break" ";" | "continue" ";" | "return" expression? ";"
//!            | "barrier" "(" ("local" | "global" | "local_and_global") ")" ";"
//!            | "fence" "(" order "," scope ")" ";"
//!            | "prefetch" "(" pointer "[" index "]" ")" ";"  says what may be read soon
//! block      = "{" statement* "}"
//! bind       = "let" name (":" type)? "="                   names the result of an effect
//! effect     = "call" name "(" expression,* ")"
//!            | "atomic" operation "(" pointer "[" index "]" ("," operand)? ("," "expect" expression)? ")"
//!              order scope
//!            | "collective" ("reduce" | "inclusive_scan" | "exclusive_scan") operator "(" expression ")" group
//!            | "collective" "broadcast" "(" expression "," position ")" group
//!            | "collective" ("any" | "all") "(" expression ")" group
//! order      = "relaxed" | "acquire" | "release" | "acq_rel" | "seq_cst"
//! scope      = "sub_group" | "work_group" | "device" | "system"
//! group      = "work_group" | "sub_group"
//!
//! expression = primary (infix primary)?                     one operator; parentheses for more
//! infix      = "+" | "-" | "*" | "/" | "&" | "|" | "^" | "<<" | ">>"
//!            | "==" | "!=" | "<" | "<=" | ">" | ">="
//! primary    = literal | name | "(" expression ")"
//!            | primary "[" expression "]"                   loads an element
//!            | query "(" integer? ")"                       global_id(0), local_linear_id(), ...
//!            | operator "(" expression,* ")"                neg(x), floor_div(x, y), sin(x), fma(x, y, z), ...
//!            | "select" "(" condition "," expression "," expression ")"
//!            | "cast" "(" dtype "," expression ")" | "bitcast" "(" dtype "," expression ")"
//!            | "complex" "(" expression "," expression ")"
//!            | "offset" "(" pointer "," index ")"
//!
//! literal    = "true" | "false"
//!            | "-"? digits dtype?                           `i64` if no dtype is given
//!            | "-"? decimal dtype?                          has "." or "e"; `f64` if no dtype is given
//!            | "-"? ("inf_f16" | "inf_f32" | "inf_f64")
//!            | ("nan_f16" | "nan_f32" | "nan_f64") "(" bits ")"          bits in hexadecimal, 0x...
//!            | ("c64" | "c128") "(" part "," part ")"       parts are float literals without dtype
//! name       = (letter | "_") (letter | digit | "_")* ("." digits)?
//!            | string ("." digits)?                         for any other name
//! ```
//!
//! Words of [`UnaryOperator`], [`BinaryOperator`], [`MathFunction`], [`WorkItemQuery`],
//! [`AtomicOperation`] and so on are what their `name` methods give. Every binary operator can also be
//! written as a call: `add(x, y)`.
//!
//! Names of values need not be unique in the IR. The printer tells them apart by a number after a dot
//! (`x`, `x.1`, `x.2`, in the order they are introduced); the number is not part of the name. A `let`
//! may bind a name again; later uses mean the later one. A value is known to the parser from its `let`
//! to the end of the function; whether it is *visible* is the validator's question.
//!
//! Parse errors have `T` codes, which `docs/errors/text-format.md` lists. The first error of each
//! function is reported.
//!
//! [`UnaryOperator`]: crate::UnaryOperator
//! [`BinaryOperator`]: crate::BinaryOperator
//! [`MathFunction`]: crate::MathFunction
//! [`WorkItemQuery`]: crate::WorkItemQuery
//! [`AtomicOperation`]: crate::AtomicOperation

mod lexer;
mod literal;
mod names;
mod parse;
mod print;
mod words;

pub use parse::parse;
pub use print::print;

impl std::fmt::Display for crate::Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print(self))
    }
}
