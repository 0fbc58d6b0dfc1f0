//! Arguments that do not fit.

use super::*;

#[test]
fn arguments_must_fit_the_parameters() {
    let module = module_of(|f| {
        f.parameter("x", GLOBAL_I64);
        f.parameter("scale", DType::F32.into());
    });
    let kernel = Interpreter::new(&module, "k").unwrap();
    let range = NdRange::new(&[0]).unwrap();
    let options = Options::default();
    let run = |arguments: &[Argument]| {
        let mut bytes = [0_u8; 20];
        kernel.run(&range, arguments, &mut [&mut bytes], &options)
    };
    let scale = Argument::Scalar(Literal::F32(1.0));
    assert_eq!(run(&[at(0), scale]), Ok(()));
    assert!(matches!(
        run(&[at(0)]),
        Err(Error::ArgumentCount {
            expected: 2,
            found: 1,
            ..
        })
    ));
    assert!(matches!(
        run(&[at(1), scale]),
        Err(Error::MissingBuffer { buffer: 1, .. })
    ));
    let misplaced = |offset_bytes| Argument::Pointer {
        buffer: 0,
        offset_bytes,
    };
    assert!(matches!(
        run(&[misplaced(4), scale]),
        Err(Error::PointerOffset { .. })
    ));
    assert!(matches!(
        run(&[misplaced(24), scale]),
        Err(Error::PointerOffset { .. })
    ));
    let error = run(&[at(0), Argument::Scalar(Literal::F64(1.0))]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parameter `scale` of kernel `k` is `f32`; a scalar of dtype float64 does not fit"
    );
    assert!(matches!(
        kernel.run(&NdRange::new(&[1, 1]).unwrap(), &[], &mut [], &options),
        Err(Error::Dimensions {
            expected: 1,
            found: 2,
            ..
        })
    ));
    assert!(matches!(
        Interpreter::new(&module, "missing").unwrap_err(),
        Error::UnknownKernel { .. }
    ));
}
