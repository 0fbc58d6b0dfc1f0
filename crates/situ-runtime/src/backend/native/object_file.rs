//! The symbol table of an ELF object file: what it defines and what it needs.
//!
//! The loader asks for both before it hands the bytes to the JIT linker, so that a missing vector
//! function is a typed error with a name, and so that bytes from the disk cache that are not an
//! object are noticed. Reads 64-bit little-endian relocatable objects, which is all LLVM writes
//! here; relocations and section contents are the linker's business.

use crate::error::{Error, Result};

const HEADER_BYTES: usize = 64;
const SECTION_HEADER_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
const SECTION_IS_SYMBOL_TABLE: u32 = 2;
const BINDING_LOCAL: u8 = 0;
const SECTION_UNDEFINED: u16 = 0;

/// The global symbols of an object file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ObjectSymbols {
    /// Names that other code may call.
    pub(crate) defined: Vec<String>,
    /// Names the code calls and somebody else must provide.
    pub(crate) undefined: Vec<String>,
}

impl ObjectSymbols {
    /// Reads the symbol table.
    pub(crate) fn read(object: &[u8]) -> Result<Self> {
        parse(object).map_err(|detail| Error::MalformedObject { detail })
    }
}

fn parse(object: &[u8]) -> Result<ObjectSymbols, &'static str> {
    let header = object
        .get(..HEADER_BYTES)
        .ok_or("it is shorter than an ELF header")?;
    if !header.starts_with(b"\x7fELF\x02\x01\x01") {
        return Err("it is not a 64-bit little-endian ELF file");
    }
    let sections = SectionTable {
        object,
        offset: usize_at(header, 40)?,
        count: usize::from(u16_at(header, 60)?),
    };
    let mut symbols = ObjectSymbols::default();
    for index in 0..sections.count {
        let section = sections.header(index)?;
        if u32_at(section, 4)? != SECTION_IS_SYMBOL_TABLE {
            continue;
        }
        let names = sections.contents(sections.header(u32_at(section, 40)? as usize)?)?;
        for entry in sections.contents(section)?.chunks_exact(SYMBOL_BYTES) {
            let binding = entry[4] >> 4;
            let name = name_at(names, u32_at(entry, 0)? as usize)?;
            if binding == BINDING_LOCAL || name.is_empty() {
                continue;
            }
            if u16_at(entry, 6)? == SECTION_UNDEFINED {
                symbols.undefined.push(name);
            } else {
                symbols.defined.push(name);
            }
        }
    }
    Ok(symbols)
}

struct SectionTable<'a> {
    object: &'a [u8],
    offset: usize,
    count: usize,
}

impl<'a> SectionTable<'a> {
    fn header(&self, index: usize) -> Result<&'a [u8], &'static str> {
        let start = index
            .checked_mul(SECTION_HEADER_BYTES)
            .and_then(|skip| skip.checked_add(self.offset))
            .filter(|_| index < self.count);
        start
            .and_then(|start| slice(self.object, start, SECTION_HEADER_BYTES))
            .ok_or("a section header lies outside the file")
    }

    fn contents(&self, header: &[u8]) -> Result<&'a [u8], &'static str> {
        slice(self.object, usize_at(header, 24)?, usize_at(header, 32)?)
            .ok_or("a section lies outside the file")
    }
}

fn slice(bytes: &[u8], start: usize, len: usize) -> Option<&[u8]> {
    bytes.get(start..start.checked_add(len)?)
}

fn name_at(names: &[u8], start: usize) -> Result<String, &'static str> {
    let tail = names
        .get(start..)
        .ok_or("a symbol name lies outside the string table")?;
    let end = tail
        .iter()
        .position(|byte| *byte == 0)
        .ok_or("a symbol name does not end")?;
    std::str::from_utf8(&tail[..end])
        .map(str::to_owned)
        .map_err(|_| "a symbol name is not UTF-8")
}

fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> Result<[u8; N], &'static str> {
    slice(bytes, offset, N)
        .and_then(|field| field.try_into().ok())
        .ok_or("a header field lies outside the file")
}

fn u16_at(bytes: &[u8], offset: usize) -> Result<u16, &'static str> {
    array_at(bytes, offset).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], offset: usize) -> Result<u32, &'static str> {
    array_at(bytes, offset).map(u32::from_le_bytes)
}

fn usize_at(bytes: &[u8], offset: usize) -> Result<usize, &'static str> {
    let value = u64::from_le_bytes(array_at(bytes, offset)?);
    usize::try_from(value).map_err(|_| "an offset is too large")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::native::compiler::{CompileOptions, Passes, compile};
    use crate::backend::native::host_cpu::CpuTarget;

    fn sample() -> Vec<u8> {
        let text = "declare double @sin(double)\n\
            define internal double @hidden(double %x) noinline { %y = call double @sin(double %x)\n ret double %y }\n\
            define void @kernel(ptr %a) { %x = load double, ptr %a\n %y = call double @hidden(double %x)\n store double %y, ptr %a\n ret void }";
        let options = CompileOptions {
            cpu: CpuTarget::baseline(),
            passes: Passes::Short,
        };
        compile("sample", text, &options).unwrap()
    }

    #[test]
    fn symbols_are_sorted_into_defined_and_undefined() {
        let symbols = ObjectSymbols::read(&sample()).unwrap();
        assert_eq!(symbols.defined, ["kernel"]);
        assert_eq!(symbols.undefined, ["sin"]);
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [
            &b""[..],
            b"\x7fELF",
            &[0; 200],
            b"!<arch>\n not an object, but an archive",
        ] {
            assert!(matches!(
                ObjectSymbols::read(bytes),
                Err(Error::MalformedObject { .. })
            ));
        }
    }

    #[test]
    fn no_truncation_or_bit_flip_makes_the_reader_panic() {
        let object = sample();
        for len in 0..object.len() {
            let _ = ObjectSymbols::read(&object[..len]);
        }
        for position in 0..object.len() {
            let mut damaged = object.clone();
            damaged[position] ^= 0xff;
            let _ = ObjectSymbols::read(&damaged);
        }
    }
}
