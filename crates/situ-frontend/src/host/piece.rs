//! A piece of a host function that works with numbers and elements of arrays only, compiled.
//!
//! A piece is compiled as a function of the names it reads, which returns the names it assigns, and a kernel of one
//! work-item around it that stores what it returns. So everything that kernels can do is possible here, and the host
//! runs what every device runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use situ_ir::{AddressSpace, DType, Source, Span, ValidModule};

use crate::environment::{Binding, Bindings, DeviceFunction, Environment, KnownModule};
use crate::error::{Error, Refusal};
use crate::host::element_loops::{LEN, MAXIMUM, MINIMUM, RANGE};
use crate::host::index_loops::with_index_loops;
use crate::host::parallel_rounds::{MADE_FUNCTIONS, with_parallel_rounds};
use crate::host::wording::in_host_words;
use crate::infer::elements::{HEAP_FUNCTIONS, HEAP_SOURCE, SizeBound, heap_name, place_name};
use crate::infer::value::{LocalType, ObjectKind};
use crate::infer::{Inferred, ParameterType, Program, Subject, infer};
use crate::lower::{Usage, lower};
use crate::message::Messages;
use crate::plan::{Layout, ParameterPlan};
use crate::specialize::{Options, validated};
use crate::stack::with_stack;
use crate::syntax::{
    Constant, Expression, ExpressionKind, Function, Identifier, Statement, StatementKind,
};
use crate::typed;

/// The type of a value that goes into a piece or comes out of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// A number.
    Number(DType),
    /// An array, of which elements are read and written in place.
    Array {
        /// What its elements are.
        dtype: DType,
        /// How many dimensions it has.
        ndim: usize,
        /// How its elements lie in memory.
        layout: Layout,
    },
    /// Several values.
    Tuple(Vec<ValueType>),
    /// What a function without `return` gives.
    Nothing,
}

/// Sizes of arrays, each by name and axis, that are known to be the same as another one.
pub type SameSizes = BTreeMap<(String, usize), (String, usize)>;

/// What is to be compiled.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    /// Where it is written.
    pub source: &'a Source,
    /// The function it is a piece of.
    pub function: &'a Function,
    /// The names it reads, and what they are.
    pub parameters: Vec<(String, ValueType)>,
    /// What it does; `return` gives the result.
    pub body: Vec<Statement>,
    /// Sizes of parameters that are the same as another, and which.
    pub same_sizes: SameSizes,
}

/// A compiled piece.
#[derive(Clone, Debug)]
pub struct CompiledPiece {
    /// The IR.
    pub module: ValidModule,
    /// The kernel's name in the module.
    pub kernel: String,
    /// How arguments become its IR parameters: an array of one element for each number that it
    /// returns, then the numbers and arrays of the parameters from left to right.
    pub plan: ParameterPlan,
    /// What it may say.
    pub messages: Messages,
    /// What it returns.
    pub result: ValueType,
    /// The dtypes of the numbers in it, from left to right. An array is so many `int64`s: where its first element is,
    /// its shape, its strides and its block. Places are counted in elements from the start of the heap.
    pub outputs: Vec<DType>,
    /// What is passed after the parameters, if array expressions are written out.
    pub memory: PieceMemory,
}

/// What a piece needs to make arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PieceMemory {
    /// Names of parameters that are arrays. The place of each is passed, counted in elements from the start of the heap.
    pub places: Vec<String>,
    /// The dtypes in which the heap is passed, each as an array.
    pub heaps: Vec<DType>,
    /// How many elements its array expressions may have: each is a product of sizes.
    pub sizes: BTreeSet<Vec<SizeBound>>,
    /// How many products of numbers its products of matrices may have, likewise.
    pub products: BTreeSet<Vec<SizeBound>>,
}

/// Compiles a piece.
///
/// # Errors
/// Everything in it that compiled code cannot do.
pub fn compile_piece(
    piece: Piece<'_>,
    environment: &Environment,
    options: Options,
) -> Result<CompiledPiece, Error> {
    let Wrapped {
        compiled,
        result,
        outputs,
        memory,
    } = with_stack(|| compile_wrapped(piece, None, environment, options))?;
    Ok(CompiledPiece {
        memory,
        module: compiled.module,
        kernel: compiled.kernel,
        plan: compiled.plan,
        messages: compiled.messages,
        result,
        outputs,
    })
}

/// A piece in the kernel around it.
pub(super) struct Wrapped {
    pub(super) compiled: CompiledKernel,
    /// What it returns, and the dtypes of the numbers in that.
    pub(super) result: ValueType,
    pub(super) outputs: Vec<DType>,
    pub(super) memory: PieceMemory,
}

