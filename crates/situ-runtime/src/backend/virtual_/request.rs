//! What virtual devices are asked for: `gpu:2,cpu:1,gpu:1:no-fp64`.

use std::fmt;

use crate::aspect::Aspect;
use crate::device::DeviceType;
use crate::error::quoted_list;

/// What starts the name of something that a device is to be without.
const LACKS: &str = "no-";

/// The most devices one request may name.
const MOST: usize = 64;

/// Some virtual devices of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VirtualRequest {
    /// The type.
    pub device_type: DeviceType,
    /// How many.
    pub count: usize,
    /// What they cannot do, though the processor can.
    pub lacks: Lacks,
}

/// What a virtual device cannot do, to test programs for devices that cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lacks {
    /// It does not compute with double-precision numbers.
    pub fp64: bool,
    /// It does not compute with half-precision numbers.
    pub fp16: bool,
}

impl Lacks {
    /// The aspects that can be missing.
    pub const ASPECTS: [Aspect; 2] = [Aspect::Fp64, Aspect::Fp16];

    /// Whether it lacks an aspect.
    pub fn has(self, aspect: Aspect) -> bool {
        match aspect {
            Aspect::Fp64 => self.fp64,
            Aspect::Fp16 => self.fp16,
            _ => false,
        }
    }

    /// Adds an aspect; `false` if devices cannot be without it.
    pub fn add(&mut self, aspect: Aspect) -> bool {
        match aspect {
            Aspect::Fp64 => self.fp64 = true,
            Aspect::Fp16 => self.fp16 = true,
            _ => return false,
        }
        true
    }
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
    /// What comes last is nothing that a device can be without.
    NotMissable {
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
            Self::NotMissable { text } => {
                let options = Lacks::ASPECTS.map(|aspect| format!("no-{}", aspect.name()));
                write!(
                    formatter,
                    "`{text}` is nothing that a device can be without; write {}",
                    quoted_list(&options)
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
        let mut words = text.split(':').map(str::trim).peekable();
        let word = words.next().unwrap_or_default();
        let device_type = DeviceType::from_name(word).ok_or_else(|| RequestProblem::NotAType {
            word: word.to_owned(),
        })?;
        let count = words.next_if(|word| !word.starts_with(LACKS));
        let count = count.map_or(Ok(1), |text| {
            let count = text.parse().ok().filter(|count| (1..=MOST).contains(count));
            count.ok_or_else(|| RequestProblem::NotACount {
                text: text.to_owned(),
            })
        })?;
        let mut lacks = Lacks::default();
        for word in words {
            let aspect = word.strip_prefix(LACKS).and_then(Aspect::from_name);
            if !aspect.is_some_and(|aspect| lacks.add(aspect)) {
                return Err(RequestProblem::NotMissable {
                    text: word.to_owned(),
                });
            }
        }
        Ok(Self {
            device_type,
            count,
            lacks,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_counts_are_read() {
        let request = |device_type, count| VirtualRequest {
            device_type,
            count,
            lacks: Lacks::default(),
        };
        let expected = vec![request(DeviceType::Gpu, 2), request(DeviceType::Cpu, 1)];
        assert_eq!(
            VirtualRequest::parse_list("gpu:2,cpu:1"),
            Ok(expected.clone())
        );
        assert_eq!(VirtualRequest::parse_list(" GPU : 2 , cpu "), Ok(expected));
    }

    #[test]
    fn devices_can_lack_something() {
        let lacks = |text| {
            let requests = VirtualRequest::parse_list(text).unwrap_or_else(|why| panic!("{why}"));
            (requests[0].count, requests[0].lacks)
        };
        let (fp64, fp16) = (true, true);
        assert_eq!(lacks("gpu:no-fp64"), (1, Lacks { fp64, fp16: false }));
        assert_eq!(lacks("gpu:3: no-fp16"), (3, Lacks { fp64: false, fp16 }));
        assert_eq!(lacks("cpu:2:no-fp64:no-FP16"), (2, Lacks { fp64, fp16 }));
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
            (
                "gpu:1:1",
                "`1` is nothing that a device can be without; write `no-fp64` and `no-fp16`",
            ),
            ("gpu:no-cpu", "`no-cpu` is nothing"),
            ("gpu:no-fp64:2", "`2` is nothing"),
            ("gpu:65", "`65` is no number"),
            ("gpu:64,cpu:1", "65 devices are more"),
        ] {
            let problem = VirtualRequest::parse_list(text).unwrap_err().to_string();
            assert!(problem.contains(said), "{text}: {problem}");
        }
    }
}
