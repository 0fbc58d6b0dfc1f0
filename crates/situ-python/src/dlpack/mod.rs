//! DLPack: arrays that other libraries use in place, and theirs.
//!
//! | module | about |
//! |---|---|
//! | `tensor` | the structures of DLPack, as C has them |
//! | `export` | capsules with arrays of situ |
//! | `import` | arrays over what is in other libraries' capsules |
//!
//! Memory that the host can reach is DLPack's `kDLCPU`, whichever device it belongs to. Other memory is
//! refused with the line that copies it: no DLPack device describes it so that every other library
//! could use it. What others give as `kDLOneAPI`, memory of a SYCL device, is taken in place.

mod export;
mod import;
mod tensor;

pub(crate) use import::{share_dlpack, share_dlpack_sycl};
