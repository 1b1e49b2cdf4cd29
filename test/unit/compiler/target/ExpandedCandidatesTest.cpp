// SPDX-License-Identifier: Apache-2.0
//
// Candidates of a body with a named op: as it is, and by its stages. The target
// has one family that takes what a test says.

#include "compiler/target/Candidates.h"
#include "dialects/kernel/ExpandOps.h"
#include "dialects/kernel/FusionGraph.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace minic {
namespace {

/// Takes bodies with at most `mostAnchors` anchors, named ops if `takesNamed`.
class FakeFamily : public KernelFamily {
public:
  FakeFamily(int64_t mostAnchors, bool takesNamed)
      : mostAnchors_(mostAnchors), takesNamed_(takesNamed) {}

  llvm::StringRef name() const override { return "fake"; }
  llvm::StringRef version() const override { return "1"; }
  std::optional<std::string> reject(kernel::FusionOp fusion,
                                    const DeviceProfile &) const override {
    auto ops = fusion.getBodyOps();
    if (llvm::count_if(ops, graph::isAnchor) > mostAnchors_) {
      return "too many anchors";
    }
    if (!takesNamed_ &&
        llvm::any_of(ops, llvm::IsaPred<graph::ExpandableOpInterface>)) {
      return "a named op";
    }
    return std::nullopt;
  }
  std::vector<Implementation> enumerate(kernel::FusionOp fusion,
                                        const DeviceProfile &) const override {
    Implementation implementation;
    mlir::MLIRContext *context = fusion.getContext();
    implementation.impl = kernel::ImplAttr::get(
        context, "fake", mlir::DictionaryAttr::get(context));
    implementation.operandLayouts.assign(fusion.getInputs().size(),
                                         mlir::UnitAttr::get(context));
    implementation.name = "fake";
    implementation.estimateUs = 1;
    return {implementation};
  }
  mlir::LogicalResult lower(kernel::FusionOp,
                            plan::PlanBuilder &) const override {
    return mlir::failure();
  }
  mlir::LogicalResult emit(plan::KernelOp, const DeviceProfile &,
                           mlir::ModuleOp) const override {
    return mlir::failure();
  }

private:
  const int64_t mostAnchors_;
  const bool takesNamed_;
};

class FakeTarget : public Target {
public:
  explicit FakeTarget(const FakeFamily &family) : Target(DeviceProfile()) {
    families_.push_back(&family);
  }
  mlir::LogicalResult lowerRelayout(kernel::RelayoutOp,
                                    plan::PlanBuilder &) const override {
    return mlir::failure();
  }

protected:
  std::unique_ptr<KernelFamily> createPluginFamily(Plugin &) const override {
    return nullptr;
  }
  void prepareContext(mlir::MLIRContext &) const override {}
  mlir::LogicalResult emitRelayout(plan::KernelOp,
                                   mlir::ModuleOp) const override {
    return mlir::failure();
  }
  mlir::LogicalResult assemble(mlir::ModuleOp,
                               mlir::OpBuilder &) const override {
    return mlir::failure();
  }
  mlir::LogicalResult describe(mlir::ModuleOp, KernelCode &) const override {
    return mlir::failure();
  }
};

/// "generated fake" with the ops of each part behind it.
std::vector<std::string> candidatesOf(const FakeFamily &family) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4x8xf32>", R"(
    %a = graph.relu %0 : tensor<4x8xf32>
    %b = graph.softmax %a axis = 1 : tensor<4x8xf32>
    kernel.yield %b : tensor<4x8xf32>)");
  FakeTarget target(family);
  std::vector<std::string> why, texts;
  for (const Candidate &candidate :
       enumerateCandidates(parsed.get(), target, {}, why)) {
    parsed.get().setChoiceAttr(candidate.choice);
    EXPECT_TRUE(succeeded(mlir::verify(parsed.get()))) << candidate.name;
    std::string text = candidate.name + ":";
    for (kernel::PartAttr part : candidate.choice.getParts()) {
      text += " [" +
              llvm::join(llvm::map_range(
                             part.getOps(),
                             [](int64_t op) { return std::to_string(op); }),
                         ",") +
              "]";
    }
    texts.push_back(text);
  }
  return texts;
}

/// The same implementation of its stages would be the same kernel.
TEST(ExpandedCandidatesTest, OneKernelOfTheNamedOpNotAgainOfItsStages) {
  auto candidates = candidatesOf(FakeFamily(2, /*takesNamed=*/true));
  EXPECT_THAT(candidates, testing::Contains("generated fake: [0,1]"));
  EXPECT_THAT(candidates, testing::Not(testing::Contains(
                              "generated expanded fake: [0,1,2,3,4,5]")));
}

TEST(ExpandedCandidatesTest, OneKernelOfTheStagesWhereNobodyTakesTheOp) {
  EXPECT_THAT(candidatesOf(FakeFamily(2, /*takesNamed=*/false)),
              testing::Contains("generated expanded fake: [0,1,2,3,4,5]"));
}

TEST(ExpandedCandidatesTest, StagesInPartsWhereNobodyTakesTheOp) {
  EXPECT_THAT(candidatesOf(FakeFamily(1, /*takesNamed=*/false)),
              ElementsAre("generated expanded fake + fake + fake + fake + "
                          "fake: [0] [1] [2,3] [4] [5]"));
}

TEST(ExpandedCandidatesTest, NoneWhereNobodyTakesAStage) {
  EXPECT_THAT(candidatesOf(FakeFamily(0, /*takesNamed=*/false)), IsEmpty());
}

} // namespace
} // namespace minic
