#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the built runtime, builds the examples against the installed tree
# through find_package and through pkg-config, moves the tree, and runs them.
# Usage: check_runtime.sh BUILD_DIR MODEL.minic EXPECTED_LINE
set -euo pipefail
build=$1 model=$2 expected=$3
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component runtime \
  --prefix "$work/first" >"$work/install.log"
# An installed tree may be moved.
mv "$work/first" "$work/prefix"
prefix=$work/prefix
for notice in LICENSE THIRD_PARTY_NOTICES minic.spdx.json; do
  test -f "$prefix/share/licenses/minic/$notice"
done
"$source/.ci/check_shipped.py" "$prefix"

expect() {
  local got
  got=$("$@" "$model")
  if [ "$got" != "$expected" ]; then
    echo "check_runtime: $*: expected '$expected', got '$got'" >&2
    exit 1
  fi
}

cmake -S "$source/examples/inference" -B "$work/examples" -G Ninja \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$work/cmake.log"
cmake --build "$work/examples" >>"$work/cmake.log" ||
  { cat "$work/cmake.log" >&2; exit 1; }
expect "$work/examples/inference_c"
expect "$work/examples/inference_cpp"
expect "$work/examples/inference_static"
"$work/examples/two_streams" "$model" | grep '^not run: ' >/dev/null
# Programs around whole models, in small.
if [ -x "$build/bin/minic" ]; then
  make_model() {
    python3 "$source/examples/models/models.py" "$@" >/dev/null
  }
  compile() { "$build/bin/minic" --tune-db="$work/db" "$@" >/dev/null; }
  make_model bert --size=tiny --batch=3 -o "$work/bert.mlir"
  compile --threads=1 "$work/bert.mlir" -o "$work/bert.minic"
  "$work/examples/bert_service" "$work/bert.minic" 40 5 >"$work/served"
  grep -qE '^40 requests by 2 contexts: .* of 3 rows used$' "$work/served" ||
    { cat "$work/served" >&2; exit 1; }
  make_model gpt2_cached --size=tiny -o "$work/gpt2.mlir"
  compile "$work/gpt2.mlir" -o "$work/gpt2.minic"
  # All that the cache holds, and one more.
  "$work/examples/generate" "$work/gpt2.minic" 10 5 17 99 0 >"$work/generated"
  grep -qE '^prompt: .* ms; then [0-9.]+ tokens a second$' "$work/generated" ||
    { cat "$work/generated" >&2; exit 1; }
  # shellcheck disable=SC2046 # ids are words
  python3 "$source/test/models/check_generated.py" "$build/bin" "$work" 4 \
    $(head -1 "$work/generated") | grep -q '^10 tokens are the likeliest$'
  for refused in "11 5 17 99 0" "1 1 1 1 1 1 1 1 1"; do
    # shellcheck disable=SC2086
    if "$work/examples/generate" "$work/gpt2.minic" $refused 2>"$work/error"
    then
      echo "check_runtime: generate took too many tokens" >&2
      exit 1
    fi
    grep -q 'expected a prompt of at most 7 tokens and 14 in all' "$work/error"
  done
fi
# Two streams on a driver that pretends.
fake=$build/test/unit/runtime/device/cuda/libminic_fake_cuda.so
if [ -x "$build/bin/minic" ] && [ -f "$fake" ]; then
  mkdir "$work/driver"
  ln -s "$fake" "$work/driver/libcuda.so.1"
  cat >"$work/relu.mlir" <<'MLIR'
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.relu %x : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
MLIR
  "$build/bin/minic" --target=cuda --device-profile=h200 --tune-db="$work/db" \
    "$work/relu.mlir" -o "$work/gpu.minic" >/dev/null
  LD_LIBRARY_PATH=$work/driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    "$work/examples/two_streams" "$work/gpu.minic" >"$work/streams"
  grep -qE '^one stream: [0-9.]+ us a request; two streams: [0-9.]+ us$' \
    "$work/streams" || { cat "$work/streams" >&2; exit 1; }
fi

pc=$(dirname "$(find "$prefix" -name minic.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs minic)
libdir=$(PKG_CONFIG_PATH=$pc pkg-config --variable=libdir minic)
# shellcheck disable=SC2086 # flags are words
cc "$source/examples/inference/inference.c" $flags -o "$work/pc_c"
# shellcheck disable=SC2086
c++ -std=c++17 "$source/examples/inference/inference.cpp" $flags \
  -o "$work/pc_cpp"
export LD_LIBRARY_PATH=$libdir
expect "$work/pc_c"
expect "$work/pc_cpp"

if "$work/pc_c" "$source/LICENSE" 2>"$work/error"; then
  echo "check_runtime: a text file was accepted as a model" >&2
  exit 1
fi
grep -q "not a minic artifact" "$work/error"
echo "installed runtime: ok"
