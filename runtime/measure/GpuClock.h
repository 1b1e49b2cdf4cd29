// SPDX-License-Identifier: Apache-2.0
//
// GpuClock: how fast a GPU runs right now, by NVML where it is installed.

#ifndef MINIC_RUNTIME_MEASURE_GPUCLOCK_H
#define MINIC_RUNTIME_MEASURE_GPUCLOCK_H

#include <memory>
#include <string>

namespace minic::runtime {

struct Nvml;

/// Opened on demand: a machine without NVML measures without it.
class GpuClock {
public:
  /// Of the GPU with this UUID ("GPU-..." or "MIG-...").
  explicit GpuClock(const std::string &uuid);
  ~GpuClock();
  GpuClock(const GpuClock &) = delete;
  GpuClock &operator=(const GpuClock &) = delete;

  /// MHz of the SMs; 0 if unknown. Takes some microseconds.
  double smMHz() const;

private:
  std::unique_ptr<Nvml> nvml;
  void *device = nullptr;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_GPUCLOCK_H
