// SPDX-License-Identifier: Apache-2.0
//
// What the kernel needs, the kernel with as much of its epilogue as it takes,
// and the rest.

#include "compiler/target/KernelApart.h"

#include "dialects/graph/KernelOp.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic {

using kernel::FusionOp;
using kernel::OutlinedPart;
using kernel::PartAttr;

namespace {

/// One way to implement the ops around the kernel.
struct Way {
  std::vector<ImplementedPart> parts;
  bool needsLibrary = false;
};

using Implement = function_ref<std::vector<Candidate>(FusionOp)>;

class Arrangement {
public:
  Arrangement(FusionOp fusion, int64_t kernel, const Target &target,
              PartSources &sources, Implement implement)
      : fusion(fusion), kernel(kernel), target(target), sources(sources),
        implement(implement), ops(fusion.getBodyOps()) {}

  std::vector<Composition> run() {
    llvm::DenseSet<Operation *> feeds;
    for (Operation *op : llvm::reverse(ops)) {
      if (llvm::any_of(op->getUsers(), [&](Operation *user) {
            return user == ops[kernel] || feeds.contains(user);
          })) {
        feeds.insert(op);
      }
    }
    OpIndices before, after;
    for (auto [index, op] : llvm::enumerate(ops)) {
      if (int64_t(index) != kernel) {
        (feeds.contains(op) ? before : after).push_back(int64_t(index));
      }
    }
    std::vector<Way> first = implementRest(before);
    PartSources::Reasons refused;
    place(first, {kernel}, implementRest(after), refused);
    bool hasEpilogue = bool(cast<graph::KernelOp>(ops[kernel]).getEpilogue());
    // The most of what follows that it can be.
    for (size_t count = after.size(); hasEpilogue && count > 0; --count) {
      OpIndices own = {kernel};
      llvm::append_range(own, ArrayRef(after).take_front(count));
      llvm::sort(own);
      if (place(first, own,
                implementRest(OpIndices(ArrayRef(after).drop_front(count))),
                refused)) {
        break;
      }
    }
    sources.explain(refused);
    return std::move(found);
  }

private:
  /// The best ways to implement `indices`, by estimates; empty where nothing
  /// does.
  std::vector<Way> implementRest(const OpIndices &indices) {
    constexpr size_t most = 3;
    std::vector<Way> ways;
    if (llvm::none_of(indices, [&](int64_t index) {
          return graph::isAnchor(ops[index]);
        })) {
      if (auto runs = sources.generateRuns(indices)) {
        ways.push_back({std::move(*runs)});
      }
      return ways;
    }
    OutlinedPart part = kernel::outlinePart(fusion, indices);
    std::vector<Candidate> rest = implement(part.fusion.get());
    llvm::sort(rest, [](const Candidate &a, const Candidate &b) {
      return std::tie(a.estimateUs, a.name) < std::tie(b.estimateUs, b.name);
    });
    for (const Candidate &candidate : rest) {
      if (ways.size() == most) {
        break;
      }
      ways.push_back(wayOf(candidate, indices));
    }
    return ways;
  }

  /// `candidate`, of a fusion of the ops `indices`.
  Way wayOf(const Candidate &candidate, const OpIndices &indices) {
    Way way;
    way.needsLibrary = candidate.needsLibrary;
    for (PartAttr inner : candidate.choice.getParts()) {
      OpIndices own = llvm::map_to_vector(
          inner.getOps(), [&](int64_t index) { return indices[index]; });
      // The first one has the name and the time of all.
      Implementation implementation;
      if (way.parts.empty()) {
        implementation.name = StringRef(candidate.name).split(' ').second.str();
        implementation.estimateUs = candidate.estimateUs;
        implementation.modelUs = candidate.modelUs;
      }
      way.parts.push_back(
          {PartAttr::get(fusion.getContext(), own, inner.getImplementation(),
                         inner.getOperands()),
           implementation});
    }
    return way;
  }

  /// `own`, which the kernel does, between ways to do the rest; false where no
  /// family takes it.
  bool place(ArrayRef<Way> first, const OpIndices &own, ArrayRef<Way> last,
             PartSources::Reasons &refused) {
    OutlinedPart part = kernel::outlinePart(fusion, own);
    bool isTaken = false;
    for (const KernelFamily *family : target.families()) {
      if (!family->takesUserKernels()) {
        continue;
      }
      for (const Implementation &implementation :
           sources.ask(family, part, refused)) {
        isTaken = true;
        for (const Way &head : first) {
          for (const Way &tail : last) {
            Composition &made = found.emplace_back(
                Composition{BackendLabel::User, head.parts,
                            head.needsLibrary || tail.needsLibrary});
            made.parts.push_back(sources.implement(own, implementation));
            llvm::append_range(made.parts, tail.parts);
          }
        }
      }
    }
    return isTaken;
  }

  FusionOp fusion;
  const int64_t kernel;
  const Target &target;
  PartSources &sources;
  Implement implement;
  SmallVector<Operation *> ops;
  std::vector<Composition> found;
};

} // namespace

std::vector<Composition> kernelApart(FusionOp fusion, int64_t kernel,
                                     const Target &target, PartSources &sources,
                                     Implement implement) {
  return Arrangement(fusion, kernel, target, sources, implement).run();
}

} // namespace minic
