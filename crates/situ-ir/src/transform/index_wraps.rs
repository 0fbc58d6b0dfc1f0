//! Drops the test of indices that are never negative.
//!
//! Python's `x[i]` counts from the end if `i` is negative, so front ends write `select(i < 0, i + size, i)`. Most indices
//! are counters of loops, which start at zero or more. Without the test an index stays what it is: elements of
//! neighbouring rounds are known to be neighbours.
//!
//! What a number is at least is found from what variables are assigned: by the assignment before, where there is one that
//! no other comes after, and else by all of them. A variable that is computed from itself may overflow, and nothing is
//! known of it; only a counter, to which small constants are added, takes longer than anybody waits. Sums and products of such numbers are taken not to overflow, too: these are
//! indices, and there is no memory of that size.

use std::collections::{BTreeMap, BTreeSet};

use crate::arena::Handle;
use crate::dtype::DType;
use crate::expression::{BinaryOperator, Expression, UnaryOperator, WorkItemQuery};
use crate::literal::Literal;
use crate::module::{Function, Module, Value, Variable};
use crate::statement::{Block, StatementKind};

/// The least that a number can be; `None` if nothing is known.
type Least = Option<i64>;

/// Larger constants may make sums and products overflow.
const SMALL: i64 = 1 << 31;

/// How many operations are followed from an index to what it is made of.
const MAX_DEPTH: usize = 100;

/// Drops needless tests from all functions. `is_size` tells which parameters of kernels are sizes of arrays.
pub fn drop_index_wraps(module: &mut Module, is_size: impl Fn(usize) -> bool) {
    let mut parameters: Vec<Vec<Arguments>> = module
        .functions
        .iter()
        .map(|(_, function)| vec![Arguments::default(); function.parameters.len()])
        .collect();
    for (handle, function) in module.functions.iter() {
        if function.is_kernel() {
            let own = parameters[handle.index()].iter_mut().enumerate();
            for (position, arguments) in own {
                arguments.add(is_size(position).then_some(0));
            }
        }
    }
    let handles: Vec<_> = module.functions.iter().map(|(handle, _)| handle).collect();
    // Functions are called by later ones, so the callers of each come first.
    for handle in handles.into_iter().rev() {
        let function = &module.functions[handle];
        let known = parameters[handle.index()].iter();
        let known: Vec<Least> = if calls(function, handle) {
            // What it passes to itself is not known yet.
            known.map(|_| None).collect()
        } else {
            known.map(Arguments::least).collect()
        };
        let mut facts = Facts::of(function, known);
        facts.pass_arguments(&mut parameters);
        let found = facts.needless();
        let expressions = &mut module.functions[handle].expressions;
        for (select, index) in found {
            expressions[select] = expressions[index].clone();
        }
    }
}

/// The variables that a block assigns.
fn assigned_in(block: &Block, found: &mut BTreeSet<usize>) {
    block.for_each_statement(&mut |statement| match &statement.kind {
        StatementKind::Assign { variable, .. } => {
            found.insert(variable.index());
        }
        StatementKind::Parallel(parallel) => {
            found.extend([parallel.index.index(), parallel.worker.index()]);
        }
        _ => {}
    });
}

/// Whether a function calls another one.
fn calls(function: &Function, other: Handle<Function>) -> bool {
    let mut found = false;
    function.body.for_each_statement(&mut |statement| {
        found |= matches!(&statement.kind, StatementKind::Call { function, .. } if *function == other);
    });
    found
}

/// What a parameter is passed by all callers seen so far.
#[derive(Clone, Debug, Default)]
struct Arguments {
    is_passed: bool,
    least: Least,
}

impl Arguments {
    fn add(&mut self, least: Least) {
        self.least = if self.is_passed {
            lesser(self.least, least)
        } else {
            least
        };
        self.is_passed = true;
    }

    fn least(&self) -> Least {
        self.least.filter(|_| self.is_passed)
    }
}

