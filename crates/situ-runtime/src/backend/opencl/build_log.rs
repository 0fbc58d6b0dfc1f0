//! What a driver's compiler complains about: which line of the program, and which line of the user's.

use situ_codegen::opencl_c::OpenClModule;
use situ_ir::ValidModule;

use crate::error::{Error, SourceLine};

/// The error for a program that a compiler refused.
pub(in crate::backend) fn failure(
    module: &ValidModule,
    emitted: &OpenClModule,
    device: &str,
    log: String,
) -> Error {
    let line =
        line_of_first_error(&log).filter(|line| (*line as usize) <= emitted.text.lines().count());
    Error::BuildFailed {
        module: module.name.clone(),
        device: device.to_owned(),
        origin: line.and_then(|line| origin(module, emitted, line)),
        // Few programs have more than four billion lines; errors are to be small.
        line,
        log,
        code: emitted.text.clone(),
    }
}

/// Where a line of the program, counted from 1, comes from.
fn origin(module: &ValidModule, emitted: &OpenClModule, line: u32) -> Option<Box<SourceLine>> {
    let origin = emitted.origins.get(line as usize - 1)?.as_ref()?;
    let source = module.source.as_ref()?;
    Some(Box::new(SourceLine::at(source, origin.span)))
}

/// The line that a log complains about first, counted from 1.
///
/// Compilers write `file:line:column: error: ...`, or `error: file:line:column: ...`. The file may be
/// a number, too.
fn line_of_first_error(log: &str) -> Option<u32> {
    let complaint = log.lines().find(|line| line.contains("error"))?;
    let numbers: Vec<Option<u32>> = complaint
        .split(':')
        .map(|part| part.trim().parse().ok())
        .collect();
    let with_column = numbers
        .windows(2)
        .rev()
        .find_map(|pair| pair[0].and(pair[1]).and(pair[0]));
    let line = with_column.or_else(|| numbers.iter().copied().flatten().next());
    line.filter(|line| *line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_gives_the_line() {
        let intel =
            "Compilation started\n1:4:10: error: use of undeclared identifier 'x'\n    4 | x";
        assert_eq!(line_of_first_error(intel), Some(4));
        let pocl =
            "error: /tmp/a1:2/tempfile_5h.cl:12:26: expected expression\n3 errors generated.";
        assert_eq!(line_of_first_error(pocl), Some(12));
        assert_eq!(
            line_of_first_error("<kernel>:7:1: warning: x\n<kernel>:9:5: error: y"),
            Some(9)
        );
        assert_eq!(line_of_first_error("file.cl:3: error: no column"), Some(3));
        for log in [
            "",
            "it does not work",
            "error",
            "error: 0:0: nothing",
            "error: it fails",
        ] {
            assert_eq!(line_of_first_error(log), None, "{log}");
        }
    }
}
