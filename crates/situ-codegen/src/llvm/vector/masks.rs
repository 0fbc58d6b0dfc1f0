//! Which lanes take part.
//!
//! The lanes that are active now are in a variable, which LLVM moves to a register. Code that no lane can
//! have left (`is_partial` is false) does not ask it: there all lanes are active that are there at all.

use situ_ir::DType;

use super::body::VectorBody;
use super::lanes::vector_type;
use crate::llvm::code::Code;
use crate::llvm::types::LaneType;
use crate::llvm::writer::{Label, Operand};

/// The lanes that take part.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    ty: LaneType,
    /// The lanes that are there; all, if nothing is said.
    entry: Option<Operand>,
    /// The address of the lanes that are active.
    active: Operand,
    /// Whether some of the lanes that are there may be inactive.
    pub(super) is_partial: bool,
}

impl Mask {
    /// All lanes that are there are active.
    pub(super) fn new(code: &mut Code<'_, '_>, lanes: u32, entry: Option<Operand>) -> Self {
        let ty = vector_type(DType::Bool, lanes);
        let active = code.entry_instruction(format_args!("alloca {ty}"));
        Self {
            ty,
            entry,
            active,
            is_partial: false,
        }
    }
}

impl VectorBody<'_, '_, '_, '_> {
    /// Lets all lanes begin that are there.
    pub(super) fn begin_lanes(&mut self) {
        let entry = self.mask.entry.clone().unwrap_or_else(|| self.all_lanes());
        self.set_active(&entry);
    }

    /// The lanes that are active, or nothing if all are.
    pub(super) fn partial_mask(&mut self) -> Option<Operand> {
        if self.mask.is_partial {
            Some(self.active())
        } else {
            self.mask.entry.clone()
        }
    }

    /// The lanes that are active.
    pub(super) fn active(&mut self) -> Operand {
        if !self.mask.is_partial {
            return self.mask.entry.clone().unwrap_or_else(|| self.all_lanes());
        }
        let active = self.mask.active.clone();
        self.load_mask(&active)
    }

    /// Goes on with these lanes.
    pub(super) fn set_active(&mut self, lanes: &Operand) {
        let active = self.mask.active.clone();
        self.store_mask(&active, lanes);
    }

    /// Adds the active lanes to those that are noted at a place, and deactivates them.
    pub(super) fn note_lanes(&mut self, place: &Operand) {
        let active = self.active();
        let before = self.load_mask(place);
        let both = self.mask_binary("or", &before, &active);
        self.store_mask(place, &both);
    }

    /// Memory for a mask, with no lanes in it.
    pub(super) fn empty_mask(&mut self) -> Operand {
        let ty = self.mask.ty;
        let place = self
            .body
            .code
            .entry_instruction(format_args!("alloca {ty}"));
        let none = self.no_lanes();
        self.store_mask(&place, &none);
        place
    }

    pub(super) fn load_mask(&mut self, place: &Operand) -> Operand {
        let ty = self.mask.ty;
        self.body
            .code
            .instruction(format_args!("load {ty}, ptr {place}"))
    }

    pub(super) fn store_mask(&mut self, place: &Operand, lanes: &Operand) {
        let ty = self.mask.ty;
        self.body
            .code
            .effect(format_args!("store {ty} {lanes}, ptr {place}"));
    }

    /// `and`, `or` or `xor` of masks.
    pub(super) fn mask_binary(&mut self, operation: &str, x: &Operand, y: &Operand) -> Operand {
        let ty = self.mask.ty;
        self.body.code.binary(&format!("{operation} {ty}"), x, y)
    }

    /// The lanes that are not in a mask.
    pub(super) fn other_lanes(&mut self, lanes: &Operand) -> Operand {
        let all = self.all_lanes();
        self.mask_binary("xor", lanes, &all)
    }

    pub(super) fn all_lanes(&self) -> Operand {
        self.mask.ty.constant(&Operand::new("true"))
    }

    pub(super) fn no_lanes(&self) -> Operand {
        self.mask.ty.constant(&Operand::new("false"))
    }

    /// The lanes of a mask as bits, the first lane in the lowest.
    pub(super) fn mask_bits(&mut self, lanes: &Operand) -> Operand {
        let (ty, count) = (self.mask.ty, self.lanes);
        self.body
            .code
            .instruction(format_args!("bitcast {ty} {lanes} to i{count}"))
    }

    /// Goes to one label if there are lanes in a mask, and to the other if not.
    pub(super) fn branch_if_any(&mut self, lanes: &Operand, some: &Label, none: &Label) {
        let (bits, count) = (self.mask_bits(lanes), self.lanes);
        let any = self
            .body
            .code
            .instruction(format_args!("icmp ne i{count} {bits}, 0"));
        self.body.code.branch_if(&any, some, none);
    }
}
