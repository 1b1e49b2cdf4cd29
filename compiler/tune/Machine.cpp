// SPDX-License-Identifier: Apache-2.0
//
// What was asked once is remembered.

#include "compiler/tune/Machine.h"

#include "absl/strings/str_cat.h"

#include <filesystem>

namespace minic::tune {

ToolPaths ToolPaths::ofThisProgram() {
  std::error_code error;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  return {self.string(), (self.parent_path() / "minic-worker").string()};
}

Worker &Machine::worker() {
  if (!worker_) {
    worker_ = std::make_unique<ProcessWorker>(
        std::vector<std::string>{tools_.worker});
  }
  return *worker_;
}

absl::StatusOr<runtime::DeviceFacts> Machine::describe(bool gpus) {
  std::optional<runtime::DeviceFacts> &known = gpus ? all : cpu;
  if (known) {
    return *known;
  }
  constexpr double timeoutSeconds = 60; // to start and to open libraries
  WorkerAnswer answer =
      worker().ask(runtime::DescribeRequest{gpus}, timeoutSeconds);
  auto *facts = std::get_if<runtime::DeviceFacts>(&answer.reply);
  if (answer.fate != WorkerAnswer::Fate::Answered || !facts) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot ask '", tools_.worker,
                     "' what this machine has: ", answer.detail));
  }
  known = std::move(*facts);
  return *known;
}

} // namespace minic::tune
