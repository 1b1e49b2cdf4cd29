// SPDX-License-Identifier: Apache-2.0
//
// NCHW is the first part of the cut. An op is cut from the side it is not on at
// what it costs on the other. An image whose producer and some readers are in
// different parts costs one relayout, however many readers there are.

#include "passes/graph/layouts/ChooseLayouts.h"

#include "passes/graph/layouts/GlobalPool.h"
#include "passes/graph/raise/Match.h"
#include "passes/support/MinimumCut.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <set>

using namespace mlir;

namespace minic::graph {

/// An op changes its order only where that is better by more: what is as good
/// in both stays as the model has it.
constexpr double doubt = 1.01;
/// Between ops of different orders where the image is the same bytes in both,
/// so that what costs nothing follows its neighbours.
constexpr double preference = 1e-6;

namespace {

/// A block for ops that are only asked about.
struct Scratch {
  explicit Scratch(Location loc)
      : module(ModuleOp::create(loc)),
        builder(OpBuilder::atBlockEnd(module->getBody())) {}

  Block &block() { return *module->getBody(); }
  Value add(Type type) { return block().addArgument(type, module->getLoc()); }

  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
};

class Chooser {
public:
  Chooser(Block &block, const ImageDomain &domain, LayoutCosts &costs)
      : block(block), domain(domain), costs(costs) {}

  LayoutChoice run() {
    for (Operation &op : block) {
      if (domain.find(&op) || domain.isAlias(&op) || domain.shuffledBy(&op)) {
        nodes[&op] = cut.addNode();
      }
    }
    for (Operation &op : block) {
      if (const ImageOp *image = domain.find(&op)) {
        addOp(*image);
      }
    }
    for (auto [value, layout] : domain.images()) {
      addImage(value, layout);
    }
    std::vector<bool> isNchw = cut.run();
    LayoutChoice choice;
    std::vector<bool> asItIs(isNchw.size());
    asItIs[MinimumCut::source] = true;
    for (auto [op, node] : nodes) {
      ImageLayout layout =
          isNchw[size_t(node)] ? ImageLayout::NCHW : ImageLayout::NHWC;
      choice.layouts[op] = layout;
      if (pools.contains({op, layout})) {
        choice.pools.insert(op);
      }
      const ImageOp *image = domain.find(op);
      asItIs[size_t(node)] =
          (image ? domain.layoutOf(*image)
                 : *domain.layoutOf(op->getResult(0))) == ImageLayout::NCHW;
    }
    for (const ImageCost &image : imageCosts) {
      choice.relayoutUs[image.value] = image.us;
    }
    choice.savedUs = total(asItIs) - total(isNchw);
    chosen = std::move(isNchw);
    return choice;
  }

  /// Measures the relayouts of `choice`, run()'s; whether one takes another
  /// time than it was chosen for.
  bool measureRelayouts(LayoutChoice &choice) {
    bool isOther = false;
    for (const ImageCost &image : imageCosts) {
      if (!isRelaid(image, chosen) || isSameInBoth(image.value)) {
        continue;
      }
      Scratch scratch(image.value.getLoc());
      createRelayout(scratch, image.value, *domain.layoutOf(image.value));
      if (auto us = costs.measuredUs(scratch.block())) {
        isOther |= std::max(*us, preference) != image.us;
        choice.measured.insert(image.value);
      }
    }
    return isOther;
  }

private:
  static MinimumCut::Node sideOf(ImageLayout layout) {
    return layout == ImageLayout::NCHW ? MinimumCut::source : MinimumCut::sink;
  }

  void addOp(const ImageOp &image) {
    // Pointwise ops do the same work in any order of their elements.
    if (isa<PointwiseOpInterface, BroadcastOp>(image.op)) {
      return;
    }
    ImageLayout own = domain.layoutOf(image), other = otherLayout(own);
    double asItIs = usOf(image, own), changed = doubt * usOf(image, other);
    MinimumCut::Node node = nodes[image.op];
    opCosts.push_back({node, own, asItIs, changed / doubt});
    cut.addEdge(MinimumCut::source, node,
                own == ImageLayout::NHWC ? asItIs : changed);
    cut.addEdge(node, MinimumCut::sink,
                own == ImageLayout::NCHW ? asItIs : changed);
  }

  /// A reduction over all pixels is a pool where that is faster.
  double usOf(const ImageOp &image, ImageLayout layout) {
    ImageLayout own = domain.layoutOf(image);
    Scratch scratch(image.op->getLoc());
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(image.op->getOperands())) {
      bool isImage = llvm::is_contained(image.images, unsigned(i));
      operands.push_back(
          scratch.add(typeIn(typeOf(operand), isImage ? layout : own, own)));
    }
    if (layout != own) {
      image.create(scratch.builder, layout, operands);
    } else {
      scratch.builder.insert(image.op->clone())->setOperands(operands);
    }
    double us = costs.blockUs(scratch.block());
    if (isGlobalPool(image.op, own)) {
      Scratch pooled(image.op->getLoc());
      createGlobalPool(pooled.builder, cast<ReduceOp>(image.op), layout,
                       pooled.add(operands[0].getType()));
      double pooledUs = costs.blockUs(pooled.block());
      if (doubt * pooledUs < us) {
        pools.insert({image.op, layout});
        us = pooledUs;
      }
    }
    return us;
  }

