//! What each lane of a vector does, found before any code is written.
//!
//! Lanes run together; where their ways part, each part of the way runs under a mask. Two questions are
//! answered together, because each depends on the other: how variables depend on the lane ([`Shape`]), and
//! where lanes part.
//!
//! Lanes that part come back somewhere, and must find their variables as they left them. *Contexts* say
//! which statements run with the same lanes: each side of an `if` whose condition varies is a context, so is a
//! loop that lanes leave one by one, and the rest of a round that some lanes left early. A variable's *home*
//! is the innermost context around all uses of it. An assignment in its home needs no mask: lanes that are
//! elsewhere never look at the variable. All other assignments keep the content of the other lanes. So
//! a variable stays uniform in its home although only some lanes get there, such as the counter of a loop in
//! an `if`.
//!
//! Lanes that return never come back, so a `return` parts nothing: the rest runs with fewer lanes. Only
//! memory is accessed under the mask from there on.
//!
//! A variable that is perhaps read before it is assigned has the content zero from the beginning, so its
//! home is the whole function.

use std::collections::{HashMap, HashSet};

use situ_ir::{Block, Expression, Handle, Statement, StatementKind, Type, WorkItemQuery};

use super::shape::{Shape, operation_shape, query_shape};
use crate::llvm::body::ModuleFacts;

/// A statement, by where it is in memory: functions do not change while they are emitted.
type Place = *const Statement;

/// What was found out about a function that is called with arguments of certain shapes.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The shape of each expression.
    pub(super) expressions: Vec<Shape>,
    /// The shape of each variable.
    pub(super) variables: Vec<Shape>,
    /// Assignments that must keep the content of lanes that are elsewhere.
    blending: HashSet<Place>,
    /// Loops whose lanes may part.
    masked: HashSet<Place>,
    /// Jumps that all lanes take that are in the loop, or in the function.
    together: HashSet<Place>,
    /// Statements after which there may be fewer lanes than before.
    leaving: HashSet<Place>,
    /// Whether lanes return one by one.
    pub(super) returns_part: bool,
}

impl Flow {
    /// Whether an assignment must keep the content of lanes that are elsewhere.
    pub(super) fn blends(&self, statement: &Statement) -> bool {
        self.blending.contains(&std::ptr::from_ref(statement))
    }

    /// Whether the lanes of a loop may part.
    pub(super) fn is_masked(&self, statement: &Statement) -> bool {
        self.masked.contains(&std::ptr::from_ref(statement))
    }

    /// Whether all lanes that are in the loop, or in the function, take a jump.
    pub(super) fn is_together(&self, statement: &Statement) -> bool {
        self.together.contains(&std::ptr::from_ref(statement))
    }

    /// Whether there may be fewer lanes after a statement than before.
    pub(super) fn leaves(&self, statement: &Statement) -> bool {
        self.leaving.contains(&std::ptr::from_ref(statement))
    }
}

/// What a function is told from outside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    /// The shape of each parameter.
    pub(super) parameters: Vec<Shape>,
    /// Dimensions of the kernel.
    pub(super) dims: u8,
}

/// Analyses a function.
pub(super) fn analyse(
    facts: &ModuleFacts<'_>,
    function: Handle<situ_ir::Function>,
    entry: &Entry,
) -> Flow {
    let mut walk = Walk {
        facts,
        function: &facts.module.functions[function],
        info: facts.module.info(function),
        entry,
        values: Vec::new(),
        loops: HashMap::new(),
        flow: Flow::default(),
        is_settled: false,
        trace: Trace::default(),
    };
    walk.flow.expressions = vec![Shape::Uniform; walk.function.expressions.len()];
    walk.values = vec![None; walk.function.values.len()];
    walk.flow.variables = vec![Shape::Uniform; walk.function.variables.len()];
    while !walk.is_settled {
        walk.is_settled = true;
        walk.expressions();
        walk.trace = Trace::new(walk.function.variables.len());
        walk.flow.together.clear();
        walk.flow.leaving.clear();
        let body = &walk.function.body;
        walk.block(body, WHOLE);
        walk.variables();
    }
    walk.flow
}

