// SPDX-License-Identifier: Apache-2.0
//
// What was asked once is remembered.

#include "compiler/tune/process/Machine.h"

#include "absl/strings/str_cat.h"

#include <filesystem>

namespace minic::tune {

ToolPaths ToolPaths::ofThisProgram() {
  std::error_code error;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path folder = self.parent_path();
  return {self.string(), (folder / "minic-worker").string(),
          (folder.parent_path() / "share/minic/tuned").string()};
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
  absl::StatusOr<runtime::DeviceFacts> facts = ask({gpus});
  if (facts.ok()) {
    known = *facts;
  }
  return facts;
}

absl::StatusOr<double> Machine::measureJoin(int threads) {
  absl::StatusOr<runtime::DeviceFacts> facts = ask({false, threads});
  if (!facts.ok()) {
    return facts.status();
  }
  if (facts->joinUs <= 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("a team of ", threads, " threads cannot be measured"));
  }
  return facts->joinUs;
}

absl::StatusOr<runtime::DeviceFacts>
Machine::ask(const runtime::DescribeRequest &request) {
  constexpr double timeoutSeconds = 60; // to start and to open libraries
  WorkerAnswer answer = worker().ask(request, timeoutSeconds);
  auto *facts = std::get_if<runtime::DeviceFacts>(&answer.reply);
  if (answer.fate != WorkerAnswer::Fate::Answered || !facts) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot ask '", tools_.worker,
                     "' what this machine has: ", answer.detail));
  }
  return std::move(*facts);
}

} // namespace minic::tune
