//! Syntax tree to [`typed`](crate::typed) tree: what every name means and which dtype everything has.
//!
//! Types are those a Numba user expects. Work-item ids, `range` counters and array sizes are `int64`;
//! Python numbers take the dtype of what they meet ([`situ_ir::promotion`]); a variable has one dtype, promoted
//! over all its assignments, and one that is only given Python numbers is `int64`, `float64`, `bool`
//! or `complex128`. Since the dtype of a variable can depend on itself (`total = total + a[i]`), the
//! function is walked again until nothing changes; dtypes only ever widen, so that ends soon.
//! Diagnostics are those of the last walk, in which every type is final.
//!
//! Nothing is checked again later: what leaves here lowers to valid IR, except for barriers that not
//! all work-items of a group reach, which the IR's validator finds.

pub(crate) mod assigned;
mod atomics;
mod attributes;
mod calls;
mod collectives;
mod constants;
pub(crate) mod elements;
mod expressions;
mod functions;
mod indexing;
mod items;
pub(crate) mod library;
mod loops;
pub(crate) mod messages;
mod numpy_functions;
mod operators;
mod parallel;
pub(crate) mod problems;
mod program;
mod rounding;
mod rounds;
mod statements;
pub(crate) mod value;
mod views;
mod work_items;

use std::collections::{BTreeMap, BTreeSet};

use situ_ir::{DType, Diagnostic, Diagnostics, Source, Span};

pub(crate) use program::{ParameterType, Program};

use crate::environment::Bindings;
use crate::infer::value::LocalType;
use crate::plan::ItemType;
use crate::syntax;
use crate::typed::{
    Array, ArrayId, ArrayOrigin, Expression, ExpressionKind, Function, FunctionResult, Parameter,
    ParameterId, ParameterKind, SlotId, Statement, StatementKind, Variable, VariableId,
};

/// Why a function has no types.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    /// What is wrong in the function itself.
    pub(crate) own: Vec<Diagnostic>,
    /// What is wrong in the functions it calls, with their sources.
    pub(crate) callees: Vec<Diagnostics>,
}

impl Failure {
    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.callees.is_empty()
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(own: Vec<Diagnostic>) -> Self {
        Self {
            own,
            callees: Vec::new(),
        }
    }
}

/// A function to find the types of.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'e, 'a> {
    pub(crate) syntax: &'a syntax::Function,
    /// What the names around it stand for.
    pub(crate) bindings: &'e Bindings,
    pub(crate) source: &'e Source,
    pub(crate) parameters: &'a [ParameterType],
    /// Whether it is the kernel; a device function otherwise.
    pub(crate) is_kernel: bool,
    /// Whether its spans point into the kernel's source.
    pub(crate) has_kernel_source: bool,
}

/// A function whose types are known.
pub(crate) struct Inferred {
    pub(crate) function: Function,
    /// What it returns: a number or a tuple.
    pub(crate) result: Option<LocalType>,
}

