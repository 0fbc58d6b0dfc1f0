//! How a device is cut into sub-devices.
//!
//! A device is a row of compute units. Parts are runs of that row (`Equally`, `ByCounts`) or the
//! units that share a cache or a memory node (`ByAffinity`). Which units there are and what they
//! share is the driver's business; the arithmetic is here, for every backend alike.

use std::fmt;

use crate::backend::opencl::Status;

/// A way to cut a device into sub-devices.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Partition {
    /// Parts of this many compute units each; units that are left over belong to no part.
    Equally(usize),
    /// Parts of these many compute units, one after the other.
    ByCounts(Vec<usize>),
    /// One part for each group of compute units that share something.
    ByAffinity(AffinityDomain),
}

/// What the compute units of one part have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AffinityDomain {
    /// A memory node.
    Numa,
    /// A fourth-level cache.
    L4Cache,
    /// A third-level cache.
    L3Cache,
    /// A second-level cache.
    L2Cache,
    /// A first-level data cache.
    L1Cache,
    /// The outermost of the others that makes more than one part.
    NextPartitionable,
}

impl AffinityDomain {
    /// Every domain; real ones from the outermost to the innermost.
    pub const ALL: [Self; 6] = [
        Self::Numa,
        Self::L4Cache,
        Self::L3Cache,
        Self::L2Cache,
        Self::L1Cache,
        Self::NextPartitionable,
    ];

    /// The word users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Numa => "numa",
            Self::L4Cache => "L4_cache",
            Self::L3Cache => "L3_cache",
            Self::L2Cache => "L2_cache",
            Self::L1Cache => "L1_cache",
            Self::NextPartitionable => "next_partitionable",
        }
    }

    /// The domain with a name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let named = |domain: &Self| domain.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(named)
    }

    /// What is shared, in words.
    const fn noun(self) -> &'static str {
        match self {
            Self::Numa => "memory node",
            Self::L4Cache => "fourth-level cache",
            Self::L3Cache => "third-level cache",
            Self::L2Cache => "second-level cache",
            Self::L1Cache => "first-level cache",
            Self::NextPartitionable => "cache and memory node",
        }
    }
}

impl fmt::Display for AffinityDomain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Written as in a sub-device's label: `equally(2)`, `by_counts(1,3)`, `by_affinity(numa)`.
impl fmt::Display for Partition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equally(units) => write!(formatter, "equally({units})"),
            Self::ByCounts(counts) => {
                let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
                write!(formatter, "by_counts({})", counts.join(","))
            }
            Self::ByAffinity(domain) => write!(formatter, "by_affinity({domain})"),
        }
    }
}

/// Why a device cannot be cut in some way.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartitionProblem {
    /// There is only one compute unit.
    OneUnit,
    /// No parts, or parts without compute units, were asked for.
    EmptyPart,
    /// The parts need more compute units than there are.
    TooFewUnits {
        /// What the parts need.
        wanted: usize,
        /// What there is.
        available: usize,
    },
    /// All compute units share one of the domain.
    OneDomain {
        /// What they share.
        domain: AffinityDomain,
        /// How many units there are.
        units: usize,
    },
    /// The device's driver does not do it.
    Refused {
        /// What it says.
        status: Status,
    },
    /// The SYCL runtime does not do it.
    RefusedBySycl {
        /// What it says, if that came through.
        message: Option<String>,
    },
    /// The machine has no such domain, or does not say which units share it.
    NoDomain {
        /// What was asked for.
        domain: AffinityDomain,
    },
}

impl fmt::Display for PartitionProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneUnit => {
                formatter.write_str("it has one compute unit, which cannot be divided")
            }
            Self::EmptyPart => formatter.write_str("every part needs at least one compute unit"),
            Self::TooFewUnits { wanted, available } => write!(
                formatter,
                "that takes {wanted} compute units, and the device has {available}"
            ),
            Self::OneDomain { domain, units } => write!(
                formatter,
                "its {units} compute units all share one {}",
                domain.noun()
            ),
            Self::Refused { status } => write!(formatter, "its driver refuses with {status}"),
            Self::RefusedBySycl { message } => match message {
                Some(message) => write!(formatter, "the SYCL runtime refuses: {message}"),
                None => formatter.write_str("the SYCL runtime refuses, and does not say why"),
            },
            Self::NoDomain { domain } => write!(
                formatter,
                "nothing is known about a {} of this device",
                domain.noun()
            ),
        }
    }
}

/// Which partitions a device can make.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartitionInfo {
    /// The most sub-devices there can be; zero when the device cannot be partitioned.
    pub max_sub_devices: usize,
    /// The domains that make more than one part, the outermost first.
    pub affinity_domains: Vec<AffinityDomain>,
}

