// SPDX-License-Identifier: Apache-2.0
//
// Partitions a body into parts and asks every source for each part.

#include "compiler/target/Candidates.h"

#include "dialects/kernel/OutlinePart.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic {

using graph::isAnchor;
using kernel::FusionOp;
using kernel::OutlinedPart;
using kernel::PartAttr;

namespace {

using OpIndices = SmallVector<int64_t>;

/// What each further launch costs beyond the kernels' own estimates: waking
/// the thread team and leaving it.
constexpr double kLaunchUs = 1.0;

/// One part with the source and implementation it got.
struct ImplementedPart {
  PartAttr part;
  Implementation implementation;
};

class Enumeration {
public:
  Enumeration(FusionOp fusion, const Target &target,
              ArrayRef<BackendLabel> backends, std::vector<std::string> &why,
              NanPolicy nan)
      : fusion(fusion), target(target), backends(backends), why(why), nan(nan),
        ops(fusion.getBodyOps()) {}

  std::vector<Candidate> run() {
    int64_t anchors = llvm::count_if(ops, isAnchor);
    if (anchors == 0) {
      pointwiseBody();
    } else {
      wholeBody({}, allOps());
      if (anchors == 1) {
        prologueApart();
      }
      if (anchors > 1 || ops.size() > 1) {
        groupings(anchors);
      }
    }
    llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
      return std::tie(a.estimateUs, a.name) < std::tie(b.estimateUs, b.name);
    });
    return std::move(candidates);
  }