/// Finds the types of a function; device functions it calls are specialised on the way.
///
/// # Errors
/// Everything that is wrong with it.
pub(crate) fn infer<'e>(
    program: &mut Program<'e>,
    subject: Subject<'e, '_>,
) -> Result<Inferred, Failure> {
    let mut unassigned = assigned::check(subject.syntax);
    let uncertain = unassigned.iter().map(|(name, _)| *name).collect();
    let mut inference = Inference::new(program, subject, uncertain);
    // Every walk but the last widens something, and nothing can be widened more than a few times, so
    // this ends; most functions need two walks.
    let mut body = loop {
        inference.start_walk();
        let body = inference.block(&subject.syntax.body);
        if !inference.has_changed {
            break body;
        }
    };
    inference.check_result();
    if inference.is_called_with_memory() {
        let end = inference.release_names(subject.syntax.name.span);
        body.extend(end);
    }
    if inference.program.options.check_bounds && !inference.arrays.is_empty() {
        inference.message_array();
    }
    if inference.program.options.is_host() {
        unassigned.retain(|(name, _)| !inference.starts_with_zero(name));
    }
    let initial = inference.initial_values();
    body.splice(0..0, initial);
    if let (Some(meeting), false) = (inference.meeting, subject.is_kernel)
        && let Some(early) = Function::early_return(&body)
    {
        inference.report(problems::early_return(early, meeting));
    }
    let mut failure = inference.failure;
    let unassigned = unassigned.into_iter();
    let unassigned = unassigned.map(|(name, span)| problems::used_before_assignment(name, span));
    failure.own.extend(unassigned);
    failure.own.sort_by_key(|diagnostic| {
        let main = diagnostic.labels.first();
        main.map_or(Span::NONE, |label| label.span)
    });
    if !failure.is_empty() {
        return Err(failure);
    }
    let result = match &inference.result {
        None => FunctionResult::Nothing,
        Some(LocalType::Scalar(dtype)) => FunctionResult::Number(*dtype),
        Some(tuple) => FunctionResult::Tuple(tuple.numbers()),
    };
    let function = Function {
        name: subject.syntax.name.name.clone(),
        span: subject.syntax.span,
        dims: inference.dims,
        parameters: inference.parameters,
        variables: inference.variables,
        arrays: inference.arrays,
        body,
        result,
        has_kernel_source: subject.has_kernel_source,
        report: inference.message_array,
        is_inlined: inference.meeting.is_some() && !subject.is_kernel,
        inlined_bodies: inference.inlined_bodies,
        source: subject.source.clone(),
        slot_count: inference.slots,
    };
    Ok(Inferred {
        function,
        result: inference.result,
    })
}

/// The state of inference of one function.
struct Inference<'p, 'e, 's> {
    program: &'p mut Program<'e>,
    subject: Subject<'e, 's>,
    parameters: Vec<Parameter>,
    arrays: Vec<Array>,
    /// Arrays declared by a call at a place, so that every walk finds the same array. Rounds of a loop that is written
    /// out may declare different ones.
    declared: BTreeMap<Span, Vec<ArrayId>>,
    /// Arrays as one dimension, by the array they are of.
    flat: BTreeMap<ArrayId, ArrayId>,
    /// The array that messages are written to, once there is one.
    message_array: Option<ArrayId>,
    /// Where work-items meet, or memory of theirs is reserved.
    meeting: Option<Span>,
    /// How many bodies take the places of calls so far.
    inlined_bodies: usize,
    /// The place of the message at each `assert` and `print`, in each round of loops that are written out.
    messages: BTreeMap<(Span, Vec<usize>, String), usize>,
    variables: Vec<Variable>,
    /// The variable for a name and, for tuples, the position in it.
    variable_ids: BTreeMap<(String, usize), VariableId>,
    /// Names the function assigns.
    assigned: BTreeSet<&'s str>,
    /// Those of them that some path does not assign before they are read.
    uncertain: BTreeSet<&'s str>,
    locals: BTreeMap<String, Local>,
    slots: usize,
    dims: u8,
    /// Dimensions of the range, if the function has an index object.
    item_dims: Option<u8>,
    /// What must happen before the statement that is read: statements that an expression needs.
    before: Vec<Statement>,
    /// Blocks of the heap that the statement that is read was given.
    temporaries: Vec<Expression>,
    /// Blocks that it keeps until its end: a name that gives one up may not be the last to hold it.
    kept: Vec<Expression>,
    /// The variable that tells which worker runs the rounds that are read.
    worker: Option<VariableId>,
    /// How many variables without a name there are.
    hidden: usize,
    /// Whether indices of elements that are gathered were checked before.
    places_exist: bool,
    /// Bounds of sizes that slots hold.
    slot_bounds: BTreeMap<SlotId, elements::SizeBound>,
    /// What slots and variables hold, if that depends on nothing but parameters. Variables of which that is not so have
    /// `None`.
    slot_forms: BTreeMap<SlotId, elements::Form>,
    variable_forms: BTreeMap<VariableId, Option<elements::Form>>,
    /// What variables of parameters start with.
    initial_parts: Vec<(VariableId, Expression)>,
    /// What the function returns: a number or a tuple.
    result: Option<LocalType>,
    /// Where it returns something, and where nothing.
    return_with: Option<Span>,
    return_without: Option<Span>,
    has_changed: bool,
    unrolling: loops::Unrolling,
    /// Variables that start with a constant: parameters that were given one and are assigned.
    initial: Vec<(VariableId, syntax::Constant)>,
    failure: Failure,
}

