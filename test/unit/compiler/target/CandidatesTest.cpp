// SPDX-License-Identifier: Apache-2.0
//
// The candidates of fusions on the CPU: labels, names, parts, restrictions.

#include "compiler/target/Candidates.h"

#include "compiler/target/LostNan.h"
#include "dialects/kernel/OutlinePart.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/IR/Verifier.h"

#include "gmock/gmock.h"

#include <set>

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

namespace minic {
namespace {

struct Enumerated {
  Enumerated(ParsedFusion &parsed, std::vector<BackendLabel> backends = {},
             NanPolicy nan = NanPolicy::Mark) {
    auto target = createCpuTarget(/*threads=*/2, /*isa=*/"");
    candidates = enumerateCandidates(parsed.get(), *target, backends, why, nan);
    for (const Candidate &candidate : candidates) {
      names.push_back(candidate.name);
      // Each is a partition of the body, and its parts fit their boundaries.
      parsed.get().setChoiceAttr(candidate.choice);
      EXPECT_TRUE(succeeded(mlir::verify(parsed.get()))) << candidate.name;
      EXPECT_EQ(size_t(candidate.launches), candidate.choice.getParts().size());
      for (kernel::PartAttr part : candidate.choice.getParts()) {
        auto outlined = kernel::outlinePart(parsed.get(), part.getOps());
        EXPECT_EQ(part.getOperands().size(),
                  outlined.fusion->getInputs().size());
      }
    }
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(),
              names.size())
        << "names are unique";
  }

  std::vector<Candidate> candidates;
  std::vector<std::string> names, why;
};

/// The ops of each part.
using Partition = std::vector<std::vector<int64_t>>;

Partition partition(const Candidate &candidate) {
  Partition parts;
  for (kernel::PartAttr part : candidate.choice.getParts()) {
    parts.emplace_back(part.getOps().begin(), part.getOps().end());
  }
  return parts;
}

ParsedFusion linearRelu(const std::string &dtype = "f32") {
  std::string x = "tensor<32x256x" + dtype + ">",
              w = "tensor<64x256x" + dtype + ">",
              b = "tensor<64x" + dtype + ">", y = "tensor<32x64x" + dtype + ">";
  return ParsedFusion({x, w, b}, y,
                      "%y = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " +
                          b + ") -> " + y + "\n%r = graph.relu %y : " + y +
                          "\nkernel.yield %r : " + y);
}

/// r = relu(linear(x = tanh)).
ParsedFusion tanhLinearRelu(const std::string &results,
                            const std::string &yield) {
  return ParsedFusion({"tensor<3x5xf32>", "tensor<7x5xf32>"}, results, R"(
    %x = graph.tanh %0 : tensor<3x5xf32>
    %y = graph.linear %x, %1 : (tensor<3x5xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
    %r = graph.relu %y : tensor<3x7xf32>
    )" + yield);
}

/// An anchor and a relu: in one call of `library`, in two parts, and in one
/// kernel of `family`.
void expectEveryWay(const Enumerated &all, const std::string &library,
                    const std::string &family) {
  EXPECT_THAT(all.names, Contains("library-fused " + library +
                                  "_fused (NaN lost in relu)"));
  EXPECT_THAT(all.names,
              Contains("aten " + library + " + pointwise tile=4096"));
  EXPECT_THAT(all.names, Contains(AllOf(StartsWith("generated " + family + " "),
                                        Not(HasSubstr(" + ")))));
}

TEST(CandidatesTest, LinearAndReluInEveryWay) {
  ParsedFusion parsed = linearRelu();
  Enumerated all(parsed);
  expectEveryWay(all, "onednn", "gemm_packed");
  EXPECT_THAT(all.names, Contains(AllOf(StartsWith("generated gemm_packed "),
                                        HasSubstr(" + pointwise tile=4096"))));
  for (const Candidate &candidate : all.candidates) {
    bool isGenerated = candidate.label == BackendLabel::Generated;
    EXPECT_EQ(candidate.needsLibrary, !isGenerated) << candidate.name;
    EXPECT_THAT(candidate.name, StartsWith(toString(candidate.label).str()));
    EXPECT_GT(candidate.estimateUs, 0) << candidate.name;
  }
  EXPECT_TRUE(std::is_sorted(all.candidates.begin(), all.candidates.end(),
                             [](const Candidate &a, const Candidate &b) {
                               return a.estimateUs < b.estimateUs;
                             }));
}

TEST(CandidatesTest, ConvolutionAndReluInEveryWay) {
  std::string x = "tensor<2x8x8x16xf32>", w = "tensor<40x16x3x3xf32>",
              y = "tensor<2x6x6x40xf32>";
  ParsedFusion parsed({x, w}, y,
                      "%y = graph.conv2d %0, %1 {layout = \"nhwc\"} : (" + x +
                          ", " + w + ") -> " + y + "\n%r = graph.relu %y : " +
                          y + "\nkernel.yield %r : " + y);
  Enumerated all(parsed);
  expectEveryWay(all, "onednn_conv", "conv_direct");
  EXPECT_THAT(all.names, Each(Not(HasSubstr("gemm_packed"))));
  // What is about contractions only is not worth a reason.
  EXPECT_THAT(all.why, Each(Not(HasSubstr("no contraction"))));
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::Cudnn}).names, IsEmpty());
}

