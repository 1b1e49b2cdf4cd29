// SPDX-License-Identifier: Apache-2.0
//
// Running: results, arenas, threads, and what run refuses.

#include "runtime/program/Context.h"
#include "runtime/device/Device.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;
using namespace ::minic::testing;

std::shared_ptr<const Program> load(const TestArtifact &artifact,
                                    const ProgramOptions &options = {}) {
  auto program = Program::loadBytes(artifact.bytes(), options);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *program : nullptr;
}

std::unique_ptr<Context> createContext(std::shared_ptr<const Program> program,
                                       const ContextOptions &options = {}) {
  auto context = Context::create(std::move(program), options);
  EXPECT_TRUE(context.ok()) << context.status();
  return std::move(*context);
}

/// A pool of new std::threads.
void threadPerWorker(void *calls, int workers, void (*body)(int, void *),
                     void *data) {
  if (calls) {
    ++*static_cast<int *>(calls);
  }
  std::vector<std::thread> threads;
  for (int worker = 1; worker < workers; ++worker) {
    threads.emplace_back(body, worker, data);
  }
  body(0, data);
  for (std::thread &thread : threads) {
    thread.join();
  }
}

Tensor tensor(AlignedFloats &values, const std::vector<int64_t> &dims) {
  return {values.data(), DType::f32, dims};
}

TEST(ContextTest, runsALaunch) {
  // 19 elements in tiles of 4: the last tile is partial.
  auto context = createContext(load(scaleArtifact(19, 4)));
  std::vector<int64_t> dims = {19};
  AlignedFloats x(19), y(19);
  for (int i = 0; i < 19; ++i) {
    x[i] = i;
  }
  absl::Status status = context->run({tensor(x, dims)}, {tensor(y, dims)});
  ASSERT_TRUE(status.ok()) << status;
  for (int i = 0; i < 19; ++i) {
    EXPECT_EQ(y[i], 2 * i + 1);
  }
}

TEST(ContextTest, followsTheCallersPointersFromRunToRun) {
  auto context = createContext(load(scaleArtifact(5)));
  std::vector<int64_t> dims = {5};
  for (int run = 0; run < 3; ++run) {
    AlignedFloats x(5, run), y(5);
    ASSERT_TRUE(context->run({tensor(x, dims)}, {tensor(y, dims)}).ok());
    EXPECT_EQ(y[4], 2 * run + 1);
  }
}

TEST(ContextTest, runsACopyAFillAndConstantsThroughTheArena) {
  TestArtifact artifact;
  artifact.input("x", {4});
  artifact.output("y", {6});
  uint32_t w = artifact.constant("w", {4}, {10, 20, 30, 40});
  artifact.variant().arena_bytes = 128;
  // arena[0:4] = x + w; y[0:4] = arena; y[4:6] = 0
  format::LaunchT &add = artifact.launch(
      "add_f32", 4, {inputAddress(0), constantAddress(w), arenaAddress(0)});
  add.scratch = std::make_unique<format::Address>(arenaAddress(64));
  add.scratch_bytes = 64;
  artifact.copy(outputAddress(0), arenaAddress(0), 16);
  artifact.fill(outputAddress(0, 16), 0, 8);
  auto context = createContext(load(artifact));
  AlignedFloats x(4, 1), y(6, -1);
  std::vector<int64_t> four = {4}, six = {6};
  ASSERT_TRUE(context->run({tensor(x, four)}, {tensor(y, six)}).ok());
  float expected[] = {11, 21, 31, 41, 0, 0};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(y[i], expected[i]) << i;
  }
}

TEST(ContextTest, computesEveryTileOnceHoweverManyThreads) {
  for (int threads : {1, 2, 3, 7}) {
    for (int64_t tiles : {1, 2, 6, 7, 8, 1000}) {
      TestArtifact artifact;
      artifact.output("counts", {tiles}, format::DType::i64);
      artifact.variant().threads = threads;
      artifact.fill(outputAddress(0), 0, tiles * 8);
      artifact.launch("count_tiles", tiles, {outputAddress(0)});
      int calls = 0;
      ContextOptions options;
      options.parallelFor = threadPerWorker;
      options.pool = &calls;
      auto context = createContext(load(artifact), options);
      std::vector<int64_t> dims = {tiles};
      AlignedFloats counts(tiles * 2);
      ASSERT_TRUE(context->run({}, {{counts.data(), DType::i64, dims}}).ok());
      const auto *values = reinterpret_cast<const int64_t *>(counts.data());
      EXPECT_EQ(std::vector<int64_t>(values, values + tiles),
                std::vector<int64_t>(tiles, 1))
          << threads << " threads";
      EXPECT_EQ(calls, threads > 1 && tiles > 1 ? 1 : 0);
    }
  }
}

