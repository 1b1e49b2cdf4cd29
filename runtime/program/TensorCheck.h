// SPDX-License-Identifier: Apache-2.0
//
// TensorCheck: compares a caller's tensor with what the program declares, in a
// fraction of a microsecond.

#ifndef MINIC_RUNTIME_PROGRAM_TENSORCHECK_H
#define MINIC_RUNTIME_PROGRAM_TENSORCHECK_H

#include "runtime/base/Tensor.h"

#include "absl/status/status.h"

#include <algorithm>

namespace minic::runtime {

/// The place of a tensor's memory, seen from the program.
enum class Residence { here, host, elsewhere };

/// A tensor's place for a program at `program`. The CPU takes pinned memory as
/// its own.
inline Residence residenceOf(const DevicePlace &tensor,
                             const DevicePlace &program) {
  bool isHost = tensor.type == 1 || tensor.type == 3;
  if (program.type == 1) {
    return isHost ? Residence::here : Residence::elsewhere;
  }
  if (tensor == program) {
    return Residence::here;
  }
  return isHost ? Residence::host : Residence::elsewhere;
}

/// A signature in the form that `run` compares with: flat, no pointers to chase
/// but the dimensions.
struct ExpectedTensor {
  explicit ExpectedTensor(const TensorSpec &spec)
      : dims(spec.dims.data()), rank(spec.dims.size()), dtype(spec.dtype),
        isEmpty(spec.elements() == 0),
        misaligned(spec.alignment - uintptr_t(1)) {}

  /// All but the place.
  bool matches(const Tensor &tensor) const {
    return tensor.dtype == dtype && tensor.dims.size() == rank &&
           std::equal(dims, dims + rank, tensor.dims.data()) &&
           (isEmpty || tensor.data != nullptr);
  }
  bool isAligned(const Tensor &tensor) const {
    return isEmpty ||
           (reinterpret_cast<uintptr_t>(tensor.data) & misaligned) == 0;
  }

  const int64_t *dims;
  size_t rank;
  DType dtype;
  bool isEmpty;
  uintptr_t misaligned; // bits that must be zero
};

/// Why `matches` or `isAligned` said no, naming the tensor by `role`.
absl::Status describeMismatch(const char *role, const TensorSpec &spec,
                              const Tensor &tensor);

/// Why `output` is refused, which has not the pointer of `input` that it is an
/// update of.
absl::Status describeNotInPlace(const TensorSpec &output,
                                const TensorSpec &input, bool isStaged);

/// Why its place is refused.
absl::Status describeMisplaced(const char *role, const TensorSpec &spec,
                               const DevicePlace &tensor,
                               const DevicePlace &program);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_TENSORCHECK_H
