// SPDX-License-Identifier: Apache-2.0
//
// Kernels of every op that generators use become PTX, and PTX becomes cubins.

#include "compiler/target/cuda/Assembler.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "compiler/target/cuda/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

using namespace mlir;

namespace minic::cuda {
namespace {

using testing::HasSubstr;

class CudaAssemblerTest : public testing::TestWithParam<const char *> {
protected:
  CudaAssemblerTest() : builder(&context) {
    prepareContext(context);
    profile = *getCudaProfile("h200");
    EXPECT_TRUE(setArch(profile, GetParam()));
  }

  /// y[thread] = body(x[thread]) on vectors of `lanes`.
  OwningOpRef<ModuleOp>
  kernel(Type dtype, int64_t lanes,
         std::function<Value(CudaKernelBuilder &, Value)> body,
         bool programmatic = false) {
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> device = ModuleOp::create(loc);
    KernelLaunchBounds bounds;
    bounds.pointers = 2;
    KernelEntry entry =
        KernelEntry::create(builder, loc, *device, "kernel", bounds);
    CudaKernelBuilder k(builder, loc);
    Value at = k.mul(k.threadIdX(), lanes);
    auto type = VectorType::get(lanes, KernelBuilder::memoryType(dtype));
    k.waitForEarlierLaunches(programmatic);
    Value x = k.loadAligned(type, k.advance(entry.parameter(0), at, dtype));
    k.allowLaterLaunches(programmatic);
    Value y = k.toStorage(body(k, k.toCompute(x, dtype)), dtype);
    k.storeAligned(y, k.advance(entry.parameter(1), at, dtype));
    return device;
  }

  std::string ptx(ModuleOp device) {
    FailureOr<std::string> text = emitPtx(device, profile);
    EXPECT_TRUE(succeeded(text));
    return succeeded(text) ? *text : std::string();
  }

  std::vector<KernelResources> assemble(ModuleOp device) {
    std::string text = ptx(device);
    std::vector<KernelResources> resources;
    FailureOr<std::string> cubin =
        assembleCubin(text, profile.cpu, device, &resources);
    EXPECT_TRUE(succeeded(cubin)) << text;
    if (succeeded(cubin)) {
      EXPECT_TRUE(StringRef(*cubin).starts_with("\x7f"
                                                "ELF"));
    }
    return resources;
  }

