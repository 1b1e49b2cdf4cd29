// SPDX-License-Identifier: Apache-2.0
//
// Cuts a body in two where its lhs is not an operand, and matches both parts.

#include "compiler/target/cuda/gemm_skinny/SkinnyFusion.h"

#include "compiler/target/cuda/gemm/ConvolutionView.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;

int64_t SkinnyFusion::rhs() const {
  return operands[cast<BlockArgument>(shape.gemm->rhs).getArgNumber()];
}

namespace {

class Matcher {
public:
  Matcher(FusionOp fusion, std::string &reason)
      : fusion(fusion), reason(reason) {}

  LogicalResult run(SkinnyFusion &made) {
    Operation *product = nullptr;
    for (Operation *op : fusion.getBodyOps()) {
      if (graph::isContraction(op)) {
        if (product) {
          return fail("more than one contraction in the body");
        }
        product = op;
      }
    }
    Value lhs = product ? product->getOperand(0) : Value();
    if (!lhs || isa<BlockArgument>(lhs)) {
      return matchProduct(fusion, made);
    }
    if (failed(cut(lhs, made)) ||
        failed(matchProduct(*made.rest.fusion, made))) {
      return failure();
    }
    return matchPrologue(*made.shape.gemm, *made.prologue);
  }

private:
  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }

  /// The ops that `lhs` needs, and the others.
  LogicalResult cut(Value lhs, SkinnyFusion &made) {
    llvm::SmallPtrSet<Operation *, 8> needed;
    SmallVector<Value> worklist{lhs};
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val().getDefiningOp();
      if (op && needed.insert(op).second) {
        llvm::append_range(worklist, op->getOperands());
      }
    }
    LhsPrologue &prologue = made.prologue.emplace();
    prologue.value = lhs;
    SmallVector<int64_t> before, rest;
    for (auto [index, op] : llvm::enumerate(fusion.getBodyOps())) {
      bool isBefore = needed.contains(op);
      (isBefore ? before : rest).push_back(int64_t(index));
      if (isBefore) {
        prologue.ops.push_back(op);
      }
    }
    prologue.part = kernel::outlinePart(fusion, before);
    made.rest = kernel::outlinePart(fusion, rest);
    auto yielded = fusion.getYield().getValues();
    if (ArrayRef(prologue.part.results) != ArrayRef(lhs) || usesOf(lhs) != 1) {
      return fail("what makes the lhs is used behind the product, too");
    }
    if (made.rest.results.size() != yielded.size()) {
      return fail("a result that is an operand of the fusion, or one twice");
    }
    return success();
  }

  int64_t usesOf(Value value) {
    return llvm::count_if(value.getUsers(), [&](Operation *user) {
      return user->getParentOp() == fusion;
    });
  }

  int64_t operandNumber(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? int64_t(argument.getArgNumber()) : -1;
  }

  /// `body`: the fusion, or the part of it behind the lhs.
  LogicalResult matchProduct(FusionOp body, SkinnyFusion &made) {
    auto shape =
        kernel::FusionShape::get(body, &reason, kernel::ColumnTurns::Taken);
    if (failed(shape)) {
      return failure();
    }
    if (const char *why = viewPlainProduct(*shape)) {
      return fail(why);
    }
    made.shape = std::move(*shape);
    for (auto [i, input] : llvm::enumerate(body.getInputs())) {
      made.operands.push_back(body == fusion ? int64_t(i)
                                             : operandNumber(input));
    }
    auto yielded = llvm::to_vector(fusion.getYield().getValues());
    for (size_t i = 0; i != made.shape.results.size(); ++i) {
      made.results.push_back(body == fusion
                                 ? int64_t(i)
                                 : llvm::find(yielded, made.rest.results[i]) -
                                       yielded.begin());
    }
    return checkProduct(made);
  }

  LogicalResult checkProduct(const SkinnyFusion &made) {
    if (!made.shape.gemm) {
      return fail("no matrix product in the body");
    }
    const kernel::GemmShape &gemm = *made.shape.gemm;
    if (gemm.batchCount() != 1) {
      return fail("a batch of matrices");
    }
    if (gemm.m > kSkinnyRows) {
      return fail("M = " + Twine(gemm.m) + " is more than " +
                  Twine(kSkinnyRows));
    }
    if (!isa<BlockArgument>(gemm.rhs)) {
      return fail("pointwise ops that make the rhs");
    }
    // The weights' layout is this family's own.
    if (usesOf(fusion.getBody().getArgument(unsigned(made.rhs()))) != 1 ||
        gemm.lhs == gemm.rhs) {
      return fail("rhs of the contraction has another use in the body");
    }
    if (gemm.lhsStrideK != 1 && gemm.m > 1) {
      return fail("a transposed lhs");
    }
    Type dtype = gemm.lhsType;
    if (dtype != gemm.rhsType ||
        (!dtype.isBF16() && !dtype.isF16() && !dtype.isF32())) {
      return fail("operands that are not both bf16, f16 or f32");
    }
    return success();
  }

  LogicalResult matchPrologue(const kernel::GemmShape &gemm,
                              LhsPrologue &prologue) {
    int64_t bytes = gemm.m * gemm.k * kernel::getElementBytes(gemm.lhsType);
    if (gemm.m > kMadeRows || bytes > kMadeBytes) {
      return fail("an lhs of more than " + Twine(kMadeRows) + " rows or " +
                  Twine(kMadeBytes >> 10) +
                  " KiB, which blocks do not make for themselves");
    }
    auto type = cast<RankedTensorType>(prologue.value.getType());
    if (gemm.k == 0 || gemm.m == 0 || type.getShape().back() != gemm.k) {
      return fail("a transposed or empty lhs");
    }
    FusionOp part = *prologue.part.fusion;
    for (Value input : part.getInputs()) {
      prologue.operands.push_back(operandNumber(input));
    }
    if (llvm::all_of(prologue.ops, [](Operation *op) {
          return isa<graph::PointwiseOpInterface>(op);
        })) {
      return success();
    }
    auto rows = RowFusion::get(part, reason);
    if (failed(rows)) {
      return failure();
    }
    // With one column, what is made of it counts as known by row.
    if (rows->rows() != gemm.m || rows->columns() != gemm.k || gemm.k == 1 ||
        !isRowMajor(*rows)) {
      return fail("a norm of other rows than the product's");
    }
    prologue.rows = std::move(*rows);
    return success();
  }

  /// Whether its result's elements are numbered as the loops run.
  static bool isRowMajor(const RowFusion &rows) {
    int64_t stride = 1;
    for (auto [extent, own] :
         llvm::reverse(llvm::zip(rows.extents, rows.results[0].strides))) {
      if (extent != 1 && own != stride) {
        return false;
      }
      stride *= extent;
    }
    return true;
  }

  FusionOp fusion;
  std::string &reason;
};

} // namespace

