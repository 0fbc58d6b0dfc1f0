//! What a `__sycl_usm_array_interface__` says, read once and checked.
//!
//! The dict comes from other packages, so nothing in it is believed: every entry has a refusal of its own that
//! says what was found. Whether the address leads to memory is not asked here.

use std::ops::Range;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_array::layout::{Layout, MAX_DIMS};
use situ_ir::DType;

use crate::dtype;

/// The attribute by which objects describe USM memory.
pub(crate) const ATTRIBUTE: &str = "__sycl_usm_array_interface__";

/// A description of memory, and of the elements in it.
pub(crate) struct Description<'py> {
    /// What the object is called that describes its memory, for messages.
    owner: String,
    /// The address that `offset` and `strides` are counted from.
    pub(crate) address: usize,
    /// From the first to the last byte of the elements; empty if there are none.
    pub(crate) bytes: Range<usize>,
    /// The entry `syclobj`, unless it is missing or `None`.
    pub(crate) sycl_object: Option<Bound<'py, PyAny>>,
    elements: Result<Elements, String>,
}

/// What is in the memory.
pub(crate) struct Elements {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<isize>,
    /// Of the first element, from the address.
    pub(crate) offset: isize,
}

impl<'py> Description<'py> {
    /// Reads the dict of an object.
    ///
    /// # Errors
    /// `ValueError` if it is no dict of version 1 with an address. What is wrong about elements is kept for
    /// [`Self::elements`]: memory is memory, whatever is in it.
    pub(crate) fn read(
        object: &Bound<'py, PyAny>,
        interface: &Bound<'py, PyAny>,
    ) -> PyResult<Self> {
        let owner = object.get_type().name()?.to_string();
        let refused = |why: &str| malformed(&owner, why);
        let dict = interface
            .cast::<PyDict>()
            .map_err(|_| refused(&format!("it is not a dict, but a `{}`", kind(interface))))?;
        let version = dict.get_item("version")?;
        if !version
            .as_ref()
            .is_some_and(|version| version.eq(1).unwrap_or(false))
        {
            let found = version.map_or_else(|| "missing".to_owned(), |version| shown(&version));
            return Err(refused(&format!("its version is not 1, but {found}")));
        }
        let data = dict
            .get_item("data")?
            .ok_or_else(|| refused("it has no entry `data`"))?;
        // The flag says whether the memory is only to be read in some packages, and whether it can be written
        // in dpctl, so that nothing follows from it.
        let (address, _): (usize, bool) = data.extract().map_err(|_| {
            let found = shown(&data);
            refused(&format!(
                "its entry `data` is not a pair of an address and a flag, but {found}"
            ))
        })?;
        let elements = Elements::read(dict);
        let bytes = match &elements {
            Ok(elements) => elements.bytes(address).map_err(|why| refused(&why))?,
            // What describes no elements is known by its address alone.
            Err(_) => address..address,
        };
        let sycl_object = dict.get_item("syclobj")?;
        Ok(Self {
            owner,
            address,
            bytes,
            sycl_object: sycl_object.filter(|object| !object.is_none()),
            elements,
        })
    }

    /// What is in the memory.
    ///
    /// # Errors
    /// `ValueError` if the dict does not say it, or says something that cannot be.
    pub(crate) fn elements(&self) -> PyResult<&Elements> {
        self.elements
            .as_ref()
            .map_err(|why| malformed(&self.owner, why))
    }

    /// The refusal of the memory for a reason that is found later.
    pub(crate) fn refused(&self, why: &str) -> PyErr {
        malformed(&self.owner, why)
    }

    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }
}

