#!/usr/bin/env bash
# Makes .venv-peers: the libraries that `make bench-peers` compares with, and this checkout's situ.
#
# They are apart from .venv because they are large and bring versions of their own.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=.venv-peers/bin
$bin/python -c "" 2>/dev/null ||
    tools/step.sh "virtual environment .venv-peers" .venv/bin/python -m venv --clear .venv-peers
# Dependency groups need a newer pip than the one Python 3.11 brings.
$bin/python -m pip install --quiet --upgrade "pip>=25.1"
tools/step.sh "peers: Numba, dpnp, JAX" $bin/pip install --quiet --group peers "numpy>=2"
# situ as `make build` left it in python/situ.
pwd -P | sed 's,$,/python,' >"$($bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/situ.pth"