TEST(ContextTest, tracesWhenEachCommandAndWorkerWorked) {
  TestArtifact artifact;
  artifact.input("x", {64});
  artifact.output("y", {64});
  artifact.variant().threads = 2;
  artifact.variant().arena_bytes = 256;
  artifact.launch("scale_f32", 8, {inputAddress(0), arenaAddress(0)}, {64, 8});
  artifact.fill(arenaAddress(0), 0, 0); // moves nothing
  artifact.launch("scale_f32", 1, {arenaAddress(0), outputAddress(0)},
                  {64, 64});
  artifact.copy(arenaAddress(0), outputAddress(0), 256);
  ContextOptions options;
  options.parallelFor = threadPerWorker;
  auto context = createContext(load(artifact), options);
  std::vector<int64_t> dims = {64};
  AlignedFloats x(64, 5), y(64);
  absl::StatusOr<RunTrace> trace =
      context->trace({tensor(x, dims)}, {tensor(y, dims)});
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(y[63], 2 * (2 * 5 + 1) + 1);
  EXPECT_EQ(trace->clock, "steady clock");
  ASSERT_EQ(trace->commands.size(), 3u);
  EXPECT_EQ(trace->commands[0].command, 0u);
  EXPECT_EQ(trace->commands[1].command, 2u);
  EXPECT_EQ(trace->commands[2].command, 3u);
  EXPECT_EQ(trace->commands[0].workers.size(), 2u);
  EXPECT_EQ(trace->commands[1].workers.size(), 1u);
  EXPECT_EQ(trace->commands[2].workers.size(), 0u);
  double end = 0;
  for (const CommandTime &time : trace->commands) {
    EXPECT_GE(time.beginUs, end);
    EXPECT_GT(time.ticks, 0u);
    for (const WorkerTime &worker : time.workers) {
      EXPECT_GE(worker.beginUs, time.beginUs);
      EXPECT_GE(worker.endUs, worker.beginUs);
      EXPECT_LE(worker.endUs, time.endUs);
    }
    end = time.endUs;
  }
  EXPECT_GE(trace->spanUs, end);
  // What run refuses, trace refuses.
  EXPECT_EQ(context->trace({}, {tensor(y, dims)}).status().message(),
            context->run({}, {tensor(y, dims)}).message());
}

TEST(ContextTest, givesEachWorkerItsOwnScratch) {
  constexpr int64_t count = 4096;
  TestArtifact artifact;
  artifact.input("a", {count});
  artifact.input("b", {count});
  artifact.output("y", {count});
  artifact.variant().threads = 4;
  artifact.variant().arena_bytes = 4 * 64;
  format::LaunchT &add = artifact.launch(
      "add_f32", count, {inputAddress(0), inputAddress(1), outputAddress(0)});
  add.scratch = std::make_unique<format::Address>(arenaAddress(0));
  add.scratch_bytes = 64;
  ContextOptions options;
  options.parallelFor = threadPerWorker;
  auto context = createContext(load(artifact), options);
  AlignedFloats a(count), b(count), y(count);
  for (int64_t i = 0; i < count; ++i) {
    a[i] = i;
    b[i] = 3 * i;
  }
  std::vector<int64_t> dims = {count};
  ASSERT_TRUE(
      context->run({tensor(a, dims), tensor(b, dims)}, {tensor(y, dims)}).ok());
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(y[i], 4 * i);
  }
}

TEST(ContextTest, runsOnTheProcesssOwnPool) {
  auto context = createContext(load(scaleArtifact(1000, 8, 2)));
  std::vector<int64_t> dims = {1000};
  AlignedFloats x(1000, 3), y(1000);
  for (int run = 0; run < 100; ++run) {
    ASSERT_TRUE(context->run({tensor(x, dims)}, {tensor(y, dims)}).ok());
  }
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(y[i], 7);
  }
}

