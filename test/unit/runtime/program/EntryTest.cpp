// SPDX-License-Identifier: Apache-2.0
//
// Entries: every bucket loaded, the one for a run's sizes picked.

#include "runtime/program/CopyBox.h"
#include "runtime/program/EntryContext.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

namespace minic::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace ::minic::testing;

class EntryTest : public ::testing::Test {
protected:
  void load(const TestArtifact &artifact) {
    auto loaded = Entry::loadBytes(artifact.bytes());
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    entry = *loaded;
    auto created = EntryContext::create(entry, {});
    ASSERT_TRUE(created.ok()) << created.status();
    context = std::move(*created);
  }

  /// y = 2 x + 1 of `count` elements; y[0] in `first`.
  absl::Status run(int64_t count) {
    AlignedFloats x(count), y(count);
    x[0] = float(count);
    Tensor input{x.data(), DType::f32, {&count, 1}},
        output{y.data(), DType::f32, {&count, 1}};
    absl::Status status = context->run({&input, 1}, {&output, 1});
    first = y[0];
    return status;
  }

  std::shared_ptr<const Entry> entry;
  std::unique_ptr<EntryContext> context;
  float first = 0;
};

TEST_F(EntryTest, saysWhatVaries) {
  load(scaleBuckets({4, 12, 40}));
  ASSERT_THAT(entry->dims(), SizeIs(1));
  EXPECT_EQ(entry->dims()[0].name, "N");
  EXPECT_THAT(entry->dims()[0].sizes, ElementsAre(4, 12, 40));
  EXPECT_THAT(entry->inputs()[0].dims, ElementsAre(-1));
  EXPECT_EQ(entry->inputBytes(0), 160u);
  EXPECT_EQ(entry->outputBytes(0), 160u);
  EXPECT_THAT(entry->buckets(), SizeIs(3));
  EXPECT_STREQ(entry->buckets()[1]->function(), "main[N=12]");
  EXPECT_THAT(entry->sizes(1), ElementsAre(12));
}

TEST_F(EntryTest, runsTheBucketOfTheInputs) {
  load(scaleBuckets({4, 12, 40}));
  for (int64_t count : {40, 4, 12, 12}) {
    ASSERT_TRUE(run(count).ok());
    EXPECT_EQ(first, 2 * float(count) + 1);
  }
  EXPECT_EQ(context->counters(0).runs, 1);
  EXPECT_EQ(context->counters(1).runs, 2);
  EXPECT_EQ(context->counters(2).runs, 1);
}

TEST_F(EntryTest, namesTheSizesThatThereAre) {
  load(scaleBuckets({4, 12, 40}));
  for (int64_t count : {1, 13, 41}) {
    absl::Status status = run(count);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "no plan for N=" + std::to_string(count) +
                                    ": expected N to be 4, 12, 40");
    EXPECT_EQ(first, 0); // nothing was written
  }
  for (size_t bucket : {0, 1, 2}) {
    EXPECT_EQ(context->counters(bucket).runs, 0);
  }
}

TEST_F(EntryTest, namesTheSetsThatThereAre) {
  // Two dimensions, of which not every pair is there.
  TestArtifact artifact = scaleBuckets({4, 12});
  format::EntryT &table = *artifact.metadata.entries[0];
  table.dims.push_back(std::make_unique<format::EntryDimT>());
  table.dims[1]->name = "M";
  table.dims[1]->places.push_back(
      std::make_unique<format::DimPlaceT>(*table.dims[0]->places[0]));
  table.dims[1]->places[0]->input = 1;
  for (size_t i : {0, 1}) {
    table.buckets[i]->sizes.push_back(i + 1);
    auto m = std::make_unique<format::TensorSpecT>(
        *artifact.metadata.functions[i]->inputs[0]);
    m->name = "m";
    m->dims = {int64_t(i + 1)};
    artifact.metadata.functions[i]->inputs.push_back(std::move(m));
  }
  load(artifact);
  int64_t n = 4, m = 2;
  AlignedFloats x(12), y(12), z(12);
  Tensor inputs[] = {{x.data(), DType::f32, {&n, 1}},
                     {z.data(), DType::f32, {&m, 1}}};
  Tensor output{y.data(), DType::f32, {&n, 1}};
  EXPECT_EQ(context->run(inputs, {&output, 1}).message(),
            "no plan for N,M=4,2: expected 4,1 or 12,2");
  m = 1;
  EXPECT_TRUE(context->run(inputs, {&output, 1}).ok());
}

