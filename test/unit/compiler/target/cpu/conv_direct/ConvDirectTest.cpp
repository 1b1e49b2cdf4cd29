// SPDX-License-Identifier: Apache-2.0
//
// Direct convolutions at awkward shapes, in both layouts, against the
// reference.

#include "test/unit/compiler/target/cpu/HostIsas.h"
#include "test/unit/compiler/target/cpu/conv_direct/AwkwardConvolutions.h"
#include "test/unit/compiler/target/cpu/conv_direct/ConvRun.h"

#include <cmath>

namespace minic::cpu {
namespace {

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
  for (ConvCase conv : awkwardConvolutions) {
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
    ConvCase conv = awkwardConvolutions[number];
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
  ConvCase conv = awkwardConvolutions[2];
  for (std::string dtype : {"bf16", "f16"}) {
    conv.dtype = dtype;
    ASSERT_NO_FATAL_FAILURE(checkAll(conv, {schedules[0]}));
  }
}

TEST(ConvDirect, ThreadsSplitTheLines) {
  for (size_t number : {2, 3, 8}) {
    ConvCase conv = awkwardConvolutions[number];
    for (bool nhwc : {true, false}) {
      conv.nhwc = nhwc;
      for (int threads : {2, 5}) {
        ASSERT_NO_FATAL_FAILURE(checkAll(conv, {schedules[3]}, "", threads));
      }
    }
  }
}

// The last panel's tiles have none to fetch; their memory ends at a guard page.
TEST(ConvDirect, TilesFetchTheNextPanel) {
  for (size_t number : {2, 3, 13, 14}) {
    ConvCase conv = awkwardConvolutions[number];
    conv.k += 16;
    for (std::string dtype : {"f32", "bf16"}) {
      conv.dtype = dtype;
      for (int threads : {1, 3}) {
        ASSERT_NO_FATAL_FAILURE(
            checkAll(conv,
                     {{.mr = 8, .nr = 16, .lines = 1, .prefetch = true},
                      {.mr = 3, .nr = 16, .lines = 2, .prefetch = true}},
                     "", threads));
      }
    }
  }
}

TEST(ConvDirect, ThreadsDivideThePanels) {
  for (size_t number : {2, 3, 4, 7, 13}) {
    ConvCase conv = awkwardConvolutions[number];
    conv.k += conv.groups == 1 ? 32 : 0;
    for (bool prefetch : {false, true}) {
      if (prefetch && conv.groups > 1) {
        continue; // lanes are groups: one panel has none behind it
      }
      for (int threads : {1, 2, 5}) {
        ASSERT_NO_FATAL_FAILURE(checkAll(conv,
                                         {{.mr = 8,
                                           .nr = 16,
                                           .lines = 2,
                                           .prefetch = prefetch,
                                           .splitN = true}},
                                         "", threads));
      }
    }
  }
}

// Long enough for the loop over the tile, with a result of another dtype.
TEST(ConvDirect, LongEpiloguesAndSeveralResults) {
  for (bool nhwc : {true, false}) {
    ConvCase conv = awkwardConvolutions[3];
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
