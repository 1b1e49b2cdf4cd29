// SPDX-License-Identifier: Apache-2.0
//
// Convolutions by gemm_amx at awkward shapes, by tiles and without them,
// against the reference. Run on a machine with AMX.

#include "test/unit/compiler/target/cpu/ReferenceCheck.h"
#include "test/unit/compiler/target/cpu/conv_direct/AwkwardConvolutions.h"
#include "test/unit/compiler/target/cpu/gemm_amx/AmxHost.h"
#include "test/unit/compiler/target/cpu/gemm_packed/GemmRun.h"

#include <limits>

namespace minic::cpu {
namespace {

using GemmAmxWindowsTest = AmxHost;

GemmAmxSchedule schedule(int64_t mc, bool splitN = true) {
  return {.packLhs = true, .mc = mc, .resident = 12, .splitN = splitN};
}

/// relu(conv + bias + residual), by several schedules.
void check(ConvCase conv) {
  conv.dtype = "bf16";
  std::string y = conv.result();
  GemmRun run({conv.input(), conv.filter(), conv.bias(), y}, y,
              "%4 = " + conv.op("%0, %1, %2", true) +
                  "%5 = graph.add %4, %3 : (" + y + ", " + y + ") -> " + y +
                  "\n%6 = graph.relu %5 : " + y + "\nkernel.yield %6 : " + y);
  ReferenceCheck reference;
  for (bool withTiles : {true, false}) {
    for (auto &s : {schedule(0), schedule(1), schedule(2, /*splitN=*/false)}) {
      SCOPED_TRACE(conv.op("", true) + toString(s) +
                   (withTiles ? "" : " without AMX"));
      ASSERT_NO_FATAL_FAILURE(run.run(s, amxProfile(), withTiles, 3));
      ASSERT_NO_FATAL_FAILURE(
          reference.expect(run.fusion, run.inputs, run.results));
    }
  }
}

TEST_F(GemmAmxWindowsTest, AwkwardSizes) {
  for (const ConvCase &conv : awkwardConvolutions) {
    if (conv.groups == 1) {
      ASSERT_NO_FATAL_FAILURE(check(conv));
    }
  }
}

/// Taps side by side and apart, with channels that fill lines, that fill them
/// together with other taps, that lack one, and none of these.
TEST_F(GemmAmxWindowsTest, WaysOfRuns) {
  for (int64_t channels :
       {1, 3, 4, 7, 15, 16, 24, 31, 32, 40, 63, 64, 70, 96}) {
    for (int64_t dilation : {1, 2}) {
      ConvCase conv{
          .n = 2, .c = channels, .h = 9, .w = 8, .k = 35, .r = 3, .s = 3};
      conv.top = conv.left = conv.bottom = conv.right = 1;
      conv.dilationW = dilation;
      ASSERT_NO_FATAL_FAILURE(check(conv));
    }
  }
}

/// What lies beside a window in memory is no factor.
TEST_F(GemmAmxWindowsTest, NoNumberLeaksIntoAnotherWindow) {
  for (int64_t channels : {3, 20, 32}) {
    ConvCase conv{
        .n = 1, .c = channels, .h = 6, .w = 9, .k = 33, .r = 3, .s = 3};
    conv.dtype = "bf16";
    conv.top = conv.left = conv.bottom = conv.right = 1;
    std::string y = conv.result();
    GemmRun run({conv.input(), conv.filter()}, y,
                "%2 = " + conv.op("%0, %1", false) + "kernel.yield %2 : " + y);
    constexpr int64_t badH = 3, badW = 4;
    for (int64_t c = 0; c != channels; ++c) {
      run.inputs[0].set((badH * conv.w + badW) * channels + c,
                        std::numeric_limits<double>::quiet_NaN());
    }
    for (bool withTiles : {true, false}) {
      ASSERT_NO_FATAL_FAILURE(run.run(schedule(0), amxProfile(), withTiles));
      for (int64_t p = 0; p != conv.p(); ++p) {
        for (int64_t q = 0; q != conv.q(); ++q) {
          bool sees = std::abs(p - badH) <= 1 && std::abs(q - badW) <= 1;
          for (int64_t k = 0; k != conv.k; ++k) {
            double got = run.results[0].get((p * conv.q() + q) * conv.k + k);
            ASSERT_EQ(std::isnan(got), sees) << p << ", " << q << ", " << k;
          }
        }
      }
    }
  }
}

} // namespace
} // namespace minic::cpu
