//! Finds LLVM 19 and tells the linker about it: dynamically by default, statically with the
//! feature `llvm-static`.
//!
//! `llvm-sys` could do this, but its linking features exclude each other, so a wheel build could
//! not simply add one; it accepts any newer LLVM; and it links every component with every system
//! library. Here the features add up, the version is exact, and only what the native backend
//! needs is linked.
//!
//! It also compiles the few lines of C++ that catch the exceptions of the SYCL runtime, and those of C that stop
//! kernels.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo talks to build scripts by the environment"
)]

use std::path::Path;
use std::process::{Command, ExitCode};

/// The LLVM the bindings and the emitted IR text are written for.
const LLVM_MAJOR: &str = "19";

/// What `backend/native` uses, in `llvm-config`'s words.
const COMPONENTS: [&str; 7] = [
    "asmparser",
    "irreader",
    "orcjit",
    "passes",
    "target",
    "x86asmparser",
    "x86codegen",
];

/// Names the variable users set when LLVM is not on `PATH`; the same one `llvm-sys` documents.
const PREFIX_VARIABLE: &str = "LLVM_SYS_191_PREFIX";

/// What turns C++ exceptions into text.
const GUARD: &str = "src/backend/sycl/guard.cpp";

/// What calls kernels so that a signal can end them.
const STOPPABLE: &str = "src/backend/native/stoppable.c";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={PREFIX_VARIABLE}");
    println!("cargo::rerun-if-changed={GUARD}");
    println!("cargo::rerun-if-changed={STOPPABLE}");
    cc::Build::new().cpp(true).file(GUARD).compile("situ_guard");
    cc::Build::new().file(STOPPABLE).compile("situ_stoppable");
    match link_llvm() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            println!("cargo::error=situ-runtime needs LLVM {LLVM_MAJOR} to build: {reason}");
            println!(
                "cargo::error=help: install llvm-{LLVM_MAJOR}-dev (Debian: apt install llvm-{LLVM_MAJOR}-dev libzstd-dev \
                 zlib1g-dev), or set {PREFIX_VARIABLE} to the directory that contains bin/llvm-config"
            );
            ExitCode::FAILURE
        }
    }
}

fn link_llvm() -> Result<(), String> {
    let config = find_llvm_config()?;
    let libdir = ask(&config, &["--libdir"])?;
    println!("cargo::rustc-link-search=native={libdir}");
    println!(
        "cargo::rustc-env=SITU_LLVM_VERSION={}",
        ask(&config, &["--version"])?
    );

    if std::env::var_os("CARGO_FEATURE_LLVM_STATIC").is_some() {
        let mut arguments = vec!["--link-static", "--libnames"];
        arguments.extend(COMPONENTS);
        for file in ask(&config, &arguments)?.split_whitespace() {
            println!("cargo::rustc-link-lib=static={}", library_name(file, ".a")?);
        }
        for name in ["zstd", "z"] {
            link_static_if_present(name);
        }
        for name in ["rt", "dl", "m", "stdc++"] {
            println!("cargo::rustc-link-lib=dylib={name}");
        }
    } else {
        for file in ask(&config, &["--link-shared", "--libnames"])?.split_whitespace() {
            println!("cargo::rustc-link-lib=dylib={}", library_name(file, ".so")?);
        }
    }
    Ok(())
}

/// Looks where the user points, otherwise on `PATH` under the names distributions use.
fn find_llvm_config() -> Result<String, String> {
    if let Some(prefix) = std::env::var_os(PREFIX_VARIABLE) {
        let config = Path::new(&prefix).join("bin").join("llvm-config");
        let config = config.display().to_string();
        let version = ask(&config, &["--version"])?;
        return if is_wanted(&version) {
            Ok(config)
        } else {
            Err(format!("{PREFIX_VARIABLE} leads to LLVM {version}"))
        };
    }
    let mut seen = Vec::new();
    for name in [
        format!("llvm-config-{LLVM_MAJOR}"),
        "llvm-config".into(),
        format!("llvm{LLVM_MAJOR}-config"),
    ] {
        match ask(&name, &["--version"]) {
            Ok(version) if is_wanted(&version) => return Ok(name),
            Ok(version) => seen.push(format!("`{name}` is LLVM {version}")),
            Err(_) => {}
        }
    }
    if seen.is_empty() {
        Err(format!(
            "neither llvm-config-{LLVM_MAJOR} nor llvm-config is on PATH"
        ))
    } else {
        Err(seen.join(", "))
    }
}

fn is_wanted(version: &str) -> bool {
    version.split('.').next() == Some(LLVM_MAJOR)
}

fn ask(config: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(config)
        .args(arguments)
        .output()
        .map_err(|error| format!("cannot run `{config}`: {error}"))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "`{config} {}` failed: {}",
            arguments.join(" "),
            reason.trim()
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn library_name<'a>(file: &'a str, extension: &str) -> Result<&'a str, String> {
    file.strip_prefix("lib")
        .and_then(|name| name.strip_suffix(extension))
        .ok_or_else(|| format!("llvm-config named `{file}`, which is not lib*{extension}"))
}

/// The compression libraries go into the wheel where their archives are installed, so that it
/// depends on nothing a minimal system lacks.
fn link_static_if_present(name: &str) {
    let triple = format!("{}-linux-gnu", std::env::consts::ARCH);
    for directory in [
        format!("/usr/lib/{triple}"),
        "/usr/lib64".into(),
        "/usr/lib".into(),
    ] {
        if Path::new(&directory).join(format!("lib{name}.a")).exists() {
            println!("cargo::rustc-link-search=native={directory}");
            println!("cargo::rustc-link-lib=static={name}");
            return;
        }
    }
    println!("cargo::rustc-link-lib=dylib={name}");
}
