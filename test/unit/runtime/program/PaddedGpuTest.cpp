// SPDX-License-Identifier: Apache-2.0
//
// Runs of sizes between buckets on a GPU: rows copied in and out on the stream,
// fills of every width. Built twice, for the fake driver and, with
// MINIC_TEST_ON_GPU, for a real one.

#include "runtime/device/cuda/CudaContext.h"
#include "runtime/program/CopyBox.h"
#include "runtime/program/EntryContext.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/device/cuda/FakeOrRealGpu.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

namespace minic::testing {
namespace {

using namespace runtime;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr DevicePlace gpu = {2, 0};

/// An entry of x and y, [planes, N, 3] each, for two sizes of N, made by
/// `fill`.
template <typename Fill>
TestArtifact buckets(DType dtype, std::vector<int64_t> sizes, Fill fill,
                     int64_t planes = 2) {
  TestArtifact artifact = cudaArtifact();
  artifact.metadata.functions.clear();
  auto entry = std::make_unique<format::EntryT>();
  entry->name = "main";
  auto dim = std::make_unique<format::EntryDimT>();
  dim->name = "N";
  auto place = std::make_unique<format::DimPlaceT>();
  place->axis = 1;
  dim->places.push_back(std::move(place));
  dim->result_axes = {1};
  entry->dims.push_back(std::move(dim));
  for (int64_t size : sizes) {
    TestArtifact one = cudaArtifact();
    one.input("x", {planes, size, 3}, dtype);
    one.output("y", {planes, size, 3}, dtype);
    fill(one, planes * size * 3);
    one.function().name = "main[N=" + std::to_string(size) + "]";
    auto bucket = std::make_unique<format::BucketT>();
    bucket->function = artifact.metadata.functions.size();
    bucket->sizes = {size};
    entry->buckets.push_back(std::move(bucket));
    artifact.metadata.functions.push_back(std::move(one.metadata.functions[0]));
  }
  artifact.metadata.entries.push_back(std::move(entry));
  return artifact;
}

/// y = 2 * x + 1
TestArtifact scaleBuckets() {
  return buckets(DType::f32, {4, 9}, [](TestArtifact &one, int64_t count) {
    cudaLaunch(one, "scale_f32", count, {inputAddress(0), outputAddress(0)},
               {count});
  });
}

/// y = x, all of the bucket's rows, with `element` behind those of the run.
TestArtifact copyBuckets(DType dtype, uint64_t element, int64_t planes) {
  TestArtifact artifact = buckets(
      dtype, {5, 9},
      [&](TestArtifact &one, int64_t count) {
        one.copy(outputAddress(0), inputAddress(0),
                 uint64_t(count * elementBytes(dtype)));
      },
      planes);
  format::EntryT &entry = *artifact.metadata.entries[0];
  entry.dims[0]->result_axes = {-1};
  auto fill = std::make_unique<format::InputFillT>();
  fill->element = element;
  entry.fills.push_back(std::move(fill));
  return artifact;
}

/// y = 2 * x + 1, but for its first element: what kernels find as the run's
/// size.
TestArtifact sizeWordBuckets() {
  uint64_t offset = 0;
  return buckets(DType::f32, {4, 9}, [&](TestArtifact &one, int64_t count) {
    cudaLaunch(one, "scale_f32", count, {inputAddress(0), outputAddress(0)},
               {count});
    one.copy(outputAddress(0), arenaAddress(offset), 4);
    one.variant().arena_bytes = 512;
    one.variant().zeroed_bytes = 512;
    auto word = std::make_unique<format::SizeWordT>();
    word->offset = offset;
    one.variant().sizes.push_back(std::move(word));
    offset += 256; // a place of its own for each
  });
}

class PaddedGpuTest : public FakeOrRealGpu {
protected:
  void SetUp() override {
#ifndef MINIC_TEST_ON_GPU
    fakeCuda();
#endif
    FakeOrRealGpu::SetUp();
  }
  void TearDown() override {
    context.reset();
    entry.reset();
  }
  void load(const TestArtifact &artifact, const ContextOptions &options = {}) {
    auto loaded = Entry::loadBytes(artifact.bytes());
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    entry = *loaded;
    auto created = EntryContext::create(entry, options);
    ASSERT_TRUE(created.ok()) << created.status();
    context = *std::move(created);
  }
  const Executable &executable() const {
    return entry->buckets().front()->executable();
  }
  /// A run of `rows` rows on fresh tensors, y with a guard behind it.
  void expectScaled(int64_t rows) {
    std::vector<float> values(2 * rows * 3);
    std::iota(values.begin(), values.end(), float(rows));
    DeviceFloats x(executable(), values);
    DeviceFloats y(executable(), std::vector<float>(values.size() + 64, -5));
    std::vector<int64_t> dims = {2, rows, 3};
    Tensor input{x.data(), DType::f32, dims, gpu},
        output{y.data(), DType::f32, dims, gpu};
    absl::Status status = context->run({&input, 1}, {&output, 1});
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_TRUE(context->synchronize().ok());
    std::vector<float> got = y.read();
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], i < values.size() ? 2 * values[i] + 1 : -5)
          << i << " of " << rows << " rows";
    }
  }

  std::shared_ptr<const Entry> entry;
  std::unique_ptr<EntryContext> context;
};