TEST(CandidatesTest, TheSameEveryTime) {
  ParsedFusion parsed = linearRelu();
  EXPECT_EQ(Enumerated(parsed).names, Enumerated(parsed).names);
}

TEST(CandidatesTest, LabelsRestrict) {
  ParsedFusion parsed = linearRelu();
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::Aten}).names,
              ElementsAre("aten onednn + pointwise tile=4096"));
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::LibraryFused}).names,
              ElementsAre("library-fused onednn_fused (NaN lost in relu)"));
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::Generated}).names,
              Each(StartsWith("generated ")));
}

TEST(CandidatesTest, ALabelThatMatchesNothingSaysWhy) {
  ParsedFusion parsed = linearRelu("f16");
  for (BackendLabel label : {BackendLabel::Aten, BackendLabel::LibraryFused}) {
    Enumerated none(parsed, {label});
    EXPECT_THAT(none.names, IsEmpty());
    EXPECT_THAT(none.why, ElementsAre(HasSubstr("no f16")));
  }
  EXPECT_THAT(Enumerated(parsed).names, Not(IsEmpty()));
}

TEST(CandidatesTest, ABareContractionIsOneLibraryCall) {
  ParsedFusion parsed({"tensor<3x5xf32>", "tensor<5x7xf32>"}, "tensor<3x7xf32>",
                      R"(
    %y = graph.matmul %0, %1 : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
    kernel.yield %y : tensor<3x7xf32>)");
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::Aten}).names,
              ElementsAre("aten onednn"));
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::LibraryFused}).names,
              ElementsAre("library-fused onednn_fused"));
  Enumerated all(parsed);
  EXPECT_THAT(all.names, Contains("aten onednn"));
  EXPECT_THAT(all.names, Not(Contains(StartsWith("library-fused"))));
}

TEST(CandidatesTest, OpsBeforeTheContractionAreTheirOwnPart) {
  ParsedFusion parsed =
      tanhLinearRelu("(tensor<3x7xf32>, tensor<3x5xf32>)",
                     "kernel.yield %r, %x : tensor<3x7xf32>, tensor<3x5xf32>");
  Enumerated aten(parsed, {BackendLabel::Aten});
  ASSERT_THAT(aten.names,
              ElementsAre("aten pointwise tile=4096 + onednn + pointwise "
                          "tile=4096"));
  EXPECT_EQ(partition(aten.candidates[0]), (Partition{{0}, {1}, {2}}));
}

