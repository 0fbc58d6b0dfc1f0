//! Values: what kernels compute.

use num_complex::Complex64;
use situ_ir::{DType, FunctionBuilder, Literal, NdRange, Type};
use situ_runtime::Argument;

use crate::{compile, download, on_every_device, pointer, pointer_to, upload};

#[test]
fn elementwise_kernels_compute_every_element() {
    on_every_device(|queue| {
        let mut f = FunctionBuilder::kernel("scale_add", 1);
        let x = pointer(&mut f, "x", DType::F64);
        let y = pointer(&mut f, "y", DType::F64);
        let factor = f.parameter("factor", Type::Scalar(DType::F64));
        let i = f.global_id(0);
        let scaled = {
            let element = f.load(x, i);
            f.multiply(element, factor)
        };
        let old = f.load(y, i);
        let sum = f.add(scaled, old);
        f.store(y, i, sum);
        let kernel = compile(queue, f);
        for len in [1usize, 2, 17, 1000, 4099] {
            let input: Vec<f64> = (0..len).map(|i| i as f64 * 0.25).collect();
            let x = upload(queue, &input);
            let y = upload(queue, &vec![1.0; len]);
            let arguments = [
                pointer_to(&x),
                pointer_to(&y),
                Argument::Scalar(Literal::F64(2.0)),
            ];
            let range = NdRange::new(&[len as u64]).unwrap();
            queue
                .launch(&kernel, &range, &arguments)
                .unwrap()
                .wait()
                .unwrap();
            let expected: Vec<f64> = input.iter().map(|x| x * 2.0 + 1.0).collect();
            assert_eq!(download::<f64>(queue, &y), expected);
        }
    });
}

#[test]
fn scalars_of_every_dtype_arrive_unchanged() {
    on_every_device(|queue| {
        for dtype in DType::ALL {
            let mut f = FunctionBuilder::kernel("keep", 1);
            let out = pointer(&mut f, "out", dtype);
            let before = f.parameter("before", Type::Scalar(DType::I8));
            let value = f.parameter("value", Type::Scalar(dtype));
            let after = f.parameter("after", Type::Scalar(DType::I64));
            let i = f.global_id(0);
            f.store(out, i, value);
            let _ = (before, after);
            let kernel = compile(queue, f);
            let value = match dtype {
                DType::C64 | DType::C128 => {
                    let half = dtype.size_bytes() as u32 * 4;
                    let bits = Literal::from_f64(dtype.real(), -2.5).to_bits();
                    Literal::from_bits(dtype, bits | bits << half)
                }
                _ => Literal::from_f64(dtype, 3.0),
            };
            let out = upload(queue, &vec![0u8; dtype.size_bytes()]);
            let arguments = [
                pointer_to(&out),
                Argument::Scalar(Literal::I8(-1)),
                Argument::Scalar(value),
                Argument::Scalar(Literal::I64(-1)),
            ];
            queue
                .launch(&kernel, &NdRange::new(&[1]).unwrap(), &arguments)
                .unwrap();
            let bytes = download::<u8>(queue, &out);
            assert_eq!(Literal::from_bytes(dtype, &bytes), Some(value), "{dtype:?}");
        }
    });
}

#[test]
fn complex_arrays_are_pairs_of_reals() {
    on_every_device(|queue| {
        let mut f = FunctionBuilder::kernel("square", 1);
        let x = pointer(&mut f, "x", DType::C128);
        let i = f.global_id(0);
        let element = f.load(x, i);
        let square = f.multiply(element, element);
        f.store(x, i, square);
        let kernel = compile(queue, f);
        let x = upload(queue, &[1.0, 2.0, -3.0, 0.5]);
        queue
            .launch(&kernel, &NdRange::new(&[2]).unwrap(), &[pointer_to(&x)])
            .unwrap();
        let expected = [Complex64::new(1.0, 2.0), Complex64::new(-3.0, 0.5)].map(|z| z * z);
        let found = download::<f64>(queue, &x);
        assert_eq!(
            found,
            [
                expected[0].re,
                expected[0].im,
                expected[1].re,
                expected[1].im
            ]
        );
    });
}
