// SPDX-License-Identifier: Apache-2.0
//
// For each weight: who reads it, how each wants it, what another layout costs.

#include "compiler/driver/SharedLayouts.h"

#include "compiler/pipeline/EstimateSelector.h"
#include "dialects/graph/Dims.h"
#include "dialects/graph/Graph.h"
#include "dialects/kernel/ExpandOps.h"
#include "dialects/kernel/OutlinePart.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic {

using kernel::ChoiceAttr;
using kernel::FusionOp;

namespace {

/// A choice of a fusion, and how long it takes.
struct RatedChoice {
  ChoiceAttr choice;
  std::string name;
  double us = 0;
  bool isMeasured = false;
};

/// A fusion that reads the weight as input number `input`.
struct Reader {
  FusionOp fusion;
  unsigned input;
  Attribute layout; // that its choice wants
  double us = 0;    // of its choice
};

class LayoutSharing {
public:
  LayoutSharing(const Target &target, const CompileOptions &options,
                const tune::RecordedSelector &selector)
      : target(target), options(options), selector(selector) {}

  LogicalResult run(ModuleOp module);

private:
  FailureOr<const std::vector<RatedChoice> *> rate(FusionOp fusion);
  LogicalResult share(StringRef weight, MutableArrayRef<Reader> readers);
  void take(const Reader &reader, const RatedChoice &choice, StringRef weight);
  void keep(const Reader &reader, const RatedChoice &shared, StringRef weight);

  const Target &target;
  const CompileOptions &options;
  const tune::RecordedSelector &selector;
  llvm::DenseMap<Operation *, std::vector<RatedChoice>> rated;
};

} // namespace

/// The layout that `choice` wants of input number `input` of `fusion`: unit for
/// dense; null where parts want several.
static Attribute layoutOf(FusionOp fusion, ChoiceAttr choice, unsigned input) {
  kernel::ExpandedFusion expanded(fusion, choice.getExpand());
  Attribute layout;
  for (kernel::PartAttr part : choice.getParts()) {
    kernel::OutlinedPart outlined =
        kernel::outlinePart(expanded.get(), part.getOps());
    for (auto [operand, wanted] :
         llvm::zip(outlined.fusion->getInputs(), part.getOperands())) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument || argument.getArgNumber() != input) {
        continue;
      }
      if (layout && layout != wanted) {
        return {};
      }
      layout = wanted;
    }
  }
  return layout;
}

/// Measured rows of the fusion's record, else all candidates by estimates.
FailureOr<const std::vector<RatedChoice> *>
LayoutSharing::rate(FusionOp fusion) {
  auto [place, isNew] = rated.try_emplace(fusion);
  std::vector<RatedChoice> &choices = place->second;
  if (!isNew) {
    return &choices;
  }
  if (const tune::Record *record = selector.recordOf(fusion)) {
    for (const tune::Row *row : selector.timedRows(*record)) {
      auto choice = dyn_cast_or_null<ChoiceAttr>(
          parseAttribute(row->candidate.choice, fusion.getContext()));
      if (choice) {
        choices.push_back(
            {choice, row->candidate.name, row->bestKnownUs(), true});
      }
    }
    return &choices;
  }
  FailureOr<std::vector<Candidate>> candidates =
      allowedCandidates(fusion, target, options);
  if (failed(candidates)) {
    return failure();
  }
  for (const Candidate &candidate : *candidates) {
    if (!options.deterministic || !candidate.needsLibrary) {
      choices.push_back(
          {candidate.choice, candidate.name, candidate.estimateUs, false});
    }
  }
  return &choices;
}

/// The fastest of `choices` with this layout of an input; null for none.
static const RatedChoice *fastestWith(Attribute layout, const Reader &reader,
                                      ArrayRef<RatedChoice> choices) {
  const RatedChoice *fastest = nullptr;
  for (const RatedChoice &choice : choices) {
    if ((!fastest || choice.us < fastest->us) &&
        layoutOf(reader.fusion, choice.choice, reader.input) == layout) {
      fastest = &choice;
    }
  }
  return fastest;
}

/// Adds to the reason that people read.
static void addReason(FusionOp fusion, const std::string &text) {
  Builder b(fusion.getContext());
  NamedAttrList now(fusion->getAttrOfType<DictionaryAttr>("provenance"));
  auto reason = dyn_cast_or_null<StringAttr>(now.get("reason"));
  now.set("reason", b.getStringAttr(
                        (reason ? reason.str() + "; " : std::string()) + text));
  fusion->setAttr("provenance", now.getDictionary(b.getContext()));
}