/// What takes no prologue still takes all that is behind it.
TEST(CandidatesTest, OpsBeforeTheContractionLeaveTheRestTogether) {
  ParsedFusion parsed =
      tanhLinearRelu("tensor<3x7xf32>", "kernel.yield %r : tensor<3x7xf32>");
  Enumerated fused(parsed, {BackendLabel::LibraryFused});
  ASSERT_THAT(fused.names,
              ElementsAre("library-fused pointwise tile=4096 + onednn_fused "
                          "(NaN lost in relu)"));
  EXPECT_EQ(partition(fused.candidates[0]), (Partition{{0}, {1, 2}}));
  Enumerated generated(parsed, {BackendLabel::Generated});
  EXPECT_THAT(
      generated.names,
      Contains(AllOf(StartsWith("generated pointwise tile=4096 + gemm_packed"),
                     Not(HasSubstr("+ pointwise")))));
}

TEST(CandidatesTest, APointwiseBodyFusedAndAsEagerRunsIt) {
  ParsedFusion parsed({"tensor<4x6xf32>", "tensor<6xf32>"}, "tensor<4x6xf32>",
                      R"(
    %a = graph.add %0, %1 : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    %r = graph.relu %a : tensor<4x6xf32>
    kernel.yield %r : tensor<4x6xf32>)");
  EXPECT_THAT(Enumerated(parsed).names,
              ElementsAre("generated pointwise tile=4096",
                          "aten pointwise tile=4096 + pointwise tile=4096"));
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::LibraryFused}).names,
              SizeIs(1));
}

TEST(CandidatesTest, WhatIsNotOnePassIsSeveralRuns) {
  // A transposed value cannot be reshaped by strides alone.
  ParsedFusion parsed({"tensor<4x6xf32>"}, "tensor<3x8xf32>", R"(
    %a = graph.neg %0 : tensor<4x6xf32>
    %t = graph.transpose %a [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    %r = graph.reshape %t : tensor<6x4xf32> to tensor<3x8xf32>
    %b = graph.exp %r : tensor<3x8xf32>
    kernel.yield %b : tensor<3x8xf32>)");
  Enumerated generated(parsed, {BackendLabel::Generated});
  ASSERT_THAT(generated.names,
              ElementsAre("generated pointwise tile=4096 + pointwise "
                          "tile=4096"));
  EXPECT_EQ(partition(generated.candidates[0]), (Partition{{0, 1, 2}, {3}}));
}

// At the end it is another name for what is written in order.
TEST(CandidatesTest, AReshapeAtTheEndIsPartOfThePass) {
  ParsedFusion parsed({"tensor<4x6xf32>"}, "tensor<3x8xf32>", R"(
    %t = graph.transpose %0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    %r = graph.reshape %t : tensor<6x4xf32> to tensor<3x8xf32>
    kernel.yield %r : tensor<3x8xf32>)");
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::Generated}).names,
              ElementsAre("generated pointwise tile=4096"));
}

TEST(CandidatesTest, TwoContractionsAreTwoParts) {
  ParsedFusion parsed({"tensor<4x4xf32>", "tensor<4x4xf32>"}, "tensor<4x4xf32>",
                      R"(
    %a = graph.matmul %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %b = graph.relu %a : tensor<4x4xf32>
    %c = graph.matmul %b, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    kernel.yield %c : tensor<4x4xf32>)");
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::Aten}).names,
              ElementsAre("aten onednn + pointwise tile=4096 + onednn"));
}

