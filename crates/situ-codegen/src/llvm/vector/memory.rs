//! Memory accesses of all lanes.
//!
//! Lanes that read one element read it once; neighbouring elements are one vector; everything else is gathered
//! and scattered. Where a processor is slow at that, elements at equal distances are accessed one by one: their
//! addresses are plain sums, while those of a gather are taken out of a vector. Lanes that are not active access nothing. Where code runs at all some lane is active,
//! so an element that all lanes share is read without asking which.

use situ_ir::{AddressSpace, DType, Expression, Handle, Type};

use super::body::VectorBody;
use super::lanes::{Address, Lanes, lane_numbers};
use crate::error::Error;
use crate::llvm::types::{LaneType, memory_type};
use crate::llvm::writer::Operand;

/// Where the elements of an access are.
enum Elements {
    /// One for all lanes, at this address.
    Shared(Operand),
    /// Next to each other, from this address on.
    Neighbours(Operand),
    /// At equal distances: an address for each lane.
    Apart(Vec<Operand>),
    /// Anywhere: a vector of addresses.
    Anywhere(Operand),
}

impl VectorBody<'_, '_, '_, '_> {
    /// An address moved by a number of elements.
    pub(super) fn moved(&mut self, address: &Address, index: &Lanes) -> Address {
        Address {
            base: address.base.clone(),
            index: self.add_indices(&address.index, index),
        }
    }

    /// Reads the elements at an address; `pointer` is an expression of its type.
    pub(super) fn load(
        &mut self,
        pointer: Handle<Expression>,
        address: &Address,
    ) -> Result<Lanes, Error> {
        let (dtype, space) = self.pointed_at(pointer)?;
        let ty = self.memory_ty(dtype);
        let loaded = match self.elements(dtype, space, address) {
            Elements::Shared(address) => {
                return Ok(Lanes::Uniform(self.body.load_scalar(dtype, &address, "")));
            }
            Elements::Neighbours(address) => match self.partial_mask() {
                None => self.body.code.instruction(format_args!(
                    "load {ty}, ptr {address}, align {}",
                    dtype.align_bytes()
                )),
                Some(mask) => self.masked_load(dtype, "load", &address, &mask),
            },
            Elements::Apart(addresses) => self.load_each(dtype, &addresses),
            Elements::Anywhere(addresses) => {
                let mask = self.active();
                self.masked_load(dtype, "gather", &addresses, &mask)
            }
        };
        Ok(Lanes::Varying(if dtype == DType::Bool {
            let zero = ty.constant(&Operand::integer(0));
            self.body
                .code
                .binary(&format!("icmp ne {ty}"), &loaded, &zero)
        } else {
            loaded
        }))
    }

    /// Writes a number of each active lane; `pointer` is an expression of the address's type.
    pub(super) fn store(
        &mut self,
        pointer: Handle<Expression>,
        address: &Address,
        numbers: &Lanes,
    ) -> Result<(), Error> {
        let (dtype, space) = self.pointed_at(pointer)?;
        let elements = self.elements(dtype, space, address);
        if let Elements::Shared(address) = &elements {
            let number = if let Lanes::Uniform(number) = numbers {
                number.clone()
            } else {
                let vector = numbers.vector(&mut self.body.code, dtype, self.lanes);
                self.last_active(dtype, &vector)
            };
            self.body.store_scalar(dtype, &number, address, "");
            return Ok(());
        }
        let mut vector = numbers.vector(&mut self.body.code, dtype, self.lanes);
        let ty = self.memory_ty(dtype);
        if dtype == DType::Bool {
            let bits = self.ty(dtype);
            vector = self
                .body
                .code
                .instruction(format_args!("zext {bits} {vector} to {ty}"));
        }
        match elements {
            Elements::Shared(_) => {}
            Elements::Neighbours(address) => match self.partial_mask() {
                None => self.body.code.effect(format_args!(
                    "store {ty} {vector}, ptr {address}, align {}",
                    dtype.align_bytes()
                )),
                Some(mask) => self.masked_store(dtype, "store", &vector, &address, &mask),
            },
            Elements::Apart(addresses) => self.store_each(dtype, &vector, &addresses),
            Elements::Anywhere(addresses) => {
                let mask = self.active();
                self.masked_store(dtype, "scatter", &vector, &addresses, &mask);
            }
        }
        Ok(())
    }

    fn elements(&mut self, dtype: DType, space: AddressSpace, address: &Address) -> Elements {
        let index = if space == AddressSpace::Private {
            self.private_index(&address.index)
        } else {
            address.index.clone()
        };
        let (ty, base) = (memory_type(dtype), &address.base);
        let one_by_one =
            self.body.code.library.options.gathers_slowly && self.partial_mask().is_none();
        let code = &mut self.body.code;
        match index {
            Lanes::Uniform(index) => Elements::Shared(
                code.instruction(format_args!("getelementptr {ty}, ptr {base}, i64 {index}")),
            ),
            Lanes::Linear(first, 1) => Elements::Neighbours(
                code.instruction(format_args!("getelementptr {ty}, ptr {base}, i64 {first}")),
            ),
            index => {
                if let (true, Some(progression)) = (one_by_one, index.progression()) {
                    let numbers = progression.numbers(code, self.lanes);
                    let addresses = numbers.iter().map(|index| {
                        code.instruction(format_args!(
                            "getelementptr {ty}, ptr {base}, i64 {index}"
                        ))
                    });
                    return Elements::Apart(addresses.collect());
                }
                let indices = index.vector(code, DType::I64, self.lanes);
                Elements::Anywhere(code.instruction(format_args!(
                    "getelementptr {ty}, ptr {base}, <{} x i64> {indices}",
                    self.lanes
                )))
            }
        }
    }

