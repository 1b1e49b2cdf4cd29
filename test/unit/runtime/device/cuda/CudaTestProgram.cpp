// SPDX-License-Identifier: Apache-2.0
//
// The PTX, and metadata around it.

#include "test/unit/runtime/device/cuda/CudaTestProgram.h"

#include <gtest/gtest.h>

#include <cstring>
#include <elf.h>

namespace minic::testing {

const char *const testPtx = R"(.version 7.0
.target sm_80
.address_size 64

.visible .entry scale_f32(.param .u64 source, .param .u64 destination, .param .u64 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %d<8>;
  .reg .f32 %f<3>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %d1, %r4;
  ld.param.u64 %d2, [count];
  setp.ge.u64 %p1, %d1, %d2;
  @%p1 bra done;
  ld.param.u64 %d3, [source];
  ld.param.u64 %d4, [destination];
  shl.b64 %d5, %d1, 2;
  add.u64 %d6, %d3, %d5;
  add.u64 %d7, %d4, %d5;
  ld.global.f32 %f1, [%d6];
  fma.rn.f32 %f2, %f1, 0f40000000, 0f3F800000;
  st.global.f32 [%d7], %f2;
done:
  ret;
}

.visible .entry add_f32(.param .u64 left, .param .u64 right, .param .u64 destination, .param .u64 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %d<10>;
  .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %d1, %r4;
  ld.param.u64 %d2, [count];
  setp.ge.u64 %p1, %d1, %d2;
  @%p1 bra done;
  ld.param.u64 %d3, [left];
  ld.param.u64 %d4, [right];
  ld.param.u64 %d5, [destination];
  shl.b64 %d6, %d1, 2;
  add.u64 %d7, %d3, %d6;
  add.u64 %d8, %d4, %d6;
  add.u64 %d9, %d5, %d6;
  ld.global.f32 %f1, [%d7];
  ld.global.f32 %f2, [%d8];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%d9], %f3;
done:
  ret;
}

.visible .entry increment(.param .u64 pointer, .param .u64 by)
{
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [pointer];
  ld.param.u64 %d2, [by];
  ld.global.u64 %d3, [%d1];
  add.u64 %d4, %d3, %d2;
  st.global.u64 [%d1], %d4;
  ret;
}

.visible .entry linger(.param .u64 pointer, .param .u64 by, .param .u64 cycles)
{
  .reg .pred %p<2>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [cycles];
  mov.u64 %d2, %clock64;
again:
  mov.u64 %d3, %clock64;
  sub.u64 %d4, %d3, %d2;
  setp.lt.u64 %p1, %d4, %d1;
  @%p1 bra again;
  ld.param.u64 %d5, [pointer];
  ld.param.u64 %d6, [by];
  ld.global.u64 %d7, [%d5];
  add.u64 %d8, %d7, %d6;
  st.global.u64 [%d5], %d8;
  ret;
}

.visible .entry illegal()
{
  .reg .b64 %d<2>;
  mov.u64 %d1, 16;
  st.global.u64 [%d1], %d1;
  ret;
}
)";

std::vector<std::byte> bytesOf(const std::string &text) {
  const auto *data = reinterpret_cast<const std::byte *>(text.data());
  return {data, data + text.size()};
}

void setBinary(TestArtifact &artifact, format::BinaryKind kind,
               std::vector<std::byte> bytes) {
  format::BinaryT &binary = *artifact.metadata.binaries[0];
  binary.kind = kind;
  binary.arch = kind == format::BinaryKind::ptx ? "compute_80" : "sm_90a";
  binary.bytes = bytes.size();
  artifact.binaries = std::move(bytes);
}

TestArtifact cudaArtifact() {
  TestArtifact artifact;
  artifact.variant().target = "cuda";
  artifact.variant().isa = {"compute_80"};
  setBinary(artifact, format::BinaryKind::ptx, bytesOf(testPtx));
  return artifact;
}

std::vector<std::byte> fakeCubin() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = 190;
  header.e_shentsize = sizeof(Elf64_Shdr);
  std::string text(reinterpret_cast<const char *>(&header), sizeof(header));
  return bytesOf(text + testPtx);
}