TEST_F(EntryTest, checksTheRestAsEver) {
  load(scaleBuckets({4, 12}));
  int64_t four = 4, twelve = 12;
  AlignedFloats x(12), y(12);
  Tensor input{x.data(), DType::f32, {&four, 1}},
      output{y.data(), DType::f32, {&twelve, 1}};
  EXPECT_THAT(std::string(context->run({&input, 1}, {&output, 1}).message()),
              HasSubstr("output 'y': expected shape [4], got [12]"));
  Tensor scalar{x.data(), DType::f32, {}};
  EXPECT_THAT(std::string(context->run({&scalar, 1}, {&output, 1}).message()),
              HasSubstr("input 'x': expected 1 dimensions, got 0"));
}

TEST_F(EntryTest, aBucketIsAFunctionToo) {
  load(scaleBuckets({4, 12}));
  ProgramOptions options;
  options.function = "main[N=12]";
  auto alone = entry->loadFunction(options);
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_THAT((*alone)->dims(), SizeIs(0));
  EXPECT_THAT((*alone)->inputs()[0].dims, ElementsAre(12));
  options.function = "none";
  EXPECT_THAT(std::string(entry->loadFunction(options).status().message()),
              HasSubstr("it has: main[N=4], main[N=12], main"));
}

TEST_F(EntryTest, anArenaServesAll) {
  TestArtifact artifact = scaleBuckets({4, 12});
  artifact.metadata.functions[0]->variants[0]->arena_bytes = 64;
  artifact.metadata.functions[1]->variants[0]->arena_bytes = 128;
  load(artifact);
  EXPECT_EQ(entry->arenaBytes(), 128u);
  alignas(64) std::byte arena[128];
  ContextOptions options;
  options.arena = arena;
  options.arenaBytes = 64;
  EXPECT_THAT(
      std::string(EntryContext::create(entry, options).status().message()),
      HasSubstr("arena: expected 128 bytes, got 64"));
  options.arenaBytes = 128;
  EXPECT_TRUE(EntryContext::create(entry, options).ok());
}

/// N is padded: sizes between take the next larger bucket.
TestArtifact paddedBuckets(const std::vector<int64_t> &counts) {
  TestArtifact artifact = scaleBuckets(counts);
  artifact.metadata.entries[0]->dims[0]->result_axes = {0};
  return artifact;
}

TEST_F(EntryTest, padsToTheNextLargerBucket) {
  load(paddedBuckets({4, 12, 40}));
  EXPECT_TRUE(entry->isPadded());
  for (int64_t count : {1, 3, 4, 13, 39, 2}) {
    AlignedFloats x(40, 7), y(40, -5);
    Tensor input{x.data(), DType::f32, {&count, 1}},
        output{y.data(), DType::f32, {&count, 1}};
    absl::Status status = context->run({&input, 1}, {&output, 1});
    ASSERT_TRUE(status.ok()) << status;
    for (int64_t i = 0; i < 40; ++i) {
      EXPECT_EQ(y[i], i < count ? 15 : -5) << i << " of " << count;
    }
  }
  EXPECT_EQ(context->counters(0).runs, 4);
  EXPECT_EQ(context->counters(0).paddedRuns, 3);
  EXPECT_EQ(context->counters(0).paddedElements, 3 + 1 + 2);
  EXPECT_EQ(context->counters(1).runs, 0);
  EXPECT_EQ(context->counters(2).paddedElements, 27 + 1);
}

TEST_F(EntryTest, fillsBehindTheRowsOfARun) {
  TestArtifact artifact = paddedBuckets({4, 12});
  format::EntryT &table = *artifact.metadata.entries[0];
  table.dims[0]->result_axes = {-1}; // all of the bucket's rows come out
  auto fill = std::make_unique<format::InputFillT>();
  fill->element = 0xc0a00000; // -5
  table.fills.push_back(std::move(fill));
  load(artifact);
  int64_t seven = 7, twelve = 12;
  AlignedFloats x(12, 3), y(12);
  Tensor input{x.data(), DType::f32, {&seven, 1}},
      output{y.data(), DType::f32, {&twelve, 1}};
  absl::Status status = context->run({&input, 1}, {&output, 1});
  ASSERT_TRUE(status.ok()) << status;
  for (int64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(y[i], i < 7 ? 7 : -9) << i;
  }
}

TEST_F(EntryTest, writesAnOutputOfTheBucketsSizesWhereItIs) {
  load(paddedBuckets({4, 12}));
  int64_t three = 3, four = 4;
  AlignedFloats x(12, 7), y(12, -5);
  Tensor input{x.data(), DType::f32, {&three, 1}},
      output{y.data(), DType::f32, {&four, 1}};
  absl::Status status = context->run({&input, 1}, {&output, 1});
  ASSERT_TRUE(status.ok()) << status;
  // The fourth element is that of a zero behind the run's: nothing was copied.
  for (int64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(y[i], i < 3 ? 15 : i == 3 ? 1 : -5) << i;
  }
  EXPECT_EQ(context->counters(0).paddedRuns, 1);
  output.data = y.data() + 1;
  EXPECT_THAT(std::string(context->run({&input, 1}, {&output, 1}).message()),
              HasSubstr("output 'y': expected data aligned to"));
  EXPECT_EQ(context->counters(0).paddedRuns, 1);
}

