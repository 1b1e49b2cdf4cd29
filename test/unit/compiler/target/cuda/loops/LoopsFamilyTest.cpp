// SPDX-License-Identifier: Apache-2.0
//
// Kernels of loops run by the interpreter against float64 loops of the test;
// what is offered, and what is refused.

#include "compiler/target/cuda/loops/LoopsFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/loops/LoopsSchedule.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <gmock/gmock.h>

using namespace mlir;
using testing::HasSubstr;

namespace minic::cuda {
namespace {

const std::vector<LoopsSchedule> schedules = {{32, 1},   {128, 1},   {32, 2},
                                              {64, 8},   {64, 32},   {64, 64},
                                              {256, 64}, {1024, 256}};

void runBy(const LoopsSchedule &schedule, InterpretedFusion &run) {
  Implementation offer =
      offerDense(run.fusion, "loops", toAttr(schedule, run.fusion.getContext()),
                 toString(schedule));
  run.run(LoopsFamily(), offer, *getCudaProfile("h200"));
}

using Expected = std::function<double(const InterpretedFusion &, int64_t)>;

/// Every schedule computes `expected` of every element of the first result.
/// Sums of `terms` numbers below 1 may be off by their roundings.
void check(const std::vector<std::string> &arguments,
           const std::string &results, const std::string &body,
           const Expected &expected, double terms = 0) {
  for (const LoopsSchedule &schedule : schedules) {
    InterpretedFusion run(arguments, results, body);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (const KernelResources &kernel : run.resources) {
      EXPECT_EQ(kernel.spillBytes, 0) << kernel.entry;
    }
    const cpu::TestTensor &got = run.results[0];
    for (int64_t i = 0; i != got.elements(); ++i) {
      double want = expected(run, i);
      ASSERT_NEAR(got.get(i), want,
                  std::fabs(want) * got.roundoff() + terms * 0x1p-22)
          << toString(schedule) << ", element " << i;
    }
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST(CudaLoops, ReducesAnyAxes) {
  for (std::string dtype : {"f32", "bf16", "f16"}) {
    std::string x = tensor({3, 5, 7, 23}, dtype), y = tensor({5, 23}, dtype);
    check(
        {x}, y,
        "%r = graph.reduce sum, %0 [0, 2] : " + x + " -> " + y +
            "\nkernel.yield %r : " + y,
        [](const InterpretedFusion &run, int64_t i) {
          double sum = 0;
          for (int64_t at = 0; at != 21; ++at) {
            int64_t row = (at / 7 * 5 + i / 23) * 7 + at % 7;
            sum += run.inputs[0].get(row * 23 + i % 23);
          }
          return sum;
        },
        21);
  }
}

TEST(CudaLoops, ReducesToOneElement) {
  check({"tensor<1000xbf16>"}, "tensor<bf16>", R"(
    %r = graph.reduce min, %0 [0] : tensor<1000xbf16> -> tensor<bf16>
    kernel.yield %r : tensor<bf16>)",
        [](const InterpretedFusion &run, int64_t) {
          double least = run.inputs[0].get(0);
          for (int64_t i = 1; i != 1000; ++i) {
            least = std::min(least, run.inputs[0].get(i));
          }
          return least;
        });
}

TEST(CudaLoops, ComputesWhatIsReducedAndWhatFollows) {
  check(
      {"tensor<37x33xf16>", "tensor<37x1xf32>"}, "tensor<37x1xf32>", R"(
    %w = graph.cast %0 : tensor<37x33xf16> to tensor<37x33xf32>
    %s = graph.mul %w, %w : tensor<37x33xf32>
    %m = graph.reduce mean, %s [1] {keep_dims} : tensor<37x33xf32> -> tensor<37x1xf32>
    %r = graph.sub %m, %1 : tensor<37x1xf32>
    kernel.yield %r : tensor<37x1xf32>)",
      [](const InterpretedFusion &run, int64_t i) {
        double sum = 0;
        for (int64_t j = 0; j != 33; ++j) {
          sum += run.inputs[0].get(i * 33 + j) * run.inputs[0].get(i * 33 + j);
        }
        return sum / 33 - run.inputs[1].get(i);
      },
      33);
}

TEST(CudaLoops, FindsTheFirstExtreme) {
  for (const LoopsSchedule &schedule : schedules) {
    InterpretedFusion run({"tensor<5x70x3xf32>"}, "tensor<5x3xi64>", R"(
      %r = graph.arg_reduce max, %0 axis = 1 : tensor<5x70x3xf32> -> tensor<5x3xi64>
      kernel.yield %r : tensor<5x3xi64>)");
    auto set = [&](int64_t row, int64_t column, double value) {
      run.inputs[0].set((row / 3 * 70 + column) * 3 + row % 3, value);
    };
    // In row r the extreme is at 4 r + 1, and again further on.
    for (int64_t row = 0; row != 15; ++row) {
      for (int64_t column : {4 * row + 1, int64_t(65)}) {
        set(row, column, row % 2 ? 7 : std::nan(""));
      }
    }
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t row = 0; row != 15; ++row) {
      int64_t got;
      std::memcpy(&got, run.results[0].data() + row * 8, 8);
      EXPECT_EQ(got, 4 * row + 1) << toString(schedule) << ", row " << row;
    }
  }
}

TEST(CudaLoops, AddsAllElementsUpToEach) {
  check(
      {"tensor<3x41x2xf32>"}, "tensor<3x41x2xf32>", R"(
    %r = graph.cumsum %0 axis = 1 {reverse} : tensor<3x41x2xf32>
    kernel.yield %r : tensor<3x41x2xf32>)",
      [](const InterpretedFusion &run, int64_t i) {
        double sum = 0;
        for (int64_t j = i / 2 % 41; j != 41; ++j) {
          sum += run.inputs[0].get((i / 82 * 41 + j) * 2 + i % 2);
        }
        return sum;
      },
      41);
}

