// SPDX-License-Identifier: Apache-2.0
//
// Accuracy of the transcendental functions in generated code, over all float32
// exponents and signs, and their special cases.

#include "compiler/target/codegen/MathLowering.h"
#include "compiler/target/cpu/Assembler.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "compiler/target/cpu/KernelAbi.h"
#include "test/unit/compiler/target/MathCases.h"
#include "test/unit/compiler/target/cpu/LoadedKernel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

using namespace mlir;

namespace minic::cpu {
namespace {

using testing::Floats, testing::ulps;

/// Results of `emit` on vectors of two operands. `onGpu`: first lowered as for
/// a GPU, by which no instruction may come that a CPU lacks.
Floats run(const Floats &x, const Floats &y,
           const std::function<Value(KernelBuilder &, Value, Value)> &emit,
           const std::string &isa, bool onGpu = false) {
  MLIRContext context;
  prepareContext(context);
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> device = ModuleOp::create(loc);
  KernelEntry entry = KernelEntry::create(builder, loc, *device, "kernel");
  KernelBuilder k(builder, loc);
  Type f32 = builder.getF32Type();
  Value pointers[3];
  for (int i = 0; i != 3; ++i) {
    pointers[i] = k.argPointer(entry.args, i);
  }
  k.forLoop(k.i64(0), k.i64(int64_t(x.size())), 16, [&](Value i) {
    Value mask = k.tailMask(k.sub(k.i64(int64_t(x.size())), i), 16);
    auto load = [&](Value from) {
      return k.loadVector(k.advance(from, i, f32), f32, 16, mask);
    };
    k.storeVector(emit(k, load(pointers[0]), load(pointers[1])),
                  k.advance(pointers[2], i, f32), f32, mask);
  });
  if (onGpu) {
    RewritePatternSet patterns(&context);
    populateMathLoweringPatterns(patterns, /*hasExp2Instruction=*/true);
    EXPECT_TRUE(succeeded(applyPatternsGreedily(*device, std::move(patterns))));
  }
  auto bytes = assemble(*device, getCpuProfile(1, isa));
  EXPECT_TRUE(succeeded(bytes));
  Floats result(x.size());
  LoadedKernel loaded(*bytes);
  Arg args[] = {x.data(), y.data(), result.data()};
  loaded.entry("kernel")(args, 0, 1, nullptr);
  return result;
}

using Function = double (*)(double);

template <typename Op> void check(Function expected, double bound) {
  Floats x = testing::spreadFloats();
  for (std::string isa : {"", "v3"}) {
    Floats got = run(
        x, x,
        [](KernelBuilder &k, Value v, Value) -> Value {
          return Op::create(k.b, k.loc, v);
        },
        isa);
    for (size_t i = 0; i != x.size(); ++i) {
      ASSERT_LE(ulps(got[i], expected(x[i])), bound)
          << isa << " of " << x[i] << ": " << got[i];
    }
  }
}

TEST(MathLoweringTest, Exp) { check<math::ExpOp>(std::exp, 1); }
TEST(MathLoweringTest, Log) { check<math::LogOp>(std::log, 1); }
TEST(MathLoweringTest, Tanh) { check<math::TanhOp>(std::tanh, 4.5); }
TEST(MathLoweringTest, Erf) { check<math::ErfOp>(std::erf, 1.8); }
TEST(MathLoweringTest, ErfcIsRightToAnAbsoluteError) {
  Floats x = testing::spreadFloats();
  for (std::string isa : {"", "v3"}) {
    Floats got = run(
        x, x,
        [](KernelBuilder &k, Value v, Value) -> Value {
          return math::ErfcOp::create(k.b, k.loc, v);
        },
        isa);
    for (size_t i = 0; i != x.size(); ++i) {
      if (std::isnan(x[i])) {
        ASSERT_TRUE(std::isnan(got[i]));
      } else {
        ASSERT_NEAR(got[i], std::erfc(double(x[i])), 2e-7) << isa << x[i];
      }
    }
  }
}
TEST(MathLoweringTest, Sin) { check<math::SinOp>(std::sin, 1.5); }
TEST(MathLoweringTest, Cos) { check<math::CosOp>(std::cos, 1.5); }
TEST(MathLoweringTest, Log1p) { check<math::Log1pOp>(std::log1p, 2); }
TEST(MathLoweringTest, Expm1) { check<math::ExpM1Op>(std::expm1, 2); }

/// Bit by bit, but for denormal quotients, which may be a unit off.
TEST(MathLoweringTest, GpusDivideByConstantsAsADivisionDoes) {
  Floats x = testing::spreadFloats();
  for (float divisor : {3.0f, 7.0f, 10.0f, 768.0f, 1000.0f, 3072.0f, 50257.0f,
                        16777213.0f, 1.1f, 1e30f}) {
    Floats got = run(
        x, x,
        [=](KernelBuilder &k, Value v, Value) -> Value {
          auto all =
              DenseElementsAttr::get(cast<ShapedType>(v.getType()), divisor);
          return arith::DivFOp::create(
              k.b, k.loc, v, arith::ConstantOp::create(k.b, k.loc, all));
        },
        "v3", /*onGpu=*/true);
    for (size_t i = 0; i != x.size(); ++i) {
      float expected = x[i] / divisor;
      bool isTiny = std::fabs(expected) < 0x1p-100f;
      if (!isTiny && !std::isnan(expected)) {
        ASSERT_EQ(got[i], expected) << x[i] << " / " << divisor;
      } else {
        ASSERT_LE(testing::ulps(got[i], double(expected)), 1)
            << x[i] << " / " << divisor << ": " << got[i];
      }
    }
  }
}

void checkPow(const Floats &x, const Floats &y, double bound) {
  for (std::string isa : {"", "v3"}) {
    Floats got = run(
        x, y,
        [](KernelBuilder &k, Value base, Value exponent) -> Value {
          return math::PowFOp::create(k.b, k.loc, base, exponent);
        },
        isa);
    for (size_t i = 0; i != x.size(); ++i) {
      double expected = std::pow(double(x[i]), double(y[i]));
      ASSERT_LE(ulps(got[i], expected), bound)
          << isa << ' ' << x[i] << " ** " << y[i] << ": " << got[i];
    }
  }
}

TEST(MathLoweringTest, PowOfSpecialValues) {
  Floats special = {0.0f,   -0.0f,       1,     -1,       2,        -2,
                    0.5f,   -0.5f,       3,     -3,       10,       -10,
                    1e-40f, -1e-40f,     1e30f, -1e30f,   1.5f,     -1.5f,
                    100,    16777217.0f, NAN,   INFINITY, -INFINITY};
  Floats x, y;
  for (float base : special) {
    for (float exponent : special) {
      x.push_back(base);
      y.push_back(exponent);
    }
  }
  checkPow(x, y, 1.1);
}

TEST(MathLoweringTest, PowOverTheWholeRange) {
  Floats x, y;
  uint32_t state = 1;
  auto next = [&] {
    state = state * 1664525 + 1013904223;
    return double(state >> 8) / double(1 << 24);
  };
  for (int i = 0; i != 50000; ++i) {
    x.push_back(float(std::exp2((next() - 0.5) * 250)));
    y.push_back(float((next() - 0.5) * std::exp2(next() * 8 - 3)));
    if (i % 4 == 0) {
      x.back() = -x.back();
      y.back() = std::rint(y.back());
    }
  }
  checkPow(x, y, 1.1);
}

} // namespace
} // namespace minic::cpu
