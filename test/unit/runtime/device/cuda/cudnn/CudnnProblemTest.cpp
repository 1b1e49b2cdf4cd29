// SPDX-License-Identifier: Apache-2.0
//
// Keys: problems that may not use each other's plans have different ones.

#include "runtime/device/cuda/cudnn/CudnnProblem.h"
#include "test/unit/runtime/device/cuda/cudnn/AttentionProblem.h"
#include "test/unit/runtime/device/cuda/cudnn/CudnnProblems.h"

#include <gtest/gtest.h>

#include <map>

namespace minic::runtime {
namespace {

std::string keyOf(const format::CallT &native) {
  minic::testing::PackedTable<format::Call> call(native);
  return CudnnProblem::get(*call).key();
}

TEST(CudnnProblem, TheKeyHasAllThatPlansDependOn) {
  using Case = ConvolutionCase;
  std::map<std::string, int> keys;
  int changes = 0;
  for (void (*change)(Case &) : std::initializer_list<void (*)(Case &)>{
           [](Case &) {}, [](Case &test) { test.dtype = format::DType::f16; },
           [](Case &test) { test.isNhwc = true; },
           [](Case &test) { test.isFilterNhwc = true; },
           [](Case &test) { test.tf32 = true; },
           [](Case &test) { test.k = 32; }, [](Case &test) { test.n = 1; },
           [](Case &test) {
             test.padsBegin = {1, 0};
             test.padsEnd = {0, 1};
           },
           [](Case &test) {
             test.padsBegin = {0, 1};
             test.padsEnd = {1, 0};
           },
           [](Case &test) {
             // The same result as without.
             test.r = 1;
             test.s = 3;
           },
           [](Case &test) { test.strides = {1, 2}; },
           [](Case &test) { test.dilations = {1, 2}; },
           [](Case &test) { test.hasBias = true; },
           [](Case &test) { test.hasAddend = true; },
           [](Case &test) { test.activation = format::EltwiseKind::relu; },
           [](Case &test) {
             test.activation = format::EltwiseKind::leaky_relu;
             test.alpha = 0.1f;
           },
           [](Case &test) {
             test.activation = format::EltwiseKind::leaky_relu;
             test.alpha = 0.1000001f;
           }}) {
    Case test;
    change(test);
    auto [it, isNew] = keys.emplace(keyOf(test.descriptor()), changes);
    EXPECT_TRUE(isNew) << "changes " << changes << " and " << it->second
                       << " have one key: " << it->first;
    ++changes;
  }
}

TEST(CudnnProblem, AndThatOfAnAttention) {
  using Case = AttentionProblem;
  std::map<std::string, int> keys;
  int changes = 0;
  for (void (*change)(Case &) : std::initializer_list<void (*)(Case &)>{
           [](Case &) {}, [](Case &test) { test.dtype = format::DType::f16; },
           [](Case &test) { test.keyHeads = 2; },
           [](Case &test) { test.keys = 64; },
           [](Case &test) { test.valueDepth = 32; },
           [](Case &test) { test.causal = "upper_left"; },
           [](Case &test) { test.causal = "lower_right"; },
           [](Case &test) { test.scale = 0.5; },
           [](Case &test) { test.scale = 0.50000006; },
           [](Case &test) { test.isMerged = true; },
           [](Case &test) {
             test.biasType = format::DType::f32;
             test.biasDims = {1, 1, 48, 48};
           },
           [](Case &test) {
             test.biasType = format::DType::bf16;
             test.biasDims = {1, 1, 48, 48};
           }}) {
    Case test;
    change(test);
    auto [it, isNew] = keys.emplace(keyOf(test.descriptor()), changes);
    EXPECT_TRUE(isNew) << "changes " << changes << " and " << it->second
                       << " have one key: " << it->first;
    ++changes;
  }
}

TEST(CudnnProblem, TheKeyHasNoPlaceInMemoryButItsAlignment) {
  ConvolutionCase test;
  format::CallT call = test.descriptor();
  auto keyAt = [&](uint64_t offset) {
    *minic::testing::operandOf(call, "input").address =
        format::Address(format::Base::arena, 3, offset);
    return keyOf(call);
  };
  std::string key = keyOf(call);
  EXPECT_EQ(keyAt(0), key);
  EXPECT_EQ(keyAt(4096), key);
  EXPECT_NE(keyAt(8), key);
  call.algorithm = "eng1";
  EXPECT_EQ(keyAt(0), key);
}

} // namespace
} // namespace minic::runtime
