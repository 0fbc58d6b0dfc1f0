#!/usr/bin/env bash
# Builds the Rust documentation and fails on any warning: a broken link is a broken promise.
# Private items are included, because the readers of these crates are their developers.
set -euo pipefail
cd "$(dirname "$0")/.."
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --locked --quiet
