//! Names as the printer writes them.
//!
//! Everything in a function gets a text of its own: the user's name, in quotes if the lexer would not
//! take it as one, and a number after a dot if the name is taken. Numbers are given in the order in
//! which the text introduces things, so that reading the text back gives the same ones.

use std::collections::HashMap;

use super::lexer::escape;
use super::words::RESERVED;
use crate::arena::Handle;
use crate::module::{ArrayVariable, Function, Value, Variable};
use crate::statement::Block;
use crate::validate::MAX_BLOCK_DEPTH;

/// A name, in quotes if needed.
pub(super) fn quote_if_needed(name: &str) -> String {
    let mut characters = name.chars();
    let starts = characters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_');
    if starts && characters.all(|c| c.is_alphanumeric() || c == '_') && !RESERVED.contains(&name) {
        name.to_owned()
    } else {
        format!("\"{}\"", escape(name))
    }
}

/// The texts that stand for the parameters, variables, arrays and values of a function.
pub(super) struct Names {
    pub(super) parameters: Vec<String>,
    pub(super) variables: Vec<String>,
    pub(super) arrays: Vec<String>,
    values: Vec<Option<String>>,
}

impl Names {
    pub(super) fn new(function: &Function) -> Self {
        let mut taken = Taken::default();
        let parameters = function
            .parameters
            .iter()
            .map(|parameter| taken.claim(&parameter.name))
            .collect();
        let variables = function
            .variables
            .iter()
            .map(|(_, variable)| taken.claim(&variable.name))
            .collect();
        let arrays = function
            .arrays
            .iter()
            .map(|(_, array)| taken.claim(&array.name))
            .collect();
        let mut names = Self {
            parameters,
            variables,
            arrays,
            values: vec![None; function.values.len()],
        };
        names.claim_values(function, &function.body, 1, &mut taken);
        names
    }

    /// Names the values that a block binds, in order; what is nested too deep is not printed.
    fn claim_values(
        &mut self,
        function: &Function,
        block: &Block,
        depth: usize,
        taken: &mut Taken,
    ) {
        if depth > MAX_BLOCK_DEPTH {
            return;
        }
        for statement in &block.statements {
            if let Some(value) = statement.kind.bound_value()
                && let Some(known) = function.values.get(value)
            {
                let name = &mut self.values[value.index()];
                if name.is_none() {
                    *name = Some(taken.claim(&known.name));
                }
            }
            for block in statement.kind.blocks() {
                self.claim_values(function, block, depth + 1, taken);
            }
        }
    }

    pub(super) fn value(&self, value: Handle<Value>) -> &str {
        self.values
            .get(value.index())
            .and_then(Option::as_deref)
            .unwrap_or(MISSING)
    }

    pub(super) fn variable(&self, variable: Handle<Variable>) -> &str {
        self.variables
            .get(variable.index())
            .map_or(MISSING, String::as_str)
    }

    pub(super) fn array(&self, array: Handle<ArrayVariable>) -> &str {
        self.arrays
            .get(array.index())
            .map_or(MISSING, String::as_str)
    }

    pub(super) fn parameter(&self, position: u32) -> &str {
        self.parameters
            .get(position as usize)
            .map_or(MISSING, String::as_str)
    }
}

/// Stands for what does not exist in a module that is not valid. It is no name, so that such text is
/// not read back as something else.
pub(super) const MISSING: &str = "?";

/// How often each name was given out.
#[derive(Default)]
struct Taken(HashMap<String, u32>);

impl Taken {
    fn claim(&mut self, name: &str) -> String {
        let times = self.0.entry(name.to_owned()).or_default();
        let text = match *times {
            0 => quote_if_needed(name),
            again => format!("{}.{again}", quote_if_needed(name)),
        };
        *times += 1;
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_quoted() {
        let mut taken = Taken::default();
        assert_eq!(taken.claim("x"), "x");
        assert_eq!(taken.claim("x"), "x.1");
        assert_eq!(taken.claim("if"), "\"if\"");
        assert_eq!(taken.claim("if"), "\"if\".1");
        assert_eq!(taken.claim(""), "\"\"");
        assert_eq!(taken.claim("π2"), "π2");
        assert_eq!(taken.claim("2π"), "\"2π\"");
        assert_eq!(taken.claim("x.1"), "\"x.1\"");
    }
}
