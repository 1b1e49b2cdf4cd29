// SPDX-License-Identifier: Apache-2.0
//
// MeasureLock: one tuner of any user at a time on a machine's CPU and on each
// of its GPUs, because two that measure at once spoil each other's figures.

#ifndef MINIC_COMPILER_TUNE_PROCESS_MEASURELOCK_H
#define MINIC_COMPILER_TUNE_PROCESS_MEASURELOCK_H

#include "absl/status/statusor.h"

#include <functional>
#include <memory>
#include <string>

namespace minic::tune {

/// Held while it lives; the kernel frees it when the process dies.
class MeasureLock {
public:
  /// Waits until the lock file at `path`, which is created, is free. `notify`
  /// is told once, in one line, when there is something to wait for. Cancelled
  /// once `stop` says true.
  static absl::StatusOr<std::unique_ptr<MeasureLock>>
  acquire(const std::string &path,
          const std::function<void(const std::string &)> &notify,
          const std::function<bool()> &stop);
  /// A file that all users share: in /tmp, or where $MINIC_LOCK_DIR says.
  static std::string defaultPath();
  /// The same for one GPU, by what names it everywhere.
  static std::string pathOf(const std::string &deviceId);
  ~MeasureLock();
  MeasureLock(const MeasureLock &) = delete;
  MeasureLock &operator=(const MeasureLock &) = delete;

private:
  explicit MeasureLock(int fd) : fd(fd) {}
  int fd;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_MEASURELOCK_H
