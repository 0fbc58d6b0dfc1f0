//! Device selectors: `cpu`, `native:cpu:0`, `gpu+fp64,cpu` and everything in between.
//!
//! ```text
//! selector    = alternative { "," alternative }
//! alternative = [ place ] { "+" aspect | "-" aspect }
//! place       = backend | type | number, joined by ":" in this order
//! ```
//! - Any part of a place may be left out. The number counts the devices that fit everything else in
//!   the alternative, from 0.
//! - `+` requires an aspect, `-` excludes one.
//! - The first alternative that a device fits is meant.
//! - The reference device is meant only when its backend is named, because it is for checking programs
//!   and not for running them.

use std::fmt;

use situ_ir::nearest::{distance, nearest};

use crate::aspect::Aspect;
use crate::device::{BackendKind, Device, DeviceType};
use crate::error::{Error, Result};
use crate::registry;

/// Finds the device a selector means.
///
/// # Errors
/// [`Error::UnknownSelector`], which lists every selector that would have worked.
pub fn select(selector: &str) -> Result<Device> {
    if let Some(device) = select_built_in(&registry::built_in(), selector) {
        return Ok(device);
    }
    select_among(&Device::all(), selector)
}

/// The device that a selector means if that can be told without looking for drivers.
fn select_built_in(built_in: &[Device], selector: &str) -> Option<Device> {
    let alternatives = parse(built_in, selector).ok()?;
    for alternative in alternatives {
        match alternative.backend {
            // Devices of drivers come after the default device, and may come before all others.
            None => {
                let found = alternative.find(built_in)?;
                return (found == built_in[0]).then_some(found);
            }
            Some(BackendKind::OpenCl | BackendKind::Sycl) => return None,
            Some(_) => {
                if let Some(found) = alternative.find(built_in) {
                    return Some(found);
                }
            }
        }
    }
    None
}

/// Finds all devices that fit a selector, in the order of its alternatives; there may be none.
///
/// # Errors
/// [`Error::UnknownSelector`] when the selector contains a word that means nothing.
pub fn select_all(selector: &str) -> Result<Vec<Device>> {
    select_all_among(&Device::all(), selector)
}

/// The aspect with a name.
///
/// # Errors
/// [`Error::UnknownAspect`], which lists all there are.
pub fn aspect(name: &str) -> Result<Aspect> {
    Aspect::from_name(name).ok_or_else(|| {
        let mut available: Vec<&str> = Aspect::ALL.iter().map(|aspect| aspect.name()).collect();
        available.sort_by_key(|known| distance(name, known));
        Error::UnknownAspect {
            name: name.to_owned(),
            available,
        }
    })
}

/// What keeps a selector from meaning a device.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectorProblem {
    /// There is nothing in it, or nothing between two commas.
    Empty,
    /// A word is neither a backend, nor a device type, nor a number.
    UnknownWord {
        /// The word.
        word: String,
    },
    /// A word after `+` or `-` is no aspect.
    UnknownAspect {
        /// The word.
        word: String,
    },
    /// A word is known, but not at this place, or there is one too many.
    Misplaced {
        /// The word.
        word: String,
    },
    /// Fewer devices fit than the number asks for.
    NoDevice {
        /// The alternative, without its number.
        wanted: String,
        /// How many devices fit.
        count: usize,
    },
}

impl fmt::Display for SelectorProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("a selector names a backend, a type or a number"),
            Self::UnknownWord { word } => {
                write!(formatter, "`{word}` is no backend, device type or number")?;
                suggest(formatter, word, place_words())
            }
            Self::UnknownAspect { word } => {
                write!(formatter, "`{word}` is no aspect")?;
                suggest(
                    formatter,
                    word,
                    Aspect::ALL.iter().map(|aspect| aspect.name()),
                )
            }
            Self::Misplaced { word } => write!(
                formatter,
                "`{word}` is out of place; the order is backend:type:number"
            ),
            Self::NoDevice { wanted, count: 0 } => write!(formatter, "no device fits `{wanted}`"),
            Self::NoDevice { wanted, count: 1 } => {
                write!(formatter, "one device fits `{wanted}`, so its number is 0")
            }
            Self::NoDevice { wanted, count } => write!(
                formatter,
                "{count} devices fit `{wanted}`, so their numbers are 0 to {}",
                count - 1
            ),
        }
    }
}

fn suggest<'a>(
    formatter: &mut fmt::Formatter<'_>,
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> fmt::Result {
    match nearest(word, known) {
        Some(close) => write!(formatter, " (is `{close}` meant?)"),
        None => Ok(()),
    }
}

/// The words of backends and types.
fn place_words() -> impl Iterator<Item = &'static str> {
    let types = DeviceType::ALL.map(DeviceType::name);
    BackendKind::ALL
        .map(BackendKind::name)
        .into_iter()
        .chain(types)
}

fn select_among(devices: &[Device], selector: &str) -> Result<Device> {
    let alternatives = parse(devices, selector)?;
    let found = alternatives.iter().find_map(|one| one.find(devices));
    found.ok_or_else(|| {
        let missing = alternatives.iter().map(|one| one.missing(devices));
        unknown(devices, selector, missing.collect())
    })
}

fn select_all_among(devices: &[Device], selector: &str) -> Result<Vec<Device>> {
    let mut found: Vec<Device> = Vec::new();
    for alternative in parse(devices, selector)? {
        for device in alternative.find_all(devices) {
            if !found.contains(device) {
                found.push(device.clone());
            }
        }
    }
    Ok(found)
}