impl PartitionInfo {
    /// What a device of some compute units can do.
    pub(crate) fn new(units: usize, affinity_domains: Vec<AffinityDomain>) -> Self {
        Self {
            max_sub_devices: if units > 1 { units } else { 0 },
            affinity_domains,
        }
    }

    /// The kinds of partition that can work, by the words of the Python keywords.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        if self.max_sub_devices > 0 {
            kinds.extend(["equally", "by_counts"]);
        }
        if !self.affinity_domains.is_empty() {
            kinds.push("by_affinity");
        }
        kinds
    }

    /// Whether a partition can be made of so many compute units by a driver that knows about affinity
    /// only what is in here.
    pub(crate) fn check(
        &self,
        partition: &Partition,
        compute_units: usize,
    ) -> Result<(), PartitionProblem> {
        match *partition {
            Partition::ByAffinity(domain @ AffinityDomain::NextPartitionable) => {
                Err(PartitionProblem::NoDomain { domain })
            }
            Partition::ByAffinity(domain) if !self.affinity_domains.contains(&domain) => {
                let units = compute_units;
                Err(PartitionProblem::OneDomain { domain, units })
            }
            Partition::ByAffinity(_) => Ok(()),
            Partition::Equally(_) | Partition::ByCounts(_) => {
                let is_divisible = self.max_sub_devices > 0;
                let units = if is_divisible { compute_units } else { 1 };
                let units: Vec<usize> = (0..units).collect();
                partition.cut(&units, |_, _| None::<usize>).map(drop)
            }
        }
    }

    /// The same as advice.
    pub(crate) fn advice(&self) -> String {
        if self.max_sub_devices == 0 {
            return "use the device as it is".to_owned();
        }
        let units = self.max_sub_devices;
        let affinity: Vec<String> = self
            .affinity_domains
            .iter()
            .map(|domain| format!(", or for affinity to `{domain}`"))
            .collect();
        let affinity = affinity.concat();
        format!(
            "ask for equal parts of 1 to {units} compute units, or for counts that add up to {units} \
             at most{affinity}"
        )
    }
}

impl Partition {
    /// The parts of a row of compute units; `shared_by` tells which one of a domain a unit shares, if
    /// that is known.
    pub(crate) fn cut<U: Copy, K: PartialEq>(
        &self,
        units: &[U],
        shared_by: impl Fn(U, AffinityDomain) -> Option<K>,
    ) -> Result<Vec<Vec<U>>, PartitionProblem> {
        if units.len() < 2 {
            return Err(PartitionProblem::OneUnit);
        }
        match self {
            Self::Equally(0) => Err(PartitionProblem::EmptyPart),
            Self::Equally(count) => {
                let parts: Vec<Vec<U>> = units.chunks_exact(*count).map(<[U]>::to_vec).collect();
                if parts.is_empty() {
                    return Err(too_few(*count, units));
                }
                Ok(parts)
            }
            Self::ByCounts(counts) => cut_by_counts(units, counts),
            Self::ByAffinity(domain) => cut_by_affinity(units, *domain, shared_by),
        }
    }
}

/// The domains that cut these units into more than one part, the outermost first.
pub(crate) fn affinity_domains<U: Copy, K: PartialEq>(
    units: &[U],
    shared_by: impl Fn(U, AffinityDomain) -> Option<K> + Copy,
) -> Vec<AffinityDomain> {
    let makes_parts =
        |domain: &AffinityDomain| Partition::ByAffinity(*domain).cut(units, shared_by).is_ok();
    let real = AffinityDomain::ALL.into_iter();
    real.filter(|domain| *domain != AffinityDomain::NextPartitionable)
        .filter(makes_parts)
        .collect()
}

fn too_few<U>(wanted: usize, units: &[U]) -> PartitionProblem {
    PartitionProblem::TooFewUnits {
        wanted,
        available: units.len(),
    }
}

fn cut_by_counts<U: Copy>(units: &[U], counts: &[usize]) -> Result<Vec<Vec<U>>, PartitionProblem> {
    if counts.is_empty() || counts.contains(&0) {
        return Err(PartitionProblem::EmptyPart);
    }
    let mut rest = units;
    let mut parts = Vec::with_capacity(counts.len());
    for count in counts {
        let Some((part, after)) = rest.split_at_checked(*count) else {
            let wanted = counts
                .iter()
                .fold(0, |sum: usize, n| sum.saturating_add(*n));
            return Err(too_few(wanted, units));
        };
        parts.push(part.to_vec());
        rest = after;
    }
    Ok(parts)
}

