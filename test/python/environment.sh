#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the wheel of the Python package over the built runtime and installs it
# into BUILD_DIR/python/venv, an environment of its own; packages that tests
# need beside it are those of .venv. With --compiler also the wheel of the
# compiler, from the built tools.
# Usage: environment.sh BUILD_DIR [--compiler]
set -euo pipefail
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$build/python
venv=$work/venv
mkdir -p "$work"
rm -rf "$work/wheels" "$venv"
python=$source/.venv/bin/python
log=$work/wheels.log
quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }; }
# Nothing is fetched: what builds the wheels is in .venv.
export PATH=$source/.venv/bin:$PATH CMAKE_GENERATOR=Ninja
wheel=("$python" -m pip wheel --no-build-isolation --no-deps --no-index
  --disable-pip-version-check -w "$work/wheels")

quietly cmake --install "$build" --component runtime --prefix "$work/prefix"
quietly "${wheel[@]}" "$source" \
  --config-settings=build-dir="$work/extension" \
  --config-settings=cmake.define.CMAKE_PREFIX_PATH="$work/prefix"
if [ "${2:-}" = --compiler ]; then
  quietly "${wheel[@]}" "$source/python/compiler" \
    --config-settings=build-dir="$work/compiler" \
    --config-settings=cmake.define.MINIC_BUILD_DIR="$build"
fi

quietly "$python" -m venv --without-pip "$venv"
site=$(echo "$venv"/lib/python3*/site-packages)
echo "$source"/.venv/lib/python3*/site-packages >"$site/minic-tests.pth"
quietly "$python" -m pip --python "$venv/bin/python" install --no-deps \
  --no-index --ignore-installed --disable-pip-version-check "$work"/wheels/*.whl
