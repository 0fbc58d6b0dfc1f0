//! Settings from the environment. This is the only file that reads environment variables.
//!
//! A value that cannot be understood never stops anything: the default is used, and a warning
//! names the variable, the value and the valid choices. [`VARIABLES`] documents every variable for
//! `situ doctor`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use situ_codegen::llvm::Vectorise;
use situ_ir::nearest::nearest;

use crate::backend::virtual_::VirtualRequest;
use crate::error::Error;
use crate::warnings;

/// One environment variable that situ reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// The name, starting with `SITU_`.
    pub name: &'static str,
    /// What values it takes.
    pub choices: &'static str,
    /// One line on what it does.
    pub doc: &'static str,
}

const CACHE_DIR: Variable = Variable {
    name: "SITU_CACHE_DIR",
    choices: "a directory, or `off`",
    doc: "where compiled kernels are kept between processes (default: situ in the user's cache directory)",
};
const CACHE_LIMIT: Variable = Variable {
    name: "SITU_CACHE_LIMIT",
    choices: "a number of bytes, optionally followed by K, M or G",
    doc: "how large the compile cache may grow before the least recently used kernels go (default: 512M)",
};
const NUM_THREADS: Variable = Variable {
    name: "SITU_NUM_THREADS",
    choices: "a whole number from 1 to 1024",
    doc: "how many threads the native device uses (default: all processors this process may use)",
};
const SANITIZE: Variable = Variable {
    name: "SITU_SANITIZE",
    choices: "0 or 1",
    doc: "1 runs every kernel on the reference device, which checks bounds, races and uninitialised reads",
};
const STEP_LIMIT: Variable = Variable {
    name: "SITU_STEP_LIMIT",
    choices: "a whole number from 1 on",
    doc: "how many rounds of loops a work-item may run on the reference device before its kernel fails (default: 1073741824)",
};
const BOUNDS: Variable = Variable {
    name: "SITU_BOUNDS",
    choices: "0 or 1",
    doc: "1 makes kernels check each index on every device: an access outside of an array is skipped and becomes an error",
};
const TRACE: Variable = Variable {
    name: "SITU_TRACE",
    choices: "any of launch, ir, code, separated by commas",
    doc: "prints kernels on their way: each launch, the kernel IR, the generated code",
};
const MATH: Variable = Variable {
    name: "SITU_MATH",
    choices: "fast or exact",
    doc: "fast: vector math within 4 ulp; exact: the results of the C math library (slower)",
};
const VECTOR: Variable = Variable {
    name: "SITU_VECTOR",
    choices: "auto, always or never",
    doc: "whether native kernels are written for vectors of work-items (default: auto, where it pays); results are the same",
};
const STREAM: Variable = Variable {
    name: "SITU_STREAM",
    choices: "auto, never, or a number of bytes, optionally followed by K, M or G",
    doc: "from which size on new arrays are written past the cache (default: auto, a share of the last cache); results are the same",
};
const VIRTUAL_DEVICES: Variable = Variable {
    name: "SITU_VIRTUAL_DEVICES",
    choices: "device types with a number of devices from 1 to 64, separated by commas, such as gpu:2,cpu:1; gpu:1:no-fp64 has no float64",
    doc: "adds devices for testing that run on the processor but have memory and contexts of their own (default: none)",
};

const OPENCL: Variable = Variable {
    name: "SITU_OPENCL",
    choices: "auto, off, or the file of an OpenCL loader",
    doc: "which OpenCL loader gives access to drivers (default: auto, the system's)",
};
const SYCL_LIBRARY: Variable = Variable {
    name: "SITU_SYCL_LIBRARY",
    choices: "auto, off, or the file libDPCTLSyclInterface.so of dpctl",
    doc: "which library gives access to SYCL devices (default: auto, that of the installed package dpctl)",
};
const BLOCKING: Variable = Variable {
    name: "SITU_BLOCKING",
    choices: "0 or 1",
    doc: "1 makes every launch and copy wait for its end, so that a failure's traceback shows the line that caused it",
};
const EAGER: Variable = Variable {
    name: "SITU_EAGER",
    choices: "0 or 1",
    doc: "1 submits the work of each array function at once; otherwise elementwise functions of large arrays wait for what follows, to become one kernel; results are the same",
};

const IDLE_MEMORY_SECONDS: Variable = Variable {
    name: "SITU_IDLE_MEMORY_SECONDS",
    choices: "a number of seconds above 0, or `never`",
    doc: "how long memory that no array uses is kept for the next one before it goes back to the system (default: 10)",
};

