//! Which parts of its arguments a function uses.

use std::collections::{BTreeMap, BTreeSet};

use crate::lower::Callee;
use crate::plan::{ArgumentPart, Layout, ParameterPlan, PlannedParameter};
use crate::typed::{
    Argument, ArrayId, ArrayOrigin, Call, Expression, ExpressionKind, Function, FunctionId,
    ParameterKind, Statement, StatementKind, Step,
};

/// What a function's body refers to.
#[derive(Debug, Default)]
pub(crate) struct Usage<'a> {
    pub(crate) callees: BTreeSet<FunctionId>,
    /// Sizes that are asked for.
    shapes: BTreeSet<(ArrayId, usize)>,
    /// Strides that are asked for.
    strides: BTreeSet<(ArrayId, usize)>,
    /// Arrays whose elements are accessed.
    accessed: BTreeSet<ArrayId>,
    calls: Vec<&'a Call>,
}

impl<'a> Usage<'a> {
    pub(crate) fn of(function: &'a Function) -> Self {
        let mut usage = Self::default();
        usage.block(&function.body);
        usage
    }

    /// Whether elements of an array are accessed, here or where it is handed on to.
    pub(crate) fn uses(&self, function: &Function, array: ArrayId) -> bool {
        let is_it = |id: &ArrayId| match function.arrays[id.0].origin {
            ArrayOrigin::Flat { of } => of == array,
            _ => *id == array,
        };
        let is_passed = |argument: &Argument| match argument {
            Argument::Array(id) => is_it(id),
            Argument::View(view) => is_it(&view.flat),
            Argument::Scalar(_) | Argument::Nothing => false,
        };
        let mut calls = self.calls.iter();
        self.accessed.iter().any(is_it) || calls.any(|call| call.arguments.iter().any(is_passed))
    }

    fn block(&mut self, body: &'a [Statement]) {
        for statement in body {
            match &statement.kind {
                StatementKind::Assign { value, .. }
                | StatementKind::Bind { value, .. }
                | StatementKind::Return(Some(value))
                | StatementKind::Evaluate(value) => self.expression(value),
                StatementKind::Store {
                    array,
                    indices,
                    value,
                } => {
                    self.accessed.insert(*array);
                    for index in indices {
                        self.expression(index);
                    }
                    self.expression(value);
                }
                StatementKind::If {
                    condition,
                    accept,
                    reject,
                } => {
                    self.expression(condition);
                    self.block(accept);
                    self.block(reject);
                }
                StatementKind::While { condition, body } => {
                    self.expression(condition);
                    self.block(body);
                }
                StatementKind::For(loop_) => {
                    self.expression(&loop_.start);
                    self.expression(&loop_.stop);
                    if let Step::Dynamic(step) = &loop_.step {
                        self.expression(step);
                    }
                    self.block(&loop_.body);
                }
                StatementKind::Parallel(parallel) => {
                    self.expression(&parallel.count);
                    self.block(&parallel.body);
                }
                StatementKind::ReturnTuple(values) => {
                    for value in values {
                        self.expression(value);
                    }
                }
                StatementKind::Call(call) | StatementKind::CallTuple { call, .. } => {
                    self.call(call);
                    call.for_each_expression(&mut |each| self.node(each));
                }
                StatementKind::Atomic(atomic) => {
                    self.accessed.insert(atomic.array);
                    atomic.for_each_expression(&mut |each| self.node(each));
                }
                StatementKind::Break
                | StatementKind::GiveUp
                | StatementKind::Continue
                | StatementKind::Return(None)
                | StatementKind::Barrier(_)
                | StatementKind::Fence { .. }
                | StatementKind::FillZeros { .. } => {}
            }
        }
    }

    fn expression(&mut self, expression: &'a Expression) {
        expression.for_each(&mut |each| self.node(each));
    }

