//! The body of one function while it is being emitted.
//!
//! [`Body`] holds what expressions and statements need to know: where names are kept, which
//! work-item the code runs for, and where jumps go. The files of this folder add methods to it.

use std::collections::HashMap;

use situ_ir::{
    BinaryOperator, Expression, Function, FunctionInfo, Handle, ValidModule, WorkItemQuery,
};

use super::code::Code;
use super::library::{Library, Round};
use super::math::Elementary;
use super::places::{Places, Slot};
use super::queries::QuerySet;
use super::stack::StackNeed;
use super::target::{VectorIsa, Vectorise};
use super::writer::{Label, Operand};
use crate::error::Error;

/// What is known of the whole module.
#[derive(Debug)]
pub(super) struct ModuleFacts<'a> {
    pub(super) module: &'a ValidModule,
    /// What each function asks about the work-item, by position.
    pub(super) queries: Vec<QuerySet>,
    /// How large each function is after inlining, by position.
    pub(super) inlined_sizes: Vec<usize>,
    /// How often each function is called, by position.
    pub(super) calls: Vec<usize>,
    /// Whether a function has rounds that run at the same time.
    pub(super) has_rounds: bool,
    /// What each function needs of the stack, by position.
    pub(super) stacks: Vec<StackNeed>,
}

/// The work-item that code is being written for.
#[derive(Clone, Debug)]
pub(super) enum WorkItem {
    /// One of a flat range, without groups.
    Range {
        global_id: [Operand; 3],
        global_linear_id: Operand,
    },
    /// One of a group.
    Group {
        local_id: [Operand; 3],
        local_linear_id: Operand,
    },
    /// One that a caller tells about.
    Caller(Vec<(WorkItemQuery, Operand)>),
}

/// What is the same for the whole launch, and for the group that is running.
#[derive(Clone, Debug)]
pub(super) struct LaunchPosition {
    pub(super) global_size: [Operand; 3],
    pub(super) local_size: [Operand; 3],
    pub(super) group_count: [Operand; 3],
    /// Work-items of a group.
    pub(super) group_items: Operand,
    pub(super) group_id: [Operand; 3],
    pub(super) group_linear_id: Operand,
}

/// Where `Break` and `Continue` go.
#[derive(Clone, Debug)]
pub(super) struct LoopLabels {
    pub(super) exit: Label,
    pub(super) step: Label,
}

/// What ends the code of one work-item before its last statement.
#[derive(Clone, Debug)]
pub(super) enum Exits {
    /// The function returns to its caller.
    Function,
    /// The work-item is done; the loop over work-items goes on at this label.
    Item {
        end: Label,
        /// Where the work-item remembers how it left, if later regions must know.
        status: Option<Slot>,
    },
}

/// A function body under construction.
#[derive(Debug)]
pub(super) struct Body<'a, 'm, 'o> {
    pub(super) code: Code<'m, 'o>,
    pub(super) facts: &'a ModuleFacts<'a>,
    pub(super) handle: Handle<Function>,
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) stack: StackNeed,
    /// What each parameter is.
    pub(super) parameters: Vec<Operand>,
    pub(super) places: Places,
    pub(super) launch: Option<LaunchPosition>,
    /// The fields of the launch frame that were read, by their byte offsets.
    pub(super) launch_fields: HashMap<usize, Operand>,
    pub(super) item: WorkItem,
    /// The loops around the statement being written, innermost last.
    pub(super) loops: Vec<LoopLabels>,
    pub(super) exits: Exits,
    /// What the running statement has computed.
    pub(super) computed: HashMap<Handle<Expression>, Operand>,
}

impl<'a, 'm, 'o> Body<'a, 'm, 'o> {
    pub(super) fn new(
        facts: &'a ModuleFacts<'a>,
        handle: Handle<Function>,
        library: &'m mut Library<'o>,
    ) -> Self {
        Self {
            code: Code::new(library),
            facts,
            handle,
            function: &facts.module.functions[handle],
            info: facts.module.info(handle),
            stack: facts.stacks[handle.index()],
            parameters: Vec::new(),
            places: Places::default(),
            launch: None,
            launch_fields: HashMap::new(),
            item: WorkItem::Caller(Vec::new()),
            loops: Vec::new(),
            exits: Exits::Function,
            computed: HashMap::new(),
        }
    }

