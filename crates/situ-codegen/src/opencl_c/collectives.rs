//! Collectives.
//!
//! A collective of the work-group puts the contributions into local memory, lets the first
//! work-item combine them from first to last, and hands the result out. One work-item does the
//! combining because the IR fixes the order, which rounding makes visible. The kernel gets the local
//! memory as a last parameter, 8 bytes for each work-item of a work-group.
//!
//! A collective of the sub-group uses the device's sub-group functions if it has them. Those that
//! combine in an order of their own are called only where order is not visible; elsewhere the
//! contributions are passed around one by one. Without sub-groups each work-item is its own.

use situ_ir::{Collective, CollectiveOperation, CollectiveScope, CombineOperator, DType, Literal};

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
        let text = match collective.scope {
            CollectiveScope::WorkGroup => {
                arguments.push(format!(
                    "(__local {} *){}",
                    element(dtype),
                    self.scratch_name
                ));
                let function = work_group(self.library, self.options, collective.operation, dtype);
                format!("{function}({})", arguments.join(", "))
            }
            CollectiveScope::SubGroup if self.options.sub_groups => {
                let function = sub_group(self.library, self.options, collective.operation, dtype);
                format!("{function}({})", arguments.join(", "))
            }
            CollectiveScope::SubGroup => match collective.operation {
                CollectiveOperation::ExclusiveScan(operator) => identity(operator, dtype),
                _ => arguments.swap_remove(0),
            },
        };
        self.bind_result(Some(collective.result), &text);
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

/// The function that does a collective of the work-group.
fn work_group(
    library: &mut Library,
    options: &TargetOptions,
    operation: CollectiveOperation,
    dtype: DType,
) -> String {
    let (ty, memory) = (scalar(dtype), element(dtype));
    let name = format!("group_{}_{}", word(operation), types::word(dtype));
    library.require(name, |library, name| {
        let me = queries::linear_local_id(library, None);
        let count = queries::local_item_count(library, None);
        let mut combine =
            |operator, left, right| combined(library, options, operator, dtype, [left, right]);
        // What the first work-item does, which contributions are in a result, and where it is.
        let (work, which, result) = match operation {
            CollectiveOperation::Broadcast(_) => {
                return format!(
                    "// The contribution of the work-item at `position`.\n\
                     static {ty} {name}({ty} x, long position, __local {memory} *scratch) {{\n    \
                         const long count = {count};\n    \
                         const long sender = (position % count + count) % count;\n    \
                         if ({me} == sender) {{\n        \
                             scratch[0] = x;\n    \
                         }}\n    \
                         barrier(CLK_LOCAL_MEM_FENCE);\n    \
                         const {ty} result = scratch[0];\n    \
                         barrier(CLK_LOCAL_MEM_FENCE);\n    \
                         return result;\n\
                     }}"
                );
            }
            CollectiveOperation::Reduce(operator) => (
                reduce(ty, &combine(operator, "total", "scratch[k]")),
                " combined",
                "0",
            ),
            CollectiveOperation::Any => (
                reduce(ty, &combine(CombineOperator::BitOr, "total", "scratch[k]")),
                " combined",
                "0",
            ),
            CollectiveOperation::All => (
                reduce(ty, &combine(CombineOperator::BitAnd, "total", "scratch[k]")),
                " combined",
                "0",
            ),
            CollectiveOperation::InclusiveScan(operator) => (
                format!(
                    "for (size_t k = 1; k < count; k++) {{\n            \
                         scratch[k] = {};\n        \
                     }}",
                    combine(operator, "scratch[k - 1]", "scratch[k]")
                ),
                " up to and with the work-item's own",
                "me",
            ),
            CollectiveOperation::ExclusiveScan(operator) => (
                format!(
                    "{ty} total = scratch[0];\n        \
                     scratch[0] = {};\n        \
                     for (size_t k = 1; k < count; k++) {{\n            \
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
            "// The contributions of the work-group{which}, from first to last.\n\
             static {ty} {name}({ty} x, __local {memory} *scratch) {{\n    \
                 const size_t me = {me};\n    \
                 const size_t count = {count};\n    \
                 scratch[me] = x;\n    \
                 barrier(CLK_LOCAL_MEM_FENCE);\n    \
                 if (me == 0) {{\n        \
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
        "{ty} total = scratch[0];\n        \
         for (size_t k = 1; k < count; k++) {{\n            \
             total = {next};\n        \
         }}\n        \
         scratch[0] = total;"
    )
}

/// The function that does a collective of the sub-group.
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
