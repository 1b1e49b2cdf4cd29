// SPDX-License-Identifier: Apache-2.0
//
// Asks all sources for each group, then combines.

#include "compiler/target/ComposeParts.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic {

using kernel::OutlinedPart;

namespace {

/// Ways beside the best that are tried of each group, unless all are asked for.
constexpr size_t kRunnersUp = 3;

/// One way to compute a group.
struct Way {
  /// Of the library, or Generated.
  BackendLabel label = BackendLabel::Generated;
  std::vector<ImplementedPart> parts;

  double estimateUs() const {
    double sum = 0;
    for (const ImplementedPart &part : parts) {
      // A launch more is never better by an estimate's error.
      sum += part.implementation.estimateUs + 1e-3;
    }
    return sum;
  }
  llvm::StringRef name() const { return parts.front().implementation.name; }
};

using Ways = std::vector<Way>;

class Composer {
public:
  Composer(kernel::FusionOp fusion, const Target &target, PartSources &sources,
           llvm::function_ref<bool(BackendLabel)> allows)
      : fusion(fusion), target(target), sources(sources), allows(allows) {}

  std::vector<Composition> run();

private:
  /// One part with `ops` by every source that takes it, and then `rest`.
  void addWays(const OpIndices &ops, bool isProduct,
               const std::vector<ImplementedPart> &rest, Breadth breadth,
               Ways &ways);
  /// How many of the last ops of a product's group move its result's elements.
  size_t movesAtEnd(const OpIndices &ops);
  /// Best first.
  Ways waysOf(const StageGroup &group, Breadth breadth);
  /// Those that are promising, then, where all are asked for, the others:
  /// beside another group each has its best promising way.
  Ways waysOf(const StageGroup &group);
  /// All products by sources of `label`; by those of any label where null.
  void compose(std::optional<BackendLabel> label);

