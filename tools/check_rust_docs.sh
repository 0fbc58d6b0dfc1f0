#!/usr/bin/env bash
# Builds the Rust documentation and fails on any warning: a broken link is a broken promise.
# Private items are included, because the readers of these crates are their developers; so links to
# them are welcome.
set -euo pipefail
cd "$(dirname "$0")/.."
export RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links"
cargo doc --workspace --no-deps --document-private-items --locked
