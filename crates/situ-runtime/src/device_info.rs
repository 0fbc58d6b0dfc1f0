//! Facts and limits of a device, and the one table that names them.
//!
//! A driver fills [`DeviceInfo`]; what it cannot find out stays `None` and is left out of every list.
//! [`FACTS`] gives each fact its name, unit and meaning. Python's `Device.info`, its properties, and
//! `situ devices` in both its forms are made from that table, so there is no second list to keep.

use std::fmt;

use situ_codegen::llvm::TargetOptions;

use crate::aspect::Aspect;
use crate::device::Device;
use crate::partition::PartitionInfo;

/// Facts and limits of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// What the manufacturer calls it.
    pub name: String,
    /// Who made the hardware.
    pub vendor: Option<String>,
    /// The version of the software that drives it.
    pub driver_version: String,
    /// How many work-groups can run at the same moment.
    pub compute_units: usize,
    /// The highest clock rate.
    pub clock_mhz: Option<u64>,
    /// Memory the device can allocate from.
    pub memory_bytes: u64,
    /// The largest single allocation.
    pub max_allocation_bytes: u64,
    /// The cache between compute units and memory.
    pub cache: Option<CacheInfo>,
    /// The most local memory a work-group can have.
    pub max_local_bytes: u64,
    /// The largest work-group.
    pub max_work_group_size: u64,
    /// The largest work-group along each of three dimensions, slowest first. Ranges of fewer
    /// dimensions have the last ones.
    pub max_work_item_sizes: [u64; 3],
    /// Work-items in a sub-group: every size there is.
    pub sub_group_sizes: Vec<u32>,
    /// Whether sub-groups of a work-group progress without waiting for each other.
    pub sub_groups_progress_independently: bool,
    /// Elements that the hardware computes with at once.
    pub native_vector_widths: VectorWidths,
    /// Elements that kernels should compute with at once.
    pub preferred_vector_widths: VectorWidths,
    /// The tick of the clock behind profiling times.
    pub timer_resolution_ns: Option<u64>,
    /// The size of an address.
    pub address_bits: u32,
    /// Whether the least significant byte of a number comes first.
    pub is_little_endian: bool,
    /// How it can be cut into sub-devices.
    pub partition: PartitionInfo,
    /// What it can do, in alphabetical order.
    pub aspects: Vec<Aspect>,
}

impl DeviceInfo {
    /// The work-items in a sub-group of kernels that demand no size.
    pub fn sub_group_size(&self) -> u32 {
        Self::usual_sub_group_size(&self.sub_group_sizes)
    }

    /// Which of some sizes to use: that of the native device, so that programs mean the same, or
    /// else the smallest.
    pub(crate) fn usual_sub_group_size(sizes: &[u32]) -> u32 {
        let usual = TargetOptions::DEFAULT_SUB_GROUP_SIZE;
        if sizes.contains(&usual) {
            return usual;
        }
        sizes.iter().copied().min().unwrap_or(1)
    }
}

/// A cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheInfo {
    /// Its size.
    pub size_bytes: u64,
    /// The size of what it loads at once.
    pub line_bytes: Option<u64>,
}

/// Elements in a vector, by C type; 0 where the type is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorWidths {
    /// 8-bit integers.
    pub char: u32,
    /// 16-bit integers.
    pub short: u32,
    /// 32-bit integers.
    pub int: u32,
    /// 64-bit integers.
    pub long: u32,
    /// Half-precision numbers.
    pub half: u32,
    /// Single-precision numbers.
    pub float: u32,
    /// Double-precision numbers.
    pub double: u32,
}

impl VectorWidths {
    /// One element at a time, whatever its type.
    pub(crate) const SCALAR: Self = Self {
        char: 1,
        short: 1,
        int: 1,
        long: 1,
        half: 1,
        float: 1,
        double: 1,
    };

    /// The elements of a vector register; half-precision numbers are the caller's to say.
    pub(crate) const fn of_register(bits: u32, half: u32) -> Self {
        Self {
            char: bits / 8,
            short: bits / 16,
            int: bits / 32,
            long: bits / 64,
            half,
            float: bits / 32,
            double: bits / 64,
        }
    }
}

/// The value of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactValue {
    /// A number.
    Number(u64),
    /// Several numbers.
    Numbers(Vec<u64>),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text(String),
    /// Several words.
    Words(Vec<&'static str>),
}

