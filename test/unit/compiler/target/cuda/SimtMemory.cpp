// SPDX-License-Identifier: Apache-2.0
//
// What reads and writes shared memory by itself: cp.async and wgmma.

#include "test/unit/compiler/target/cuda/SimtMemory.h"

namespace minic::cuda {

std::string SimtMemory::beginAsyncRead(uint64_t address, int64_t bytes,
                                       int64_t warp) {
  for (Word *word = first(address); word != first(address + bytes + 3);
       ++word) {
    if (word->pendingCopies > 0) {
      return "shared memory is read before its copy was waited for";
    }
    if (!hasSeen(*word, warp)) {
      return notSeen;
    }
    if (word->written == epoch_) {
      return "shared memory is read with no barrier after it was written";
    }
    if (word->written >= 0) {
      const std::vector<int64_t> &fences = proxyFences_[size_t(word->writer)];
      if (word->fences == fences.size() || fences[word->fences] == epoch_) {
        return "no fence.proxy.async between the write of shared memory and "
               "the barrier before it is read";
      }
    }
    ++word->asyncReads;
  }
  return "";
}

void SimtMemory::endAsyncRead(uint64_t address, int64_t bytes) {
  for (Word *word = first(address); word != first(address + bytes + 3);
       ++word) {
    --word->asyncReads;
    word->reader = -1;
    word->read = epoch_;
  }
}

std::string SimtMemory::copy(uint64_t to, uint64_t from, int64_t bytes,
                             int64_t read, int64_t warp) {
  std::string why = check(true, to, bytes, bytes);
  if (why.empty() && read > 0) {
    why = check(false, from, read, 1);
    if (why.empty() && from % uint64_t(bytes) != 0) {
      why = "the source of a copy is not aligned to " + std::to_string(bytes);
    }
  }
  if (why.empty() && (read < 0 || read > bytes)) {
    why = "a copy of " + std::to_string(read) + " bytes";
  }
  if (why.empty()) {
    why = writeShared(to, bytes, warp);
  }
  if (!why.empty()) {
    return why;
  }
  Copy made{to, warp, std::vector<char>(size_t(bytes))};
  if (read > 0) {
    std::memcpy(made.data.data(), at(false, from), size_t(read));
  }
  for (Word *word = first(to); word != first(to + bytes); ++word) {
    ++word->pendingCopies;
  }
  open_.push_back(std::move(made));
  return "";
}

std::string SimtMemory::beginBulkCopy(uint64_t to, int64_t bytes) {
  for (Word *word = first(to); word != first(to + uint64_t(bytes)); ++word) {
    if (word->asyncReads > 0) {
      return "shared memory that a pending wgmma reads is written";
    }
    if (word->pendingCopies > 0 || word->written == epoch_ ||
        word->isReserved) {
      return "shared memory that something else writes is written";
    }
    ++word->pendingCopies;
  }
  return "";
}

void SimtMemory::endBulkCopy(uint64_t to, llvm::ArrayRef<char> data,
                             uint64_t barrier, int64_t phase) {
  std::memcpy(shared_.data() + to, data.data(), data.size());
  for (Word *word = first(to); word != first(to + data.size()); ++word) {
    --word->pendingCopies;
    word->written = -1;
    word->barrier = int64_t(barrier);
    word->phase = phase;
  }
}

void SimtMemory::wait(uint64_t left) {
  while (groups_.size() > left) {
    for (Copy &copy : groups_.front()) {
      std::memcpy(shared_.data() + copy.to, copy.data.data(), copy.data.size());
      for (Word *word = first(copy.to);
           word != first(copy.to + copy.data.size()); ++word) {
        --word->pendingCopies;
        word->wasWritten(epoch_, copy.warp, fencesOf(copy.warp));
        word->barrier = -1;
      }
    }
    groups_.erase(groups_.begin());
  }
}

} // namespace minic::cuda