//===----------------------------------------------------------------------===//
// Other ops with maps
//===----------------------------------------------------------------------===//

TEST(CudaLoops, PadsASlice) {
  check({"tensor<9x20xbf16>"}, "tensor<5x12xbf16>", R"(
    %s = graph.slice %0 [1, 1] to [9, 20] by [3, 2] : tensor<9x20xbf16> -> tensor<3x10xbf16>
    %r = graph.pad %s before [2, 1] after [0, 1] {value = 0.5 : f64} : tensor<3x10xbf16> -> tensor<5x12xbf16>
    kernel.yield %r : tensor<5x12xbf16>)",
        [](const InterpretedFusion &run, int64_t i) {
          int64_t row = i / 12 - 2, column = i % 12 - 1;
          bool isInside = row >= 0 && column >= 0 && column < 10;
          return isInside
                     ? run.inputs[0].get((1 + 3 * row) * 20 + 1 + 2 * column)
                     : 0.5;
        });
}

TEST(CudaLoops, MultipliesAComputedMatrixWithItself) {
  check(
      {"tensor<6x5xf16>"}, "tensor<6x6xf32>", R"(
    %e = graph.mul %0, %0 : tensor<6x5xf16>
    %p = graph.matmul %e, %e {transpose_rhs} : (tensor<6x5xf16>, tensor<6x5xf16>) -> tensor<6x6xf16>
    %r = graph.cast %p : tensor<6x6xf16> to tensor<6x6xf32>
    kernel.yield %r : tensor<6x6xf32>)",
      [](const InterpretedFusion &run, int64_t i) {
        double want = 0;
        for (int64_t j = 0; j != 5; ++j) {
          double left = run.inputs[0].get(i / 6 * 5 + j);
          double right = run.inputs[0].get(i % 6 * 5 + j);
          want +=
              double(_Float16(left * left)) * double(_Float16(right * right));
        }
        return want;
      },
      5);
}

//===----------------------------------------------------------------------===//
// Ops that read where data say
//===----------------------------------------------------------------------===//

