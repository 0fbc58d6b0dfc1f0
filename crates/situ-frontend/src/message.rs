//! What a kernel says to the host: assertions that failed, accesses outside of arrays, and lines it printed.
//!
//! A device has neither exceptions nor a console. A kernel that has something to say gets one more parameter, the
//! *report*: an array of `int32` words that is zero when it starts and that the launcher reads when it has ended. This
//! file says what the words mean, for the front end that writes the code and for the launcher that reads them.
//!
//! | words | |
//! |---|---|
//! | [`FAILED`] | the first message about a failure, counted from one |
//! | [`WORK_ITEM`] | the linear global id of the work-item that found out, in two words |
//! | [`VALUES`] | the values in its message |
//! | [`PRINTED`] | how many words of records were asked for |
//! | [`RECORDS`] | for each printed line its number, counted from one, and its values |

use situ_ir::{DType, Literal};

/// The place of the number of the assertion that failed.
pub(crate) const FAILED: usize = 0;
/// The place of the work-item's linear id.
pub(crate) const WORK_ITEM: usize = 1;
/// The place of the count of words in records.
pub(crate) const PRINTED: usize = 3;
/// The place of the values in the message of an assertion.
pub(crate) const VALUES: usize = 4;
/// How many words the values in the message of an assertion may have.
pub(crate) const MAX_VALUES: usize = 32;
/// The place of printed lines.
pub(crate) const RECORDS: usize = VALUES + MAX_VALUES;
/// How many words there are for printed lines; what is printed beyond them is lost.
pub(crate) const CAPACITY: usize = 1 << 16;

/// Something that compiled code may say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is about.
    pub kind: MessageKind,
    /// What it says.
    pub parts: Vec<MessagePart>,
    /// Where it is written, as `file:line`.
    pub place: String,
}

/// What a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// A condition that does not hold.
    Assertion {
        /// The condition as it is written.
        condition: String,
    },
    /// An access outside of an array.
    OutOfBounds {
        /// The array.
        array: String,
    },
    /// An exception, in functions of the host.
    Exception {
        /// The name of its class, as it is written.
        class: String,
    },
    /// Something to print.
    Line,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// Words that are always the same.
    Text(String),
    /// A number that is known when the kernel runs.
    Value {
        /// Its dtype.
        dtype: DType,
        /// How Python is to format it, as after the colon in an f-string.
        format: String,
    },
}

/// What a kernel said in one launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// The first assertion that failed, or access outside of an array.
    pub failure: Option<Said>,
    /// The linear global id of the work-item in which it failed.
    pub work_item: u64,
    /// What was printed, in the order in which work-items came to it.
    pub lines: Vec<Said>,
    /// Whether more was printed than there is room for.
    pub is_cut: bool,
}

/// A message and the values in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Its place in the list of messages.
    pub message: usize,
    /// One for each [`MessagePart::Value`].
    pub values: Vec<Literal>,
}

/// The messages of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// All of them, by number.
    pub list: Vec<Message>,
    /// Whether the kernel takes a report. It may do so with nothing to say, if that is in code that
    /// never runs.
    pub has_report: bool,
}

impl Messages {
    /// How many bytes the report of a launch has; `None` if the kernel has nothing to say.
    pub fn report_bytes(&self) -> Option<usize> {
        let prints = self.list.iter().any(|each| each.kind == MessageKind::Line);
        let words = RECORDS + if prints { CAPACITY } else { 0 };
        self.has_report.then_some(words * size_of::<i32>())
    }

    /// Whether it may raise an exception.
    pub fn has_exceptions(&self) -> bool {
        let is_exception = |kind: &MessageKind| matches!(kind, MessageKind::Exception { .. });
        self.list.iter().any(|each| is_exception(&each.kind))
    }

