// SPDX-License-Identifier: Apache-2.0
//
// Transposed operands read by squares: every element, run by the interpreter,
// which refuses accesses outside of a tensor and unaligned ones; which bodies
// have squares, and what is offered.

#include "compiler/target/cuda/pointwise/TurnedPoints.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/pointwise/PointwiseFamily.h"
#include "compiler/target/cuda/pointwise/PointwiseSchedule.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <gmock/gmock.h>

using namespace mlir;
using testing::HasSubstr;
using testing::Not;

namespace minic::cuda {
namespace {

PointwiseSchedule squaresOf(int64_t lanes, int64_t threads) {
  PointwiseSchedule schedule{lanes, 1, threads};
  schedule.turned = true;
  return schedule;
}

void runBy(const PointwiseSchedule &schedule, InterpretedFusion &run) {
  Implementation offer =
      offerDense(run.fusion, "pointwise",
                 toAttr(schedule, run.fusion.getContext()), toString(schedule));
  run.run(PointwiseFamily(), offer, *getCudaProfile("h200"));
}

/// Images of NCHW in the order NHWC.
void checkImages(int64_t images, int64_t channels, int64_t pixels,
                 const std::string &dtype, const PointwiseSchedule &schedule) {
  std::string from = tensor({images, channels, pixels}, dtype),
              to = tensor({images, pixels, channels}, dtype);
  SCOPED_TRACE(from + " by " + toString(schedule));
  InterpretedFusion run({from}, to,
                        "%r = graph.transpose %0 [0, 2, 1] : " + from + " -> " +
                            to + "\nkernel.yield %r : " + to);
  ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
  for (int64_t i = 0; i != run.results[0].elements(); ++i) {
    int64_t channel = i % channels, pixel = i / channels % pixels,
            image = i / channels / pixels;
    ASSERT_EQ(run.results[0].get(i),
              run.inputs[0].get((image * channels + channel) * pixels + pixel))
        << i;
  }
}

TEST(CudaTurnedPoints, TurnImages) {
  checkImages(1, 64, 32, "bf16", squaresOf(8, 32));
  checkImages(2, 8, 8, "f16", squaresOf(8, 32));
  // Squares that no power of two divides, and threads without one.
  checkImages(3, 24, 40, "bf16", squaresOf(8, 64));
  checkImages(2, 12, 20, "f32", squaresOf(4, 32));
  checkImages(2, 16, 196, "bf16", squaresOf(4, 32));
}

// Beside an operand as it lies, one of each column and one of each row.
TEST(CudaTurnedPoints, TurnAmongOtherOperands) {
  std::string from = tensor({32, 48}, "bf16"), to = tensor({48, 32}, "bf16"),
              columns = tensor({32}, "bf16"), rows = tensor({48, 1}, "bf16");
  InterpretedFusion run(
      {from, to, columns, rows, from}, to,
      "%t = graph.transpose %0 [1, 0] : " + from + " -> " + to +
          "\n%u = graph.transpose %4 [1, 0] : " + from + " -> " + to +
          "\n%a = graph.add %t, %1 : (" + to + ", " + to + ") -> " + to +
          "\n%b = graph.mul %a, %2 : (" + to + ", " + columns + ") -> " + to +
          "\n%c = graph.add %b, %3 : (" + to + ", " + rows + ") -> " + to +
          "\n%r = graph.sub %c, %u : (" + to + ", " + to + ") -> " + to +
          "\nkernel.yield %r : " + to);
  ASSERT_NO_FATAL_FAILURE(runBy(squaresOf(8, 32), run));
  for (int64_t i = 0; i != 48 * 32; ++i) {
    int64_t row = i / 32, column = i % 32, turned = column * 48 + row;
    double sum = run.inputs[0].get(turned) + run.inputs[1].get(i);
    double wanted = sum * run.inputs[2].get(column) + run.inputs[3].get(row) -
                    run.inputs[4].get(turned);
    ASSERT_NEAR(run.results[0].get(i), wanted, 0.02 * std::abs(wanted) + 0.02);
  }
}

/// Names of what is offered on an H200.
std::vector<std::string> offersOf(const std::string &from,
                                  const std::string &to,
                                  const std::string &body) {
  ParsedFusion parsed({from}, to, body + "\nkernel.yield %r : " + to);
  std::vector<std::string> names;
  for (const Implementation &each :
       PointwiseFamily().enumerate(parsed.get(), *getCudaProfile("h200"))) {
    names.push_back(each.name);
  }
  return names;
}

std::vector<std::string> offersOfTranspose(int64_t rows, int64_t columns,
                                           const std::string &dtype) {
  std::string from = tensor({rows, columns}, dtype),
              to = tensor({columns, rows}, dtype);
  return offersOf(from, to,
                  "%r = graph.transpose %0 [1, 0] : " + from + " -> " + to);
}

TEST(CudaTurnedPoints, AreOfferedFirst) {
  EXPECT_THAT(offersOfTranspose(320, 4096, "bf16")[0], HasSubstr("8x8 turned"));
  EXPECT_THAT(offersOfTranspose(320, 4096, "f32")[0], HasSubstr("4x4 turned"));
  EXPECT_THAT(offersOfTranspose(1280, 196, "bf16")[0], HasSubstr("4x4 turned"));
  // Both ways must have whole accesses, and SMs something to do.
  for (const std::string &name : offersOfTranspose(320, 4098, "bf16")) {
    EXPECT_THAT(name, Not(HasSubstr("turned")));
  }
  for (const std::string &name : offersOfTranspose(325, 4096, "bf16")) {
    EXPECT_THAT(name, Not(HasSubstr("turned")));
  }
  for (const std::string &name : offersOfTranspose(16, 64, "bf16")) {
    EXPECT_THAT(name, Not(HasSubstr("turned")));
  }
}

// Of types of other sizes one side would be narrow.
TEST(CudaTurnedPoints, AreOfTypesAlike) {
  std::string from = tensor({320, 4096}, "bf16"),
              turned = tensor({4096, 320}, "bf16"),
              to = tensor({4096, 320}, "f32");
  for (const std::string &name :
       offersOf(from, to,
                "%t = graph.transpose %0 [1, 0] : " + from + " -> " + turned +
                    "\n%r = graph.cast %t : " + turned + " to " + to)) {
    EXPECT_THAT(name, Not(HasSubstr("turned")));
  }
}

TEST(CudaTurnedPoints, AreRefusedWhereThereAreNone) {
  std::string from = tensor({20, 24}, "bf16"), to = tensor({24, 20}, "bf16");
  ParsedFusion parsed({from}, to,
                      "%r = graph.transpose %0 [1, 0] : " + from + " -> " + to +
                          "\nkernel.yield %r : " + to);
  PointwiseSchedule schedule = squaresOf(8, 32);
  implement(parsed.get(),
            offerDense(parsed.get(), "pointwise",
                       toAttr(schedule, parsed.get().getContext()),
                       toString(schedule)));
  std::string message;
  ScopedDiagnosticHandler handler(parsed.get().getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    message = diagnostic.str();
                                    return success();
                                  });
  LaunchRecorder plan(parsed.get().getContext());
  EXPECT_TRUE(failed(PointwiseFamily().lower(parsed.get(), plan)));
  EXPECT_THAT(message, HasSubstr("by squares of 8 x 8"));
}

} // namespace
} // namespace minic::cuda
