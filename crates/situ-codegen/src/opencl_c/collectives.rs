//! Collectives.
//!
//! A collective of the work-group puts the contributions into local memory, lets the first
//! work-item combine them from first to last, and hands the result out. One work-item does the
//! combining because the IR fixes the order, which rounding makes visible. The kernel gets the local
//! memory as a last parameter, 8 bytes for each work-item of a work-group.
//!
//! A collective of the sub-group uses the device's own functions where a size can be demanded and the
//! kernel has one dimension, so that the device's sub-groups are ours (see [`queries`]). Functions that
//! combine in an order of their own are called only where order is not visible; elsewhere the
//! contributions are passed around one by one. On other devices, and in kernels of more dimensions, the
//! first work-item of each sub-group does what that of a work-group does. Where sub-groups have one
//! work-item there is nothing to do.
//!
//! Collectives of the work-group do not use sub-groups, because that is slower on processors: see
//! `docs/design/0015-opencl-backend.md`.

use situ_ir::{
    Collective, CollectiveOperation, CollectiveScope, CombineOperator, DType, Function,
    FunctionKind, Literal, StatementKind,
};

use super::library::Library;
use super::operators;
use super::statements::FunctionWriter;
use super::types::{self, element, is_narrow, scalar};
use super::written::Written;
use super::{TargetOptions, builtins, queries};

impl FunctionWriter<'_> {
    pub(super) fn collective(&mut self, collective: &Collective) {
        let mut roots = vec![collective.operand];
        if let CollectiveOperation::Broadcast(position) = collective.operation {
            roots.push(position);
        }
        let operands = self.bound_operands(&roots);
        let dtype = self
            .info
            .type_of(collective.operand)
            .scalar()
            .expect("validation checked that contributions are scalars");
        let mut arguments: Vec<_> = roots
            .iter()
            .map(|&root| operands.get(root).exact().to_owned())
            .collect();
        let (library, options, operation) =
            (&mut *self.library, self.options, collective.operation);
        let text = match Way::of(collective.scope, options, self.function.kind) {
            Way::Memory => {
                arguments.push(format!(
                    "(__local {} *){}",
                    element(dtype),
                    self.scratch_name
                ));
                let function = in_memory(library, options, collective.scope, operation, dtype);
                format!("{function}({})", arguments.join(", "))
            }
            Way::SubGroup => {
                let function = sub_group(library, options, operation, dtype);
                format!("{function}({})", arguments.join(", "))
            }
            Way::Alone => match operation {
                CollectiveOperation::ExclusiveScan(operator) => identity(operator, dtype),
                _ => arguments.swap_remove(0),
            },
        };
        self.bind_result(Some(collective.result), &text);
    }
}

/// How a collective is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Through local memory.
    Memory,
    /// By the device's functions for sub-groups.
    SubGroup,
    /// Each work-item is its own group.
    Alone,
}

impl Way {
    /// How a function does collectives of a scope.
    fn of(scope: CollectiveScope, options: &TargetOptions, kind: FunctionKind) -> Self {
        match (scope, kind) {
            (CollectiveScope::WorkGroup, _) => Self::Memory,
            (CollectiveScope::SubGroup, _) if options.sub_group_size == 1 => Self::Alone,
            (CollectiveScope::SubGroup, FunctionKind::Kernel { dims: 1 })
                if options.required_sub_group_size =>
            {
                Self::SubGroup
            }
            (CollectiveScope::SubGroup, _) => Self::Memory,
        }
    }

    /// Whether a function does a collective in this way.
    pub(super) fn is_used(self, function: &Function, options: &TargetOptions) -> bool {
        let mut found = false;
        function.body.for_each_statement(&mut |statement| {
            if let StatementKind::Collective(collective) = &statement.kind {
                found |= Self::of(collective.scope, options, function.kind) == self;
            }
        });
        found
    }
}

/// What the name of a function that does a collective says.
fn word(operation: CollectiveOperation) -> String {
    match operation {
        CollectiveOperation::Reduce(operator) => format!("reduce_{}", operator.name()),
        CollectiveOperation::InclusiveScan(operator) => {
            format!("inclusive_scan_{}", operator.name())
        }
        CollectiveOperation::ExclusiveScan(operator) => {
            format!("exclusive_scan_{}", operator.name())
        }
        CollectiveOperation::Broadcast(_) => "broadcast".to_owned(),
        CollectiveOperation::Any => format!("reduce_{}", CombineOperator::BitOr.name()),
        CollectiveOperation::All => format!("reduce_{}", CombineOperator::BitAnd.name()),
    }
}