/// Compiles a piece and the kernel around it, which passes `item` as the first argument, if there is one, and stores
/// results at that index.
pub(super) fn compile_wrapped(
    piece: Piece<'_>,
    item: Option<Expression>,
    environment: &Environment,
    options: Options,
) -> Result<Wrapped, Error> {
    let environment = &with_made_names(environment, options);
    let name = piece.function.name.name.clone();
    let span = piece.body.first().map_or(Span::NONE, |first| first.span);
    let mut given = piece.parameters;
    let mut memory = PieceMemory::default();
    if options.writes_out_arrays() {
        memory = all_memory(&given);
        given.extend(memory.parameters());
    }
    let body = if options.writes_out_arrays() {
        with_parallel_rounds(piece.body, piece.function, environment, piece.source)?
    } else {
        piece.body
    };
    let (mut names, mut types): (Vec<_>, Vec<_>) = given.into_iter().unzip();
    let mut inner = Function {
        name: identifier(&name, span),
        positional: names.len(),
        is_variadic: false,
        parameters: names.iter().map(|name| identifier(name, span)).collect(),
        defaults: Vec::new(),
        first_annotation: None,
        body: with_index_loops(body),
        span,
    };
    let parameters: Vec<ParameterType> = types.iter().map(parameter_type).collect();
    let Found {
        result,
        unused,
        sizes,
        products,
    } = result_of(
        &inner,
        (&parameters, &piece.same_sizes),
        piece.source,
        environment,
        options,
    )?;
    memory.sizes = sizes;
    memory.products = products;
    // Only dtypes that are used are passed.
    memory
        .heaps
        .retain(|dtype| !unused.contains(&heap_name(*dtype)));
    for name in unused {
        if let Some(position) = names.iter().position(|other| *other == name) {
            names.remove(position);
            types.remove(position);
            inner.parameters.remove(position);
            inner.positional -= 1;
        }
    }
    let mut outputs = Vec::new();
    numbers(&result, &mut outputs);

    let passed = &types[usize::from(item.is_some())..];
    let wrapper = wrapper(inner, passed, &result, item);
    let mut leaves: Vec<ParameterType> = outputs.iter().map(|dtype| output(*dtype)).collect();
    for ty in passed {
        flatten(ty, &mut leaves);
    }
    let compiled = compile_kernel(
        &wrapper,
        (&leaves, &piece.same_sizes),
        piece.source,
        environment,
        options,
    )?;
    Ok(Wrapped {
        compiled,
        result,
        outputs,
        memory,
    })
}

impl PieceMemory {
    /// Whether a piece without array expressions has it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The parameters that it is passed as.
    fn parameters(&self) -> impl Iterator<Item = (String, ValueType)> {
        let places = self.places.iter();
        let places = places.map(|name| (place_name(name), ValueType::Number(DType::I64)));
        let heaps = self.heaps.iter().map(|dtype| {
            let ty = ValueType::Array {
                dtype: *dtype,
                ndim: 1,
                layout: Layout::Contiguous,
            };
            (heap_name(*dtype), ty)
        });
        places.chain(heaps)
    }
}

/// Everything that a piece with these parameters may need.
fn all_memory(parameters: &[(String, ValueType)]) -> PieceMemory {
    let places = parameters.iter().filter_map(|(name, ty)| match ty {
        ValueType::Array { .. } => Some(name.clone()),
        _ => None,
    });
    PieceMemory {
        places: places.collect(),
        heaps: DType::ALL.to_vec(),
        ..PieceMemory::default()
    }
}

/// What names stand for around code of which parts are written out.
fn with_made_names(environment: &Environment, options: Options) -> Environment {
    let mut environment = environment.clone();
    if options.writes_out_arrays() {
        let source = Source::new("heap", HEAP_SOURCE);
        for name in HEAP_FUNCTIONS {
            let binding = Binding::DeviceFunction(environment.functions.len());
            environment.bindings.insert(name.to_owned(), binding);
            environment.functions.push(DeviceFunction {
                name: name.to_owned(),
                source: source.clone(),
                bindings: Bindings::default(),
                defaults: Vec::new(),
            });
        }
        for name in MADE_FUNCTIONS {
            let binding = Binding::Function(KnownModule::Situ, name.to_owned());
            environment.bindings.insert(name.to_owned(), binding);
        }
    }
    for (name, module, function) in [
        (RANGE, KnownModule::Builtins, "range"),
        (LEN, KnownModule::Builtins, "len"),
        (MINIMUM, KnownModule::NumPy, "minimum"),
        (MAXIMUM, KnownModule::NumPy, "maximum"),
    ] {
        let binding = Binding::Function(module, function.to_owned());
        environment.bindings.insert(name.to_owned(), binding);
    }
    environment
}

