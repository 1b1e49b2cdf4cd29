// SPDX-License-Identifier: Apache-2.0
//
// SparePool: keeps objects that took long to make and are no longer used, for
// the next user that needs the same.

#ifndef MINIC_RUNTIME_BASE_SPAREPOOL_H
#define MINIC_RUNTIME_BASE_SPAREPOOL_H

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace minic::runtime {

/// Frees what it holds by itself, on any thread.
class Spare {
public:
  virtual ~Spare() = default;
};

/// A spare belongs to the one who took it. Thread-safe.
class SparePool {
public:
  /// Keeps at most `most` spares and drops the one that was unused longest.
  explicit SparePool(size_t most) : most(most) {}

  /// The spare that was given last under `key`; null if there is none.
  std::unique_ptr<Spare> take(const std::string &key);
  /// All spares under one key have one type.
  void give(std::string key, std::unique_ptr<Spare> spare);

  struct Counters {
    int64_t taken = 0, missed = 0; // calls of take
    size_t held = 0;
  };
  Counters counters() const;

private:
  const size_t most;
  mutable std::mutex mutex;
  Counters counters_; // but for `held`
  std::list<std::pair<std::string, std::unique_ptr<Spare>>> spares; // by age
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_SPAREPOOL_H
