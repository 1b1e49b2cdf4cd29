// SPDX-License-Identifier: Apache-2.0
//
// Which GPU it is, and what is said.

#include "tools/minic-bench/LockClocks.h"

#include "runtime/measure/DescribeGpus.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <cstdio>

namespace minic::tools {

std::optional<int> parseClocks(const std::string &text) {
  int mhz = 0;
  if (text == "off") {
    return -1;
  }
  if (text == "max") {
    return 0;
  }
  if (!absl::SimpleAtoi(text, &mhz) || mhz < 1 || mhz > 10000) {
    return std::nullopt;
  }
  return mhz;
}

static absl::StatusOr<std::string> findUuid(runtime::DevicePlace place) {
  if (place.type == 1) {
    return absl::FailedPreconditionError("the model runs on the CPU");
  }
  runtime::DeviceFacts facts;
  runtime::describeGpus(facts);
  for (const runtime::GpuFacts &gpu : facts.gpus) {
    if (gpu.index == place.index) {
      return gpu.uuid;
    }
  }
  return absl::FailedPreconditionError(
      facts.gpus.empty() ? facts.gpuProblem
                         : absl::StrCat("no GPU ", place.index));
}

absl::StatusOr<std::unique_ptr<runtime::ClockLock>>
lockClocks(const BenchOptions &options, runtime::DevicePlace place) {
  if (options.lockClocks < 0 && !options.requireLockedClocks) {
    return nullptr;
  }
  absl::StatusOr<std::string> uuid = findUuid(place);
  absl::StatusOr<std::unique_ptr<runtime::ClockLock>> locked =
      uuid.ok()
          ? runtime::ClockLock::acquire(*uuid, std::max(0, options.lockClocks))
          : uuid.status();
  if (locked.ok()) {
    absl::PrintF("SM clocks locked to %d MHz\n", (*locked)->mhz());
    return locked;
  }
  std::string why(locked.status().message());
  if (options.requireLockedClocks) {
    return absl::FailedPreconditionError(
        absl::StrCat("--require-locked-clocks: ", why));
  }
  absl::FPrintF(stderr, "minic-bench: warning: --lock-clocks: %s\n", why);
  return nullptr;
}

} // namespace minic::tools
