//! The format of one file in the compile cache.
//!
//! ```text
//! offset  size  field
//!      0     8  magic "SITUCODE"
//!      8     4  format version, little endian
//!     12     4  zero
//!     16    32  key
//!     48     8  payload size in bytes, little endian
//!     56    32  BLAKE3 of the payload
//!     88     …  payload
//! ```
//! The checksum finds damage, not attacks: those are kept out by owners and permissions.

use super::CacheKey;

const MAGIC: &[u8; 8] = b"SITUCODE";
const FORMAT_VERSION: u32 = 1;
pub(super) const HEADER_BYTES: usize = 88;

/// The part of the header that is known before the payload is read.
const PREFIX_BYTES: usize = 56;

/// The bytes of an entry.
pub(super) fn encode(key: &CacheKey, payload: &[u8]) -> Vec<u8> {
    let mut bytes = header(key, payload).to_vec();
    bytes.extend_from_slice(payload);
    bytes
}

/// Whether a file of `file_bytes` that starts with `found` can be an entry for `key`. Tells without
/// reading what may be a very large file.
pub(super) fn is_plausible(key: &CacheKey, found: &[u8; HEADER_BYTES], file_bytes: u64) -> bool {
    let payload_bytes = file_bytes.checked_sub(HEADER_BYTES as u64);
    payload_bytes.is_some_and(|bytes| found[..PREFIX_BYTES] == prefix(key, bytes))
}

/// The payload of an entry, or `None` when the bytes are not a whole, undamaged entry for `key`.
pub(super) fn decode(key: &CacheKey, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let (found, payload) = bytes.split_at_checked(HEADER_BYTES)?;
    // The header is a function of key and payload, so comparing it whole checks every field.
    if *found != header(key, payload) {
        return None;
    }
    bytes.drain(..HEADER_BYTES);
    Some(bytes)
}

fn header(key: &CacheKey, payload: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..PREFIX_BYTES].copy_from_slice(&prefix(key, payload.len() as u64));
    header[PREFIX_BYTES..].copy_from_slice(blake3::hash(payload).as_bytes());
    header
}

fn prefix(key: &CacheKey, payload_bytes: u64) -> [u8; PREFIX_BYTES] {
    let mut prefix = [0; PREFIX_BYTES];
    prefix[..8].copy_from_slice(MAGIC);
    prefix[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    prefix[16..48].copy_from_slice(key.as_bytes());
    prefix[48..].copy_from_slice(&payload_bytes.to_le_bytes());
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_round_trips() {
        let key = CacheKey::new([&b"k"[..]]);
        for payload in [&b""[..], b"x", &[7; 10_000]] {
            assert_eq!(
                decode(&key, encode(&key, payload)).as_deref(),
                Some(payload)
            );
        }
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let key = CacheKey::new([&b"k"[..]]);
        let entry = encode(&key, b"some machine code");
        for position in 0..entry.len() {
            let mut damaged = entry.clone();
            damaged[position] ^= 1;
            assert_eq!(decode(&key, damaged), None, "byte {position}");
        }
    }

    #[test]
    fn truncated_longer_and_foreign_entries_are_refused() {
        let key = CacheKey::new([&b"k"[..]]);
        let entry = encode(&key, b"some machine code");
        for len in 0..entry.len() {
            assert_eq!(decode(&key, entry[..len].to_vec()), None);
        }
        let mut longer = entry.clone();
        longer.push(0);
        assert_eq!(decode(&key, longer), None);
        assert_eq!(decode(&CacheKey::new([&b"other"[..]]), entry), None);
    }
}