/// An assignment to a variable, with a lower bound that its place in a loop implies.
#[derive(Clone, Copy)]
struct Assigned {
    expression: Handle<Expression>,
    least: Least,
}

/// What a variable or value is found to be at least.
#[derive(Clone, Copy)]
enum Answer {
    /// It is being looked for, so that it depends on itself.
    Pending,
    Found(Least),
}

/// Which assignment decides the content of each variable, for those of which that is known.
type Reaching = BTreeMap<usize, usize>;

/// Lower bounds of the integers of a function.
struct Facts<'a> {
    function: &'a Function,
    parameters: Vec<Least>,
    assignments: Vec<Assigned>,
    /// The assignments of each variable.
    assigned: BTreeMap<usize, Vec<usize>>,
    /// The assignment that a reading of a variable finds; `None` if there are several.
    found: BTreeMap<usize, Option<usize>>,
    bound: BTreeMap<usize, Handle<Expression>>,
    /// The last of the expressions that were looked through in which each expression is.
    seen: Vec<usize>,
    roots: usize,
    variables: BTreeMap<usize, Answer>,
    answers: BTreeMap<usize, Answer>,
    values: BTreeMap<usize, Answer>,
}

impl<'a> Facts<'a> {
    fn of(function: &'a Function, parameters: Vec<Least>) -> Self {
        let mut facts = Self {
            function,
            parameters,
            assignments: Vec::new(),
            assigned: BTreeMap::new(),
            found: BTreeMap::new(),
            bound: BTreeMap::new(),
            seen: vec![0; function.expressions.len()],
            roots: 0,
            variables: BTreeMap::new(),
            answers: BTreeMap::new(),
            values: BTreeMap::new(),
        };
        facts.collect(&function.body, &mut Reaching::new(), None);
        facts
    }

    /// Collects assignments and bound values. `counter` is the variable that the enclosing loop counts down, with the
    /// number that it stays above.
    fn collect(
        &mut self,
        block: &Block,
        reaching: &mut Reaching,
        mut counter: Option<(Handle<Variable>, Handle<Expression>)>,
    ) {
        for statement in &block.statements {
            let kind = &statement.kind;
            let mut inside = BTreeSet::new();
            for block in kind.blocks() {
                assigned_in(block, &mut inside);
            }
            // What rounds assign, a later round finds.
            if !matches!(kind, StatementKind::If { .. }) {
                reaching.retain(|variable, _| !inside.contains(variable));
            }
            kind.for_each_expression(|root| self.note_readings(root, reaching));
            match kind {
                StatementKind::Let { value, expression } => {
                    self.bound.insert(value.index(), *expression);
                }
                StatementKind::Assign {
                    variable,
                    expression,
                } => {
                    let least = counter.take().and_then(|(counter, above)| {
                        let is_it =
                            self.function.expressions[*expression] == Expression::Variable(counter);
                        let above = self.constant(above).filter(|_| is_it)?;
                        Some(above + 1)
                    });
                    let number = self.assignments.len();
                    self.assignments.push(Assigned {
                        expression: *expression,
                        least,
                    });
                    let own = self.assigned.entry(variable.index()).or_default();
                    own.push(number);
                    reaching.insert(variable.index(), number);
                }
                StatementKind::Parallel(parallel) => {
                    for variable in [parallel.index, parallel.worker] {
                        let answer = Answer::Found(Some(0));
                        self.variables.insert(variable.index(), answer);
                        reaching.remove(&variable.index());
                    }
                }
                _ => {}
            }
            // The counter of a loop is its own until something is assigned.
            counter = None;
            if let StatementKind::Loop {
                condition,
                body,
                step,
            } = kind
            {
                let counter = condition.and_then(|each| self.stays_above(each));
                self.collect(body, &mut reaching.clone(), counter);
                self.collect(step, &mut reaching.clone(), None);
            } else {
                for block in kind.blocks() {
                    self.collect(block, &mut reaching.clone(), None);
                }
            }
            reaching.retain(|variable, _| !inside.contains(variable));
        }
    }