    /// A rule of situ that turns out not to hold.
    pub(super) fn broken(&self, invariant: &'static str) -> Error {
        Error::Internal {
            function: self.function.name.clone(),
            invariant,
        }
    }

    /// How much each round of the loop over work-items should do.
    fn round(&self) -> Round {
        if self.reads_neighbours() {
            return Round::Vectors(1);
        }
        // Functions that are written out are long chains of operations, each of which waits for the one before, with a
        // constant in most. With 16 registers LLVM would take one vector and load every constant for it alone; what
        // several share is loaded once, and while one waits, others go on.
        let options = self.code.library.options;
        if options.vector_isa != VectorIsa::Avx2 {
            return Round::Any;
        }
        let functions: Vec<_> = self.elementary_functions().collect();
        if let Some(items) = functions.iter().find_map(|each| each.work_items(options)) {
            return Round::Items(items);
        }
        match functions.len() {
            0 => Round::Any,
            1 => Round::Vectors(4),
            _ => Round::Vectors(2),
        }
    }

    /// The mathematical functions that are called and that are written here.
    fn elementary_functions(&self) -> impl Iterator<Item = Elementary> {
        let options = self.code.library.options;
        let expressions = self.function.expressions.iter();
        expressions.filter_map(move |(handle, expression)| {
            let dtype = self.info.type_of(handle).scalar()?;
            let name = match expression {
                Expression::Math { function, .. } => function.name(),
                Expression::Binary {
                    operator: BinaryOperator::Power,
                    ..
                } => "pow",
                _ => return None,
            };
            Elementary::written(options, name, dtype)
        })
    }

    /// Whether a work-item reads several elements of one array, as stencils do. Their loops are as fast as
    /// memory is, and several unaligned vectors of each row in a round only get into each other's way.
    fn reads_neighbours(&self) -> bool {
        const SEVERAL: usize = 3;
        // Kernels that are compiled as they are written are arranged for what LLVM does by itself, and
        // those of groups work on memory that is near.
        let options = self.code.library.options;
        if options.vectorise == Vectorise::Never || self.info.needs_groups {
            return false;
        }
        let expressions = &self.function.expressions;
        let mut loads = vec![0; self.function.parameters.len()];
        for (_, expression) in expressions.iter() {
            if let Expression::Load { pointer, .. } = expression
                && let Expression::Parameter(position) = expressions[*pointer]
            {
                loads[position as usize] += 1;
            }
        }
        loads.into_iter().any(|count| count >= SEVERAL)
    }

    /// Repeats what `fill` writes for `start`, `start + 1`, … while less than `end`, at least once.
    ///
    /// `fill` gets the counter and the label that ends a round.
    pub(super) fn counted_loop(
        &mut self,
        stem: &str,
        (start, end): (&Operand, &Operand),
        is_parallel: bool,
        fill: impl FnOnce(&mut Self, &Operand, &Label) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let before = self.code.label(&format!("{stem}.before"));
        let head = self.code.label(stem);
        let next = self.code.label(&format!("{stem}.next"));
        let done = self.code.label(&format!("{stem}.done"));
        let counter = self.code.register();
        let advanced = self.code.register();
        self.code.begin(&before);
        self.code.begin(&head);
        self.code.define(
            &counter,
            format_args!("phi i64 [ {start}, %{before} ], [ {advanced}, %{next} ]"),
        );
        fill(self, &counter, &next)?;
        self.code.begin(&next);
        self.code
            .define(&advanced, format_args!("add nuw nsw i64 {counter}, 1"));
        let again = self
            .code
            .instruction(format_args!("icmp ult i64 {advanced}, {end}"));
        let metadata = if is_parallel {
            let round = self.round();
            format!(", {}", self.code.library.parallel_loop(round))
        } else {
            String::new()
        };
        self.code.terminate(format_args!(
            "br i1 {again}, label %{head}, label %{done}{metadata}"
        ));
        self.code.begin(&done);
        Ok(())
    }
}
