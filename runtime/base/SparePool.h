// SPDX-License-Identifier: Apache-2.0
//
// SparePool: what its users no longer need but took long to make, kept for the
// next one that needs the same.

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

/// Frees what it holds by itself, on whichever thread.
class Spare {
public:
  virtual ~Spare() = default;
};

/// Whoever takes a spare has it alone. Thread-safe.
class SparePool {
public:
  /// Keeps at most `most` spares and drops the one that lay longest.
  explicit SparePool(size_t most) : most(most) {}

  /// Of several under `key` the last one given; null where there is none.
  std::unique_ptr<Spare> take(const std::string &key);
  /// Under one key spares are of one type.
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