private:
  bool allows(BackendLabel label) const {
    return backends.empty() || llvm::is_contained(backends, label);
  }

  OpIndices allOps() const {
    return llvm::to_vector(llvm::seq<int64_t>(0, ops.size()));
  }

  using Reasons = std::vector<std::string>;

  /// All implementations of `part` by `source`; empty where it is rejected.
  std::vector<Implementation> ask(const ImplementationSource *source,
                                  const OutlinedPart &part, Reasons &reasons) {
    FusionOp outlined = part.fusion.get();
    SmallVector<Operation *> body = outlined.getBodyOps();
    auto *anchor = llvm::find_if(body, isAnchor);
    if (!source->isFor(anchor == body.end() ? nullptr : *anchor)) {
      return {};
    }
    if (auto reason = source->reject(outlined, target.profile())) {
      reasons.push_back(source->name().str() + ": " + *reason);
      return {};
    }
    std::string lost = source->opsThatLoseNan(outlined);
    if (!lost.empty() && nan == NanPolicy::Reject) {
      reasons.push_back(source->name().str() + ": loses NaN in " + lost);
      return {};
    }
    std::vector<Implementation> implementations =
        source->enumerate(outlined, target.profile());
    for (Implementation &implementation : implementations) {
      if (!lost.empty() && nan == NanPolicy::Mark) {
        implementation.name += " (NaN lost in " + lost + ")";
      }
    }
    return implementations;
  }

  /// Keeps reasons that explain why something is missing, each once.
  void explain(const Reasons &reasons) {
    for (const std::string &reason : reasons) {
      if (!llvm::is_contained(why, reason)) {
        why.push_back(reason);
      }
    }
  }

  ImplementedPart implement(const OpIndices &indices,
                            const Implementation &implementation) {
    MLIRContext *context = fusion.getContext();
    auto part =
        PartAttr::get(context, indices, implementation.impl,
                      ArrayAttr::get(context, implementation.operandLayouts));
    return {part, implementation};
  }

  /// The best generated implementation of some ops.
  std::optional<ImplementedPart> generate(const OpIndices &indices) {
    OutlinedPart part = kernel::outlinePart(fusion, indices);
    std::optional<Implementation> best;
    Reasons reasons;
    for (const KernelFamily *family : target.families()) {
      for (const Implementation &implementation : ask(family, part, reasons)) {
        if (!best || implementation.estimateUs < best->estimateUs) {
          best = implementation;
        }
      }
    }
    if (!best) {
      explain(reasons);
      return std::nullopt;
    }
    return implement(indices, *best);
  }

  /// Generated kernels for `indices` (without anchors): one if a family
  /// takes all of them, else as few runs of neighbours as greed finds. With
  /// `single` one kernel per op.
  std::optional<std::vector<ImplementedPart>>
  generateRuns(const OpIndices &indices, bool single = false) {
    std::vector<ImplementedPart> parts;
    if (indices.empty()) {
      return parts;
    }
    if (!single) {
      if (auto all = generate(indices)) {
        parts.push_back(*all);
        return parts;
      }
    }
    OpIndices run;
    std::optional<ImplementedPart> current;
    for (int64_t index : indices) {
      bool isNeighbour = !run.empty() && run.back() + 1 == index;
      if (isNeighbour && !single) {
        OpIndices longer = run;
        longer.push_back(index);
        if (auto extended = generate(longer)) {
          run = longer;
          current = extended;
          continue;
        }
      }
      if (current) {
        parts.push_back(*current);
      }
      run = {index};
      current = generate(run);
      if (!current) {
        return std::nullopt;
      }
    }
    parts.push_back(*current);
    return parts;
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
    SmallVector<PartAttr> attrs;
    for (const ImplementedPart &part : parts) {
      candidate.name += attrs.empty() ? " " : " + ";
      candidate.name += part.implementation.name;
      candidate.estimateUs += part.implementation.estimateUs;
      attrs.push_back(part.part);
    }
    candidate.estimateUs += kLaunchUs * double(parts.size() - 1);
    if (parts.size() == 1) {
      candidate.kind = parts.front().implementation.kind;
    }
    MLIRContext *context = fusion.getContext();
    candidate.choice =
        kernel::ChoiceAttr::get(context, attrs, StringAttr::get(context, ""));
    bool isKnown = llvm::any_of(candidates, [&](const Candidate &other) {
      return other.choice == candidate.choice;
    });
    if (!isKnown) {
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
      if (auto fused = generateRuns(allOps())) {
        add(*label, *fused, /*needsLibrary=*/false);
      }
    }
    if (allows(BackendLabel::Aten)) {
      if (auto eager = generateRuns(allOps(), /*single=*/true)) {
        add(BackendLabel::Aten, *eager, /*needsLibrary=*/false);
      }
    }
  }

  /// One part with the ops `indices`, behind the parts of all others.
  void wholeBody(const std::vector<ImplementedPart> &before,
                 const OpIndices &indices) {
    auto complete = [&](const Implementation &implementation) {
      std::vector<ImplementedPart> parts = before;
      parts.push_back(implement(indices, implementation));
      return parts;
    };
    OutlinedPart part = kernel::outlinePart(fusion, indices);
    Reasons reasons;
    bool isGenerated = false;
    for (const KernelFamily *family : target.families()) {
      if (!allows(BackendLabel::Generated)) {
        break;
      }
      for (const Implementation &implementation : ask(family, part, reasons)) {
        add(BackendLabel::Generated, complete(implementation),
            /*needsLibrary=*/false);
        isGenerated = true;
      }
    }
    if (!isGenerated) {
      explain(reasons);
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
      Reasons refused;
      for (const Implementation &implementation : ask(library, part, refused)) {
        add(label, complete(implementation), /*needsLibrary=*/true);
        fusing.push_back(library);
      }
      explain(refused);
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
    if (auto parts = generateRuns(before)) {
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
      auto parts = generateRuns(stage);
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
      if (auto part = generate({anchor})) {
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
      Reasons refused;
      if (anchors.size() == 1) {
        OutlinedPart part = kernel::outlinePart(fusion, {anchors[0]});
        for (const Implementation &implementation :
             ask(library, part, refused)) {
          assemble(label, {implement({anchors[0]}, implementation)},
                   /*needsLibrary=*/true);
        }
        explain(refused);
        continue;
      }
      middle.clear();
      for (int64_t anchor : anchors) {
        OutlinedPart part = kernel::outlinePart(fusion, {anchor});
        auto implementations = ask(library, part, refused);
        if (!implementations.empty()) {
          middle.push_back(implement({anchor}, implementations.front()));
        }
      }
      if (middle.size() == anchors.size()) {
        assemble(label, middle, /*needsLibrary=*/true);
      }
      explain(refused);
    }
  }

  FusionOp fusion;
  const Target &target;
  ArrayRef<BackendLabel> backends;
  std::vector<std::string> &why;
  NanPolicy nan;
  SmallVector<Operation *> ops;
  /// Libraries that take the whole body, or all of it behind the prologue.
  SmallVector<const LibraryBackend *> fusing;
  std::vector<Candidate> candidates;
};

} // namespace

std::vector<Candidate> enumerateCandidates(FusionOp fusion,
                                           const Target &target,
                                           ArrayRef<BackendLabel> backends,
                                           std::vector<std::string> &why,
                                           NanPolicy nan) {
  return Enumeration(fusion, target, backends, why, nan).run();
}

std::string opsThatLoseNan(FusionOp fusion, const Target &target) {
  std::string lost;
  kernel::ChoiceAttr choice = fusion.getChoiceAttr();
  if (!choice) {
    return lost;
  }
  for (PartAttr part : choice.getParts()) {
    OutlinedPart outlined = kernel::outlinePart(fusion, part.getOps());
    for (const LibraryBackend *library : target.libraries()) {
      if (library->name() != part.getImplementation().getFamily()) {
        continue;
      }
      std::string ops = library->opsThatLoseNan(outlined.fusion.get());
      lost += (lost.empty() || ops.empty() ? "" : ", ") + ops;
    }
  }
  return lost;
}

} // namespace minic
