//! From text to [`Module`].
//!
//! A recursive-descent parser over the whole text's tokens, in files by noun: this one has modules and
//! functions, `cursor` the tokens, `statements` and `expressions` what is in a function. It never
//! panics and never overflows the stack, whatever the text: nesting beyond the validator's bounds is an
//! error here.
//!
//! A mistake ends the function it is in; parsing goes on with the next function, so that the first
//! mistake of each is reported.

mod cursor;
mod expressions;
mod statements;

use std::collections::HashMap;

use self::cursor::Cursor;
use super::lexer::{self, TokenKind};
use crate::arena::Handle;
use crate::builder::FunctionBuilder;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expression::Expression;
use crate::module::{ArrayVariable, Function, Module, Value, Variable};
use crate::span::{Source, Span};
use crate::types::{AddressSpace, Type};

/// The way out of a function in which something is wrong.
type Parse<T> = Result<T, Box<Diagnostic>>;

/// Reads a module from text, as the [module documentation](super) describes it.
///
/// A module that does not say its name is called like the source. The source becomes part of the
/// module, so that later stages can point at it.
///
/// # Errors
/// What is wrong with the text: everything that is no token, else the first mistake of each function.
pub fn parse(source: Source) -> Result<Module, Diagnostics> {
    let mut diagnostics = Vec::new();
    let mut module = Module::new(&source.name);
    diagnostics.extend(check_length(source.text.len()));
    if diagnostics.is_empty() {
        let tokens = lexer::tokens(&source.text, &mut diagnostics);
        if diagnostics.is_empty() {
            let functions = declared_functions(&tokens);
            parse_module(
                Cursor::new(&tokens),
                &functions,
                &mut module,
                &mut diagnostics,
            );
        }
    }
    if diagnostics.is_empty() {
        module.source = Some(source);
        Ok(module)
    } else {
        Err(Diagnostics {
            list: diagnostics,
            source: Some(source),
        })
    }
}

/// Spans count bytes in 32 bits, and the last number means that there is no place.
fn check_length(bytes: usize) -> Option<Diagnostic> {
    let fits = u32::try_from(bytes).is_ok_and(|bytes| bytes < u32::MAX);
    (!fits).then(|| {
        Diagnostic::error(
            "T006",
            format!("the text has {bytes} bytes, which is too much"),
        )
        .why("places in a text are counted in 32 bits")
        .help("split it into several modules")
    })
}

/// What is known of a function before its text is read.
#[derive(Clone, Copy)]
struct Declared {
    handle: Handle<Function>,
    /// Its result, if it has one.
    result: Option<crate::dtype::DType>,
}

/// Finds the names of all functions, so that calls can be resolved wherever the callee is.
///
/// A function starts with `kernel` or `device` outside of all braces. The first of two functions with
/// one name wins; validation refuses the module then.
fn declared_functions<'a>(tokens: &'a [lexer::Token<'a>]) -> HashMap<&'a str, Declared> {
    let mut functions = HashMap::new();
    let mut count = 0;
    let mut braces = 0_usize;
    for (position, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Mark("{") => braces += 1,
            TokenKind::Mark("}") => braces = braces.saturating_sub(1),
            TokenKind::Word("kernel" | "device") if braces == 0 => {
                let mut cursor = Cursor::new(&tokens[position..]);
                if let Ok(header) = cursor.function_start() {
                    let result = cursor.declared_result();
                    let handle = Handle::new(count);
                    functions
                        .entry(header.name)
                        .or_insert(Declared { handle, result });
                }
                count += 1;
            }
            _ => {}
        }
    }
    functions
}

