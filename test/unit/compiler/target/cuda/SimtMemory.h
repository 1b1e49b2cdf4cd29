// SPDX-License-Identifier: Apache-2.0
//
// SimtMemory: the memory of an interpreted block, which knows who touched what
// since the last barrier, and what the tensor cores may still read by
// themselves: through the async proxy, as PTX calls it.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTMEMORY_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTMEMORY_H

#include "test/unit/compiler/target/cuda/SimtInterpreter.h"

#include <cstring>

namespace minic::cuda {

/// Shared addresses are offsets, as if dynamic shared memory began at a
/// multiple of any alignment; global ones are pointers. The functions that
/// return text return what is wrong, empty for nothing.
class SimtMemory {
public:
  SimtMemory(int64_t threads, int64_t sharedBytes,
             const std::vector<GlobalRange> &ranges)
      : ranges_(ranges), shared_(size_t(sharedBytes), char(0xff)),
        words_(size_t(sharedBytes / 4 + 1)),
        proxyFences_(size_t((threads + 31) / 32)) {}

  std::string check(bool shared, uint64_t address, int64_t bytes,
                    int64_t alignment) const {
    if (address % uint64_t(alignment) != 0) {
      return "address " + std::to_string(address) + " not aligned to " +
             std::to_string(alignment);
    }
    if (shared) {
      bool inside = address + uint64_t(bytes) <= shared_.size();
      return inside ? "" : "shared address " + std::to_string(address);
    }
    for (const GlobalRange &range : ranges_) {
      auto base = uint64_t(reinterpret_cast<uintptr_t>(range.data));
      if (address >= base &&
          address + uint64_t(bytes) <= base + uint64_t(range.bytes)) {
        return "";
      }
    }
    return "global address outside all ranges";
  }

  uint64_t load(bool shared, uint64_t address, int64_t bytes) const {
    uint64_t bits = 0;
    std::memcpy(&bits, at(shared, address), size_t(bytes));
    return bits;
  }
  void store(bool shared, uint64_t address, int64_t bytes, uint64_t bits) {
    std::memcpy(const_cast<char *>(at(shared, address)), &bits, size_t(bytes));
  }

  /// Notes an access of shared memory by a warp.
  std::string readShared(uint64_t address, int64_t bytes, int64_t warp) {
    for (Word *word = first(address); word != first(address + bytes + 3);
         ++word) {
      if (word->pendingCopies > 0) {
        return "shared memory is read before its copy was waited for";
      }
      if (word->written == epoch_ && word->writer != warp) {
        return "shared memory that another warp wrote is read";
      }
      word->reader = word->read == epoch_ && word->reader != warp ? -1 : warp;
      word->read = epoch_;
    }
    return "";
  }
  std::string writeShared(uint64_t address, int64_t bytes, int64_t warp) {
    for (Word *word = first(address); word != first(address + bytes + 3);
         ++word) {
      bool others = (word->written == epoch_ && word->writer != warp) ||
                    (word->read == epoch_ && word->reader != warp);
      if (others || word->pendingCopies > 0) {
        return "shared memory that another warp uses is written";
      }
      if (word->asyncReads > 0) {
        return "shared memory that a pending wgmma reads is written";
      }
      word->wasWritten(epoch_, warp, fencesOf(warp));
    }
    return "";
  }

  /// An instruction of several warps, which may read `bytes` at any time from
  /// now on until endAsyncRead().
  std::string beginAsyncRead(uint64_t address, int64_t bytes);
  void endAsyncRead(uint64_t address, int64_t bytes);
  /// fence.proxy.async of a whole warp: what it wrote is seen by asynchronous
  /// reads beyond the next barrier.
  void fenceProxy(int64_t warp) {
    proxyFences_[size_t(warp)].push_back(epoch_);
  }

  /// cp.async: lands when waited for.
  std::string copy(uint64_t to, uint64_t from, int64_t bytes, int64_t read,
                   int64_t warp);
  void commit() { groups_.push_back(std::exchange(open_, {})); }
  void wait(uint64_t left);
  void barrier() { ++epoch_; }

private:
  /// Who touched 4 bytes last, and in which stretch between barriers. A reader
  /// of -1 stands for several warps. `fences`: how many proxy fences the writer
  /// had passed.
  struct Word {
    int64_t written = -1, writer = 0, read = -1, reader = 0;
    size_t fences = 0;
    int pendingCopies = 0, asyncReads = 0;

    void wasWritten(int64_t epoch, int64_t warp, size_t fencesOfWarp) {
      written = epoch;
      writer = warp;
      fences = fencesOfWarp;
    }
  };
  struct Copy {
    uint64_t to;
    int64_t warp;
    std::vector<char> data;
  };

  size_t fencesOf(int64_t warp) const {
    return proxyFences_[size_t(warp)].size();
  }
  Word *first(uint64_t address) { return words_.data() + address / 4; }
  const char *at(bool shared, uint64_t address) const {
    return shared ? shared_.data() + address
                  : reinterpret_cast<const char *>(uintptr_t(address));
  }

  const std::vector<GlobalRange> &ranges_;
  std::vector<char> shared_;
  std::vector<Word> words_;
  /// By warp: the stretches between barriers in which its proxy fences are.
  std::vector<std::vector<int64_t>> proxyFences_;
  std::vector<Copy> open_;
  std::vector<std::vector<Copy>> groups_;
  int64_t epoch_ = 0;
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTMEMORY_H
