// SPDX-License-Identifier: Apache-2.0
//
// Finds the function and the variant, then has the device load it.

#include "runtime/program/ProgramImpl.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace minic::runtime {

/// The function called `name`, or the first one of the entry called so, which
/// `entry` becomes.
static absl::StatusOr<const format::Function *>
findFunction(const format::Artifact &artifact, const std::string &name,
             const format::Entry *&entry) {
  std::vector<std::string> names;
  for (const format::Function *function : *artifact.functions()) {
    names.push_back(function->name()->str());
    if (names.back() == name) {
      return function;
    }
  }
  for (uint32_t i = 0; artifact.entries() && i < artifact.entries()->size();
       ++i) {
    entry = artifact.entries()->Get(i);
    if (entry->name()->str() == name) {
      return artifact.functions()->Get(entry->buckets()->Get(0)->function());
    }
    names.push_back(entry->name()->str());
  }
  return absl::NotFoundError(
      absl::StrCat("no function '", name,
                   "' in the artifact; it has: ", absl::StrJoin(names, ", ")));
}

/// "cuda sm_90a"
static std::string describe(const format::Variant &variant) {
  std::string text = variant.target()->str();
  if (text != "cpu" && variant.isa()) {
    for (const flatbuffers::String *entry : *variant.isa()) {
      absl::StrAppend(&text, " ", entry->str());
    }
  }
  return text;
}

/// The first variant with `threads` threads (0: any) that this machine runs.
static absl::StatusOr<const format::Variant *>
findVariant(const format::Function &function, int threads, int deviceIndex) {
  std::vector<uint32_t> threadCounts;
  std::vector<std::string> reasons;
  for (const format::Variant *variant : *function.variants()) {
    threadCounts.push_back(variant->threads());
    if (threads != 0 && variant->threads() != uint32_t(threads)) {
      continue;
    }
    const Device *device = findDevice(variant->target()->str());
    absl::Status status = device ? device->canRun(*variant, deviceIndex)
                                 : absl::FailedPreconditionError(absl::StrCat(
                                       "this runtime has no target '",
                                       variant->target()->str(), "'"));
    if (status.ok()) {
      return variant;
    }
    std::string reason =
        absl::StrCat(describe(*variant), ": ", status.message());
    // Variants for several thread counts lack the same.
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(std::move(reason));
    }
  }
  if (!reasons.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("function '", function.name()->str(),
                     "' cannot run here: ", absl::StrJoin(reasons, "; ")));
  }
  return absl::NotFoundError(absl::StrCat(
      "function '", function.name()->str(), "' has no plan for ", threads,
      " threads; it has: ", absl::StrJoin(threadCounts, ", ")));
}

static std::vector<TensorSpec> copySpecs(
    const flatbuffers::Vector<flatbuffers::Offset<format::TensorSpec>> &specs) {
  std::vector<TensorSpec> copies;
  for (const format::TensorSpec *spec : specs) {
    copies.push_back({spec->name()->str(),
                      spec->dtype(),
                      {spec->dims()->begin(), spec->dims()->end()},
                      spec->alignment(),
                      {}});
    if (spec->in_place()) {
      copies.back().inPlaceOf = *spec->in_place();
    }
    copies.back().values = toOperandValues(spec->values());
  }
  return copies;
}

static absl::Status collectConstants(LoadedFile &file, const Device &device,
                                     const ProgramOptions &options) {
  const auto &constants = *file.artifact.metadata().constants();
  for (uint32_t i = 0; i < constants.size(); ++i) {
    const format::Constant &constant = *constants[i];
    if (!constant.external()) {
      file.constants.push_back(file.artifact.constant(i).data());
      continue;
    }
    if (!options.constants) {
      return absl::InvalidArgumentError(
          absl::StrCat("constant '", constant.name()->str(),
                       "' is external, expected a provider for it at load"));
    }
    absl::StatusOr<std::shared_ptr<const std::byte>> lent =
        options.constants(constant, device, options.device);
    if (!lent.ok()) {
      return lent.status();
    }
    file.constants.push_back(lent->get());
    file.externals.push_back(*std::move(lent));
  }
  return absl::OkStatus();
}

/// Sets all but the executable.
static absl::Status chooseVariant(Program::Impl &impl,
                                  const ProgramOptions &options) {
  absl::StatusOr<const format::Function *> function = findFunction(
      impl.file->artifact.metadata(), options.function, impl.entry);
  if (!function.ok()) {
    return function.status();
  }
  impl.function = *function;
  absl::StatusOr<const format::Variant *> variant =
      findVariant(**function, options.threads, options.device);
  if (!variant.ok()) {
    return variant.status();
  }
  impl.variant = *variant;
  impl.inputs = copySpecs(*impl.function->inputs());
  impl.outputs = copySpecs(*impl.function->outputs());
  return absl::OkStatus();
}