    /// Reads the report of a launch.
    pub fn read(&self, report: &[u8]) -> Heard {
        let words: Vec<u32> = report
            .chunks_exact(size_of::<u32>())
            .map(|word| word.try_into().map_or(0, u32::from_ne_bytes))
            .collect();
        let mut heard = Heard::default();
        let (Some(head), Some(records)) = (words.get(..RECORDS), words.get(RECORDS..)) else {
            return heard;
        };
        heard.failure = self.said(head[FAILED], &head[VALUES..]);
        heard.work_item = wide(head[WORK_ITEM], head[WORK_ITEM + 1]);
        let asked_for = head[PRINTED] as usize;
        heard.is_cut = asked_for > records.len();
        let mut rest = &records[..asked_for.min(records.len())];
        // A record that did not fit was not written, and nothing after it was.
        while let [number, values @ ..] = rest
            && let Some(said) = self.said(*number, values)
        {
            let length: usize = said
                .values
                .iter()
                .map(|value| word_count(value.dtype()))
                .sum();
            rest = values.get(length..).unwrap_or_default();
            heard.lines.push(said);
        }
        heard
    }

    fn said(&self, number: u32, mut words: &[u32]) -> Option<Said> {
        let message = (number as usize).checked_sub(1)?;
        let mut values = Vec::new();
        for part in &self.list.get(message)?.parts {
            if let MessagePart::Value { dtype, .. } = part {
                let (own, rest) = words.split_at_checked(word_count(*dtype))?;
                values.push(value(*dtype, own));
                words = rest;
            }
        }
        Some(Said { message, values })
    }
}

/// How many words a value of a dtype takes.
pub(crate) fn word_count(dtype: DType) -> usize {
    dtype.size_bytes().div_ceil(size_of::<u32>())
}

fn value(dtype: DType, words: &[u32]) -> Literal {
    let bits = words
        .iter()
        .rev()
        .fold(0_u128, |bits, word| bits << u32::BITS | u128::from(*word));
    Literal::from_bits(dtype, bits)
}

fn wide(low: u32, high: u32) -> u64 {
    u64::from(high) << u32::BITS | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> Messages {
        let value = |dtype| MessagePart::Value {
            dtype,
            format: String::new(),
        };
        let message = |kind, parts| Message {
            kind,
            parts,
            place: "f.py:1".to_owned(),
        };
        let condition = "i < n".to_owned();
        Messages {
            list: vec![
                message(MessageKind::Assertion { condition }, vec![value(DType::I8)]),
                message(
                    MessageKind::Line,
                    vec![value(DType::F64), value(DType::Bool)],
                ),
            ],
            has_report: true,
        }
    }

    fn report(messages: &Messages, change: impl FnOnce(&mut [u32])) -> Heard {
        let mut words = vec![0_u32; messages.report_bytes().unwrap() / 4];
        change(&mut words);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        messages.read(&bytes)
    }

    #[test]
    fn an_empty_report_says_nothing() {
        assert_eq!(report(&messages(), |_| {}), Heard::default());
        assert_eq!(Messages::default().report_bytes(), None);
    }

    #[test]
    fn failures_and_lines_are_read_with_their_values() {
        let bits = 1.5_f64.to_bits();
        let heard = report(&messages(), |words| {
            words[FAILED] = 1;
            words[WORK_ITEM] = 7;
            words[WORK_ITEM + 1] = 1;
            words[VALUES] = -3_i32 as u32;
            words[PRINTED] = 8;
            for start in [RECORDS, RECORDS + 4] {
                words[start] = 2;
                words[start + 1] = bits as u32;
                words[start + 2] = (bits >> 32) as u32;
                words[start + 3] = 1;
            }
        });
        let line = Said {
            message: 1,
            values: vec![Literal::F64(1.5), Literal::Bool(true)],
        };
        let failure = Said {
            message: 0,
            values: vec![Literal::I8(-3)],
        };
        assert_eq!(heard.failure, Some(failure));
        assert_eq!(heard.work_item, (1 << 32) + 7);
        assert_eq!(heard.lines, [line.clone(), line]);
        assert!(!heard.is_cut);
    }

    #[test]
    fn lines_that_did_not_fit_are_missed() {
        let heard = report(&messages(), |words| {
            words[PRINTED] = CAPACITY as u32 + 4;
        });
        assert!(heard.is_cut && heard.lines.is_empty());
    }
}
