// SPDX-License-Identifier: Apache-2.0
//
// KernelModule: the loaded kernels of one binary, and how they are called.

#ifndef MINIC_RUNTIME_DEVICE_CPU_KERNELMODULE_H
#define MINIC_RUNTIME_DEVICE_CPU_KERNELMODULE_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace minic::runtime {

/// A parameter of a kernel: a pointer or an integer.
union Arg {
  void *pointer;
  int64_t integer;
};
static_assert(sizeof(Arg) == 8);

/// Computes tiles [begin, end) of a kernel's grid. `scratch` is the calling
/// thread's own.
using KernelEntry = void (*)(const Arg *args, int64_t begin, int64_t end,
                             void *scratch);

/// Immutable and thread-safe.
class KernelModule {
public:
  virtual ~KernelModule() = default;
  /// Null if there is none of that name.
  virtual KernelEntry find(const std::string &entry) const = 0;

  /// Through ElfImage; or, with MINIC_DLOPEN_KERNELS=1 in the environment,
  /// through dlopen, which shows the kernels' names to gdb and perf.
  static absl::StatusOr<std::unique_ptr<KernelModule>>
  load(absl::Span<const std::byte> bytes);
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_KERNELMODULE_H
