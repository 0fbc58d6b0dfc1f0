//! What virtual devices are asked for: `gpu:2,cpu:1`.

use std::fmt;

use crate::device::DeviceType;
use crate::error::quoted_list;

/// The most devices one request may name.
const MOST: usize = 64;

/// Some virtual devices of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VirtualRequest {
    /// The type.
    pub device_type: DeviceType,
    /// How many.
    pub count: usize,
}

/// Why a text is not a request for virtual devices.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestProblem {
    /// Nothing was asked for.
    Empty,
    /// A word is no device type.
    NotAType {
        /// The word.
        word: String,
    },
    /// What follows a type is no number of devices.
    NotACount {
        /// The text.
        text: String,
    },
    /// Too many devices.
    TooMany {
        /// How many were asked for.
        count: usize,
    },
}

impl fmt::Display for RequestProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("it names no device"),
            Self::NotAType { word } => {
                let types = DeviceType::ALL.map(DeviceType::name);
                write!(
                    formatter,
                    "`{word}` is no device type; those are {}",
                    quoted_list(&types)
                )
            }
            Self::NotACount { text } => {
                write!(
                    formatter,
                    "`{text}` is no number of devices from 1 to {MOST}"
                )
            }
            Self::TooMany { count } => {
                write!(
                    formatter,
                    "{count} devices are more than the {MOST} there may be"
                )
            }
        }
    }
}

impl VirtualRequest {
    /// Reads a list such as `gpu:2,cpu:1`; a type alone means one device.
    ///
    /// # Errors
    /// What is wrong with the first bad part.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, RequestProblem> {
        if text.trim().is_empty() {
            return Err(RequestProblem::Empty);
        }
        let requests: Vec<Self> = text.split(',').map(Self::parse).collect::<Result<_, _>>()?;
        let count = requests.iter().map(|request| request.count).sum();
        if count > MOST {
            return Err(RequestProblem::TooMany { count });
        }
        Ok(requests)
    }

    fn parse(text: &str) -> Result<Self, RequestProblem> {
        let (word, count) = match text.split_once(':') {
            Some((word, count)) => (word.trim(), Some(count.trim())),
            None => (text.trim(), None),
        };
        let device_type = DeviceType::from_name(word).ok_or_else(|| RequestProblem::NotAType {
            word: word.to_owned(),
        })?;
        let count = count.map_or(Ok(1), |text| {
            let count = text.parse().ok().filter(|count| (1..=MOST).contains(count));
            count.ok_or_else(|| RequestProblem::NotACount {
                text: text.to_owned(),
            })
        })?;
        Ok(Self { device_type, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_counts_are_read() {
        let request = |device_type, count| VirtualRequest { device_type, count };
        let expected = vec![request(DeviceType::Gpu, 2), request(DeviceType::Cpu, 1)];
        assert_eq!(
            VirtualRequest::parse_list("gpu:2,cpu:1"),
            Ok(expected.clone())
        );
        assert_eq!(VirtualRequest::parse_list(" GPU : 2 , cpu "), Ok(expected));
    }

    #[test]
    fn bad_requests_say_what_is_wrong() {
        for (text, said) in [
            ("", "names no device"),
            ("gpu,", "`` is no device type"),
            (
                "tpu:2",
                "`tpu` is no device type; those are `cpu`, `gpu` and `accelerator`",
            ),
            ("gpu:0", "`0` is no number"),
            ("gpu:-1", "`-1` is no number"),
            ("gpu:many", "`many` is no number"),
            ("gpu:1:1", "`1:1` is no number"),
            ("gpu:65", "`65` is no number"),
            ("gpu:64,cpu:1", "65 devices are more"),
        ] {
            let problem = VirtualRequest::parse_list(text).unwrap_err().to_string();
            assert!(problem.contains(said), "{text}: {problem}");
        }
    }
}
