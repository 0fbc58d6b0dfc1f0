//! What the compile cache keeps of a program: the driver's binary, and the names of the kernels in it.
//!
//! ```text
//! magic "SITUOCL1" | number of names | (length, name)... | the driver's binary
//! ```
//! Numbers are 4 bytes, little endian. The names are for people who look at the cache; the binary is
//! the driver's own affair.

const MAGIC: &[u8; 8] = b"SITUOCL1";

/// A program as it is kept.
pub(super) fn encode<'a>(
    kernels: impl ExactSizeIterator<Item = &'a str>,
    binary: &[u8],
) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((kernels.len() as u32).to_le_bytes());
    for name in kernels {
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    bytes.extend(binary);
    bytes
}

/// The kernels' names and the binary; `None` when this is no program.
pub(in crate::backend) fn decode(bytes: &[u8]) -> Option<(Vec<String>, &[u8])> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let count = number(&mut rest)?;
    let names: Option<Vec<String>> = (0..count)
        .map(|_| {
            let len = number(&mut rest)? as usize;
            let (name, after) = rest.split_at_checked(len)?;
            rest = after;
            String::from_utf8(name.to_vec()).ok()
        })
        .collect();
    Some((names?, rest))
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_round_trips_and_damage_is_seen() {
        let names = ["scale", "", "größe"];
        let bytes = encode(names.into_iter(), b"code");
        assert_eq!(
            decode(&bytes),
            Some((names.map(str::to_owned).to_vec(), &b"code"[..]))
        );
        for len in 0..bytes.len() - b"code".len() {
            assert_eq!(decode(&bytes[..len]), None, "{len}");
        }
        assert_eq!(decode(b"\x7fELF and so on"), None);
    }
}
