// SPDX-License-Identifier: Apache-2.0
//
// The two ways of loading kernels.

#include "runtime/device/cpu/KernelModule.h"

#include "runtime/device/cpu/ElfImage.h"

#include "absl/strings/str_cat.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace minic::runtime {

namespace {

class MappedModule : public KernelModule {
public:
  explicit MappedModule(ElfImage image) : image(std::move(image)) {}
  KernelEntry find(const std::string &entry) const override {
    return reinterpret_cast<KernelEntry>(image.find(entry));
  }

private:
  ElfImage image;
};

/// Keeps its descriptor open while loaded: dlopen matches libraries by name,
/// and a reused number under /proc/self/fd would return these kernels again.
class DlopenedModule : public KernelModule {
public:
  DlopenedModule(int fd, void *library) : fd(fd), library(library) {}
  ~DlopenedModule() override {
    dlclose(library);
    close(fd);
  }
  KernelEntry find(const std::string &entry) const override {
    return reinterpret_cast<KernelEntry>(dlsym(library, entry.c_str()));
  }

  static absl::StatusOr<std::unique_ptr<KernelModule>>
  load(absl::Span<const std::byte> bytes) {
    int fd = memfd_create("minic-kernels", MFD_CLOEXEC);
    if (fd < 0) {
      return absl::ErrnoToStatus(errno, "cannot create a file for kernels");
    }
    for (size_t done = 0; done < bytes.size();) {
      ssize_t wrote = write(fd, bytes.data() + done, bytes.size() - done);
      if (wrote < 0) {
        absl::Status status =
            absl::ErrnoToStatus(errno, "cannot write a file of kernels");
        close(fd);
        return status;
      }
      done += wrote;
    }
    std::string path = absl::StrCat("/proc/self/fd/", fd);
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      close(fd);
      return absl::DataLossError(absl::StrCat("kernel object: ", dlerror()));
    }
    return std::make_unique<DlopenedModule>(fd, library);
  }

private:
  int fd;
  void *library;
};

} // namespace

absl::StatusOr<std::unique_ptr<KernelModule>>
KernelModule::load(absl::Span<const std::byte> bytes) {
  const char *setting = std::getenv("MINIC_DLOPEN_KERNELS");
  if (setting && absl::string_view(setting) == "1") {
    return DlopenedModule::load(bytes);
  }
  absl::StatusOr<ElfImage> image = ElfImage::load(bytes);
  if (!image.ok()) {
    return image.status();
  }
  return std::make_unique<MappedModule>(std::move(*image));
}

} // namespace minic::runtime