    /// A vector of elements that are loaded one by one.
    fn load_each(&mut self, dtype: DType, addresses: &[Operand]) -> Operand {
        let (ty, align) = (self.memory_ty(dtype), dtype.align_bytes());
        let scalar = ty.scalar;
        let code = &mut self.body.code;
        let mut vector = Operand::new("poison");
        for (lane, address) in addresses.iter().enumerate() {
            let element =
                code.instruction(format_args!("load {scalar}, ptr {address}, align {align}"));
            vector = code.instruction(format_args!(
                "insertelement {ty} {vector}, {scalar} {element}, i64 {lane}"
            ));
        }
        vector
    }

    /// Stores the elements of a vector one by one, the last lane's last.
    fn store_each(&mut self, dtype: DType, vector: &Operand, addresses: &[Operand]) {
        let (ty, align) = (self.memory_ty(dtype), dtype.align_bytes());
        let scalar = ty.scalar;
        let code = &mut self.body.code;
        for (lane, address) in addresses.iter().enumerate() {
            let element =
                code.instruction(format_args!("extractelement {ty} {vector}, i64 {lane}"));
            code.effect(format_args!(
                "store {scalar} {element}, ptr {address}, align {align}"
            ));
        }
    }

    /// Where a lane's element of a private array is: elements of all lanes with the same index are next to
    /// each other.
    fn private_index(&mut self, index: &Lanes) -> Lanes {
        let lanes = self.lanes;
        let code = &mut self.body.code;
        if let Lanes::Uniform(index) = index {
            let first = code.instruction(format_args!("mul i64 {index}, {lanes}"));
            return Lanes::Linear(first, 1);
        }
        let ty = LaneType {
            scalar: "i64",
            lanes,
        };
        let indices = index.vector(code, DType::I64, lanes);
        let factor = ty.constant(&Operand::integer(lanes));
        let rows = code.binary(&format!("mul {ty}"), &indices, &factor);
        let own = lane_numbers(ty, 1);
        Lanes::Varying(code.binary(&format!("add {ty}"), &rows, &own))
    }

    /// The number of the last active lane: if several write one element, it is what stays.
    fn last_active(&mut self, dtype: DType, vector: &Operand) -> Operand {
        let lanes = self.lanes;
        let lane = match self.partial_mask() {
            None => Operand::integer(lanes - 1),
            Some(mask) => {
                let bits = self.mask_bits(&mask);
                let code = &mut self.body.code;
                let name = format!("llvm.ctlz.i{lanes}");
                let ty = format!("i{lanes}");
                code.library.intrinsic(&name, &ty, &format!("{ty}, i1"));
                let after =
                    code.instruction(format_args!("call {ty} @{name}({ty} {bits}, i1 false)"));
                let last = code.instruction(format_args!("sub {ty} {}, {after}", lanes - 1));
                // Masks of few lanes are narrow numbers; no lane is negative.
                code.instruction(format_args!("zext {ty} {last} to i64"))
            }
        };
        let ty = self.ty(dtype);
        self.body
            .code
            .instruction(format_args!("extractelement {ty} {vector}, i64 {lane}"))
    }

    fn masked_load(&mut self, dtype: DType, what: &str, from: &Operand, mask: &Operand) -> Operand {
        let (ty, bits) = (self.memory_ty(dtype), self.ty(DType::Bool));
        let (address, suffix) = self.address_type(what);
        let code = &mut self.body.code;
        let name = format!(
            "llvm.masked.{what}.{}.{suffix}",
            vector_suffix(dtype, self.lanes)
        );
        let signature = format!("{address}, i32, {bits}, {ty}");
        code.library.intrinsic(&name, &ty.to_string(), &signature);
        code.instruction(format_args!(
            "call {ty} @{name}({address} {from}, i32 {}, {bits} {mask}, {ty} zeroinitializer)",
            dtype.align_bytes()
        ))
    }

    fn masked_store(
        &mut self,
        dtype: DType,
        what: &str,
        vector: &Operand,
        to: &Operand,
        mask: &Operand,
    ) {
        let (ty, bits) = (self.memory_ty(dtype), self.ty(DType::Bool));
        let (address, suffix) = self.address_type(what);
        let code = &mut self.body.code;
        let name = format!(
            "llvm.masked.{what}.{}.{suffix}",
            vector_suffix(dtype, self.lanes)
        );
        let signature = format!("{ty}, {address}, i32, {bits}");
        code.library.intrinsic(&name, "void", &signature);
        code.effect(format_args!(
            "call void @{name}({ty} {vector}, {address} {to}, i32 {}, {bits} {mask})",
            dtype.align_bytes()
        ));
    }

    fn address_type(&self, what: &str) -> (String, String) {
        match what {
            "load" | "store" => ("ptr".to_owned(), "p0".to_owned()),
            _ => (
                format!("<{} x ptr>", self.lanes),
                format!("v{}p0", self.lanes),
            ),
        }
    }

    fn memory_ty(&self, dtype: DType) -> LaneType {
        LaneType {
            scalar: memory_type(dtype),
            lanes: self.lanes,
        }
    }

    fn pointed_at(&self, pointer: Handle<Expression>) -> Result<(DType, AddressSpace), Error> {
        match self.body.info.type_of(pointer) {
            Type::Pointer { element, space } => Ok((element, space)),
            Type::Scalar(_) => Err(self.broken("memory is accessed through pointers")),
        }
    }
}

/// The suffix of an intrinsic for vectors in memory.
fn vector_suffix(dtype: DType, lanes: u32) -> String {
    let scalar = match dtype {
        DType::F16 => "f16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        other => memory_type(other),
    };
    format!("v{lanes}{scalar}")
}
