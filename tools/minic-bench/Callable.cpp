// SPDX-License-Identifier: Apache-2.0
//
// dlopen, and the clock.

#include "tools/minic-bench/Callable.h"

#include "absl/strings/str_cat.h"

#include <chrono>
#include <dlfcn.h>

namespace minic::tools {

absl::StatusOr<Callable> Callable::open(const std::string &text) {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--callable: expected LIBRARY.so:FUNCTION, got '", text, "'"));
  }
  std::string path = text.substr(0, colon), name = text.substr(colon + 1);
  // What has no slash would be looked for where libraries are installed.
  if (path.find('/') == std::string::npos) {
    path = "./" + path;
  }
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? ::dlsym(library, name.c_str()) : nullptr;
  if (!symbol) {
    const char *why = ::dlerror();
    return absl::NotFoundError(
        absl::StrCat("--callable: ", why ? why : name + " is null"));
  }
  Callable callable;
  callable.function = reinterpret_cast<void (*)()>(symbol);
  return callable;
}

double Callable::sample(int64_t iterations, runtime::CacheEvictor *evictor) {
  using Clock = std::chrono::steady_clock;
  using Microseconds = std::chrono::duration<double, std::micro>;
  if (!evictor) {
    function();
    Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < iterations; ++i) {
      function();
    }
    return Microseconds(Clock::now() - start).count() / double(iterations);
  }
  Microseconds sum(0);
  for (int64_t i = 0; i < iterations; ++i) {
    evictor->evict();
    Clock::time_point start = Clock::now();
    function();
    sum += Clock::now() - start;
  }
  return sum.count() / double(iterations);
}

} // namespace minic::tools