/// Indices are clamped; one out of range is told by the status word.
TEST(CudaLoops, ReportsAnIndexOutOfRange) {
  for (int64_t outside : {-1, 0, 5, 1000}) {
    InterpretedFusion run({"tensor<6x9xbf16>", "tensor<41xi64>"},
                          "tensor<41x9xbf16>", R"(
      %r = graph.gather %0, %1 axis = 0 : (tensor<6x9xbf16>, tensor<41xi64>) -> tensor<41x9xbf16>
      kernel.yield %r : tensor<41x9xbf16>)");
    for (int64_t i = 0; i != 41; ++i) {
      run.inputs[1].set(i, double(i == 40 ? outside : i * 7 % 6));
    }
    ASSERT_NO_FATAL_FAILURE(runBy({32, 1}, run));
    for (int64_t i = 0; i != 41 * 9; ++i) {
      auto row = std::clamp<int64_t>(int64_t(run.inputs[1].get(i / 9)), 0, 5);
      ASSERT_EQ(run.results[0].get(i), run.inputs[0].get(row * 9 + i % 9)) << i;
    }
    EXPECT_EQ(run.lastWord(), outside < 0 || outside > 5 ? 1u : 0u) << outside;
  }
}

/// So does what a reduction shared by threads reads.
TEST(CudaLoops, AddsGatheredRows) {
  for (double outside : {3.0, 6.0}) {
    for (const LoopsSchedule &schedule : schedules) {
      InterpretedFusion run({"tensor<6x3xf32>", "tensor<2x50xi32>"},
                            "tensor<2x3xf32>", R"(
        %g = graph.gather %0, %1 axis = 0 : (tensor<6x3xf32>, tensor<2x50xi32>) -> tensor<2x50x3xf32>
        %r = graph.reduce sum, %g [1] : tensor<2x50x3xf32> -> tensor<2x3xf32>
        kernel.yield %r : tensor<2x3xf32>)");
      for (int64_t i = 0; i != 100; ++i) {
        run.inputs[1].set(i, i == 99 ? outside : double(i % 6));
      }
      ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
      for (int64_t i = 0; i != 6; ++i) {
        double sum = 0;
        for (int64_t j = 0; j != 50; ++j) {
          double row = std::min(run.inputs[1].get(i / 3 * 50 + j), 5.0);
          sum += run.inputs[0].get(int64_t(row) * 3 + i % 3);
        }
        EXPECT_NEAR(run.results[0].get(i), sum, 50 * 0x1p-22);
      }
      EXPECT_EQ(run.lastWord(), outside > 5 ? 1u : 0u);
    }
  }
}

TEST(CudaLoops, SelectsTheGreatest) {
  InterpretedFusion run({"tensor<3x37xf32>"},
                        "(tensor<3x2xf32>, tensor<3x2xi64>)", R"(
    %v, %i = graph.top_k max, %0 axis = 1 k = 2 : tensor<3x37xf32> -> tensor<3x2xf32>, tensor<3x2xi64>
    kernel.yield %v, %i : tensor<3x2xf32>, tensor<3x2xi64>)");
  for (int64_t row = 0; row != 3; ++row) {
    run.inputs[0].set(row * 37 + 30, row == 1 ? std::nan("") : 8);
    run.inputs[0].set(row * 37 + 11 * row, 8);
  }
  ASSERT_NO_FATAL_FAILURE(runBy({32, 1}, run));
  const int64_t expected[] = {0, 30, 30, 11, 22, 30};
  for (int64_t i = 0; i != 6; ++i) {
    EXPECT_EQ(run.results[1].get(i), double(expected[i])) << i;
  }
}

//===----------------------------------------------------------------------===//
// What is offered, and what is refused
//===----------------------------------------------------------------------===//

/// The best estimate for a reduction of `space` over `axis`.
std::string bestFor(const std::vector<int64_t> &space, int64_t axis) {
  std::vector<int64_t> kept = {space[size_t(1 - axis)]};
  std::string x = tensor(space, "f32"), y = tensor(kept, "f32");
  ParsedFusion parsed({x}, y,
                      "%r = graph.reduce sum, %0 [" + std::to_string(axis) +
                          "] : " + x + " -> " + y + "\nkernel.yield %r : " + y);
  return LoopsFamily()
      .enumerate(parsed.get(), *getCudaProfile("h200"))
      .front()
      .name;
}

