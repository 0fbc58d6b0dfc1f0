//! What lowering does to whole modules: the output is core and valid, and core modules stay as they
//! are.

use super::*;
use crate::validate::{MAX_BLOCK_DEPTH, MAX_PRIVATE_BYTES, validate};
use crate::{
    AddressSpace, BinaryOperator, Block, DType, Expression, FunctionBuilder, Literal, MathFunction,
    Module, StatementKind, Type, UnaryOperator,
};

/// A kernel that stores what `compute` makes of two elements, and its module.
fn kernel(
    dtype: DType,
    result: DType,
    compute: impl FnOnce(
        &mut FunctionBuilder,
        Handle<Expression>,
        Handle<Expression>,
    ) -> Handle<Expression>,
) -> ValidModule {
    let mut f = FunctionBuilder::kernel("k", 1);
    let x = f.parameter("x", Type::pointer(dtype, AddressSpace::Global));
    let y = f.parameter("y", Type::pointer(dtype, AddressSpace::Global));
    let out = f.parameter("out", Type::pointer(result, AddressSpace::Global));
    let i = f.global_id(0);
    let (left, right) = (f.load(x, i), f.load(y, i));
    let value = compute(&mut f, left, right);
    f.store(out, i, value);
    let mut module = Module::new("m");
    f.finish(&mut module);
    validate(module).unwrap()
}

fn lowered(module: &ValidModule) -> LoweredModule {
    let lowered = lower(module).unwrap();
    assert!(is_core(&lowered), "{:#?}", *lowered);
    lowered
}

#[test]
fn every_binary_operator_becomes_core() {
    for operator in BinaryOperator::ALL {
        for dtype in DType::ALL {
            let Some(result) = operator.result(dtype) else {
                continue;
            };
            lowered(&kernel(dtype, result, |f, x, y| f.binary(operator, x, y)));
        }
    }
}

#[test]
fn every_unary_operator_becomes_core() {
    for operator in UnaryOperator::ALL {
        for dtype in DType::ALL {
            if let Some(result) = operator.result(dtype) {
                lowered(&kernel(dtype, result, |f, x, _| f.unary(operator, x)));
            }
        }
    }
}

#[test]
fn every_cast_becomes_core() {
    for from in DType::ALL {
        for to in DType::ALL {
            lowered(&kernel(from, to, |f, x, _| {
                f.expression(Expression::Cast { operand: x, to })
            }));
        }
    }
}

#[test]
fn every_function_becomes_core() {
    for &function in MathFunction::ALL {
        for dtype in DType::ALL {
            if function.result(dtype).is_none() {
                continue;
            }
            lowered(&kernel(dtype, dtype, |f, x, y| {
                f.math(function, &[x, y, x][..function.arity()])
            }));
        }
    }
}

#[test]
fn core_modules_are_given_back_unchanged() {
    let module = kernel(DType::F64, DType::F64, |f, x, y| {
        let x = f.bind("x", x);
        let product = f.multiply(x, x);
        f.add(product, y)
    });
    assert!(is_core(&module));
    let lowered = lower(&module).unwrap();
    let (handle, kernel) = module.function("k").unwrap();
    assert_eq!(lowered.functions[handle].body, kernel.body);
    assert_eq!(
        lowered.lowered(handle).parameters,
        [0, 1, 2].map(LoweredParameter::One)
    );
}

#[test]
fn shared_expressions_are_bound_once() {
    // Without binding this would be a tree of 2^13 nodes.
    let module = kernel(DType::F64, DType::F64, |f, x, _| {
        (0..13).fold(x, |sum, _| f.add(sum, sum))
    });
    let lowered = lowered(&module);
    let (_, kernel) = lowered.function("k").unwrap();
    let lets = kernel.body.statements.iter();
    let lets = lets.filter(|statement| matches!(statement.kind, StatementKind::Let { .. }));
    assert_eq!(lets.count(), 13);
}

#[test]
fn deep_expressions_stay_within_the_limits_of_validation() {
    for dtype in [DType::F16, DType::C64, DType::I32] {
        let module = kernel(dtype, dtype, |f, x, y| {
            (0..250).fold(x, |sum, round| match round % 3 {
                0 if dtype == DType::I32 => f.binary(BinaryOperator::FloorDivide, sum, y),
                0 => f.binary(BinaryOperator::Divide, sum, y),
                _ => f.add(sum, y),
            })
        });
        lowered(&module);
    }
}

#[test]
fn large_expressions_stay_within_the_limits_of_validation() {
    let module = kernel(DType::C128, DType::C128, |f, x, y| {
        (0..12).fold(x, |sum, _| {
            let again = f.add(sum, y);
            f.multiply(sum, again)
        })
    });
    lowered(&module);
}

