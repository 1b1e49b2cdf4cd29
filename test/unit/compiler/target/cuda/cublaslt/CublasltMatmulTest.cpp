// SPDX-License-Identifier: Apache-2.0
//
// Which fusions cuBLASLt takes, padded or not, and the calls that it writes.

#include "compiler/target/cuda/cublaslt/CublasltMatmul.h"

#include "test/unit/compiler/target/cuda/LoweredCall.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace minic::cuda {
namespace {

using Lowered = LoweredCall;

const CublasltMatmul kBackend;

DeviceProfile profile() { return *getCudaProfile("h200"); }

std::vector<std::string> namesOf(ParsedFusion &&parsed) {
  std::vector<std::string> names;
  for (const Implementation &each :
       kBackend.enumerate(parsed.get(), profile())) {
    names.push_back(each.name);
  }
  return names;
}

TEST(CublasltMatmulTest, BiasAddendAndActivation) {
  ParsedFusion parsed = linear(R"(
    %a = graph.add %3, %y : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %r = graph.relu %a : tensor<3x8xf32>)",
                               "f32", {"tensor<3x8xf32>"});
  EXPECT_EQ(kBackend.opsThatLoseNan(parsed.get()), "relu");
  Lowered lowered(kBackend, parsed, profile());
  auto matmul = lowered.descriptor;
  EXPECT_THAT(matmul.view("lhs").getDims().asArrayRef(), ElementsAre(3, 16));
  // The weight is [N, K] in memory.
  EXPECT_THAT(matmul.view("rhs").getStrides().asArrayRef(), ElementsAre(1, 16));
  EXPECT_THAT(matmul.view("bias").getDims().asArrayRef(), ElementsAre(8));
  EXPECT_EQ(matmul.view("bias").getOperand(), 2);
  EXPECT_THAT(matmul.view("addend").getDims().asArrayRef(), ElementsAre(3, 8));
  EXPECT_EQ(matmul.view("addend").getOperand(), 3);
  EXPECT_EQ(matmul.view("result").getOperand(), 4);
  EXPECT_EQ(epilogueOf(matmul), "relu");
  EXPECT_FALSE(matmul.view("aux"));
}

