// SPDX-License-Identifier: Apache-2.0
//
// Padding: tensors of a run that is smaller than its bucket, in memory of the
// bucket's sizes.

#ifndef MINIC_RUNTIME_PROGRAM_PADDING_H
#define MINIC_RUNTIME_PROGRAM_PADDING_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/program/Entry.h"

namespace minic::runtime {

/// The room that one EntryContext on a CPU has for them. Thread-compatible.
class Padding {
public:
  /// Room for the largest bucket; none where no dimension of `entry` is padded.
  static absl::StatusOr<Padding> create(std::shared_ptr<const Entry> entry);

  /// Checks the caller's tensors, of the sizes `found`, and makes inputs() and
  /// outputs() of them as the bucket takes them: inputs that differ in size are
  /// copied, with zeros behind their rows. InvalidArgument names the tensor,
  /// expected and got. Allocates nothing.
  absl::Status begin(const Entry::Found &found, absl::Span<const Tensor> inputs,
                     absl::Span<const Tensor> outputs);
  /// Copies the rows of the run into the caller's outputs.
  void finish(absl::Span<const Tensor> outputs) const;

  absl::Span<const Tensor> inputs() const { return inputs_; }
  absl::Span<const Tensor> outputs() const { return outputs_; }
  /// Elements that the last run's inputs were padded by.
  int64_t paddedElements() const { return paddedElements_; }

private:
  /// `expected_` becomes the dimensions of `spec`, of bucket sizes, in a run of
  /// the sizes `found`. False where they are the bucket's.
  bool shrink(const Entry::Found &found, size_t index, bool isOutput,
              const TensorSpec &spec);

  std::shared_ptr<const Entry> entry_;
  std::vector<AlignedBuffer> inputRoom_, outputRoom_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<int64_t> expected_;
  int64_t paddedElements_ = 0;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_PADDING_H
