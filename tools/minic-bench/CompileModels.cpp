// SPDX-License-Identifier: Apache-2.0
//
// One run of `minic` for each artifact.

#include "tools/minic-bench/CompileModels.h"

#include "runtime/format/ArtifactReader.h"
#include "tools/common/RunMinic.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace minic::tools {

namespace {

bool isModel(const std::string &path) { return absl::EndsWith(path, ".mlir"); }

/// Compiles `model` with `more` arguments to the next artifact of `options`.
absl::Status compile(BenchOptions &options, const std::string &folder,
                     const std::string &model,
                     const std::vector<std::string> &more) {
  std::string output =
      absl::StrCat(folder, "/", options.artifacts.size(), ".minic");
  std::vector<std::string> arguments = {model, "--output=" + output};
  if (options.threads > 0) {
    arguments.push_back(absl::StrCat("--threads=", options.threads));
  }
  if (options.device > 0) {
    arguments.push_back(absl::StrCat("--device=", options.device));
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  options.artifacts.push_back(output);
  return runMinic("compiling", arguments);
}

/// The first model in all the ways that were asked for.
absl::Status compileFirst(BenchOptions &options, const std::string &folder,
                          const std::string &model) {
  if (options.candidates.empty()) {
    options.labels.push_back(model);
    std::vector<std::string> pin;
    if (!options.pin.empty()) {
      pin = {"--pin=" + options.pin};
    }
    return compile(options, folder, model, pin);
  }
  for (const std::string &candidate : options.candidates) {
    options.labels.push_back(candidate);
    absl::Status status =
        compile(options, folder, model, {"--candidate=" + candidate});
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

/// Asks for the function of the first artifact, where that has only one.
absl::Status findFunction(BenchOptions &options) {
  absl::StatusOr<format::ArtifactReader> artifact =
      format::ArtifactReader::open(options.artifacts.front(),
                                   options.expectedDigest);
  if (!artifact.ok()) {
    return artifact.status();
  }
  const auto &functions = *artifact->metadata().functions();
  options.function =
      functions.size() == 1 ? functions[0]->name()->str() : std::string("main");
  return absl::OkStatus();
}

} // namespace

absl::Status compileModels(BenchOptions &options,
                           std::optional<TemporaryDirectory> &folder) {
  std::vector<std::string> paths = std::move(options.artifacts);
  options.artifacts.clear();
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!isModel(paths[i])) {
      options.labels.push_back(paths[i]);
      options.artifacts.push_back(paths[i]);
      continue;
    }
    if (!folder) {
      absl::StatusOr<TemporaryDirectory> created = TemporaryDirectory::create();
      if (!created.ok()) {
        return created.status();
      }
      folder.emplace(*std::move(created));
    }
    absl::Status status;
    if (i == 0) {
      status = compileFirst(options, folder->path(), paths[i]);
    } else {
      options.labels.push_back(paths[i]);
      status = compile(options, folder->path(), paths[i], {});
    }
    if (!status.ok()) {
      return status;
    }
  }
  return options.function.empty() ? findFunction(options) : absl::OkStatus();
}

} // namespace minic::tools