TEST(CublasltMatmulTest, AnAddedColumnIsABias) {
  ParsedFusion parsed(
      {"tensor<2x3x16xbf16>", "tensor<16x8xbf16>", "tensor<1x8xbf16>"},
      "tensor<2x3x8xbf16>", R"(
    %y = graph.matmul %0, %1
      : (tensor<2x3x16xbf16>, tensor<16x8xbf16>) -> tensor<2x3x8xbf16>
    %a = graph.add %y, %2 : (tensor<2x3x8xbf16>, tensor<1x8xbf16>) -> tensor<2x3x8xbf16>
    %r = graph.gelu %a {approximate = #graph.approximation<tanh>} : tensor<2x3x8xbf16>
    kernel.yield %r : tensor<2x3x8xbf16>)");
  Lowered lowered(kBackend, parsed, profile());
  // The batch shares one right operand, so it is more rows.
  EXPECT_THAT(lowered.descriptor.view("lhs").getDims().asArrayRef(),
              ElementsAre(6, 16));
  EXPECT_THAT(lowered.descriptor.view("bias").getDims().asArrayRef(),
              ElementsAre(8));
  EXPECT_EQ(epilogueOf(lowered.descriptor), "gelu_tanh");
}

TEST(CublasltMatmulTest, WhatGeluIsAppliedToMayBeASecondResult) {
  ParsedFusion parsed({"tensor<3x16xbf16>", "tensor<8x16xbf16>"},
                      "(tensor<3x8xbf16>, tensor<3x8xbf16>)", R"(
    %y = graph.linear %0, %1 : (tensor<3x16xbf16>, tensor<8x16xbf16>) -> tensor<3x8xbf16>
    %g = graph.gelu %y {approximate = #graph.approximation<tanh>} : tensor<3x8xbf16>
    kernel.yield %g, %y : tensor<3x8xbf16>, tensor<3x8xbf16>)");
  Lowered lowered(kBackend, parsed, profile());
  ASSERT_TRUE(lowered.descriptor.view("aux"));
  EXPECT_EQ(lowered.descriptor.view("result").getOperand(), 2);
  EXPECT_EQ(lowered.descriptor.view("aux").getOperand(), 3);
}

TEST(CublasltMatmulTest, ACastToTheResultIsTheResultsDtype) {
  ParsedFusion parsed({"tensor<3x16xbf16>", "tensor<8x16xbf16>"},
                      "tensor<3x8xf32>", R"(
    %y = graph.linear %0, %1 : (tensor<3x16xbf16>, tensor<8x16xbf16>) -> tensor<3x8xbf16>
    %r = graph.cast %y : tensor<3x8xbf16> to tensor<3x8xf32>
    kernel.yield %r : tensor<3x8xf32>)");
  Lowered lowered(kBackend, parsed, profile());
  EXPECT_TRUE(lowered.descriptor.view("result").getDtype().isF32());
}

TEST(CublasltMatmulTest, OffersPaddingWherePitchesAreNoMultiplesOf16Bytes) {
  EXPECT_THAT(namesOf(linear("", "bf16")), SizeIs(1));
  EXPECT_THAT(namesOf(linear("", "bf16", {}, "", "20")), SizeIs(2));
  EXPECT_THAT(namesOf(linear("", "f32", {}, "", "20")), SizeIs(1));
  EXPECT_THAT(namesOf(linear("", "f32", {}, "", "22")), SizeIs(2));
  // N is the result's pitch, which is the reader's.
  EXPECT_THAT(namesOf(linear("", "bf16", {}, "", "16", "7")), SizeIs(1));
  // A K below one unit would be mostly zeros.
  EXPECT_THAT(namesOf(linear("", "bf16", {}, "", "6")), SizeIs(1));
}

TEST(CublasltMatmulTest, PaddedOperandsMultiplyTheirZeros) {
  ParsedFusion parsed = linear("", "bf16", {}, "", "20");
  auto implementations = kBackend.enumerate(parsed.get(), profile());
  size_t padded = implementations[0].name == "cublaslt padded" ? 0 : 1;
  EXPECT_EQ(implementations[padded].name, "cublaslt padded");
  EXPECT_EQ(implementations[1 - padded].name, "cublaslt");
  Lowered lowered(kBackend, parsed, profile(), padded);
  auto matmul = lowered.descriptor;
  EXPECT_THAT(matmul.view("lhs").getDims().asArrayRef(), ElementsAre(3, 24));
  EXPECT_THAT(matmul.view("lhs").getStrides().asArrayRef(), ElementsAre(24, 1));
  EXPECT_THAT(matmul.view("rhs").getDims().asArrayRef(), ElementsAre(24, 8));
  EXPECT_THAT(matmul.view("rhs").getStrides().asArrayRef(), ElementsAre(1, 24));
}

TEST(CublasltMatmulTest, PaddingCoversTransposesAndBatches) {
  // K is 20 in rows of both, M = 3 and N = 8 are contiguous.
  ParsedFusion parsed({"tensor<2x20x3xbf16>", "tensor<2x20x8xbf16>"},
                      "tensor<2x3x8xbf16>", R"(
    %y = graph.matmul %0, %1 {transpose_lhs}
      : (tensor<2x20x3xbf16>, tensor<2x20x8xbf16>) -> tensor<2x3x8xbf16>
    kernel.yield %y : tensor<2x3x8xbf16>)");
  auto implementations = kBackend.enumerate(parsed.get(), profile());
  ASSERT_THAT(implementations, SizeIs(2));
  size_t padded = implementations[0].name == "cublaslt padded" ? 0 : 1;
  Lowered lowered(kBackend, parsed, profile(), padded);
  auto matmul = lowered.descriptor;
  EXPECT_THAT(matmul.view("lhs").getDims().asArrayRef(), ElementsAre(2, 3, 24));
  EXPECT_THAT(matmul.view("lhs").getStrides().asArrayRef(),
              ElementsAre(24 * 8, 1, 8));
  EXPECT_THAT(matmul.view("rhs").getDims().asArrayRef(), ElementsAre(2, 24, 8));
  EXPECT_THAT(matmul.view("rhs").getStrides().asArrayRef(),
              ElementsAre(24 * 8, 8, 1));
}

TEST(CublasltMatmulTest, PaddingIsExpectedToPayForUnalignedK) {
  ParsedFusion parsed({"tensor<560x3420xbf16>", "tensor<3420x1280xbf16>"},
                      "tensor<560x1280xbf16>", R"(
    %y = graph.matmul %0, %1
      : (tensor<560x3420xbf16>, tensor<3420x1280xbf16>) -> tensor<560x1280xbf16>
    kernel.yield %y : tensor<560x1280xbf16>)");
  auto implementations = kBackend.enumerate(parsed.get(), profile());
  ASSERT_THAT(implementations, SizeIs(2));
  EXPECT_EQ(implementations[0].name, "cublaslt padded");
}

TEST(CublasltMatmulTest, AnAlgorithmGoesToTheCallWithItsVersion) {
  ParsedFusion parsed = linear("", "bf16");
  kernel::FusionOp fusion = parsed.get();
  mlir::Builder b(fusion.getContext());
  std::string hex(128, '7');
  fusion.setImplAttr(kernel::ImplAttr::get(
      fusion.getContext(), "cublaslt",
      b.getDictionaryAttr(
          {b.getNamedAttr("form", b.getStringAttr("dense")),
           b.getNamedAttr("algorithm", b.getStringAttr("13.1.0:" + hex)),
           b.getNamedAttr("scratch_bytes", b.getI64IntegerAttr(1024))})));
  CallRecorder plan(fusion.getContext());
  ASSERT_TRUE(succeeded(kBackend.lower(fusion, plan)));
  auto matmul = plan.call().getDescriptor();
  EXPECT_EQ(matmul.algorithm(), hex);
  EXPECT_EQ(plan.call().getLibraryVersion(), "13.1.0");
  EXPECT_EQ(plan.call().getScratchBytes(), 1024u);
}

TEST(CublasltMatmulTest, SaysWhyNot) {
  auto reason = [&](const std::string &epilogue, const std::string &dtype,
                    const std::vector<std::string> &more = {},
                    const std::string &result = "") {
    return reasonFor(kBackend, linear(epilogue, dtype, more, result));
  };
  EXPECT_EQ(reason("%r = graph.gelu %y : tensor<3x8xf32>", "f32"),
            "cuBLASLt's gelu is the tanh form, not the exact one");
  EXPECT_EQ(reason("%r = graph.gelu %y {approximate = "
                   "#graph.approximation<tanh>} : tensor<3x8xf32>",
                   "f32"),
            "cuBLASLt's gelu is not known to be accurate to f32");
  EXPECT_EQ(reason("%r = graph.tanh %y : tensor<3x8xf32>", "f32"),
            "cuBLASLt has no epilogue for graph.tanh");
  EXPECT_EQ(reason(R"(
    %a = graph.relu %y : tensor<3x8xf32>
    %r = graph.add %a, %3 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>)",
                   "f32", {"tensor<3x8xf32>"}),
            "cuBLASLt adds nothing after an activation");
  EXPECT_EQ(reason("%r = graph.add %y, %3 : (tensor<3x8xf32>, tensor<8xf32>) "
                   "-> tensor<3x8xf32>",
                   "f32", {"tensor<8xf32>"}),
            "more than one value per column added");
  EXPECT_THAT(reason("%r = graph.add %y, %3 : (tensor<3x8xf32>, tensor<3x1xf32>"
                     ") -> tensor<3x8xf32>",
                     "f32", {"tensor<3x1xf32>"}),
              HasSubstr("a value per column or a tensor"));
  EXPECT_EQ(reason("%r = graph.add %y, %y : (tensor<3x8xf32>, tensor<3x8xf32>) "
                   "-> tensor<3x8xf32>",
                   "f32"),
            "the epilogue is not a chain");
  EXPECT_EQ(reason("%r = graph.cast %y : tensor<3x8xbf16> to tensor<3x8xf32>",
                   "bf16", {}, "tensor<3x8xf32>"),
            "a bias whose dtype is not the result's");
  EXPECT_THAT(reason("%r = graph.cast %y : tensor<3x8xbf16> to tensor<3x8xf16>",
                     "bf16", {}, "tensor<3x8xf16>"),
              HasSubstr("no such result dtype"));
}

TEST(CublasltMatmulTest, OperandsInOtherLayoutsAreADiagnostic) {
  ParsedFusion parsed = linear("", "bf16", {}, "", "20");
  kernel::FusionOp fusion = parsed.get();
  auto implementations = kBackend.enumerate(fusion, profile());
  size_t padded = implementations[0].name == "cublaslt padded" ? 0 : 1;
  fusion.setImplAttr(implementations[padded].impl); // without the relayouts
  EXPECT_THAT(loweringError(kBackend, fusion),
              HasSubstr("expects operand 0 in layout"));
}

} // namespace
} // namespace minic::cuda
