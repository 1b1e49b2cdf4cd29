// SPDX-License-Identifier: Apache-2.0
//
// ThreadPlace: keeps a thread of a pool off its caller's CPU. Where all CPUs
// are busy, Linux often wakes a thread on the CPU of the one that wakes it, and
// there it pushes its caller aside.

#ifndef MINIC_RUNTIME_DEVICE_CPU_THREADPLACE_H
#define MINIC_RUNTIME_DEVICE_CPU_THREADPLACE_H

#include <sched.h>

namespace minic::runtime {

/// Of the thread that calls it.
class ThreadPlace {
public:
  /// If the thread is on `cpu`, moves it to another of the CPUs that it may
  /// use, and takes `cpu` alone from them. No effect if there is no other.
  void keepOff(int cpu);

private:
  cpu_set_t allowed_{};  // set before this object existed
  cpu_set_t narrowed_{}; // what this object set
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_THREADPLACE_H
