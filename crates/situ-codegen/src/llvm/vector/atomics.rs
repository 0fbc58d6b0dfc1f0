//! Atomics of all lanes: one after the other, first to last.

use situ_ir::Atomic;

use super::body::VectorBody;
use super::lanes::Lanes;
use crate::error::Error;
use crate::llvm::types::{memory_type, scalar_type};
use crate::llvm::writer::Operand;

impl VectorBody<'_, '_, '_, '_> {
    pub(super) fn atomic(&mut self, atomic: &Atomic) -> Result<(), Error> {
        let element = self.body.info.type_of(atomic.pointer).element();
        let dtype = element.ok_or_else(|| self.broken("atomics work on elements"))?;
        let address = self.evaluate_pointer(atomic.pointer)?;
        let index = self.evaluate_number(atomic.index)?;
        let address = self.moved(&address, &index);
        let operand = match atomic.operand {
            Some(operand) => Some(self.evaluate_number(operand)?),
            None => None,
        };
        let expected = match atomic.expected {
            Some(expected) => Some(self.evaluate_number(expected)?),
            None => None,
        };
        let ty = self.ty(dtype);
        let results = atomic.result.map(|_| {
            let place = self
                .body
                .code
                .entry_instruction(format_args!("alloca {ty}"));
            self.body
                .code
                .effect(format_args!("store {ty} zeroinitializer, ptr {place}"));
            place
        });
        let (scalar, memory) = (scalar_type(dtype), memory_type(dtype));
        self.for_each_active_lane(|this, lane| {
            let index = this.number_of(&address.index, "i64", lane);
            let operand = operand.as_ref().map(|x| this.number_of(x, scalar, lane));
            let expected = expected.as_ref().map(|x| this.number_of(x, scalar, lane));
            let base = &address.base;
            let element = this.body.code.instruction(format_args!(
                "getelementptr {memory}, ptr {base}, i64 {index}"
            ));
            let old = this
                .body
                .perform_atomic(atomic, dtype, &element, operand, expected)?;
            if let (Some(results), Some(old)) = (&results, old) {
                let place = this.body.code.instruction(format_args!(
                    "getelementptr {scalar}, ptr {results}, i64 {lane}"
                ));
                this.body
                    .code
                    .effect(format_args!("store {scalar} {old}, ptr {place}"));
            }
            Ok(())
        })?;
        if let (Some(value), Some(results)) = (atomic.result, results) {
            let vector = self
                .body
                .code
                .instruction(format_args!("load {ty}, ptr {results}"));
            self.bind(value, Lanes::Varying(vector));
        }
        Ok(())
    }

    /// Repeats what `write` writes for each active lane, from first to last.
    fn for_each_active_lane(
        &mut self,
        write: impl FnOnce(&mut Self, &Operand) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mask = self.partial_mask();
        let lanes = self.lanes;
        let before = self.body.code.label("lanes.before");
        let head = self.body.code.label("lane");
        let next = self.body.code.label("lane.next");
        let done = self.body.code.label("lanes.done");
        let lane = self.body.code.register();
        let advanced = self.body.code.register();
        self.body.code.begin(&before);
        self.body.code.begin(&head);
        self.body.code.define(
            &lane,
            format_args!("phi i64 [ 0, %{before} ], [ {advanced}, %{next} ]"),
        );
        if let Some(mask) = mask {
            let active = self.body.code.label("lane.active");
            let is_active = self.body.code.instruction(format_args!(
                "extractelement <{lanes} x i1> {mask}, i64 {lane}"
            ));
            self.body.code.branch_if(&is_active, &active, &next);
            self.body.code.begin(&active);
        }
        write(self, &lane)?;
        self.body.code.begin(&next);
        self.body
            .code
            .define(&advanced, format_args!("add nuw nsw i64 {lane}, 1"));
        let again = self
            .body
            .code
            .instruction(format_args!("icmp ult i64 {advanced}, {lanes}"));
        self.body.code.branch_if(&again, &head, &done);
        self.body.code.begin(&done);
        Ok(())
    }

    /// The number of one lane, of LLVM's type `scalar`.
    fn number_of(&mut self, numbers: &Lanes, scalar: &'static str, lane: &Operand) -> Operand {
        let lanes = self.lanes;
        let code = &mut self.body.code;
        match numbers {
            Lanes::Uniform(number) => number.clone(),
            Lanes::Linear(first, stride) => {
                let more = code.instruction(format_args!("mul i64 {lane}, {stride}"));
                code.binary("add i64", first, &more)
            }
            Lanes::Varying(vector) | Lanes::Strided(vector, _) => code.instruction(format_args!(
                "extractelement <{lanes} x {scalar}> {vector}, i64 {lane}"
            )),
        }
    }
}