    /// Notes which assignments the readings of an expression find.
    fn note_readings(&mut self, root: Handle<Expression>, reaching: &Reaching) {
        self.roots += 1;
        let mut pending = vec![root];
        while let Some(expression) = pending.pop() {
            let seen = &mut self.seen[expression.index()];
            if std::mem::replace(seen, self.roots) == self.roots {
                continue;
            }
            let node = &self.function.expressions[expression];
            if let Expression::Variable(variable) = node {
                let now = reaching.get(&variable.index()).copied();
                let found = self.found.entry(expression.index()).or_insert(now);
                if *found != now {
                    *found = None;
                }
            }
            node.for_each_operand(|operand| pending.push(operand));
        }
    }

    /// The variable and the number in `variable > number`.
    fn stays_above(
        &self,
        condition: Handle<Expression>,
    ) -> Option<(Handle<Variable>, Handle<Expression>)> {
        let Expression::Binary {
            operator: BinaryOperator::Greater,
            left,
            right,
        } = self.function.expressions[condition]
        else {
            return None;
        };
        match self.function.expressions[left] {
            Expression::Variable(variable) => Some((variable, right)),
            _ => None,
        }
    }

    /// A constant that is small.
    fn constant(&self, expression: Handle<Expression>) -> Option<i64> {
        match self.function.expressions[expression] {
            Expression::Literal(Literal::I64(value)) if (-SMALL..=SMALL).contains(&value) => {
                Some(value)
            }
            _ => None,
        }
    }

    /// Tells the functions that are called what they are passed.
    fn pass_arguments(&mut self, parameters: &mut [Vec<Arguments>]) {
        let mut calls = Vec::new();
        let function = self.function;
        function.body.for_each_statement(&mut |statement| {
            if let StatementKind::Call {
                function,
                arguments,
                ..
            } = &statement.kind
            {
                calls.push((*function, arguments));
            }
        });
        for (callee, arguments) in calls {
            for (position, argument) in arguments.iter().enumerate() {
                let least = self.least(*argument, 0);
                parameters[callee.index()][position].add(least);
            }
        }
    }

    /// The selects that always choose the index as it is, and that index.
    fn needless(&mut self) -> Vec<(Handle<Expression>, Handle<Expression>)> {
        let mut found = Vec::new();
        for (handle, expression) in self.function.expressions.iter() {
            let Expression::Select {
                condition, reject, ..
            } = expression
            else {
                continue;
            };
            let Expression::Binary {
                operator: BinaryOperator::Less,
                left,
                right,
            } = self.function.expressions[*condition]
            else {
                continue;
            };
            let is_same = left == *reject
                || self.function.expressions[left] == self.function.expressions[*reject];
            if is_same
                && self.constant(right) == Some(0)
                && self.least(*reject, 0).is_some_and(|least| least >= 0)
            {
                found.push((handle, *reject));
            }
        }
        found
    }

    /// What an integer of 64 bits is at least.
    fn least(&mut self, expression: Handle<Expression>, depth: usize) -> Least {
        if depth > MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        match &self.function.expressions[expression] {
            Expression::Literal(_) => self.constant(expression),
            Expression::Parameter(position) => self.parameters[*position as usize],
            Expression::Value(value) => self.value(*value, depth),
            Expression::Variable(variable) => match self.found.get(&expression.index()) {
                Some(Some(assignment)) => self.assignment(*assignment, depth),
                _ => self.variable(*variable, depth),
            },
            Expression::WorkItem(
                WorkItemQuery::GlobalId(_)
                | WorkItemQuery::LocalId(_)
                | WorkItemQuery::GroupId(_)
                | WorkItemQuery::GlobalSize(_)
                | WorkItemQuery::GlobalLinearId,
            )
            | Expression::Unary {
                operator: UnaryOperator::PopCount | UnaryOperator::LeadingZeros,
                ..
            } => Some(0),
            Expression::Binary {
                operator,
                left,
                right,
            } => self.binary(*operator, (*left, *right), depth),
            Expression::Select { accept, reject, .. } => {
                let accepted = self.least(*accept, depth);
                lesser(accepted, self.least(*reject, depth))
            }
            Expression::Cast { operand, .. } => self.natural(*operand),
            _ => None,
        }
    }

