// SPDX-License-Identifier: Apache-2.0
//
// What AddressSanitizer must not check, because LLVM's archives are not
// instrumented: headers of LLVM poison the memory of their bump allocators,
// which code of the archives then uses without unpoisoning it; and containers
// that one side annotates, the other changes.

extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0";
}