/// Every environment variable situ reads.
pub const VARIABLES: [Variable; 16] = [
    CACHE_DIR,
    CACHE_LIMIT,
    NUM_THREADS,
    SANITIZE,
    STEP_LIMIT,
    BOUNDS,
    TRACE,
    MATH,
    VECTOR,
    STREAM,
    VIRTUAL_DEVICES,
    OPENCL,
    SYCL_LIBRARY,
    BLOCKING,
    EAGER,
    IDLE_MEMORY_SECONDS,
];

/// Where compiled kernels are kept between processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheLocation {
    /// In this directory.
    Directory(PathBuf),
    /// Nowhere: the user turned it off, or there is no home directory.
    Off,
}

/// Where the OpenCL loader is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenClLibrary {
    /// Where the system has it.
    Auto,
    /// In this file.
    File(PathBuf),
    /// Nowhere: there are to be no OpenCL devices.
    Off,
}

/// Where dpctl's C library is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyclLibraryChoice {
    /// In the installed package.
    Auto,
    /// In this file.
    File(PathBuf),
    /// Nowhere: there are to be no SYCL devices.
    Off,
}

/// Which elementary functions kernels call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MathMode {
    /// Vector functions within 4 ulp.
    Fast,
    /// The C math library's scalar functions.
    Exact,
}

/// Which results are written past the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Streaming {
    /// Those that take a good part of it.
    Auto,
    /// None.
    Never,
    /// Those of at least so many bytes.
    From(u64),
}

/// What becomes of memory that no array uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IdleMemory {
    /// It goes back to the system when nobody took it for this long.
    ReturnedAfter(Duration),
    /// It stays until it is needed.
    Kept,
}

/// What is printed while kernels are on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trace {
    /// A line for each launch.
    pub launch: bool,
    /// The kernel IR of each new program.
    pub ir: bool,
    /// The generated code of each new program.
    pub code: bool,
}

/// All settings, with defaults filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a variable of its own, which is on or off"
)]
pub struct Config {
    /// `SITU_CACHE_DIR`.
    pub cache_location: CacheLocation,
    /// `SITU_CACHE_LIMIT`.
    pub cache_limit_bytes: u64,
    /// `SITU_NUM_THREADS`, or the number of processors this process may use.
    pub num_threads: usize,
    /// `SITU_SANITIZE`.
    pub sanitize: bool,
    /// `SITU_STEP_LIMIT`.
    pub step_limit: u64,
    /// `SITU_BOUNDS`.
    pub check_bounds: bool,
    /// `SITU_TRACE`.
    pub trace: Trace,
    /// `SITU_MATH`.
    pub math: MathMode,
    /// `SITU_VECTOR`.
    pub vectorise: Vectorise,
    /// `SITU_STREAM`.
    pub streaming: Streaming,
    /// `SITU_VIRTUAL_DEVICES`.
    pub virtual_devices: Vec<VirtualRequest>,
    /// `SITU_OPENCL`.
    pub opencl_library: OpenClLibrary,
    /// `SITU_SYCL_LIBRARY`.
    pub sycl_library: SyclLibraryChoice,
    /// `SITU_BLOCKING`.
    pub blocking: bool,
    /// `SITU_EAGER`.
    pub eager: bool,
    /// `SITU_IDLE_MEMORY_SECONDS`.
    pub idle_memory: IdleMemory,
}

impl Config {
    /// Builds the settings from any source of variables; problems are returned, defaults used.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> (Self, Vec<Error>) {
        let mut reader = Reader {
            lookup,
            problems: Vec::new(),
        };
        let config = Self {
            cache_location: reader.cache_location(),
            cache_limit_bytes: reader.parsed(CACHE_LIMIT, parse_size, 512 << 20, "512M"),
            num_threads: {
                let default = available_threads();
                reader.parsed(
                    NUM_THREADS,
                    parse_thread_count,
                    default,
                    &default.to_string(),
                )
            },
            sanitize: reader.parsed(SANITIZE, parse_switch, false, "0"),
            step_limit: reader.parsed(STEP_LIMIT, parse_count, 1 << 30, "1073741824"),
            check_bounds: reader.parsed(BOUNDS, parse_switch, false, "0"),
            trace: reader.parsed(TRACE, parse_trace, Trace::default(), ""),
            math: reader.parsed(MATH, parse_math, MathMode::Fast, "fast"),
            vectorise: reader.parsed(VECTOR, parse_vectorise, Vectorise::Auto, "auto"),
            streaming: reader.parsed(STREAM, parse_streaming, Streaming::Auto, "auto"),
            virtual_devices: reader.parsed(VIRTUAL_DEVICES, parse_virtual, Vec::new(), "none"),
            opencl_library: reader
                .value(OPENCL.name)
                .map_or(OpenClLibrary::Auto, opencl_library),
            sycl_library: reader
                .value(SYCL_LIBRARY.name)
                .map_or(SyclLibraryChoice::Auto, sycl_library),
            blocking: reader.parsed(BLOCKING, parse_switch, false, "0"),
            eager: reader.parsed(EAGER, parse_switch, false, "0"),
            idle_memory: reader.parsed(
                IDLE_MEMORY_SECONDS,
                parse_idle_time,
                IdleMemory::ReturnedAfter(Duration::from_secs(10)),
                "10",
            ),
        };
        (config, reader.problems)
    }
}

