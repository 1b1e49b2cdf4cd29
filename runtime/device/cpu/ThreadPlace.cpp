// SPDX-License-Identifier: Apache-2.0
//
// Costs a few nanoseconds unless the thread has to move.

#include "runtime/device/cpu/ThreadPlace.h"

namespace minic::runtime {

void ThreadPlace::keepOff(int cpu) {
  cpu_set_t now;
  if (sched_getcpu() != cpu || sched_getaffinity(0, sizeof(now), &now) != 0) {
    return;
  }
  if (!CPU_EQUAL(&now, &narrowed_)) {
    allowed_ = now;
  }
  cpu_set_t narrowed = allowed_;
  CPU_CLR(cpu, &narrowed);
  if (CPU_COUNT(&narrowed) > 0 &&
      sched_setaffinity(0, sizeof(narrowed), &narrowed) == 0) {
    narrowed_ = narrowed;
  }
}

} // namespace minic::runtime
