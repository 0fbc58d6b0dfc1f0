//! What validation learns about a function, for the stages after it.

use crate::arena::Handle;
use crate::dtype::DType;
use crate::expression::Expression;
use crate::module::{ArrayVariable, Function, Value, Variable};
use crate::types::Type;

/// What validation learnt about a function.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent findings, each asked for by name"
)]
pub struct FunctionInfo {
    /// The type of each expression.
    pub(super) types: Vec<Type>,
    /// Whether each expression has the same result for all work-items of a group.
    pub(super) uniform: Vec<bool>,
    pub(super) uniform_values: Vec<bool>,
    pub(super) uniform_variables: Vec<bool>,
    /// What each pointer expression points into.
    pub(super) roots: Vec<Option<PointerRoot>>,
    /// Whether each expression is used by a statement, directly or as a part.
    pub(super) used: Vec<bool>,
    /// A set: bit `d as u8` for each dtype `d` that occurs.
    pub(super) dtypes: u16,
    /// Whether a call can give different results to work-items that pass the same arguments.
    pub(super) result_varies: bool,
    /// Whether it asks about the work-item (also in the functions it calls).
    pub(super) asks: bool,
    /// How each parameter's memory is used; scalars are not.
    pub parameter_access: Vec<ParameterAccess>,
    /// Whether a kernel contains a barrier or collective, so that its work-items must meet.
    pub synchronises: bool,
    /// Whether a kernel's meaning depends on work-groups: it synchronises, has local memory, or asks
    /// for local or group ids or sizes (also in the functions it calls).
    pub needs_groups: bool,
    /// Whether it asks about sub-groups or has sub-group collectives (also in the functions it
    /// calls), so that the device must have them.
    pub needs_sub_groups: bool,
    /// Whether it contains atomics (also in the functions it calls).
    pub has_atomics: bool,
    /// Bytes of private arrays that are alive at once: its own and those of the functions it calls.
    pub private_bytes: u64,
    /// Bytes of its local arrays, without padding and without launch-sized parameters.
    pub local_bytes: u64,
}

impl FunctionInfo {
    /// What is known of a function that is too broken to be looked at.
    pub(super) fn unknown(function: &Function) -> Self {
        Self {
            parameter_access: vec![ParameterAccess::default(); function.parameters.len()],
            ..Self::default()
        }
    }

    /// The type of an expression.
    pub fn type_of(&self, expression: Handle<Expression>) -> Type {
        self.types[expression.index()]
    }

    /// Whether all work-items of a group that evaluate this expression at the same point (in the
    /// same rounds of the loops around it) get the same result.
    ///
    /// The answer is conservative. In a device function it holds for every caller, so parameters
    /// count as varying there.
    pub fn is_uniform(&self, expression: Handle<Expression>) -> bool {
        self.uniform[expression.index()]
    }

    /// Whether all work-items of a group that bind this value bind the same.
    pub fn is_uniform_value(&self, value: Handle<Value>) -> bool {
        self.uniform_values[value.index()]
    }

    /// Whether this variable holds the same for all work-items of a group, at every point that all
    /// of them reach: it is assigned only uniform things and only where the whole group gets to.
    pub fn is_uniform_variable(&self, variable: Handle<Variable>) -> bool {
        self.uniform_variables[variable.index()]
    }

    /// Whether a call can give different results to work-items of a group that pass the same arguments.
    pub fn result_varies(&self) -> bool {
        self.result_varies
    }

    /// What a pointer expression points into; `None` for scalars.
    ///
    /// There is always one answer: pointers come from parameters and arrays, and can only be moved,
    /// bound and passed on.
    pub fn pointer_root(&self, expression: Handle<Expression>) -> Option<PointerRoot> {
        self.roots[expression.index()]
    }

    /// Whether a statement uses this expression, directly or as a part of another.
    pub fn is_used(&self, expression: Handle<Expression>) -> bool {
        self.used[expression.index()]
    }

    /// Whether a dtype occurs in a parameter, variable, array or expression (also in the functions
    /// it calls), so that the device must have it.
    pub fn uses_dtype(&self, dtype: DType) -> bool {
        self.dtypes & (1 << dtype as u8) != 0
    }
}

/// The memory a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointerRoot {
    /// What a pointer parameter points at, by the parameter's position.
    Parameter(u32),
    /// A local or private array.
    Array(Handle<ArrayVariable>),
}

/// How a function uses the memory behind a pointer parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParameterAccess {
    /// Whether anything is read from it.
    pub reads: bool,
    /// Whether anything is written to it.
    pub writes: bool,
}

impl ParameterAccess {
    /// Adds what another use does.
    pub(super) fn merge(&mut self, other: Self) {
        self.reads |= other.reads;
        self.writes |= other.writes;
    }
}