TEST(CandidatesTest, WhatLosesNanIsMarkedOrRejected) {
  ParsedFusion parsed = linearRelu();
  auto target = createCpuTarget(/*threads=*/2, /*isa=*/"");
  EXPECT_EQ(opsThatLoseNan(parsed.get(), *target), "");
  Enumerated fused(parsed, {BackendLabel::LibraryFused});
  ASSERT_THAT(fused.names,
              ElementsAre("library-fused onednn_fused (NaN lost in relu)"));
  parsed.get().setChoiceAttr(fused.candidates[0].choice);
  EXPECT_EQ(opsThatLoseNan(parsed.get(), *target), "relu");
  parsed.get().removeChoiceAttr();

  Enumerated none(parsed, {BackendLabel::LibraryFused}, NanPolicy::Reject);
  EXPECT_THAT(none.names, IsEmpty());
  EXPECT_THAT(none.why, ElementsAre("onednn_fused: loses NaN in relu"));
  // The library's contraction alone loses nothing, nor does what is generated.
  // Measured, it may turn out to keep it.
  Enumerated measured(parsed, {BackendLabel::LibraryFused}, NanPolicy::Measure);
  EXPECT_THAT(measured.names, ElementsAre("library-fused onednn_fused"));
  Enumerated rest(parsed, {}, NanPolicy::Reject);
  EXPECT_THAT(rest.names, Contains(StartsWith("aten onednn + pointwise")));
  EXPECT_THAT(rest.names, Contains(StartsWith("generated")));
  EXPECT_THAT(rest.names, Each(Not(HasSubstr("NaN"))));
}

//===----------------------------------------------------------------------===//
// Families of last resort
//===----------------------------------------------------------------------===//

/// Another family or library takes it: no row is spent on loops.
TEST(CandidatesTest, LoopsAreNotAskedBesideOthers) {
  ParsedFusion parsed = linearRelu();
  EXPECT_THAT(Enumerated(parsed).names, Each(Not(HasSubstr("loops"))));
}

/// Only the op that nothing else takes is theirs.
TEST(CandidatesTest, LoopsTakeWhatNothingElseDoes) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4x8xf32>", R"(
    %s = graph.cumsum %0 axis = 1 : tensor<4x8xf32>
    %r = graph.relu %s : tensor<4x8xf32>
    kernel.yield %r : tensor<4x8xf32>)");
  Enumerated enumerated(parsed);
  EXPECT_THAT(enumerated.names,
              Each(AllOf(StartsWith("generated"), HasSubstr("loops tile="))));
  ASSERT_THAT(enumerated.candidates, Not(IsEmpty()));
  parsed.get().setChoiceAttr(enumerated.candidates[0].choice);
  EXPECT_TRUE(succeeded(mlir::verify(parsed.get())));
}

/// A label that generates nothing leaves them out as well.
TEST(CandidatesTest, LoopsAreGenerated) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4x8xf32>", R"(
    %r = graph.cumsum %0 axis = 1 : tensor<4x8xf32>
    kernel.yield %r : tensor<4x8xf32>)");
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::Aten}).candidates, IsEmpty());
  EXPECT_THAT(Enumerated(parsed, {BackendLabel::Generated}).names,
              ElementsAre(StartsWith("generated loops tile=")));
}

//===----------------------------------------------------------------------===//
// Named ops
//===----------------------------------------------------------------------===//

/// A family that takes a named op whole is not asked for its stages again.
TEST(CandidatesTest, RowsTakeNamedOpsWithTheirNeighbours) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4x8xf32>", R"(
    %s = graph.softmax %0 axis = 1 : tensor<4x8xf32>
    %r = graph.relu %s : tensor<4x8xf32>
    kernel.yield %r : tensor<4x8xf32>)");
  auto target = createCpuTarget(/*threads=*/2, /*isa=*/"");
  std::vector<std::string> why;
  auto candidates =
      enumerateCandidates(parsed.get(), *target, /*backends=*/{}, why);
  ASSERT_THAT(candidates, Not(IsEmpty()));
  EXPECT_THAT(candidates[0].name, StartsWith("generated rows tile=4"));
  for (const Candidate &candidate : candidates) {
    EXPECT_THAT(candidate.name, Not(HasSubstr("loops")));
    bool isWhole = candidate.choice.getParts().size() == 1;
    EXPECT_TRUE(!isWhole || candidate.choice.getExpand().empty())
        << candidate.name;
  }
}

} // namespace
} // namespace minic