    fn node(&mut self, expression: &'a Expression) {
        match &expression.kind {
            ExpressionKind::Shape { array, axis } => {
                self.shapes.insert((*array, *axis));
            }
            ExpressionKind::Element { array, .. } => {
                self.accessed.insert(*array);
            }
            ExpressionKind::Stride { array, axis } => {
                self.strides.insert((*array, *axis));
            }
            ExpressionKind::Call(call) | ExpressionKind::CallItem { call, .. } => self.call(call),
            ExpressionKind::Atomic(atomic) => {
                self.accessed.insert(atomic.array);
            }
            ExpressionKind::CompareExchange(exchange) => {
                self.accessed.insert(exchange.atomic.array);
                self.accessed.insert(exchange.expected);
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &'a Call) {
        self.callees.insert(call.function);
        self.calls.push(call);
    }
}

/// The IR parameters of a function.
pub(crate) fn plan_of(
    function: &Function,
    callees: &BTreeMap<FunctionId, Callee>,
    checks_bounds: bool,
) -> ParameterPlan {
    // What it hands on to itself it must be given, which may be more to hand on.
    let mut plan = ParameterPlan::default();
    loop {
        let larger = plan_with(function, callees, &plan, checks_bounds);
        if larger == plan {
            return plan;
        }
        plan = larger;
    }
}

/// The same if calls of itself take the parameters of `own`.
fn plan_with(
    function: &Function,
    callees: &BTreeMap<FunctionId, Callee>,
    own: &ParameterPlan,
    checks_bounds: bool,
) -> ParameterPlan {
    let usage = Usage::of(function);
    let mut used: BTreeSet<(ArrayId, Part)> = BTreeSet::new();
    used.extend(
        usage
            .shapes
            .iter()
            .map(|(array, axis)| (*array, Part::Shape(*axis))),
    );
    used.extend(
        usage
            .strides
            .iter()
            .map(|(array, axis)| (*array, Part::Stride(*axis))),
    );
    for id in &usage.accessed {
        let array = &function.arrays[id.0];
        let is_passed = matches!(array.origin, ArrayOrigin::Parameter { .. });
        if checks_bounds && is_passed && function.report != Some(*id) {
            used.extend((0..array.ndim).map(|axis| (*id, Part::Shape(axis))));
        }
        match array.origin {
            ArrayOrigin::Parameter {
                layout: Layout::Contiguous,
            } => used.extend((1..array.ndim).map(|axis| (*id, Part::Shape(axis)))),
            ArrayOrigin::Parameter {
                layout: Layout::Strided,
            } => used.extend((0..array.ndim).map(|axis| (*id, Part::Stride(axis)))),
            ArrayOrigin::Declared { .. } | ArrayOrigin::Flat { .. } => {}
        }
    }
    for call in &usage.calls {
        let plan = match call.function {
            FunctionId::ITSELF => own,
            called => &callees[&called].plan,
        };
        used.extend(passed_on(call, plan));
    }
    let mut plan = ParameterPlan::default();
    for (argument, parameter) in function.parameters.iter().enumerate() {
        let mut push = |part| plan.parameters.push(PlannedParameter { argument, part });
        match parameter.kind {
            ParameterKind::Nothing => {}
            ParameterKind::Scalar { .. } => push(ArgumentPart::Scalar),
            ParameterKind::Array(id) => {
                push(ArgumentPart::Pointer);
                for (array, part) in &used {
                    match part {
                        _ if *array != id => {}
                        Part::Shape(axis) => push(ArgumentPart::Shape(*axis)),
                        Part::Stride(axis) => push(ArgumentPart::Stride(*axis)),
                    }
                }
            }
        }
    }
    plan
}

/// The parts of arrays that a call hands on.
fn passed_on(call: &Call, plan: &ParameterPlan) -> Vec<(ArrayId, Part)> {
    let parts = plan.parameters.iter().filter_map(|planned| {
        let Argument::Array(array) = call.arguments[planned.argument] else {
            return None;
        };
        match planned.part {
            ArgumentPart::Shape(axis) => Some((array, Part::Shape(axis))),
            ArgumentPart::Stride(axis) => Some((array, Part::Stride(axis))),
            ArgumentPart::Pointer | ArgumentPart::Scalar => None,
        }
    });
    parts.collect()
}

/// A part of an array besides its pointer; shapes come before strides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Shape(usize),
    Stride(usize),
}
