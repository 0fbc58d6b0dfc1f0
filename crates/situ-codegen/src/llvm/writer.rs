//! The text of one LLVM function while it grows.
//!
//! [`Writer`] hands out registers and labels and keeps the two rules of LLVM's syntax that are easy
//! to break: every block ends with exactly one terminator, and stack memory that should become
//! registers is allocated in the first block. It knows nothing of situ's IR.

use std::fmt::{self, Display, Write as _};
use std::rc::Rc;

/// A register, a constant or a global: anything an instruction can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operand(Rc<str>);

impl Operand {
    /// An operand that is written like this.
    pub(super) fn new(text: impl Into<Rc<str>>) -> Self {
        Self(text.into())
    }

    /// Whether it is computed by an instruction or passed in.
    pub(super) fn is_register(&self) -> bool {
        self.0.starts_with('%')
    }

    /// A whole number.
    pub(super) fn integer(value: impl Into<i128>) -> Self {
        Self::new(value.into().to_string())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label(Rc<str>);

impl Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text of one function body.
#[derive(Debug)]
pub(super) struct Writer {
    /// Instructions that run once, before everything else; no terminator.
    entry: String,
    /// All other blocks.
    body: String,
    /// Whether the last block of `body` still takes instructions.
    is_open: bool,
    registers: u32,
    labels: u32,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self {
            entry: String::new(),
            body: String::new(),
            is_open: false,
            registers: 0,
            labels: 0,
        }
    }

    /// A register for an instruction that is written later.
    pub(super) fn register(&mut self) -> Operand {
        let number = self.registers;
        self.registers += 1;
        Operand::new(format!("%t{number}"))
    }

    /// A label for a block that is begun later.
    pub(super) fn label(&mut self, stem: &str) -> Label {
        let number = self.labels;
        self.labels += 1;
        Label(format!("{stem}.{number}").into())
    }

    /// Writes an instruction and gives its result.
    pub(super) fn instruction(&mut self, text: impl Display) -> Operand {
        let register = self.register();
        self.define(&register, text);
        register
    }

    /// Writes an instruction whose result goes to a register that is known already.
    pub(super) fn define(&mut self, register: &Operand, text: impl Display) {
        self.effect(format_args!("{register} = {text}"));
    }

    /// Writes an instruction without a result.
    pub(super) fn effect(&mut self, text: impl Display) {
        self.ensure_open();
        writeln!(self.body, "  {text}").expect("writing to a string cannot fail");
    }

    /// Writes an instruction that runs once when the function is entered.
    pub(super) fn entry_instruction(&mut self, text: impl Display) -> Operand {
        let register = self.register();
        writeln!(self.entry, "  {register} = {text}").expect("writing to a string cannot fail");
        register
    }

    /// Writes an instruction that runs once when the function is entered, with a name for its
    /// result that nothing else has.
    pub(super) fn entry_define(&mut self, name: &str, text: impl Display) -> Operand {
        let register = Operand::new(format!("%{name}"));
        writeln!(self.entry, "  {register} = {text}").expect("writing to a string cannot fail");
        register
    }

    /// Starts a block; falls into it from the block before, if that is open.
    pub(super) fn begin(&mut self, label: &Label) {
        if self.is_open {
            self.branch(label);
        }
        writeln!(self.body, "{label}:").expect("writing to a string cannot fail");
        self.is_open = true;
    }

    /// Ends the block with a jump.
    pub(super) fn branch(&mut self, target: &Label) {
        self.terminate(format_args!("br label %{target}"));
    }

    /// Ends the block with a choice.
    pub(super) fn branch_if(&mut self, condition: &Operand, accept: &Label, reject: &Label) {
        self.terminate(format_args!(
            "br i1 {condition}, label %{accept}, label %{reject}"
        ));
    }

    /// Ends the block with any terminator.
    pub(super) fn terminate(&mut self, text: impl Display) {
        self.effect(text);
        self.is_open = false;
    }

    /// Whether the block that is being written can be left through its end.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// What comes after a terminator in the source is never reached but must be well-formed text.
    fn ensure_open(&mut self) {
        if !self.is_open {
            let label = self.label("unreachable");
            self.begin(&label);
        }
    }

    /// The whole body, which starts at `first`.
    pub(super) fn finish(self, first: &Label) -> String {
        debug_assert!(!self.is_open, "the last block has a terminator");
        format!("entry:\n{}  br label %{first}\n{}", self.entry, self.body)
    }
}
