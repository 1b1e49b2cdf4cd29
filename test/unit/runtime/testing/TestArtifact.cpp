// SPDX-License-Identifier: Apache-2.0
//
// Builds metadata through FlatBuffers' object interface.

#include "test/unit/runtime/testing/TestArtifact.h"

#include "runtime/format/ArtifactWriter.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace minic::testing {

static std::vector<std::byte> readAll(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
  const auto *data = reinterpret_cast<const std::byte *>(chars.data());
  return {data, data + chars.size()};
}

std::vector<std::byte> kernelObject() { return readAll(MINIC_TEST_KERNELS); }
std::vector<std::byte> importingObject() { return readAll(MINIC_TEST_IMPORTS); }

TestArtifact::TestArtifact() {
  metadata.compiler = "minic test";
  binaries = kernelObject();
  auto binary = std::make_unique<format::BinaryT>();
  binary->kind = format::BinaryKind::elf_shared_object;
  binary->arch = "x86-64";
  binary->bytes = binaries.size();
  metadata.binaries.push_back(std::move(binary));
  auto function = std::make_unique<format::FunctionT>();
  function->name = "main";
  auto variant = std::make_unique<format::VariantT>();
  variant->target = "cpu";
  variant->threads = 1;
  function->variants.push_back(std::move(variant));
  metadata.functions.push_back(std::move(function));
}

static std::unique_ptr<format::TensorSpecT>
spec(const std::string &name, std::vector<int64_t> dims, format::DType dtype) {
  auto spec = std::make_unique<format::TensorSpecT>();
  spec->name = name;
  spec->dims = std::move(dims);
  spec->dtype = dtype;
  return spec;
}

void TestArtifact::input(const std::string &name, std::vector<int64_t> dims,
                         format::DType dtype) {
  function().inputs.push_back(spec(name, std::move(dims), dtype));
}

void TestArtifact::output(const std::string &name, std::vector<int64_t> dims,
                          format::DType dtype) {
  function().outputs.push_back(spec(name, std::move(dims), dtype));
}

uint32_t TestArtifact::constant(const std::string &name,
                                std::vector<int64_t> dims,
                                const std::vector<float> &values) {
  auto constant = std::make_unique<format::ConstantT>();
  constant->name = name;
  constant->dtype = format::DType::f32;
  constant->dims = std::move(dims);
  constant->bytes = values.size() * sizeof(float);
  constant->offset = (constants.size() + 63) / 64 * 64;
  constants.resize(constant->offset + constant->bytes);
  std::memcpy(constants.data() + constant->offset, values.data(),
              constant->bytes);
  metadata.constants.push_back(std::move(constant));
  return metadata.constants.size() - 1;
}

format::CommandT &TestArtifact::addCommand() {
  variant().run.push_back(std::make_unique<format::CommandT>());
  return *variant().run.back();
}

format::LaunchT &TestArtifact::launch(const std::string &entry, int64_t tiles,
                                      std::vector<format::Address> addresses,
                                      std::vector<int64_t> scalars) {
  format::LaunchT launch;
  launch.entry = entry;
  launch.grid = {tiles};
  for (const format::Address &address : addresses) {
    format::AddressParamT param;
    param.address = std::make_unique<format::Address>(address);
    launch.params.push_back(std::make_unique<format::ParamEntryT>());
    launch.params.back()->param.Set(std::move(param));
  }
  for (int64_t value : scalars) {
    format::ScalarParamT param;
    param.value = value;
    launch.params.push_back(std::make_unique<format::ParamEntryT>());
    launch.params.back()->param.Set(std::move(param));
  }
  format::CommandT &command = addCommand();
  command.operation.Set(std::move(launch));
  return *command.operation.AsLaunch();
}

void TestArtifact::copy(format::Address destination, format::Address source,
                        uint64_t bytes) {
  format::CopyT copy;
  copy.destination = std::make_unique<format::Address>(destination);
  copy.source = std::make_unique<format::Address>(source);
  copy.bytes = bytes;
  addCommand().operation.Set(std::move(copy));
}

void TestArtifact::fill(format::Address destination, uint8_t value,
                        uint64_t bytes) {
  format::FillT fill;
  fill.destination = std::make_unique<format::Address>(destination);
  fill.value = value;
  fill.bytes = bytes;
  addCommand().operation.Set(std::move(fill));
}

std::vector<std::byte> TestArtifact::metadataBytes() const {
  flatbuffers::FlatBufferBuilder builder;
  format::FinishArtifactBuffer(builder,
                               format::Artifact::Pack(builder, &metadata));
  const auto *data =
      reinterpret_cast<const std::byte *>(builder.GetBufferPointer());
  return {data, data + builder.GetSize()};
}

std::vector<std::byte> TestArtifact::bytes() const {
  std::vector<std::byte> packed = metadataBytes();
  format::ArtifactContents contents;
  contents.metadata = packed;
  contents.binaries = binaries;
  contents.model = model;
  contents.constantsBytes = constants.size();
  contents.writeConstants = [this](const format::AppendBytes &append) {
    return append(constants);
  };
  return *format::serializeArtifact(contents);
}

TestArtifact scaleArtifact(int64_t count, int64_t tile, int threads) {
  TestArtifact artifact;
  artifact.input("x", {count});
  artifact.output("y", {count});
  artifact.variant().threads = threads;
  artifact.launch("scale_f32", (count + tile - 1) / tile,
                  {inputAddress(0), outputAddress(0)}, {count, tile});
  return artifact;
}

TestArtifact scaleBuckets(const std::vector<int64_t> &counts) {
  TestArtifact artifact;
  auto entry = std::make_unique<format::EntryT>();
  entry->name = "main";
  entry->dims.push_back(std::make_unique<format::EntryDimT>());
  entry->dims[0]->name = "N";
  entry->dims[0]->places.push_back(std::make_unique<format::DimPlaceT>());
  artifact.metadata.functions.clear();
  for (int64_t count : counts) {
    auto bucket = std::make_unique<format::BucketT>();
    bucket->function = artifact.metadata.functions.size();
    bucket->sizes = {count};
    entry->buckets.push_back(std::move(bucket));
    artifact.metadata.functions.push_back(
        std::move(scaleArtifact(count).metadata.functions[0]));
    artifact.metadata.functions.back()->name =
        "main[N=" + std::to_string(count) + "]";
  }
  artifact.metadata.entries.push_back(std::move(entry));
  return artifact;
}

} // namespace minic::testing
