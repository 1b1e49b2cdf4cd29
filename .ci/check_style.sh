#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Formatting, licence lines and white space of all tracked files.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0

mapfile -t cpp < <(git ls-files '*.h' '*.hpp' '*.c' '*.cpp' | grep -v '^third_party/')
badly_formatted=$(printf '%s\n' "${cpp[@]}" |
  xargs -P "$(nproc)" -n 16 clang-format-22 --dry-run 2>&1 |
  grep 'warning:' | cut -d: -f1 | sort -u)
if [ -n "$badly_formatted" ]; then
  echo "style: run clang-format-22 -i on:" $badly_formatted
  failed=1
fi

mapfile -t sources < <(git ls-files '*.h' '*.hpp' '*.c' '*.cpp' '*.td' '*.fbs' \
  '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' check demo .ci/run | grep -v '^third_party/.*\.h$')
missing=$(for f in "${sources[@]}"; do
  head -3 "$f" | grep -q 'SPDX-License-Identifier' || echo "$f"
done)
if [ -n "$missing" ]; then
  echo "style: no SPDX-License-Identifier in the first lines of:" $missing
  failed=1
fi

if git grep -nIE '[[:blank:]]+$' -- . ':!LICENSE' ':!third_party' ':!docs/measurements'; then
  echo "style: trailing white space in the lines above"
  failed=1
fi
if git grep -nI "$(printf '\t')" -- '*.h' '*.hpp' '*.cpp' '*.c' '*.td' '*.py' \
  '*.mlir' ':!third_party'; then
  echo "style: tabs in the lines above, use spaces"
  failed=1
fi
[ $failed = 0 ] && echo "style: ${#cpp[@]} C++ files and ${#sources[@]} sources are clean"
exit $failed