void LayoutSharing::take(const Reader &reader, const RatedChoice &choice,
                         StringRef weight) {
  FusionOp fusion = reader.fusion;
  Builder b(fusion.getContext());
  NamedAttrList now(fusion->getAttrOfType<DictionaryAttr>("provenance"));
  now.set("candidate", b.getStringAttr(choice.name));
  now.set("reason",
          b.getStringAttr(llvm::formatv(
              "{0}, {1} {2:F2} us instead of {3:F2}: packs '{4}' as other "
              "buckets do",
              choice.name, choice.isMeasured ? "measured" : "estimated",
              choice.us, reader.us, weight)));
  if (choice.isMeasured) {
    now.set("time_us", b.getF64FloatAttr(choice.us));
  }
  fusion->setAttr("provenance", now.getDictionary(b.getContext()));
  fusion.setChoiceAttr(choice.choice);
}

void LayoutSharing::keep(const Reader &reader, const RatedChoice &shared,
                         StringRef weight) {
  std::string text =
      llvm::formatv("a second packing of '{0}', {1}: {2:F2} us instead of "
                    "{3:F2}, more than the {4} % of --repack-gain",
                    weight, shared.isMeasured ? "measured" : "estimated",
                    reader.us, shared.us, options.repackGain)
          .str();
  addReason(reader.fusion, text);
  options.log.line(
      LogTopic::Memory,
      "@" + reader.fusion->getParentOfType<func::FuncOp>().getSymName().str() +
          ": " + text);
}

LogicalResult LayoutSharing::share(StringRef weight,
                                   MutableArrayRef<Reader> readers) {
  llvm::SmallSetVector<Attribute, 4> layouts;
  for (Reader &reader : readers) {
    layouts.insert(reader.layout);
  }
  if (layouts.size() < 2) {
    return success();
  }
  for (Reader &reader : readers) {
    FailureOr<const std::vector<RatedChoice> *> choices = rate(reader.fusion);
    if (failed(choices)) {
      return failure();
    }
    for (const RatedChoice &choice : **choices) {
      if (choice.choice == reader.fusion.getChoiceAttr()) {
        reader.us = choice.us;
      }
    }
  }
  // What is known of nothing (a pin) is left alone.
  auto timeWith = [&](Attribute layout, const Reader &reader) {
    const RatedChoice *with = fastestWith(layout, reader, rated[reader.fusion]);
    return with ? with->us : std::numeric_limits<double>::infinity();
  };
  double most = 1 + double(options.repackGain) / 100;
  Attribute best;
  double bestCost = std::numeric_limits<double>::infinity();
  for (Attribute layout : layouts) {
    // How much slower a reader would be counts up to a limit: beyond it the
    // reader keeps its own layout.
    double cost = 0;
    for (const Reader &reader : readers) {
      double ratio = reader.us > 0 ? timeWith(layout, reader) / reader.us : 1;
      cost += std::min(ratio, 2 * most);
    }
    if (cost < bestCost) {
      best = layout;
      bestCost = cost;
    }
  }
  for (const Reader &reader : readers) {
    if (reader.layout == best || reader.us <= 0) {
      continue;
    }
    const RatedChoice *shared = fastestWith(best, reader, rated[reader.fusion]);
    if (!shared) {
      continue;
    }
    if (shared->us <= most * reader.us) {
      take(reader, *shared, weight);
    } else {
      keep(reader, *shared, weight);
    }
  }
  return success();
}

LogicalResult LayoutSharing::run(ModuleOp module) {
  struct Weight {
    std::string name;
    SmallVector<Reader> readers;
  };
  // A weight is its value: functions have a constant each.
  llvm::MapVector<Attribute, Weight> weights;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(graph::bucketAttrName)) {
      continue;
    }
    function.walk([&](FusionOp fusion) {
      for (auto [input, value] : llvm::enumerate(fusion.getInputs())) {
        auto constant = value.getDefiningOp<graph::ConstantOp>();
        if (!constant || !constant.getValueAttr() || !fusion.getChoiceAttr()) {
          continue;
        }
        Attribute layout =
            layoutOf(fusion, fusion.getChoiceAttr(), unsigned(input));
        if (layout) {
          Weight &weight = weights[constant.getValueAttr()];
          weight.name = constant.getSource().value_or("constant").str();
          weight.readers.push_back({fusion, unsigned(input), layout});
        }
      }
    });
  }
  for (auto &[value, weight] : weights) {
    if (failed(share(weight.name, weight.readers))) {
      return failure();
    }
  }
  return success();
}

LogicalResult shareLayouts(ModuleOp module, const Target &target,
                           const CompileOptions &options,
                           const tune::RecordedSelector &selector) {
  return LayoutSharing(target, options, selector).run(module);
}

} // namespace minic