/// Kernels find a run's size in a word of their bucket's, which is 0 where it
/// is the bucket's own. Here a copy shows the word as the first result.
TEST_F(EntryTest, tellsKernelsTheSizeOfARun) {
  TestArtifact artifact = paddedBuckets({4, 12});
  for (size_t i : {0, 1}) {
    format::VariantT &variant = *artifact.metadata.functions[i]->variants[0];
    variant.arena_bytes = 128;
    variant.zeroed_bytes = 128;
    auto word = std::make_unique<format::SizeWordT>();
    word->offset = 64 * i;
    auto command = std::make_unique<format::CommandT>();
    format::CopyT copy;
    copy.destination =
        std::make_unique<format::Address>(testing::outputAddress(0));
    copy.source =
        std::make_unique<format::Address>(testing::arenaAddress(word->offset));
    copy.bytes = 4;
    command->operation.Set(std::move(copy));
    variant.sizes.push_back(std::move(word));
    variant.run.push_back(std::move(command));
  }
  load(artifact);
  for (int64_t count : {4, 3, 3, 12, 1, 7, 4, 11, 12}) {
    ASSERT_TRUE(run(count).ok());
    int32_t word;
    std::memcpy(&word, &first, sizeof(word));
    EXPECT_EQ(word, count == 4 || count == 12 ? 0 : count);
  }
}

TEST_F(EntryTest, refusesWhatCannotBePadded) {
  load(paddedBuckets({4, 12}));
  EXPECT_EQ(run(13).message(), "no plan for N=13: expected N to be 1 to 12");
  EXPECT_EQ(run(0).message(), "no plan for N=0: expected N to be 1 to 12");
  int64_t three = 3, two = 2;
  AlignedFloats x(12), y(12);
  Tensor input{x.data(), DType::f32, {&three, 1}},
      output{y.data(), DType::f32, {&two, 1}};
  EXPECT_EQ(context->run({&input, 1}, {&output, 1}).message(),
            "output 'y': expected shape [3], got [2]");
  input.dtype = DType::i32;
  EXPECT_EQ(context->run({&input, 1}, {&output, 1}).message(),
            "input 'x': expected dtype f32, got i32");
  input = {x.data(), DType::f32, {&three, 1}, {2, 0}};
  EXPECT_THAT(std::string(context->run({&input, 1}, {&output, 1}).message()),
              HasSubstr("input 'x': expected memory of the CPU, got memory of "
                        "CUDA device 0"));
  EXPECT_EQ(context->counters(0).runs, 0);
}

TEST(CopyBoxTest, copiesWhatBothHave) {
  // 2x3x2 of 2x4x2: rows of the middle dimension.
  std::vector<int32_t> from(16), to(12, -1);
  std::iota(from.begin(), from.end(), 0);
  std::vector<int64_t> fromDims = {2, 4, 2}, toDims = {2, 3, 2};
  auto bytes = [](std::vector<int32_t> &values) {
    return reinterpret_cast<std::byte *>(values.data());
  };
  copyBox(bytes(to), toDims, bytes(from), fromDims, 4);
  EXPECT_THAT(to, ElementsAre(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13));
  // And back: what the smaller one lacks stays.
  std::vector<int32_t> wide(16, -1);
  copyBox(bytes(wide), fromDims, bytes(to), toDims, 4);
  EXPECT_THAT(wide, ElementsAre(0, 1, 2, 3, 4, 5, -1, -1, 8, 9, 10, 11, 12, 13,
                                -1, -1));
  // Two dimensions that differ.
  std::vector<int32_t> corner(4, -1);
  std::vector<int64_t> cornerDims = {1, 2, 2};
  copyBox(bytes(corner), cornerDims, bytes(from), fromDims, 4);
  EXPECT_THAT(corner, ElementsAre(0, 1, 2, 3));
}

TEST_F(EntryTest, zeroedPartsMustAgree) {
  TestArtifact artifact = scaleBuckets({4, 12});
  for (size_t i : {0, 1}) {
    artifact.metadata.functions[i]->variants[0]->arena_bytes = 128;
    artifact.metadata.functions[i]->variants[0]->zeroed_bytes = 64 * i;
  }
  EXPECT_EQ(Entry::loadBytes(artifact.bytes()).status().message(),
            "functions 'main[N=4]' and 'main[N=12]' of entry 'main' have plans "
            "that differ in kind here");
}

} // namespace
} // namespace minic::runtime
