// SPDX-License-Identifier: Apache-2.0
//
// Pointwise kernels run by the interpreter: broadcasting in every position, odd
// sizes, transposes, several results; and what their PTX looks like.

#include "compiler/target/cuda/pointwise/PointwiseFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/pointwise/PointwiseSchedule.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

using namespace mlir;
using testing::HasSubstr;

namespace minic::cuda {
namespace {

void runBy(const PointwiseSchedule &schedule, InterpretedFusion &run) {
  Implementation offer =
      offerDense(run.fusion, "pointwise",
                 toAttr(schedule, run.fusion.getContext()), toString(schedule));
  run.run(PointwiseFamily(), offer, *getCudaProfile("h200"));
}

const std::vector<PointwiseSchedule> schedules = {
    {1, 1, 32}, {2, 1, 32}, {4, 2, 32}, {8, 1, 64}, {8, 4, 32}};

/// x + y, where y of `dims` broadcasts into the f32 result of `space`.
void checkBroadcast(const std::vector<int64_t> &space,
                    const std::vector<int64_t> &dims,
                    const std::string &dtype) {
  std::string x = tensor(space, "f32"), y = tensor(dims, dtype),
              wide = tensor(dims, "f32");
  std::string operand = "%1", cast;
  if (dtype != "f32") {
    cast = "%c = graph.cast %1 : " + y + " to " + wide + "\n";
    operand = "%c";
  }
  for (const PointwiseSchedule &schedule : schedules) {
    SCOPED_TRACE(x + " + " + y);
    InterpretedFusion run({x, y}, x,
                          cast + "%r = graph.add %0, " + operand + " : (" + x +
                              ", " + wide + ") -> " + x +
                              "\nkernel.yield %r : " + x);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    auto map = kernel::BroadcastMap::get(dims, space);
    for (int64_t i = 0; i != run.results[0].elements(); ++i) {
      int64_t rest = i, at = 0;
      for (size_t d = space.size(); d-- > 0;) {
        at += rest % space[d] * map.strides[d];
        rest /= space[d];
      }
      double expected = run.inputs[0].get(i) + run.inputs[1].get(at);
      ASSERT_NEAR(run.results[0].get(i), expected, 1e-6) << i;
    }
  }
}

TEST(CudaPointwise, Broadcasts) {
  checkBroadcast({64, 32}, {64, 32}, "f32");
  checkBroadcast({64, 32}, {32}, "bf16");
  checkBroadcast({64, 32}, {64, 1}, "bf16");
  checkBroadcast({4, 6, 8}, {4, 1, 8}, "f16");
  checkBroadcast({4, 6, 8}, {6, 1}, "f32");
  checkBroadcast({64}, {}, "f32");
}

TEST(CudaPointwise, TakesOddSizes) {
  checkBroadcast({7, 13}, {7, 13}, "bf16");
  checkBroadcast({7, 13}, {13}, "f32");
  checkBroadcast({7, 13}, {7, 1}, "f32");
  checkBroadcast({3, 5, 7}, {3, 1, 7}, "bf16");
  checkBroadcast({1}, {1}, "f32");
  checkBroadcast({1001}, {1001}, "f32");
}

TEST(CudaPointwise, ReadsTransposedOperands) {
  for (const PointwiseSchedule &schedule : schedules) {
    for (int64_t rows : {8, 9}) {
      std::string from = tensor({24, rows}, "bf16"),
                  to = tensor({rows, 24}, "bf16");
      InterpretedFusion run({from}, to,
                            "%r = graph.transpose %0 [1, 0] : " + from +
                                " -> " + to + "\nkernel.yield %r : " + to);
      ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
      for (int64_t i = 0; i != rows * 24; ++i) {
        ASSERT_EQ(run.results[0].get(i),
                  run.inputs[0].get(i % 24 * rows + i / 24));
      }
    }
  }
}

TEST(CudaPointwise, GathersRows) {
  for (const PointwiseSchedule &schedule : schedules) {
    for (auto [columns, index] :
         {std::pair<int64_t, std::string>(16, "i32"), {9, "i64"}}) {
      std::string table = tensor({20, columns}, "bf16"),
                  ids = tensor({3, 5}, index),
                  to = tensor({3, 5, columns}, "bf16");
      InterpretedFusion run({table, ids}, to,
                            "%r = graph.gather %0, %1 axis = 0 : (" + table +
                                ", " + ids + ") -> " + to +
                                "\nkernel.yield %r : " + to);
      bool isOutside = columns == 9;
      for (int64_t i = 0; i != 15; ++i) {
        run.inputs[1].set(i, double(i * 7 % 20));
      }
      if (isOutside) {
        run.inputs[1].set(4, 20);
        run.inputs[1].set(11, -3);
      }
      ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
      for (int64_t i = 0; i != 15 * columns; ++i) {
        auto row = int64_t(std::clamp(run.inputs[1].get(i / columns), 0., 19.));
        ASSERT_EQ(run.results[0].get(i),
                  run.inputs[0].get(row * columns + i % columns))
            << i;
      }
      EXPECT_EQ(run.lastWord(), isOutside ? 1u : 0u);
    }
  }
}

// One id for each 16 bytes of a row.
TEST(CudaPointwise, MovesSixteenBytesOfAGatheredRow) {
  std::string table = tensor({50257, 768}, "bf16"), ids = tensor({64}, "i64"),
              to = tensor({64, 768}, "bf16");
  ParsedFusion parsed({table, ids}, to,
                      "%r = graph.gather %0, %1 axis = 0 : (" + table + ", " +
                          ids + ") -> " + to + "\nkernel.yield %r : " + to);
  DeviceProfile profile = *getCudaProfile("h200");
  auto offers = PointwiseFamily().enumerate(parsed.get(), profile);
  ASSERT_FALSE(offers.empty());
  // The table is 77 MB.
  EXPECT_LT(offers.front().estimateUs, 3);
}

TEST(CudaPointwise, WritesSeveralResults) {
  std::string x = tensor({5, 12}, "bf16"), y = tensor({5, 12}, "f32");
  for (const PointwiseSchedule &schedule : schedules) {
    InterpretedFusion run(
        {x}, "(" + x + ", " + y + ")",
        "%r = graph.relu %0 : " + x + "\n%c = graph.cast %r : " + x + " to " +
            y + "\n%d = graph.add %c, %c : (" + y + ", " + y + ") -> " + y +
            "\nkernel.yield %r, %d : " + x + ", " + y);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t i = 0; i != 60; ++i) {
      double relu = std::max(0.0, run.inputs[0].get(i));
      ASSERT_EQ(run.results[0].get(i), relu);
      ASSERT_EQ(run.results[1].get(i), 2 * relu);
    }
  }
}

TEST(CudaPointwise, MovesSixteenBytes) {
  std::string x = tensor({1024, 4096}, "bf16");
  ParsedFusion parsed({x}, x,
                      "%r = graph.gelu %0 : " + x + "\nkernel.yield %r : " + x);
  DeviceProfile profile = *getCudaProfile("h200");
  auto offers = PointwiseFamily().enumerate(parsed.get(), profile);
  ASSERT_FALSE(offers.empty());
  EXPECT_THAT(offers.front().name, HasSubstr("pointwise 8x"));
  // 16 MB (from L2) are a few microseconds.
  EXPECT_LT(offers.front().estimateUs, 7);
}

TEST(CudaPointwise, LaunchesNothingForEmptyTensors) {
  std::string x = tensor({0, 16}, "f32");
  ParsedFusion parsed({x}, x,
                      "%r = graph.relu %0 : " + x + "\nkernel.yield %r : " + x);
  DeviceProfile profile = *getCudaProfile("h200");
  auto offers = PointwiseFamily().enumerate(parsed.get(), profile);
  ASSERT_FALSE(offers.empty());
  implement(parsed.get(), offers.front());
  LaunchRecorder plan(parsed.get().getContext());
  EXPECT_TRUE(succeeded(PointwiseFamily().lower(parsed.get(), plan)));
  EXPECT_FALSE(cpu::onlyOp<plan::LaunchOp>(*plan.module));
}

} // namespace
} // namespace minic::cuda
