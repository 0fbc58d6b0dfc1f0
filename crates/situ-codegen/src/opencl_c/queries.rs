//! Questions of a work-item about itself and its launch.
//!
//! OpenCL numbers dimensions from the fastest. A kernel knows its number of dimensions; a device
//! function knows it if all kernels that reach it agree, and otherwise asks at run time. Linear ids are
//! written out, because OpenCL C 1.2 does not have them.

use situ_ir::WorkItemQuery;

use super::TargetOptions;
use super::library::Library;

/// The answer to a question about the running work-item, of some unsigned type.
///
/// `dims` is the number of dimensions of the launch, if it is the same for every kernel from which
/// the code is reached. `extents` are the true sizes of the range, where it may have been rounded up.
pub(super) fn work_item(
    library: &mut Library,
    options: &TargetOptions,
    query: WorkItemQuery,
    dims: Option<u8>,
    extents: &[String],
) -> String {
    match query {
        WorkItemQuery::GlobalSize(d) if usize::from(d) < extents.len() => {
            extents[usize::from(d)].clone()
        }
        WorkItemQuery::GlobalLinearId if !extents.is_empty() => linear_in(extents),
        WorkItemQuery::GlobalId(d) => along(library, "get_global_id", "global_id", 0, d, dims),
        WorkItemQuery::LocalId(d) => along(library, "get_local_id", "local_id", 0, d, dims),
        WorkItemQuery::GroupId(d) => along(library, "get_group_id", "group_id", 0, d, dims),
        WorkItemQuery::GlobalSize(d) => {
            along(library, "get_global_size", "global_size", 1, d, dims)
        }
        WorkItemQuery::LocalSize(d) => along(library, "get_local_size", "local_size", 1, d, dims),
        WorkItemQuery::GroupCount(d) => along(library, "get_num_groups", "group_count", 1, d, dims),
        WorkItemQuery::GlobalLinearId => {
            linear(library, "global", "get_global_id", "get_global_size", dims)
        }
        WorkItemQuery::LocalLinearId => {
            linear(library, "local", "get_local_id", "get_local_size", dims)
        }
        WorkItemQuery::GroupLinearId => {
            linear(library, "group", "get_group_id", "get_num_groups", dims)
        }
        WorkItemQuery::SubGroupId
        | WorkItemQuery::SubGroupLocalId
        | WorkItemQuery::SubGroupSize
        | WorkItemQuery::SubGroupCount => sub_group(library, options.sub_group_size, query, dims),
        // OpenCL C has no functions that call themselves.
        WorkItemQuery::StackLeft => i64::MAX.to_string(),
    }
}

/// A question about the sub-group: work-items are dealt to sub-groups in the order of their linear
/// ids. Drivers do that too where a work-group has one dimension; where it has more, Intel's starts
/// anew with each row. So their own answers are not asked for.
fn sub_group(library: &mut Library, size: u32, query: WorkItemQuery, dims: Option<u8>) -> String {
    let me = linear_local_id(library, dims);
    match (query, size) {
        (WorkItemQuery::SubGroupId, 1) => me,
        (WorkItemQuery::SubGroupId, _) => format!("({me} / {size})"),
        (WorkItemQuery::SubGroupLocalId, 1) => "0".to_owned(),
        (WorkItemQuery::SubGroupLocalId, _) => format!("({me} % {size})"),
        (WorkItemQuery::SubGroupSize, 1) => "1".to_owned(),
        (WorkItemQuery::SubGroupSize, _) => {
            let count = local_item_count(library, dims);
            format!("min((size_t){size}, {count} - {me} / {size} * {size})")
        }
        (_, 1) => local_item_count(library, dims),
        (_, _) => {
            let count = local_item_count(library, dims);
            format!("(({count} + {}) / {size})", size - 1)
        }
    }
}

/// A question about our dimension `d`, which is OpenCL's `dims - 1 - d`.
fn along(
    library: &mut Library,
    function: &str,
    stem: &str,
    missing: u8,
    d: u8,
    dims: Option<u8>,
) -> String {
    match dims {
        Some(dims) if d < dims => format!("{function}({})", dims - 1 - d),
        Some(_) => missing.to_string(),
        None => {
            let name = library.require(format!("{stem}_along"), |_, name| {
                format!(
                    "// Our dimension 0 is the slowest, OpenCL's dimension 0 the fastest.\n\
                     static size_t {name}(uint d) {{\n    \
                         return d < get_work_dim() ? {function}(get_work_dim() - 1 - d) : {missing};\n\
                     }}"
                )
            });
            format!("{name}({d})")
        }
    }
}

/// The row-major position of the running work-item in a range of these sizes.
fn linear_in(extents: &[String]) -> String {
    let id = |d: usize| format!("get_global_id({})", extents.len() - 1 - d);
    let first = id(0);
    let row =
        |row: String, (d, extent): (usize, &String)| format!("({row} * {extent} + {})", id(d));
    extents.iter().enumerate().skip(1).fold(first, row)
}

/// A row-major position.
fn linear(library: &mut Library, stem: &str, id: &str, size: &str, dims: Option<u8>) -> String {
    if dims == Some(1) {
        return format!("{id}(0)");
    }
    let name = library.require(format!("linear_{stem}_id"), |_, name| {
        format!(
            "static size_t {name}(void) {{\n    \
                 const size_t row = {id}(2) * {size}(1) + {id}(1);\n    \
                 return row * {size}(0) + {id}(0);\n\
             }}"
        )
    });
    format!("{name}()")
}

/// The row-major position of the running work-item in its work-group.
pub(super) fn linear_local_id(library: &mut Library, dims: Option<u8>) -> String {
    linear(library, "local", "get_local_id", "get_local_size", dims)
}

/// How many work-items the work-group has.
pub(super) fn local_item_count(library: &mut Library, dims: Option<u8>) -> String {
    if dims == Some(1) {
        return "get_local_size(0)".to_owned();
    }
    let name = library.require("local_item_count".to_owned(), |_, name| {
        format!(
            "static size_t {name}(void) {{\n    \
                 return get_local_size(0) * get_local_size(1) * get_local_size(2);\n\
             }}"
        )
    });
    format!("{name}()")
}
