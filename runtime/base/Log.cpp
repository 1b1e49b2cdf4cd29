// SPDX-License-Identifier: Apache-2.0
//
// Warnings to stderr.

#include "runtime/base/Log.h"

#include "absl/strings/str_cat.h"

#include <cstdio>
#include <cstdlib>

namespace minic::runtime {

void logWarning(absl::string_view message) {
  const char *setting = std::getenv("MINIC_LOG");
  if (setting && absl::string_view(setting) == "none") {
    return;
  }
  std::string line = absl::StrCat("minic: warning: ", message, "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace minic::runtime
