// SPDX-License-Identifier: Apache-2.0
//
// Reads the name, compares.

#include "runtime/device/cuda/Architecture.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace minic::runtime {

absl::Status checkArchitecture(absl::string_view isa,
                               ComputeCapability capability) {
  absl::string_view digits = isa;
  bool portable = absl::ConsumePrefix(&digits, "compute_");
  bool known = portable || absl::ConsumePrefix(&digits, "sm_");
  bool exact = absl::ConsumeSuffix(&digits, "a");
  if (!exact && !portable) {
    absl::ConsumeSuffix(&digits, "f"); // a family, as plain cubins have one
  }
  int number = 0;
  if (!known || digits.size() > 4 || !absl::SimpleAtoi(digits, &number) ||
      number < 10) {
    return absl::FailedPreconditionError(
        absl::StrCat("unknown CUDA architecture '", isa, "'"));
  }
  int major = number / 10, minor = number % 10;
  bool runs = exact ? capability.major == major && capability.minor == minor
              : portable
                  ? capability.major > major ||
                        (capability.major == major && capability.minor >= minor)
                  : capability.major == major && capability.minor >= minor;
  if (runs) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "expected a GPU that runs ", isa, ", got one of compute capability ",
      capability.major, ".", capability.minor));
}

} // namespace minic::runtime
