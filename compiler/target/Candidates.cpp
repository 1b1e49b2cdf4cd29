// SPDX-License-Identifier: Apache-2.0
//
// Partitions a body into parts and asks every source for each part.

#include "compiler/target/Candidates.h"

#include "compiler/target/ComposeParts.h"
#include "compiler/target/KernelApart.h"
#include "dialects/graph/InPlace.h"
#include "dialects/graph/KernelOp.h"
#include "dialects/kernel/ExpandOps.h"
#include "dialects/kernel/MainAnchor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace minic {

using kernel::FusionOp;
using kernel::OutlinedPart;
using kernel::PartAttr;

namespace {

/// What each further launch costs beyond the kernels' own estimates: on a GPU
/// the gap between kernels. On a CPU it is a call; estimates have the joining
/// of a team.
double launchUs(const DeviceProfile &profile) {
  return profile.isGpu() ? 1.0 : 0.1;
}

class Enumeration {
public:
  /// `expanded`: the ops that gave way to their stages in `fusion`'s body.
  Enumeration(FusionOp fusion, const Target &target,
              ArrayRef<BackendLabel> backends, std::vector<std::string> &why,
              NanPolicy nan, OperandLayouts layouts, bool allowsLastResort,
              Breadth breadth, ArrayRef<std::string> pluginNames,
              ArrayRef<int64_t> expanded = {})
      : fusion(fusion), target(target), backends(backends),
        pluginNames(pluginNames), nan(nan), layouts(layouts),
        expanded(expanded),
        sources(fusion, target, nan, layouts, allowsLastResort, why, breadth),
        ops(fusion.getBodyOps()), product(kernel::getProductOfRows(fusion)) {}

  std::vector<Candidate> run() {
    auto *kernel = llvm::find_if(ops, llvm::IsaPred<graph::KernelOp>);
    if (kernel != ops.end()) {
      if (allows(BackendLabel::User)) {
        userKernel(kernel - ops.begin());
      }
      return std::move(candidates);
    }
    int64_t anchors =
        llvm::count_if(ops, [&](Operation *op) { return isAnchor(op); });
    plugins(anchors);
    if (anchors == 0) {
      pointwiseBody();
    } else {
      wholeBody({}, allOps());
      if (anchors == 1) {
        prologueApart();
        updatesApart();
      }
      if (anchors > 1 || ops.size() > 1) {
        groupings(anchors);
      }
      if (anchors > 1) {
        compositions();
      }
    }
    return std::move(candidates);
  }

private:
  /// Whether all else in the body comes before or behind `op`. A norm that
  /// makes the operand of a product only comes before it.
  bool isAnchor(Operation *op) const {
    return product ? op == product : graph::isAnchor(op);
  }

  bool allows(BackendLabel label) const {
    return backends.empty() || llvm::is_contained(backends, label);
  }

  OpIndices allOps() const {
    return llvm::to_vector(llvm::seq<int64_t>(0, ops.size()));
  }

  void add(BackendLabel label, ArrayRef<ImplementedPart> parts,
           bool needsLibrary) {
    if (!allows(label)) {
      return;
    }
    Candidate candidate;
    candidate.label = label;
    candidate.launches = int(parts.size());
    candidate.needsLibrary = needsLibrary;
    candidate.name = toString(label).str();
    if (!expanded.empty()) {
      candidate.name += " expanded";
    }
    SmallVector<PartAttr> attrs;
    for (const ImplementedPart &part : parts) {
      if (!part.implementation.name.empty()) {
        candidate.name += attrs.empty() ? " " : " + ";
        candidate.name += part.implementation.name;
      }
      candidate.estimateUs += part.implementation.estimateUs;
      candidate.modelUs += part.implementation.modelUs;
      attrs.push_back(part.part);
    }
    double launches = launchUs(target.profile()) * double(parts.size() - 1);
    candidate.estimateUs += launches;
    candidate.modelUs += launches;
    if (parts.size() == 1) {
      candidate.kind = parts.front().implementation.kind;
    }
    MLIRContext *context = fusion.getContext();
    candidate.choice = kernel::ChoiceAttr::get(context, attrs, expanded);
    if (!choices.contains(candidate.choice) &&
        names.insert(candidate.name).second) {
      choices.insert(candidate.choice);
      candidates.push_back(std::move(candidate));
    }
  }

