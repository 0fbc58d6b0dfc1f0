//! DLPack: arrays that other libraries use in place, and theirs.
//!
//! | module | about |
//! |---|---|
//! | `tensor` | the structures of DLPack, as C has them |
//! | `export` | capsules with arrays of situ |
//! | `import` | arrays over what is in other libraries' capsules |
//!
//! Memory that the host can reach is DLPack's `kDLCPU`, whichever device it belongs to, because every library
//! can use that. Other memory of SYCL devices is `kDLOneAPI`, and so is all memory of theirs for a consumer that asks for it.
//! What is left is refused with the line that copies it. What others give as `kDLOneAPI` is taken in place.

mod export;
mod import;
mod tensor;

pub(crate) use import::{share_dlpack, share_dlpack_sycl};
