// SPDX-License-Identifier: Apache-2.0
//
// As the PTX ISA describes barriers and mbarrier objects.

#include "test/unit/compiler/target/cuda/SimtBarriers.h"

namespace minic::cuda {

int64_t SimtBarriers::arriveAtBlock(int64_t block, int64_t threads) {
  Meeting &meeting = blocks_[size_t(block)];
  const int64_t next = meeting.met + 1;
  meeting.arrived += threads;
  if (meeting.arrived == threads_) {
    meeting.arrived = 0;
    meeting.met = next;
    memory_.barrier();
  }
  return next;
}

int64_t SimtBarriers::arriveAtCluster(int64_t threads, bool release) {
  const int64_t next = cluster_.met + 1;
  cluster_.releases = release && (cluster_.arrived == 0 || cluster_.releases);
  cluster_.arrived += threads;
  if (cluster_.arrived == threads_ * int64_t(blocks_.size())) {
    cluster_.arrived = 0;
    cluster_.met = next;
    memory_.meet(cluster_.releases);
  }
  return next;
}

std::string SimtBarriers::init(uint64_t address, int64_t count, int64_t warp) {
  std::string why = memory_.check(/*shared=*/true, address, 8, 8);
  if (why.empty() && mbarriers_.count(address) != 0) {
    why = "an mbarrier is initialized again";
  }
  if (!why.empty()) {
    return why;
  }
  memory_.reserve(address, 8);
  MBarrier &made = mbarriers_[address];
  made.count = made.pending = count;
  made.warp = warp;
  made.ofBlock = blocks_[size_t(blockOfAddress(address))].met;
  made.ofCluster = cluster_.met;
  return "";
}

SimtBarriers::MBarrier *SimtBarriers::find(uint64_t address, int64_t warp,
                                           std::string &why) {
  auto found = mbarriers_.find(address);
  if (found == mbarriers_.end()) {
    why = "no mbarrier at " + std::to_string(address);
    return nullptr;
  }
  MBarrier &barrier = found->second;
  int64_t owner = blockOfAddress(address);
  bool hasMet =
      cluster_.met > barrier.ofCluster ||
      (owner == blockOfWarp(warp) &&
       (barrier.warp == warp || blocks_[size_t(owner)].met > barrier.ofBlock));
  if (!hasMet) {
    why = "an mbarrier is used with no barrier after it was initialized";
    return nullptr;
  }
  return &barrier;
}

void SimtBarriers::completeIfSo(MBarrier &barrier) {
  if (barrier.pending == 0 && barrier.bytes == 0) {
    ++barrier.phase;
    barrier.pending = barrier.count;
  }
}

std::string SimtBarriers::arrive(uint64_t address, int64_t bytes,
                                 int64_t warp) {
  std::string why;
  MBarrier *barrier = find(address, warp, why);
  if (!barrier) {
    return why;
  }
  if (barrier->pending == 0) {
    return "more arrivals at an mbarrier than it was initialized for";
  }
  learn(told_[address][barrier->phase], seen_[warp]);
  --barrier->pending;
  barrier->bytes += bytes;
  completeIfSo(*barrier);
  return "";
}

std::string SimtBarriers::copy(uint64_t to, std::vector<char> data,
                               uint64_t address, int64_t warp) {
  std::string why;
  MBarrier *barrier = find(address, warp, why);
  if (barrier) {
    why = memory_.beginBulkCopy(to, int64_t(data.size()));
  }
  if (why.empty()) {
    barrier->copies.push_back({to, std::move(data)});
  }
  return why;
}

bool SimtBarriers::isComplete(uint64_t address, int64_t parity) {
  MBarrier &barrier = mbarriers_.at(address);
  auto isSo = [&] { return ((barrier.phase - 1) & 1) == parity; };
  if (isSo()) {
    return true;
  }
  for (Copy &copy : std::exchange(barrier.copies, {})) {
    memory_.endBulkCopy(copy.to, copy.data, address, barrier.phase);
    barrier.bytes -= int64_t(copy.data.size());
  }
  completeIfSo(barrier);
  return isSo();
}

void SimtBarriers::learn(Seen &seen, const Seen &other) {
  for (auto [address, phase] : other) {
    auto [known, isNew] = seen.try_emplace(address, phase);
    known->second = std::max(known->second, phase);
  }
}

std::string SimtBarriers::see(uint64_t address, int64_t warp) {
  std::string why;
  MBarrier *barrier = find(address, warp, why);
  if (!barrier) {
    return why;
  }
  int64_t phase = barrier->phase - 1;
  Seen &seen = seen_[warp];
  auto [last, isFirst] = seen.try_emplace(address, -1);
  // Before the first phase the other parity is that of one before it.
  bool isNext = phase == last->second + 1 || (isFirst && phase == -1);
  if (!isNext) {
    return "a wait for an mbarrier saw phase " + std::to_string(phase) +
           " after phase " + std::to_string(last->second);
  }
  last->second = phase;
  for (const auto &[of, known] : told_[address]) {
    if (of <= phase) {
      learn(seen, known);
    }
  }
  memory_.seePhase(warp, address, phase);
  return "";
}

std::string SimtBarriers::checkEnd() const {
  for (const auto &[address, barrier] : mbarriers_) {
    if (!barrier.copies.empty()) {
      return "a copy by TMA may land after its block has ended";
    }
    if (barrier.bytes != 0) {
      return "an mbarrier expects " + std::to_string(barrier.bytes) +
             " bytes that never came";
    }
  }
  return "";
}

} // namespace minic::cuda
