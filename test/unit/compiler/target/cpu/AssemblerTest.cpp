// SPDX-License-Identifier: Apache-2.0
//
// The assembler and the kernel ABI: kernels built here run here.

#include "compiler/target/cpu/Assembler.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "compiler/target/cpu/KernelAbi.h"
#include "test/unit/compiler/target/cpu/HostIsas.h"
#include "test/unit/compiler/target/cpu/LoadedKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

using namespace mlir;

namespace minic::cpu {
namespace {

class AssemblerTest : public testing::Test {
protected:
  AssemblerTest() : builder(&context) {
    prepareContext(context);
    loc = builder.getUnknownLoc();
  }

  OwningOpRef<ModuleOp> newModule() { return ModuleOp::create(loc); }

  /// y[i] = body(x[i]) for `n` elements, 16 at a time, with a masked tail.
  OwningOpRef<ModuleOp>
  pointwise(int64_t n, Type dtype,
            std::function<Value(KernelBuilder &, Value)> body) {
    OwningOpRef<ModuleOp> device = newModule();
    KernelEntry entry = KernelEntry::create(builder, loc, *device, "kernel");
    KernelBuilder k(builder, loc);
    Value x = k.argPointer(entry.args, 0), y = k.argPointer(entry.args, 1);
    k.forLoop(k.i64(0), k.i64(n), 16, [&](Value i) {
      Value mask = k.tailMask(k.sub(k.i64(n), i), 16);
      Value value = k.loadVector(k.advance(x, i, dtype), dtype, 16, mask);
      k.storeVector(body(k, value), k.advance(y, i, dtype), dtype, mask);
    });
    return device;
  }

  /// Runs such a kernel on f32 data.
  std::vector<float> run(ModuleOp device, const std::vector<float> &input,
                         const std::string &isa = "") {
    FailureOr<std::string> bytes = assemble(device, getCpuProfile(1, isa));
    EXPECT_TRUE(succeeded(bytes));
    std::vector<float> output(input.size() + 1, -7.0f);
    if (succeeded(bytes)) {
      LoadedKernel loaded(*bytes);
      Entry entry = loaded.entry("kernel");
      EXPECT_NE(entry, nullptr);
      Arg args[] = {input.data(), output.data()};
      entry(args, 0, 1, nullptr);
    }
    EXPECT_EQ(output.back(), -7.0f) << "wrote past the end";
    output.pop_back();
    return output;
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc = UnknownLoc::get(&context);
};

std::vector<float> ramp(int n, float low, float high) {
  std::vector<float> values(n);
  for (int i = 0; i != n; ++i) {
    values[i] = low + (high - low) * float(i) / float(n - 1);
  }
  return values;
}

TEST_F(AssemblerTest, MaskedTailsTouchNothingElse) {
  for (int n : {1, 7, 16, 17, 63}) {
    std::vector<float> x = ramp(n + 1, -3, 5);
    x.pop_back();
    OwningOpRef<ModuleOp> device =
        pointwise(n, builder.getF32Type(), [](KernelBuilder &k, Value v) {
          return arith::AddFOp::create(k.b, k.loc, v, v);
        });
    std::vector<float> y = run(*device, x);
    for (int i = 0; i != n; ++i) {
      EXPECT_EQ(y[i], 2 * x[i]);
    }
  }
}

TEST_F(AssemblerTest, TranscendentalsCallNothing) {
  std::vector<float> x = ramp(101, -6, 6);
  for (std::string isa : {"", "v3"}) {
    OwningOpRef<ModuleOp> device =
        pointwise(101, builder.getF32Type(), [](KernelBuilder &k, Value v) {
          Value e = math::ExpOp::create(k.b, k.loc, v);
          Value t = math::TanhOp::create(k.b, k.loc, v);
          Value f = math::ErfOp::create(k.b, k.loc, v);
          Value sum = arith::AddFOp::create(k.b, k.loc, t, f);
          return arith::AddFOp::create(k.b, k.loc, e, sum);
        });
    std::vector<float> y = run(*device, x, isa);
    for (size_t i = 0; i != x.size(); ++i) {
      double expected = std::exp(double(x[i])) + std::tanh(double(x[i])) +
                        std::erf(double(x[i]));
      EXPECT_NEAR(y[i], expected, 2e-6 * std::max(1.0, std::fabs(expected)));
    }
  }
}

/// A float64 function, where it may be off by `ulps` of its float32 result.
struct MathCase {
  const char *name;
  std::function<Value(KernelBuilder &, Value)> build;
  double (*exact)(double);
  double ulps;
};

TEST_F(AssemblerTest, MathAtOrdinaryAndSpecialValues) {
  const MathCase cases[] = {
      {"exp",
       [](KernelBuilder &k, Value v) {
         return math::ExpOp::create(k.b, k.loc, v);
       },
       std::exp, 2},
      {"log",
       [](KernelBuilder &k, Value v) {
         return math::LogOp::create(k.b, k.loc, v);
       },
       std::log, 2},
      {"tanh",
       [](KernelBuilder &k, Value v) {
         return math::TanhOp::create(k.b, k.loc, v);
       },
       std::tanh, 6},
      {"erf",
       [](KernelBuilder &k, Value v) {
         return math::ErfOp::create(k.b, k.loc, v);
       },
       std::erf, 6},
      {"square",
       [](KernelBuilder &k, Value v) {
         Value two = k.splat(
             arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(2)), 16);
         return math::PowFOp::create(k.b, k.loc, v, two);
       },
       [](double x) { return x * x; }, 200},
      {"cube",
       [](KernelBuilder &k, Value v) {
         Value three = k.splat(
             arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(3)), 16);
         return math::PowFOp::create(k.b, k.loc, v, three);
       },
       [](double x) { return x * x * x; }, 300},
      {"inverse square root",
       [](KernelBuilder &k, Value v) {
         Value exponent = k.splat(
             arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(-0.5)),
             16);
         return math::PowFOp::create(k.b, k.loc, v, exponent);
       },
       [](double x) { return std::pow(x, -0.5); }, 40},
      {"power of 2",
       [](KernelBuilder &k, Value v) {
         Value two = k.splat(
             arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(2)), 16);
         return math::PowFOp::create(k.b, k.loc, two, v);
       },
       std::exp2, 200},
  };
  std::vector<float> x = {0.0f,   -0.0f, INFINITY, -INFINITY, NAN,
                          1.0f,   -1.0f, 2.0f,     -2.0f,     1e-30f,
                          -1e-6f, 87.0f, -87.0f,   89.0f,     -105.0f,
                          200.0f, 0.5f,  -0.5f,    1e10f,     3.0f};
  for (float value : ramp(2000, -9, 9)) {
    x.push_back(value);
  }
  for (const MathCase &math : cases) {
    OwningOpRef<ModuleOp> device =
        pointwise(int64_t(x.size()), builder.getF32Type(), math.build);
    std::vector<float> y = run(*device, x);
    for (size_t i = 0; i != x.size(); ++i) {
      float expected = float(math.exact(x[i]));
      if (std::isnan(expected) || std::isinf(expected)) {
        EXPECT_TRUE(std::isnan(expected) ? std::isnan(y[i]) : y[i] == expected)
            << math.name << "(" << x[i] << ") = " << y[i] << ", expected "
            << expected;
        continue;
      }
      double ulp = std::max(std::nextafter(std::fabs(expected), INFINITY) -
                                std::fabs(expected),
                            1.2e-38f);
      double error = std::fabs(y[i] - math.exact(x[i])) / ulp;
      EXPECT_LE(error, math.ulps) << math.name << "(" << x[i] << ") = " << y[i]
                                  << ", expected " << expected;
    }
  }
}