format::LaunchT &cudaLaunch(TestArtifact &artifact, const std::string &entry,
                            int64_t count,
                            std::vector<format::Address> addresses,
                            std::vector<int64_t> scalars) {
  format::LaunchT &launch = artifact.launch(
      entry, (count + 127) / 128, std::move(addresses), std::move(scalars));
  launch.block = {128};
  return launch;
}

TestArtifact cudaScaleArtifact(int64_t count) {
  TestArtifact artifact = cudaArtifact();
  artifact.input("x", {count});
  artifact.output("y", {count});
  cudaLaunch(artifact, "scale_f32", count, {inputAddress(0), outputAddress(0)},
             {count});
  return artifact;
}

TestArtifact tensorMapArtifact(uint64_t offset, bool isOfImages) {
  TestArtifact artifact = cudaArtifact();
  setBinary(
      artifact, format::BinaryKind::ptx,
      bytesOf(".visible .entry first_of_map(.param .u64 source, .param "
              ".u64 destination, .param .align 64 .b8 map[128])\n{\n}\n"));
  artifact.input("x", {32});
  artifact.output("y", {2});
  artifact.output("v", {2});
  std::vector<float> values(32);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = float(i + 1);
  }
  uint32_t w = artifact.constant("w", {32}, values);
  for (uint32_t i : {0, 1}) {
    format::LaunchT &launch = cudaLaunch(
        artifact, "first_of_map", 1,
        {i == 0 ? inputAddress(0, offset) : constantAddress(w, offset),
         outputAddress(i)},
        {});
    format::TensorMapParamT map;
    map.dtype = format::DType::bf16;
    map.dims = {8, 2};
    map.strides = {16};
    map.box = {8, 2};
    if (isOfImages) {
      map.dims = {8, 2, 1, 1};
      map.strides = {16, 32, 32};
      map.im2col = std::make_unique<format::Im2colT>();
      map.im2col->lower = map.im2col->upper = {-1, 0};
      map.im2col->steps = {1, 1};
    }
    launch.params.push_back(std::make_unique<format::ParamEntryT>());
    launch.params.back()->param.Set(std::move(map));
  }
  return artifact;
}

LoadedArtifact::LoadedArtifact(const TestArtifact &test, int deviceIndex,
                               bool isPart)
    : artifact(format::ArtifactReader::copy(test.bytes(), "test")) {
  if (!artifact.ok()) {
    executable_ = artifact.status();
    return;
  }
  const format::Artifact &metadata = artifact->metadata();
  for (uint32_t i = 0; i < metadata.constants()->size(); ++i) {
    constants.push_back(artifact->constant(i).data());
  }
  const format::Function &function = *metadata.functions()->Get(0);
  executable_ = runtime::findDevice("cuda")->load(
      {*artifact, function, *function.variants()->Get(0), constants, false,
       deviceIndex, /*spares=*/nullptr, /*onlyListsAlgorithms=*/false, isPart});
}

LoadedArtifact::~LoadedArtifact() {
  for (void *arena : arenas) {
    (*executable_)->memory().release(arena);
  }
}

absl::StatusOr<std::unique_ptr<runtime::Execution>>
LoadedArtifact::execution(void *stream) {
  const format::Variant &variant =
      *artifact->metadata().functions()->Get(0)->variants()->Get(0);
  absl::StatusOr<void *> arena =
      (*executable_)->memory().allocate(variant.arena_bytes());
  if (!arena.ok()) {
    return arena.status();
  }
  arenas.push_back(*arena);
  runtime::ExecutionOptions options{static_cast<std::byte *>(*arena)};
  options.stream = stream;
  return (*executable_)->createExecution(options);
}

DeviceFloats::DeviceFloats(const runtime::Executable &executable,
                           const std::vector<float> &values)
    : memory(executable.memory()), count(values.size()) {
  absl::StatusOr<void *> pointer = memory.allocate(count * sizeof(float));
  EXPECT_TRUE(pointer.ok()) << pointer.status();
  data_ = *pointer;
  EXPECT_TRUE(memory.copyIn(data_, values.data(), count * sizeof(float)).ok());
}

DeviceFloats::~DeviceFloats() { memory.release(data_); }

std::vector<float> DeviceFloats::read() const {
  std::vector<float> values(count);
  absl::Status status =
      memory.copyOut(values.data(), data_, count * sizeof(float));
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

} // namespace minic::testing
