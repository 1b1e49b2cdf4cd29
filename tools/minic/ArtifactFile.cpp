// SPDX-License-Identifier: Apache-2.0
//
// Artifacts and their tensors as text.

#include "tools/minic/ArtifactFile.h"

#include "tools/minic/Commands.h"

#include "llvm/Support/FormatVariadic.h"

#include <CLI/CLI.hpp>

namespace minic {

std::optional<format::ArtifactReader> openArtifact(CLI::App &app, int argc,
                                                   char **argv, int &exitCode) {
  std::string path;
  app.add_option("artifact", path, "Artifact (.minic)")->required();
  if (std::optional<int> code =
          tools::parseCommandLine(toolName, app, argc, argv)) {
    exitCode = *code;
    return std::nullopt;
  }
  absl::StatusOr<format::ArtifactReader> artifact =
      format::ArtifactReader::open(path);
  if (!artifact.ok()) {
    exitCode = tools::fail(toolName, artifact.status());
    return std::nullopt;
  }
  return *std::move(artifact);
}

std::string typeText(format::DType dtype,
                     const flatbuffers::Vector<int64_t> &dims) {
  std::string text = format::EnumNameDType(dtype);
  text += '[';
  for (size_t i = 0; i < dims.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(dims[i]);
  }
  return text + ']';
}

std::string specText(const format::TensorSpec &spec) {
  return spec.name()->str() + ": " + typeText(spec.dtype(), *spec.dims());
}

std::string bytesText(uint64_t bytes) {
  if (bytes < 10000) {
    return llvm::formatv("{0} B", bytes);
  }
  if (bytes < 10000000) {
    return llvm::formatv("{0:F1} KB", bytes / 1e3);
  }
  return llvm::formatv("{0:F1} MB", bytes / 1e6);
}

} // namespace minic
