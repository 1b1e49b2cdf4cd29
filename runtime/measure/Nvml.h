// SPDX-License-Identifier: Apache-2.0
//
// Nvml: the few functions of NVIDIA's management library that are needed,
// opened on demand. It needs no CUDA driver context.

#ifndef MINIC_RUNTIME_MEASURE_NVML_H
#define MINIC_RUNTIME_MEASURE_NVML_H

#include <string>

namespace minic::runtime {

/// Functions return 0, or an error that describe() names.
struct Nvml {
  static constexpr int smClock = 1; // NVML_CLOCK_SM

  /// Opens what the environment's MINIC_NVML_LIBRARY names, else
  /// libnvidia-ml.so.1.
  Nvml();
  ~Nvml();
  Nvml(const Nvml &) = delete;
  Nvml &operator=(const Nvml &) = delete;

  /// "Insufficient Permissions (NVML error 4)"
  std::string describe(int error) const;

  /// Why nothing may be called; empty where all may, but those that are null.
  std::string problem;
  int (*getHandle)(const char *uuid, void **device) = nullptr;
  int (*getClock)(void *device, int type, unsigned *mhz) = nullptr;
  /// Null in a library that is too old.
  int (*getMaxClock)(void *device, int type, unsigned *mhz) = nullptr;
  int (*lockClocks)(void *device, unsigned low, unsigned high) = nullptr;
  int (*resetClocks)(void *device) = nullptr;

private:
  void *library = nullptr;
  int (*shutdown)() = nullptr;
  const char *(*errorString)(int error) = nullptr;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_NVML_H
