//! Which processors there are and what they share, as Linux describes it in `/sys`.
//!
//! Only processors that this process may use are looked at (its affinity mask). What a system does not
//! tell (containers and virtual machines often hide caches) is not known, and partitions that would
//! need it are refused; nothing is guessed.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::device_info::CacheInfo;
use crate::partition::AffinityDomain;

/// Where Linux describes the machine.
const SYSTEM: &str = "/sys/devices/system";

/// Levels of cache that can be asked about.
const CACHE_LEVELS: usize = 4;

/// More caches than a processor has.
const MOST_CACHES: usize = 16;

/// A set of processors that threads may run on, by the numbers Linux gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoreSet(Vec<usize>);

impl CoreSet {
    /// A set; numbers that occur several times count once.
    pub(crate) fn new(mut cores: Vec<usize>) -> Self {
        cores.sort_unstable();
        cores.dedup();
        Self(cores)
    }

    /// The processors this thread may run on; empty when the system does not say.
    pub(crate) fn of_this_thread() -> Self {
        // SAFETY: all zeros is an empty set, and the kernel writes no more than the size it is given.
        let (status, set) = unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            (
                libc::sched_getaffinity(0, size_of_val(&set), &raw mut set),
                set,
            )
        };
        if status != 0 {
            return Self(Vec::new());
        }
        let limit = usize::try_from(libc::CPU_SETSIZE).unwrap_or(0);
        // SAFETY: the number is below the size of the set.
        Self(
            (0..limit)
                .filter(|core| unsafe { libc::CPU_ISSET(*core, &set) })
                .collect(),
        )
    }

    /// The numbers, in ascending order.
    pub(crate) fn cores(&self) -> &[usize] {
        &self.0
    }

    /// Lets the calling thread run on these processors only; tells whether the system agreed.
    pub(crate) fn pin_this_thread(&self) -> bool {
        let limit = usize::try_from(libc::CPU_SETSIZE).unwrap_or(0);
        if self.0.is_empty() || self.0.iter().any(|core| *core >= limit) {
            return false;
        }
        // SAFETY: all zeros is an empty set, the numbers are below its size, and the call reads it.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            for core in &self.0 {
                libc::CPU_SET(*core, &mut set);
            }
            libc::sched_setaffinity(0, size_of_val(&set), &raw const set) == 0
        }
    }
}

/// The processors of this process and what they share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Topology {
    cores: Vec<Core>,
    last_cache: Option<CacheInfo>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Core {
    number: usize,
    node: Option<usize>,
    /// For each level, the lowest number of the processors that share the cache.
    caches: [Option<usize>; CACHE_LEVELS],
}

impl Topology {
    /// The machine this process runs on; looked at once.
    pub(crate) fn process() -> &'static Self {
        static PROCESS: LazyLock<Topology> =
            LazyLock::new(|| Topology::read(Path::new(SYSTEM), &CoreSet::of_this_thread()));
        &PROCESS
    }

    fn read(system: &Path, allowed: &CoreSet) -> Self {
        let nodes = read_nodes(system);
        let mut last_cache: Option<(usize, CacheInfo)> = None;
        let cores = allowed
            .cores()
            .iter()
            .map(|&number| {
                let mut caches = [None; CACHE_LEVELS];
                for cache in read_caches(system, number) {
                    caches[cache.level - 1] = cache.shared_by.first().copied();
                    if last_cache.is_none_or(|(level, _)| cache.level > level) {
                        last_cache = cache.info.map(|info| (cache.level, info)).or(last_cache);
                    }
                }
                let node = nodes
                    .iter()
                    .find(|(_, members)| members.contains(&number))
                    .map(|(node, _)| *node);
                Core {
                    number,
                    node,
                    caches,
                }
            })
            .collect();
        Self {
            cores,
            last_cache: last_cache.map(|(_, info)| info),
        }
    }

    /// One processor for each of `count` threads: all different if there are enough, in turn otherwise.
    pub(crate) fn units(&self, count: usize) -> Vec<usize> {
        if self.cores.is_empty() {
            // The system did not say what may be used. Numbers stand for threads then, and nothing
            // can be known about them.
            return (0..count).collect();
        }
        let numbers = self.cores.iter().map(|core| core.number);
        numbers.cycle().take(count).collect()
    }

    /// Which one of a domain a processor shares; `None` when that is not known.
    pub(crate) fn shared_by(&self, number: usize, domain: AffinityDomain) -> Option<usize> {
        let core = self.cores.iter().find(|core| core.number == number)?;
        match domain {
            AffinityDomain::Numa => core.node,
            AffinityDomain::L4Cache => core.caches[3],
            AffinityDomain::L3Cache => core.caches[2],
            AffinityDomain::L2Cache => core.caches[1],
            AffinityDomain::L1Cache => core.caches[0],
            AffinityDomain::NextPartitionable => None,
        }
    }

    /// The cache of the highest level.
    pub(crate) fn last_cache(&self) -> Option<CacheInfo> {
        self.last_cache
    }
}

