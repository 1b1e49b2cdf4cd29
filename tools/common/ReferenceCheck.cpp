// SPDX-License-Identifier: Apache-2.0
//
// ReferenceCheck: runs `minic evaluate` on the inputs as files.

#include "tools/common/ReferenceCheck.h"

#include "runtime/measure/ExpectedOutputs.h"
#include "runtime/measure/NpyFile.h"
#include "tools/common/TemporaryDirectory.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace minic::tools {

using runtime::ExpectedOutput;

namespace {

/// `minic` in the folder of this program, or "".
std::string findMinic() {
  std::error_code error;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  std::string path = (self.parent_path() / "minic").string();
  return !error && ::access(path.c_str(), X_OK) == 0 ? path : "";
}

std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Runs and waits; stderr goes to a file. The exit status as waitpid says it.
absl::StatusOr<int> execute(const std::vector<std::string> &arguments,
                            const std::string &stderrPath) {
  std::vector<char *> argv;
  for (const std::string &argument : arguments) {
    argv.push_back(const_cast<char *>(argument.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, stderrPath.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int error =
      posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::InternalError(absl::StrCat("cannot start '", arguments[0],
                                            "': ", std::strerror(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return absl::InternalError("lost 'minic evaluate'");
    }
  }
  return status;
}

/// What a failed `minic evaluate` means to us, by the table of exit codes.
absl::Status evaluationFailure(int status, const std::string &line) {
  // "minic: error: MESSAGE": we say by ourselves who it was.
  size_t start = line.find("error: ");
  std::string text = absl::StrCat(
      "--check: ", line.empty()                 ? "minic evaluate failed"
                   : start == std::string::npos ? line
                                                : line.substr(start + 7));
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  switch (code) {
  case 3:
    return absl::InvalidArgumentError(text);
  case 4:
    return absl::UnimplementedError(text);
  default:
    return absl::InternalError(text);
  }
}

absl::StatusOr<std::vector<ExpectedOutput>>
evaluate(const ReferenceRequest &request,
         absl::Span<const runtime::TensorSpec> specs,
         absl::Span<const runtime::Tensor> inputs) {
  std::string minic = findMinic();
  if (minic.empty()) {
    return absl::UnimplementedError("--check is not built in");
  }
  absl::StatusOr<TemporaryDirectory> folder = TemporaryDirectory::create();
  if (!folder.ok()) {
    return folder.status();
  }
  std::string expected = folder->path() + "/expected";
  std::string errors = folder->path() + "/stderr";
  std::vector<std::string> arguments = {minic, "evaluate", request.model,
                                        "--function=" + request.function,
                                        "--expected=" + expected};
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string path = absl::StrCat(folder->path(), "/", i, ".npy");
    if (absl::Status status = runtime::writeNpy(path, inputs[i]);
        !status.ok()) {
      return status;
    }
    arguments.push_back(absl::StrCat("--input=", specs[i].name, "=", path));
  }
  absl::StatusOr<int> status = execute(arguments, errors);
  if (!status.ok()) {
    return status.status();
  }
  if (*status != 0) {
    return evaluationFailure(*status, firstLine(errors));
  }
  return runtime::readExpectedOutputs(expected);
}

/// Prints the verdict on one output.
bool report(const ExpectedOutput &expected, const runtime::Tensor &output) {
  runtime::Comparison result = runtime::compare(expected, output.data);
  if (!result.matches) {
    absl::PrintF("check %s: WRONG: %s\n", expected.name, result.detail);
    return false;
  }
  absl::PrintF("check %s: ok, error at most %.3g of its tolerance, %.3g "
               "relative",
               expected.name, result.worst, result.maxRelativeError);
  if (!expected.rows.empty()) {
    absl::PrintF(" (%d of %d rows)", expected.rows.size(),
                 runtime::rowCount(expected.dims));
  }
  absl::PrintF("\n");
  return true;
}

absl::StatusOr<bool>
compareAll(const std::vector<ExpectedOutput> &expected,
           absl::Span<const runtime::TensorSpec> outputSpecs,
           absl::Span<const runtime::Tensor> outputs) {
  if (expected.size() != outputSpecs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--check: the model has ", expected.size(),
                     " outputs where the artifact has ", outputSpecs.size()));
  }
  bool right = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (expected[i].dtype != outputSpecs[i].dtype ||
        expected[i].dims != outputSpecs[i].dims) {
      return absl::InvalidArgumentError(
          absl::StrCat("--check: output ", outputSpecs[i].name,
                       " has another shape or dtype in the model"));
    }
    right = report(expected[i], outputs[i]) && right;
  }
  return right;
}

} // namespace

absl::StatusOr<bool>
checkAgainstReference(const ReferenceRequest &request,
                      absl::Span<const runtime::TensorSpec> inputSpecs,
                      absl::Span<const runtime::Tensor> inputs,
                      absl::Span<const runtime::TensorSpec> outputSpecs,
                      absl::Span<const runtime::Tensor> outputs) {
  absl::StatusOr<std::vector<ExpectedOutput>> expected =
      evaluate(request, inputSpecs, inputs);
  if (!expected.ok()) {
    return expected.status();
  }
  return compareAll(*expected, outputSpecs, outputs);
}

absl::StatusOr<bool>
checkAgainstFile(const std::string &expectedPath,
                 absl::Span<const runtime::TensorSpec> outputSpecs,
                 absl::Span<const runtime::Tensor> outputs) {
  absl::StatusOr<std::vector<ExpectedOutput>> expected =
      runtime::readExpectedOutputs(expectedPath);
  if (!expected.ok()) {
    return expected.status();
  }
  return compareAll(*expected, outputSpecs, outputs);
}

} // namespace minic::tools