TEST_F(PaddedGpuTest, runsOfAnySizeUpToTheLargest) {
  for (GraphMode graph : {GraphMode::Off, GraphMode::On}) {
    ContextOptions options;
    options.graph = graph;
    load(scaleBuckets(), options);
    for (int64_t rows : {1, 9, 3, 4, 5, 8, 2}) {
      expectScaled(rows);
    }
    EXPECT_EQ(context->counters(0).paddedRuns, 3);
    EXPECT_EQ(context->counters(0).paddedElements, 6 * (3 + 1 + 2));
    EXPECT_EQ(context->counters(1).paddedRuns, 2);
    EXPECT_EQ(context->counters(1).paddedElements, 6 * (4 + 1));
  }
}

TEST_F(PaddedGpuTest, replaysAGraphOnTensorsThatStay) {
  ContextOptions options;
  options.graph = GraphMode::On;
  load(scaleBuckets(), options);
  for (int run = 0; run < 10; ++run) {
    expectScaled(5 + run % 4); // other tensors each time
  }
  GraphCounters counters = context->graphCounters();
  EXPECT_EQ(context->graphRefusal(), "");
  EXPECT_EQ(counters.instantiations, 2); // by the load
  EXPECT_EQ(counters.updates, 0);
  EXPECT_EQ(counters.replays, 10);
}

TEST_F(PaddedGpuTest, capturesAtTheLoadAlone) {
  ContextOptions options;
  options.graph = GraphMode::On;
  load(scaleBuckets(), options);
  GraphCounters before = context->graphCounters();
  EXPECT_EQ(before.instantiations, 2);
  for (int64_t run = 0; run < 64; ++run) {
    expectScaled(1 + run * 7 % 9);
  }
  GraphCounters after = context->graphCounters();
  EXPECT_EQ(after.instantiations, before.instantiations);
  EXPECT_EQ(after.updates, before.updates);
  EXPECT_EQ(after.plainRuns, before.plainRuns);
  EXPECT_EQ(after.replays, 64);
  EXPECT_EQ(context->counters(0).runs + context->counters(1).runs, 64);
}

/// Ahead of each run, also where a graph is replayed.
TEST_F(PaddedGpuTest, tellsKernelsTheSizeOfARun) {
  for (GraphMode graph : {GraphMode::Off, GraphMode::On}) {
    ContextOptions options;
    options.graph = graph;
    load(sizeWordBuckets(), options);
    for (int64_t rows : {4, 3, 3, 9, 1, 7, 4, 7, 8, 9, 2}) {
      std::vector<float> values(size_t(2 * rows * 3), 3);
      DeviceFloats x(executable(), values), y(executable(), values);
      std::vector<int64_t> dims = {2, rows, 3};
      Tensor input{x.data(), DType::f32, dims, gpu},
          output{y.data(), DType::f32, dims, gpu};
      absl::Status status = context->run({&input, 1}, {&output, 1});
      ASSERT_TRUE(status.ok()) << status;
      ASSERT_TRUE(context->synchronize().ok());
      std::vector<float> got = y.read();
      int32_t word;
      std::memcpy(&word, got.data(), sizeof(word));
      EXPECT_EQ(word, rows == 4 || rows == 9 ? 0 : rows);
      EXPECT_EQ(got.back(), 7);
    }
  }
}