/// A name of the function.
#[derive(Clone, Debug)]
struct Local {
    ty: LocalType,
    /// Where the type became what it is.
    since: Span,
    /// The parameter with that name.
    parameter: Option<ParameterId>,
}

impl<'p, 'e, 's> Inference<'p, 'e, 's> {
    fn new(
        program: &'p mut Program<'e>,
        subject: Subject<'e, 's>,
        uncertain: BTreeSet<&'s str>,
    ) -> Self {
        let mut inference = Self {
            program,
            subject,
            parameters: Vec::new(),
            arrays: Vec::new(),
            declared: BTreeMap::new(),
            flat: BTreeMap::new(),
            message_array: None,
            meeting: None,
            inlined_bodies: 0,
            messages: BTreeMap::new(),
            variables: Vec::new(),
            variable_ids: BTreeMap::new(),
            assigned: assigned::assigned_names(subject.syntax),
            uncertain,
            locals: BTreeMap::new(),
            slots: 0,
            dims: 1,
            item_dims: None,
            before: Vec::new(),
            temporaries: Vec::new(),
            kept: Vec::new(),
            worker: None,
            hidden: 0,
            places_exist: false,
            slot_bounds: BTreeMap::new(),
            slot_forms: BTreeMap::new(),
            variable_forms: BTreeMap::new(),
            initial_parts: Vec::new(),
            result: None,
            return_with: None,
            return_without: None,
            has_changed: false,
            unrolling: loops::Unrolling::default(),
            initial: Vec::new(),
            failure: Failure::default(),
        };
        for (name, ty) in subject.syntax.parameters.iter().zip(subject.parameters) {
            let local = inference.declare_parameter(name, 0, ty);
            inference.locals.insert(name.name.clone(), local);
        }
        if inference.writes_out_arrays() {
            for name in &subject.syntax.parameters {
                inference.let_array_vary(name);
            }
        }
        inference
    }

    /// Declares what is passed for a parameter, or for an item of one that is a tuple; `position` counts
    /// the variables of its name so far.
    fn declare_parameter(
        &mut self,
        name: &syntax::Identifier,
        position: usize,
        ty: &ParameterType,
    ) -> Local {
        let is_assigned = self.assigned.contains(name.name.as_str());
        let id = ParameterId(self.parameters.len());
        let (kind, ty) = match ty {
            ParameterType::Scalar(dtype) => {
                let variable = is_assigned.then(|| self.variable_id(&name.name, position, *dtype));
                if let Some(variable) = variable {
                    self.note_unknown(variable);
                }
                let kind = ParameterKind::Scalar {
                    dtype: *dtype,
                    variable,
                };
                (kind, LocalType::Scalar(*dtype))
            }
            ParameterType::Constant(constant) if is_assigned => {
                let dtype = constant.default_dtype(self.default_float());
                let variable = self.variable_id(&name.name, position, dtype);
                self.note_unknown(variable);
                self.initial.push((variable, *constant));
                (ParameterKind::Nothing, LocalType::Scalar(dtype))
            }
            ParameterType::Constant(constant) => {
                (ParameterKind::Nothing, LocalType::Constant(*constant))
            }
            ParameterType::Array {
                dtype,
                ndim,
                layout,
                space,
            } => {
                let array = ArrayId(self.arrays.len());
                self.arrays.push(Array {
                    name: name.name.clone(),
                    dtype: *dtype,
                    ndim: *ndim,
                    space: *space,
                    origin: ArrayOrigin::Parameter { layout: *layout },
                });
                let local = LocalType::Static(value::Static::Array(array));
                (ParameterKind::Array(array), local)
            }
            ParameterType::Static(value) => {
                if let value::Static::Item(ItemType { dims, .. }) | value::Static::Group(dims) =
                    value
                {
                    self.item_dims = Some(*dims);
                }
                (ParameterKind::Nothing, LocalType::Static(value.clone()))
            }
            ParameterType::Tuple(items) => return self.declare_tuple(name, position, items),
        };
        self.parameters.push(Parameter {
            name: name.name.clone(),
            span: name.span,
            kind,
        });
        Local {
            ty,
            since: name.span,
            parameter: Some(id),
        }
    }

