// SPDX-License-Identifier: Apache-2.0
//
// Which fusions oneDNN takes, and the call that it writes for them.

#include "compiler/target/cpu/onednn/OnednnMatmul.h"

#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/onednn/OnednnProfile.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/IR/Diagnostics.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace minic::cpu {
namespace {

const OnednnMatmul kPlain(/*fusesEpilogue=*/false);
const OnednnMatmul kFused(/*fusesEpilogue=*/true);

/// A linear of 3x5 by 7 on `dtype` with bias, then `epilogue` from %y to %r.
ParsedFusion linear(const std::string &epilogue, const std::string &dtype,
                    const std::vector<std::string> &more = {},
                    const std::string &result = "") {
  std::string x = "tensor<3x5x" + dtype + ">", w = "tensor<7x5x" + dtype + ">",
              b = "tensor<7x" + dtype + ">", y = "tensor<3x7x" + dtype + ">";
  std::vector<std::string> arguments = {x, w, b};
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::string last = epilogue.empty() ? "%y" : "%r";
  std::string type = result.empty() ? y : result;
  return ParsedFusion(arguments, type,
                      "%y = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " +
                          b + ") -> " + y + "\n" + epilogue +
                          "\nkernel.yield " + last + " : " + type);
}

std::string reasonFor(const OnednnMatmul &backend, ParsedFusion &parsed) {
  return backend.reject(parsed.get(), onednnProfile(1)).value_or("accepted");
}
std::string reasonFor(const OnednnMatmul &backend, ParsedFusion &&parsed) {
  return reasonFor(backend, parsed);
}

bool packs(plan::LibraryCallAttr call) {
  return mlir::cast<mlir::IntegerAttr>(call.attribute("pack_rhs")).getInt();
}

/// The call that `backend` writes for `parsed`.
struct Lowered {
  Lowered(const OnednnMatmul &backend, ParsedFusion &parsed)
      : plan(parsed.get().getContext()) {
    kernel::FusionOp fusion = parsed.get();
    auto implementations = backend.enumerate(fusion, onednnProfile(2));
    EXPECT_EQ(implementations.size(), 1u);
    fusion.setImplAttr(implementations.front().impl);
    EXPECT_TRUE(succeeded(backend.lower(fusion, plan)));
    call = onlyOp<plan::CallOp>(*plan.module);
    matmul = call.getDescriptor();
  }