TEST(ContextTest, isSafeForManyThreadsWithOneContextEach) {
  TestArtifact artifact;
  artifact.input("x", {64});
  artifact.output("y", {64});
  artifact.variant().arena_bytes = 256;
  artifact.launch("scale_f32", 8, {inputAddress(0), arenaAddress(0)}, {64, 8});
  artifact.launch("scale_f32", 8, {arenaAddress(0), outputAddress(0)}, {64, 8});
  auto program = load(artifact);
  std::vector<std::thread> threads;
  std::vector<int> failures(8);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&failures, program, t] {
      auto context = createContext(program);
      std::vector<int64_t> dims = {64};
      AlignedFloats x(64), y(64);
      for (int run = 0; run < 200; ++run) {
        float value = t * 1000 + run;
        std::fill(x.data(), x.data() + 64, value);
        failures[t] += !context->run({tensor(x, dims)}, {tensor(y, dims)}).ok();
        for (int i = 0; i < 64; ++i) {
          failures[t] += y[i] != 4 * value + 3;
        }
      }
    });
  }
  program.reset(); // Contexts keep it alive
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failures, std::vector<int>(8, 0));
}

TEST(ContextTest, usesTheCallersArena) {
  TestArtifact artifact;
  artifact.output("y", {16});
  artifact.variant().arena_bytes = 64;
  artifact.fill(arenaAddress(0), 0x40, 64);
  artifact.copy(outputAddress(0), arenaAddress(0), 64);
  auto program = load(artifact);
  AlignedFloats arena(16), y(16);
  ContextOptions options;
  options.arena = arena.data();
  options.arenaBytes = 32;
  EXPECT_THAT(std::string(Context::create(program, options).status().message()),
              HasSubstr("arena: expected 64 bytes, got 32"));
  options.arenaBytes = 64;
  std::vector<int64_t> dims = {16};
  ASSERT_TRUE(createContext(program, options)->run({}, {tensor(y, dims)}).ok());
  EXPECT_EQ(arena[15], y[15]);
  EXPECT_NE(arena[15], 0);
  options.arena = arena.data() + 1;
  EXPECT_THAT(std::string(Context::create(program, options).status().message()),
              HasSubstr("aligned to 64"));
}

TEST(ContextTest, preparesPersistentMemoryOncePerProgram) {
  TestArtifact artifact;
  artifact.output("y", {4});
  uint32_t w = artifact.constant("w", {4}, {1, 2, 3, 4});
  artifact.variant().persistent_bytes = 64;
  format::Address persistent(format::Base::persistent, 0, 0);
  artifact.launch("scale_f32", 1, {constantAddress(w), persistent}, {4, 4});
  artifact.variant().prepare = std::move(artifact.variant().run);
  artifact.variant().run.clear();
  artifact.copy(outputAddress(0), persistent, 16);
  auto context = createContext(load(artifact));
  AlignedFloats y(4);
  std::vector<int64_t> dims = {4};
  ASSERT_TRUE(context->run({}, {tensor(y, dims)}).ok());
  EXPECT_EQ(y[3], 9);
}

TEST(ContextTest, readsExternalConstantsWhereTheyAre) {
  TestArtifact artifact;
  artifact.output("y", {4});
  uint32_t w = artifact.constant("w", {4}, {0, 0, 0, 0});
  artifact.metadata.constants[w]->external = true;
  artifact.copy(outputAddress(0), constantAddress(w), 16);
  ProgramOptions options;
  std::weak_ptr<const std::byte> held;
  options.constants =
      [&](const format::Constant &constant, const Device &device,
          int deviceIndex) -> absl::StatusOr<std::shared_ptr<const std::byte>> {
    EXPECT_EQ(constant.name()->str(), "w");
    auto memory = device.allocateConstants(constant.bytes(), deviceIndex);
    EXPECT_TRUE(memory.ok()) << memory.status();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->get()) % 64, 0u);
    std::fill_n(reinterpret_cast<float *>(memory->get()), 4, 5.0f);
    held = *memory;
    return *memory;
  };
  auto context = createContext(load(artifact, options));
  EXPECT_FALSE(held.expired());
  AlignedFloats y(4);
  std::vector<int64_t> dims = {4};
  ASSERT_TRUE(context->run({}, {tensor(y, dims)}).ok());
  EXPECT_EQ(y[2], 5);
  context.reset();
  EXPECT_TRUE(held.expired());
}