/// The settings of this process, read once; bad values become warnings.
pub fn process_config() -> &'static Config {
    static CONFIG: LazyLock<Config> = LazyLock::new(|| {
        let (config, problems) = Config::from_lookup(environment_variable);
        for problem in problems {
            warnings::process_sink().push(problem.into());
        }
        config
    });
    &CONFIG
}

/// A variable as this process has it.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Which one.
    pub variable: Variable,
    /// Its value, if it is set.
    pub value: Option<String>,
    /// Why the value is ignored, if it is.
    pub problem: Option<Error>,
}

/// Every variable of [`VARIABLES`] as this process has it, for `situ doctor`.
pub fn settings() -> Vec<Setting> {
    settings_from(environment_variable)
}

fn settings_from(lookup: impl Fn(&str) -> Option<OsString>) -> Vec<Setting> {
    let (_, problems) = Config::from_lookup(&lookup);
    let problem_of = |name: &str| {
        let about = |problem: &&Error| matches!(problem, Error::BadEnvironmentValue { variable, .. } if *variable == name);
        problems.iter().find(about).cloned()
    };
    let setting = |variable: Variable| Setting {
        variable,
        value: lookup(variable.name).map(|value| value.to_string_lossy().into_owned()),
        problem: problem_of(variable.name),
    };
    VARIABLES.into_iter().map(setting).collect()
}

/// A variable that looks like one of situ's and is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownVariable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The variable that was probably meant.
    pub nearest: Option<&'static str>,
}

/// Variables of this process that start with `SITU_` and that nobody reads, for `situ doctor`.
pub fn unknown_variables() -> Vec<UnknownVariable> {
    unknown_among(std::env::vars_os())
}

fn unknown_among(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<UnknownVariable> {
    let known = VARIABLES.map(|variable| variable.name);
    let mut unknown: Vec<UnknownVariable> = variables
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
        .filter(|(name, _)| name.starts_with("SITU_") && !known.contains(&name.as_str()))
        .map(|(name, value)| UnknownVariable {
            nearest: nearest(&name, known),
            value: value.to_string_lossy().into_owned(),
            name,
        })
        .collect();
    unknown.sort_by(|left, right| left.name.cmp(&right.name));
    unknown
}

#[expect(
    clippy::disallowed_methods,
    reason = "this file is where the environment is read"
)]
fn environment_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

struct Reader<L> {
    lookup: L,
    problems: Vec<Error>,
}

impl<L: Fn(&str) -> Option<OsString>> Reader<L> {
    /// The value of a variable; set to nothing is the same as not set.
    fn value(&self, name: &str) -> Option<OsString> {
        (self.lookup)(name).filter(|value| !value.is_empty())
    }

    fn parsed<T>(
        &mut self,
        variable: Variable,
        parse: fn(&str) -> Option<T>,
        default: T,
        default_text: &str,
    ) -> T {
        let Some(value) = self.value(variable.name) else {
            return default;
        };
        let text = value.to_string_lossy();
        parse(text.trim()).unwrap_or_else(|| {
            self.problems.push(Error::BadEnvironmentValue {
                variable: variable.name,
                value: text.into_owned(),
                choices: variable.choices,
                default: default_text.to_owned(),
            });
            default
        })
    }

