// SPDX-License-Identifier: Apache-2.0
//
// Functions that archives would take from a glibc newer than the oldest one
// that minic runs on (.ci/check_shipped.py). Debian's LLVM was configured on
// glibc 2.36, which has arc4random; it makes names of temporary files with it.

#include <cerrno>
#include <cstdint>
#include <sys/random.h>

// Not declared by a header here: glibc's, where it has one, says noexcept.
extern "C" uint32_t arc4random() {
  uint32_t value;
  ssize_t got;
  do {
    got = getrandom(&value, sizeof(value), 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof(value)) {
    __builtin_trap(); // as glibc's: no caller expects failure
  }
  return value;
}
