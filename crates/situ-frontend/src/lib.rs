//! Python source to IR.
//!
//! [`specialize()`] takes the text of a Python function, what the names around it stand for and the
//! types of its arguments, and gives a validated IR module with one kernel. It knows Python the
//! language, not the interpreter: there is no PyO3 here, and every test is a text file.
//!
//! The stages, each a folder or file: `parse` (text to a small syntax tree, refusing what
//! `subset` does not allow), `infer` (names and dtypes; the only stage that can find mistakes
//! after parsing), `lower` (typed tree to IR), and the IR's own validator.
//!
//! Problems are collected and come back as diagnostics that point into the user's file
//! ([`Error::Refused`]); `docs/errors/kernel.md` explains each code.

#![forbid(unsafe_code)]

pub mod environment;
mod error;
pub mod host;
mod infer;
pub mod item;
pub mod looped;
mod lower;
pub mod message;
mod parse;
pub mod plan;
pub mod specialize;
mod stack;
mod subset;
#[expect(
    missing_docs,
    reason = "fields are called what the grammar of Python calls them"
)]
pub mod syntax;
mod typed;

pub use environment::{Binding, Bindings, Constant, DeviceFunction, Environment, KnownModule};
pub use error::{Error, Refusal};
pub use item::{ItemParameter, item_parameter};
pub use message::{Heard, Message, MessageKind, MessagePart, Messages, Said};
pub use plan::{ArgumentPart, ArgumentType, ItemType, Layout, ParameterPlan, PlannedParameter};
pub use specialize::{Compiled, Options, Purpose, specialize};
