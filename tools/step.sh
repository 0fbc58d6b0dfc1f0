#!/usr/bin/env bash
# Runs one step of a make target: names it, shows how far it is, and says how long it took and what is next.
#
#   tools/step.sh [--talks] NAME COMMAND [ARGUMENT...]
#
# A terminal gets a line that is rewritten every second: the crate that cargo is at, and the time. Anything
# else, such as the log of a CI, gets a line each half minute. A command that prints its own progress, such as
# pytest, is run with --talks and gets neither.
#
# STEP_PLAN has the names of all steps, separated by `|`, and STEP_STARTED the second at which the first one
# started; the Makefile sets both.
set -uo pipefail

talks=false
if [ "$1" = --talks ]; then
    talks=true
    shift
fi
name=$1
shift

duration() {
    if [ "$1" -lt 120 ]; then
        printf '%d s' "$1"
    else
        printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
    fi
}

# Sets `place` and `next_step` from the plan.
find_in_plan() {
    place="" next_step=""
    local steps index
    IFS='|' read -ra steps <<<"${STEP_PLAN:-}"
    for index in "${!steps[@]}"; do
        if [ "${steps[index]}" = "$name" ]; then
            place=" (step $((index + 1)) of ${#steps[@]})"
            next_step=${steps[index + 1]:-}
        fi
    done
}

# Rewrites the line of a terminal, or prints one if half a minute has passed since the last.
show_progress() {
    local text
    text="   ${1:-working} ($(duration "$SECONDS"))"
    if [ -t 2 ]; then
        printf '\r%s\e[K' "${text:0:${COLUMNS:-$(tput cols 2>/dev/null || echo 80)}}" >&2
    elif [ "$SECONDS" -ge "$next_report" ]; then
        printf '%s\n' "$text" >&2
        next_report=$((SECONDS + 30))
    fi
}

clear_progress() {
    if [ -t 2 ]; then printf '\r\e[K' >&2; fi
}

# Reads what a command says on its standard error, turns what cargo says of its progress into that line, and
# passes on the rest.
follow() {
    local line="" plain part status at="" next_report=30 building=true
    local progress='^ *Building \[[^]]*\] ([0-9]+)/([0-9]+): (.*[^ ]) *$'
    # Before it builds, cargo has bars for what it fetches: `Fetch [===>   ] 92 complete; 2 pending`.
    local fetching='^ *(Fetch|Updating|Downloading) \[[^]]*\] *(.*[^ ]) *$'
    # What cargo and maturin say in passing.
    local remark='^ +(Blocking|Checking|Compiling|Doc-tests|Documenting|Downloaded|Downloading|Finished|Fresh'
    remark+='|Generated|Locking|Running|Updating) |^(🍹|🔗|🐍|📡|📦|✏️|🛠)'
    while true; do
        IFS= read -r -t 1 part
        status=$?
        line+=$part
        if [ "$status" -gt 128 ]; then
            if "$building"; then show_progress "$at"; fi
            continue
        fi
        plain=${line//$'\e['*([0-9;])[mK]/}
        if [[ $plain =~ $progress ]]; then
            at="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} crates: ${BASH_REMATCH[3]}"
            show_progress "$at"
        elif [[ $plain =~ $fetching ]]; then
            at="fetching crates: ${BASH_REMATCH[2]}"
            show_progress "$at"
        elif [[ $plain =~ $remark ]]; then
            # Tests, which follow a build, print their own progress.
            if [[ ${BASH_REMATCH[1]} = Running ]]; then
                clear_progress
                building=false
            fi
        elif [ -n "$plain" ]; then
            clear_progress
            printf '%s\n' "$line" >&2
        fi
        line=""
        [ "$status" -eq 0 ] || break
    done
    clear_progress
}

shopt -s extglob
find_in_plan
printf '\n== %s%s\n' "$name" "$place"
SECONDS=0
if "$talks"; then
    "$@"
    status=$?
else
    export CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=100
    if [ -t 2 ]; then export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-always}; fi
    {
        "$@" 2>&1 >&3 3>&- | stdbuf -oL tr '\r' '\n' | follow
        status=${PIPESTATUS[0]}
    } 3>&1
fi
took=$(duration "$SECONDS")
if [ "$status" -eq 0 ]; then
    if [ -n "${STEP_STARTED:-}" ]; then took+="; $(duration $(($(date +%s) - STEP_STARTED))) so far"; fi
    if [ -n "$next_step" ]; then took+="; next: $next_step"; fi
    printf '== %s: ok (%s)\n' "$name" "$took"
else
    printf '== %s: FAILED with status %d (%s)\n   command: %s\n' "$name" "$status" "$took" "$*" >&2
fi
exit "$status"
