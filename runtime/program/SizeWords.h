// SPDX-License-Identifier: Apache-2.0
//
// SizeWords: tells the kernels of an entry's buckets how many rows a run has.

#ifndef MINIC_RUNTIME_PROGRAM_SIZEWORDS_H
#define MINIC_RUNTIME_PROGRAM_SIZEWORDS_H

#include "runtime/device/Device.h"
#include "runtime/program/Entry.h"

namespace minic::runtime {

/// The words of one EntryContext, all in its arena (plan.fbs, SizeWord).
/// Thread-compatible.
class SizeWords {
public:
  SizeWords() = default;
  /// `arena` is that of all buckets, and its words are zero.
  SizeWords(const Entry &entry, std::byte *arena);

  /// Has the kernels of the bucket see the sizes `found` in its next run, which
  /// is on the stream of `execution`. Writes what has changed alone: on a GPU
  /// that is enqueued. Allocates nothing.
  absl::Status write(const Entry::Found &found, Execution &execution) {
    return buckets_.empty() || buckets_[found.bucket].empty()
               ? absl::OkStatus()
               : writeAll(found, execution);
  }

private:
  struct Word {
    uint32_t dim;
    std::byte *place;
    uint32_t value = 0; // as written last
  };
  absl::Status writeAll(const Entry::Found &found, Execution &execution);

  std::vector<std::vector<Word>> buckets_;
  bool isHost_ = true;
  /// Graphs that a caller captured write words whenever they are replayed.
  bool isCaptured_ = false;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_SIZEWORDS_H