    /// A number of a dtype that has no negative ones and few of all.
    fn natural(&self, operand: Handle<Expression>) -> Least {
        let dtype = match &self.function.expressions[operand] {
            Expression::Value(value) => self.function.values[*value].ty.scalar()?,
            Expression::Variable(variable) => self.function.variables[*variable].dtype,
            Expression::Parameter(position) => {
                self.function.parameters[*position as usize].ty.scalar()?
            }
            _ => return None,
        };
        matches!(dtype, DType::Bool | DType::U8 | DType::U16 | DType::U32).then_some(0)
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        (left, right): (Handle<Expression>, Handle<Expression>),
        depth: usize,
    ) -> Least {
        let (one, other) = (self.least(left, depth), self.least(right, depth));
        let is_natural = |least: Least| least.is_some_and(|least| least >= 0);
        let are_natural = is_natural(one) && is_natural(other);
        match operator {
            BinaryOperator::Add => Some(one?.saturating_add(other?).min(SMALL)),
            BinaryOperator::Subtract => Some(one?.saturating_sub(self.constant(right)?)),
            BinaryOperator::Multiply => {
                are_natural.then_some(one?.saturating_mul(other?).min(SMALL))
            }
            BinaryOperator::FloorDivide | BinaryOperator::TruncatingDivide => {
                are_natural.then_some(0)
            }
            BinaryOperator::Modulo => is_natural(other).then_some(0),
            BinaryOperator::TruncatingRemainder | BinaryOperator::ShiftRight => {
                is_natural(one).then_some(0)
            }
            BinaryOperator::Minimum => lesser(one, other),
            BinaryOperator::Maximum => one.max(other),
            BinaryOperator::BitAnd => (is_natural(one) || is_natural(other)).then_some(0),
            BinaryOperator::BitOr | BinaryOperator::BitXor => are_natural.then_some(0),
            _ => None,
        }
    }

    fn value(&mut self, value: Handle<Value>, depth: usize) -> Least {
        match self.values.get(&value.index()) {
            Some(Answer::Found(least)) => return *least,
            Some(Answer::Pending) => return None,
            None => {}
        }
        let expression = *self.bound.get(&value.index())?;
        self.values.insert(value.index(), Answer::Pending);
        let least = self.least(expression, depth);
        self.values.insert(value.index(), Answer::Found(least));
        least
    }

    fn variable(&mut self, variable: Handle<Variable>, depth: usize) -> Least {
        match self.variables.get(&variable.index()) {
            Some(Answer::Found(least)) => return *least,
            Some(Answer::Pending) => return None,
            None => {}
        }
        self.variables.insert(variable.index(), Answer::Pending);
        let assigned = self.assigned.get(&variable.index()).cloned();
        let mut all: Option<Least> = None;
        for assignment in assigned.unwrap_or_default() {
            if self.is_counted_up(variable, self.assignments[assignment].expression) {
                continue;
            }
            let least = self.assignment(assignment, depth);
            all = Some(all.map_or(least, |all| lesser(all, least)));
        }
        // One that is never assigned is zero.
        let least = all.unwrap_or(Some(0));
        self.variables
            .insert(variable.index(), Answer::Found(least));
        least
    }

    /// What a variable is at least after an assignment.
    fn assignment(&mut self, assignment: usize, depth: usize) -> Least {
        match self.answers.get(&assignment) {
            Some(Answer::Found(least)) => return *least,
            Some(Answer::Pending) => return None,
            None => {}
        }
        self.answers.insert(assignment, Answer::Pending);
        let Assigned { expression, least } = self.assignments[assignment];
        let least = self.least(expression, depth).max(least);
        self.answers.insert(assignment, Answer::Found(least));
        least
    }