  MLIRContext context;
  OpBuilder builder;
  DeviceProfile profile;
};

TEST_P(CudaAssemblerTest, MovesSixteenBytesAtOnce) {
  for (Type type : {Type(builder.getBF16Type()), Type(builder.getF16Type()),
                    Type(builder.getF32Type())}) {
    int64_t lanes = 128 / type.getIntOrFloatBitWidth();
    auto device = kernel(type, lanes, [](CudaKernelBuilder &k, Value x) {
      return Value(arith::AddFOp::create(k.b, k.loc, x, x));
    });
    std::string text = ptx(*device);
    EXPECT_THAT(text, HasSubstr(std::string(".target ") + GetParam()));
    EXPECT_THAT(text, HasSubstr("ld.global.v"));
    EXPECT_THAT(text, HasSubstr("st.global.v"));
    EXPECT_THAT(text, HasSubstr(".reqntid 128"));
  }
}

TEST_P(CudaAssemblerTest, AssemblesAndReportsRegisters) {
  auto device =
      kernel(builder.getF32Type(), 4, [](CudaKernelBuilder &k, Value x) {
        return Value(math::SqrtOp::create(k.b, k.loc, x));
      });
  std::vector<KernelResources> resources = assemble(*device);
  ASSERT_EQ(resources.size(), 1u);
  EXPECT_EQ(resources[0].entry, "kernel");
  EXPECT_GE(resources[0].registers, 8);
  EXPECT_LE(resources[0].registers, 64);
  EXPECT_EQ(resources[0].spillBytes, 0);
}

template <typename Op> Value unary(CudaKernelBuilder &k, Value x) {
  return Op::create(k.b, k.loc, x);
}

TEST_P(CudaAssemblerTest, LowersEveryMathOp) {
  std::function<Value(CudaKernelBuilder &, Value)> bodies[] = {
      unary<math::ExpOp>,
      unary<math::LogOp>,
      unary<math::TanhOp>,
      unary<math::ErfOp>,
      unary<math::SinOp>,
      unary<math::CosOp>,
      unary<math::Log1pOp>,
      unary<math::ExpM1Op>,
      unary<math::FloorOp>,
      unary<math::CeilOp>,
      unary<math::RoundEvenOp>,
      unary<math::SqrtOp>,
      unary<math::AbsFOp>,
      unary<arith::NegFOp>,
      [](CudaKernelBuilder &k, Value x) -> Value {
        return math::PowFOp::create(k.b, k.loc, x, x);
      },
      [](CudaKernelBuilder &k, Value x) -> Value {
        return arith::DivFOp::create(k.b, k.loc, x, x);
      },
      [](CudaKernelBuilder &k, Value x) -> Value {
        return arith::MaximumFOp::create(k.b, k.loc, x, x);
      }};
  for (const auto &body : bodies) {
    for (Type type : {Type(builder.getF32Type()), Type(builder.getBF16Type()),
                      Type(builder.getF16Type())}) {
      auto resources = assemble(*kernel(type, 4, body));
      ASSERT_EQ(resources.size(), 1u);
      EXPECT_EQ(resources[0].spillBytes, 0);
    }
  }
}

TEST_P(CudaAssemblerTest, ReadsIntegersAndPredicates) {
  for (unsigned width : {1, 8, 32, 64}) {
    Type type = builder.getIntegerType(width);
    auto device =
        kernel(type, width == 64 ? 2 : 4, [](CudaKernelBuilder &k, Value x) {
          return Value(arith::AndIOp::create(k.b, k.loc, x, x));
        });
    EXPECT_EQ(assemble(*device).size(), 1u);
  }
}

TEST_P(CudaAssemblerTest, ControlsDependentLaunches) {
  if (profile.smVersion < 90) {
    GTEST_SKIP() << "programmatic launches are of sm_90 and later";
  }
  auto device = kernel(
      builder.getF32Type(), 4, [](CudaKernelBuilder &, Value x) { return x; },
      /*programmatic=*/true);
  std::string text = ptx(*device);
  EXPECT_THAT(text, HasSubstr("griddepcontrol.wait"));
  EXPECT_THAT(text, HasSubstr("griddepcontrol.launch_dependents"));
}

struct FakeCache : BinaryCache {
  std::optional<AssembledBinary> find(const std::string &key) override {
    auto it = entries.find(key);
    return it == entries.end() ? std::nullopt : std::optional(it->second);
  }
  void put(const std::string &key, const AssembledBinary &binary) override {
    entries[key] = binary;
  }
  std::map<std::string, AssembledBinary> entries;
};

TEST_P(CudaAssemblerTest, AssemblesTheSameOnlyOnce) {
  auto device =
      kernel(builder.getF32Type(), 4, [](CudaKernelBuilder &k, Value x) {
        return Value(math::SqrtOp::create(k.b, k.loc, x));
      });
  std::string text = ptx(*device);
  FakeCache cache;
  auto assembled = [&](const std::string &ptx, const char *arch) {
    std::vector<KernelResources> resources;
    FailureOr<std::string> cubin =
        assembleCubin(ptx, arch, *device, &resources, &cache);
    EXPECT_TRUE(succeeded(cubin));
    EXPECT_EQ(resources.size(), 1u);
    return succeeded(cubin) ? *cubin : std::string();
  };
  FailureOr<std::string> without = assembleCubin(text, GetParam(), *device);
  ASSERT_TRUE(succeeded(without));
  EXPECT_EQ(assembled(text, GetParam()), *without);
  ASSERT_EQ(cache.entries.size(), 1u);
  EXPECT_EQ(assembled(text, GetParam()), *without);
  cache.entries.begin()->second.bytes = "from the cache";
  EXPECT_EQ(assembled(text, GetParam()), "from the cache");
  // Anything that the bytes depend on is part of the key.
  EXPECT_NE(assembled(text + "\n", GetParam()), "from the cache");
  EXPECT_EQ(cache.entries.size(), 2u);
  // What is rejected is not kept.
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  EXPECT_TRUE(
      failed(assembleCubin("not PTX", GetParam(), *device, nullptr, &cache)));
  EXPECT_EQ(cache.entries.size(), 2u);
}

TEST_P(CudaAssemblerTest, SaysWhatTheAssemblerRejects) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(assembleCubin("not PTX", profile.cpu, *module)));
  EXPECT_THAT(message, HasSubstr("internal error: the assembler rejects"));
}

TEST(CudaResources, AreReadFromTheAssemblersLog) {
  auto kernels = parseResources(
      "ptxas info    : (C7517) warpgroup.wait is injected in around line 305 "
      "by compiler to allow use of registers defined by GMMA in function 'b'\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90a'\n"
      "ptxas info    : Function properties for a\n"
      "ptxas         .     16 bytes stack frame, 12 bytes spill stores, 8 "
      "bytes "
      "spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers, 48 bytes smem\n"
      "info    : used 168 registers\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90a'\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].entry, "a");
  EXPECT_EQ(kernels[0].registers, 168);
  EXPECT_EQ(kernels[0].spillBytes, 20);
  EXPECT_EQ(kernels[0].stackBytes, 16);
  EXPECT_EQ(kernels[0].sharedBytes, 48);
  EXPECT_FALSE(kernels[0].serializesWgmma);
  EXPECT_EQ(kernels[1].entry, "b");
  EXPECT_EQ(kernels[1].registers, 8);
  EXPECT_TRUE(kernels[1].serializesWgmma);
}

INSTANTIATE_TEST_SUITE_P(Architectures, CudaAssemblerTest,
                         testing::Values("sm_80", "sm_86", "sm_89", "sm_90a",
                                         "sm_100a"),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace minic::cuda
