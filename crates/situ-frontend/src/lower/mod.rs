//! [`typed`](crate::typed) tree to IR.
//!
//! Nothing can be wrong any more, so nothing is reported here. What is left to do: Python's order of
//! evaluation (IR expressions have no effects, so calls, atomics and anything that must not be
//! evaluated needlessly become statements), element addresses, loops over `range`, and the
//! parameters that carry shapes and strides ([`crate::plan`]).

mod bounds;
mod expressions;
mod inlining;
mod names;
mod parameters;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use situ_ir::{
    AddressSpace, ArrayVariable, DType, Expression as IrExpression, Function as IrFunction,
    FunctionBuilder, Handle, Module, Source, Span, Type, Variable,
};

use crate::infer::Program;
use crate::lower::bounds::Check;
use crate::lower::names::{ascii_name, unique_name};
pub(crate) use crate::lower::parameters::Usage;
use crate::lower::parameters::plan_of;
use crate::message::Message;
use crate::plan::{ArgumentPart, ParameterPlan};
use crate::typed::{ArrayOrigin, Function, FunctionId, FunctionResult, ParameterKind, SlotId};

/// A module with one kernel, and how the kernel is called.
pub(crate) struct Lowered {
    pub(crate) module: Module,
    pub(crate) kernel: String,
    pub(crate) plan: ParameterPlan,
    /// What the functions may say.
    pub(crate) messages: Vec<Message>,
}

/// Writes a kernel and the device functions it calls as IR.
pub(crate) fn lower(program: &Program<'_>, kernel: &Function, source: &Source) -> Lowered {
    let may_meet = called_functions(program, kernel)
        .iter()
        .any(|id| program.functions[id.0].is_inlined);
    if !may_meet {
        let lowered = lower_all(program, kernel, source, true);
        if kernel.report.is_none() || !has_meetings(&lowered.module) {
            return lowered;
        }
    }
    // Others would wait for a work-item that gave up.
    lower_all(program, kernel, source, false)
}

fn has_meetings(module: &Module) -> bool {
    let mut found = false;
    for (_, function) in module.functions.iter() {
        let body = &function.body;
        body.for_each_statement(&mut |statement| found |= statement.kind.is_meeting());
    }
    found
}

fn lower_all(
    program: &Program<'_>,
    kernel: &Function,
    source: &Source,
    may_give_up: bool,
) -> Lowered {
    let mut session = Session {
        checks_bounds: program.options.check_bounds,
        is_host: program.options.is_host(),
        may_give_up,
        functions: &program.functions,
        messages: program.messages.clone(),
    };
    let mut module = Module::new(ascii_name(&kernel.name));
    module.source = Some(source.clone());
    let mut names = BTreeSet::new();
    let kernel_name = unique_name(&ascii_name(&kernel.name), &mut names);
    let mut callees = BTreeMap::new();
    // A function comes after those it calls, so going through them in order suffices.
    for id in called_functions(program, kernel) {
        let function = &program.functions[id.0];
        if function.is_inlined {
            let plan = plan_of(function, &callees, session.checks_bounds);
            callees.insert(
                id,
                Callee {
                    function: None,
                    plan,
                    stored: Vec::new(),
                },
            );
            continue;
        }
        let name = unique_name(&ascii_name(&function.name), &mut names);
        let result = match function.result {
            FunctionResult::Number(dtype) => Some(dtype),
            FunctionResult::Nothing | FunctionResult::Tuple(_) => None,
        };
        let builder = FunctionBuilder::device(name, result);
        let lowered = lower_function(builder, function, &mut module, &mut callees, &mut session);
        callees.insert(id, lowered);
    }
    let builder = FunctionBuilder::kernel(kernel_name.clone(), kernel.dims);
    let lowered = lower_function(builder, kernel, &mut module, &mut callees, &mut session);
    Lowered {
        module,
        kernel: kernel_name,
        plan: lowered.plan,
        messages: session.messages,
    }
}

