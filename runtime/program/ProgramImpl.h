// SPDX-License-Identifier: Apache-2.0
//
// The members of a Program, which Context reads, too.

#ifndef MINIC_RUNTIME_PROGRAM_PROGRAMIMPL_H
#define MINIC_RUNTIME_PROGRAM_PROGRAMIMPL_H

#include "runtime/device/Device.h"
#include "runtime/program/Program.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace minic::runtime {

/// What the Programs of one artifact share.
struct LoadedFile {
  explicit LoadedFile(format::ArtifactReader artifact)
      : artifact(std::move(artifact)) {}

  std::string name; // in messages
  format::ArtifactReader artifact;
  std::vector<std::shared_ptr<const std::byte>> externals; // as lent
  std::vector<const std::byte *> constants; // by index of Artifact.constants
};

struct Program::Impl {
  explicit Impl(std::shared_ptr<const LoadedFile> file)
      : file(std::move(file)) {}

  std::shared_ptr<const LoadedFile> file;
  /// What it was loaded as; null for a function by its own name.
  const format::Entry *entry = nullptr;
  const format::Function *function = nullptr;
  const format::Variant *variant = nullptr;
  std::vector<TensorSpec> inputs, outputs;
  std::unique_ptr<Executable> executable; // refers to all of the above
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_PROGRAMIMPL_H