    /// Lets a parameter that is an array stand for other arrays later, if it is assigned: its name holds a part of the
    /// heap's memory, which reaches all arrays.
    fn let_array_vary(&mut self, name: &syntax::Identifier) {
        let Some(Local {
            ty: LocalType::Static(value::Static::Array(array)),
            ..
        }) = self.locals.get(&name.name)
        else {
            return;
        };
        let array = *array;
        if !self.assigned.contains(name.name.as_str()) {
            return;
        }
        let Some(value::Value::Object(object)) = self.as_heap_part(array, name.span) else {
            return;
        };
        let parts = object.parts.len();
        for (position, part) in object.parts.into_iter().enumerate() {
            let variable = self.variable_id(&name.name, position, DType::I64);
            self.note_assigned(variable, &part);
            self.initial_parts.push((variable, part));
        }
        let ty = LocalType::Object {
            kind: object.kind,
            parts,
        };
        let local = Local {
            ty,
            since: name.span,
            parameter: None,
        };
        self.locals.insert(name.name.clone(), local);
    }

    /// The items of a tuple are copied to variables, as those of a tuple that is assigned.
    fn declare_tuple(
        &mut self,
        name: &syntax::Identifier,
        position: usize,
        items: &[ParameterType],
    ) -> Local {
        let mut types = Vec::with_capacity(items.len());
        let mut position = position;
        for item in items {
            let first = self.parameters.len();
            let mut local = self.declare_parameter(name, position, item);
            if let Some(Parameter {
                kind: ParameterKind::Scalar { dtype, variable },
                ..
            }) = self.parameters.get_mut(first)
            {
                let dtype = *dtype;
                if variable.is_none() {
                    let id = self.variable_id(&name.name, position, dtype);
                    self.note_unknown(id);
                    self.parameters[first].kind = ParameterKind::Scalar {
                        dtype,
                        variable: Some(id),
                    };
                }
            }
            if let LocalType::Constant(constant) = local.ty {
                let dtype = constant.default_dtype(self.default_float());
                let id = self.variable_id(&name.name, position, dtype);
                self.note_unknown(id);
                self.initial.push((id, constant));
                local.ty = LocalType::Scalar(dtype);
            }
            position += local.ty.variable_count();
            types.push(local.ty);
        }
        Local {
            ty: LocalType::Tuple(types),
            since: name.span,
            parameter: None,
        }
    }

    /// Has the variables of a name start with zero; `false` if the name is no number and no tuple of numbers.
    fn starts_with_zero(&mut self, name: &str) -> bool {
        let Some(Local {
            ty: LocalType::Scalar(_) | LocalType::Tuple(_),
            ..
        }) = self.locals.get(name)
        else {
            return false;
        };
        let of_name = self.variable_ids.iter().filter(|((own, _), _)| own == name);
        let variables: Vec<VariableId> = of_name.map(|(_, variable)| *variable).collect();
        for variable in variables {
            let dtype = self.variables[variable.0].dtype;
            let zero = if dtype.is_bool() {
                syntax::Constant::Bool(false)
            } else {
                syntax::Constant::Int(0)
            };
            self.initial.push((variable, zero));
        }
        true
    }

    /// Statements that give variables the constants they start with.
    fn initial_values(&mut self) -> Vec<Statement> {
        let span = self.subject.syntax.name.span;
        let mut initial = std::mem::take(&mut self.initial);
        // Names that may hold a block of the heap hold none yet.
        for (name, position) in self.block_positions() {
            let variable = self.variable_id(&name, position, DType::I64);
            initial.push((variable, syntax::Constant::Int(0)));
        }
        let parts = std::mem::take(&mut self.initial_parts).into_iter();
        let parts = parts.map(|(variable, value)| {
            let kind = StatementKind::Assign { variable, value };
            Statement { kind, span }
        });
        let parts: Vec<_> = parts.collect();
        let constants = initial.into_iter().filter_map(|(variable, constant)| {
            let dtype = self.variables[variable.0].dtype;
            let value = self.convert(value::Number::Constant(constant), dtype, span)?;
            let kind = StatementKind::Assign { variable, value };
            Some(Statement { kind, span })
        });
        let constants: Vec<_> = constants.collect();
        constants.into_iter().chain(parts).collect()
    }