impl Elements {
    /// Reads the entries that say what the elements are; an error is the reason why there are none.
    fn read(dict: &Bound<'_, PyDict>) -> Result<Self, String> {
        let entry = |name: &str| {
            let found = dict.get_item(name).ok().flatten();
            found.filter(|found| !found.is_none())
        };
        let needed = |name: &str| entry(name).ok_or_else(|| format!("it has no entry `{name}`"));
        let typestr = needed("typestr")?;
        let dtype = dtype_of(&typestr)?;
        let shape = needed("shape")?;
        let shape: Vec<usize> = shape.extract().map_err(|_| {
            let found = shown(&shape);
            format!("its entry `shape` is not a tuple of sizes, but {found}")
        })?;
        if shape.len() > MAX_DIMS {
            return Err(format!(
                "its shape has {} dimensions, and arrays have at most {MAX_DIMS}",
                shape.len()
            ));
        }
        let contiguous = Layout::contiguous(&shape)
            .map_err(|_| format!("its shape {shape:?} has more elements than can be counted"))?;
        let strides: Vec<isize> = match entry("strides") {
            None => contiguous.strides().to_vec(),
            Some(strides) => strides.extract().map_err(|_| {
                let found = shown(&strides);
                format!("its entry `strides` is not a tuple of steps, but {found}")
            })?,
        };
        if strides.len() != shape.len() {
            return Err(format!(
                "its shape {shape:?} and strides {strides:?} differ in length"
            ));
        }
        let offset: isize = match entry("offset") {
            None => 0,
            Some(offset) => offset.extract().map_err(|_| {
                let found = shown(&offset);
                format!("its entry `offset` is not a number of elements, but {found}")
            })?,
        };
        Ok(Self {
            dtype,
            shape,
            strides,
            offset,
        })
    }

    /// The bytes that the elements are in, counted from an address.
    fn bytes(&self, address: usize) -> Result<Range<usize>, String> {
        if self.shape.contains(&0) {
            return Ok(address..address);
        }
        let element = self.dtype.size_bytes() as i128;
        let mut first = self.offset as i128;
        let mut last = first;
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            // Both are 64 bits wide, so that the product fits; so do sums of as many as there are dimensions.
            let reach = (size as i128 - 1) * stride as i128;
            first = first.saturating_add(reach.min(0));
            last = last.saturating_add(reach.max(0));
        }
        let place = |position: i128| {
            let place = position
                .checked_mul(element)?
                .checked_add(address as i128)?;
            usize::try_from(place).ok()
        };
        let outside = || {
            format!(
                "shape {:?}, strides {:?} and offset {} lead out of the address space",
                self.shape, self.strides, self.offset
            )
        };
        let start = place(first).ok_or_else(outside)?;
        let end = last.checked_add(1).and_then(place).ok_or_else(outside)?;
        Ok(start..end)
    }
}

/// The dtype that a `typestr` means.
fn dtype_of(typestr: &Bound<'_, PyAny>) -> Result<DType, String> {
    let unknown = || {
        let found = shown(typestr);
        format!("its entry `typestr` is {found}, which is no dtype of situ")
    };
    let numpy = typestr.py().import("numpy").map_err(|_| unknown())?;
    let meant = numpy.call_method1("dtype", (typestr,));
    let meant = meant.map_err(|_| unknown())?;
    let found = dtype::from_python(&meant).map_err(|_| unknown())?;
    let is_native = meant.getattr("isnative").and_then(|is| is.is_truthy());
    if !is_native.unwrap_or(false) {
        let found = shown(typestr);
        return Err(format!(
            "its entry `typestr` is {found}, and devices do not have that order of bytes"
        ));
    }
    Ok(found)
}

fn malformed(owner: &str, why: &str) -> PyErr {
    PyValueError::new_err(format!(
        "the `{ATTRIBUTE}` of `{owner}` cannot be used\n  why:  {why}\n  help: whoever wrote `{owner}` must \
         make it a dict of version 1 with data=(address, flag), shape, strides, typestr, offset and \
         syclobj"
    ))
}

/// An object as messages show it: not longer than a line.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> String {
    const LONGEST: usize = 60;
    let text = object.repr().map(|text| text.to_string());
    let text = text.unwrap_or_else(|_| format!("a `{}`", kind(object)));
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

fn kind(object: &Bound<'_, PyAny>) -> String {
    let name = object.get_type().name();
    name.map_or_else(|_| "object".to_owned(), |name| name.to_string())
}
