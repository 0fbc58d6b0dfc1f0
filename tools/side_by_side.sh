#!/usr/bin/env bash
# Runs commands at the same time, since one alone leaves cores idle, and fails if one of them does.
#
#   tools/side_by_side.sh NAME COMMAND [NAME COMMAND...]
#
# Each line they print begins with the name.
set -uo pipefail

# Ctrl-C means all of them, but commands in the background ignore it.
trap 'kill 0' INT
declare -A names
while [ $# -gt 0 ]; do
    bash -c "$2" 2>&1 | sed --unbuffered "s/^/$1 | /" &
    names[$!]=$1
    shift 2
done

failed=()
for job in "${!names[@]}"; do
    wait "$job" || failed+=("${names[$job]}")
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "== failed: ${failed[*]}" >&2
    exit 1
fi