  kernel::FusionOp fusion;
  const Target &target;
  PartSources &sources;
  llvm::function_ref<bool(BackendLabel)> allows;
  std::vector<StageGroup> groups;
  std::vector<Ways> ways; // of each group
  std::vector<Composition> compositions;
};

void Composer::addWays(const OpIndices &ops, bool isProduct,
                       const std::vector<ImplementedPart> &rest,
                       Breadth breadth, Ways &ways) {
  OutlinedPart part = kernel::outlinePart(fusion, ops);
  PartSources::Reasons reasons;
  auto add = [&](const ImplementationSource *source, BackendLabel label) {
    for (const Implementation &implementation :
         sources.ask(source, part, reasons, breadth)) {
      Way &way = ways.emplace_back();
      way.label = label;
      way.parts.push_back(sources.implement(ops, implementation));
      llvm::append_range(way.parts, rest);
    }
  };
  if (!isProduct || allows(BackendLabel::Generated)) {
    for (const KernelFamily *family : sources.families()) {
      // Where another takes the part, the last resort is not worth a thought.
      if (!family->isLastResort() || ways.empty()) {
        add(family, BackendLabel::Generated);
      }
    }
  }
  for (const LibraryBackend *library : target.libraries()) {
    if (isProduct && allows(library->label())) {
      add(library, library->label());
    }
  }
  sources.explain(reasons);
}

size_t Composer::movesAtEnd(const OpIndices &ops) {
  SmallVector<Operation *> body = fusion.getBodyOps();
  size_t count = 0;
  while (count < ops.size() &&
         graph::movesElements(body[ops[ops.size() - 1 - count]])) {
    ++count;
  }
  return count;
}

Ways Composer::waysOf(const StageGroup &group) {
  Ways found = waysOf(group, Breadth::Promising);
  if (sources.asksForAll()) {
    llvm::DenseSet<Attribute> known;
    auto keyOf = [&](const Way &way) {
      return ArrayAttr::get(
          fusion.getContext(),
          llvm::map_to_vector(way.parts, [](const auto &each) {
            return Attribute(each.part);
          }));
    };
    for (const Way &way : found) {
      known.insert(keyOf(way));
    }
    for (Way &way : waysOf(group, Breadth::All)) {
      if (known.insert(keyOf(way)).second) {
        found.push_back(std::move(way));
      }
    }
  }
  return found;
}

Ways Composer::waysOf(const StageGroup &group, Breadth breadth) {
  Ways found;
  addWays(group.ops, group.isProduct, {}, breadth, found);
  OpIndices rest(group.ops);
  if (group.isProduct) {
    // Kernels of products do not write through transposes.
    size_t moves = movesAtEnd(group.ops);
    if (moves != 0 && moves + 1 < group.ops.size()) {
      ArrayRef<int64_t> ops = group.ops;
      if (auto runs = sources.generateRuns(OpIndices(ops.take_back(moves)))) {
        addWays(OpIndices(ops.drop_back(moves)), true, *runs, breadth, found);
      }
    }
    rest.erase(rest.begin());
    auto runs = rest.empty() ? std::nullopt : sources.generateRuns(rest);
    if (runs) {
      addWays({group.ops.front()}, true, *runs, breadth, found);
    }
  } else if (found.empty()) {
    if (auto runs = sources.generateRuns(rest)) {
      found.push_back({BackendLabel::Generated, std::move(*runs)});
    }
  }
  llvm::sort(found, [](const Way &a, const Way &b) {
    return std::tuple(a.estimateUs(), a.parts.size(), a.name()) <
           std::tuple(b.estimateUs(), b.parts.size(), b.name());
  });
  return found;
}

/// Where a library fuses one product, it or another computes the others bare.
static bool fits(const Way &way, const StageGroup &group,
                 std::optional<BackendLabel> label) {
  return !group.isProduct || !label || way.label == *label ||
         (*label == BackendLabel::LibraryFused &&
          way.label == BackendLabel::Aten);
}

void Composer::compose(std::optional<BackendLabel> label) {
  std::vector<llvm::SmallVector<const Way *>> fitting;
  for (auto [group, all] : llvm::zip_equal(groups, ways)) {
    auto &list = fitting.emplace_back();
    for (const Way &way : all) {
      if (fits(way, group, label) &&
          (list.size() <= kRunnersUp || sources.asksForAll())) {
        list.push_back(&way);
      }
    }
    if (list.empty()) {
      return;
    }
  }
  auto add = [&](size_t other, size_t number) {
    Composition &composition = compositions.emplace_back();
    composition.label = BackendLabel::Generated;
    for (auto [group, list] : llvm::enumerate(fitting)) {
      const Way &way = *list[group == other ? number : 0];
      if (way.label != BackendLabel::Generated) {
        // Of two libraries the one that fuses gives its name.
        composition.label =
            composition.needsLibrary && way.label == BackendLabel::Aten
                ? composition.label
                : way.label;
        composition.needsLibrary = true;
      }
      llvm::append_range(composition.parts, way.parts);
    }
  };
  add(0, 0);
  for (auto [group, list] : llvm::enumerate(fitting)) {
    for (size_t number = 1; number < list.size(); ++number) {
      add(group, number);
    }
  }
}

std::vector<Composition> Composer::run() {
  groups = getStageGroups(fusion);
  if (llvm::none_of(groups,
                    [](const StageGroup &group) { return group.isProduct; })) {
    return {};
  }
  for (const StageGroup &group : groups) {
    ways.push_back(waysOf(group));
    if (ways.back().empty()) {
      return {};
    }
  }
  for (BackendLabel label : allBackendLabels) {
    if (allows(label)) {
      compose(label);
    }
  }
  compose(std::nullopt);
  return std::move(compositions);
}

} // namespace

std::vector<Composition>
composeParts(kernel::FusionOp fusion, const Target &target,
             PartSources &sources,
             llvm::function_ref<bool(BackendLabel)> allows) {
  return Composer(fusion, target, sources, allows).run();
}

} // namespace minic