/// A set of statements that run with the same lanes, by number.
type Context = usize;

/// The function as a whole.
const WHOLE: Context = 0;

/// Why the lanes of a loop part; remembered from walk to walk.
#[derive(Clone, Copy, Debug, Default)]
struct LoopFacts {
    /// Some break out of it alone.
    breaks_part: bool,
    /// Some return or end a round alone.
    rounds_part: bool,
}

/// What one walk through the function sees.
#[derive(Default)]
struct Trace<'a> {
    /// The context around each context.
    contexts: Vec<Context>,
    /// Every assignment: its variable, its context and what it assigns.
    assignments: Vec<(usize, Context, Shape, &'a Statement)>,
    /// The innermost context around the uses of each variable seen so far.
    homes: Vec<Option<Context>>,
    /// Whether each variable was assigned on every way to the present statement.
    is_assigned: Vec<bool>,
    /// Variables that are perhaps read before they are assigned.
    is_read_early: Vec<bool>,
    /// The loops around the present statement.
    around: Vec<Frame<'a>>,
}

impl Trace<'_> {
    fn new(variables: usize) -> Self {
        Self {
            contexts: vec![WHOLE],
            assignments: Vec::new(),
            homes: vec![None; variables],
            is_assigned: vec![false; variables],
            is_read_early: vec![false; variables],
            around: Vec::new(),
        }
    }

    fn context_in(&mut self, around: Context) -> Context {
        self.contexts.push(around);
        self.contexts.len() - 1
    }

    /// The innermost context around two. A context has a larger number than the one around it.
    fn around_both(&self, mut one: Context, mut other: Context) -> Context {
        while one != other {
            if one > other {
                one = self.contexts[one];
            } else {
                other = self.contexts[other];
            }
        }
        one
    }

    fn use_variable(&mut self, variable: usize, context: Context) {
        self.homes[variable] = Some(match self.homes[variable] {
            None => context,
            Some(home) => self.around_both(home, context),
        });
    }
}

/// A loop while its body is walked.
struct Frame<'a> {
    statement: &'a Statement,
    /// The context of its rounds.
    context: Context,
}

/// Whether a statement may take lanes away from those after it.
#[derive(Clone, Copy, Default)]
struct Leaves {
    /// To another place of the loop around.
    round: bool,
    /// For good.
    function: bool,
}

impl Leaves {
    fn or(self, other: Self) -> Self {
        Self {
            round: self.round || other.round,
            function: self.function || other.function,
        }
    }
}

struct Walk<'a> {
    facts: &'a ModuleFacts<'a>,
    function: &'a situ_ir::Function,
    info: &'a situ_ir::FunctionInfo,
    entry: &'a Entry,
    values: Vec<Option<Shape>>,
    loops: HashMap<Place, LoopFacts>,
    flow: Flow,
    is_settled: bool,
    trace: Trace<'a>,
}

impl<'a> Walk<'a> {
    /// Brings expressions up to date. Operands come before what uses them.
    fn expressions(&mut self) {
        for (handle, expression) in self.function.expressions.iter() {
            let shape = match expression {
                Expression::Literal(_) | Expression::Array(_) => Shape::Uniform,
                Expression::Parameter(position) => self.entry.parameters[*position as usize],
                Expression::Value(value) => self.values[value.index()].unwrap_or(Shape::Uniform),
                Expression::Variable(variable) => self.flow.variables[variable.index()],
                Expression::WorkItem(query) => self.query(*query),
                _ => operation_shape(self.function, self.info, handle, |operand| {
                    self.flow.expressions[operand.index()]
                }),
            };
            self.flow.expressions[handle.index()] = shape;
        }
    }

    fn query(&self, query: WorkItemQuery) -> Shape {
        query_shape(query, self.entry.dims)
    }

