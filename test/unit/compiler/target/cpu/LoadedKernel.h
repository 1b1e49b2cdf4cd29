// SPDX-License-Identifier: Apache-2.0
//
// LoadedKernel: an assembled device module, callable from a test.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_LOADEDKERNEL_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_LOADEDKERNEL_H

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace minic::cpu {

union Arg {
  const void *pointer;
  int64_t integer;
  Arg(const void *pointer) : pointer(pointer) {}
};

using Entry = void (*)(const Arg *args, int64_t begin, int64_t end,
                       void *scratch);

/// Holds a shared object in a memory file while it lives.
class LoadedKernel {
public:
  explicit LoadedKernel(const std::string &bytes) {
    descriptor_ = memfd_create("kernel", MFD_CLOEXEC);
    if (write(descriptor_, bytes.data(), bytes.size()) !=
        ssize_t(bytes.size())) {
      return;
    }
    std::string path = "/proc/self/fd/" + std::to_string(descriptor_);
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  // The descriptor is leaked: glibc knows a library by its name, and a reused
  // number would name the old one.
  ~LoadedKernel() {
    if (handle_) {
      dlclose(handle_);
    }
  }
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  /// Null where there is no such entry.
  Entry entry(const char *name) const {
    return handle_ ? reinterpret_cast<Entry>(dlsym(handle_, name)) : nullptr;
  }

private:
  int descriptor_ = -1;
  void *handle_ = nullptr;
};

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_LOADEDKERNEL_H