struct Cache {
    /// From 1 to [`CACHE_LEVELS`].
    level: usize,
    shared_by: Vec<usize>,
    info: Option<CacheInfo>,
}

/// The data caches of a processor.
fn read_caches(system: &Path, number: usize) -> Vec<Cache> {
    let folder = system.join(format!("cpu/cpu{number}/cache"));
    let describe = |folder: std::path::PathBuf| {
        let level = read_number(&folder.join("level"))?;
        let is_data = read_line(&folder.join("type"))? != "Instruction";
        let shared_by = parse_list(&read_line(&folder.join("shared_cpu_list"))?)?;
        let info = read_line(&folder.join("size"))
            .and_then(|size| parse_cache_size(&size))
            .map(|size_bytes| CacheInfo {
                size_bytes,
                line_bytes: read_number(&folder.join("coherency_line_size")).map(|n| n as u64),
            });
        (is_data && (1..=CACHE_LEVELS).contains(&level)).then_some(Cache {
            level,
            shared_by,
            info,
        })
    };
    (0..MOST_CACHES)
        .map(|index| folder.join(format!("index{index}")))
        .take_while(|folder| folder.is_dir())
        .filter_map(describe)
        .collect()
}

/// Memory nodes and their processors.
fn read_nodes(system: &Path) -> Vec<(usize, Vec<usize>)> {
    let Some(online) = read_line(&system.join("node/online")).and_then(|text| parse_list(&text))
    else {
        return Vec::new();
    };
    let members = |node: &usize| {
        let list = read_line(&system.join(format!("node/node{node}/cpulist")))?;
        Some((*node, parse_list(&list)?))
    };
    online.iter().filter_map(members).collect()
}