    /// Brings variables up to date with what the walk saw.
    fn variables(&mut self) {
        let trace = std::mem::take(&mut self.trace);
        let home = |variable: usize| {
            if trace.is_read_early[variable] {
                WHOLE
            } else {
                trace.homes[variable].unwrap_or(WHOLE)
            }
        };
        let mut found: Vec<Option<Shape>> = trace
            .is_read_early
            .iter()
            .map(|is_read_early| is_read_early.then_some(Shape::Uniform))
            .collect();
        self.flow.blending.clear();
        for (variable, context, shape, statement) in &trace.assignments {
            let is_home = *context == home(*variable);
            if !is_home {
                self.flow.blending.insert(std::ptr::from_ref(*statement));
            }
            let shape = if is_home { *shape } else { Shape::Varying };
            found[*variable] = Some(found[*variable].map_or(shape, |known| known.join(shape)));
        }
        for (known, found) in self.flow.variables.iter_mut().zip(found) {
            let found = known.corrected(found.unwrap_or(Shape::Uniform));
            if *known != found {
                *known = found;
                self.is_settled = false;
            }
        }
    }

    fn block(&mut self, block: &'a Block, mut context: Context) -> Leaves {
        let mut leaves = Leaves::default();
        for statement in &block.statements {
            let found = self.statement(statement, context);
            if found.round || found.function {
                self.flow.leaving.insert(std::ptr::from_ref(statement));
            }
            if found.round {
                context = self.trace.context_in(context);
            }
            leaves = leaves.or(found);
        }
        leaves
    }

    fn statement(&mut self, statement: &'a Statement, context: Context) -> Leaves {
        if !matches!(statement.kind, StatementKind::Loop { .. }) {
            self.reads(&statement.kind, context);
        }
        match &statement.kind {
            StatementKind::Let { value, expression } => {
                let shape = self.flow.expressions[expression.index()];
                self.bind(value.index(), shape);
            }
            StatementKind::Assign {
                variable,
                expression,
            } => {
                let shape = self.flow.expressions[expression.index()];
                let variable = variable.index();
                self.trace.use_variable(variable, context);
                self.trace.is_assigned[variable] = true;
                let assignment = (variable, context, shape, statement);
                self.trace.assignments.push(assignment);
            }
            StatementKind::Atomic(atomic) => {
                if let Some(result) = atomic.result {
                    self.bind(result.index(), Shape::Varying);
                }
            }
            StatementKind::Call {
                function,
                arguments,
                result,
            } => {
                let is_uniform = is_uniform_call(self.facts, *function)
                    && arguments
                        .iter()
                        .all(|argument| self.flow.expressions[argument.index()] == Shape::Uniform);
                if let Some(result) = result {
                    let shape = if is_uniform {
                        Shape::Uniform
                    } else {
                        Shape::Varying
                    };
                    self.bind(result.index(), shape);
                }
            }
            StatementKind::If {
                condition,
                accept,
                reject,
            } => return self.choose(*condition, [accept, reject], context),
            StatementKind::Loop {
                condition,
                body,
                step,
            } => return self.repeat(statement, *condition, [body, step], context),
            StatementKind::Break | StatementKind::Continue => {
                return self.leave_round(statement, context);
            }
            StatementKind::Return(_) => return self.leave_function(statement, context),
            StatementKind::Collective(collective) => {
                self.bind(collective.result.index(), Shape::Varying);
            }
            StatementKind::Store { .. }
            | StatementKind::Prefetch { .. }
            | StatementKind::Parallel(_)
            | StatementKind::Barrier(_)
            | StatementKind::Fence { .. } => {}
        }
        Leaves::default()
    }

