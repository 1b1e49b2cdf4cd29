// SPDX-License-Identifier: Apache-2.0
//
// Words are written ahead of a run, on its stream: a captured graph reads them
// as any other kernel does.

#include "runtime/program/SizeWords.h"

#include "runtime/program/ProgramImpl.h"

#include <cstring>

namespace minic::runtime {

SizeWords::SizeWords(const Entry &entry, std::byte *arena)
    : isHost_(entry.buckets().front()->executable().memory().isHost()) {
  bool isAny = false;
  for (const auto &bucket : entry.buckets()) {
    std::vector<Word> &words = buckets_.emplace_back();
    const auto *sizes = bucket->impl().variant->sizes();
    for (uint32_t i = 0; sizes && i < sizes->size(); ++i) {
      words.push_back({sizes->Get(i)->dim(), arena + sizes->Get(i)->offset()});
      isAny = true;
    }
  }
  if (!isAny) {
    buckets_.clear();
  }
}

absl::Status SizeWords::writeAll(const Entry::Found &found,
                                 Execution &execution) {
  isCaptured_ |= execution.isCapturing();
  for (Word &word : buckets_[found.bucket]) {
    // 0: as many as the bucket has.
    uint32_t value = found.isPadded ? uint32_t(found.sizes[word.dim]) : 0;
    if (value == word.value && !isCaptured_) {
      continue;
    }
    if (isHost_) {
      std::memcpy(word.place, &value, sizeof(value));
    }
    // Twice, as a kernel may begin a little ahead of the end of what is before
    // it (programmatic launches): the first write is complete by then.
    for (int i = 0; i < 2 && !isHost_; ++i) {
      absl::Status status =
          execution.enqueueFill(word.place, value, sizeof(value), /*count=*/1);
      if (!status.ok()) {
        return status;
      }
    }
    word.value = value;
  }
  return absl::OkStatus();
}

} // namespace minic::runtime
