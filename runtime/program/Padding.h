// SPDX-License-Identifier: Apache-2.0
//
// Padding: tensors of a run that is smaller than its bucket, in memory of the
// bucket's sizes.

#ifndef MINIC_RUNTIME_PROGRAM_PADDING_H
#define MINIC_RUNTIME_PROGRAM_PADDING_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/device/DeviceBuffer.h"
#include "runtime/program/Entry.h"
#include "runtime/program/TensorCheck.h"

namespace minic::runtime {

/// The room that one EntryContext has for them: at the same addresses in every
/// run, so that a captured graph need not follow. Thread-compatible.
class Padding {
public:
  /// Bytes for tensors of the largest bucket of `entry`, which has a padded
  /// dimension.
  static uint64_t bytes(const Entry &entry);
  /// In the memory at `own`, of bytes(), where the program runs, or in memory
  /// of its own where that is null; on the host as well if `stagesHost`.
  static absl::StatusOr<Padding> create(std::shared_ptr<const Entry> entry,
                                        std::byte *own, bool stagesHost);

  /// Checks the caller's tensors, of the sizes `found`, and makes inputs() and
  /// outputs() of them as the bucket takes them: inputs that differ in size are
  /// copied, with the entry's fill behind their rows. An output that has the
  /// bucket's own sizes is written where it is. InvalidArgument names the
  /// tensor, expected and got. On a GPU all that is enqueued on the stream of
  /// `execution`, the bucket's. Allocates nothing.
  absl::Status begin(const Entry::Found &found, absl::Span<const Tensor> inputs,
                     absl::Span<const Tensor> outputs, Execution &execution);
  /// Copies the rows of the run into the caller's outputs, or enqueues that.
  absl::Status finish(absl::Span<const Tensor> outputs,
                      Execution &execution) const;

  /// Has those of a bucket's tensors that vary in size point to where padded
  /// runs of any bucket have them. What is there is zero until the first one.
  void placeInRoom(absl::Span<Tensor> inputs, absl::Span<Tensor> outputs) const;

  absl::Span<const Tensor> inputs() const { return inputs_; }
  absl::Span<const Tensor> outputs() const { return outputs_; }
  /// Elements that the last run's inputs were padded by.
  int64_t paddedElements() const { return paddedElements_; }

private:
  /// Where each slot's tensor is.
  struct Layout {
    std::vector<uint64_t> offsets; // of a multiple of the alignment
    uint64_t alignment = 1;
    uint64_t bytes = 0; // from any address on
    size_t rank = 0;
  };
  static Layout layOut(const Entry &entry);
  /// Memory for tensor `slot`, an input or, behind these, an output, where
  /// `residence` says.
  std::byte *room(size_t slot, Residence residence) const;
  /// Has `bucket`, which is as the caller's `tensor`, point to the room of
  /// `slot` where it is smaller than `spec`; its sizes are `expected_`.
  absl::Status accept(const char *role, const TensorSpec &spec,
                      const Tensor &tensor, size_t slot, Tensor &bucket);
  absl::Status copyIn(size_t index, const Tensor &from, Execution &execution);

  std::shared_ptr<const Entry> entry_; // outlives what follows
  DevicePlace place_;
  Layout layout_;
  DeviceBuffer owned_;
  std::byte *own_ = nullptr;
  AlignedBuffer host_; // for host tensors of a GPU's program
  std::vector<const void *>
      confirmed_; // by slot: the device's, as it said last
  std::vector<Tensor> inputs_, outputs_;
  std::vector<int64_t> expected_;
  int64_t paddedElements_ = 0;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_PADDING_H
