// SPDX-License-Identifier: Apache-2.0
//
// SimtBarriers: where warp groups that run by themselves meet: barriers of
// blocks and of the cluster, and mbarriers, at which copies by TMA arrive.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTBARRIERS_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTBARRIERS_H

#include "test/unit/compiler/target/cuda/SimtMemory.h"

namespace minic::cuda {

/// Copies land as late as can be: when somebody waits for their barrier.
/// Functions that return text return what is wrong, empty for nothing.
class SimtBarriers {
public:
  /// For `blocks` blocks of `threads`.
  SimtBarriers(SimtMemory &memory, int64_t threads, int64_t blocks)
      : memory_(memory), threads_(threads), blocks_(size_t(blocks)) {}

  /// So many threads arrive; which meeting they wait for.
  int64_t arriveAtBlock(int64_t block, int64_t threads);
  bool hasMetBlock(int64_t block, int64_t meeting) const {
    return blocks_[size_t(block)].met >= meeting;
  }
  int64_t arriveAtCluster(int64_t threads, bool release);
  bool hasMetCluster(int64_t meeting) const { return cluster_.met >= meeting; }

  // mbarriers, by `warp`.
  std::string init(uint64_t address, int64_t count, int64_t warp);
  std::string arrive(uint64_t address, int64_t bytes, int64_t warp);
  std::string copy(uint64_t to, std::vector<char> data, uint64_t barrier,
                   int64_t warp);
  std::string check(uint64_t address, int64_t warp) {
    std::string why;
    find(address, warp, why);
    return why;
  }
  /// Whether the phase of `parity` is complete, once copies have landed. There
  /// is such an mbarrier: see check().
  bool isComplete(uint64_t address, int64_t parity);
  /// The warp has waited for that.
  std::string see(uint64_t address, int64_t warp);

  /// When all have ended.
  std::string checkEnd() const;

private:
  struct Meeting {
    int64_t arrived = 0, met = 0;
    bool releases = false;
  };
  struct Copy {
    uint64_t to;
    std::vector<char> data;
  };
  struct MBarrier {
    int64_t count = 0, pending = 0, bytes = 0, phase = 0;
    /// Who made it, and after how many meetings.
    int64_t warp = 0, ofBlock = 0, ofCluster = 0;
    std::vector<Copy> copies;
  };

  int64_t blockOfAddress(uint64_t address) const {
    return blocks_.size() == 1 ? 0 : int64_t(address) / memory_.pitch();
  }
  int64_t blockOfWarp(int64_t warp) const { return warp / (threads_ / 32); }
  /// Null, with a reason, where `warp` may not use the one there.
  MBarrier *find(uint64_t address, int64_t warp, std::string &why);
  static void completeIfSo(MBarrier &barrier);

  SimtMemory &memory_;
  int64_t threads_;
  std::vector<Meeting> blocks_;
  Meeting cluster_;
  std::map<uint64_t, MBarrier> mbarriers_;
  /// By mbarrier, the phase that was seen last: of each warp, and of all who
  /// arrived for a phase of an mbarrier, as who waits for it may know.
  using Seen = std::map<uint64_t, int64_t>;
  static void learn(Seen &seen, const Seen &other);
  std::map<int64_t, Seen> seen_;
  std::map<uint64_t, std::map<int64_t, Seen>> told_;
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTBARRIERS_H
