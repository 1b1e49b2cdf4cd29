// SPDX-License-Identifier: Apache-2.0
//
// Gathers of rows in pointwise kernels, compiled and run: indices out of range,
// inner axes, views behind the gather, and what reading a table costs.

#include "test/unit/compiler/target/cpu/pointwise/PointwiseRun.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace minic::cpu {
namespace {

/// Rows of a table, some by indices out of range; twice of them.
void checkGather(const std::string &dtype, const std::string &indexDtype,
                 int64_t columns) {
  SCOPED_TRACE(dtype + " by " + indexDtype + " x" + std::to_string(columns));
  Tensors inputs;
  inputs.emplace_back(dtype, std::vector<int64_t>{9, columns});
  inputs.emplace_back(indexDtype, std::vector<int64_t>{2, 5});
  inputs[0].fill(3);
  const int64_t rows[] = {8, 0, 3, -1, 9, 1, 1, 100, 7, 5};
  for (int64_t i = 0; i != 10; ++i) {
    inputs[1].set(i, double(rows[i]));
  }
  std::string type = tensor({2, 5, columns}, dtype);
  std::string body = "%g = graph.gather %0, %1 axis = 0 : (" +
                     inputs[0].type() + ", " + inputs[1].type() + ") -> " +
                     type + "\n%r = graph.add %g, %g : " + type +
                     "\nkernel.yield %r : " + type;
  DenseTensor got = run(inputs, dtype, {2, 5, columns}, body);
  for (int64_t i = 0; i != 10 * columns; ++i) {
    int64_t row = std::clamp<int64_t>(rows[i / columns], 0, 8);
    ASSERT_EQ(got.get(i), 2 * inputs[0].get(row * columns + i % columns)) << i;
  }
}

TEST(PointwiseGatherTest, GathersRows) {
  for (int64_t columns : {2, 13, 64, 200}) {
    checkGather("f32", "i32", columns);
    checkGather("bf16", "i64", columns);
  }
}

TEST(PointwiseGatherTest, GathersAlongAnInnerAxis) {
  Tensors inputs;
  inputs.emplace_back("f32", std::vector<int64_t>{3, 7, 20});
  inputs.emplace_back("i32", std::vector<int64_t>{4});
  inputs[0].fill(5);
  const int64_t rows[] = {6, 0, 6, 2};
  for (int64_t i = 0; i != 4; ++i) {
    inputs[1].set(i, double(rows[i]));
  }
  // Seen through a slice and a transpose behind the gather.
  DenseTensor got = run(inputs, "f32", {4, 3, 17}, R"(
    %g = graph.gather %0, %1 axis = 1 : (tensor<3x7x20xf32>, tensor<4xi32>) -> tensor<3x4x20xf32>
    %s = graph.slice %g [0, 0, 2] to [3, 4, 19] by [1, 1, 1] : tensor<3x4x20xf32> -> tensor<3x4x17xf32>
    %t = graph.transpose %s [1, 0, 2] : tensor<3x4x17xf32> -> tensor<4x3x17xf32>
    kernel.yield %t : tensor<4x3x17xf32>)");
  for (int64_t i = 0; i != 4 * 3 * 17; ++i) {
    int64_t row = rows[i / 51], batch = i / 17 % 3, column = i % 17 + 2;
    ASSERT_EQ(got.get(i), inputs[0].get((batch * 7 + row) * 20 + column)) << i;
  }
}

// Of a table only what is read counts.
TEST(PointwiseGatherTest, ALargeTableIsNoTraffic) {
  auto estimate = [](const std::string &table) {
    ParsedFusion parsed({table, "tensor<64xi32>"}, "tensor<64x768xf32>",
                        "%g = graph.gather %0, %1 axis = 0 : (" + table +
                            ", tensor<64xi32>) -> tensor<64x768xf32>\n"
                            "kernel.yield %g : tensor<64x768xf32>");
    return PointwiseFamily()
        .enumerate(parsed.get(), getCpuProfile(1))
        .front()
        .estimateUs;
  };
  EXPECT_EQ(estimate("tensor<50257x768xf32>"),
            estimate("tensor<1000x768xf32>"));
}

} // namespace
} // namespace minic::cpu
