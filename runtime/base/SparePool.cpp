// SPDX-License-Identifier: Apache-2.0
//
// A list, which is short.

#include "runtime/base/SparePool.h"

namespace minic::runtime {

std::unique_ptr<Spare> SparePool::take(const std::string &key) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = spares.end(); it != spares.begin();) {
    --it;
    if (it->first == key) {
      std::unique_ptr<Spare> spare = std::move(it->second);
      spares.erase(it);
      ++counters_.taken;
      return spare;
    }
  }
  ++counters_.missed;
  return nullptr;
}

void SparePool::give(std::string key, std::unique_ptr<Spare> spare) {
  std::unique_ptr<Spare> dropped; // freed when the lock is
  std::lock_guard<std::mutex> lock(mutex);
  spares.emplace_back(std::move(key), std::move(spare));
  if (spares.size() > most) {
    dropped = std::move(spares.front().second);
    spares.pop_front();
  }
}

SparePool::Counters SparePool::counters() const {
  std::lock_guard<std::mutex> lock(mutex);
  Counters counters = counters_;
  counters.held = spares.size();
  return counters;
}

} // namespace minic::runtime