fn read_line(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn read_number(path: &Path) -> Option<usize> {
    read_line(path)?.parse().ok()
}

/// Reads Linux's way of writing sets, such as `0-3,8,10-11`.
fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        // A machine with more processors than this is not one that this text describes.
        if last < first || last > 1 << 16 {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// Reads Linux's way of writing the size of a cache, such as `2048K`.
fn parse_cache_size(text: &str) -> Option<u64> {
    let (digits, scale) = match text.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix(['M', 'm']) {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    digits.parse::<u64>().ok()?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::affinity_domains;
    use std::path::PathBuf;

    /// A made-up machine: two nodes of two processors each, with a second-level cache for each pair.
    fn two_nodes(name: &str) -> PathBuf {
        let system = std::env::temp_dir().join(format!("situ-{name}-{}", std::process::id()));
        let write = |path: String, text: &str| {
            let path = system.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("node/online".into(), "0-1\n");
        write("node/node0/cpulist".into(), "0-1\n");
        write("node/node1/cpulist".into(), "2,3\n");
        for core in 0..4 {
            let pair = if core < 2 { "0-1" } else { "2-3" };
            for (index, level, kind, size, shared) in [
                (0, "1", "Data", "32K", core.to_string()),
                (1, "1", "Instruction", "64K", core.to_string()),
                (2, "2", "Unified", "2M", pair.to_string()),
            ] {
                let folder = format!("cpu/cpu{core}/cache/index{index}");
                write(format!("{folder}/level"), level);
                write(format!("{folder}/type"), kind);
                write(format!("{folder}/size"), size);
                write(format!("{folder}/shared_cpu_list"), &shared);
                write(format!("{folder}/coherency_line_size"), "64");
            }
        }
        system
    }

    #[test]
    fn a_machine_is_read_from_its_description() {
        let system = two_nodes("topology");
        let topology = Topology::read(&system, &CoreSet::new(vec![0, 1, 2, 3]));
        fs::remove_dir_all(&system).unwrap();
        let by = |domain| [0, 1, 2, 3].map(|core| topology.shared_by(core, domain));
        assert_eq!(by(AffinityDomain::Numa), [0, 0, 1, 1].map(Some));
        assert_eq!(by(AffinityDomain::L2Cache), [0, 0, 2, 2].map(Some));
        assert_eq!(by(AffinityDomain::L1Cache), [0, 1, 2, 3].map(Some));
        assert_eq!(by(AffinityDomain::L3Cache), [None; 4]);
        let last = CacheInfo {
            size_bytes: 2 << 20,
            line_bytes: Some(64),
        };
        assert_eq!(topology.last_cache(), Some(last));
        assert_eq!(topology.units(6), [0, 1, 2, 3, 0, 1]);
        let domains = affinity_domains(&topology.units(4), |core, domain| {
            topology.shared_by(core, domain)
        });
        let expected = [
            AffinityDomain::Numa,
            AffinityDomain::L2Cache,
            AffinityDomain::L1Cache,
        ];
        assert_eq!(domains, expected);
    }

    #[test]
    fn only_processors_this_process_may_use_count() {
        let system = two_nodes("affinity");
        let topology = Topology::read(&system, &CoreSet::new(vec![3, 1]));
        fs::remove_dir_all(&system).unwrap();
        assert_eq!(topology.units(2), [1, 3]);
        assert_eq!(topology.shared_by(0, AffinityDomain::Numa), None);
    }

    #[test]
    fn a_machine_that_tells_nothing_has_threads_all_the_same() {
        let topology = Topology::read(Path::new("/no/such/place"), &CoreSet::new(vec![]));
        assert_eq!(topology.units(3), [0, 1, 2]);
        assert_eq!(topology.shared_by(0, AffinityDomain::L1Cache), None);
        assert_eq!(topology.last_cache(), None);
    }

    #[test]
    fn lists_and_sizes_are_read_as_linux_writes_them() {
        assert_eq!(parse_list("0-2,5,7-8"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(parse_list(""), Some(vec![]));
        for text in ["a", "3-1", "1-", "0-99999999999", "-1"] {
            assert_eq!(parse_list(text), None, "{text}");
        }
        assert_eq!(parse_cache_size("48K"), Some(48 << 10));
        assert_eq!(parse_cache_size("512"), Some(512));
        assert_eq!(parse_cache_size("lots"), None);
    }

    #[test]
    fn a_thread_can_be_pinned_to_some_of_its_processors() {
        let pinned = std::thread::spawn(|| {
            let allowed = CoreSet::of_this_thread();
            let one = CoreSet::new(vec![allowed.cores()[0]]);
            assert!(one.pin_this_thread());
            (one, CoreSet::of_this_thread())
        });
        let (asked, found) = pinned.join().unwrap();
        assert_eq!(asked, found);
        assert!(!CoreSet::new(vec![]).pin_this_thread());
        assert!(!CoreSet::new(vec![1 << 20]).pin_this_thread());
    }
}