static const Device &deviceOf(const Program::Impl &impl) {
  return *findDevice(impl.variant->target()->str());
}

static absl::Status
makeExecutable(Program::Impl &impl, const ProgramOptions &options,
               absl::Span<const Executable *const> siblings) {
  absl::StatusOr<std::unique_ptr<Executable>> executable = deviceOf(impl).load(
      {impl.file->artifact, *impl.function, *impl.variant, impl.file->constants,
       options.strictLibraries, options.device, options.spares,
       options.onlyListsAlgorithms, options.isPart, siblings});
  if (!executable.ok()) {
    return executable.status();
  }
  impl.executable = std::move(*executable);
  return absl::OkStatus();
}

static absl::Status annotate(const std::string &name,
                             const absl::Status &status) {
  return absl::Status(status.code(),
                      absl::StrCat("'", name, "': ", status.message()));
}

static absl::StatusOr<std::unique_ptr<Program::Impl>>
makeImpl(absl::StatusOr<format::ArtifactReader> artifact,
         const std::string &name, const ProgramOptions &options) {
  if (!artifact.ok()) {
    return artifact.status();
  }
  auto file = std::make_shared<LoadedFile>(std::move(*artifact));
  file->name = name;
  auto impl = std::make_unique<Program::Impl>(file);
  absl::Status status = chooseVariant(*impl, options);
  if (status.ok()) {
    status = collectConstants(*file, deviceOf(*impl), options);
  }
  if (status.ok()) {
    status = makeExecutable(*impl, options, /*siblings=*/{});
  }
  if (!status.ok()) {
    return annotate(name, status);
  }
  return impl;
}

Program::Program(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Program::~Program() = default;

absl::StatusOr<std::shared_ptr<const Program>>
Program::load(const std::string &path, const ProgramOptions &options) {
  absl::StatusOr<std::unique_ptr<Impl>> impl =
      makeImpl(format::ArtifactReader::open(path, options.expectedDigest), path,
               options);
  if (!impl.ok()) {
    return impl.status();
  }
  return std::shared_ptr<const Program>(new Program(std::move(*impl)));
}

absl::StatusOr<std::shared_ptr<const Program>>
Program::loadBytes(absl::Span<const std::byte> bytes,
                   const ProgramOptions &options) {
  const char *name = "memory";
  absl::StatusOr<std::unique_ptr<Impl>> impl = makeImpl(
      format::ArtifactReader::copy(bytes, name, options.expectedDigest), name,
      options);
  if (!impl.ok()) {
    return impl.status();
  }
  return std::shared_ptr<const Program>(new Program(std::move(*impl)));
}

absl::StatusOr<std::shared_ptr<const Program>> Program::loadFunction(
    const ProgramOptions &options,
    absl::Span<const std::shared_ptr<const Program>> siblings) const {
  auto impl = std::make_unique<Impl>(impl_->file);
  absl::Status status =
      options.expectedDigest
          ? impl_->file->artifact.checkDigest(*options.expectedDigest)
          : absl::OkStatus();
  if (status.ok()) {
    status = chooseVariant(*impl, options);
  }
  if (status.ok()) {
    std::vector<const Executable *> executables = {impl_->executable.get()};
    for (const std::shared_ptr<const Program> &sibling : siblings) {
      executables.push_back(sibling->impl_->executable.get());
    }
    status = makeExecutable(*impl, options, executables);
  }
  if (!status.ok()) {
    return annotate(impl_->file->name, status);
  }
  return std::shared_ptr<const Program>(new Program(std::move(impl)));
}

const std::vector<TensorSpec> &Program::inputs() const { return impl_->inputs; }

const std::vector<TensorSpec> &Program::outputs() const {
  return impl_->outputs;
}

const char *Program::function() const {
  return impl_->function->name()->c_str();
}

DevicePlace Program::place() const { return impl_->executable->place(); }

const Executable &Program::executable() const { return *impl_->executable; }

uint64_t Program::arenaBytes() const { return impl_->variant->arena_bytes(); }

int Program::threads() const { return impl_->variant->threads(); }

bool Program::callsLibrary() const { return impl_->executable->callsLibrary(); }

uint64_t Program::flops() const { return impl_->function->flops(); }

const char *Program::evidence() const {
  const flatbuffers::String *text = impl_->variant->evidence();
  return text ? text->c_str() : "";
}

} // namespace minic::runtime