/// What a combining with nothing gives.
fn identity(operator: CombineOperator, dtype: DType) -> String {
    let integer = |largest: bool| {
        let (smallest, biggest) = types::integer_limits(dtype);
        let text = if largest { biggest } else { smallest };
        format!("({}){text}", scalar(dtype))
    };
    let infinity = |value| types::literal(Literal::from_f64(dtype, value));
    match operator {
        CombineOperator::Add | CombineOperator::BitOr | CombineOperator::BitXor => {
            types::literal(Literal::zero(dtype))
        }
        CombineOperator::Multiply => types::literal(Literal::one(dtype)),
        CombineOperator::BitAnd if dtype.is_bool() => types::literal(Literal::one(dtype)),
        CombineOperator::BitAnd => types::literal(Literal::from_bits(dtype, u128::MAX)),
        CombineOperator::Minimum if dtype.is_float() => infinity(f64::INFINITY),
        CombineOperator::Maximum if dtype.is_float() => infinity(f64::NEG_INFINITY),
        CombineOperator::Minimum => integer(true),
        CombineOperator::Maximum => integer(false),
    }
}

/// `left` and `right` combined, in the type of the contributions.
fn combined(
    library: &mut Library,
    options: &TargetOptions,
    operator: CombineOperator,
    dtype: DType,
    [left, right]: [&str; 2],
) -> String {
    if dtype == DType::F16 {
        // In `float`, and rounded after each step.
        let up = builtins::float_from_half(library);
        let down = builtins::half_from_float(library);
        let (left, right) = (format!("{up}({left})"), format!("{up}({right})"));
        let wide = combined(library, options, operator, DType::F32, [&left, &right]);
        return format!("{down}({wide})");
    }
    let operands = [&Written::name(left), &Written::name(right)];
    operators::binary(library, options, operator.binary(), dtype, operands, None)
        .exact()
        .to_owned()
}

/// The function that does a collective through local memory: the first work-item of each group
/// works on the contributions from `first` up to `end`.
fn in_memory(
    library: &mut Library,
    options: &TargetOptions,
    scope: CollectiveScope,
    operation: CollectiveOperation,
    dtype: DType,
) -> String {
    let (ty, memory) = (scalar(dtype), element(dtype));
    let me = queries::linear_local_id(library, None);
    let count = queries::local_item_count(library, None);
    let (group, stem, first, end) = match scope {
        CollectiveScope::WorkGroup => ("work-group", "group", "0".to_owned(), count),
        CollectiveScope::SubGroup => {
            let size = options.sub_group_size;
            (
                "sub-group",
                "sub_group_memory",
                format!("me / {size} * {size}"),
                format!("min(first + {size}, {count})"),
            )
        }
    };
    let name = format!("{stem}_{}_{}", word(operation), types::word(dtype));
    library.require(name, |library, name| {
        let start = format!(
            "const size_t me = {me};\n    \
             const size_t first = {first};\n    \
             const size_t end = {end};"
        );
        let mut combine =
            |operator, left, right| combined(library, options, operator, dtype, [left, right]);
        // What the first work-item does, which contributions are in a result, and where it is.
        let (work, which, result) = match operation {
            CollectiveOperation::Broadcast(_) => {
                return format!(
                    "// The contribution of the work-item at `position`.\n\
                     static {ty} {name}({ty} x, long position, __local {memory} *scratch) {{\n    \
                         {start}\n    \
                         const long count = end - first;\n    \
                         const size_t sender = first + (position % count + count) % count;\n    \
                         if (me == sender) {{\n        \
                             scratch[first] = x;\n    \
                         }}\n    \
                         barrier(CLK_LOCAL_MEM_FENCE);\n    \
                         const {ty} result = scratch[first];\n    \
                         barrier(CLK_LOCAL_MEM_FENCE);\n    \
                         return result;\n\
                     }}"
                );
            }
            CollectiveOperation::Reduce(operator) => (
                reduce(ty, &combine(operator, "total", "scratch[k]")),
                " combined",
                "first",
            ),
            CollectiveOperation::Any => (
                reduce(ty, &combine(CombineOperator::BitOr, "total", "scratch[k]")),
                " combined",
                "first",
            ),
            CollectiveOperation::All => (
                reduce(ty, &combine(CombineOperator::BitAnd, "total", "scratch[k]")),
                " combined",
                "first",
            ),
            CollectiveOperation::InclusiveScan(operator) => (
                format!(
                    "for (size_t k = first + 1; k < end; k++) {{\n            \
                         scratch[k] = {};\n        \
                     }}",
                    combine(operator, "scratch[k - 1]", "scratch[k]")
                ),
                " up to and with the work-item's own",
                "me",
            ),
            CollectiveOperation::ExclusiveScan(operator) => (
                format!(
                    "{ty} total = scratch[first];\n        \
                     scratch[first] = {};\n        \
                     for (size_t k = first + 1; k < end; k++) {{\n            \
                         const {ty} next = {};\n            \
                         scratch[k] = total;\n            \
                         total = next;\n        \
                     }}",
                    identity(operator, dtype),
                    combine(operator, "total", "scratch[k]")
                ),
                " before the work-item's own",
                "me",
            ),
        };
        format!(
            "// The contributions of the {group}{which}, from first to last.\n\
             static {ty} {name}({ty} x, __local {memory} *scratch) {{\n    \
                 {start}\n    \
                 scratch[me] = x;\n    \
                 barrier(CLK_LOCAL_MEM_FENCE);\n    \
                 if (me == first) {{\n        \
                     {work}\n    \
                 }}\n    \
                 barrier(CLK_LOCAL_MEM_FENCE);\n    \
                 const {ty} result = scratch[{result}];\n    \
                 barrier(CLK_LOCAL_MEM_FENCE);\n    \
                 return result;\n\
             }}"
        )
    })
}

