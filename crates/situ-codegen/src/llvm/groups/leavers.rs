//! Work-items that leave a region early, on their own, while others go on.

use super::Group;
use crate::error::Error;
use crate::llvm::body::{Body, Exits, LoopLabels};
use crate::llvm::statements::Exit;
use crate::llvm::writer::Operand;

impl Group<'_, '_> {
    /// If all work-items have left, the group goes where the first of them go: the end of the round
    /// comes before the end of the loop, and that before the end of the kernel.
    pub(super) fn follow_leavers(&self, body: &mut Body<'_, '_, '_>) -> Result<(), Error> {
        let Some(status) = self.memory.status.clone() else {
            return Ok(());
        };
        let least = body.code.entry_instruction("alloca i8");
        body.code.effect(format_args!("store i8 -1, ptr {least}"));
        self.for_each_item(body, false, |body, _| {
            let status = body.load_slot(&status);
            let so_far = body.code.instruction(format_args!("load i8, ptr {least}"));
            let less = body
                .code
                .intrinsic("llvm.umin.i8", "i8", &[&so_far, &status]);
            body.code
                .effect(format_args!("store i8 {less}, ptr {least}"));
            Ok(())
        })?;
        let least = body.code.instruction(format_args!("load i8, ptr {least}"));
        let Exits::Item { end, .. } = body.exits.clone() else {
            return Err(body.broken("kernels run for work-items"));
        };
        let mut targets = vec![(Exit::Return, end)];
        if let Some(LoopLabels { exit, step }) = body.loops.last().cloned() {
            targets.push((Exit::Break, exit));
            targets.push((Exit::Continue, step));
        }
        let targets: Vec<_> = targets
            .into_iter()
            .map(|(exit, label)| format!("i8 {}, label %{label}", exit as u8))
            .collect();
        let some_run = body.code.label("some.run");
        body.code.terminate(format_args!(
            "switch i8 {least}, label %{some_run} [ {} ]",
            targets.join(" ")
        ));
        body.code.begin(&some_run);
        Ok(())
    }

    /// Lets work-items run again that left a round or a loop of the group, which is now over.
    pub(super) fn resume(&self, body: &mut Body<'_, '_, '_>, exit: Exit) -> Result<(), Error> {
        let Some(status) = self.memory.status.clone() else {
            return Ok(());
        };
        self.for_each_item(body, true, |body, _| {
            let now = body.load_slot(&status);
            let is_back = body
                .code
                .instruction(format_args!("icmp eq i8 {now}, {}", exit as u8));
            let now = body.code.select("i8", &is_back, &Operand::integer(0), &now);
            body.store_slot(&status, &now);
            Ok(())
        })
    }
}
