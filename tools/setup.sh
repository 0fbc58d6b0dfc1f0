#!/usr/bin/env bash
# Makes a machine ready to build situ (Debian packages, .venv, what builds it), or to test it over drivers.
#
#   tools/setup.sh            before anything is built
#   tools/setup.sh drivers    before tests: Debian packages of drivers
#
# Whatever else a make target needs is a dependency group of pyproject.toml, installed when it is needed.
#
# As root, missing Debian packages are installed. As anyone else, the one line to run is printed and
# nothing happens. Set PYTHON to choose the interpreter that .venv is made from.
set -euo pipefail
cd "$(dirname "$0")/.."

oldest_python="3, 11"

fail() {
    printf '\nsetup: %s\n' "$1" >&2
    shift
    printf '  %s\n' "$@" >&2
    exit 1
}

check_rust() {
    command -v cargo >/dev/null || fail "cargo is not installed" \
        "why:  most of situ is written in Rust" \
        "help: install Rust with rustup, then run make again"
    local needed have
    needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    have=$(rustc --version | cut -d' ' -f2)
    [ "$(printf '%s\n' "$needed" "$have" | sort -V | head -1)" = "$needed" ] ||
        fail "Rust $have is too old" "why:  situ needs $needed" "help: rustup update stable"
}

# The first interpreter that is new enough and can make virtual environments.
find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
        if "$candidate" -c "import sys, venv, ensurepip; sys.exit(sys.version_info < ($oldest_python))" \
            2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

# The packages of a list that are not installed.
missing_packages() {
    local package
    for package in $(grep -v '^#' "$1"); do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            echo "$package"
    done
    command -v c++ >/dev/null || echo g++
    [ -n "$(find_python)" ] || echo python3-venv
}

install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        [ "$1" = tools/debian-packages.txt ] || return 0
        command -v llvm-config-19 >/dev/null || [ -n "${LLVM_SYS_191_PREFIX:-}" ] ||
            fail "LLVM 19 is not installed" \
                "why:  the native backend links it, and this is not a Debian machine" \
                "help: install LLVM 19 with headers, and set LLVM_SYS_191_PREFIX to where it is"
        return
    fi
    local missing
    mapfile -t missing < <(missing_packages "$1")
    [ "${#missing[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        fail "Debian packages are missing; run this line, then make again:" \
            "sudo apt-get install --no-install-recommends ${missing[*]}"
    fi
    tools/step.sh "Debian packages: ${missing[*]}" apt_install "${missing[@]}"
}

# Exported so that step.sh, a process of its own, can run it.
apt_install() {
    export DEBIAN_FRONTEND=noninteractive
    local log status
    log=$(mktemp)
    # Even when apt is quiet, dpkg has three lines for each package; they matter if it fails.
    { apt-get update --quiet=2 && apt-get install --yes --quiet=2 --no-install-recommends "$@"; } >"$log" 2>&1
    status=$?
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}
export -f apt_install

make_environment() {
    local python
    python=$(find_python)
    [ -n "$python" ] || fail "no usable Python was found" \
        "why:  situ needs Python ${oldest_python/, /.} or newer, with the venv module" \
        "help: install one, or set PYTHON to its path"
    .venv/bin/python -c "" 2>/dev/null ||
        tools/step.sh "virtual environment .venv ($("$python" --version))" "$python" -m venv --clear .venv
    # Dependency groups need a newer pip than the one Python 3.11 brings.
    .venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
    tools/step.sh "Python tools: build" .venv/bin/pip install --quiet --group build "numpy>=2"
}

if [ "${1:-}" = drivers ]; then
    install_packages tools/debian-drivers.txt
else
    check_rust
    install_packages tools/debian-packages.txt
    make_environment
fi
