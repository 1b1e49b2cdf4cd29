// SPDX-License-Identifier: Apache-2.0
//
// kernel-select-algorithm: sets the choice of each fusion, as an
// AlgorithmSelector says. The pass does not know whether that one estimates,
// looks up or measures. It fails where the selector fails.

#include "passes/kernel/Passes.h"

#include "dialects/kernel/Provenance.h"
#include "passes/support/FusionLabel.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MemoryBuffer.h"

#define DEBUG_TYPE "kernel-select-algorithm"

namespace minic::kernel {
#define GEN_PASS_DEF_SELECTALGORITHM
#include "passes/kernel/Passes.h.inc"
} // namespace minic::kernel

using namespace mlir;
using namespace minic;
using namespace minic::kernel;

namespace {

/// Takes choices from a dictionary in a file.
class FixtureSelector : public AlgorithmSelector {
public:
  explicit FixtureSelector(StringRef path) : path(path) {}

  FailureOr<std::vector<SelectedChoice>>
  select(ArrayRef<FusionOp> fusions) override {
    if (fusions.empty()) {
      return std::vector<SelectedChoice>();
    }
    auto choices = read(fusions.front());
    if (failed(choices)) {
      return failure();
    }
    std::vector<SelectedChoice> selected;
    for (FusionOp fusion : fusions) {
      std::string label = labelOf(fusion);
      auto choice = choices->getAs<ChoiceAttr>(label);
      if (!choice) {
        return fusion.emitOpError("expects a #kernel.choice for '")
               << label << "' in " << path << ", got none";
      }
      SelectedChoice &fixture = selected.emplace_back();
      fixture.choice = choice;
      fixture.origin = "fixture";
      fixture.reason = path;
    }
    return selected;
  }

private:
  FailureOr<DictionaryAttr> read(FusionOp fusion) const {
    std::string error;
    auto file = openInputFile(path, &error);
    if (!file) {
      return fusion.emitError("cannot read choices: ") << error;
    }
    auto choices = dyn_cast_or_null<DictionaryAttr>(
        parseAttribute(file->getBuffer(), fusion.getContext()));
    if (!choices) {
      return fusion.emitError("expects a dictionary attribute in ") << path;
    }
    return choices;
  }

  std::string path;
};

struct SelectAlgorithm : kernel::impl::SelectAlgorithmBase<SelectAlgorithm> {
  using SelectAlgorithmBase::SelectAlgorithmBase;

  void runOnOperation() override {
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) {
      if (!fusion.getChoice() && !fusion.getImpl()) {
        fusions.push_back(fusion);
      }
    });
    FixtureSelector fixture(choicesFile);
    if (!selector && choicesFile.empty()) {
      getOperation().emitError(
          "kernel-select-algorithm expects choices=FILE, got no selector");
      return signalPassFailure();
    }
    AlgorithmSelector &source = choicesFile.empty() ? *selector : fixture;
    auto selected = source.select(fusions);
    if (failed(selected)) {
      return signalPassFailure();
    }
    for (auto [fusion, choice] : llvm::zip_equal(fusions, *selected)) {
      LDBG() << labelOf(fusion) << ": " << choice.choice << " by "
             << choice.origin;
      fusion.setChoiceAttr(choice.choice);
      fusion->setDiscardableAttr("provenance",
                                 provenanceOf(choice, &getContext()));
    }
  }

  AlgorithmSelector *selector = nullptr;
};

} // namespace

std::unique_ptr<Pass>
minic::kernel::createSelectAlgorithm(AlgorithmSelector &selector) {
  auto pass = std::make_unique<SelectAlgorithm>();
  pass->selector = &selector;
  return pass;
}