  /// A body without anchor: one kernel, or one per op as eager runs it.
  /// Nothing of a library is there to choose, so a library's label alone means
  /// the one kernel as well.
  void pointwiseBody() {
    BackendLabel fusing[] = {BackendLabel::Generated,
                             BackendLabel::LibraryFused, BackendLabel::Cudnn};
    auto *label =
        llvm::find_if(fusing, [&](BackendLabel each) { return allows(each); });
    if (label != std::end(fusing)) {
      if (auto fused = sources.generateRuns(allOps())) {
        add(*label, *fused, /*needsLibrary=*/false);
      }
      if (sources.asksForAll()) {
        everyPointwise(*label);
      }
    }
    if (allows(BackendLabel::Aten)) {
      if (auto eager = sources.generateRuns(allOps(), /*single=*/true)) {
        add(BackendLabel::Aten, *eager, /*needsLibrary=*/false);
      }
    }
  }

  /// The one kernel by every schedule that there is for it.
  void everyPointwise(BackendLabel label) {
    OutlinedPart part = kernel::outlinePart(fusion, allOps());
    PartSources::Reasons refused;
    for (const KernelFamily *family : sources.families()) {
      for (const Implementation &implementation :
           sources.ask(family, part, refused)) {
        add(label, {sources.implement(allOps(), implementation)},
            /*needsLibrary=*/false);
      }
    }
  }

  /// One part with the ops `indices`, behind the parts of all others.
  void wholeBody(const std::vector<ImplementedPart> &before,
                 const OpIndices &indices) {
    auto complete = [&](const Implementation &implementation) {
      std::vector<ImplementedPart> parts = before;
      parts.push_back(sources.implement(indices, implementation));
      return parts;
    };
    OutlinedPart part = kernel::outlinePart(fusion, indices);
    PartSources::Reasons reasons;
    bool isGenerated = false;
    for (const KernelFamily *family : sources.families()) {
      if (!allows(BackendLabel::Generated)) {
        break;
      }
      for (const Implementation &implementation :
           sources.ask(family, part, reasons)) {
        add(BackendLabel::Generated, complete(implementation),
            /*needsLibrary=*/false);
        isGenerated = true;
      }
    }
    if (!isGenerated) {
      sources.explain(reasons);
    }
    bool isBare = indices.size() == 1;
    for (const LibraryBackend *library : target.libraries()) {
      BackendLabel label = library->label();
      // A bare anchor is the same call with and without post-ops.
      if (isBare && !library->offersBareAnchor() &&
          allows(BackendLabel::Aten)) {
        continue;
      }
      if (!allows(label)) {
        continue;
      }
      PartSources::Reasons refused;
      for (const Implementation &implementation :
           sources.ask(library, part, refused)) {
        add(label, complete(implementation), /*needsLibrary=*/true);
        fusing.push_back(library);
      }
      sources.explain(refused);
    }
  }

  /// Ops whose values an anchor needs.
  llvm::DenseMap<Operation *, bool> opsThatFeed() {
    llvm::DenseMap<Operation *, bool> feeds;
    for (Operation *op : llvm::reverse(ops)) {
      feeds[op] = llvm::any_of(op->getUsers(), [&](Operation *user) {
        return isAnchor(user) || feeds.lookup(user);
      });
    }
    return feeds;
  }

