// SPDX-License-Identifier: Apache-2.0
//
// Stores, and pointwise ops: the block's threads take the elements row by row,
// several vectors each, so that their loads are in flight together.

#include "compiler/target/cuda/gemm_skinny/SkinnyLhs.h"

#include "compiler/target/cuda/BodyEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

std::unique_ptr<SkinnyLhs>
SkinnyLhs::create(CudaKernelBuilder &k, const SkinnyGeometry &geometry,
                  const LhsPrologue &prologue, ArrayRef<Value> operands,
                  const llvm::SmallBitVector &constants, Value shared) {
  return prologue.rows
             ? createNormLhs(k, geometry, prologue, operands, constants, shared)
             : createPointwiseLhs(k, geometry, prologue, operands, shared);
}

void SkinnyLhs::store(Value value, Value row, Value column) {
  Value at = k.add(k.mul(row, g.lhsPitch()), column);
  Value lhs = k.advance(shared, g.lhsOffset(), k.b.getI8Type());
  k.storeAligned(k.toStorage(value, g.dtype), k.advance(lhs, at, g.dtype));
}

void SkinnyLhs::storePadding() {
  if (g.gemm.k % g.chunk() == 0) {
    return;
  }
  // Whole words, which one warp has: the last element of K is made later.
  int64_t begin = g.gemm.k / 2 * 2;
  int64_t perRow = llvm::alignTo(g.gemm.k, g.chunk()) - begin;
  Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(0));
  k.forLoop(
      k.threadIdX(), k.i32(perRow * g.gemm.m), g.threads(), [&](Value index) {
        store(zero, k.div(index, perRow), k.add(k.rem(index, perRow), begin));
      });
  k.barrier();
}

namespace {

class PointwiseLhs : public SkinnyLhs {
public:
  PointwiseLhs(CudaKernelBuilder &k, const SkinnyGeometry &geometry,
               const LhsPrologue &prologue, ArrayRef<Value> operands,
               Value shared)
      : SkinnyLhs(k, geometry, shared), prologue(prologue),
        operands(operands.begin(), operands.end()) {}

  void make() override {
    int64_t lanes = BodyEvaluator::lanesFor({g.gemm.k}, g.vector());
    int64_t perRow = g.gemm.k / lanes;
    // One warp has both halves of a word: rows are of an even number.
    perRow += lanes == 1 ? perRow % 2 : 0;
    int64_t groups = g.gemm.m * perRow;
    int64_t atOnce = std::min<int64_t>(llvm::divideCeil(groups, g.threads()),
                                       kMadeAtOnce / lanes);
    auto body = [&](Value first) {
      // Threads behind the end make the last group, and do not store it.
      std::vector<BodyEvaluator> bodies;
      SmallVector<SpacePosition> positions;
      SmallVector<Value> isInside;
      for (int64_t i = 0; i != atOnce; ++i) {
        Value group = k.add(first, i * g.threads());
        Value column = k.mul(k.rem(group, perRow), lanes);
        isInside.push_back(
            both(k.lessThan(group, groups), k.lessThan(column, g.gemm.k)));
        SpacePosition at{k.min(k.div(group, perRow), k.i32(g.gemm.m - 1)),
                         k.min(column, k.i32(g.gemm.k - lanes)), lanes};
        positions.push_back(at);
        load(bodies.emplace_back(k, space(), operands), at);
      }
      for (auto [each, at, isOwn] :
           llvm::zip_equal(bodies, positions, isInside)) {
        Value value = each.get(prologue.value);
        k.ifThen(isOwn, [&, at = at] { store(value, at.row, at.column); });
      }
    };
    Value thread = k.threadIdX();
    if (groups <= atOnce * g.threads()) {
      body(thread);
    } else {
      k.forLoop(thread, k.i32(groups), atOnce * g.threads(), body);
    }
  }

private:
  ArrayRef<int64_t> space() const {
    return cast<RankedTensorType>(prologue.value.getType()).getShape();
  }

  Value both(Value a, Value b) {
    return arith::AndIOp::create(k.b, k.loc, a, b);
  }

  void load(BodyEvaluator &body, const SpacePosition &at) {
    body.moveTo(at);
    for (Operation *op : prologue.ops) {
      for (Value operand : op->getOperands()) {
        if (auto argument = dyn_cast<BlockArgument>(operand)) {
          body.fetch(argument);
        }
      }
    }
  }

  const LhsPrologue &prologue;
  SmallVector<Value> operands;
};

} // namespace

std::unique_ptr<SkinnyLhs> createPointwiseLhs(CudaKernelBuilder &k,
                                              const SkinnyGeometry &geometry,
                                              const LhsPrologue &prologue,
                                              ArrayRef<Value> operands,
                                              Value shared) {
  return std::make_unique<PointwiseLhs>(k, geometry, prologue, operands,
                                        shared);
}

} // namespace minic::cuda