/// What is found out about a piece before the kernel around it is made.
struct Found {
    /// What it returns.
    result: ValueType,
    /// Parameters that are memory, and that it does not use.
    unused: Vec<String>,
    /// How far its loops over elements may count, and the sizes of its products.
    sizes: BTreeSet<Vec<SizeBound>>,
    products: BTreeSet<Vec<SizeBound>>,
}

/// What is to be known of a function, given what it is called with.
fn result_of(
    function: &Function,
    (parameters, same_sizes): (&[ParameterType], &SameSizes),
    source: &Source,
    environment: &Environment,
    options: Options,
) -> Result<Found, Error> {
    let mut program = Program::new(environment, source, options);
    program.same_sizes.clone_from(same_sizes);
    program.title.clone_from(&function.name.name);
    let subject = Subject {
        syntax: function,
        bindings: &environment.bindings,
        source,
        parameters,
        is_kernel: false,
        has_kernel_source: true,
    };
    let inferred = infer(&mut program, subject);
    let Inferred {
        result,
        function: typed,
    } = inferred
        .map_err(|failure| in_host_words(Refusal::new(&function.name.name, source, failure)))?;
    let usage = Usage::of(&typed);
    let heaps = DType::ALL.iter().map(|dtype| heap_name(*dtype));
    let mut returned = BTreeSet::new();
    if let Some(result) = &result {
        returned_arrays(result, &mut returned);
    }
    let is_used = |name: &String| {
        let is_it = |(id, array): (usize, &typed::Array)| {
            let id = typed::ArrayId(id);
            array.name == *name && (usage.uses(&typed, id) || returned.contains(&id))
        };
        typed.arrays.iter().enumerate().any(is_it)
    };
    let unused = heaps.filter(|name| !is_used(name)).collect();
    let result = result.map_or(ValueType::Nothing, |result| value_type(&result, &typed));
    Ok(Found {
        result,
        unused,
        sizes: program.size_bounds,
        products: program.product_bounds,
    })
}

/// The arrays that a result is part of.
fn returned_arrays(result: &LocalType, found: &mut BTreeSet<typed::ArrayId>) {
    match result {
        LocalType::Tuple(items) => items.iter().for_each(|item| returned_arrays(item, found)),
        LocalType::Object {
            kind: ObjectKind::View { array, .. },
            ..
        } => {
            found.insert(*array);
        }
        _ => {}
    }
}

/// A kernel made of a function that is no text.
pub(super) struct CompiledKernel {
    pub(super) module: ValidModule,
    pub(super) kernel: String,
    pub(super) plan: ParameterPlan,
    pub(super) messages: Messages,
}

/// Compiles a kernel.
pub(super) fn compile_kernel(
    kernel: &Function,
    (parameters, same_sizes): (&[ParameterType], &SameSizes),
    source: &Source,
    environment: &Environment,
    options: Options,
) -> Result<CompiledKernel, Error> {
    let name = &kernel.name.name;
    let mut program = Program::new(environment, source, options);
    program.same_sizes.clone_from(same_sizes);
    program.title.clone_from(name);
    let subject = Subject {
        syntax: kernel,
        bindings: &environment.bindings,
        source,
        parameters,
        is_kernel: true,
        has_kernel_source: true,
    };
    let Inferred { function, .. } = infer(&mut program, subject)
        .map_err(|failure| in_host_words(Refusal::new(name, source, failure)))?;
    let lowered = lower(&program, &function, source);
    let module = validated(lowered.module, &lowered.plan, name, options)?;
    Ok(CompiledKernel {
        module,
        kernel: lowered.kernel,
        plan: lowered.plan,
        messages: Messages {
            has_report: function.report.is_some(),
            list: lowered.messages,
        },
    })
}

/// The kernel around a piece: it calls the piece and stores what that returns.
fn wrapper(
    inner: Function,
    types: &[ValueType],
    result: &ValueType,
    item: Option<Expression>,
) -> Function {
    let span = inner.span;
    let name = inner.name.clone();
    let mut parameters = Vec::new();
    let zero = expression(ExpressionKind::Constant(Constant::Int(0)), span);
    let index = item.clone().unwrap_or(zero);
    let target = target(result, &index, &mut parameters);
    let mut count = 0;
    let arguments = types
        .iter()
        .map(|ty| argument(ty, &mut count, &mut parameters, span));
    let arguments = item.into_iter().chain(arguments).collect();
    let call = expression(
        ExpressionKind::Call {
            function: Box::new(named(PIECE, span)),
            arguments,
            keywords: Vec::new(),
        },
        span,
    );
    let call = match target {
        Some(target) => StatementKind::Assign {
            targets: vec![target],
            value: call,
        },
        None => StatementKind::Expression(call),
    };
    let definition = StatementKind::Function(Arc::new(Function {
        name: identifier(PIECE, span),
        ..inner
    }));
    let body = [definition, call]
        .into_iter()
        .map(|kind| Statement { kind, span })
        .collect();
    Function {
        name,
        positional: parameters.len(),
        is_variadic: false,
        parameters,
        defaults: Vec::new(),
        first_annotation: None,
        body,
        span,
    }
}

