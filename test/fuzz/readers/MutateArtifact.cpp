// SPDX-License-Identifier: Apache-2.0
//
// Bytes of the metadata, lists of the metadata, or the container's own bytes.

#include "test/fuzz/readers/MutateArtifact.h"

#include "runtime/format/ArtifactReader.h"
#include "runtime/format/ArtifactWriter.h"
#include "runtime/format/plan_generated.h"
#include "test/unit/runtime/testing/Reseal.h"

#include <algorithm>
#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace minic::fuzz {

using namespace minic::format;
using minic::testing::headerOf;
using minic::testing::reseal;
using minic::testing::sectionOf;
using Bytes = std::vector<std::byte>;
using Random = std::mt19937;

static uint8_t *raw(Bytes &bytes) {
  return reinterpret_cast<uint8_t *>(bytes.data());
}

/// Sections 1 to 4 of a file; false where it is no artifact at all.
static bool split(Bytes &file, Bytes (&sections)[4]) {
  if (file.size() < sizeof(FileHeader) + 4 * sizeof(SectionEntry) ||
      std::memcmp(file.data(), kMagic, sizeof(kMagic)) != 0) {
    return false;
  }
  uint32_t count = std::min(headerOf(file).sectionCount, 4u);
  for (uint32_t i = 0; i < count; ++i) {
    const SectionEntry &entry = sectionOf(file, i);
    if (entry.kind >= 1 && entry.kind <= 4 && entry.offset <= file.size() &&
        entry.bytes <= file.size() - entry.offset) {
      sections[entry.kind - 1].assign(file.begin() + int64_t(entry.offset),
                                      file.begin() +
                                          int64_t(entry.offset + entry.bytes));
    }
  }
  return !sections[0].empty();
}

static Bytes join(const Bytes (&sections)[4]) {
  ArtifactContents contents;
  contents.metadata = sections[0];
  contents.binaries = sections[1];
  contents.constantsBytes = sections[2].size();
  contents.writeConstants = [&](const AppendBytes &append) {
    return append(sections[2]);
  };
  contents.model = sections[3];
  absl::StatusOr<Bytes> file = serializeArtifact(contents);
  return file.ok() ? std::move(*file) : Bytes();
}

/// Copies, removes or moves one element.
template <typename T>
static void changeList(std::vector<T> &list, Random &random) {
  if (list.empty()) {
    return;
  }
  size_t i = random() % list.size();
  switch (random() % 3) {
  case 0:
    if constexpr (requires { typename T::element_type; }) {
      list.push_back(std::make_unique<typename T::element_type>(*list[i]));
    } else {
      list.push_back(list[i]);
    }
    break;
  case 1:
    list.erase(list.begin() + int64_t(i));
    break;
  default:
    std::swap(list[i], list[random() % list.size()]);
  }
}

static void changeCommand(CommandT &command, Random &random) {
  if (CallT *call = command.operation.AsCall()) {
    switch (random() % 5) {
    case 0:
      changeList(call->operands, random);
      break;
    case 1:
      changeList(call->attributes, random);
      break;
    case 2:
      changeList(call->epilogue, random);
      break;
    default:
      if (!call->operands.empty()) {
        TensorViewT &view =
            *call->operands[random() % call->operands.size()]->view;
        changeList(random() % 2 ? view.dims : view.strides, random);
      }
    }
  } else if (LaunchT *launch = command.operation.AsLaunch()) {
    random() % 2
        ? changeList(launch->params, random)
        : changeList(random() % 2 ? launch->grid : launch->block, random);
  } else {
    changeList(command.depends, random);
  }
}

static void changeLists(ArtifactT &artifact, Random &random) {
  if (artifact.functions.empty()) {
    return;
  }
  FunctionT &function =
      *artifact.functions[random() % artifact.functions.size()];
  switch (random() % 8) {
  case 0:
    return changeList(artifact.functions, random);
  case 1:
    return changeList(artifact.constants, random);
  case 2:
    return changeList(artifact.binaries, random);
  case 3:
    return changeList(random() % 2 ? function.inputs : function.outputs,
                      random);
  case 4:
    return changeList(function.variants, random);
  default:
    break;
  }
  if (function.variants.empty()) {
    return;
  }
  VariantT &variant = *function.variants[random() % function.variants.size()];
  auto &commands = random() % 4 ? variant.run : variant.prepare;
  if (commands.empty() || random() % 4 == 0) {
    return changeList(commands, random);
  }
  changeCommand(*commands[random() % commands.size()], random);
}

/// False where the file is not sound: unpacking trusts it.
static bool changeStructure(const Bytes &file, Bytes &metadata,
                            Random &random) {
  // A few tables alone: unpacking copies what tables share.
  flatbuffers::Verifier verifier(raw(metadata), metadata.size(),
                                 /*max_depth=*/64, /*max_tables=*/1000);
  if (!VerifyArtifactBuffer(verifier) ||
      !ArtifactReader::copy(file, "input").ok()) {
    return false;
  }
  std::unique_ptr<ArtifactT> artifact(GetArtifact(raw(metadata))->UnPack());
  changeLists(*artifact, random);
  flatbuffers::FlatBufferBuilder builder;
  FinishArtifactBuffer(builder, Artifact::Pack(builder, artifact.get()));
  const auto *first =
      reinterpret_cast<const std::byte *>(builder.GetBufferPointer());
  metadata.assign(first, first + builder.GetSize());
  return true;
}

static void changeBytes(Bytes &bytes, size_t room, Random &random) {
  size_t size = bytes.size(), maxSize = size + (random() % 8 ? 0 : room);
  if (maxSize == 0) {
    return;
  }
  bytes.resize(maxSize);
  bytes.resize(LLVMFuzzerMutate(raw(bytes), size, maxSize));
}

size_t mutateArtifact(uint8_t *data, size_t size, size_t maxSize,
                      Random &random) {
  auto *first = reinterpret_cast<std::byte *>(data);
  Bytes file(first, first + size);
  Bytes sections[4];
  if (random() % 16 == 0 || !split(file, sections)) {
    return LLVMFuzzerMutate(data, size, maxSize);
  }
  if (random() % 8 == 0) {
    // The header and the table of sections.
    size_t tableEnd =
        std::min(file.size(), sizeof(FileHeader) + 5 * sizeof(SectionEntry));
    Bytes table(file.begin(), file.begin() + int64_t(tableEnd));
    changeBytes(table, 0, random);
    std::copy(table.begin(), table.end(), file.begin());
    if (random() % 4) {
      reseal(file);
    }
  } else {
    if (random() % 8 == 0) {
      changeBytes(sections[1 + random() % 3], 64, random);
    } else if (random() % 3 != 0 ||
               !changeStructure(file, sections[0], random)) {
      changeBytes(sections[0], 256, random);
    }
    file = join(sections);
  }
  if (file.empty() || file.size() > maxSize) {
    return LLVMFuzzerMutate(data, size, maxSize);
  }
  std::copy(file.begin(), file.end(), first);
  return file.size();
}

} // namespace minic::fuzz