    fn choose(
        &mut self,
        condition: Handle<Expression>,
        sides: [&'a Block; 2],
        context: Context,
    ) -> Leaves {
        let parts = self.flow.expressions[condition.index()] != Shape::Uniform;
        let before = self.trace.is_assigned.clone();
        let mut after = vec![true; before.len()];
        let mut leaves = Leaves::default();
        for side in sides {
            self.trace.is_assigned.clone_from(&before);
            let inside = if parts {
                self.trace.context_in(context)
            } else {
                context
            };
            leaves = leaves.or(self.block(side, inside));
            for (all, one) in after.iter_mut().zip(&self.trace.is_assigned) {
                *all &= one;
            }
        }
        self.trace.is_assigned = after;
        leaves
    }

    fn repeat(
        &mut self,
        statement: &'a Statement,
        condition: Option<Handle<Expression>>,
        [body, step]: [&'a Block; 2],
        context: Context,
    ) -> Leaves {
        let place = std::ptr::from_ref(statement);
        let varies = condition
            .is_some_and(|condition| self.flow.expressions[condition.index()] != Shape::Uniform);
        let known = self.loops.entry(place).or_default();
        if varies || known.breaks_part || known.rounds_part {
            self.flow.masked.insert(place);
        }
        let inside = if varies || known.breaks_part {
            self.trace.context_in(context)
        } else {
            context
        };
        self.reads(&statement.kind, inside);
        // The body may run not at all, and the step may follow a round that was left early.
        let before = self.trace.is_assigned.clone();
        self.trace.around.push(Frame {
            statement,
            context: inside,
        });
        let leaves = self.block(body, inside);
        self.trace.around.pop();
        self.trace.is_assigned.clone_from(&before);
        self.block(step, inside);
        self.trace.is_assigned = before;
        Leaves {
            round: false,
            function: leaves.function,
        }
    }

    fn leave_round(&mut self, statement: &'a Statement, context: Context) -> Leaves {
        let Some(frame) = self.trace.around.last() else {
            return Leaves::default();
        };
        if context == frame.context {
            self.flow.together.insert(std::ptr::from_ref(statement));
            return Leaves::default();
        }
        let place = std::ptr::from_ref(frame.statement);
        let breaks = matches!(statement.kind, StatementKind::Break);
        self.part_loop(place, breaks);
        Leaves {
            round: true,
            function: false,
        }
    }

    fn leave_function(&mut self, statement: &'a Statement, context: Context) -> Leaves {
        if context == WHOLE {
            self.flow.together.insert(std::ptr::from_ref(statement));
            return Leaves::default();
        }
        self.flow.returns_part = true;
        for index in 0..self.trace.around.len() {
            let place = std::ptr::from_ref(self.trace.around[index].statement);
            self.part_loop(place, false);
        }
        Leaves {
            round: false,
            function: true,
        }
    }

    fn part_loop(&mut self, place: Place, breaks: bool) {
        let known = self.loops.entry(place).or_default();
        let now = LoopFacts {
            breaks_part: known.breaks_part || breaks,
            rounds_part: true,
        };
        if now.breaks_part != known.breaks_part || now.rounds_part != known.rounds_part {
            *known = now;
            self.is_settled = false;
        }
    }

    /// Notes the variables that a statement itself reads.
    fn reads(&mut self, kind: &StatementKind, context: Context) {
        let mut pending = Vec::new();
        kind.for_each_expression(|root| pending.push(root));
        while let Some(expression) = pending.pop() {
            match &self.function.expressions[expression] {
                Expression::Variable(variable) => {
                    let variable = variable.index();
                    self.trace.use_variable(variable, context);
                    if !self.trace.is_assigned[variable] {
                        self.trace.is_read_early[variable] = true;
                    }
                }
                other => other.for_each_operand(|operand| pending.push(operand)),
            }
        }
    }

    fn bind(&mut self, value: usize, shape: Shape) {
        let known = self.values[value];
        let found = known.map_or(shape, |known| known.corrected(shape));
        if known != Some(found) {
            self.values[value] = Some(found);
            self.is_settled = false;
        }
    }
}

/// Whether a call with arguments that are the same in all lanes can be made once for all: it gives the same
/// result, and does nothing that counts how often it is done.
pub(super) fn is_uniform_call(facts: &ModuleFacts<'_>, callee: Handle<situ_ir::Function>) -> bool {
    let info = facts.module.info(callee);
    let has_private_pointer = facts.module.functions[callee]
        .parameters
        .iter()
        .any(|parameter| {
            matches!(
                parameter.ty,
                Type::Pointer {
                    space: situ_ir::AddressSpace::Private,
                    ..
                }
            )
        });
    !info.result_varies() && !info.has_atomics && !has_private_pointer
}