/// What the first work-item does for a reduction.
fn reduce(ty: &str, next: &str) -> String {
    format!(
        "{ty} total = scratch[first];\n        \
         for (size_t k = first + 1; k < end; k++) {{\n            \
             total = {next};\n        \
         }}\n        \
         scratch[first] = total;"
    )
}

/// The function that does a collective of the device's sub-group.
fn sub_group(
    library: &mut Library,
    options: &TargetOptions,
    operation: CollectiveOperation,
    dtype: DType,
) -> String {
    if let Some(function) = unordered(operation, dtype) {
        return function;
    }
    let ty = scalar(dtype);
    // Sub-group functions do not know narrow types.
    let carrier = match dtype {
        DType::Bool => "int",
        dtype if is_narrow(dtype) && dtype.is_signed() => "int",
        dtype if is_narrow(dtype) => "uint",
        dtype => scalar(dtype),
    };
    let from = |k: &str| {
        if carrier == ty {
            format!("sub_group_broadcast(x, {k})")
        } else {
            format!("({ty})sub_group_broadcast(({carrier})x, {k})")
        }
    };
    let (first, kth) = (from("0"), from("k"));
    let name = format!(
        "sub_group_ordered_{}_{}",
        word(operation),
        types::word(dtype)
    );
    library.require(name, |library, name| {
        let mut next = |operator| combined(library, options, operator, dtype, ["total", "other"]);
        let (which, start, round, result) = match operation {
            CollectiveOperation::Broadcast(_) => {
                let sent = from("(uint)((position % count + count) % count)");
                return format!(
                    "// The contribution of the work-item at `position`.\n\
                     static {ty} {name}({ty} x, long position) {{\n    \
                         const long count = get_sub_group_size();\n    \
                         return {sent};\n\
                     }}"
                );
            }
            CollectiveOperation::Reduce(operator) => (
                " combined",
                String::new(),
                format!("total = {};", next(operator)),
                "total",
            ),
            CollectiveOperation::Any => {
                let next = next(CombineOperator::BitOr);
                (
                    " combined",
                    String::new(),
                    format!("total = {next};"),
                    "total",
                )
            }
            CollectiveOperation::All => {
                let next = next(CombineOperator::BitAnd);
                (
                    " combined",
                    String::new(),
                    format!("total = {next};"),
                    "total",
                )
            }
            CollectiveOperation::InclusiveScan(operator) => (
                " up to and with the work-item's own",
                format!("\n    {ty} result = total;"),
                format!(
                    "total = {};\n        \
                     result = k <= get_sub_group_local_id() ? total : result;",
                    next(operator)
                ),
                "result",
            ),
            CollectiveOperation::ExclusiveScan(operator) => (
                " before the work-item's own",
                format!("\n    {ty} result = {};", identity(operator, dtype)),
                format!(
                    "result = k <= get_sub_group_local_id() ? total : result;\n        \
                     total = {};",
                    next(operator)
                ),
                "result",
            ),
        };
        format!(
            "// The contributions of the sub-group{which}, from first to last.\n\
             static {ty} {name}({ty} x) {{\n    \
                 {ty} total = {first};{start}\n    \
                 for (uint k = 1; k < get_sub_group_size(); k++) {{\n        \
                     const {ty} other = {kth};\n        \
                     {round}\n    \
                 }}\n    \
                 return {result};\n\
             }}"
        )
    })
}

/// The device's own function, where the order of combining cannot be seen.
fn unordered(operation: CollectiveOperation, dtype: DType) -> Option<String> {
    if !dtype.is_integer() || is_narrow(dtype) {
        return None;
    }
    let (word, operator) = match operation {
        CollectiveOperation::Reduce(operator) => ("reduce", operator),
        CollectiveOperation::InclusiveScan(operator) => ("scan_inclusive", operator),
        CollectiveOperation::ExclusiveScan(operator) => ("scan_exclusive", operator),
        CollectiveOperation::Broadcast(_) | CollectiveOperation::Any | CollectiveOperation::All => {
            return None;
        }
    };
    match operator {
        CombineOperator::Add | CombineOperator::Minimum | CombineOperator::Maximum => {
            Some(format!("sub_group_{word}_{}", operator.name()))
        }
        CombineOperator::Multiply
        | CombineOperator::BitAnd
        | CombineOperator::BitOr
        | CombineOperator::BitXor => None,
    }
}
