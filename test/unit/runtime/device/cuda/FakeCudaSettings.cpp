// SPDX-License-Identifier: Apache-2.0
//
// The fake driver as another process is told to have it.

#include "test/unit/runtime/device/cuda/FakeCuda.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace minic::testing {

void FakeCuda::apply(const std::string &settings) {
  std::istringstream entries(settings);
  for (std::string entry; std::getline(entries, entry, ';');) {
    size_t equals = entry.find('=');
    std::string name = entry.substr(0, equals);
    std::string value =
        equals == std::string::npos ? "" : entry.substr(equals + 1);
    auto number = [&] { return std::strtoull(value.c_str(), nullptr, 10); };
    if (name == "version") {
      version = int(number());
    } else if (name == "init") {
      initResult = CUresult(number());
    } else if (name == "devices") {
      devices = int(number());
    } else if (name == "arch") {
      std::sscanf(value.c_str(), "%d.%d", &major, &minor);
    } else if (name == "name") {
      deviceName = value;
    } else if (name == "memory") {
      memoryBytes = number();
    } else if (name == "illegal") {
      illegalLaunch = value;
    } else if (name == "hang") {
      hangingLaunch = value;
    } else {
      std::fprintf(stderr, "fake CUDA driver: unknown setting '%s'\n",
                   entry.c_str());
      std::abort();
    }
  }
}

} // namespace minic::testing