TEST(ContextTest, acceptsEmptyTensorsWithoutData) {
  auto context = createContext(load(scaleArtifact(0)));
  std::vector<int64_t> dims = {0};
  Tensor empty{nullptr, DType::f32, dims};
  absl::Status status = context->run({empty}, {empty});
  EXPECT_TRUE(status.ok()) << status;
}

TEST(ContextTest, saysWhatIsWrongWithATensor) {
  auto context = createContext(load(scaleArtifact(8)));
  std::vector<int64_t> dims = {8}, wrong = {2, 4}, shorter = {7};
  AlignedFloats x(16), y(8, -1);
  Tensor good = tensor(x, dims), out = tensor(y, dims);
  struct Case {
    std::vector<Tensor> inputs, outputs;
    const char *message;
  } cases[] = {
      {{}, {out}, "expected 1 inputs, got 0"},
      {{good}, {out, out}, "expected 1 outputs, got 2"},
      {{{x.data(), DType::bf16, dims}},
       {out},
       "input 'x': expected dtype f32, got bf16"},
      {{tensor(x, wrong)}, {out}, "input 'x': expected shape [8], got [2, 4]"},
      {{tensor(x, shorter)}, {out}, "input 'x': expected shape [8], got [7]"},
      {{good}, {tensor(y, wrong)}, "output 'y': expected shape [8]"},
      {{{nullptr, DType::f32, dims}}, {out}, "got a null pointer"},
      {{{x.data() + 1, DType::f32, dims}},
       {out},
       "expected data aligned to 64 bytes, got 4 bytes"},
  };
  for (const Case &each : cases) {
    absl::Status status = context->run(each.inputs, each.outputs);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(each.message));
    EXPECT_EQ(y[0], -1) << "wrote before it had checked";
  }
  EXPECT_TRUE(context->run({good}, {out}).ok());
}

/// y = 2 * x + 1 as an update of x.
TestArtifact inPlaceArtifact() {
  TestArtifact artifact = scaleArtifact(4);
  artifact.input("other", {4});
  artifact.function().outputs[0]->in_place = 0;
  return artifact;
}

TEST(ContextTest, updatesInPlaceThePointerOfTheInputAlone) {
  auto context = createContext(load(inPlaceArtifact()));
  std::vector<int64_t> dims = {4};
  AlignedFloats x(4, 3), other(4), y(4, -1);
  Tensor state = tensor(x, dims), unused = tensor(other, dims);
  absl::Status status = context->run({state, unused}, {tensor(y, dims)});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "output 'y': expected the pointer of input 'x', which it updates "
            "in place, got another");
  EXPECT_EQ(y[0], -1);
  ASSERT_TRUE(context->run({state, unused}, {state}).ok());
  EXPECT_EQ(x[0], 7);
  ASSERT_TRUE(context->run({state, unused}, {state}).ok());
  EXPECT_EQ(x[3], 15);
}

/// Copies `index` to where kernels say that an index was out of range.
TestArtifact statusArtifact() {
  TestArtifact artifact;
  artifact.input("index", {1}, format::DType::i32);
  artifact.variant().arena_bytes = 128;
  artifact.variant().zeroed_bytes = 64;
  artifact.variant().status = 8;
  artifact.copy(arenaAddress(8), inputAddress(0), 4);
  return artifact;
}

TEST(ContextTest, reportsAnIndexOutOfRangeAndForgetsIt) {
  alignas(64) std::byte arena[128];
  std::memset(arena, 0xff, sizeof(arena));
  ContextOptions options;
  options.arena = arena;
  options.arenaBytes = sizeof(arena);
  auto context = createContext(load(statusArtifact()), options);
  EXPECT_EQ(std::count(arena, arena + 64, std::byte(0)), 64);
  EXPECT_EQ(std::count(arena + 64, arena + 128, std::byte(0xff)), 64);
  alignas(64) int32_t index[16] = {};
  std::vector<int64_t> dims = {1};
  Tensor input{index, DType::i32, dims};
  EXPECT_TRUE(context->run({input}, {}).ok());
  index[0] = 1;
  absl::Status status = context->run({input}, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(),
            "run: an index or position was out of range and was clamped");
  EXPECT_EQ(arena[8], std::byte(0));
  index[0] = 0;
  EXPECT_TRUE(context->run({input}, {}).ok());
}

} // namespace
} // namespace minic::runtime