  double relayoutUs(Value value, ImageLayout from) {
    if (isSameInBoth(value)) {
      return 0;
    }
    Scratch scratch(value.getLoc());
    createRelayout(scratch, value, from);
    return costs.blockUs(scratch.block());
  }

  static void createRelayout(Scratch &scratch, Value value, ImageLayout from) {
    TransposeOp::create(scratch.builder, value.getLoc(),
                        scratch.add(value.getType()),
                        permutationTo(otherLayout(from)));
  }

  /// The type in `layout` of an image that has `type` in `own`.
  static RankedTensorType typeIn(RankedTensorType type, ImageLayout layout,
                                 ImageLayout own) {
    return layout == own ? type
                         : type.clone(llvm::map_to_vector(
                               permutationTo(layout), [&](int64_t dim) {
                                 return type.getDimSize(dim);
                               }));
  }

  MinimumCut::Node producerOf(Value value, ImageLayout layout) {
    Operation *op = value.getDefiningOp();
    if (auto node = op ? nodes.find(op) : nodes.end(); node != nodes.end()) {
      return node->second;
    }
    return sideOf(op && domain.rowsBehind(op) ? ImageLayout::NHWC : layout);
  }

  /// The last op of the shuffle of `image` that begins with `op`; null if `op`
  /// begins none.
  Operation *lastOfShuffle(Operation *op, Value image) const {
    for (int step = 0; step != 2; ++step) {
      if (!isa<ReshapeOp, TransposeOp>(op) || !op->hasOneUse()) {
        return nullptr;
      }
      op = *op->user_begin();
    }
    return domain.shuffledBy(op) == image ? op : nullptr;
  }

  MinimumCut::Node readerOf(OpOperand &use, ImageLayout layout) {
    Operation *op = use.getOwner();
    const ImageOp *image = domain.find(op);
    if (domain.isAlias(op) ||
        (image && llvm::is_contained(image->images, use.getOperandNumber()))) {
      return nodes[op];
    }
    if (Operation *shuffle = lastOfShuffle(op, use.get())) {
      return nodes[shuffle];
    }
    bool isReadAsRows = isa<ReshapeOp>(op) && op->hasOneUse() &&
                        domain.rowsOf(*op->user_begin());
    return sideOf(isReadAsRows ? ImageLayout::NHWC : layout);
  }

  void addImage(Value value, ImageLayout layout) {
    double us = std::max(relayoutUs(value, layout), preference);
    MinimumCut::Node producer = producerOf(value, layout),
                     toNhwc = cut.addNode(), toNchw = cut.addNode();
    cut.addEdge(producer, toNhwc, us);
    cut.addEdge(toNchw, producer, us);
    ImageCost &cost = imageCosts.emplace_back();
    cost = {value, us, producer, {}};
    for (OpOperand &use : value.getUses()) {
      MinimumCut::Node reader = readerOf(use, layout);
      cut.addEdge(toNhwc, reader, MinimumCut::infinite);
      cut.addEdge(reader, toNchw, MinimumCut::infinite);
      cost.readers.push_back(reader);
    }
  }

  /// What an op costs in the model's order and in the other one.
  struct OpCost {
    MinimumCut::Node node;
    ImageLayout own;
    double asItIs, changed;
  };
  struct ImageCost {
    Value value;
    double us; // of a relayout
    MinimumCut::Node producer;
    SmallVector<MinimumCut::Node> readers;
  };

  /// Microseconds of everything where these nodes are NCHW.
  double total(const std::vector<bool> &isNchw) const {
    double us = 0;
    for (const OpCost &op : opCosts) {
      bool isOwn = isNchw[size_t(op.node)] == (op.own == ImageLayout::NCHW);
      us += isOwn ? op.asItIs : op.changed;
    }
    for (const ImageCost &image : imageCosts) {
      us += isRelaid(image, isNchw) ? image.us : 0;
    }
    return us;
  }

  static bool isRelaid(const ImageCost &image,
                       const std::vector<bool> &isNchw) {
    return llvm::any_of(image.readers, [&](MinimumCut::Node reader) {
      return isNchw[size_t(reader)] != isNchw[size_t(image.producer)];
    });
  }

  Block &block;
  const ImageDomain &domain;
  LayoutCosts &costs;
  MinimumCut cut;
  std::vector<bool> chosen; // by node, whether it is NCHW
  std::vector<OpCost> opCosts;
  std::vector<ImageCost> imageCosts;
  llvm::DenseMap<Operation *, MinimumCut::Node> nodes;
  /// Reductions that are faster as pools, in which orders.
  std::set<std::pair<Operation *, ImageLayout>> pools;
};

} // namespace

LayoutChoice chooseLayouts(Block &block, const ImageDomain &domain,
                           LayoutCosts &costs) {
  // Ends: a relayout is measured once.
  while (true) {
    Chooser chooser(block, domain, costs);
    LayoutChoice choice = chooser.run();
    if (!chooser.measureRelayouts(choice)) {
      return choice;
    }
  }
}

} // namespace minic::graph