/// What the piece is called in the kernel around it. No user's name looks like this.
const PIECE: &str = "situ__piece";

/// Where a result is stored: an element of a parameter for each number; `None` for nothing.
fn target(
    result: &ValueType,
    index: &Expression,
    parameters: &mut Vec<Identifier>,
) -> Option<Expression> {
    let span = index.span;
    match result {
        ValueType::Array { ndim, .. } => {
            let parts = (0..array_parts(*ndim)).map(|_| ValueType::Number(DType::I64));
            target(&ValueType::Tuple(parts.collect()), index, parameters)
        }
        ValueType::Number(_) => {
            let name = format!("situ__out{}", parameters.len());
            parameters.push(identifier(&name, span));
            let kind = ExpressionKind::Subscript {
                value: Box::new(named(&name, span)),
                indices: vec![index.clone()],
            };
            Some(expression(kind, span))
        }
        ValueType::Tuple(items) => {
            let targets = items.iter();
            let targets = targets.filter_map(|item| target(item, index, parameters));
            let targets = targets.collect();
            Some(expression(ExpressionKind::Tuple(targets), span))
        }
        ValueType::Nothing => None,
    }
}

/// What is passed for a value, in terms of the kernel's parameters.
fn argument(
    ty: &ValueType,
    count: &mut usize,
    parameters: &mut Vec<Identifier>,
    span: Span,
) -> Expression {
    if let ValueType::Tuple(items) = ty {
        let items = items.iter();
        let items = items.map(|item| argument(item, count, parameters, span));
        return expression(ExpressionKind::Tuple(items.collect()), span);
    }
    let name = format!("situ__in{count}");
    *count += 1;
    parameters.push(identifier(&name, span));
    named(&name, span)
}

fn parameter_type(ty: &ValueType) -> ParameterType {
    match ty {
        ValueType::Number(dtype) => ParameterType::Scalar(*dtype),
        ValueType::Array {
            dtype,
            ndim,
            layout,
        } => ParameterType::Array {
            dtype: *dtype,
            ndim: *ndim,
            layout: *layout,
            space: AddressSpace::Global,
        },
        ValueType::Tuple(items) => ParameterType::Tuple(items.iter().map(parameter_type).collect()),
        ValueType::Nothing => ParameterType::Tuple(Vec::new()),
    }
}

/// The numbers and arrays of a type from left to right.
fn flatten(ty: &ValueType, leaves: &mut Vec<ParameterType>) {
    match ty {
        ValueType::Tuple(items) => items.iter().for_each(|item| flatten(item, leaves)),
        ValueType::Nothing => {}
        leaf => leaves.push(parameter_type(leaf)),
    }
}

/// How many numbers an array is that a piece returns.
fn array_parts(ndim: usize) -> usize {
    2 * ndim + 2
}

fn value_type(ty: &LocalType, function: &typed::Function) -> ValueType {
    match ty {
        LocalType::Scalar(dtype) => ValueType::Number(*dtype),
        LocalType::Tuple(items) => {
            let items = items.iter().map(|item| value_type(item, function));
            ValueType::Tuple(items.collect())
        }
        LocalType::Object {
            kind:
                ObjectKind::View {
                    array,
                    ndim,
                    is_owned: true,
                    ..
                },
            ..
        } => ValueType::Array {
            dtype: function.arrays[array.0].dtype,
            ndim: *ndim,
            layout: Layout::Strided,
        },
        LocalType::Constant(_) | LocalType::Static(_) | LocalType::Object { .. } => {
            ValueType::Nothing
        }
    }
}

fn numbers(ty: &ValueType, dtypes: &mut Vec<DType>) {
    match ty {
        ValueType::Number(dtype) => dtypes.push(*dtype),
        ValueType::Tuple(items) => items.iter().for_each(|item| numbers(item, dtypes)),
        ValueType::Array { ndim, .. } => {
            dtypes.extend(vec![DType::I64; array_parts(*ndim)]);
        }
        ValueType::Nothing => {}
    }
}

/// An array of one number that is stored.
pub(super) fn output(dtype: DType) -> ParameterType {
    ParameterType::Array {
        dtype,
        ndim: 1,
        layout: Layout::Contiguous,
        space: AddressSpace::Global,
    }
}

pub(super) fn identifier(name: &str, span: Span) -> Identifier {
    let name = name.to_owned();
    Identifier { name, span }
}

pub(super) fn expression(kind: ExpressionKind, span: Span) -> Expression {
    Expression { kind, span }
}

pub(super) fn named(name: &str, span: Span) -> Expression {
    expression(ExpressionKind::Name(name.to_owned()), span)
}
