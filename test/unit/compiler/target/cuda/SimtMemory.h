// SPDX-License-Identifier: Apache-2.0
//
// SimtMemory: the memory of an interpreted block or cluster, which knows who
// touched what since the last barrier, and what the tensor cores may still read
// by themselves: through the async proxy, as PTX calls it.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTMEMORY_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTMEMORY_H

#include "test/unit/compiler/target/cuda/SimtInterpreter.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace minic::cuda {

/// Shared addresses are offsets, as if dynamic shared memory began at a
/// multiple of any alignment, that of a cluster's later blocks behind that of
/// earlier ones; global ones are pointers. The functions that
/// return text return what is wrong, empty for nothing.
class SimtMemory {
public:
  /// `threads` and `sharedBytes` of each of `blocks` blocks.
  SimtMemory(int64_t threads, int64_t sharedBytes, int64_t blocks,
             const std::vector<GlobalRange> &ranges)
      : ranges_(ranges), blocks_(blocks), sharedBytes_(sharedBytes),
        warpsPerBlock_((threads + 31) / 32),
        shared_(size_t(blocks * pitch()), char(0xff)),
        words_(size_t(blocks * pitch() / 4 + 1)),
        proxyFences_(size_t(blocks * warpsPerBlock_)) {}

  /// From one block's shared memory to the next one's.
  int64_t pitch() const {
    return blocks_ == 1 ? sharedBytes_ : (sharedBytes_ + 1023) / 1024 * 1024;
  }

  std::string check(bool shared, uint64_t address, int64_t bytes,
                    int64_t alignment) const {
    if (address % uint64_t(alignment) != 0) {
      return "address " + std::to_string(address) + " not aligned to " +
             std::to_string(alignment);
    }
    if (shared) {
      bool inside = address + uint64_t(bytes) <= shared_.size() &&
                    (sharedBytes_ == 0 ||
                     int64_t(address) % pitch() + bytes <= sharedBytes_);
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
      if (!hasSeen(*word, warp)) {
        return notSeen;
      }
      if (word->clusterWritten == meetings_ && isOther(word->writer, warp)) {
        return "shared memory that another block wrote is read";
      }
      if (word->written == epoch_ && word->writer != warp) {
        return "shared memory that another warp wrote is read";
      }
      word->reader = word->read == epoch_ && word->reader != warp ? -1 : warp;
      word->read = epoch_;
      int64_t block = warp / warpsPerBlock_;
      bool hasOther =
          word->clusterRead == meetings_ && word->blockRead != block;
      word->blockRead = hasOther ? -1 : block;
      word->clusterRead = meetings_;
    }
    return "";
  }
  std::string writeShared(uint64_t address, int64_t bytes, int64_t warp) {
    for (Word *word = first(address); word != first(address + bytes + 3);
         ++word) {
      bool others =
          (word->written == epoch_ && word->writer != warp) ||
          (word->read == epoch_ && word->reader != warp) ||
          (word->clusterWritten == meetings_ && isOther(word->writer, warp)) ||
          (word->clusterRead == meetings_ &&
           word->blockRead != warp / warpsPerBlock_);
      if (others || word->pendingCopies > 0) {
        return "shared memory that another warp uses is written";
      }
      if (word->asyncReads > 0) {
        return "shared memory that a pending wgmma reads is written";
      }
      if (word->isReserved) {
        return "an mbarrier is written over";
      }
      word->wasWritten(epoch_, warp, fencesOf(warp));
      word->barrier = -1;
      word->clusterWritten = meetings_;
    }
    return "";
  }
  /// An access of `warp` to the shared memory of any block of its cluster.
  std::string checkBlock(uint64_t address, int64_t warp) const {
    bool isOwn = int64_t(address) / std::max<int64_t>(pitch(), 1) ==
                 warp / warpsPerBlock_;
    return isOwn || hasMet_
               ? ""
               : "shared memory of a block that may not have begun is accessed";
  }
  /// When all blocks have ended.
  std::string checkEnd() const {
    for (size_t i = 0; blocks_ > 1 && i != words_.size(); ++i) {
      const Word &word = words_[i];
      int64_t owner = int64_t(i) * 4 / std::max<int64_t>(pitch(), 1);
      if (word.clusterWritten == meetings_ &&
          word.writer / warpsPerBlock_ != owner) {
        return "shared memory of a block that may have ended is written";
      }
      if (word.clusterRead == meetings_ && word.blockRead != owner) {
        return "shared memory of a block that may have ended is read";
      }
    }
    return "";
  }