    /// Whether an expression is the variable and a constant that is not negative.
    fn is_counted_up(&self, variable: Handle<Variable>, expression: Handle<Expression>) -> bool {
        let Expression::Binary {
            operator: BinaryOperator::Add,
            left,
            right,
        } = self.function.expressions[expression]
        else {
            return false;
        };
        self.function.expressions[left] == Expression::Variable(variable)
            && self.constant(right).is_some_and(|step| step >= 0)
    }
}

/// The lower bound of a number that is one of two.
fn lesser(one: Least, other: Least) -> Least {
    Some(one?.min(other?))
}

#[cfg(test)]
mod tests {
    use super::drop_index_wraps;
    use crate::span::Source;
    use crate::text::parse;
    use crate::validate::validate;

    /// The function after the transform, as text.
    fn dropped(text: &str) -> String {
        let mut module = parse(Source::new("m.sir", text)).expect("the text is a module");
        drop_index_wraps(&mut module, |position| position == 1);
        validate(module.clone()).expect("it is still valid");
        module.to_string()
    }

    fn kernel(body: &str) -> String {
        dropped(&format!(
            "module \"m\"\n\nkernel[1] k(x: global f64*, n: i64, start: i64) {{\n    var i: i64;\n    var j: i64;\n{body}}}\n"
        ))
    }

    #[test]
    fn counters_that_start_at_zero_need_no_test() {
        let text = kernel(
            "    i = 0;\n    while i < n {\n        x[select(i < 0, i + n, i)] = 1.0;\n    } step {\n        i = i + 1;\n    }\n",
        );
        assert!(!text.contains("select"), "{text}");
    }

    #[test]
    fn counters_that_start_anywhere_keep_it() {
        let text = kernel(
            "    i = start;\n    while i < n {\n        x[select(i < 0, i + n, i)] = 1.0;\n    } step {\n        i = i + 1;\n    }\n",
        );
        assert!(text.contains("select"), "{text}");
    }

    #[test]
    fn counters_that_go_down_stay_above_where_they_stop() {
        let down = |stop: &str| {
            kernel(&format!(
                "    i = n;\n    while i > {stop} {{\n        j = i;\n        x[select(j < 0, j + n, j)] = 1.0;\n    }} step {{\n        \
                 i = i + -1;\n    }}\n"
            ))
        };
        assert!(!down("-1").contains("select"));
        assert!(down("-2").contains("select"));
    }

    #[test]
    fn differences_are_followed_down_to_zero() {
        let text = kernel(
            "    i = 1;\n    while i < n {\n        j = i - 2;\n        x[select(j < 0, j + n, j)] = 1.0;\n    } step {\n        \
             i = i + 1;\n    }\n",
        );
        assert!(text.contains("select"), "{text}");
        let text = kernel(
            "    i = 1;\n    while i < n {\n        j = i - 1;\n        x[select(j < 0, j + n, j)] = 1.0;\n    } step {\n        \
             i = i + 1;\n    }\n",
        );
        assert!(!text.contains("select"), "{text}");
    }

    #[test]
    fn a_name_may_count_several_loops() {
        let text = kernel(
            "    i = 1;\n    while i < n {\n        j = i;\n        let before: i64 = j - 1;\n        \
             x[select(before < 0, before + n, before)] = 1.0;\n    } step {\n        i = i + 1;\n    }\n    j = start;\n    \
             x[0] = 2.0;\n",
        );
        assert!(!text.contains("select"), "{text}");
    }

    #[test]
    fn what_a_later_round_finds_counts() {
        let text = kernel(
            "    i = 0;\n    j = 0;\n    while i < n {\n        x[select(j < 0, j + n, j)] = 1.0;\n        j = start;\n    } step {\n        \
             i = i + 1;\n    }\n",
        );
        assert!(text.contains("select"), "{text}");
    }

    #[test]
    fn numbers_that_may_overflow_keep_it() {
        let text = kernel(
            "    i = 1;\n    while i < n {\n        x[select(i < 0, i + n, i)] = 1.0;\n    } step {\n        i = i * 2;\n    }\n",
        );
        assert!(text.contains("select"), "{text}");
    }
}
