// SPDX-License-Identifier: Apache-2.0
//
// The hash decides between files of one name.

#include "compiler/driver/StoredWeights.h"

#include "compiler/import/WeightSource.h"

#include "llvm/ADT/STLExtras.h"

#include <filesystem>
#include <vector>

namespace fs = std::filesystem;

namespace minic {

std::string storedWeightsName(llvm::StringRef file) {
  std::error_code error;
  fs::path name = fs::proximate(fs::path(file.str()), error);
  return error || name.empty() ? file.str() : name.generic_string();
}

static std::vector<fs::path> candidatesOf(const fs::path &stored,
                                          const fs::path &artifact) {
  if (stored.is_absolute()) {
    return {artifact.parent_path() / stored.filename(), stored};
  }
  std::vector<fs::path> files = {artifact.parent_path() / stored.filename()};
  std::error_code error;
  fs::path folder = fs::absolute(artifact, error).parent_path();
  for (; !error && !folder.empty(); folder = folder.parent_path()) {
    files.push_back(folder / stored);
    if (folder == folder.parent_path()) {
      break; // the root
    }
  }
  files.push_back(stored);
  return files;
}

std::string findStoredWeights(const format::Artifact &metadata,
                              llvm::StringRef path) {
  if (!metadata.weights_path() || metadata.weights_path()->size() == 0) {
    return "";
  }
  fs::path stored = metadata.weights_path()->str();
  std::vector<fs::path> files = candidatesOf(stored, fs::path(path.str()));
  llvm::erase_if(files, [](const fs::path &file) {
    std::error_code error;
    return !fs::is_regular_file(file, error);
  });
  if (files.empty()) {
    return stored.string();
  }
  llvm::StringRef hash =
      metadata.weights_hash() ? metadata.weights_hash()->c_str() : "";
  auto found = llvm::find_if(files, [&](const fs::path &file) {
    std::string error;
    auto weights = openWeights(file.string(), error);
    return weights && weights->hash() == hash;
  });
  return (found == files.end() ? files.front() : *found).string();
}

} // namespace minic