  /// What feeds the only anchor in kernels of its own, all else in one part.
  void prologueApart() {
    OpIndices before, rest;
    auto feeds = opsThatFeed();
    for (auto [index, op] : llvm::enumerate(ops)) {
      (feeds.lookup(op) ? before : rest).push_back(int64_t(index));
    }
    if (before.empty()) {
      return;
    }
    if (auto parts = sources.generateRuns(before)) {
      wholeBody(*parts, rest);
    }
  }

  /// Updates in place, with what they alone read, in kernels of their own, all
  /// else in one part.
  void updatesApart() {
    llvm::DenseSet<Operation *> own;
    for (Operation *op : llvm::reverse(ops)) {
      auto isOwn = [&](Operation *user) { return own.contains(user); };
      if (graph::updatesInPlace(op) ||
          (!op->use_empty() && llvm::all_of(op->getUsers(), isOwn))) {
        own.insert(op);
      }
    }
    OpIndices before, rest;
    for (auto [index, op] : llvm::enumerate(ops)) {
      (own.contains(op) ? before : rest).push_back(int64_t(index));
    }
    if (before.empty()) {
      return;
    }
    if (auto parts = sources.generateRuns(before)) {
      wholeBody(*parts, rest);
    }
  }

  /// Every anchor on its own, generated kernels before, between and after
  /// them.
  void groupings(int64_t anchorCount) {
    // Ops by how many anchors they wait for: with one, what feeds it and what
    // follows.
    std::vector<OpIndices> stages(anchorCount + 1);
    SmallVector<int64_t> anchors;
    auto feeds = opsThatFeed();
    for (auto [index, op] : llvm::enumerate(ops)) {
      if (isAnchor(op)) {
        anchors.push_back(int64_t(index));
      } else if (anchorCount == 1) {
        stages[feeds.lookup(op) ? 0 : 1].push_back(int64_t(index));
      } else {
        stages[anchors.size()].push_back(int64_t(index));
      }
    }
    std::vector<std::vector<ImplementedPart>> generated;
    for (const OpIndices &stage : stages) {
      auto parts = sources.generateRuns(stage);
      if (!parts) {
        return;
      }
      generated.push_back(std::move(*parts));
    }
    auto assemble = [&](BackendLabel label, ArrayRef<ImplementedPart> middle,
                        bool needsLibrary) {
      std::vector<ImplementedPart> parts = generated[0];
      for (auto [i, anchor] : llvm::enumerate(middle)) {
        parts.push_back(anchor);
        llvm::append_range(parts, generated[i + 1]);
      }
      add(label, parts, needsLibrary);
    };

    std::vector<ImplementedPart> middle;
    for (int64_t anchor : anchors) {
      if (!allows(BackendLabel::Generated)) {
        break;
      }
      if (auto part = sources.generate({anchor})) {
        middle.push_back(*part);
      }
    }
    if (middle.size() == anchors.size()) {
      assemble(BackendLabel::Generated, middle, /*needsLibrary=*/false);
    }
    for (const LibraryBackend *library : target.libraries()) {
      BackendLabel label = library->label();
      // What fuses is asked for less only where it does not take all.
      if (!library->offersBareAnchor() || !allows(label) ||
          (library->fusesEpilogue() && llvm::is_contained(fusing, library))) {
        continue;
      }
      PartSources::Reasons refused;
      if (anchors.size() == 1) {
        OutlinedPart part = kernel::outlinePart(fusion, {anchors[0]});
        for (const Implementation &implementation :
             sources.ask(library, part, refused)) {
          assemble(label, {sources.implement({anchors[0]}, implementation)},
                   /*needsLibrary=*/true);
        }
        sources.explain(refused);
        continue;
      }
      middle.clear();
      for (int64_t anchor : anchors) {
        OutlinedPart part = kernel::outlinePart(fusion, {anchor});
        auto implementations = sources.ask(library, part, refused);
        if (!implementations.empty()) {
          middle.push_back(
              sources.implement({anchor}, implementations.front()));
        }
      }
      if (middle.size() == anchors.size()) {
        assemble(label, middle, /*needsLibrary=*/true);
      }
      sources.explain(refused);
    }
  }

