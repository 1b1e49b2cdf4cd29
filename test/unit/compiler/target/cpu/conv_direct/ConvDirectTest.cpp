// SPDX-License-Identifier: Apache-2.0
//
// Direct convolutions at awkward shapes, in both layouts, against the
// reference.

#include "test/unit/compiler/target/cpu/HostIsas.h"
#include "test/unit/compiler/target/cpu/conv_direct/ConvCase.h"
#include "test/unit/compiler/target/cpu/conv_direct/ConvRun.h"

#include <cmath>

namespace minic::cpu {
namespace {

const ConvCase awkward[] = {
    {.n = 1, .c = 1, .h = 1, .w = 1, .k = 1, .r = 1, .s = 1},
    {.n = 2, .c = 3, .h = 5, .w = 7, .k = 4, .r = 1, .s = 1},
    // More pixels than a tile, more channels than a panel, neither a multiple.
    {.n = 1, .c = 17, .h = 3, .w = 37, .k = 45, .r = 1, .s = 1},
    {.n = 2,
     .c = 5,
     .h = 6,
     .w = 9,
     .k = 33,
     .r = 3,
     .s = 3,
     .strideH = 2,
     .strideW = 1,
     .top = 1,
     .left = 2,
     .bottom = 0,
     .right = 1},
    {.n = 1,
     .c = 3,
     .h = 11,
     .w = 19,
     .k = 16,
     .r = 7,
     .s = 7,
     .strideH = 2,
     .strideW = 2,
     .top = 3,
     .left = 3,
     .bottom = 3,
     .right = 3},
    {.n = 1,
     .c = 6,
     .h = 11,
     .w = 8,
     .k = 10,
     .r = 3,
     .s = 2,
     .top = 3,
     .left = 1,
     .bottom = 2,
     .right = 4,
     .dilationH = 2,
     .dilationW = 3,
     .groups = 2},
    // A stride that skips, beside a dilation that shares a factor with it.
    {.n = 1,
     .c = 2,
     .h = 9,
     .w = 41,
     .k = 5,
     .r = 2,
     .s = 3,
     .strideH = 3,
     .strideW = 4,
     .left = 5,
     .dilationW = 6},
    // Depthwise, with and without a multiplier.
    {.n = 2,
     .c = 21,
     .h = 5,
     .w = 6,
     .k = 21,
     .r = 3,
     .s = 3,
     .top = 1,
     .left = 1,
     .bottom = 1,
     .right = 1,
     .groups = 21},
    {.n = 1,
     .c = 7,
     .h = 5,
     .w = 6,
     .k = 21,
     .r = 3,
     .s = 3,
     .strideH = 2,
     .strideW = 2,
     .top = 1,
     .left = 1,
     .groups = 7},
    {.n = 1,
     .c = 64,
     .h = 3,
     .w = 3,
     .k = 64,
     .r = 3,
     .s = 3,
     .top = 1,
     .left = 1,
     .bottom = 1,
     .right = 1,
     .groups = 64},
    // Groups whose channels are whole panels, and groups whose are not.
    {.n = 1,
     .c = 8,
     .h = 4,
     .w = 5,
     .k = 64,
     .r = 1,
     .s = 3,
     .right = 2,
     .groups = 2},
    {.n = 1,
     .c = 9,
     .h = 4,
     .w = 4,
     .k = 51,
     .r = 3,
     .s = 1,
     .top = 1,
     .bottom = 1,
     .groups = 3},
    // Every product of the corners is of pads; pads wider than the image.
    {.n = 1,
     .c = 2,
     .h = 1,
     .w = 1,
     .k = 3,
     .r = 1,
     .s = 1,
     .top = 2,
     .left = 9,
     .bottom = 1,
     .right = 8},
    // Sums of several chunks, of which the last one is short.
    {.n = 1, .c = 173, .h = 3, .w = 5, .k = 17, .r = 3, .s = 3},
    {.n = 1, .c = 515, .h = 2, .w = 3, .k = 9, .r = 1, .s = 1},
    // A filter as large as the image, and one of many taps.
    {.n = 3, .c = 4, .h = 5, .w = 6, .k = 9, .r = 5, .s = 6},
    {.n = 1,
     .c = 2,
     .h = 2,
     .w = 30,
     .k = 3,
     .r = 2,
     .s = 11,
     .strideW = 2,
     .left = 1},
};

const ConvDirectSchedule schedules[] = {{.mr = 8, .nr = 32, .lines = 1},
                                        {.mr = 14, .nr = 16, .lines = 3},
                                        {.mr = 1, .nr = 64, .lines = 1024},
                                        {.mr = 3, .nr = 48, .lines = 2}};

bool mayLeaveUnpacked(const ConvCase &conv) {
  return conv.nhwc && conv.top + conv.left + conv.bottom + conv.right == 0;
}

/// relu(conv + residual * scale per channel), where conv has a bias.
void checkAll(const ConvCase &conv,
              llvm::ArrayRef<ConvDirectSchedule> schedules,
              const std::string &isa = "", int threads = 1) {
  std::string y = conv.result();
  ConvRun run(
      {conv.input(), conv.filter(), conv.bias(), y, conv.perChannel()}, y,
      "%5 = " + conv.op("%0, %1, %2", true) + "%6 = graph.mul %3, %4 : (" + y +
          ", " + conv.perChannel() + ") -> " + y +
          "\n%7 = graph.add %5, %6 : (" + y + ", " + y + ") -> " + y +
          "\n%8 = graph.relu %7 : " + y + "\nkernel.yield %8 : " + y);
  for (ConvDirectSchedule schedule : schedules) {
    for (bool pack : {true, false}) {
      if (!pack && !mayLeaveUnpacked(conv)) {
        continue;
      }
      schedule.pack = pack;
      SCOPED_TRACE(conv.op("", true) + toString(schedule) + " " + isa);
      ASSERT_NO_FATAL_FAILURE(run.check(schedule, isa, threads));
    }
  }
}

TEST(ConvDirect, AwkwardSizesInBothLayouts) {
  size_t next = 0;
  for (ConvCase conv : awkward) {
    for (bool nhwc : {true, false}) {
      conv.nhwc = nhwc;
      ASSERT_NO_FATAL_FAILURE(
          checkAll(conv, {schedules[next % 4], schedules[(next + 1) % 4]}));
      ++next;
    }
  }
}

TEST(ConvDirect, AllDtypesAndLevels) {
  for (size_t number : {3, 5, 7, 11}) {
    ConvCase conv = awkward[number];
    for (bool nhwc : {true, false}) {
      for (std::string dtype : {"f32", "bf16", "f16"}) {
        for (const std::string &isa : hostIsas()) {
          conv.nhwc = nhwc;
          conv.dtype = dtype;
          ASSERT_NO_FATAL_FAILURE(checkAll(conv, {schedules[0]}, isa));
        }
      }
    }
  }
}

TEST(ConvDirect, UnpackedHalfs) {
  ConvCase conv = awkward[2];
  for (std::string dtype : {"bf16", "f16"}) {
    conv.dtype = dtype;
    ASSERT_NO_FATAL_FAILURE(checkAll(conv, {schedules[0]}));
  }
}

TEST(ConvDirect, ThreadsSplitTheLines) {
  for (size_t number : {2, 3, 8}) {
    ConvCase conv = awkward[number];
    for (bool nhwc : {true, false}) {
      conv.nhwc = nhwc;
      for (int threads : {2, 5}) {
        ASSERT_NO_FATAL_FAILURE(checkAll(conv, {schedules[3]}, "", threads));
      }
    }
  }
}

// Long enough for the loop over the tile, with a result of another dtype.
TEST(ConvDirect, LongEpiloguesAndSeveralResults) {
  for (bool nhwc : {true, false}) {
    ConvCase conv = awkward[3];
    conv.nhwc = nhwc;
    std::string y = conv.result();
    std::string half = y.substr(0, y.size() - 4) + "bf16>";
    ConvRun run({conv.input(), conv.filter()}, "(" + y + ", " + half + ")",
                "%2 = " + conv.op("%0, %1", false) + "%3 = graph.gelu %2 : " +
                    y + "\n%4 = graph.cast %2 : " + y + " to " + half +
                    "\nkernel.yield %3, %4 : " + y + ", " + half);
    for (const ConvDirectSchedule &schedule : schedules) {
      SCOPED_TRACE(toString(schedule) + y);
      ASSERT_NO_FATAL_FAILURE(run.check(schedule));
    }
  }
}

TEST(ConvDirect, LongSumsRoundLessThanOneSumOverAll) {
  const int64_t terms = 512 * 3 * 3;
  for (bool nhwc : {true, false}) {
    ConvCase conv{.n = 1, .c = 512, .h = 3, .w = 3, .k = 64, .r = 3, .s = 3};
    conv.nhwc = nhwc;
    ConvRun run({conv.input(), conv.filter()}, conv.result(),
                "%2 = " + conv.op("%0, %1", false) +
                    "kernel.yield %2 : " + conv.result());
    ASSERT_NO_FATAL_FAILURE(run.check(schedules[0]));
    double ours = 0, naive = 0;
    for (int64_t k = 0; k != conv.k; ++k) {
      double exact = 0;
      float sum = 0;
      for (int64_t i = 0; i != terms; ++i) {
        // The filter's [c][r * s] in the image's layout.
        int64_t pixel = nhwc ? i % 9 * conv.c + i / 9 : i;
        double x = run.inputs[0].get(pixel);
        double w = run.inputs[1].get(k * terms + i);
        exact += x * w;
        sum = std::fma(float(x), float(w), sum);
      }
      ours += std::pow(run.results[0].get(k) - exact, 2);
      naive += std::pow(sum - exact, 2);
    }
    EXPECT_GT(naive, 0);
    EXPECT_LT(std::sqrt(ours), 0.6 * std::sqrt(naive)) << conv.result();
  }
}

} // namespace
} // namespace minic::cpu
