//! Device selectors: `cpu`, `native:cpu:0`, `reference`, `0` and everything in between.
//!
//! A selector names a backend, a device type and a number, in this order, and any of them may be
//! left out. The first device that fits is meant; the number counts the devices that fit the
//! other parts. The reference device is meant only when its backend is named, because it is for
//! checking programs and not for running them.

use crate::device::{BackendKind, Device, DeviceType};
use crate::error::{Error, Result};

/// Finds the device a selector means.
///
/// # Errors
/// [`Error::UnknownSelector`], which lists every selector that would have worked.
pub fn select(selector: &str) -> Result<Device> {
    select_among(&Device::all(), selector)
}

fn select_among(devices: &[Device], selector: &str) -> Result<Device> {
    Pattern::parse(selector)
        .and_then(|pattern| pattern.find(devices))
        .ok_or_else(|| Error::UnknownSelector {
            selector: selector.to_owned(),
            available: working_selectors(devices),
        })
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Pattern {
    backend: Option<BackendKind>,
    device_type: Option<DeviceType>,
    number: Option<usize>,
}

impl Pattern {
    fn parse(selector: &str) -> Option<Self> {
        let mut pattern = Self::default();
        let mut parts = selector.split(':').map(str::trim).peekable();
        let named = |name: &str, part: &str| name.eq_ignore_ascii_case(part);
        if let Some(part) = parts.peek() {
            pattern.backend = BackendKind::ALL
                .into_iter()
                .find(|kind| named(kind.name(), part));
            if pattern.backend.is_some() {
                parts.next();
            }
        }
        if let Some(part) = parts.peek() {
            pattern.device_type = DeviceType::ALL
                .into_iter()
                .find(|kind| named(kind.name(), part));
            if pattern.device_type.is_some() {
                parts.next();
            }
        }
        if let Some(part) = parts.next() {
            pattern.number = Some(part.parse().ok()?);
        }
        parts.next().is_none().then_some(pattern)
    }

    fn find(&self, devices: &[Device]) -> Option<Device> {
        devices
            .iter()
            .filter(|device| self.fits(device))
            .nth(self.number.unwrap_or(0))
            .cloned()
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
    }
}

/// Full names first, then the short forms that mean something here.
fn working_selectors(devices: &[Device]) -> Vec<String> {
    let mut selectors: Vec<String> = devices.iter().map(Device::filter_string).collect();
    for device in devices {
        let (backend, device_type) = (device.backend(), device.device_type());
        let short = [
            format!("{backend}:{device_type}"),
            backend.to_string(),
            device_type.to_string(),
            format!("{device_type}:{}", device.relative_id()),
            device.relative_id().to_string(),
        ];
        for candidate in short {
            let works = Pattern::parse(&candidate).is_some_and(|p| p.find(devices).is_some());
            if works && !selectors.contains(&candidate) {
                selectors.push(candidate);
            }
        }
    }
    selectors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_finds_its_device() {
        for (selector, expected) in [
            ("cpu", "native:cpu:0"),
            ("cpu:0", "native:cpu:0"),
            ("native", "native:cpu:0"),
            ("native:cpu", "native:cpu:0"),
            ("native:0", "native:cpu:0"),
            ("native:cpu:0", "native:cpu:0"),
            ("0", "native:cpu:0"),
            (" Native : CPU ", "native:cpu:0"),
            ("reference", "reference:cpu:0"),
            ("reference:cpu", "reference:cpu:0"),
            ("reference:cpu:0", "reference:cpu:0"),
        ] {
            let found =
                select_among(&Device::all()[..2], selector).map(|device| device.filter_string());
            assert_eq!(found.ok().as_deref(), Some(expected), "{selector}");
        }
    }

    #[test]
    fn unknown_selectors_list_all_that_work() {
        for selector in [
            "gpu",
            "cpu:7",
            "",
            "cpu:native",
            "native:cpu:0:0",
            "-1",
            "tpu",
            "1",
            ":",
        ] {
            match select_among(&Device::all()[..2], selector) {
                Err(Error::UnknownSelector {
                    selector: named,
                    available,
                }) => {
                    assert_eq!(named, selector);
                    for working in &available {
                        assert!(select(working).is_ok(), "{working}");
                    }
                    assert!(available.contains(&"native:cpu:0".to_owned()));
                    assert!(available.contains(&"cpu".to_owned()));
                }
                other => panic!("`{selector}` gave {other:?}"),
            }
        }
    }
}