TEST_F(PaddedGpuTest, fillsBehindTheRows) {
  struct Case {
    DType dtype;
    uint64_t element;
    int64_t planes = 2; // 1: rows lie one behind the other
  } cases[] = {{DType::i1, 1},           {DType::i8, 0x81},
               {DType::f16, 0xfc00},     {DType::bf16, 0xff7f},
               {DType::f32, 0xff7fffff}, {DType::i32, 7},
               {DType::i64, 0},          {DType::i64, ~uint64_t(0)},
               {DType::i64, 1},          {DType::i64, 0x0123456789abcdef},
               {DType::f16, 0xfc00, 1},  {DType::i64, 0x0123456789abcdef, 1}};
  for (const Case &each : cases) {
    load(copyBuckets(each.dtype, each.element, each.planes));
    auto bytes = size_t(elementBytes(each.dtype));
    constexpr size_t rows = 7, all = 9;
    std::vector<uint8_t> x(each.planes * rows * 3 * bytes, 0),
        y(each.planes * all * 3 * bytes);
    const DeviceMemory &memory = executable().memory();
    auto from = DeviceBuffer::create(memory, x.size());
    auto to = DeviceBuffer::create(memory, y.size());
    ASSERT_TRUE(from.ok() && to.ok());
    ASSERT_TRUE(memory.copyIn(from->data(), x.data(), x.size()).ok());
    std::vector<int64_t> fromDims = {each.planes, rows, 3},
                         toDims = {each.planes, all, 3};
    Tensor input{from->data(), each.dtype, fromDims, gpu},
        output{to->data(), each.dtype, toDims, gpu};
    absl::Status status = context->run({&input, 1}, {&output, 1});
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_TRUE(context->synchronize().ok());
    ASSERT_TRUE(memory.copyOut(y.data(), to->data(), y.size()).ok());
    for (size_t i = 0; i < y.size(); ++i) {
      bool isRow = i / bytes / 3 % all < rows;
      uint8_t expected = isRow ? 0 : uint8_t(each.element >> (8 * (i % bytes)));
      ASSERT_EQ(y[i], expected) << toString(each.dtype) << " byte " << i;
    }
    context.reset(); // before the entry that is loaded next
  }
}

TEST_F(PaddedGpuTest, stagesHostTensors) {
  ContextOptions options;
  options.staging = true;
  load(scaleBuckets(), options);
  std::vector<float> x(2 * 7 * 3), y(2 * 7 * 3);
  std::iota(x.begin(), x.end(), 0.0f);
  std::vector<int64_t> dims = {2, 7, 3};
  Tensor input{x.data(), DType::f32, dims}, output{y.data(), DType::f32, dims};
  absl::Status status = context->run({&input, 1}, {&output, 1});
  ASSERT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i], 2 * x[i] + 1);
  }
  expectScaled(7); // of the device, in the same context
}

TEST_F(PaddedGpuTest, refusesTensorsOfOtherPlacesAndSizes) {
  load(scaleBuckets());
  std::vector<float> host(2 * 9 * 3);
  DeviceFloats x(executable(), host), y(executable(), host);
  std::vector<int64_t> dims = {2, 7, 3}, wrong = {2, 6, 3};
  Tensor input{host.data(), DType::f32, dims},
      good{x.data(), DType::f32, dims, gpu},
      output{y.data(), DType::f32, dims, gpu};
  EXPECT_THAT(std::string(context->run({&input, 1}, {&output, 1}).message()),
              HasSubstr("input 'x': expected memory of CUDA device 0, got "
                        "memory of the CPU (the context stages no host"));
  input.place = gpu;
  EXPECT_THAT(std::string(context->run({&input, 1}, {&output, 1}).message()),
              HasSubstr("input 'x': expected memory of CUDA device 0, got"));
  output.dims = wrong;
  EXPECT_EQ(context->run({&good, 1}, {&output, 1}).message(),
            "output 'y': expected shape [2, 7, 3], got [2, 6, 3]");
  EXPECT_EQ(context->counters(1).runs, 0);
}

