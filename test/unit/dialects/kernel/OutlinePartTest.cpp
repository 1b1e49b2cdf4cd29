// SPDX-License-Identifier: Apache-2.0
//
// The boundary that outlinePart gives to some ops of a body.

#include "dialects/kernel/OutlinePart.h"

#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/IR/Verifier.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;

namespace minic {
namespace {

using kernel::OutlinedPart;
using kernel::outlinePart;

/// linear, add of a residual, relu; the sum is used inside and yielded.
ParsedFusion residual() {
  return ParsedFusion({"tensor<3x7xf32>", "tensor<3x5xf32>", "tensor<7x5xf32>"},
                      "(tensor<3x7xf32>, tensor<3x7xf32>)", R"(
    %y = graph.linear %1, %2
      : (tensor<3x5xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
    %s = graph.add %y, %0 : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
    %z = graph.relu %s : tensor<3x7xf32>
    kernel.yield %z, %s : tensor<3x7xf32>, tensor<3x7xf32>)");
}

TEST(OutlinePartTest, PartsMeetAtBodyValues) {
  ParsedFusion parsed = residual();
  auto ops = parsed.get().getBodyOps();
  auto arguments = parsed.get().getBody().getArguments();
  OutlinedPart anchor = outlinePart(parsed.get(), {0});
  OutlinedPart rest = outlinePart(parsed.get(), {2, 1});
  EXPECT_TRUE(succeeded(verify(*anchor.fusion)));
  EXPECT_TRUE(succeeded(verify(*rest.fusion)));
  EXPECT_THAT(llvm::to_vector(anchor.fusion->getInputs()),
              ElementsAre(arguments[1], arguments[2]));
  EXPECT_THAT(anchor.results, ElementsAre(ops[0]->getResult(0)));
  EXPECT_THAT(llvm::to_vector(rest.fusion->getInputs()),
              ElementsAre(ops[0]->getResult(0), arguments[0]));
  EXPECT_THAT(rest.results,
              ElementsAre(ops[1]->getResult(0), ops[2]->getResult(0)));
  EXPECT_EQ(rest.fusion->getBodyOps().size(), 2u);
}

TEST(OutlinePartTest, UsesByADetachedPartAreNotResults) {
  ParsedFusion parsed = residual();
  OutlinedPart rest = outlinePart(parsed.get(), {1, 2});
  OutlinedPart front = outlinePart(parsed.get(), {0, 1});
  auto ops = parsed.get().getBodyOps();
  EXPECT_THAT(front.results, ElementsAre(ops[1]->getResult(0)));
}

TEST(OutlinePartTest, TheWholeBodyIsInOrderOfFirstUse) {
  ParsedFusion parsed = residual();
  auto arguments = parsed.get().getBody().getArguments();
  OutlinedPart all = outlinePart(parsed.get(), {0, 1, 2});
  EXPECT_THAT(llvm::to_vector(all.fusion->getInputs()),
              ElementsAre(arguments[1], arguments[2], arguments[0]));
  EXPECT_EQ(all.fusion->getNumResults(), 2u);
}

} // namespace
} // namespace minic
