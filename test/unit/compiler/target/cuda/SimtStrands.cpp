// SPDX-License-Identifier: Apache-2.0
//
// A thread for each strand, of which all but one always wait.

#include "test/unit/compiler/target/cuda/SimtStrands.h"

#include <algorithm>
#include <numeric>
#include <thread>

namespace minic::cuda {

void SimtStrands::choose() {
  std::vector<size_t> strands(waits_.size());
  std::iota(strands.begin(), strands.end(), 0);
  if (order_ == SimtOrder::LastFirst) {
    std::reverse(strands.begin(), strands.end());
  } else if (order_ == SimtOrder::Random) {
    std::shuffle(strands.begin(), strands.end(), random_);
  }
  size_t left = waits_.size();
  for (size_t strand : strands) {
    if (!hasEnded_[strand]) {
      left = strand;
      if (isStopped_ || waits_[strand]()) {
        running_ = strand;
        return;
      }
    }
  }
  // Nobody can go on: those that are left end one by one.
  isStopped_ = true;
  running_ = left;
}

bool SimtStrands::waitUntil(size_t strand, std::function<bool()> isSo) {
  std::unique_lock<std::mutex> lock(lock_);
  waits_[strand] = std::move(isSo);
  choose();
  changed_.notify_all();
  changed_.wait(lock, [&] { return running_ == strand; });
  return !isStopped_;
}

std::string SimtStrands::run(size_t count,
                             const std::function<std::string(size_t)> &body) {
  waits_.assign(count, [] { return true; });
  hasEnded_.assign(count, 0);
  running_ = count;
  std::vector<std::thread> threads;
  for (size_t strand = 0; strand != count; ++strand) {
    threads.emplace_back([&, strand] {
      {
        std::unique_lock<std::mutex> lock(lock_);
        changed_.wait(lock, [&] { return running_ == strand; });
      }
      std::string why = isStopped_ ? "" : body(strand);
      std::unique_lock<std::mutex> lock(lock_);
      if (!why.empty() && error_.empty()) {
        error_ = why;
        isStopped_ = true;
      }
      hasEnded_[strand] = 1;
      choose();
      changed_.notify_all();
    });
  }
  {
    std::unique_lock<std::mutex> lock(lock_);
    choose();
    changed_.notify_all();
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  return error_;
}

} // namespace minic::cuda
