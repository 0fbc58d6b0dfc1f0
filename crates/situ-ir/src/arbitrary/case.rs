//! A random program with everything needed to run it, and to judge what a device made of it.

use std::fmt;

use super::Flavour;
use super::compare::{self, Mismatch};
use crate::dtype::DType;
use crate::interpret::{Argument, Error, Options, interpret};
use crate::range::NdRange;
use crate::text::print;
use crate::validate::ValidModule;

/// A kernel, its arguments and the memory it works on.
///
/// `{case}` prints the seed, the launch and the program's text: all that is needed to reproduce it.
#[derive(Clone, Debug)]
pub struct Case {
    /// What [`generate`](super::generate) made it from.
    pub seed: u64,
    /// Which of the two kinds it is.
    pub flavour: Flavour,
    /// The program.
    pub module: ValidModule,
    /// The kernel to launch.
    pub kernel: String,
    /// The range to launch it over. It has work-groups if results depend on them.
    pub range: NdRange,
    /// One argument for each parameter; pointers are into [`Case::buffers`].
    pub arguments: Vec<Argument>,
    /// The memory, with its content before the launch.
    pub buffers: Vec<Buffer>,
    /// Whether results depend on the size of sub-groups; they are then right only for the size the
    /// interpreter was told.
    pub uses_sub_groups: bool,
}

/// Memory of a case. Elements have one dtype.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What the elements are.
    pub dtype: DType,
    /// The content before the launch, little-endian.
    pub bytes: Vec<u8>,
    /// How a device's result may differ from the interpreter's.
    pub exactness: Exactness,
}

/// How two results are compared. Any NaN equals any NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Bit for bit.
    Exact,
    /// Within so many units in the last place; of the larger part for complex numbers, whose zeros and
    /// infinities may also differ in sign.
    Ulps(u32),
}

impl Case {
    /// What the buffers hold after the launch, by the interpreter.
    ///
    /// # Errors
    /// With a fault, which is then a defect of the generator or the interpreter.
    pub fn interpret(&self, options: &Options) -> Result<Vec<Vec<u8>>, Error> {
        let mut contents = self.contents();
        let mut buffers: Vec<&mut [u8]> = contents.iter_mut().map(Vec::as_mut_slice).collect();
        interpret(
            &self.module,
            &self.kernel,
            &self.range,
            &self.arguments,
            &mut buffers,
            options,
        )?;
        Ok(contents)
    }

    /// What the buffers hold before the launch.
    pub fn contents(&self) -> Vec<Vec<u8>> {
        self.buffers
            .iter()
            .map(|buffer| buffer.bytes.clone())
            .collect()
    }

    /// Compares what a device left in the buffers with what the interpreter did.
    ///
    /// # Errors
    /// With the first element that differs by more than it may.
    pub fn compare(&self, expected: &[Vec<u8>], found: &[Vec<u8>]) -> Result<(), Mismatch> {
        compare::compare(self, expected, found)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dims, global) = (self.range.dims(), self.range.global());
        writeln!(f, "// seed {} ({:?})", self.seed, self.flavour)?;
        write!(f, "// range {:?}", &global[..dims])?;
        match self.range.local() {
            Some(local) => writeln!(f, " in groups of {:?}", &local[..dims])?,
            None => writeln!(f)?,
        }
        let parameters = self
            .module
            .function(&self.kernel)
            .map_or(&[][..], |(_, function)| &function.parameters);
        for (parameter, argument) in parameters.iter().zip(&self.arguments) {
            writeln!(f, "// {} = {argument:?}", parameter.name)?;
        }
        for (position, buffer) in self.buffers.iter().enumerate() {
            let (size, dtype) = (buffer.bytes.len(), buffer.dtype);
            writeln!(
                f,
                "// buffer {position}: {size} bytes of {dtype}, {:?}",
                buffer.exactness
            )?;
        }
        f.write_str(&print(&self.module))
    }
}
