//! An access outside of an array that a kernel made and situ prevented.

use std::fmt;

/// Which access it was, and where it was found first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideAccess {
    /// The kernel or function.
    pub kernel: String,
    /// The array; empty if it has no name.
    pub array: String,
    /// The index and the shape, as in `the index is (7,), and its shape is (5,)`.
    pub access: String,
    /// Where it is written, as `file:line`.
    pub place: String,
    /// The global id of the first work-item that found out; code of the host has none.
    pub work_item: Option<String>,
}

impl fmt::Display for OutsideAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            array,
            access,
            place,
            work_item,
        } = self;
        let array = if array.is_empty() { "array" } else { array };
        let Some(work_item) = work_item else {
            return write!(
                f,
                "njit function `{kernel}` reached outside of `{array}`: {access}\n  \
                 why:  it did so at {place}; the access was skipped\n  \
                 help: check the bounds of the loop around it against `{array}.shape`"
            );
        };
        write!(
            f,
            "kernel `{kernel}` reached outside of `{array}`: {access}\n  \
             why:  work-item {work_item} did so at {place}; the access was skipped\n  \
             help: launch over a smaller range, or guard the access, e.g. `if i < {array}.shape[0]:`; an index that \
             is negative counts from the end only with `@situ.kernel(wrap_indices=True)`"
        )
    }
}
