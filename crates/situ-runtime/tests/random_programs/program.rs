//! A launch that both sides run, and what must agree afterwards.

use situ_ir::interpret::{Argument, Error, FaultKind, Interpreter, Options};
use situ_ir::{AddressSpace, DType, Literal, NdRange, Type, ValidModule};

use super::native::{NativeModule, NativeTarget, level};

/// Memory with the alignment of the strictest element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buffer {
    words: Vec<u128>,
    size_bytes: usize,
}

impl Buffer {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut words = vec![0_u128; bytes.len().div_ceil(16)];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(16)) {
            let mut whole = [0; 16];
            whole[..chunk.len()].copy_from_slice(chunk);
            *word = u128::from_ne_bytes(whole);
        }
        Self {
            words,
            size_bytes: bytes.len(),
        }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: every bit pattern is valid for both types, and the bytes are within the words.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.size_bytes) }
    }
}

/// A kernel of a module, what it is called with and over what.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) kernel: String,
    pub(crate) range: NdRange,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) buffers: Vec<Buffer>,
}

impl Launch {
    /// Runs on the interpreter with all checks. A variable that is read before it is assigned is
    /// worth a report, but has a meaning: it is zero.
    pub(crate) fn interpret(
        &self,
        module: &ValidModule,
        sub_group_size: u64,
    ) -> Result<Vec<Buffer>, Error> {
        let mut options = Options {
            sub_group_size,
            ..Options::default()
        };
        let checked = self.interpret_with(module, &options);
        match &checked {
            Err(Error::Fault(fault))
                if matches!(fault.kind, FaultKind::UninitialisedVariable { .. }) =>
            {
                options.checks = false;
                self.interpret_with(module, &options)
            }
            _ => checked,
        }
    }

    fn interpret_with(
        &self,
        module: &ValidModule,
        options: &Options,
    ) -> Result<Vec<Buffer>, Error> {
        let mut buffers = self.buffers.clone();
        let mut slices: Vec<_> = buffers.iter_mut().map(Buffer::bytes_mut).collect();
        let interpreter = Interpreter::new(module, &self.kernel)?;
        interpreter.run(&self.range, &self.arguments, &mut slices, options)?;
        Ok(buffers)
    }

    /// Runs as machine code.
    pub(crate) fn run_native(&self, module: &NativeModule, chunk: u64) -> Vec<Buffer> {
        let mut buffers = self.buffers.clone();
        let mut slices: Vec<_> = buffers.iter_mut().map(Buffer::bytes_mut).collect();
        module.run(
            &self.kernel,
            &self.range,
            &self.arguments,
            &mut slices,
            chunk,
        );
        buffers
    }

    /// The element type of each buffer, by the first parameter that points into it.
    pub(crate) fn elements(&self, module: &ValidModule) -> Vec<DType> {
        let (_, function) = module.function(&self.kernel).unwrap();
        let mut elements = vec![DType::U8; self.buffers.len()];
        for (parameter, argument) in function.parameters.iter().zip(&self.arguments).rev() {
            if let (
                Type::Pointer {
                    element,
                    space: AddressSpace::Global,
                },
                Argument::Pointer { buffer, .. },
            ) = (parameter.ty, argument)
            {
                elements[*buffer] = element;
            }
        }
        elements
    }
}

/// Fails unless a launch gives the same buffers on both sides, bit for bit but for NaNs.
pub(crate) fn assert_agrees(
    module: &ValidModule,
    native: &NativeModule,
    target: &NativeTarget,
    launch: &Launch,
    chunk: u64,
) {
    let sub_group_size = u64::from(target.options.sub_group_size);
    let expected = launch
        .interpret(module, sub_group_size)
        .unwrap_or_else(|error| panic!("{error}"));
    let found = launch.run_native(native, chunk);
    for (buffer, element) in launch.elements(module).into_iter().enumerate() {
        let (expected, found) = (&expected[buffer], &found[buffer]);
        let difference = first_difference(element, expected, found);
        assert!(
            difference.is_none(),
            "{}: buffer {buffer} over {:?} in chunks of {chunk} at {:?}: {}",
            launch.kernel,
            launch.range,
            level(target),
            difference.unwrap()
        );
    }
}

fn first_difference(element: DType, expected: &Buffer, found: &Buffer) -> Option<String> {
    let (mut expected, mut found) = (expected.clone(), found.clone());
    let size = element.size_bytes();
    let pairs = expected
        .bytes_mut()
        .chunks_exact(size)
        .zip(found.bytes_mut().chunks_exact(size));
    for (position, (left, right)) in pairs.enumerate() {
        let left = Literal::from_bytes(element, left).unwrap();
        let right = Literal::from_bytes(element, right).unwrap();
        if !is_same(left, right) {
            return Some(format!(
                "element {position} should be {left:?} ({:#x}) and is {right:?} ({:#x})",
                left.to_bits(),
                right.to_bits()
            ));
        }
    }
    None
}

/// Whether two numbers are the same; the bits of a NaN are not specified.
pub(crate) fn is_same(left: Literal, right: Literal) -> bool {
    let is_nan = |literal: Literal| match literal {
        Literal::F16(x) => x.is_nan(),
        Literal::F32(x) => x.is_nan(),
        Literal::F64(x) => x.is_nan(),
        _ => false,
    };
    left == right || (is_nan(left) && is_nan(right))
}