  RecordingPlanBuilder plan;
  plan::CallOp call;
  plan::LibraryCallAttr matmul;
};

TEST(OnednnMatmulTest, ALinearWithBias) {
  ParsedFusion parsed = linear("", "bf16");
  EXPECT_EQ(reasonFor(kPlain, parsed), "accepted");
  Lowered lowered(kPlain, parsed);
  EXPECT_THAT(lowered.matmul.view("lhs").getDims().asArrayRef(),
              ElementsAre(3, 5));
  // The weight is [N, K] in memory.
  EXPECT_THAT(lowered.matmul.view("rhs").getDims().asArrayRef(),
              ElementsAre(5, 7));
  EXPECT_THAT(lowered.matmul.view("rhs").getStrides().asArrayRef(),
              ElementsAre(1, 5));
  EXPECT_EQ(lowered.matmul.view("bias").getOperand(), 2);
  EXPECT_EQ(lowered.matmul.view("result").getOperand(), 3);
  EXPECT_TRUE(lowered.matmul.view("result").getDtype().isBF16());
  EXPECT_THAT(lowered.matmul.postOps(), IsEmpty());
  EXPECT_FALSE(packs(lowered.matmul)) << "the weight is an argument";
  EXPECT_EQ(lowered.call.getAddresses().size(), 4u);
  EXPECT_EQ(lowered.call.getLibraryVersion(), "2.6.3");
}

TEST(OnednnMatmulTest, ConstantWeightsArePackedAtLoad) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @f(%x: tensor<3x5xf32>) -> tensor<3x7xf32> {
      %w = graph.constant @w : tensor<7x5xf32>
      %y = kernel.fusion (%0 = %x : tensor<3x5xf32>, %1 = %w : tensor<7x5xf32>)
          -> tensor<3x7xf32>
          attributes {impl = #kernel.impl<family = "onednn", schedule = {}>} {
        %l = graph.linear %0, %1
          : (tensor<3x5xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
        kernel.yield %l : tensor<3x7xf32>
      }
      return %y : tensor<3x7xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  RecordingPlanBuilder plan(&context);
  ASSERT_TRUE(succeeded(kPlain.lower(onlyOp<kernel::FusionOp>(*module), plan)));
  auto call = onlyOp<plan::CallOp>(*plan.module);
  auto matmul = call.getDescriptor();
  EXPECT_TRUE(packs(matmul));
}

TEST(OnednnMatmulTest, BroadcastBatchesAreExtentsOfOne) {
  ParsedFusion parsed({"tensor<4x1x3x5xf32>", "tensor<2x7x5xf32>"},
                      "tensor<4x2x3x7xf32>", R"(
    %y = graph.matmul %0, %1 {transpose_rhs}
      : (tensor<4x1x3x5xf32>, tensor<2x7x5xf32>) -> tensor<4x2x3x7xf32>
    kernel.yield %y : tensor<4x2x3x7xf32>)");
  Lowered lowered(kPlain, parsed);
  EXPECT_THAT(lowered.matmul.view("lhs").getDims().asArrayRef(),
              ElementsAre(4, 1, 3, 5));
  EXPECT_THAT(lowered.matmul.view("rhs").getDims().asArrayRef(),
              ElementsAre(1, 2, 5, 7));
  EXPECT_THAT(lowered.matmul.view("rhs").getStrides().asArrayRef(),
              ElementsAre(35, 35, 1, 5));
  EXPECT_THAT(lowered.matmul.view("result").getStrides().asArrayRef(),
              ElementsAre(42, 21, 7, 1));
}

TEST(OnednnMatmulTest, ManySmallProductsTakeLongerThanOneOfAsManyFlops) {
  auto estimateUs = [](const std::string &x, const std::string &y,
                       const std::string &result) {
    ParsedFusion parsed({x, y}, result,
                        "%y = graph.matmul %0, %1 {transpose_rhs} : (" + x +
                            ", " + y + ") -> " + result +
                            "\nkernel.yield %y : " + result);
    return kPlain.enumerate(parsed.get(), onednnProfile(2))[0].estimateUs;
  };
  double heads = estimateUs("tensor<12x197x64xf32>", "tensor<12x197x64xf32>",
                            "tensor<12x197x197xf32>");
  double one = estimateUs("tensor<2364x64xf32>", "tensor<197x64xf32>",
                          "tensor<2364x197xf32>");
  EXPECT_GT(heads, 1.2 * one);
}

TEST(OnednnMatmulTest, AChainOfPostOps) {
  ParsedFusion parsed =
      linear(R"(
    %a = graph.mul %y, %3 : (tensor<3x7xf32>, tensor<f32>) -> tensor<3x7xf32>
    %b = graph.add %4, %a : (tensor<7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
    %c = graph.leaky_relu %b {alpha = 0.25 : f64} : tensor<3x7xf32>
    %d = graph.sub %5, %c : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
    %r = graph.clamp %d {lower = 0.0 : f64, upper = 6.0 : f64} : tensor<3x7xf32>)",
             "f32", {"tensor<f32>", "tensor<7xf32>", "tensor<3x7xf32>"});
  EXPECT_EQ(reasonFor(kFused, parsed), "accepted");
  EXPECT_EQ(reasonFor(kPlain, parsed), "ops after the contraction");
  Lowered lowered(kFused, parsed);
  auto postOps = lowered.matmul.postOps();
  ASSERT_EQ(postOps.size(), 6u);
  auto binary = [&](size_t i) {
    return mlir::cast<plan::BinaryAttr>(postOps[i]);
  };
  auto eltwise = [&](size_t i) {
    return mlir::cast<plan::EltwiseAttr>(postOps[i]);
  };
  EXPECT_EQ(binary(0).getKind().getValue(), "mul");
  EXPECT_THAT(binary(0).getOperand().getDims().asArrayRef(), ElementsAre(1, 1));
  EXPECT_EQ(binary(0).getOperand().getOperand(), 3);
  EXPECT_THAT(binary(1).getOperand().getDims().asArrayRef(), ElementsAre(1, 7));
  EXPECT_EQ(eltwise(2).getKind().getValue(), "leaky_relu");
  EXPECT_EQ(eltwise(2).getAlpha().getValueAsDouble(), 0.25);
  // operand - value is -value + operand.
  EXPECT_EQ(eltwise(3).getKind().getValue(), "linear");
  EXPECT_EQ(eltwise(3).getAlpha().getValueAsDouble(), -1);
  EXPECT_EQ(binary(4).getKind().getValue(), "add");
  EXPECT_THAT(binary(4).getOperand().getDims().asArrayRef(), ElementsAre(3, 7));
  EXPECT_EQ(binary(4).getOperand().getOperand(), 5);
  EXPECT_EQ(eltwise(5).getKind().getValue(), "clamp");
  EXPECT_EQ(eltwise(5).getBeta().getValueAsDouble(), 6);
  EXPECT_EQ(lowered.matmul.view("result").getOperand(), 6);
}

TEST(OnednnMatmulTest, ACastToTheResultIsTheResultsDtype) {
  ParsedFusion parsed =
      linear("%r = graph.cast %y : tensor<3x7xbf16> to tensor<3x7xf32>", "bf16",
             {}, "tensor<3x7xf32>");
  EXPECT_EQ(reasonFor(kFused, parsed), "accepted");
  Lowered lowered(kFused, parsed);
  EXPECT_TRUE(lowered.matmul.view("result").getDtype().isF32());
}

TEST(OnednnMatmulTest, NoBf16WhereTheCpuLacksIt) {
  ParsedFusion parsed = linear("", "bf16");
  DeviceProfile profile = onednnProfile(1);
  EXPECT_EQ(kPlain.reject(parsed.get(), profile), std::nullopt);
  profile.onednnGflops16 = 0;
  EXPECT_EQ(kPlain.reject(parsed.get(), profile),
            "oneDNN 2.6.3 has bf16 only with AVX-512");
}

TEST(OnednnMatmulTest, SaysWhyNot) {
  EXPECT_THAT(reasonFor(kPlain, linear("", "f16")), HasSubstr("no f16"));
  EXPECT_THAT(
      reasonFor(kFused, linear("%r = graph.erf %y : tensor<3x7xf32>", "f32")),
      HasSubstr("graph.erf"));
  EXPECT_THAT(
      reasonFor(kFused, linear("%r = graph.log %y : tensor<3x7xf32>", "f32")),
      HasSubstr("graph.log"));
  EXPECT_THAT(reasonFor(kFused, linear(R"(
    %s = graph.sigmoid %y : tensor<3x7xf32>
    %r = graph.mul %y, %s : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>)",
                                       "f32")),
              HasSubstr("not a chain"));
  EXPECT_THAT(reasonFor(kFused, linear(R"(
    %r = graph.div %3, %y : (tensor<7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>)",
                                       "f32", {"tensor<7xf32>"})),
              HasSubstr("cannot divide by the product"));
  EXPECT_THAT(reasonFor(kFused, linear(R"(
    %r = graph.add %y, %3 : (tensor<3x7xf32>, tensor<3x1xf32>) -> tensor<3x7xf32>)",
                                       "f32", {"tensor<3x1xf32>"})),
              HasSubstr("broadcasts along rows"));
  EXPECT_THAT(
      reasonFor(kFused, linear("%r = graph.cast %y : tensor<3x7xf32> to "
                               "tensor<3x7xbf16>",
                               "f32", {}, "tensor<3x7xbf16>")),
      HasSubstr("no such result dtype"));
  EXPECT_THAT(
      reasonFor(kPlain, ParsedFusion({"tensor<3x0xf32>", "tensor<7x0xf32>"},
                                     "tensor<3x7xf32>", R"(
    %y = graph.linear %0, %1 : (tensor<3x0xf32>, tensor<7x0xf32>) -> tensor<3x7xf32>
    kernel.yield %y : tensor<3x7xf32>)")),
      HasSubstr("empty contraction"));
}

TEST(OnednnMatmulTest, AForeignScheduleIsADiagnostic) {
  ParsedFusion parsed = linear("", "f32");
  kernel::FusionOp fusion = parsed.get();
  mlir::Builder b(fusion.getContext());
  fusion.setImplAttr(kernel::ImplAttr::get(
      fusion.getContext(), "onednn",
      b.getDictionaryAttr(b.getNamedAttr("mr", b.getI64IntegerAttr(8)))));
  std::string message;
  mlir::ScopedDiagnosticHandler handler(fusion.getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return mlir::success();
                                        });
  RecordingPlanBuilder plan(fusion.getContext());
  EXPECT_TRUE(failed(kPlain.lower(fusion, plan)));
  EXPECT_THAT(message, HasSubstr("takes no schedule parameters"));
}

} // namespace
} // namespace minic::cpu