/// The device functions that a kernel calls, directly or not.
fn called_functions(program: &Program<'_>, kernel: &Function) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut waiting = Usage::of(kernel).callees;
    while let Some(id) = waiting.pop_first() {
        if id != FunctionId::ITSELF && found.insert(id) {
            waiting.extend(Usage::of(&program.functions[id.0]).callees);
        }
    }
    found
}

/// What is the same for all functions that are lowered together.
struct Session<'a> {
    /// Every device function of the program.
    functions: &'a [Function],
    /// Whether each access is checked.
    checks_bounds: bool,
    /// Whether it is code of the host.
    is_host: bool,
    /// Whether a work-item may end before the others.
    may_give_up: bool,
    /// What the functions may say.
    messages: Vec<Message>,
}

/// A device function that is part of the module.
struct Callee {
    /// `None` if its body takes the place of each call.
    function: Option<Handle<IrFunction>>,
    plan: ParameterPlan,
    /// The numbers it stores through the pointers that are its last parameters.
    stored: Vec<DType>,
}

fn lower_function(
    mut builder: FunctionBuilder,
    function: &Function,
    module: &mut Module,
    callees: &mut BTreeMap<FunctionId, Callee>,
    session: &mut Session<'_>,
) -> Callee {
    if function.has_kernel_source {
        builder.set_function_span(function.span);
    }
    let plan = plan_of(function, callees, session.checks_bounds);
    let stored = match &function.result {
        FunctionResult::Tuple(dtypes) => dtypes.clone(),
        FunctionResult::Nothing | FunctionResult::Number(_) => Vec::new(),
    };
    callees.insert(
        FunctionId::ITSELF,
        Callee {
            function: Some(FunctionBuilder::itself()),
            plan: plan.clone(),
            stored: stored.clone(),
        },
    );
    let mut lowering = Lowering {
        builder,
        function,
        module,
        callees,
        results: Vec::new(),
        checks_bounds: session.checks_bounds,
        checks: Vec::new(),
        functions: session.functions,
        may_give_up: session.may_give_up,
        is_host: session.is_host,
        is_in_round: false,
        returned: None,
        messages: &mut session.messages,
        scalars: vec![None; function.parameters.len()],
        arrays: Vec::new(),
        variables: Vec::new(),
        slots: BTreeMap::new(),
    };
    lowering.arrays = vec![LoweredArray::default(); function.arrays.len()];
    lowering.declare_parameters(&plan);
    lowering.declare_body();
    lowering.block(&function.body);
    let builder = lowering.builder;
    let function = builder.finish(module);
    Callee {
        function: Some(function),
        plan,
        stored,
    }
}

/// A function being lowered.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each asked for by name"
)]
struct Lowering<'a> {
    builder: FunctionBuilder,
    function: &'a Function,
    module: &'a Module,
    callees: &'a BTreeMap<FunctionId, Callee>,
    /// Every device function of the program.
    functions: &'a [Function],
    /// Where results go while the body of a function takes the place of a call.
    returned: Option<Vec<Handle<Variable>>>,
    /// Where the numbers of a tuple that is returned go.
    results: Vec<Handle<IrExpression>>,
    checks_bounds: bool,
    /// Indices of views that the access around them is to check.
    checks: Vec<Check>,
    may_give_up: bool,
    is_host: bool,
    /// Whether the statement is part of a round, which ends by itself.
    is_in_round: bool,
    messages: &'a mut Vec<Message>,
    /// Scalar parameters.
    scalars: Vec<Option<Handle<IrExpression>>>,
    arrays: Vec<LoweredArray>,
    variables: Vec<Handle<Variable>>,
    slots: BTreeMap<SlotId, Handle<IrExpression>>,
}

/// What an array is made of.
#[derive(Clone, Debug, Default)]
struct LoweredArray {
    pointer: Option<Handle<IrExpression>>,
    shape: BTreeMap<usize, Handle<IrExpression>>,
    stride: BTreeMap<usize, Handle<IrExpression>>,
}

