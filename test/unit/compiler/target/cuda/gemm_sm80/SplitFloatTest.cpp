// SPDX-License-Identifier: Apache-2.0
//
// Split float32 products run by the interpreter, whose tensor cores cut sums
// off as an A100's do: as IEEE float32 meets infinities, and as accurate.

#include "compiler/target/cuda/gemm_sm80/GemmSm80Family.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Geometry.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/compiler/target/cuda/gemm_sm80/SplitFloatCases.h"

using namespace mlir;

namespace minic::cuda {
namespace {

GemmSm80Schedule schedule(int64_t warpsK, int64_t splitK) {
  GemmSm80Schedule made;
  made.bm = 32, made.bn = 32, made.bk = 32;
  made.warpsM = 1, made.warpsN = 2, made.warpsK = warpsK;
  made.stages = 3, made.splitK = splitK, made.math = GemmMath::Tf32x3;
  return made;
}

std::vector<float> multiply(const SplitFloatCase &one,
                            const GemmSm80Schedule &schedule) {
  auto tensor = [](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "xf32>";
  };
  std::string x = tensor(one.m, one.k), w = tensor(one.n, one.k),
              y = tensor(one.m, one.n);
  InterpretedFusion run({x, w}, y,
                        "%y = graph.linear %0, %1 : (" + x + ", " + w +
                            ") -> " + y + "\nkernel.yield %y : " + y);
  std::memcpy(run.inputs[0].data(), one.lhs.data(), one.lhs.size() * 4);
  std::memcpy(run.inputs[1].data(), one.rhs.data(), one.rhs.size() * 4);
  MLIRContext *context = run.fusion.getContext();
  Implementation made;
  made.name = toString(schedule);
  made.impl = kernel::ImplAttr::get(context, "gemm_sm80",
                                    toAttribute(schedule, context));
  made.operandLayouts.assign(2, UnitAttr::get(context));
  run.run(GemmSm80Family(), made, *getArchProfile("sm_90a"));
  std::vector<float> result(size_t(one.m * one.n));
  if (!run.results.empty()) {
    std::memcpy(result.data(), run.results[0].data(), result.size() * 4);
    EXPECT_EQ(run.resources[0].spillBytes, 0);
  }
  return result;
}

TEST(SplitFloat, InfinitiesAndLargestNumbers) {
  SplitFloatCase one{32, 48, 128};
  one.fillRandom(-1);
  one.placeSpecials(5, 77);
  one.expectRight(multiply(one, schedule(1, 1)));
  one.expectRight(multiply(one, schedule(2, 1)));
  one.expectRight(multiply(one, schedule(1, 2)));
  // Both in one product of a warp.
  one.placeSpecials(64, 65);
  one.expectRight(multiply(one, schedule(1, 1)));
}

TEST(SplitFloat, SpecialsAlone) {
  SplitFloatCase one{32, 32, 64};
  one.placeSpecials(3, 40);
  one.expectRight(multiply(one, schedule(1, 1)));
}

/// Below 2^-113 the rest has fewer bits: an absolute error.
TEST(SplitFloat, SmallNumbers) {
  SplitFloatCase one{32, 32, 64};
  one.fillRandom(-1);
  for (float &element : one.lhs) {
    element *= 0x1p-120f;
  }
  std::vector<float> found = multiply(one, schedule(1, 1));
  for (int64_t at = 0; at != one.m * one.n; ++at) {
    double sum = 0, absolute = 0;
    for (int64_t i = 0; i != one.k; ++i) {
      double b = double(one.rhs[size_t(at % one.n * one.k + i)]);
      sum += double(one.lhs[size_t(at / one.n * one.k + i)]) * b;
      absolute += 0x1p-136 * std::abs(b);
    }
    EXPECT_NEAR(double(found[size_t(at)]), sum, absolute);
  }
}

TEST(SplitFloat, Accuracy) {
  for (float low : {-1.0f, 0.0f}) {
    for (int64_t k : {512, 4096}) {
      SplitFloatCase one{32, 32, k};
      one.fillRandom(low);
      one.expectAsAccurateAsFloat32(multiply(one, schedule(1, 1)));
    }
  }
}

} // namespace
} // namespace minic::cuda
