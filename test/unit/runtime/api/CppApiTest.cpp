// SPDX-License-Identifier: Apache-2.0
//
// The C++ interface, as a user writes it.

#include "runtime/include/minic/minic.hpp"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <array>
#include <type_traits>

namespace {

using minic::testing::scaleArtifact;

static_assert(!std::is_copy_constructible_v<minic::Program>);
static_assert(std::is_nothrow_move_constructible_v<minic::Program>);
static_assert(!std::is_copy_constructible_v<minic::Context>);
static_assert(std::is_nothrow_move_constructible_v<minic::Context>);

minic::Result<minic::Program> load(int64_t count) {
  std::vector<std::byte> bytes = scaleArtifact(count).bytes();
  return minic::Program::loadBytes(bytes.data(), bytes.size());
}

TEST(CppApiTest, runs) {
  auto program = load(20);
  ASSERT_TRUE(program.ok()) << program.message();
  auto context = minic::Context::create(*program);
  ASSERT_TRUE(context.ok()) << context.message();
  minic::Buffer x(program->inputs()[0]), y(program->outputs()[0]);
  std::fill_n(x.data<float>(), 20, 3.0f);
  auto status = context->run({x.tensor()}, {y.tensor()});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(y.data<float>()[19], 7);

  // Any contiguous containers do.
  minic::Context moved = std::move(*context);
  std::array<DLTensor, 1> inputs = {x.tensor()};
  std::vector<DLTensor> outputs = {y.tensor()};
  EXPECT_TRUE(moved.run(inputs, outputs).ok());
}

TEST(CppApiTest, runsAnyBucket) {
  std::vector<std::byte> bytes = minic::testing::scaleBuckets({4, 20}).bytes();
  auto program = minic::Program::loadBytes(bytes.data(), bytes.size());
  ASSERT_TRUE(program.ok()) << program.message();
  ASSERT_EQ(program->dims().size(), 1u);
  EXPECT_STREQ(program->dims()[0].name, "N");
  EXPECT_EQ(program->buckets()[1].sizes[0], 20);
  auto context = minic::Context::create(*program);
  ASSERT_TRUE(context.ok()) << context.message();
  for (size_t bucket : {1, 0, 1}) {
    minic::Buffer x(program->inputs(bucket)[0]), y(program->outputs(bucket)[0]);
    std::fill_n(x.data<float>(), x.bytes() / sizeof(float), 3.0f);
    auto status = context->run({x.tensor()}, {y.tensor()});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(y.data<float>()[3], 7);
  }
  EXPECT_EQ(context->bucketCounters(1).runs, 2);
}

TEST(CppApiTest, runsOnBuffersOfItsDevice) {
  auto program = load(20);
  ASSERT_TRUE(program.ok()) << program.message();
  EXPECT_EQ(program->device().device_type, kDLCPU);
  auto x = minic::DeviceBuffer::create(*program, program->inputs()[0]);
  auto y = minic::DeviceBuffer::create(*program, program->outputs()[0]);
  ASSERT_TRUE(x.ok() && y.ok()) << x.message() << y.message();
  std::vector<float> host(20, 3);
  ASSERT_TRUE(x->copyFrom(host.data()).ok());
  minic::ContextOptions options;
  options.staging = true; // a CPU stages nothing
  auto context = minic::Context::create(*program, options);
  ASSERT_TRUE(context.ok()) << context.message();
  ASSERT_TRUE(context->run({x->tensor()}, {y->tensor()}).ok());
  ASSERT_TRUE(context->synchronize().ok());
  ASSERT_TRUE(y->copyTo(host.data()).ok());
  EXPECT_EQ(host[19], 7);
  EXPECT_EQ(context->graphCounters().replays, 0);
  EXPECT_EQ(context->graphRefusal(), "");
  EXPECT_FALSE(context->setStream(&host).ok());
}

TEST(CppApiTest, loadsOnlyTheExpectedArtifact) {
  std::vector<std::byte> bytes = scaleArtifact(20).bytes();
  minic::ProgramOptions options;
  options.expectedDigest =
      "sha256:"
      "0000000000000000000000000000000000000000000000000000000000000000";
  auto program = minic::Program::loadBytes(bytes.data(), bytes.size(), options);
  EXPECT_EQ(program.status().code(), MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(program.message(), ::testing::HasSubstr("digest: expected"));
}

TEST(CppApiTest, saysWhatWentWrong) {
  auto program = minic::Program::load("/no/such/file");
  EXPECT_FALSE(program.ok());
  EXPECT_EQ(program.status().code(), MINIC_NOT_FOUND);
  EXPECT_THAT(program.message(), ::testing::HasSubstr("/no/such/file"));
}

TEST(CppApiTest, keepsTheMessageOfAnEarlierFailure) {
  auto first = minic::Program::load("/first");
  auto second = minic::Program::load("/second");
  EXPECT_THAT(first.message(), ::testing::HasSubstr("/first"));
}

TEST(CppApiTest, allocatesBuffersForEmptyTensors) {
  auto program = load(0);
  ASSERT_TRUE(program.ok()) << program.message();
  auto context = minic::Context::create(*program);
  ASSERT_TRUE(context.ok()) << context.message();
  minic::Buffer x(program->inputs()[0]), y(program->outputs()[0]);
  EXPECT_EQ(x.bytes(), 0u);
  EXPECT_TRUE(context->run({x.tensor()}, {y.tensor()}).ok());
}

} // namespace
