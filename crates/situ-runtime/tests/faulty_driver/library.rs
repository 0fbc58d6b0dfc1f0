//! The faulty loader as a file, and processes that use it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use situ_runtime::{BackendKind, Device};

/// A child that takes longer hangs.
const PATIENCE: Duration = Duration::from_mins(5);

/// Where files of these tests are.
pub(crate) fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let name = format!("faulty-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    })
}

/// The faulty loader, compiled by the system's compiler.
fn faulty_loader() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faulty_driver/faulty.c");
        let library = directory().join("libfaulty.so");
        let compiled = Command::new("cc")
            .args(["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1"])
            .arg("-o")
            .arg(&library)
            .arg(source)
            // Also where the linker thinks that nothing of it is needed.
            .args(["-Wl,--no-as-needed", "-l:libOpenCL.so.1"])
            .status()
            .unwrap();
        assert!(compiled.success());
        library
    })
}

/// Whether there are drivers that the loader can stand in front of. Where there are none, a test that needs
/// them proves nothing, which is a failure only if they are expected.
#[expect(
    clippy::disallowed_methods,
    reason = "the variable is for tests, not for situ"
)]
pub(crate) fn has_drivers() -> bool {
    let has_drivers = Device::all()
        .iter()
        .any(|device| device.backend() == BackendKind::OpenCl);
    let expected = std::env::var("EXPECTED_DRIVERS").unwrap_or_default();
    assert!(
        has_drivers || !expected.contains("opencl/"),
        "there is no OpenCL driver"
    );
    if !has_drivers {
        eprintln!("not tested: there is no OpenCL driver");
    }
    has_drivers
}

/// A process of this program that runs one scenario.
pub(crate) struct Child {
    command: Command,
}

/// A child that has the faulty loader.
pub(crate) fn faulty(scenario: &str) -> Child {
    Child::new(scenario).set("SITU_OPENCL", faulty_loader().to_str().unwrap())
}

impl Child {
    pub(crate) fn new(scenario: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let name = format!("scenarios::{scenario}");
        command.args(["--exact", &name, "--ignored", "--nocapture"]);
        // What a fault spoils must not be found by others, nor the other way round.
        command.env("SITU_CACHE_DIR", "off");
        Self { command }
    }

    pub(crate) fn set(mut self, variable: &str, value: &str) -> Self {
        self.command.env(variable, value);
        self
    }

    pub(crate) fn faults(self, faults: &str) -> Self {
        self.set("FAULTY", faults)
    }

    /// Runs it to its normal end; gives what it said.
    pub(crate) fn run(mut self) -> String {
        let output = directory().join(format!("{:?}.txt", std::thread::current().id()));
        let file = std::fs::File::create(&output).unwrap();
        self.command
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file);
        let mut child = self.command.spawn().unwrap();
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if begin.elapsed() > PATIENCE {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let said = String::from_utf8_lossy(&std::fs::read(&output).unwrap()).into_owned();
        let ended_well = status.is_some_and(|status| status.success());
        assert!(ended_well, "{status:?} of {:?}\n{said}", self.command);
        // A scenario that is not there would end well, too.
        assert!(said.contains("1 passed"), "{said}");
        said
    }
}
