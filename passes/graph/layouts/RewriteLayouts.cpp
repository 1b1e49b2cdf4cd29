// SPDX-License-Identifier: Apache-2.0
//
// Ops are visited in order. Of each image it is known in which orders it is
// there already.

#include "passes/graph/layouts/RewriteLayouts.h"

#include "passes/graph/layouts/GlobalPool.h"
#include "passes/graph/raise/Match.h"

#include <array>

using namespace mlir;

namespace minic::graph {

namespace {

class Rewriter {
public:
  Rewriter(Block &block, const ImageDomain &domain, const LayoutChoice &choice)
      : block(block), domain(domain), choice(choice), b(block.getParentOp()) {}

  LayoutRewrite run() {
    SmallVector<Operation *> ops;
    for (Operation &op : block) {
      ops.push_back(&op);
    }
    for (auto [value, layout] : domain.images()) {
      known[value][size_t(layout)] = value;
    }
    for (Operation *op : ops) {
      visit(op);
    }
    for (Operation *op : llvm::reverse(replaced)) {
      op->erase();
    }
    llvm::erase_if(result.relayouts, [](LayoutRewrite::Relayout &relayout) {
      return isSameInBoth(relayout.op.getInput());
    });
    return std::move(result);
  }

private:
  void visit(Operation *op) {
    if (const ImageOp *image = domain.find(op)) {
      visitImage(*image);
    } else if (domain.isAlias(op)) {
      sources[op->getResult(0)] = resolve(op->getOperand(0));
      replaced.push_back(op);
    } else if (Value pixels = pixelsReadAsRows(op)) {
      readAsRows(cast<TransposeOp>(op), pixels);
    } else if (!isa<ReshapeOp>(op) || !op->hasOneUse() ||
               !pixelsReadAsRows(*op->user_begin())) {
      for (OpOperand &operand : op->getOpOperands()) {
        if (auto layout = domain.layoutOf(operand.get())) {
          operand.set(in(operand.get(), *layout));
        }
      }
    }
  }

  void visitImage(const ImageOp &image) {
    Operation *op = image.op;
    ImageLayout layout = choice.layouts.lookup(op);
    SmallVector<Value> operands(op->getOperands());
    for (unsigned number : image.images) {
      operands[number] = in(operands[number], layout);
    }
    bool isPool = choice.pools.contains(op);
    if (layout == domain.layoutOf(image) && !isPool) {
      op->setOperands(operands);
      return;
    }
    b.setInsertionPoint(op);
    Value old = op->getResult(0);
    Value now = isPool ? pool(cast<ReduceOp>(op), layout, operands[0])
                       : image.create(b, layout, operands)->getResult(0);
    if (image.givesImage) {
      known[old] = {};
      known[old][size_t(layout)] = now;
    } else {
      old.replaceAllUsesWith(now);
    }
    replaced.push_back(op);
    ++result.changed;
    result.stated += statedLayout(op).has_value();
  }

  Value pool(ReduceOp op, ImageLayout layout, Value image) {
    Value pooled = createGlobalPool(b, op, layout, image);
    return op.getKeepDims()
               ? pooled
               : ReshapeOp::create(b, op.getLoc(), op.getType(), pooled);
  }

  /// What `value` is another name of.
  Value resolve(Value value) const {
    Value source = sources.lookup(value);
    return source ? source : value;
  }

  /// The image in NHWC whose pixels `op` has as rows, if that is there.
  Value pixelsReadAsRows(Operation *op) {
    Value image = domain.rowsOf(op);
    return image ? known[resolve(image)][size_t(ImageLayout::NHWC)] : Value();
  }

  /// `value` in `layout`.
  Value in(Value value, ImageLayout layout) {
    value = resolve(value);
    Value there = known[value][size_t(layout)];
    if (there) {
      return there;
    }
    if (Operation *op = value.getDefiningOp();
        op && layout == ImageLayout::NHWC) {
      if (Value rows = domain.rowsBehind(op)) {
        there = pixelsOf(rows, cast<ReshapeOp>(op));
      }
    }
    if (!there) {
      Value from = known[value][size_t(otherLayout(layout))];
      b.setInsertionPointAfterValue(from);
      auto relayout =
          TransposeOp::create(b, value.getLoc(), from, permutationTo(layout));
      result.relayouts.push_back({relayout, layout,
                                  choice.relayoutUs.lookup(value),
                                  choice.measured.contains(value)});
      there = relayout;
    }
    return known[value][size_t(layout)] = there;
  }

  /// Rows [N, H * W, C] as the pixels of `image`, NHWC.
  Value pixelsOf(Value rows, ReshapeOp image) {
    b.setInsertionPoint(image);
    ArrayRef<int64_t> shape = image.getType().getShape();
    return ReshapeOp::create(
        b, image.getLoc(),
        image.getType().clone({shape[0], shape[2], shape[3], shape[1]}), rows);
  }

  void readAsRows(TransposeOp op, Value pixels) {
    b.setInsertionPoint(op);
    Value rows = ReshapeOp::create(b, op.getLoc(), op.getType(), pixels);
    op.replaceAllUsesWith(rows);
    Operation *reshape = op.getInput().getDefiningOp();
    replaced.push_back(reshape);
    replaced.push_back(op);
  }

  Block &block;
  const ImageDomain &domain;
  const LayoutChoice &choice;
  OpBuilder b;
  /// By image as the model has it: the value in NCHW and in NHWC, null where it
  /// is not there.
  llvm::DenseMap<Value, std::array<Value, 2>> known;
  /// Of a transpose that is another name.
  llvm::DenseMap<Value, Value> sources;
  SmallVector<Operation *> replaced;
  LayoutRewrite result;
};

} // namespace

LayoutRewrite rewriteLayouts(Block &block, const ImageDomain &domain,
                             const LayoutChoice &choice) {
  return Rewriter(block, domain, choice).run();
}

} // namespace minic::graph
