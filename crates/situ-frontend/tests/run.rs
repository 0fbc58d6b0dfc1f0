//! Kernels that run on the interpreter, with the numbers Python and NumPy would give.

mod harness;

use harness::Case;
use situ_frontend::{ArgumentPart, ArgumentType};
use situ_ir::interpret::{Argument, Options, interpret};
use situ_ir::{DType, Literal, NdRange};

/// What a launch passes for one parameter.
enum Data {
    Array {
        values: Vec<f64>,
        shape: Vec<i64>,
        strides: Vec<i64>,
    },
    Scalar(f64),
}

fn array(values: &[f64]) -> Data {
    matrix(values, &[values.len() as i64])
}

fn matrix(values: &[f64], shape: &[i64]) -> Data {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    Data::Array {
        values: values.to_vec(),
        shape: shape.to_vec(),
        strides,
    }
}

/// Compiles a kernel and runs it over a range; gives the arrays as they are afterwards.
fn run(text: &str, range: &NdRange, data: &[Data]) -> Vec<Vec<f64>> {
    let case = Case::new("test.py", text);
    let compiled = case.compile().unwrap_or_else(|error| panic!("{error}"));
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    for (data, ty) in data.iter().zip(&case.types) {
        let mut bytes = Vec::new();
        if let (Data::Array { values, .. }, ArgumentType::Array { dtype, .. }) = (data, ty) {
            for value in values {
                let mut element = vec![0; dtype.size_bytes()];
                Literal::from_f64(*dtype, *value).write_bytes(&mut element);
                bytes.extend(element);
            }
        }
        buffers.push(bytes);
    }
    let arguments: Vec<_> = compiled
        .plan
        .parameters
        .iter()
        .map(|planned| match (&data[planned.argument], planned.part) {
            (Data::Array { .. }, ArgumentPart::Pointer) => Argument::Pointer {
                buffer: planned.argument,
                offset_bytes: 0,
            },
            (Data::Array { shape, .. }, ArgumentPart::Shape(axis)) => {
                Argument::Scalar(Literal::I64(shape[axis]))
            }
            (Data::Array { strides, .. }, ArgumentPart::Stride(axis)) => {
                Argument::Scalar(Literal::I64(strides[axis]))
            }
            (Data::Scalar(value), ArgumentPart::Scalar) => {
                let ArgumentType::Scalar(dtype) = case.types[planned.argument] else {
                    panic!("a scalar for an array");
                };
                Argument::Scalar(Literal::from_f64(dtype, *value))
            }
            _ => panic!("the plan asks for what the argument does not have"),
        })
        .collect();
    let mut slices: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
    interpret(
        &compiled.module,
        &compiled.kernel,
        range,
        &arguments,
        &mut slices,
        &Options::default(),
    )
    .unwrap_or_else(|error| panic!("{error}"));
    case.types
        .iter()
        .zip(buffers)
        .map(|(ty, bytes)| match ty {
            ArgumentType::Array { dtype, .. } => elements(*dtype, &bytes),
            ArgumentType::Scalar(_) | ArgumentType::Local { .. } | ArgumentType::Item(_) => {
                Vec::new()
            }
        })
        .collect()
}

fn elements(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    let size = dtype.size_bytes();
    bytes
        .chunks(size)
        .map(
            |bytes| match Literal::from_bytes(dtype, bytes).expect("a whole element") {
                Literal::Bool(value) => f64::from(u8::from(value)),
                Literal::I8(value) => f64::from(value),
                Literal::I32(value) => f64::from(value),
                Literal::I64(value) => value as f64,
                Literal::U8(value) => f64::from(value),
                Literal::U64(value) => value as f64,
                Literal::F32(value) => f64::from(value),
                Literal::F64(value) => value,
                other => panic!("no test reads {other:?}"),
            },
        )
        .collect()
}

fn line(count: u64) -> NdRange {
    NdRange::new(&[count]).expect("a countable range")
}

/// The body of a function.
fn indented(body: &str) -> String {
    body.lines().flat_map(|line| ["    ", line, "\n"]).collect()
}

