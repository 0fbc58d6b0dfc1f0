#!/usr/bin/env bash
# Runs one step of a make target: says its name first and how long it took afterwards.
#
#   tools/step.sh NAME COMMAND [ARGUMENT...]
set -uo pipefail

name=$1
shift
printf '\n== %s\n' "$name"
SECONDS=0
"$@"
status=$?
if [ "$status" -eq 0 ]; then
    printf '== %s: ok (%d s)\n' "$name" "$SECONDS"
else
    printf '== %s: FAILED with status %d (%d s)\n   command: %s\n' "$name" "$status" "$SECONDS" "$*" >&2
fi
exit "$status"
