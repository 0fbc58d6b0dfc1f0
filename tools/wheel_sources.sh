#!/usr/bin/env bash
# Lists the files that the wheel is made from, or prints one hash of their names and contents.
#
#   tools/wheel_sources.sh [hash]
#
# dist/.built has the hash of the wheel beside it, so that `make demo` knows whether it can use that wheel.
set -euo pipefail
cd "$(dirname "$0")/.."

list() {
    find crates/*/src crates/*/Cargo.toml crates/*/build.rs python/situ Cargo.toml Cargo.lock pyproject.toml \
        tools/build_wheel.sh tools/release_flags.sh -type f ! -name '*.so' ! -name '*.pyc' | LC_ALL=C sort
}

if [ "${1:-}" = hash ]; then
    list | xargs sha256sum | sha256sum | cut -d ' ' -f 1
else
    list
fi