fn unknown(devices: &[Device], selector: &str, problems: Vec<SelectorProblem>) -> Error {
    let mut available = working_selectors(devices);
    available.sort_by_key(|working| distance(selector, working));
    Error::UnknownSelector {
        selector: selector.to_owned(),
        problems,
        available,
    }
}

fn parse(devices: &[Device], selector: &str) -> Result<Vec<Alternative>> {
    let mut problems = Vec::new();
    let alternatives = selector
        .split(',')
        .map(|text| Alternative::parse(text, &mut problems))
        .collect();
    if problems.is_empty() {
        return Ok(alternatives);
    }
    Err(unknown(devices, selector, problems))
}

/// What stands between two commas.
#[derive(Debug, Default, PartialEq, Eq)]
struct Alternative {
    backend: Option<BackendKind>,
    device_type: Option<DeviceType>,
    number: Option<usize>,
    required: Vec<Aspect>,
    excluded: Vec<Aspect>,
}

impl Alternative {
    fn parse(text: &str, problems: &mut Vec<SelectorProblem>) -> Self {
        let mut alternative = Self::default();
        let place_end = text.find(['+', '-']).unwrap_or(text.len());
        let (place, mut aspects) = text.split_at(place_end);
        if text.trim().is_empty() {
            problems.push(SelectorProblem::Empty);
        } else if !place.trim().is_empty() {
            alternative.parse_place(place, problems);
        }
        while let Some(sign) = aspects.chars().next() {
            let rest = &aspects[sign.len_utf8()..];
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let word = rest[..end].trim();
            match Aspect::from_name(word) {
                Some(aspect) if sign == '+' => alternative.required.push(aspect),
                Some(aspect) => alternative.excluded.push(aspect),
                None => problems.push(SelectorProblem::UnknownAspect {
                    word: word.to_owned(),
                }),
            }
            aspects = &rest[end..];
        }
        alternative
    }

    fn parse_place(&mut self, place: &str, problems: &mut Vec<SelectorProblem>) {
        /// How far the order of backend, type and number has come.
        #[derive(PartialEq, PartialOrd)]
        enum Reached {
            Nothing,
            Backend,
            Type,
            Number,
        }
        let mut reached = Reached::Nothing;
        for word in place.split(':').map(str::trim) {
            let step = if let Some(backend) = BackendKind::from_name(word) {
                self.backend = Some(backend);
                Reached::Backend
            } else if let Some(device_type) = DeviceType::from_name(word) {
                self.device_type = Some(device_type);
                Reached::Type
            } else if let Ok(number) = word.parse() {
                self.number = Some(number);
                Reached::Number
            } else {
                problems.push(SelectorProblem::UnknownWord {
                    word: word.to_owned(),
                });
                return;
            };
            if step <= reached {
                problems.push(SelectorProblem::Misplaced {
                    word: word.to_owned(),
                });
                return;
            }
            reached = step;
        }
    }

    fn find(&self, devices: &[Device]) -> Option<Device> {
        self.find_all(devices).next().cloned()
    }

    fn find_all<'a>(&self, devices: &'a [Device]) -> impl Iterator<Item = &'a Device> {
        let fitting = devices.iter().filter(|device| self.fits(device));
        let (skipped, taken) = self.number.map_or((0, usize::MAX), |number| (number, 1));
        fitting.skip(skipped).take(taken)
    }

    fn fits(&self, device: &Device) -> bool {
        let backend_fits = match self.backend {
            Some(backend) => device.backend() == backend,
            None => device.backend() != BackendKind::Reference,
        };
        backend_fits
            && self
                .device_type
                .is_none_or(|kind| device.device_type() == kind)
            && self.required.iter().all(|one| device.has_aspect(*one))
            && !self.excluded.iter().any(|one| device.has_aspect(*one))
    }

    /// Why [`Self::find`] finds nothing.
    fn missing(&self, devices: &[Device]) -> SelectorProblem {
        SelectorProblem::NoDevice {
            wanted: self.to_string(),
            count: devices.iter().filter(|device| self.fits(device)).count(),
        }
    }
}

/// Without the number.
impl fmt::Display for Alternative {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.backend, self.device_type) {
            (Some(backend), Some(device_type)) => write!(formatter, "{backend}:{device_type}")?,
            (Some(backend), None) => write!(formatter, "{backend}")?,
            (None, Some(device_type)) => write!(formatter, "{device_type}")?,
            (None, None) => {}
        }
        for aspect in &self.required {
            write!(formatter, "+{aspect}")?;
        }
        for aspect in &self.excluded {
            write!(formatter, "-{aspect}")?;
        }
        Ok(())
    }
}

/// Full names first, then the short forms that mean something here.
fn working_selectors(devices: &[Device]) -> Vec<String> {
    let mut selectors: Vec<String> = devices.iter().map(Device::filter_string).collect();
    let mut propose = |candidate: String| {
        let works = select_all_among(devices, &candidate).is_ok_and(|found| !found.is_empty());
        if works && !selectors.contains(&candidate) {
            selectors.push(candidate);
        }
    };
    for device in devices {
        let (backend, device_type) = (device.backend(), device.device_type());
        propose(format!("{backend}:{device_type}"));
        propose(backend.to_string());
        propose(device_type.to_string());
        for number in 0..devices.len() {
            propose(format!("{device_type}:{number}"));
        }
    }
    for number in 0..devices.len() {
        propose(number.to_string());
    }
    selectors
}

#[cfg(test)]
#[path = "selector_tests.rs"]
mod tests;
