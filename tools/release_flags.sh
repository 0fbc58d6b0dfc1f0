#!/usr/bin/env bash
# Prints the compiler flags of release builds: `export RUSTFLAGS=$(tools/release_flags.sh)`.
#
# The extension module and the wheel have them in common, so that dependencies are compiled once for both.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# Panic messages name source files; the folders of this machine are nobody's business.
echo "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$root=/situ"
