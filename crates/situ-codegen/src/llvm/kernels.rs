//! What all kernels have in common: their signature, arguments and launch frame.

use situ_ir::{AddressSpace, DType, Function, FunctionKind, Handle, Type};

use super::abi::{ARGUMENT_SLOT_BYTES, KernelAbi, KernelShape, offset};
use super::body::{Body, ModuleFacts};
use super::library::Library;
use super::types::register_type;
use super::writer::Operand;
use super::{groups, items, vector};
use crate::error::Error;
use crate::names::Names;

/// A kernel's text and what the runtime must know of it.
pub(super) struct EmittedKernel {
    pub(super) text: String,
    pub(super) abi: KernelAbi,
}

/// Memory that a kernel needs from the runtime.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KernelMemory {
    pub(super) local_bytes: u64,
    pub(super) frame_bytes_per_item: u64,
}

/// The text of a kernel.
pub(super) fn emit(
    facts: &ModuleFacts<'_>,
    handle: Handle<Function>,
    library: &mut Library<'_>,
) -> Result<EmittedKernel, Error> {
    let options = library.options;
    let vector_bits = 8 * options.vector_isa.vector_bytes();
    let mut body = Body::new(facts, handle, library);
    let function = body.function;
    let FunctionKind::Kernel { dims } = function.kind else {
        return Err(body.broken("only kernels are emitted as kernels"));
    };
    let streamed = body.streamed_parameters(dims);
    body.load_arguments(&streamed);
    let start = body.code.label("start");
    body.code.begin(&start);
    let mut lanes = 1;
    let (shape, memory) = if body.info.needs_groups {
        (KernelShape::Groups, groups::emit(&mut body, dims)?)
    } else {
        let plan = vector::plan(facts, handle, options, dims);
        items::emit(&mut body, dims, plan.as_ref(), !streamed.is_empty())?;
        lanes = plan.map_or(1, |plan| plan.lanes);
        (KernelShape::Items, KernelMemory::default())
    };
    let abi = KernelAbi {
        has_rounds: facts.has_rounds,
        name: function.name.clone(),
        symbol: format!("situ_kernel_{}", function.name),
        shape,
        dims,
        lanes,
        local_bytes: memory.local_bytes,
        frame_bytes_per_item: memory.frame_bytes_per_item,
        stack_bytes: facts.stacks[handle.index()].total_bytes(lanes),
        parameters: function.parameters.clone(),
        streamed,
    };
    let text = body.code.into_writer().finish(&start);
    let text = format!(
        "define void @{}(ptr noalias nocapture readonly %args, ptr noalias nocapture readonly \
         %launch) nounwind \"prefer-vector-width\"=\"{vector_bits}\" {{\n{text}}}\n",
        abi.symbol
    );
    Ok(EmittedKernel { text, abi })
}

impl Body<'_, '_, '_> {
    /// Whether marked accesses of different work-items are independent: not if they may meet
    /// through atomics.
    pub(super) fn is_parallel(&self) -> bool {
        !self.info.has_atomics
    }

    /// The positions of parameters whose memory is written past the cache.
    fn streamed_parameters(&self, dims: u8) -> Vec<usize> {
        if !self.code.library.options.streams || self.info.needs_groups || dims != 1 {
            return Vec::new();
        }
        let access = self.info.parameter_access.iter().enumerate();
        access
            .filter(|(_, access)| access.writes && !access.reads)
            .map(|(position, _)| position)
            .collect()
    }

    /// Reads all arguments once.
    fn load_arguments(&mut self, streamed: &[usize]) {
        let mut names = Names::default();
        for (position, parameter) in self.function.parameters.iter().enumerate() {
            let name = format!("arg.{}", names.unique(&parameter.name));
            let address = self.code.entry_instruction(format_args!(
                "getelementptr i8, ptr %args, i64 {}",
                position * ARGUMENT_SLOT_BYTES
            ));
            let operand = match parameter.ty {
                Type::Scalar(DType::Bool) => {
                    let byte = self
                        .code
                        .entry_instruction(format_args!("load i8, ptr {address}"));
                    self.code
                        .entry_define(&name, format_args!("icmp ne i8 {byte}, 0"))
                }
                Type::Pointer {
                    space: AddressSpace::Local,
                    ..
                } => {
                    let area = self
                        .code
                        .entry_instruction(format_args!("load i64, ptr {address}"));
                    let scratch = self.launch_field("scratch", "ptr", offset::SCRATCH);
                    self.code.entry_define(
                        &name,
                        format_args!("getelementptr i8, ptr {scratch}, i64 {area}"),
                    )
                }
                ty => {
                    let metadata = if streamed.contains(&position) {
                        format!(", {}", self.code.library.streamed_pointer())
                    } else {
                        String::new()
                    };
                    self.code.entry_define(
                        &name,
                        format_args!("load {}, ptr {address}{metadata}", register_type(ty)),
                    )
                }
            };
            self.parameters.push(operand);
        }
    }

    /// A field of the launch frame, which is read once.
    pub(super) fn launch_field(&mut self, name: &str, ty: &str, byte_offset: usize) -> Operand {
        if let Some(field) = self.launch_fields.get(&byte_offset) {
            return field.clone();
        }
        let address = self.code.entry_instruction(format_args!(
            "getelementptr i8, ptr %launch, i64 {byte_offset}"
        ));
        let field = self.code.entry_define(
            &format!("launch.{name}"),
            format_args!("load {ty}, ptr {address}"),
        );
        self.launch_fields.insert(byte_offset, field.clone());
        field
    }

    /// Sizes in the launch frame; dimensions that do not exist have size 1.
    pub(super) fn launch_sizes(
        &mut self,
        name: &str,
        dims: u8,
        byte_offset: usize,
    ) -> [Operand; 3] {
        [0, 1, 2].map(|dimension| {
            if dimension < usize::from(dims) {
                let name = format!("{name}.{dimension}");
                self.launch_field(&name, "i64", byte_offset + 8 * dimension)
            } else {
                Operand::integer(1)
            }
        })
    }
}