  /// `part` by plug-in `family`, behind `before` and in front of `after`, in
  /// generated kernels; false where nothing came of it.
  bool pluginPart(const KernelFamily *family, const OpIndices &before,
                  const OpIndices &part, const OpIndices &after,
                  PartSources::Reasons &refused) {
    OutlinedPart outlined = kernel::outlinePart(fusion, part);
    std::vector<Implementation> implementations =
        sources.ask(family, outlined, refused);
    if (implementations.empty()) {
      return false;
    }
    auto head = sources.generateRuns(before),
         tail = sources.generateRuns(after);
    if (!head || !tail) {
      return false;
    }
    for (const Implementation &implementation : implementations) {
      std::vector<ImplementedPart> parts = *head;
      parts.push_back(sources.implement(part, implementation));
      llvm::append_range(parts, *tail);
      add(BackendLabel::Plugin, parts, /*needsLibrary=*/false);
    }
    return true;
  }

  bool mayAsk(const KernelFamily *family) const {
    StringRef name = family->name();
    return family->isPlugin() && name.consume_front("plugin:") &&
           (pluginNames.empty() || llvm::is_contained(pluginNames, name.str()));
  }

  /// Each plug-in for as much as it takes: all; without what feeds the only
  /// anchor; that alone.
  void plugins(int64_t anchors) {
    if (!allows(BackendLabel::Plugin)) {
      return;
    }
    auto feeds = opsThatFeed();
    OpIndices before, anchor, after;
    for (auto [index, op] : llvm::enumerate(ops)) {
      (isAnchor(op)       ? anchor
       : feeds.lookup(op) ? before
                          : after)
          .push_back(int64_t(index));
    }
    OpIndices rest = anchor;
    llvm::append_range(rest, after);
    llvm::sort(rest);
    for (const KernelFamily *family : target.families()) {
      if (!mayAsk(family)) {
        continue;
      }
      PartSources::Reasons refused;
      bool takes = pluginPart(family, {}, allOps(), {}, refused);
      if (!takes && anchors == 1 && !before.empty()) {
        takes = pluginPart(family, before, rest, {}, refused);
      }
      if (!takes && anchors == 1 && !after.empty()) {
        takes = pluginPart(family, before, anchor, after, refused);
      }
      if (!takes) {
        sources.explain(refused);
      }
    }
  }

  /// The user's kernel, op number `kernel`.
  void userKernel(int64_t kernel) {
    if (nan == NanPolicy::Reject) {
      sources.explain(
          {"user: only measuring finds out whether it keeps a NaN"});
      return;
    }
    // Of what is allowed beside the kernel; anything, where that is nothing.
    SmallVector<BackendLabel> labels(backends);
    llvm::erase(labels, BackendLabel::User);
    auto implement = [&](FusionOp rest) {
      std::vector<std::string> why;
      std::vector<Candidate> found =
          Enumeration(rest, target, labels, why, NanPolicy::Mark, layouts,
                      /*allowsLastResort=*/true, Breadth::Promising,
                      pluginNames)
              .run();
      sources.explain(why);
      return found;
    };
    for (const Composition &each :
         kernelApart(fusion, kernel, target, sources, implement)) {
      add(each.label, each.parts, each.needsLibrary);
    }
  }

  /// Every product with what follows it, and what lies between in as few
  /// kernels as there are for it.
  void compositions() {
    auto allowed = [&](BackendLabel label) { return allows(label); };
    for (const Composition &composition :
         composeParts(fusion, target, sources, allowed)) {
      add(composition.label, composition.parts, composition.needsLibrary);
    }
  }

