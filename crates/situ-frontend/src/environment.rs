//! What the names around a kernel stand for.
//!
//! A kernel may use names of the file or function it is defined in. The caller looks them up once and
//! passes them here as data, so that this crate needs no Python: numbers become constants of the
//! compiled code, modules are known by name, and device functions come with their source and the
//! names around *them*.

use std::collections::BTreeMap;

use situ_ir::{DType, Literal, Source};

pub use crate::syntax::Constant;

/// Names and what they stand for.
pub type Bindings = BTreeMap<String, Binding>;

/// Everything a kernel can reach by name from outside of itself.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Closure variables and globals of the kernel.
    pub bindings: Bindings,
    /// Device functions that the kernel and other device functions may call, addressed by
    /// [`Binding::DeviceFunction`].
    pub functions: Vec<DeviceFunction>,
    /// Members of known modules that are themselves written as device functions, or are modules of
    /// such functions.
    pub members: BTreeMap<KnownModule, Bindings>,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// A Python number. Like a literal, it takes the dtype of what it meets.
    Constant(Constant),
    /// A NumPy scalar, which has a dtype of its own.
    Scalar(Literal),
    /// A tuple of any of these.
    Tuple(Vec<Binding>),
    /// A dtype: `numpy.float32`, `numpy.dtype("f4")`, `situ.float32`; called, it converts.
    DType(DType),
    /// A module whose functions kernels know.
    Module(KnownModule),
    /// A function of such a module, imported by name.
    Function(KnownModule, String),
    /// A module or object of the user's, with those of its attributes that have a meaning here.
    Namespace(Bindings),
    /// A function decorated with `@situ.device_func`: its place in [`Environment::functions`].
    DeviceFunction(usize),
    /// Something else. Only an error if the kernel uses it.
    Unsupported {
        /// What it is, as in "a list" or "a `pandas.DataFrame`".
        description: String,
    },
}

/// A module that kernels can call functions of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KnownModule {
    /// Python's built-in functions, such as `range` and `abs`.
    Builtins,
    /// Python's `math`.
    Math,
    /// Python's `cmath`: functions of complex numbers.
    Cmath,
    /// NumPy: the element-wise functions, applied to scalars.
    NumPy,
    /// situ itself: work-item functions and the element-wise functions.
    Situ,
    /// `situ.local`: memory of a work-group.
    SituLocal,
    /// `situ.private`: memory of a work-item.
    SituPrivate,
    /// `situ.atomic`: indivisible updates.
    SituAtomic,
    /// `situ.kernel_api`: index objects and what comes with them.
    SituKernelApi,
    /// `situ.kernel_api.MemoryOrder`, whose members are integers.
    MemoryOrder,
    /// `situ.kernel_api.MemoryScope`, whose members are integers.
    MemoryScope,
    /// `situ.kernel_api.AddressSpace`, whose members are integers.
    AddressSpace,
}

impl KnownModule {
    /// Every module.
    pub(crate) const ALL: [Self; 12] = [
        Self::Builtins,
        Self::Math,
        Self::Cmath,
        Self::NumPy,
        Self::Situ,
        Self::SituLocal,
        Self::SituPrivate,
        Self::SituAtomic,
        Self::SituKernelApi,
        Self::MemoryOrder,
        Self::MemoryScope,
        Self::AddressSpace,
    ];

    /// The name users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Builtins => "builtins",
            Self::Math => "math",
            Self::Cmath => "cmath",
            Self::NumPy => "numpy",
            Self::Situ => "situ",
            Self::SituLocal => "situ.local",
            Self::SituPrivate => "situ.private",
            Self::SituAtomic => "situ.atomic",
            Self::SituKernelApi => "situ.kernel_api",
            Self::MemoryOrder => "situ.kernel_api.MemoryOrder",
            Self::MemoryScope => "situ.kernel_api.MemoryScope",
            Self::AddressSpace => "situ.kernel_api.AddressSpace",
        }
    }

    /// Whether the compiler itself knows a member of this name.
    pub fn has_member(self, name: &str) -> bool {
        crate::infer::library::member(self, name).is_some()
    }

    /// The module with this (absolute) name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|module| module.name() == name)
    }
}

/// A function that kernels may call.
#[derive(Clone, Debug)]
pub struct DeviceFunction {
    /// Its name.
    pub name: String,
    /// Its text.
    pub source: Source,
    /// Closure variables and globals of this function.
    pub bindings: Bindings,
    /// What its last parameters are if no argument is given, as Python evaluated it.
    pub defaults: Vec<Binding>,
}