impl fmt::Display for FactValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Numbers(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
                formatter.write_str(&numbers.join(", "))
            }
            Self::Flag(flag) => formatter.write_str(if *flag { "yes" } else { "no" }),
            Self::Text(text) => formatter.write_str(text),
            Self::Words(words) => formatter.write_str(&words.join(", ")),
        }
    }
}

/// One thing that can be known about a device.
#[derive(Debug, Clone, Copy)]
pub struct Fact {
    /// Its name, also the name of the Python property.
    pub name: &'static str,
    /// What numbers count, where that is not plain.
    pub unit: Option<&'static str>,
    /// What it means, in one sentence.
    pub doc: &'static str,
    /// Finds it; `None` when it is not known.
    pub value: fn(&Device) -> Option<FactValue>,
}

impl Device {
    /// Everything that is known about the device, in the order of [`FACTS`].
    pub fn facts(&self) -> impl Iterator<Item = (&'static Fact, FactValue)> {
        FACTS
            .iter()
            .filter_map(|fact| Some((fact, (fact.value)(self)?)))
    }
}

macro_rules! facts {
    ($($name:ident $(in $unit:literal)? : $doc:literal => $value:expr;)+) => {
        /// Every fact, in the order in which people read them.
        pub static FACTS: &[Fact] = &[$(
            Fact {
                name: stringify!($name),
                unit: facts!(@unit $($unit)?),
                doc: $doc,
                value: $value,
            },
        )+];
    };
    (@unit) => { None };
    (@unit $unit:literal) => { Some($unit) };
}