    /// The variables that hold blocks of the heap, by name and position.
    fn block_positions(&self) -> Vec<(String, usize)> {
        fn visit(ty: &LocalType, position: &mut usize, found: &mut Vec<usize>) {
            match ty {
                LocalType::Tuple(items) => {
                    for item in items {
                        visit(item, position, found);
                    }
                }
                LocalType::Object {
                    kind: value::ObjectKind::View { is_owned: true, .. },
                    parts,
                } => {
                    *position += parts;
                    found.push(*position - 1);
                }
                other => *position += other.variable_count(),
            }
        }
        let mut positions = Vec::new();
        for (name, local) in &self.locals {
            let mut found = Vec::new();
            visit(&local.ty, &mut 0, &mut found);
            positions.extend(found.into_iter().map(|position| (name.clone(), position)));
        }
        positions
    }

    /// Forgets what earlier walks reported, keeps what they learnt.
    fn start_walk(&mut self) {
        self.failure = Failure::default();
        self.has_changed = false;
        self.slots = 0;
        self.dims = self.item_dims.unwrap_or(1);
        self.before.clear();
        self.temporaries.clear();
        self.kept.clear();
        self.hidden = 0;
        self.slot_bounds.clear();
        self.slot_forms.clear();
        self.meeting = None;
        self.inlined_bodies = 0;
        self.return_with = None;
        self.return_without = None;
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // What is wrong in each round of a loop that is written out is said once.
        let is_known = !self.unrolling.rounds.is_empty() && self.failure.own.contains(&diagnostic);
        if !is_known {
            self.failure.own.push(diagnostic);
        }
    }

    fn new_slot(&mut self) -> SlotId {
        self.slots += 1;
        SlotId(self.slots - 1)
    }

    /// The variable for a name, with this dtype from now on.
    fn variable_id(&mut self, name: &str, position: usize, dtype: DType) -> VariableId {
        let next = VariableId(self.variables.len());
        let id = *self
            .variable_ids
            .entry((name.to_owned(), position))
            .or_insert(next);
        match self.variables.get_mut(id.0) {
            Some(variable) => variable.dtype = dtype,
            None => self.variables.push(Variable {
                name: name.to_owned(),
                dtype,
            }),
        }
        id
    }

    /// An expression that may be used several times: what it stands for is computed once.
    ///
    /// Returns what to write in its place, and the slot if one is needed.
    fn share(&mut self, value: Expression) -> (Expression, Option<(SlotId, Expression)>) {
        if value.is_trivial() {
            return (value, None);
        }
        let slot = self.new_slot();
        let reference = Expression::new(ExpressionKind::Slot(slot), value.dtype, value.span);
        (reference, Some((slot, value)))
    }

    /// Computes `value` once and makes an expression that can use it several times.
    fn with_shared(
        &mut self,
        value: Expression,
        body: impl FnOnce(&mut Self, Expression) -> Expression,
    ) -> Expression {
        let (reference, shared) = self.share(value);
        let body = body(self, reference);
        match shared {
            None => body,
            Some((slot, value)) => {
                let (dtype, span) = (body.dtype, body.span);
                let (value, body) = (Box::new(value), Box::new(body));
                Expression::new(ExpressionKind::Let { slot, value, body }, dtype, span)
            }
        }
    }

    fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.0]
    }

    /// The array declared by the call at `span`.
    fn declare_array(&mut self, span: Span, array: Array) -> ArrayId {
        let known = self.declared.entry(span).or_default();
        let is_equal = |id: &&ArrayId| self.arrays[id.0].is_declared_as(&array);
        if let Some(id) = known.iter().find(is_equal) {
            return *id;
        }
        let id = ArrayId(self.arrays.len());
        known.push(id);
        self.arrays.push(array);
        id
    }

    /// Calls a declared array by the first name it is assigned to.
    fn name_array(&mut self, id: ArrayId, name: &str) {
        let array = &mut self.arrays[id.0];
        if array.name.is_empty() {
            name.clone_into(&mut array.name);
        }
    }

    fn is_kernel(&self) -> bool {
        self.subject.is_kernel
    }

    /// Remembers that a dimension of the range is asked about.
    fn use_dimension(&mut self, dimension: u8) {
        self.dims = self.dims.max(dimension + 1);
    }
}