  /// An instruction of several warps, `warp` among them, which may read `bytes`
  /// at any time from now on until endAsyncRead().
  std::string beginAsyncRead(uint64_t address, int64_t bytes, int64_t warp);
  void endAsyncRead(uint64_t address, int64_t bytes);
  /// fence.proxy.async of a whole warp: what it wrote is seen by asynchronous
  /// reads beyond the next barrier.
  void fenceProxy(int64_t warp) {
    proxyFences_[size_t(warp)].push_back(epoch_);
  }

  /// cp.async: lands when waited for.
  std::string copy(uint64_t to, uint64_t from, int64_t bytes, int64_t read,
                   int64_t warp);
  /// An mbarrier is there from now on.
  void reserve(uint64_t address, int64_t bytes) {
    std::for_each(first(address), first(address + uint64_t(bytes)),
                  [](Word &word) { word.isReserved = true; });
  }
  /// A copy by TMA, of `bytes` to `to`: begins, and lands as phase `phase` of
  /// the barrier at `barrier` completes. Warps see it once they have seen that.
  std::string beginBulkCopy(uint64_t to, int64_t bytes);
  void endBulkCopy(uint64_t to, llvm::ArrayRef<char> data, uint64_t barrier,
                   int64_t phase);
  /// A warp has seen that phase `phase` of a barrier is complete.
  void seePhase(int64_t warp, uint64_t barrier, int64_t phase) {
    seen_[{warp, barrier}] = phase;
  }
  void commit() { groups_.push_back(std::exchange(open_, {})); }
  void wait(uint64_t left);
  void barrier() { ++epoch_; }
  /// All blocks of the cluster have arrived; what they wrote before is seen if
  /// they arrived to `release` it.
  void meet(bool release) {
    hasMet_ = true;
    if (release) {
      ++epoch_;
      ++meetings_;
    }
  }

private:
  /// Who touched 4 bytes last, and in which stretch between barriers, of blocks
  /// and of clusters. A reader of -1 stands for several warps, or blocks.
  /// `fences`: how many proxy fences the writer had passed.
  struct Word {
    int64_t written = -1, writer = 0, read = -1, reader = 0;
    int64_t clusterWritten = -1, clusterRead = -1, blockRead = 0;
    size_t fences = 0;
    int pendingCopies = 0, asyncReads = 0;
    /// Written by TMA: the barrier and its phase that say so; -1: not so.
    int64_t barrier = -1, phase = 0;
    /// Part of an mbarrier, which nothing else may write.
    bool isReserved = false;

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

  /// Whether `of` is, or may be, of another block than `warp`.
  bool isOther(int64_t of, int64_t warp) const {
    return blocks_ > 1 &&
           (of < 0 || of / warpsPerBlock_ != warp / warpsPerBlock_);
  }

  static constexpr const char *notSeen =
      "shared memory that TMA wrote is read before the phase of its mbarrier "
      "was waited for";
  bool hasSeen(const Word &word, int64_t warp) const {
    if (word.barrier < 0) {
      return true;
    }
    auto found = seen_.find({warp, uint64_t(word.barrier)});
    return found != seen_.end() && found->second >= word.phase;
  }

  size_t fencesOf(int64_t warp) const {
    return proxyFences_[size_t(warp)].size();
  }
  Word *first(uint64_t address) { return words_.data() + address / 4; }
  const char *at(bool shared, uint64_t address) const {
    return shared ? shared_.data() + address
                  : reinterpret_cast<const char *>(uintptr_t(address));
  }

  const std::vector<GlobalRange> &ranges_;
  int64_t blocks_, sharedBytes_, warpsPerBlock_;
  std::vector<char> shared_;
  std::vector<Word> words_;
  /// By warp: the stretches between barriers in which its proxy fences are.
  std::vector<std::vector<int64_t>> proxyFences_;
  std::map<std::pair<int64_t, uint64_t>, int64_t> seen_;
  std::vector<Copy> open_;
  std::vector<std::vector<Copy>> groups_;
  int64_t epoch_ = 0, meetings_ = 0;
  bool hasMet_ = false;
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTMEMORY_H