TEST_F(AssemblerTest, SixteenBitFloatsRoundToNearestEven) {
  // 1 + 2^-8 is halfway between two bf16 numbers and goes to the even one.
  for (const std::string &isa : hostIsas()) {
    OwningOpRef<ModuleOp> device = newModule();
    KernelEntry entry = KernelEntry::create(builder, loc, *device, "kernel");
    KernelBuilder k(builder, loc);
    Value x = k.argPointer(entry.args, 0), y = k.argPointer(entry.args, 1);
    Value value = k.loadVector(x, builder.getF32Type(), 16);
    k.storeVector(value, y, builder.getBF16Type());
    FailureOr<std::string> bytes = assemble(*device, getCpuProfile(1, isa));
    ASSERT_TRUE(succeeded(bytes));
    LoadedKernel loaded(*bytes);
    std::vector<float> input(16, 1.00390625f);
    input[1] = 1.01171875f; // 1 + 3 * 2^-8
    input[2] = NAN;
    input[3] = -INFINITY;
    std::vector<uint16_t> output(16);
    Arg args[] = {input.data(), output.data()};
    loaded.entry("kernel")(args, 0, 1, nullptr);
    EXPECT_EQ(output[0], 0x3f80);
    EXPECT_EQ(output[1], 0x3f82);
    EXPECT_GT(output[2] & 0x7fff, 0x7f80);
    EXPECT_EQ(output[3], 0xff80);
  }
}

TEST_F(AssemblerTest, NamesTheSymbolOfAnImport) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> device =
      pointwise(4, builder.getF32Type(), [](KernelBuilder &k, Value v) {
        return math::TanOp::create(k.b, k.loc, v);
      });
  EXPECT_TRUE(failed(assemble(*device, getCpuProfile(1))));
  EXPECT_EQ(message, "internal error: generated code refers to 'tanf'");
}

TEST_F(AssemblerTest, ProfileListsWhatItsLevelImplies) {
  DeviceProfile v3 = getCpuProfile(2, "v3"), v4 = getCpuProfile(2, "v4");
  EXPECT_EQ(v3.cpu, "x86-64-v3");
  EXPECT_TRUE(v3.has("fma"));
  EXPECT_FALSE(v3.has("avx512f"));
  EXPECT_TRUE(v4.has("avx2"));
  EXPECT_TRUE(v4.has("avx512bw"));
  EXPECT_NE(v3.tuningKey, v4.tuningKey);
  EXPECT_GT(v3.l2Bytes, v3.l1Bytes);
}

} // namespace
} // namespace minic::cpu