fn cut_by_affinity<U: Copy, K: PartialEq>(
    units: &[U],
    domain: AffinityDomain,
    shared_by: impl Fn(U, AffinityDomain) -> Option<K>,
) -> Result<Vec<Vec<U>>, PartitionProblem> {
    let mut parts: Vec<(K, Vec<U>)> = Vec::new();
    for unit in units.iter().copied() {
        let key = shared_by(unit, domain).ok_or(PartitionProblem::NoDomain { domain })?;
        match parts.iter_mut().find(|(known, _)| *known == key) {
            Some((_, part)) => part.push(unit),
            None => parts.push((key, vec![unit])),
        }
    }
    if parts.len() < 2 {
        return Err(PartitionProblem::OneDomain {
            domain,
            units: units.len(),
        });
    }
    Ok(parts.into_iter().map(|(_, part)| part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: [usize; 6] = [0, 1, 2, 3, 4, 5];

    /// Two nodes of three units; every unit its own first-level cache; nothing known of others.
    fn shared_by(unit: usize, domain: AffinityDomain) -> Option<usize> {
        match domain {
            AffinityDomain::Numa => Some(unit / 3),
            AffinityDomain::L3Cache => Some(0),
            AffinityDomain::L1Cache => Some(unit),
            _ => None,
        }
    }

    fn cut(partition: &Partition) -> Result<Vec<Vec<usize>>, PartitionProblem> {
        partition.cut(&UNITS, shared_by)
    }

    #[test]
    fn equal_parts_leave_the_remainder_out() {
        let parts = cut(&Partition::Equally(4)).unwrap();
        assert_eq!(parts, [vec![0, 1, 2, 3]]);
        assert_eq!(cut(&Partition::Equally(2)).unwrap().len(), 3);
        assert_eq!(
            cut(&Partition::Equally(7)),
            Err(PartitionProblem::TooFewUnits {
                wanted: 7,
                available: 6
            })
        );
        assert_eq!(
            cut(&Partition::Equally(0)),
            Err(PartitionProblem::EmptyPart)
        );
    }

    #[test]
    fn counts_are_served_one_after_the_other() {
        let parts = cut(&Partition::ByCounts(vec![1, 3])).unwrap();
        assert_eq!(parts, [vec![0], vec![1, 2, 3]]);
        for counts in [vec![], vec![2, 0]] {
            assert_eq!(
                cut(&Partition::ByCounts(counts)),
                Err(PartitionProblem::EmptyPart)
            );
        }
        let wanted = usize::MAX;
        assert_eq!(
            cut(&Partition::ByCounts(vec![1, usize::MAX])),
            Err(PartitionProblem::TooFewUnits {
                wanted,
                available: 6
            })
        );
    }

    #[test]
    fn affinity_groups_what_is_shared() {
        let by = |domain| cut(&Partition::ByAffinity(domain));
        assert_eq!(
            by(AffinityDomain::Numa).unwrap(),
            [vec![0, 1, 2], vec![3, 4, 5]]
        );
        assert_eq!(by(AffinityDomain::L1Cache).unwrap().len(), 6);
        let domain = AffinityDomain::L3Cache;
        assert_eq!(
            by(domain),
            Err(PartitionProblem::OneDomain { domain, units: 6 })
        );
        let domain = AffinityDomain::L2Cache;
        assert_eq!(by(domain), Err(PartitionProblem::NoDomain { domain }));
        let domains = affinity_domains(&UNITS, shared_by);
        assert_eq!(domains, [AffinityDomain::Numa, AffinityDomain::L1Cache]);
    }

    #[test]
    fn a_single_unit_is_not_divided() {
        for partition in [Partition::Equally(1), Partition::ByCounts(vec![1])] {
            assert_eq!(
                partition.cut(&[0], shared_by),
                Err(PartitionProblem::OneUnit)
            );
        }
        assert_eq!(PartitionInfo::new(1, vec![]).kinds(), [""; 0]);
        assert_eq!(
            PartitionInfo::new(2, vec![]).kinds(),
            ["equally", "by_counts"]
        );
    }

    #[test]
    fn partitions_and_domains_have_names() {
        assert_eq!(
            Partition::ByCounts(vec![1, 3]).to_string(),
            "by_counts(1,3)"
        );
        for domain in AffinityDomain::ALL {
            assert_eq!(AffinityDomain::from_name(domain.name()), Some(domain));
        }
        assert_eq!(
            AffinityDomain::from_name("l3_CACHE"),
            Some(AffinityDomain::L3Cache)
        );
        assert_eq!(AffinityDomain::from_name("socket"), None);
    }
}
