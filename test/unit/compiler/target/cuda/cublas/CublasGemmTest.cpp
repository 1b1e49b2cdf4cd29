// SPDX-License-Identifier: Apache-2.0
//
// Which fusions plain cuBLAS takes, and the calls that it writes for them.

#include "compiler/target/cuda/cublas/CublasGemm.h"

#include "test/unit/compiler/target/cuda/LoweredCall.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace minic::cuda {
namespace {

const CublasGemm kBackend;

DeviceProfile profile() { return *getCudaProfile("h200"); }

TEST(CublasGemmTest, AMatmul) {
  ParsedFusion parsed({"tensor<6x5xbf16>", "tensor<5x7xbf16>"},
                      "tensor<6x7xbf16>", R"(
    %y = graph.matmul %0, %1
      : (tensor<6x5xbf16>, tensor<5x7xbf16>) -> tensor<6x7xbf16>
    kernel.yield %y : tensor<6x7xbf16>)");
  LoweredCall lowered(kBackend, parsed, profile());
  auto gemm = lowered.descriptor;
  EXPECT_THAT(gemm.view("lhs").getStrides().asArrayRef(), ElementsAre(5, 1));
  EXPECT_THAT(gemm.view("rhs").getStrides().asArrayRef(), ElementsAre(7, 1));
  EXPECT_THAT(gemm.view("result").getDims().asArrayRef(), ElementsAre(6, 7));
  EXPECT_EQ(textOf(gemm, "compute"), "f32");
  EXPECT_EQ(lowered.call.getScratchBytes(), uint64_t(32) << 20);
  auto scratch = lowered.call.getScratch().getDefiningOp<plan::BufferOp>();
  EXPECT_EQ(scratch.getAlignment(), 256u);
}

TEST(CublasGemmTest, BatchesAndTransposes) {
  ParsedFusion parsed({"tensor<4x5x3xf32>", "tensor<4x7x5xf32>"},
                      "tensor<4x3x7xf32>", R"(
    %y = graph.matmul %0, %1 {transpose_lhs, transpose_rhs}
      : (tensor<4x5x3xf32>, tensor<4x7x5xf32>) -> tensor<4x3x7xf32>
    kernel.yield %y : tensor<4x3x7xf32>)");
  DeviceProfile tf32 = profile();
  tf32.allowTf32 = true;
  tf32.workspaceLimit = 0;
  LoweredCall lowered(kBackend, parsed, tf32);
  auto gemm = lowered.descriptor;
  EXPECT_THAT(gemm.view("lhs").getDims().asArrayRef(), ElementsAre(4, 3, 5));
  EXPECT_THAT(gemm.view("lhs").getStrides().asArrayRef(),
              ElementsAre(15, 1, 3));
  EXPECT_THAT(gemm.view("rhs").getDims().asArrayRef(), ElementsAre(4, 5, 7));
  EXPECT_THAT(gemm.view("rhs").getStrides().asArrayRef(),
              ElementsAre(35, 1, 5));
  EXPECT_EQ(textOf(gemm, "compute"), "tf32");
  EXPECT_FALSE(lowered.call.getScratch());
}

TEST(CublasGemmTest, ALinearWithBiasIsLtsAsInEagerExecution) {
  ParsedFusion parsed = linear("", "f16");
  LoweredCall lowered(kBackend, parsed, profile());
  EXPECT_THAT(lowered.descriptor.view("bias").getDims().asArrayRef(),
              ElementsAre(8));
  EXPECT_EQ(epilogueOf(lowered.descriptor), "");
  EXPECT_EQ(lowered.descriptor.algorithm(), "");
  EXPECT_FALSE(lowered.call.getLibraryVersion());
}

TEST(CublasGemmTest, SaysWhyNot) {
  EXPECT_EQ(reasonFor(kBackend,
                      linear("%r = graph.relu %y : tensor<3x8xf32>", "f32")),
            "ops after the contraction");
  EXPECT_THAT(reasonFor(kBackend, ParsedFusion({"tensor<4x1x3x5xf32>",
                                                "tensor<2x7x5xf32>"},
                                               "tensor<4x2x3x7xf32>", R"(
    %y = graph.matmul %0, %1 {transpose_rhs}
      : (tensor<4x1x3x5xf32>, tensor<2x7x5xf32>) -> tensor<4x2x3x7xf32>
    kernel.yield %y : tensor<4x2x3x7xf32>)")),
              HasSubstr("broadcast against each other"));
  EXPECT_EQ(
      reasonFor(kBackend, ParsedFusion({"tensor<3x0xf32>", "tensor<7x0xf32>"},
                                       "tensor<3x7xf32>", R"(
    %y = graph.linear %0, %1 : (tensor<3x0xf32>, tensor<7x0xf32>) -> tensor<3x7xf32>
    kernel.yield %y : tensor<3x7xf32>)")),
      "empty contraction");
  EXPECT_EQ(reasonFor(kBackend, ParsedFusion({"tensor<3xf32>"}, "tensor<3xf32>",
                                             R"(
    %y = graph.relu %0 : tensor<3xf32>
    kernel.yield %y : tensor<3xf32>)")),
            "no contraction");
}

TEST(CublasGemmTest, AForeignScheduleIsADiagnostic) {
  ParsedFusion parsed = linear("", "f32");
  kernel::FusionOp fusion = parsed.get();
  mlir::Builder b(fusion.getContext());
  auto schedule = [&](mlir::StringRef name, mlir::Attribute value) {
    fusion.setImplAttr(kernel::ImplAttr::get(
        fusion.getContext(), "cublas",
        b.getDictionaryAttr(b.getNamedAttr(name, value))));
    return loweringError(kBackend, fusion);
  };
  EXPECT_THAT(schedule("mr", b.getI64IntegerAttr(8)),
              HasSubstr("expects form, compute, scratch_bytes and algorithm"));
  EXPECT_THAT(schedule("form", b.getStringAttr("odd")), HasSubstr("form"));
  EXPECT_THAT(schedule("scratch_bytes", b.getI64IntegerAttr(-1)),
              HasSubstr("scratch_bytes"));
  EXPECT_THAT(schedule("form", b.getStringAttr("padded")),
              HasSubstr("takes dense operands"));
  EXPECT_THAT(schedule("algorithm", b.getStringAttr("13.1.0:00")),
              HasSubstr("64 bytes in hexadecimal"));
  EXPECT_THAT(
      schedule("algorithm", b.getStringAttr("13.1.0:" + std::string(128, 'x'))),
      HasSubstr("64 bytes in hexadecimal"));
}

} // namespace
} // namespace minic::cuda