TEST(CudaLoops, SpreadsFewElementsOverSmallBlocks) {
  EXPECT_EQ(bestFor({1000, 8}, 1), "loops block=32 pdl");
  EXPECT_EQ(bestFor({8, 1000000}, 0), "loops block=256 pdl");
}

TEST(CudaLoops, SharesLongRows) {
  EXPECT_EQ(bestFor({8, 4096}, 1),
            "loops block=256 threads=256 per element pdl");
  EXPECT_THAT(bestFor({8192, 4096}, 1), HasSubstr("threads=32 per element"));
  // Neighbouring threads read neighbouring columns.
  EXPECT_EQ(bestFor({512, 100000}, 0), "loops block=256 pdl");
}

/// Another order of merges would round otherwise.
TEST(CudaLoops, GivesTheSameBitsInEveryBlock) {
  InterpretedFusion run({"tensor<5x777xf32>"}, "tensor<5xf32>", R"(
    %r = graph.reduce sum, %0 [1] : tensor<5x777xf32> -> tensor<5xf32>
    kernel.yield %r : tensor<5xf32>)");
  for (int64_t i = 777; i != 5 * 777; ++i) {
    run.inputs[0].set(i, run.inputs[0].get(i % 777));
  }
  ASSERT_NO_FATAL_FAILURE(runBy({256, 64}, run));
  for (int64_t row = 1; row != 5; ++row) {
    EXPECT_EQ(run.results[0].get(row), run.results[0].get(0));
  }
}

TEST(CudaLoops, LaunchesNothingForNoElements) {
  ParsedFusion parsed({"tensor<0x7xf32>"}, "tensor<0xf32>", R"(
    %r = graph.reduce sum, %0 [1] : tensor<0x7xf32> -> tensor<0xf32>
    kernel.yield %r : tensor<0xf32>)");
  auto offers = LoopsFamily().enumerate(parsed.get(), *getCudaProfile("h200"));
  implement(parsed.get(), offers.front());
  LaunchRecorder plan(parsed.get().getContext());
  EXPECT_TRUE(succeeded(LoopsFamily().lower(parsed.get(), plan)));
  EXPECT_FALSE(cpu::onlyOp<plan::LaunchOp>(*plan.module));
}

/// What lowering by `schedule` says.
std::string complaintOf(kernel::FusionOp fusion, DictionaryAttr schedule) {
  std::string message;
  ScopedDiagnosticHandler handler(
      fusion.getContext(),
      [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  LaunchRecorder plan(fusion.getContext());
  fusion.setImplAttr(
      kernel::ImplAttr::get(fusion.getContext(), "loops", schedule));
  EXPECT_TRUE(failed(LoopsFamily().lower(fusion, plan)));
  return message;
}

TEST(CudaLoops, RefusesMoreBlocksThanAGridHas) {
  ParsedFusion parsed({"tensor<1x7xf32>"}, "tensor<68719476736x7xf32>", R"(
    %b = graph.broadcast %0 : tensor<1x7xf32> to tensor<68719476736x7xf32>
    %r = graph.exp %b : tensor<68719476736x7xf32>
    kernel.yield %r : tensor<68719476736x7xf32>)");
  EXPECT_EQ(
      complaintOf(parsed.get(), toAttr({128, 1}, parsed.get().getContext())),
      "unsupported: a kernel of loops over 481036337152 elements");
}

TEST(CudaLoops, RefusesAScheduleThatIsNone) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4xf32>", R"(
    %r = graph.reduce sum, %0 [1] : tensor<4x8xf32> -> tensor<4xf32>
    kernel.yield %r : tensor<4xf32>)");
  for (LoopsSchedule schedule :
       {LoopsSchedule{0, 1}, {48, 1}, {2048, 1}, {64, 0}, {64, 3}, {64, 128}}) {
    EXPECT_THAT(
        complaintOf(parsed.get(), toAttr(schedule, parsed.get().getContext())),
        HasSubstr("of powers of two, 32 to 1024 threads of a block and no more "
                  "of them per element, got {block = " +
                  std::to_string(schedule.block) + " : i64, threads = " +
                  std::to_string(schedule.threads) + " : i64}"));
  }
}

} // namespace
} // namespace minic::cuda