    fn cache_location(&mut self) -> CacheLocation {
        if let Some(value) = self.value(CACHE_DIR.name) {
            if value.eq_ignore_ascii_case("off") {
                return CacheLocation::Off;
            }
            // A later change of the working directory must not change where the cache is.
            return std::path::absolute(PathBuf::from(value))
                .map_or(CacheLocation::Off, CacheLocation::Directory);
        }
        // The XDG base directory rules: a relative XDG_CACHE_HOME is to be ignored.
        let xdg = self
            .value("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        let home = self.value("HOME").map(PathBuf::from);
        let home = home.filter(|path| path.is_absolute());
        let base = xdg.or_else(|| Some(home?.join(".cache")));
        base.map_or(CacheLocation::Off, |base| {
            CacheLocation::Directory(base.join("situ"))
        })
    }
}

fn opencl_library(value: OsString) -> OpenClLibrary {
    if value.eq_ignore_ascii_case("off") {
        OpenClLibrary::Off
    } else if value.eq_ignore_ascii_case("auto") {
        OpenClLibrary::Auto
    } else {
        OpenClLibrary::File(PathBuf::from(value))
    }
}

fn sycl_library(value: OsString) -> SyclLibraryChoice {
    if value.eq_ignore_ascii_case("off") {
        SyclLibraryChoice::Off
    } else if value.eq_ignore_ascii_case("auto") {
        SyclLibraryChoice::Auto
    } else {
        SyclLibraryChoice::File(PathBuf::from(value))
    }
}

fn available_threads() -> usize {
    std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(1024)
}

fn parse_thread_count(text: &str) -> Option<usize> {
    text.parse().ok().filter(|count| (1..=1024).contains(count))
}

fn parse_count(text: &str) -> Option<u64> {
    text.parse().ok().filter(|count| *count > 0)
}

fn parse_switch(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn parse_vectorise(text: &str) -> Option<Vectorise> {
    match text {
        "auto" => Some(Vectorise::Auto),
        "always" => Some(Vectorise::Always),
        "never" => Some(Vectorise::Never),
        _ => None,
    }
}

fn parse_streaming(text: &str) -> Option<Streaming> {
    match text {
        "auto" => Some(Streaming::Auto),
        "never" => Some(Streaming::Never),
        size => parse_size(size).map(Streaming::From),
    }
}

fn parse_idle_time(text: &str) -> Option<IdleMemory> {
    if text == "never" {
        return Some(IdleMemory::Kept);
    }
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0)?;
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    Some(IdleMemory::ReturnedAfter(time))
}

fn parse_math(text: &str) -> Option<MathMode> {
    match text {
        "fast" => Some(MathMode::Fast),
        "exact" => Some(MathMode::Exact),
        _ => None,
    }
}

fn parse_virtual(text: &str) -> Option<Vec<VirtualRequest>> {
    VirtualRequest::parse_list(text).ok()
}

fn parse_trace(text: &str) -> Option<Trace> {
    let mut trace = Trace::default();
    for word in text.split([',', '|']) {
        match word.trim() {
            "launch" => trace.launch = true,
            "ir" => trace.ir = true,
            "code" => trace.code = true,
            _ => return None,
        }
    }
    Some(trace)
}

fn parse_size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let scale: u64 = match &text[digits.len()..].to_ascii_uppercase()[..] {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => return None,
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> (Config, Vec<Error>) {
        Config::from_lookup(|name| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn an_empty_environment_gives_defaults() {
        let (config, problems) = read(&[]);
        assert!(problems.is_empty());
        assert_eq!(config.cache_location, CacheLocation::Off);
        assert_eq!(config.cache_limit_bytes, 512 << 20);
        assert!(config.num_threads >= 1);
        assert!(!config.sanitize);
        assert_eq!(config.trace, Trace::default());
        assert_eq!(config.math, MathMode::Fast);
        assert_eq!(config.vectorise, Vectorise::Auto);
        assert_eq!(config.virtual_devices, []);
    }

    #[test]
    fn every_variable_is_understood() {
        let (config, problems) = read(&[
            ("SITU_CACHE_DIR", "/somewhere"),
            ("SITU_CACHE_LIMIT", "3G"),
            ("SITU_NUM_THREADS", "7"),
            ("SITU_SANITIZE", "1"),
            ("SITU_STEP_LIMIT", "5000"),
            ("SITU_TRACE", "launch, code"),
            ("SITU_MATH", "exact"),
            ("SITU_VECTOR", "never"),
            ("SITU_VIRTUAL_DEVICES", "gpu:2,cpu"),
            ("SITU_IDLE_MEMORY_SECONDS", "2.5"),
        ]);
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(
            config.cache_location,
            CacheLocation::Directory("/somewhere".into())
        );
        assert_eq!(config.cache_limit_bytes, 3 << 30);
        assert_eq!(config.num_threads, 7);
        assert!(config.sanitize);
        assert_eq!(config.step_limit, 5000);
        assert_eq!(
            config.trace,
            Trace {
                launch: true,
                ir: false,
                code: true
            }
        );
        assert_eq!(config.math, MathMode::Exact);
        assert_eq!(config.vectorise, Vectorise::Never);
        let time = Duration::from_millis(2500);
        assert_eq!(config.idle_memory, IdleMemory::ReturnedAfter(time));
        let kept = read(&[("SITU_IDLE_MEMORY_SECONDS", "never")]).0;
        assert_eq!(kept.idle_memory, IdleMemory::Kept);
        let virtual_devices = VirtualRequest::parse_list("gpu:2,cpu:1").ok();
        assert_eq!(Some(config.virtual_devices), virtual_devices);
    }

    #[test]
    fn bad_values_are_reported_and_replaced_by_defaults() {
        let (config, problems) = read(&[
            ("SITU_CACHE_LIMIT", "lots"),
            ("SITU_NUM_THREADS", "0"),
            ("SITU_SANITIZE", "yes"),
            ("SITU_TRACE", "launch,everything"),
            ("SITU_MATH", "sloppy"),
            ("SITU_VECTOR", "maybe"),
            ("SITU_VIRTUAL_DEVICES", "gpu:lots"),
            ("SITU_IDLE_MEMORY_SECONDS", "0"),
        ]);
        assert_eq!(problems.len(), 8);
        assert_eq!(config, read(&[]).0);
        let text = problems[4].to_string();
        for part in [
            "SITU_MATH",
            "`sloppy`",
            "fast or exact",
            "the default `fast`",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn the_cache_directory_follows_the_xdg_rules() {
        let location = |pairs: &[(&str, &str)]| read(pairs).0.cache_location;
        let directory = |path: &str| CacheLocation::Directory(path.into());
        assert_eq!(
            location(&[("HOME", "/home/ada")]),
            directory("/home/ada/.cache/situ")
        );
        assert_eq!(
            location(&[("HOME", "/home/ada"), ("XDG_CACHE_HOME", "/fast")]),
            directory("/fast/situ")
        );
        assert_eq!(
            location(&[("HOME", "/home/ada"), ("XDG_CACHE_HOME", "relative")]),
            directory("/home/ada/.cache/situ")
        );
        assert_eq!(
            location(&[("HOME", "/home/ada"), ("SITU_CACHE_DIR", "off")]),
            CacheLocation::Off
        );
        assert_eq!(location(&[("HOME", "relative")]), CacheLocation::Off);
        let here = std::env::current_dir().unwrap();
        assert_eq!(
            location(&[("SITU_CACHE_DIR", "relative")]),
            CacheLocation::Directory(here.join("relative"))
        );
        assert_eq!(
            location(&[("HOME", "/home/ada"), ("SITU_CACHE_DIR", "")]),
            directory("/home/ada/.cache/situ")
        );
    }

    #[test]
    fn sizes_take_binary_suffixes_and_reject_overflow() {
        assert_eq!(parse_size("123"), Some(123));
        assert_eq!(parse_size("2k"), Some(2048));
        assert_eq!(parse_size("1 MiB"), Some(1 << 20));
        assert_eq!(parse_size("99999999999999999999"), None);
        assert_eq!(parse_size("18446744073709551615G"), None);
        assert_eq!(parse_size("-1"), None);
        assert_eq!(parse_size("G"), None);
    }

    #[test]
    fn settings_tell_what_is_set_and_what_is_ignored() {
        let lookup = |name: &str| match name {
            "SITU_MATH" => Some("sloppy".into()),
            "SITU_SANITIZE" => Some("1".into()),
            _ => None,
        };
        for setting in settings_from(lookup) {
            let name = setting.variable.name;
            let expected = lookup(name).map(|value| value.into_string().unwrap());
            assert_eq!(setting.value, expected, "{name}");
            assert_eq!(setting.problem.is_some(), name == "SITU_MATH", "{name}");
        }
    }

    #[test]
    fn variables_that_nobody_reads_are_found() {
        let variables = ["SITU_TRACEE", "HOME", "SITU_MATH", "SITU_AN_IDEA"];
        let unknown = unknown_among(variables.map(|name| (name.into(), "1".into())).into_iter());
        let found: Vec<_> = unknown
            .iter()
            .map(|one| (one.name.as_str(), one.nearest))
            .collect();
        let expected = [("SITU_AN_IDEA", None), ("SITU_TRACEE", Some("SITU_TRACE"))];
        assert_eq!(found, expected);
        assert_eq!(unknown[0].value, "1");
    }

    #[test]
    fn every_variable_has_a_name_and_a_doc() {
        for variable in VARIABLES {
            assert!(variable.name.starts_with("SITU_"));
            assert!(!variable.doc.is_empty() && !variable.choices.is_empty());
        }
    }
}
