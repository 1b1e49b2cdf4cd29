// SPDX-License-Identifier: Apache-2.0
//
// Fills the sections and hands them to the container writer.

#include "compiler/emit/EmitArtifact.h"

#include "compiler/emit/PlanToMetadata.h"
#include "compiler/emit/WriteConstant.h"
#include "dialects/graph/ConstantBytes.h"
#include "runtime/format/ArtifactWriter.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

using namespace mlir;

namespace minic {

namespace {

/// The sections of one artifact; `contents` points into the rest.
struct Sections {
  PlanMetadata plan;
  flatbuffers::FlatBufferBuilder metadata;
  std::vector<std::byte> binaries;
  format::ArtifactContents contents;
};

} // namespace

static absl::Status writeConstants(const PlanMetadata &plan,
                                   const std::function<void()> &constantWritten,
                                   const format::AppendBytes &append) {
  uint64_t end = 0;
  auto padTo = [&](uint64_t offset) {
    std::vector<std::byte> zeros(offset - end);
    end = offset;
    return append(zeros);
  };
  for (size_t i = 0; i < plan.constants.size(); ++i) {
    plan::ConstantOp op = plan.constants[i];
    const format::ConstantT &entry = *plan.artifact.constants[i];
    if (entry.external) {
      continue;
    }
    absl::Status status = padTo(entry.offset);
    if (status.ok()) {
      status = writeConstant(cast<RankedTensorType>(op.getType()),
                             *op.getValue(), append);
      end += entry.bytes;
    }
    if (!status.ok()) {
      return absl::Status(status.code(), "constant @" + entry.name + ": " +
                                             std::string(status.message()));
    }
    if (constantWritten) {
      constantWritten();
    }
  }
  return padTo(plan.constantsBytes);
}

static LogicalResult fillBinaries(Sections &sections) {
  sections.binaries.resize(sections.plan.binariesBytes);
  for (size_t i = 0; i < sections.plan.binaries.size(); ++i) {
    plan::BinaryOp op = sections.plan.binaries[i];
    FailureOr<graph::ConstantBytes> data =
        graph::ConstantBytes::get(op.getData());
    if (failed(data)) {
      return op.emitOpError("has no bytes");
    }
    std::memcpy(sections.binaries.data() +
                    sections.plan.artifact.binaries[i]->offset,
                data->bytes().data(), data->bytes().size());
  }
  return success();
}

static FailureOr<std::unique_ptr<Sections>>
makeSections(ModuleOp module, const EmitOptions &options) {
  FailureOr<PlanMetadata> plan = planToMetadata(module);
  if (failed(plan)) {
    return failure();
  }
  auto sections = std::make_unique<Sections>();
  sections->plan = std::move(*plan);
  format::ArtifactT &artifact = sections->plan.artifact;
  artifact.compiler = "minic " MINIC_VERSION;
  artifact.weights_path = options.weightsPath;
  artifact.weights_hash = options.weightsHash;
  sections->metadata.Finish(
      format::Artifact::Pack(sections->metadata, &artifact),
      format::ArtifactIdentifier());
  if (failed(fillBinaries(*sections))) {
    return failure();
  }
  auto bytes = [](const void *data, size_t size) {
    return absl::MakeConstSpan(static_cast<const std::byte *>(data), size);
  };
  format::ArtifactContents &contents = sections->contents;
  contents.metadata = bytes(sections->metadata.GetBufferPointer(),
                            sections->metadata.GetSize());
  contents.binaries = sections->binaries;
  contents.constantsBytes = sections->plan.constantsBytes;
  contents.writeConstants = [plan = &sections->plan,
                             constantWritten = options.constantWritten](
                                const format::AppendBytes &append) {
    return writeConstants(*plan, constantWritten, append);
  };
  contents.model = bytes(options.model.data(), options.model.size());
  return sections;
}

static LogicalResult report(ModuleOp module, const absl::Status &status) {
  if (status.ok()) {
    return success();
  }
  absl::string_view message = status.message();
  return emitError(UnknownLoc::get(module.getContext()))
         << StringRef(message.data(), message.size());
}

FailureOr<EmittedSizes> emitArtifact(ModuleOp plan, const EmitOptions &options,
                                     StringRef path) {
  FailureOr<std::unique_ptr<Sections>> sections = makeSections(plan, options);
  if (failed(sections) ||
      failed(report(
          plan, format::writeArtifact(path.str(), (*sections)->contents,
                                      options.durable
                                          ? format::Durability::durable
                                          : format::Durability::volatile_)))) {
    return failure();
  }
  EmittedSizes sizes;
  sizes.constants = (*sections)->plan.constantsBytes;
  sizes.binaries = (*sections)->plan.binariesBytes;
  (void)llvm::sys::fs::file_size(path, sizes.file);
  return sizes;
}

FailureOr<std::vector<std::byte>> serializePlan(ModuleOp plan,
                                                const EmitOptions &options) {
  FailureOr<std::unique_ptr<Sections>> sections = makeSections(plan, options);
  if (failed(sections)) {
    return failure();
  }
  absl::StatusOr<std::vector<std::byte>> bytes =
      format::serializeArtifact((*sections)->contents);
  if (failed(report(plan, bytes.status()))) {
    return failure();
  }
  return *std::move(bytes);
}

LogicalResult checkWritable(StringRef path, MLIRContext &context) {
  auto fail = [&](const Twine &why) {
    return emitError(UnknownLoc::get(&context))
           << "cannot write '" << path << "': " << why.str();
  };
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      !llvm::sys::fs::is_regular_file(status)) {
    return fail("not a regular file");
  }
  // The artifact is written beside its place and renamed, so it is the folder
  // that must take a new file. One without a name leaves nothing, even where
  // this process is killed before it closes it.
  StringRef folder = llvm::sys::path::parent_path(path);
  std::string name = folder.empty() ? "." : folder.str();
  int fd = ::open(name.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) {
    ::close(fd);
    return success();
  }
  int error = errno;
  if (error == EOPNOTSUPP || error == EISDIR) { // not on this file system
    error = ::access(name.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
  }
  if (error != 0) {
    return fail(std::strerror(error));
  }
  return success();
}

} // namespace minic
