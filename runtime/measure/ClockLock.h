// SPDX-License-Identifier: Apache-2.0
//
// ClockLock: a GPU's SM clocks at one frequency, so that measurements minutes
// apart compare.

#ifndef MINIC_RUNTIME_MEASURE_CLOCKLOCK_H
#define MINIC_RUNTIME_MEASURE_CLOCKLOCK_H

#include "absl/status/statusor.h"

#include <memory>
#include <string>

#include <sys/types.h>

namespace minic::runtime {

/// While it lives. A process of its own locks and unlocks: the clocks are the
/// device's, not the process's, and must not stay locked however this one
/// ends. That process is this program again, see ClockKeeper.h.
class ClockLock {
public:
  /// Of the GPU with this UUID, at `mhz`, 0 for the highest SM clock that NVML
  /// names. FailedPrecondition with the reason where it cannot be: no NVML, no
  /// permission, a MIG instance.
  static absl::StatusOr<std::unique_ptr<ClockLock>>
  acquire(const std::string &uuid, int mhz);
  /// Returns once the clocks are free again.
  ~ClockLock();
  ClockLock(const ClockLock &) = delete;
  ClockLock &operator=(const ClockLock &) = delete;

  int mhz() const { return mhz_; }

private:
  ClockLock(pid_t keeper, int lifeline) : keeper(keeper), lifeline(lifeline) {}

  pid_t keeper;
  int lifeline; // the keeper unlocks when this end is closed
  int mhz_ = 0;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_CLOCKLOCK_H
