// SPDX-License-Identifier: Apache-2.0
//
// HostOperands: inputs and outputs in this machine's memory, which functions
// that are compared are timed on in turn. With some of their own they would be
// compared by where these lie as well: with 1.4 MB of keys and values in an L2
// of 2 MB one attention kernel took 0.80 to 1.04 of another's time, depending
// on the process, and on the same operands 0.92 to 0.95.

#ifndef MINIC_RUNTIME_MEASURE_HOSTOPERANDS_H
#define MINIC_RUNTIME_MEASURE_HOSTOPERANDS_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/program/Program.h"

#include "absl/types/span.h"

#include <memory>
#include <vector>

namespace minic::runtime {

/// Functions run on them one at a time. Not copied: tensors point into it.
class HostOperands {
public:
  HostOperands() = default;
  HostOperands(const HostOperands &) = delete;
  HostOperands &operator=(const HostOperands &) = delete;

  /// Inputs are random, outputs touched, so that no page fault is left. An
  /// output that updates an input in place is that input.
  static absl::StatusOr<std::shared_ptr<const HostOperands>>
  create(const Program &program);

  /// Whether they are what `create` makes of `program`, but for what was run on
  /// them.
  bool fit(const Program &program) const;

  absl::Span<const Tensor> inputs() const { return inputs_; }
  absl::Span<const Tensor> outputs() const { return outputs_; }

private:
  absl::Status allocate(const std::vector<TensorSpec> &specs,
                        std::vector<Tensor> &tensors);

  std::vector<TensorSpec> inputSpecs_, outputSpecs_;
  std::vector<AlignedBuffer> buffers_;
  std::vector<Tensor> inputs_, outputs_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_HOSTOPERANDS_H
