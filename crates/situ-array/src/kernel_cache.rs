//! Kernels that were already made, by what they are specialised for.
//!
//! Looking a kernel up must cost less than a microsecond, so the key is small plain data and never a
//! text. Compiling goes through the runtime, which has its own cache of compiled code on disk.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use situ_ir::{BinaryOperator, DType, Module, validate};
use situ_runtime::fork::ForkLocal;
use situ_runtime::{Device, Kernel, Program};

use crate::error::Error;
use crate::functions::fusion::TypedFusion;
use crate::kernels::compact::CompactShape;
use crate::kernels::dot::DotShape;
use crate::kernels::elements::ElementsShape;
use crate::kernels::indexed::IndexedShape;
use crate::kernels::iota::IotaShape;
use crate::kernels::locate::LocateShape;
use crate::kernels::map::MapShape;
use crate::kernels::matmul::MatmulShape;
use crate::kernels::merge_sort::SortShape;
use crate::kernels::reduce::ReduceShape;
use crate::kernels::scan::ScanShape;
use crate::kernels::search::SearchShape;
use crate::key_hash::BuildKeyHasher;

/// What a kernel of the library is specialised for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KernelKey {
    /// An elementwise function.
    Map {
        /// The function's name, unique in its table.
        function: &'static str,
        /// The dtypes and loops.
        shape: MapShape,
    },
    /// An expression of elementwise functions.
    Fused {
        /// The expression and what its operands are.
        fusion: TypedFusion,
        /// The dtypes and loops.
        shape: MapShape,
    },
    /// Numbers at even distances.
    Iota(IotaShape),
    /// A reduction, and whether accumulators are in memory.
    Reduce(ReduceShape, bool),
    /// A reduction of what an expression gives.
    FusedReduce {
        /// The expression and what its operands are.
        fusion: TypedFusion,
        /// How its operands come.
        elements: ElementsShape,
        /// The reduction.
        shape: ReduceShape,
    },
    /// A look for what columns were reduced to.
    Locate(LocateShape),
    /// The block of a row with the extreme that an operator looks for among numbers of a dtype.
    FirstExtreme(BinaryOperator, DType),
    /// Sums of products along rows.
    Dot(DotShape),
    /// Products of matrices.
    Matmul(MatmulShape),
    /// A scan.
    Scan(ScanShape),
    /// Elements at indices in memory.
    Indexed(IndexedShape),
    /// Positions of elements that are not zero.
    Compact(CompactShape),
    /// A step of a sort.
    Sort(SortShape),
    /// A search in sorted elements.
    Search(SearchShape),
}

type Kernels = HashMap<(Device, KernelKey), Arc<Kernel>, BuildKeyHasher>;

/// What is known in this process.
fn known_kernels() -> &'static RwLock<Kernels> {
    static KERNELS: ForkLocal<RwLock<Kernels>> = ForkLocal::new();
    // A forked child goes on with what its parent knew, but not with its lock.
    KERNELS.get_or_init_after(|inherited| {
        let known = inherited.and_then(|lock| lock.try_read().ok());
        RwLock::new(known.map(|known| known.clone()).unwrap_or_default())
    })
}

/// The kernel for a key on a device, if it was compiled before.
pub(crate) fn known(device: &Device, key: KernelKey) -> Option<Arc<Kernel>> {
    let kernels = known_kernels();
    let known = kernels.read().unwrap_or_else(PoisonError::into_inner);
    known.get(&(device.clone(), key)).cloned()
}

/// The kernel for a key on a device; `write` makes the module if there is none yet.
///
/// # Errors
/// If the module does not validate (a bug) or does not compile.
pub fn kernel(
    device: &Device,
    key: KernelKey,
    write: impl FnOnce(&KernelKey) -> Module,
) -> Result<Arc<Kernel>, Error> {
    let key = (device.clone(), key);
    let kernels = known_kernels();
    let known = kernels.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(kernel) = known.get(&key) {
        return Ok(Arc::clone(kernel));
    }
    drop(known);
    let module = write(&key.1);
    let name = module.name.clone();
    let module = validate(module).map_err(|source| Error::InvalidTemplate {
        kernel: name.clone(),
        source,
    })?;
    let program = match key.1 {
        // These have no loops of their own, so there is nothing to arrange.
        KernelKey::Map { ref shape, .. } | KernelKey::Fused { ref shape, .. } if shape.streams => {
            Program::compile_streaming(device, &module)?
        }
        KernelKey::Map { .. } | KernelKey::Fused { .. } => Program::compile(device, &module)?,
        _ => Program::compile_as_written(device, &module)?,
    };
    let kernel = Arc::new(program.kernel(&name)?);
    let mut known = kernels.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have been quicker; then its kernel serves both.
    Ok(Arc::clone(known.entry(key).or_insert(kernel)))
}