fn parse_module(
    mut cursor: Cursor<'_>,
    functions: &HashMap<&str, Declared>,
    module: &mut Module,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if cursor.accept_word("module") {
        match cursor.quoted("the name of the module") {
            Ok(name) => name.clone_into(&mut module.name),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    while !cursor.at_end() {
        let parsed = FunctionParser::parse(&mut cursor, functions);
        match parsed {
            Ok(builder) => {
                builder.finish(module);
            }
            Err(diagnostic) => {
                diagnostics.push(*diagnostic);
                cursor.skip_to_function();
            }
        }
    }
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Named {
    Parameter(u32),
    Value(Handle<Value>),
    Variable(Handle<Variable>),
    Array(Handle<ArrayVariable>),
}

/// A name with the number that tells it from others, if it has one.
type Key<'a> = (&'a str, Option<u32>);

/// Reads one function.
struct FunctionParser<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    functions: &'c HashMap<&'c str, Declared>,
    builder: FunctionBuilder,
    names: HashMap<Key<'a>, Named>,
    /// How many blocks are open.
    block_depth: usize,
    /// How many expressions are open.
    expression_depth: usize,
}

impl<'c, 'a> FunctionParser<'c, 'a> {
    fn parse(
        cursor: &'c mut Cursor<'a>,
        functions: &'c HashMap<&'c str, Declared>,
    ) -> Parse<FunctionBuilder> {
        let header = cursor.function_start()?;
        let builder = match header.dims {
            Some(dims) => FunctionBuilder::kernel(header.name, dims),
            None => FunctionBuilder::device(header.name, None),
        };
        let mut parser = Self {
            cursor,
            functions,
            builder,
            names: HashMap::new(),
            block_depth: 0,
            expression_depth: 0,
        };
        parser.parameters()?;
        if parser.cursor.accept("->") {
            let result = parser.cursor.vocabulary()?;
            parser.builder.set_result(Some(result));
        }
        let span = header.span.join(parser.cursor.last_span());
        parser.builder.set_function_span(span);
        parser.cursor.expect("{")?;
        parser.declarations()?;
        parser.block_depth = 1;
        parser.statements_to_brace()?;
        Ok(parser.builder)
    }

    fn parameters(&mut self) -> Parse<()> {
        self.cursor.expect("(")?;
        let mut position = 0;
        while !self.cursor.accept(")") {
            if position > 0 {
                self.cursor.expect(",")?;
            }
            let start = self.cursor.span();
            let key = self.cursor.name("the name of a parameter")?;
            self.cursor.expect(":")?;
            let ty = self.cursor.ty()?;
            self.builder.at(start.join(self.cursor.last_span()));
            self.builder.parameter(key.0, ty);
            self.names.insert(key, Named::Parameter(position));
            position += 1;
        }
        Ok(())
    }

    fn declarations(&mut self) -> Parse<()> {
        loop {
            let start = self.cursor.span();
            if self.cursor.accept_word("var") {
                self.variable(start)?;
            } else if self.cursor.accept_word("array") {
                self.array(start)?;
            } else {
                return Ok(());
            }
        }
    }

    fn variable(&mut self, start: Span) -> Parse<()> {
        let key = self.cursor.name("the name of a variable")?;
        self.cursor.expect(":")?;
        let dtype = self.cursor.vocabulary()?;
        self.builder.at(start.join(self.cursor.last_span()));
        let variable = self.builder.variable(key.0, dtype);
        self.names.insert(key, Named::Variable(variable));
        self.cursor.expect(";")
    }

    fn array(&mut self, start: Span) -> Parse<()> {
        let key = self.cursor.name("the name of an array")?;
        self.cursor.expect(":")?;
        let space: AddressSpace = self.cursor.vocabulary()?;
        let element = self.cursor.vocabulary()?;
        self.cursor.expect("[")?;
        let length = self.cursor.integer("the length of the array")?;
        self.cursor.expect("]")?;
        self.builder.at(start.join(self.cursor.last_span()));
        let pointer = self.builder.array(key.0, element, length, space);
        if let Expression::Array(array) = self.builder.function().expressions[pointer] {
            self.names.insert(key, Named::Array(array));
        }
        self.cursor.expect(";")
    }

    /// What a name stands for.
    fn named(&self, key: Key<'a>, span: Span) -> Parse<Named> {
        self.names.get(&key).copied().ok_or_else(|| {
            let known = self.names.keys().map(|(name, _)| *name);
            cursor::unknown("name", key.0, known, span).into()
        })
    }

    /// The type of what a `let` names, if the text gives it.
    fn bound_type(&mut self) -> Parse<Option<Type>> {
        if self.cursor.accept(":") {
            self.cursor.ty().map(Some)
        } else {
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_places_cannot_count_are_refused() {
        let most = u32::MAX as usize - 1;
        assert_eq!(check_length(most), None);
        let refused = check_length(most + 1).map(|diagnostic| diagnostic.code);
        assert_eq!(refused, Some("T006"));
    }
}