facts! {
    filter_string: "The selector that always means this device, for example `native:cpu:0`; a sub-device has a label of the same look instead." =>
        |device| text(&device.filter_string());
    name: "What the manufacturer calls it." => |device| text(&device.info().name);
    backend: "The backend that drives it." => |device| text(device.backend().name());
    device_type: "`cpu`, `gpu` or `accelerator`." => |device| text(device.device_type().name());
    vendor: "Who made the hardware." => |device| text(device.info().vendor.as_ref()?);
    driver_version: "The version of the software that drives it." =>
        |device| text(&device.info().driver_version);
    compute_units: "How many work-groups can run at the same moment." =>
        |device| number(device.info().compute_units as u64);
    cores: "The numbers of the processors its threads keep to, unless they may use all." =>
        |device| {
            let cores = device.driver().cores()?.cores();
            Some(FactValue::Numbers(cores.iter().map(|core| *core as u64).collect()))
        };
    clock_mhz in "MHz": "The highest clock rate." => |device| number(device.info().clock_mhz?);
    memory_bytes in "bytes": "Memory the device can allocate from." =>
        |device| number(device.info().memory_bytes);
    free_memory_bytes in "bytes": "Memory that is free at this moment." =>
        |device| number(device.free_memory_bytes()?);
    max_allocation_bytes in "bytes": "The largest single allocation." =>
        |device| number(device.info().max_allocation_bytes);
    cache_bytes in "bytes": "The size of the cache between compute units and memory." =>
        |device| number(device.info().cache?.size_bytes);
    cache_line_bytes in "bytes": "What the cache loads at once." =>
        |device| number(device.info().cache?.line_bytes?);
    cache_type: "What the cache serves: `read_write` or `read_only`." =>
        |device| device.info().cache.and_then(|_| text("read_write"));
    local_memory_bytes in "bytes": "The most local memory a work-group can have." =>
        |device| number(device.info().max_local_bytes);
    max_work_group_size in "work-items": "The largest work-group." =>
        |device| number(device.info().max_work_group_size);
    max_work_item_dims: "How many dimensions a range can have." =>
        |device| number(device.info().max_work_item_sizes.len() as u64);
    max_work_item_sizes_1d in "work-items": "The largest work-group of a one-dimensional range." =>
        |device| sizes(device, 1);
    max_work_item_sizes_2d in "work-items": "The largest work-group along each of two dimensions." =>
        |device| sizes(device, 2);
    max_work_item_sizes_3d in "work-items": "The largest work-group along each of three dimensions." =>
        |device| sizes(device, 3);
    sub_group_sizes in "work-items": "Every size a sub-group can have." =>
        |device| Some(FactValue::Numbers(device.info().sub_group_sizes.iter().map(|s| u64::from(*s)).collect()));
    max_num_sub_groups: "The most sub-groups in a work-group." =>
        |device| {
            let smallest = *device.info().sub_group_sizes.iter().min()?;
            number(device.info().max_work_group_size.div_ceil(u64::from(smallest)))
        };
    sub_groups_progress_independently: "Whether sub-groups of a work-group progress without waiting for each other." =>
        |device| Some(FactValue::Flag(device.info().sub_groups_progress_independently));
    native_vector_width_char: "8-bit integers that the hardware computes with at once." =>
        |device| width(device.info().native_vector_widths.char);
    native_vector_width_short: "16-bit integers that the hardware computes with at once." =>
        |device| width(device.info().native_vector_widths.short);
    native_vector_width_int: "32-bit integers that the hardware computes with at once." =>
        |device| width(device.info().native_vector_widths.int);
    native_vector_width_long: "64-bit integers that the hardware computes with at once." =>
        |device| width(device.info().native_vector_widths.long);
    native_vector_width_half: "Half-precision numbers that the hardware computes with at once; 0 without an instruction for them." =>
        |device| width(device.info().native_vector_widths.half);
    native_vector_width_float: "Single-precision numbers that the hardware computes with at once." =>
        |device| width(device.info().native_vector_widths.float);
    native_vector_width_double: "Double-precision numbers that the hardware computes with at once." =>
        |device| width(device.info().native_vector_widths.double);
    preferred_vector_width_char: "8-bit integers that kernels should compute with at once." =>
        |device| width(device.info().preferred_vector_widths.char);
    preferred_vector_width_short: "16-bit integers that kernels should compute with at once." =>
        |device| width(device.info().preferred_vector_widths.short);
    preferred_vector_width_int: "32-bit integers that kernels should compute with at once." =>
        |device| width(device.info().preferred_vector_widths.int);
    preferred_vector_width_long: "64-bit integers that kernels should compute with at once." =>
        |device| width(device.info().preferred_vector_widths.long);
    preferred_vector_width_half: "Half-precision numbers that kernels should compute with at once." =>
        |device| width(device.info().preferred_vector_widths.half);
    preferred_vector_width_float: "Single-precision numbers that kernels should compute with at once." =>
        |device| width(device.info().preferred_vector_widths.float);
    preferred_vector_width_double: "Double-precision numbers that kernels should compute with at once." =>
        |device| width(device.info().preferred_vector_widths.double);
    timer_resolution_ns in "ns": "The tick of the clock behind profiling times." =>
        |device| number(device.info().timer_resolution_ns?);
    address_bits in "bits": "The size of an address." =>
        |device| number(u64::from(device.info().address_bits));
    is_little_endian: "Whether the least significant byte of a number comes first." =>
        |device| Some(FactValue::Flag(device.info().is_little_endian));
    max_sub_devices: "The most sub-devices it can be cut into; 0 when it cannot be partitioned." =>
        |device| number(device.info().partition.max_sub_devices as u64);
    partition_kinds: "The ways in which it can be partitioned." =>
        |device| Some(FactValue::Words(device.info().partition.kinds()));
    partition_affinity_domains: "What it can be partitioned by affinity to, the outermost first." =>
        |device| Some(FactValue::Words(device.info().partition.affinity_domains.iter().map(|d| d.name()).collect()));
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "facts that are not known are `None`"
)]
fn text(text: &str) -> Option<FactValue> {
    Some(FactValue::Text(text.to_owned()))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "facts that are not known are `None`"
)]
fn number(number: u64) -> Option<FactValue> {
    Some(FactValue::Number(number))
}

fn width(width: u32) -> Option<FactValue> {
    number(u64::from(width))
}

fn sizes(device: &Device, dims: usize) -> Option<FactValue> {
    let sizes = device.info().max_work_item_sizes.get(3 - dims..)?;
    Some(FactValue::Numbers(sizes.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_its_own_name_and_a_meaning() {
        for (position, fact) in FACTS.iter().enumerate() {
            assert!(
                FACTS[..position]
                    .iter()
                    .all(|earlier| earlier.name != fact.name)
            );
            assert!(fact.doc.ends_with('.'), "{}", fact.name);
        }
    }

    #[test]
    fn devices_tell_what_they_know() {
        for device in Device::all().iter() {
            let facts: Vec<_> = device.facts().collect();
            let find = |name: &str| {
                let found = facts.iter().find(|(fact, _)| fact.name == name);
                found.map(|(_, value)| value.clone())
            };
            assert_eq!(find("filter_string"), text(&device.filter_string()));
            assert_eq!(find("max_work_item_sizes_2d"), sizes(device, 2));
            let Some(FactValue::Number(free)) = find("free_memory_bytes") else {
                panic!("Linux says how much memory is free");
            };
            assert!(free <= device.info().memory_bytes);
        }
    }
}