  FusionOp fusion;
  const Target &target;
  ArrayRef<BackendLabel> backends;
  /// Of the plug-ins that are asked; empty for all.
  ArrayRef<std::string> pluginNames;
  const NanPolicy nan;
  const OperandLayouts layouts;
  const ArrayRef<int64_t> expanded;
  PartSources sources;
  SmallVector<Operation *> ops;
  /// Of a body with norms before it.
  Operation *product;
  /// Libraries that take the whole body, or all of it behind the prologue.
  SmallVector<const LibraryBackend *> fusing;
  std::vector<Candidate> candidates;
  /// Of the candidates.
  llvm::DenseSet<Attribute> choices;
  llvm::StringSet<> names;
};

} // namespace

/// Whether `candidates` have the one part of `candidate`: what takes named ops
/// whole makes the same of their stages.
static bool hasWhole(ArrayRef<Candidate> candidates,
                     const Candidate &candidate) {
  ArrayRef<PartAttr> parts = candidate.choice.getParts();
  return parts.size() == 1 &&
         llvm::any_of(candidates, [&](const Candidate &other) {
           ArrayRef<PartAttr> own = other.choice.getParts();
           return own.size() == 1 &&
                  own[0].getImplementation() == parts[0].getImplementation();
         });
}

/// With the last resort among the sources, or without. Any order.
static std::vector<Candidate>
enumerateFrom(FusionOp fusion, const Target &target,
              ArrayRef<BackendLabel> backends, std::vector<std::string> &why,
              NanPolicy nan, OperandLayouts layouts, bool allowsLastResort,
              Breadth breadth, ArrayRef<std::string> plugins) {
  std::vector<Candidate> candidates =
      Enumeration(fusion, target, backends, why, nan, layouts, allowsLastResort,
                  breadth, plugins)
          .run();
  OpIndices named, kernels;
  for (auto [index, op] : llvm::enumerate(fusion.getBodyOps())) {
    if (kernel::canExpand(op)) {
      named.push_back(int64_t(index));
    }
    if (isa<graph::KernelOp>(op)) {
      kernels.push_back(int64_t(index));
      if (cast<graph::KernelOp>(op).getPrefer() && !candidates.empty()) {
        return candidates;
      }
    }
  }
  auto addExpanded = [&](const OpIndices &indices) {
    kernel::ExpandedFusion expanded(fusion, indices);
    for (Candidate &candidate :
         Enumeration(expanded.get(), target, backends, why, nan, layouts,
                     allowsLastResort, breadth, plugins, indices)
             .run()) {
      if (!hasWhole(candidates, candidate)) {
        candidates.push_back(std::move(candidate));
      }
    }
  };
  // A kernel's reference in its place, and then what else has stages.
  if (!kernels.empty() && kernels != named) {
    addExpanded(kernels);
  }
  // A norm before a product is a part of its own as it is.
  bool isPart = kernel::getProductOfRows(fusion) && !candidates.empty();
  if (!named.empty() && !isPart) {
    addExpanded(named);
  }
  return candidates;
}

std::vector<Candidate> enumerateCandidates(
    FusionOp fusion, const Target &target, ArrayRef<BackendLabel> backends,
    std::vector<std::string> &why, NanPolicy nan, bool deterministic,
    OperandLayouts layouts, Breadth breadth, ArrayRef<std::string> plugins) {
  std::vector<Candidate> candidates =
      enumerateFrom(fusion, target, backends, why, nan, layouts,
                    /*allowsLastResort=*/false, breadth, plugins);
  // True of no candidates, too.
  if (llvm::all_of(candidates, [&](const Candidate &candidate) {
        return deterministic && !candidate.isDeterministic();
      })) {
    candidates = enumerateFrom(fusion, target, backends, why, nan, layouts,
                               /*allowsLastResort=*/true, breadth, plugins);
  }
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    bool isPluginA = a.label == BackendLabel::Plugin;
    bool isPluginB = b.label == BackendLabel::Plugin;
    return std::tie(isPluginA, a.estimateUs, a.name) <
           std::tie(isPluginB, b.estimateUs, b.name);
  });
  return candidates;
}

} // namespace minic
