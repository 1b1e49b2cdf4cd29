// SPDX-License-Identifier: Apache-2.0
//
// Counts allocations: run makes none.

#include "runtime/program/EntryContext.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

// Sanitizers bring their own operator new.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MINIC_NO_COUNTING
#endif
#endif

#ifndef MINIC_NO_COUNTING

static thread_local long allocations = 0;

extern "C" void *__libc_malloc(size_t);

// malloc is below operator new, aligned or not, and below C libraries; visible,
// or they would keep calling libc's.
extern "C" __attribute__((visibility("default"))) void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}

namespace minic::runtime {
namespace {

using namespace ::minic::testing;

TEST(AllocationTest, runAllocatesNothing) {
  for (int threads : {1, 2}) {
    TestArtifact artifact = scaleArtifact(1000, 8, threads);
    artifact.fill(outputAddress(0), 0, 8);
    auto program = Program::loadBytes(artifact.bytes());
    ASSERT_TRUE(program.ok()) << program.status();
    auto context = Context::create(*program);
    ASSERT_TRUE(context.ok()) << context.status();
    AlignedFloats x(1000), y(1000);
    std::vector<int64_t> dims = {1000};
    Tensor input{x.data(), DType::f32, dims},
        output{y.data(), DType::f32, dims};
    ASSERT_TRUE((*context)->run({&input, 1}, {&output, 1}).ok());
    long before = allocations;
    for (int run = 0; run < 10; ++run) {
      ASSERT_TRUE((*context)->run({&input, 1}, {&output, 1}).ok());
    }
    EXPECT_EQ(allocations - before, 0) << threads << " threads";
  }
}

TEST(AllocationTest, pickingABucketAllocatesNothing) {
  auto entry = Entry::loadBytes(scaleBuckets({4, 12, 40}).bytes());
  ASSERT_TRUE(entry.ok()) << entry.status();
  auto context = EntryContext::create(*entry, {});
  ASSERT_TRUE(context.ok()) << context.status();
  AlignedFloats x(40), y(40);
  for (bool isWarm : {false, true}) {
    long before = allocations;
    for (int64_t count : {12, 4, 40, 12}) {
      Tensor input{x.data(), DType::f32, {&count, 1}},
          output{y.data(), DType::f32, {&count, 1}};
      ASSERT_TRUE((*context)->run({&input, 1}, {&output, 1}).ok());
    }
    if (isWarm) {
      EXPECT_EQ(allocations - before, 0);
    }
  }
}

TEST(AllocationTest, paddingAllocatesNothing) {
  TestArtifact artifact = scaleBuckets({4, 12, 40});
  artifact.metadata.entries[0]->dims[0]->result_axes = {0};
  auto entry = Entry::loadBytes(artifact.bytes());
  ASSERT_TRUE(entry.ok()) << entry.status();
  auto context = EntryContext::create(*entry, {});
  ASSERT_TRUE(context.ok()) << context.status();
  AlignedFloats x(40), y(40);
  long before = allocations;
  for (int64_t count : {3, 30, 11, 4}) {
    Tensor input{x.data(), DType::f32, {&count, 1}},
        output{y.data(), DType::f32, {&count, 1}};
    ASSERT_TRUE((*context)->run({&input, 1}, {&output, 1}).ok());
  }
  EXPECT_EQ(allocations - before, 0);
}

TEST(AllocationTest, countsAtAll) {
  long before = allocations;
  void *volatile memory = ::operator new(100); // volatile: not elided
  EXPECT_EQ(allocations - before, 1);
  ::operator delete(memory);
}

} // namespace
} // namespace minic::runtime

#endif // MINIC_NO_COUNTING
