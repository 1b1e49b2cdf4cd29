#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves that the runtime and its tools hold no LLVM: no symbol, no library;
# and that the shared library exports minic_* and nothing else.
# Usage: check_runtime_symbols.sh BUILD_DIR
set -euo pipefail
build=$1
failed=0

fail() {
  echo "check_runtime_symbols: $*" >&2
  failed=1
}

check_symbols() {
  local found
  # Mangled C++ names of llvm:: and mlir::, and LLVM's C interface.
  found=$(nm "$1" 2>/dev/null |
    grep -E ' (_ZNK?|_ZTV|_ZTS|_ZTI)[0-9A-Za-z]*(4llvm|4mlir)| (LLVM|mlir)[A-Z]' |
    head -3 || true)
  [ -z "$found" ] || fail "$1 has LLVM symbols: $found"
}

check_libraries() {
  local found
  found=$(ldd "$1" | grep -iE 'llvm|mlir|lld' || true)
  [ -z "$found" ] || fail "$1 needs $found"
}

checked=0
for library in "$build"/runtime/*/*.a "$build"/runtime/*/*/*.a \
  "$build"/runtime/*/*/*/*.a \
  "$build"/runtime/api/libminic_runtime.so \
  "$build"/bin/minic-worker "$build"/bin/minic-bench; do
  [ -e "$library" ] || continue
  check_symbols "$library"
  case $library in *.a) ;; *) check_libraries "$library" ;; esac
  checked=$((checked + 1))
done
[ "$checked" -ge 6 ] || fail "only $checked libraries found in $build"

# Tools that must not need LLVM where only the runtime is built.
if ! grep -q 'MINIC_BUILD_COMPILER:BOOL=ON' "$build/CMakeCache.txt"; then
  for tool in "$build"/bin/*; do
    check_symbols "$tool"
    check_libraries "$tool"
  done
  if grep -iE '^(MINIC_LLVM|LLVM_DIR|MLIR_DIR)' "$build/CMakeCache.txt"; then
    fail "the runtime-only build looked for LLVM"
  fi
fi

shared=$build/runtime/api/libminic_runtime.so
if [ -e "$shared" ]; then
  extra=$(nm -D --defined-only "$shared" | grep -v ' T minic_' || true)
  [ -z "$extra" ] || fail "$shared exports more than minic_*: $extra"
fi
[ "$failed" = 0 ] && echo "runtime symbols: ok ($checked libraries)"
exit "$failed"
