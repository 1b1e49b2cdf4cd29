// SPDX-License-Identifier: Apache-2.0
//
// InputFile by memfd_create.

#include "test/fuzz/readers/InputFile.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace minic::fuzz {

void reportFinding(const std::string &what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

InputFile::InputFile()
    : fd(memfd_create("input", MFD_CLOEXEC)),
      path("/proc/self/fd/" + std::to_string(fd)) {}

InputFile::~InputFile() { close(fd); }

const std::string &InputFile::write(const uint8_t *data, size_t size) {
  if (ftruncate(fd, off_t(size)) != 0 ||
      pwrite(fd, data, size, 0) != ssize_t(size)) {
    std::perror("cannot write the input");
    std::_Exit(1);
  }
  return path;
}

} // namespace minic::fuzz