FailureOr<SkinnyFusion> matchSkinny(FusionOp fusion, std::string *reason) {
  SkinnyFusion made;
  if (failed(Matcher(fusion, *reason).run(made))) {
    return failure();
  }
  return made;
}

Attribute getWeightLayout(const kernel::FusionShape &shape) {
  auto type = cast<RankedTensorType>(shape.gemm->rhs.getType());
  bool nFirst = true;
  if (auto matmul = dyn_cast<graph::MatmulOp>(shape.anchor)) {
    nFirst = matmul.getTransposeRhs();
  }
  int64_t rank = type.getRank();
  int64_t n = nFirst ? rank - 2 : rank - 1, k = nFirst ? rank - 1 : rank - 2;
  bool isFilter = isa<graph::Conv2dOp>(shape.anchor);
  if (isFilter) {
    n = 0, k = 1; // [N, K, 1, 1]
  }
  int64_t vector = 16 / kernel::getElementBytes(type.getElementType());
  auto padded = llvm::to_vector(type.getShape());
  padded[k] = (padded[k] + vector - 1) / vector * vector;
  if (nFirst && padded[k] == type.getDimSize(k)) {
    return UnitAttr::get(type.getContext());
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (!isFilter) {
    order[size_t(rank - 2)] = n;
    order[size_t(rank - 1)] = k;
  }
  return kernel::LayoutAttr::get(type.getContext(), order, {}, {}, padded);
}

} // namespace minic::cuda
