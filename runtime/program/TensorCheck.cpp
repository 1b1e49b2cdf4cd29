// SPDX-License-Identifier: Apache-2.0
//
// The texts of refusals.

#include "runtime/program/TensorCheck.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace minic::runtime {

absl::Status describeMismatch(const char *role, const TensorSpec &spec,
                              const Tensor &tensor) {
  std::string what = absl::StrCat(role, " '", spec.name, "': ");
  if (tensor.dtype != spec.dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "expected dtype ", toString(spec.dtype), ", got ",
                     toString(tensor.dtype)));
  }
  if (tensor.dims != absl::MakeConstSpan(spec.dims)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "expected shape [", absl::StrJoin(spec.dims, ", "),
                     "], got [", absl::StrJoin(tensor.dims, ", "), "]"));
  }
  if (!tensor.data) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "expected data, got a null pointer"));
  }
  uintptr_t address = reinterpret_cast<uintptr_t>(tensor.data);
  return absl::InvalidArgumentError(
      absl::StrCat(what, "expected data aligned to ", spec.alignment,
                   " bytes, got ", address & -address, " bytes"));
}

absl::Status describeNotInPlace(const TensorSpec &output,
                                const TensorSpec &input, bool isStaged) {
  return absl::InvalidArgumentError(absl::StrCat(
      "output '", output.name, "': expected the pointer of input '", input.name,
      "', which it updates in place, got ",
      isStaged ? "host tensors that are staged" : "another"));
}

absl::Status describeMisplaced(const char *role, const TensorSpec &spec,
                               const DevicePlace &tensor,
                               const DevicePlace &program) {
  std::string text =
      absl::StrCat(role, " '", spec.name, "': expected memory of ",
                   toString(program), ", got memory of ", toString(tensor));
  if (residenceOf(tensor, program) == Residence::host) {
    text += " (the context stages no host tensors)";
  }
  return absl::InvalidArgumentError(text);
}

} // namespace minic::runtime