#[test]
fn complex_parameters_become_pairs_with_names_of_their_own() {
    let mut f = FunctionBuilder::kernel("k", 1);
    let z = f.parameter("z", DType::C64.into());
    f.parameter("z_re", DType::I32.into());
    let out = f.parameter("out", Type::pointer(DType::C64, AddressSpace::Global));
    let i = f.global_id(0);
    f.store(out, i, z);
    let mut module = Module::new("m");
    let kernel = f.finish(&mut module);
    let lowered = lowered(&validate(module).unwrap());

    let function = lowered.lowered(kernel);
    let expected = [
        LoweredParameter::Pair {
            real: 0,
            imaginary: 1,
        },
        LoweredParameter::One(2),
        LoweredParameter::One(3),
    ];
    assert_eq!(function.parameters, expected);
    let parameters = &lowered.functions[function.function].parameters;
    let names: Vec<_> = parameters.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["z_re_", "z_im", "z_re", "out"]);
    let real = Type::pointer(DType::F32, AddressSpace::Global);
    assert_eq!(parameters[3].ty, real);
}

#[test]
fn library_functions_are_added_once_and_keep_clear_of_other_names() {
    let mut module = kernel(DType::I64, DType::I64, |f, x, y| {
        let power = f.binary(BinaryOperator::Power, x, y);
        f.binary(BinaryOperator::Power, y, power)
    })
    .into_module();
    FunctionBuilder::device("situ_pow_i64", None).finish(&mut module);
    let lowered = lowered(&validate(module).unwrap());
    let names: Vec<_> = lowered.functions.iter().collect();
    let names: Vec<_> = names.iter().map(|(_, item)| item.name.as_str()).collect();
    assert_eq!(names, ["situ_pow_i64_", "k", "situ_pow_i64"]);
}

#[test]
fn small_constant_powers_are_multiplications() {
    let module = kernel(DType::I32, DType::I32, |f, x, _| {
        let three = f.literal(Literal::I32(3));
        f.binary(BinaryOperator::Power, x, three)
    });
    assert_eq!(lowered(&module).functions.len(), 1);
}

#[test]
fn a_loop_condition_that_needs_statements_becomes_a_variable() {
    // As deep as blocks may be nested: the rewritten loop must not be deeper.
    let mut f = FunctionBuilder::kernel("k", 1);
    let n = f.variable("n", DType::I64);
    let now = f.get(n);
    let (two, three) = (f.index(2), f.index(3));
    let remainder = f.binary(BinaryOperator::Modulo, now, three);
    let condition = f.binary(BinaryOperator::NotEqual, remainder, two);
    let repeat = |body, step| StatementKind::Loop {
        condition: Some(condition),
        body,
        step,
    };
    let mut inner = Block::default();
    for _ in 1..MAX_BLOCK_DEPTH {
        let step = f.block(|f| {
            let (now, one) = (f.get(n), f.index(1));
            let next = f.add(now, one);
            f.assign(n, next);
        });
        inner = f.block(|f| f.statement(repeat(inner, step)));
    }
    for statement in inner.statements {
        f.statement(statement.kind);
    }
    let mut module = Module::new("m");
    f.finish(&mut module);
    let lowered = lowered(&validate(module).unwrap());
    let (_, kernel) = lowered.function("k").unwrap();
    let StatementKind::Loop {
        condition: Some(condition),
        step,
        ..
    } = &kernel.body.statements.last().unwrap().kind
    else {
        panic!("the loop is the last statement");
    };
    let Expression::Variable(goes_on) = kernel.expressions[*condition] else {
        panic!("the condition is a variable");
    };
    let last = &step.statements.last().unwrap().kind;
    assert!(matches!(last, StatementKind::Assign { variable, .. } if *variable == goes_on));
    assert!(matches!(
        step.statements[0].kind,
        StatementKind::Assign { .. }
    ));
}

#[test]
fn results_of_calls_may_exceed_the_limit_of_private_memory() {
    let mut module = Module::new("m");
    let mut f = FunctionBuilder::device("same", Some(DType::C128));
    let z = f.parameter("z", DType::C128.into());
    f.return_(Some(z));
    let same = f.finish(&mut module);
    let mut f = FunctionBuilder::kernel("k", 1);
    let out = f.parameter("out", Type::pointer(DType::C128, AddressSpace::Global));
    let own = f.array("own", DType::U8, MAX_PRIVATE_BYTES, AddressSpace::Private);
    let zero = f.index(0);
    let byte = f.literal(Literal::U8(1));
    f.store(own, zero, byte);
    let element = f.load(out, zero);
    let result = f.call(&module, same, &[element]).unwrap();
    f.store(out, zero, result);
    f.finish(&mut module);
    lowered(&validate(module).unwrap());
}