TEST_F(PaddedGpuTest, becomesPartOfACallersGraph) {
  auto owner = *CudaContext::retain(0);
  const CudaDriver &driver = owner->driver();
  CUstream stream = nullptr;
  {
    CudaScope scope(*owner);
    ASSERT_EQ(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
              CUDA_SUCCESS);
  }
  ContextOptions options;
  options.stream = stream;
  load(scaleBuckets(), options);
  std::vector<float> values(2 * 6 * 3, 3);
  DeviceFloats x(executable(), values), y(executable(), values);
  std::vector<int64_t> dims = {2, 6, 3};
  Tensor input{x.data(), DType::f32, dims, gpu},
      output{y.data(), DType::f32, dims, gpu};
  {
    CudaScope scope(*owner);
    ASSERT_EQ(
        driver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
        CUDA_SUCCESS);
    EXPECT_TRUE(context->run({&input, 1}, {&output, 1}).ok());
    CUgraph graph = nullptr;
    ASSERT_EQ(driver.cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    CUgraphExec executable = nullptr;
    ASSERT_EQ(driver.cuGraphInstantiate(&executable, graph, 0), CUDA_SUCCESS);
    EXPECT_THAT(y.read(), Each(3)); // nothing ran yet
    EXPECT_EQ(driver.cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuStreamSynchronize(stream), CUDA_SUCCESS);
    driver.cuGraphExecDestroy(executable);
    driver.cuGraphDestroy(graph);
  }
  EXPECT_THAT(y.read(), Each(7));
  context.reset();
  CudaScope scope(*owner);
  driver.cuStreamDestroy(stream);
}

/// The same rows as on the host, in as many dimensions as differ.
TEST_F(PaddedGpuTest, copiesBoxesOfAnyShape) {
  LoadedArtifact loaded(cudaScaleArtifact(1));
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  struct Case {
    std::vector<int64_t> to, from;
  } cases[] = {{{5}, {3}},
               {{2, 3}, {2, 3}},
               {{4, 6}, {4, 2}},
               {{4, 6}, {3, 6}},
               {{2, 3, 9, 2}, {2, 3, 4, 2}},
               {{2, 9, 2, 5}, {2, 4, 2, 3}},
               {{2, 4, 3, 5, 2}, {1, 2, 3, 3, 1}},
               {{2, 4, 3, 5, 2, 3}, {1, 2, 2, 3, 1, 3}}};
  for (const Case &each : cases) {
    auto count = [](const std::vector<int64_t> &dims) {
      return size_t(std::accumulate(dims.begin(), dims.end(), int64_t(1),
                                    std::multiplies<>()));
    };
    for (bool isBack : {false, true}) {
      const auto &toDims = isBack ? each.from : each.to;
      const auto &fromDims = isBack ? each.to : each.from;
      std::vector<float> from(count(fromDims)), to(count(toDims), -1);
      std::iota(from.begin(), from.end(), 1.0f);
      DeviceFloats source(*loaded, from), destination(*loaded, to);
      ASSERT_TRUE(enqueueCopyBox(**execution, destination.data(), toDims,
                                 source.data(), fromDims, 4)
                      .ok());
      ASSERT_TRUE((*execution)->synchronize().ok());
      copyBox(reinterpret_cast<std::byte *>(to.data()), toDims,
              reinterpret_cast<const std::byte *>(from.data()), fromDims, 4);
      EXPECT_EQ(destination.read(), to) << ::testing::PrintToString(toDims);
    }
  }
}

#ifndef MINIC_TEST_ON_GPU
TEST_F(PaddedGpuTest, aRunOnlyEnqueues) {
  ContextOptions options;
  options.graph = GraphMode::On;
  load(scaleBuckets(), options);
  DeviceFloats x(executable(), std::vector<float>(42)),
      y(executable(), std::vector<float>(42));
  std::vector<int64_t> dims = {2, 7, 3};
  Tensor input{x.data(), DType::f32, dims, gpu},
      output{y.data(), DType::f32, dims, gpu};
  FakeCuda &fake = fakeCuda();
  for (int run = 0; run < 3; ++run) {
    fake.calls.clear();
    ASSERT_TRUE(context->run({&input, 1}, {&output, 1}).ok());
  }
  EXPECT_EQ(fake.callsOf("cuMemsetD32Async"), 1);
  EXPECT_EQ(fake.callsOf("cuMemcpy3DAsync"), 2);
  EXPECT_EQ(fake.callsOf("cuGraphLaunch"), 1);
  for (const char *other :
       {"cuMemAlloc", "cuStreamSynchronize", "cuLaunchKernel",
        "cuPointerGetAttributes", "cuMemcpyAsync"}) {
    EXPECT_EQ(fake.callsOf(other), 0) << other;
  }
  fake.failFunction = "cuMemcpy3DAsync";
  EXPECT_THAT(std::string(context->run({&input, 1}, {&output, 1}).message()),
              HasSubstr("copy of rows: "));
  fake.failFunction = "";
}

TEST_F(PaddedGpuTest, saysWhereMemoryRanOut) {
  auto loaded = Entry::loadBytes(scaleBuckets().bytes());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  // Padded tensors are behind an arena of the context's own.
  auto own = DeviceBuffer::create(
      (*loaded)->buckets().front()->executable().memory(), 1 << 16);
  ASSERT_TRUE(own.ok()) << own.status();
  ContextOptions callers;
  callers.arena = own->data();
  callers.arenaBytes = own->bytes();
  for (auto [options, what] :
       {std::pair(ContextOptions(), "arena: "), {callers, "padding: "}}) {
    fakeCuda().failAllocation = 1;
    absl::Status status = EntryContext::create(*loaded, options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }
}
#endif

} // namespace
} // namespace minic::testing