impl Lowering<'_> {
    fn at(&mut self, span: Span) {
        // Spans of functions from other files do not point into the module's source.
        let span = if self.function.has_kernel_source {
            span
        } else {
            Span::NONE
        };
        self.builder.at(span);
    }

    /// Declares variables and arrays.
    fn declare_body(&mut self) {
        self.declare_arrays();
        for variable in &self.function.variables {
            let name = ascii_name(&variable.name);
            let handle = self.builder.variable(name, variable.dtype);
            self.variables.push(handle);
        }
        for (position, parameter) in self.function.parameters.iter().enumerate() {
            if let ParameterKind::Scalar {
                variable: Some(variable),
                ..
            } = parameter.kind
            {
                self.at(parameter.span);
                let value = self.scalars[position].expect("scalar parameters were declared");
                let dtype = self.function.variables[variable.0].dtype;
                let value = self.builder.cast(value, dtype);
                self.builder.assign(self.variables[variable.0], value);
            }
        }
    }

    fn declare_parameters(&mut self, plan: &ParameterPlan) {
        let function = self.function;
        // All names of the user's come first, so that none of ours takes the place of one.
        let mut names = BTreeSet::new();
        let parameter_names: Vec<_> = function
            .parameters
            .iter()
            .map(|parameter| unique_name(&ascii_name(&parameter.name), &mut names))
            .collect();
        for planned in &plan.parameters {
            let parameter = &function.parameters[planned.argument];
            self.at(parameter.span);
            let name = &parameter_names[planned.argument];
            match (parameter.kind, planned.part) {
                (ParameterKind::Scalar { dtype, .. }, _) => {
                    let handle = self.builder.parameter(name, dtype.into());
                    self.scalars[planned.argument] = Some(handle);
                }
                (ParameterKind::Array(id), ArgumentPart::Shape(axis)) => {
                    let name = unique_name(&format!("{name}_shape_{axis}"), &mut names);
                    let handle = self.builder.parameter(name, Type::INDEX);
                    self.arrays[id.0].shape.insert(axis, handle);
                }
                (ParameterKind::Array(id), ArgumentPart::Stride(axis)) => {
                    let name = unique_name(&format!("{name}_stride_{axis}"), &mut names);
                    let handle = self.builder.parameter(name, Type::INDEX);
                    self.arrays[id.0].stride.insert(axis, handle);
                }
                (ParameterKind::Nothing, _) => {}
                (ParameterKind::Array(id), _) => {
                    let array = &function.arrays[id.0];
                    let ty = Type::pointer(array.dtype, array.space);
                    let handle = self.builder.parameter(name, ty);
                    self.arrays[id.0].pointer = Some(handle);
                }
            }
        }
        if let FunctionResult::Tuple(dtypes) = &function.result {
            for (position, dtype) in dtypes.iter().enumerate() {
                let name = unique_name(&format!("result_{position}"), &mut names);
                let ty = Type::pointer(*dtype, AddressSpace::Private);
                self.results.push(self.builder.parameter(name, ty));
            }
        }
    }

    fn declare_arrays(&mut self) {
        let function = self.function;
        for (array, position) in function.arrays.iter().zip(0..) {
            let (shape, span) = match &array.origin {
                ArrayOrigin::Declared { shape, span } => (shape, span),
                // It comes after the array it is of.
                ArrayOrigin::Flat { of } => {
                    self.arrays[position].pointer = self.arrays[of.0].pointer;
                    continue;
                }
                ArrayOrigin::Parameter { .. } => continue,
            };
            self.at(*span);
            let declared = ArrayVariable {
                name: ascii_name(&array.name),
                element: array.dtype,
                length: shape.iter().product(),
                space: array.space,
            };
            let pointer = self.builder.array(
                declared.name,
                declared.element,
                declared.length,
                declared.space,
            );
            let lowered: &mut LoweredArray = &mut self.arrays[position];
            lowered.pointer = Some(pointer);
            let sizes: Vec<_> = shape
                .iter()
                .map(|size| self.builder.index(*size as i64))
                .collect();
            self.arrays[position].shape = sizes.into_iter().enumerate().collect();
        }
    }
}
