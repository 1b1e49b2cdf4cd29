// SPDX-License-Identifier: Apache-2.0
//
// Sizes and names of types.

#include "runtime/base/Tensor.h"

#include <gtest/gtest.h>

namespace minic::runtime {
namespace {

TEST(TensorTest, knowsEveryType) {
  struct Case {
    DType dtype;
    int64_t bytes;
    const char *name;
  } cases[] = {{DType::i1, 1, "i1"},   {DType::i8, 1, "i8"},
               {DType::i32, 4, "i32"}, {DType::i64, 8, "i64"},
               {DType::f16, 2, "f16"}, {DType::bf16, 2, "bf16"},
               {DType::f32, 4, "f32"}};
  for (const Case &each : cases) {
    EXPECT_EQ(elementBytes(each.dtype), each.bytes);
    EXPECT_STREQ(toString(each.dtype), each.name);
  }
}

TEST(TensorTest, countsElementsAndBytes) {
  TensorSpec spec{"x", DType::bf16, {3, 5, 7}, 64};
  EXPECT_EQ(spec.elements(), 105);
  EXPECT_EQ(spec.bytes(), 210);
  spec.dims = {};
  EXPECT_EQ(spec.bytes(), 2);
  spec.dims = {4, 0};
  EXPECT_EQ(spec.bytes(), 0);
}

} // namespace
} // namespace minic::runtime