/// Runs `body` once, as the body of a kernel that writes `out[0]`, `out[1]`, …
fn results(types: &str, names: &str, body: &str, data: Vec<Data>, count: usize) -> Vec<f64> {
    let body = indented(body);
    let text =
        format!("# types: float64[:], {types}\n@situ.kernel\ndef kernel(out, {names}):\n{body}");
    let mut all = vec![array(&vec![0.0; count])];
    all.extend(data);
    run(&text, &line(1), &all).swap_remove(0)
}

#[test]
fn matmul_over_two_dimensions_with_strides() {
    let text = "\
# types: float64[:, :], float64[:, :] strided, float64[:, :]
@situ.kernel
def matmul(a, b, c):
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    total = 0.0
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total
";
    // `b` is the transpose of [[1, 2], [3, 4], [5, 6]].
    let b = Data::Array {
        values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        shape: vec![2, 3],
        strides: vec![1, 2],
    };
    let a = matrix(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    let c = matrix(&[0.0; 6], &[2, 3]);
    let range = NdRange::new(&[2, 3]).unwrap();
    let results = run(text, &range, &[a, b, c]);
    assert_eq!(results[2], [5.0, 11.0, 17.0, 11.0, 25.0, 39.0]);
}

#[test]
fn integer_division_and_modulo_are_pythons() {
    let body = "\
out[0] = x // y
out[1] = x % y
out[2] = -x // y
out[3] = -x % y
out[4] = x / y
out[5] = x // 0
q, r = divmod(-x, -y)
out[6] = q
out[7] = r";
    let data = vec![Data::Scalar(7.0), Data::Scalar(2.0)];
    let found = results("int64, int64", "x, y", body, data, 8);
    assert_eq!(found, [3.0, 1.0, -4.0, 1.0, 3.5, 0.0, 3.0, -1.0]);
}

#[test]
fn powers_follow_python_and_numba() {
    let body = "\
out[0] = x ** 3
out[1] = x ** -1
out[2] = x ** y
out[3] = f ** 2
out[4] = f ** 0.5
out[5] = 2 ** x
out[6] = 2 ** -1";
    let data = vec![Data::Scalar(2.0), Data::Scalar(-2.0), Data::Scalar(2.25)];
    let found = results("int64, int64, float64", "x, y, f", body, data, 7);
    assert_eq!(found, [8.0, 0.5, 0.0, 5.0625, 1.5, 4.0, 0.5]);
}

#[test]
fn python_numbers_take_the_dtype_they_meet() {
    // In float32, 0.1 is not the double 0.1; in uint8, 200 + 100 wraps.
    let body = "\
out[0] = f + 0.1
out[1] = u + 100
out[2] = u > 300
out[3] = u > -1
out[4] = u * 1.0";
    let data = vec![Data::Scalar(0.0), Data::Scalar(200.0)];
    let found = results("float32, uint8", "f, u", body, data, 5);
    assert_eq!(found, [f64::from(0.1_f32), 44.0, 0.0, 1.0, 200.0]);
}

#[test]
fn a_variable_has_one_dtype() {
    let body = "\
x = 1
out[0] = x / 2
x = x + 0.5
out[1] = x
total = 0
for i in range(3):
    total += f
out[2] = total";
    let data = vec![Data::Scalar(0.25)];
    assert_eq!(results("float32", "f", body, data, 3), [0.5, 1.5, 0.75]);
}

#[test]
fn loops_count_like_range() {
    let body = "\
total = 0
for i in range(10, 0, -3):
    total += i
out[0] = total
total = 0
for i in range(2, n, step):
    if i == 5:
        continue
    if i > 9:
        break
    total += i
    i = 100
out[1] = total
for i in range(3):
    n += 1
out[2] = n
out[3] = i
for i in range(0, 5, 0 * step):
    out[0] = -1
while n > 0:
    n -= 2
    if n == 4:
        break
out[4] = n";
    let data = vec![Data::Scalar(11.0), Data::Scalar(1.0)];
    let found = results("int64, int64", "n, step", body, data, 5);
    assert_eq!(found, [22.0, 39.0, 14.0, 2.0, 4.0]);
}

#[test]
fn the_end_of_a_range_is_evaluated_once() {
    let body = "\
count = 0
for i in range(n):
    n = 0
    count += 1
out[0] = count";
    assert_eq!(
        results("int64", "n", body, vec![Data::Scalar(4.0)], 1),
        [4.0]
    );
}

#[test]
fn logical_operators_stop_early_and_give_operands() {
    // Reading `a[9]` would be an error of the interpreter.
    let body = "\
out[0] = n < 0 and a[9] > 0
out[1] = n > 0 or a[9] > 0
out[2] = a[0] or 7
out[3] = a[1] and 7
out[4] = 5 if n > 0 else a[9]
out[5] = 0 < n < 3 and not n == 1
if n > 5 and a[9] == 0 or n == 2:
    out[6] = 1
while n < 0 or a[n] > 0:
    n -= 1
out[7] = n";
    let data = vec![array(&[0.0, 3.0, 1.0]), Data::Scalar(2.0)];
    let found = results("int64[:], int64", "a, n", body, data, 8);
    assert_eq!(found, [0.0, 1.0, 7.0, 7.0, 5.0, 1.0, 1.0, 0.0]);
}

#[test]
fn tuple_assignment_swaps() {
    let body = "\
i, j = 1, 2
i, j = j, i + j
out[0] = i
out[1] = j
a[0], a[1] = a[1], a[0]
out[2] = a[0] - a[1]
x = y = a[0] + 1
out[3] = x + y";
    let found = results("float64[:]", "a", body, vec![array(&[1.0, 5.0])], 4);
    assert_eq!(found, [2.0, 3.0, 4.0, 12.0]);
}

#[test]
fn functions_of_python_follow_python() {
    let body = "\
out[0] = round(2.5) + round(f)
out[1] = int(-f)
out[2] = min(3, n, 1.5)
out[3] = max(n, f)
out[4] = abs(-n)
out[5] = math.floor(-f) + math.ceil(f) + math.trunc(-f)
out[6] = len(out)
out[7] = bool(n) + bool(0)
out[8] = pow(n, 2) + float(n)";
    let data = vec![Data::Scalar(2.0), Data::Scalar(3.5)];
    let found = results("int64, float64", "n, f", body, data, 9);
    assert_eq!(found, [6.0, -3.0, 1.5, 3.5, 2.0, -3.0, 9.0, 1.0, 6.0]);
}

#[test]
fn min_and_max_treat_nan_like_python_and_minimum_like_numpy() {
    let body = "\
nan = f - f
out[0] = min(1.0, nan)
out[1] = np.isnan(min(nan, 1.0))
out[2] = np.isnan(np.minimum(1.0, nan))
out[3] = np.fmin(1.0, nan)
out[4] = np.isnan(np.sign(nan))
out[5] = np.sign(-3.0) + np.sign(0)";
    let data = vec![Data::Scalar(f64::INFINITY)];
    assert_eq!(
        results("float64", "f", body, data, 6),
        [1.0, 1.0, 1.0, 1.0, 1.0, -1.0]
    );
}

#[test]
fn signed_and_unsigned_integers_compare_exactly() {
    let body = "\
out[0] = s < u
out[1] = u > s
out[2] = s == u
out[3] = u <= s
out[4] = s != u";
    // As float64 both would be 2 ** 63.
    let case = "# types: float64[:], int64, uint64\n@situ.kernel\ndef kernel(out, s, u):\n";
    let body = indented(body);
    let text = format!("{case}{body}");
    let values = |s, u| {
        let data = [array(&[0.0; 5]), Data::Scalar(s), Data::Scalar(u)];
        run(&text, &line(1), &data).swap_remove(0)
    };
    assert_eq!(values(-1.0, 1.0), [1.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(
        values(i64::MAX as f64, 2_f64.powi(63)),
        [1.0, 1.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(values(5.0, 5.0), [0.0, 0.0, 1.0, 1.0, 0.0]);
}

#[test]
fn constant_negative_indices_count_from_the_end() {
    let body = "\
out[-1] = a[-1]
out[0] = a[-3]";
    let found = results("int64[:]", "a", body, vec![array(&[4.0, 5.0, 6.0])], 2);
    assert_eq!(found, [4.0, 6.0]);
}

#[test]
fn augmented_assignment_evaluates_indices_once() {
    let text = "\
# types: int32[:], int32[:]
@situ.device_func
def next_place(counter):
    counter[0] = counter[0] + 1
    return counter[0]

@situ.kernel
def kernel(a, counter):
    a[next_place(counter)] += 10
";
    let results = run(text, &line(1), &[array(&[1.0, 2.0, 3.0]), array(&[0.0])]);
    assert_eq!(results[0], [1.0, 12.0, 3.0]);
    assert_eq!(results[1], [1.0]);
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    let text = "\
# types: int32[:], int32[:]
@situ.device_func
def double(a):
    a[0] = a[0] * 2
    return a[0]

@situ.kernel
def kernel(out, a):
    out[0] = a[0] + double(a)
    out[1] = double(a) - a[0]
";
    let results = run(text, &line(1), &[array(&[0.0, 0.0]), array(&[5.0])]);
    assert_eq!(results[0], [15.0, 0.0]);
}

#[test]
fn device_functions_take_local_and_private_arrays() {
    let text = "\
# types: float32[:], float32[:]
@situ.device_func
def total(a):
    result = 0.0
    for i in range(len(a)):
        result += a[i]
    return result

@situ.kernel
def sums(x, out):
    tile = situ.local.array(4, situ.float32)
    mine = situ.private.array(2, x.dtype)
    i = situ.get_local_id(0)
    tile[i] = x[situ.get_global_id(0)]
    mine[0] = tile[i]
    mine[1] = 100
    situ.barrier()
    out[situ.get_global_id(0)] = total(tile) + total(mine)
";
    let range = NdRange::with_local(&[8], &[4]).unwrap();
    let x = array(&[1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0]);
    let results = run(text, &range, &[x, array(&[0.0; 8])]);
    assert_eq!(
        results[1],
        [111.0, 112.0, 113.0, 114.0, 210.0, 220.0, 230.0, 240.0]
    );
}

#[test]
fn barriers_in_uniform_loops_reduce_a_group() {
    let text = "\
# types: float32[:], float32[:]
# constant: SIZE = 8
@situ.kernel
def reduce(x, out):
    tile = situ.local.array(SIZE, situ.float32)
    i = situ.get_local_id(0)
    tile[i] = x[situ.get_global_id(0)]
    situ.barrier()
    step = SIZE // 2
    while step > 0:
        if i < step:
            tile[i] += tile[i + step]
        situ.barrier()
        step //= 2
    if i == 0:
        out[situ.get_group_id(0)] = tile[0]
";
    let range = NdRange::with_local(&[16], &[8]).unwrap();
    let x: Vec<f64> = (0..16).map(f64::from).collect();
    let results = run(text, &range, &[array(&x), array(&[0.0; 2])]);
    assert_eq!(results[1], [28.0, 92.0]);
}

#[test]
fn atomics_count_every_work_item() {
    let text = "\
# types: int32[:], float32[:]
@situ.kernel
def count(counts, highest):
    i = situ.get_global_id(0)
    situ.atomic.add(counts, i % 2, 1)
    old = situ.atomic.max(highest, 0, i)
    if old > 1000:
        situ.atomic.store(counts, 0, -1)
";
    let results = run(text, &line(101), &[array(&[0.0; 2]), array(&[0.0])]);
    assert_eq!(results[0], [51.0, 50.0]);
    assert_eq!(results[1], [100.0]);
}

#[test]
fn three_dimensions_are_row_major() {
    let text = "\
# types: int64[:, :, :]
@situ.kernel
def number(a):
    i, j, k = situ.get_global_id(0), situ.get_global_id(1), situ.get_global_id(2)
    a[i, j, k] = 100 * i + 10 * j + k
";
    let range = NdRange::new(&[2, 2, 2]).unwrap();
    let results = run(text, &range, &[matrix(&[0.0; 8], &[2, 2, 2])]);
    assert_eq!(
        results[0],
        [0.0, 1.0, 10.0, 11.0, 100.0, 101.0, 110.0, 111.0]
    );
}

#[test]
fn complex_numbers_keep_their_parts() {
    let text = "\
# types: float64[:], float64
@situ.kernel
def kernel(out, x):
    z = complex(x, 2)
    w = z * z.conjugate()
    out[0] = w.real
    out[1] = w.imag
    out[2] = abs(z * 1j)
    out[3] = (z + 1).real
    out[4] = z == complex(3, 2)
";
    let results = run(text, &line(1), &[array(&[0.0; 5]), Data::Scalar(3.0)]);
    assert_eq!(results[0], [13.0, 0.0, 13.0_f64.sqrt(), 4.0, 1.0]);
}

#[test]
fn floats_stored_in_integers_are_truncated() {
    let text = "\
# types: int32[:], float64
@situ.kernel
def kernel(out, x):
    out[0] = x
    out[1] = -x
    out[2] = 2.9
";
    let results = run(text, &line(1), &[array(&[0.0; 3]), Data::Scalar(2.7)]);
    assert_eq!(results[0], [2.0, -2.0, 2.0]);
}

#[test]
fn a_dtype_travels_through_a_long_chain_of_variables() {
    // Each walk of inference carries the float one variable further.
    let count = 100;
    let starts = (0..=count).map(|index| format!("v{index} = 0"));
    let moves = (0..count)
        .rev()
        .map(|index| format!("    v{} = v{index}", index + 1));
    let lines: Vec<_> = starts
        .chain(["for k in range(n):".to_owned()])
        .chain(moves)
        .chain(["    v0 = v0 + 0.5".to_owned()])
        .chain([format!("out[0] = v{count}"), "out[1] = v0".to_owned()])
        .collect();
    let body = lines.join("\n");
    let rounds = f64::from(count) + 1.0;
    let found = results("int64", "n", &body, vec![Data::Scalar(rounds)], 2);
    assert_eq!(found, [0.5, rounds / 2.0]);
}

fn groups_of(size: u64, count: u64) -> NdRange {
    NdRange::with_local(&[size * count], &[size]).expect("a range of whole groups")
}

#[test]
fn work_items_meet_in_device_functions() {
    let text = include_str!("cases/accept/meeting_functions.py");
    let values = [1.0, 2.0, 3.0, 4.0, 100.0, 0.0, 0.0, 1.0];
    let found = run(text, &groups_of(4, 2), &[array(&values), array(&[0.0; 8])]);
    // The second sum of a group whose first one is large has one more for each work-item.
    let first = 10.0 + 10.0 + 8.0;
    let second = 101.0 + 105.0 + 8.0;
    assert_eq!(
        found[1],
        [first, first, first, first, second, second, second, second]
    );
}

#[test]
fn parts_count_down_and_axes_are_reversed() {
    let text = "\
# types: float64[:, :], float64[:]
@situ.kernel
def kernel(a, out):
    t = a.T
    out[0] = t[2, 0]
    out[1] = t.shape[0]
    row = a[1, ::-1]
    out[2] = row[0]
    out[3] = len(a[0, 5:0:-2])
    out[4] = a[0, 5:0:-2][0]
    out[5] = len(a[0, -9::-1])
    out[6] = a.T[::-1, 1][0]
    out[7] = (1, 2, 3)[::-1][0] + (1, 2, 3)[1::-1][1]
";
    let values: Vec<f64> = (0..6).map(f64::from).collect();
    let data = [matrix(&values, &[2, 3]), array(&[0.0; 8])];
    let found = run(text, &NdRange::new(&[1]).unwrap(), &data);
    assert_eq!(found[1], [2.0, 3.0, 5.0, 1.0, 2.0, 0.0, 5.0, 4.0]);
}

#[test]
fn membership_compares_with_each_item() {
    let text = "\
# types: int64[:], float64[:]
# constant: PRIMES = (2, 3, 5)
@situ.kernel
def kernel(x, out):
    i = situ.get_global_id(0)
    if x[i] in PRIMES and x[i] not in (5, i + 2):
        out[i] = 1
    if 3 in PRIMES:
        out[i] += 10
    if x[i] in ():
        out[i] += 100
";
    let data = [array(&[2.0, 2.0, 4.0, 5.0]), array(&[0.0; 4])];
    let found = run(text, &NdRange::new(&[4]).unwrap(), &data);
    assert_eq!(found[1], [10.0, 11.0, 10.0, 10.0]);
}

#[test]
fn numbers_are_rounded_to_digits() {
    let text = "\
# types: float64[:], int64[:], float64[:]
@situ.kernel
def kernel(x, n, out):
    i = situ.get_global_id(0)
    out[4 * i] = round(x[i], 2)
    out[4 * i + 1] = round(x[i], -1)
    out[4 * i + 2] = round(n[i], -1)
    out[4 * i + 3] = round(n[i], 3)
";
    let data = [
        array(&[2.346, -15.125, f64::INFINITY, 1e308]),
        array(&[25.0, 35.0, -15.0, -14.0]),
        array(&[0.0; 16]),
    ];
    let found = run(text, &NdRange::new(&[4]).unwrap(), &data);
    let expected = [
        [2.35, 0.0, 20.0, 25.0],
        [-15.12, -20.0, 40.0, 35.0],
        [f64::INFINITY, f64::INFINITY, -20.0, -15.0],
        [1e308, 1e308, -10.0, -14.0],
    ];
    assert_eq!(found[2], expected.concat());
}

#[test]
fn atomics_work_on_parts() {
    let text = "\
# types: int64[:, :], int64
@situ.kernel
def kernel(a, n):
    row = a[1]
    situ.atomic.add(row, 2, 1)
    situ.atomic.add(a.T, (n, 0), 10)
    kernel_api.AtomicRef(row, 0).fetch_add(100)
";
    let data = [matrix(&[0.0; 6], &[2, 3]), Data::Scalar(1.0)];
    let found = run(text, &NdRange::new(&[4]).unwrap(), &data);
    assert_eq!(found[0], [0.0, 40.0, 0.0, 400.0, 0.0, 4.0]);
}

#[test]
fn references_to_parts_know_the_way_and_the_part() {
    let text = "\
# types: int64[:, :], int64
@situ.kernel
def kernel(a, n):
    reference = kernel_api.AtomicRef(a[1, 1:], n)
    corner = kernel_api.AtomicRef(a.T, (2, 0))
    n += 1
    reference.fetch_add(100)
    corner.store(reference.ref[0] + len(reference.ref))
    a[0, 0] = corner.ref[0, 1]
";
    let data = [
        matrix(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]),
        Data::Scalar(1.0),
    ];
    let found = run(text, &line(1), &data);
    assert_eq!(found[0], [4.0, 2.0, 7.0, 4.0, 5.0, 106.0]);
}

#[test]
fn dtypes_decide_branches_when_compiling() {
    let text = "\
# types: float32[:], float64[:]
@situ.kernel
def kernel(x, out):
    if x.dtype == np.float32:
        out[0] = 1
    else:
        out[0] = x[0].nothing_of_the_kind
    if out.dtype != x.dtype:
        out[1] = 2
    out[2] = 3 if x[0].dtype == out.dtype else 4
";
    let data = [array(&[0.5]), array(&[0.0; 3])];
    let found = run(text, &line(1), &data);
    assert_eq!(found[1], [1.0, 2.0, 4.0]);
}

#[test]
fn tuples_are_joined() {
    let text = "\
# types: float64[:]
@situ.kernel
def kernel(out):
    pair = (1, 2.5)
    more = pair[1:] + (3, 4) + ()
    out[0], out[1], out[2] = more
    out[3] = len(more)
";
    let found = run(text, &line(1), &[array(&[0.0; 4])]);
    assert_eq!(found[0], [2.5, 3.0, 4.0, 3.0]);
}

#[test]
fn rounding_of_numpy_keeps_the_dtype() {
    let text = "\
# types: float64[:], int64[:], float64[:]
@situ.kernel
def kernel(x, n, out):
    out[0] = np.round(x[0])
    out[1] = np.round(x[0], 2)
    out[2] = np.around(n[0], -1) // 7
    out[3] = np.round(n[0]) // 7
";
    let data = [array(&[2.346]), array(&[25.0]), array(&[0.0; 4])];
    let found = run(text, &line(1), &data);
    assert_eq!(found[2], [2.0, 2.35, 2.0, 3.0]);
}
