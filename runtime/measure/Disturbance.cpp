// SPDX-License-Identifier: Apache-2.0
//
// Run-queue delays of every thread, stolen ticks, involuntary switches.

#include "runtime/measure/Disturbance.h"
#include "runtime/measure/KernelCounts.h"

#include "absl/strings/str_cat.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

namespace minic::runtime {

/// The start of a small file; empty where it cannot be read.
static std::string readStart(const std::string &path) {
  char buffer[512];
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return "";
  }
  ssize_t got = ::read(fd, buffer, sizeof(buffer));
  ::close(fd);
  return std::string(buffer, got > 0 ? size_t(got) : 0);
}

WithheldTime readWithheldTime() {
  WithheldTime withheld;
  if (DIR *threads = ::opendir("/proc/self/task")) {
    while (const dirent *entry = ::readdir(threads)) {
      if (entry->d_name[0] == '.') {
        continue;
      }
      std::optional<double> waitedUs = parseRunDelayUs(readStart(
          absl::StrCat("/proc/self/task/", entry->d_name, "/schedstat")));
      withheld.waitedUs += waitedUs.value_or(0);
      withheld.knowsWaits |= waitedUs.has_value();
    }
    ::closedir(threads);
  }
  withheld.stolenUs =
      parseStolenUs(readStart("/proc/stat"), double(::sysconf(_SC_CLK_TCK)))
          .value_or(0);
  rusage usage = {};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    withheld.involuntarySwitches = usage.ru_nivcsw;
  }
  return withheld;
}

bool isDisturbed(const WithheldTime &before, const WithheldTime &after,
                 double sampleUs) {
  if (!after.knowsWaits &&
      after.involuntarySwitches > before.involuntarySwitches) {
    return true;
  }
  double withheldUs =
      after.waitedUs - before.waitedUs + after.stolenUs - before.stolenUs;
  return withheldUs > disturbedShare * sampleUs;
}

} // namespace minic::runtime
