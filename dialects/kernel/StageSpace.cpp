// SPDX-License-Identifier: Apache-2.0
//
// Splits dimensions until every floordiv and mod takes whole ones.

#include "dialects/kernel/StageSpace.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::kernel {
namespace {

/// The dimensions so far. An iterator is the sum of its parts' indices times
/// the product of the extents of the parts inside.
class Splitting {
public:
  explicit Splitting(const graph::IterationSpace &space) {
    for (auto [i, extent] : llvm::enumerate(space.extents)) {
      extents.push_back(extent);
      iterators.push_back(unsigned(i));
    }
  }

  /// `map` as one LinearIndex per result. Fails where it is none; `hasSplit` is
  /// set then if a dimension was split and asking again may help.
  FailureOr<SmallVector<LinearIndex>> linearize(AffineMap map) {
    SmallVector<LinearIndex> indices;
    for (AffineExpr expr : map.getResults()) {
      auto index = linearize(expr);
      if (failed(index)) {
        return failure();
      }
      indices.push_back(*index);
    }
    return indices;
  }

  SmallVector<int64_t> extents;
  SmallVector<unsigned> iterators;
  bool hasSplit = false;

private:
  LinearIndex constant(int64_t value) const {
    return {value, SmallVector<int64_t>(extents.size())};
  }

  LinearIndex iterator(unsigned number) const {
    LinearIndex index = constant(0);
    int64_t stride = 1;
    for (size_t i = extents.size(); i-- > 0;) {
      if (iterators[i] == number) {
        index.strides[i] = stride;
        stride *= extents[i];
      }
    }
    return index;
  }

  FailureOr<LinearIndex> linearize(AffineExpr expr) {
    if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
      return constant(value.getValue());
    }
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      return iterator(dim.getPosition());
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary) {
      return failure();
    }
    auto lhs = linearize(binary.getLHS());
    if (failed(lhs)) {
      return failure();
    }
    if (expr.getKind() == AffineExprKind::Add) {
      auto rhs = linearize(binary.getRHS());
      return failed(rhs) ? rhs : FailureOr(add(*lhs, *rhs));
    }
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!factor) {
      return failure();
    }
    switch (expr.getKind()) {
    case AffineExprKind::Mul:
      return scale(*lhs, factor.getValue());
    case AffineExprKind::FloorDiv:
      return divide(*lhs, factor.getValue(), /*wantsRest=*/false);
    case AffineExprKind::Mod:
      return divide(*lhs, factor.getValue(), /*wantsRest=*/true);
    default:
      return failure();
    }
  }

  static LinearIndex add(LinearIndex lhs, const LinearIndex &rhs) {
    lhs.offset += rhs.offset;
    for (auto [stride, other] : llvm::zip_equal(lhs.strides, rhs.strides)) {
      stride += other;
    }
    return lhs;
  }

  static LinearIndex scale(LinearIndex index, int64_t factor) {
    index.offset *= factor;
    for (int64_t &stride : index.strides) {
      stride *= factor;
    }
    return index;
  }

  /// Terms that are multiples of `divisor` are the quotient's; the others stay
  /// below it and are the rest.
  FailureOr<LinearIndex> divide(const LinearIndex &index, int64_t divisor,
                                bool wantsRest) {
    LinearIndex quotient = constant(0), rest = constant(0);
    quotient.offset = llvm::divideFloorSigned(index.offset, divisor);
    rest.offset = index.offset - quotient.offset * divisor;
    int64_t most = rest.offset;
    for (size_t i = 0; i < extents.size(); ++i) {
      int64_t stride = index.strides[i];
      if (stride % divisor == 0) {
        quotient.strides[i] = stride / divisor;
        continue;
      }
      if (stride < 0) {
        return failure();
      }
      if (stride * extents[i] > divisor && divisor % stride == 0 &&
          extents[i] % (divisor / stride) == 0) {
        split(i, divisor / stride);
        return failure();
      }
      rest.strides[i] = stride;
      most += stride * (extents[i] - 1);
    }
    if (most >= divisor) {
      return failure();
    }
    return wantsRest ? rest : quotient;
  }

  void split(size_t dim, int64_t inner) {
    extents[dim] /= inner;
    extents.insert(extents.begin() + dim + 1, inner);
    iterators.insert(iterators.begin() + dim + 1, iterators[dim]);
    hasSplit = true;
  }
};

} // namespace

/// Whether some point of `extents` is outside of [0, extent).
static bool leaves(const LinearIndex &index, ArrayRef<int64_t> extents,
                   int64_t extent) {
  int64_t least = index.offset, most = index.offset;
  for (auto [stride, count] : llvm::zip_equal(index.strides, extents)) {
    (stride < 0 ? least : most) += stride * (count - 1);
  }
  return least < 0 || most >= extent;
}

static void setAddress(Access &access, ArrayRef<LinearIndex> indices,
                       ArrayRef<int64_t> extents) {
  auto shape = cast<RankedTensorType>(access.value.getType()).getShape();
  LinearIndex address{0, SmallVector<int64_t>(extents.size())};
  for (auto [index, extent] : llvm::zip_equal(indices, shape)) {
    address.offset = address.offset * extent + index.offset;
    for (auto [stride, part] :
         llvm::zip_equal(address.strides, index.strides)) {
      stride = stride * extent + part;
    }
    if (leaves(index, extents, extent)) {
      access.bounds.push_back({index, extent});
    }
  }
  access.address = address;
}

StageSpace splitSpace(const graph::IterationSpace &space,
                      SmallVector<Access> reads, SmallVector<Access> writes) {
  Splitting splitting(space);
  do {
    splitting.hasSplit = false;
    for (const Access &access : llvm::concat<Access>(reads, writes)) {
      if (access.map) {
        (void)splitting.linearize(access.map);
      }
    }
  } while (splitting.hasSplit);

  StageSpace result;
  result.extents = splitting.extents;
  result.iterators = splitting.iterators;
  for (unsigned iterator : splitting.iterators) {
    result.kinds.push_back(space.kinds[iterator]);
  }
  for (Access &access : llvm::concat<Access>(reads, writes)) {
    if (!access.map) {
      continue;
    }
    if (auto indices = splitting.linearize(access.map); succeeded(indices)) {
      setAddress(access, *indices, result.extents);
    }
  }
  result.reads = std::move(reads);
  result.writes = std::move(writes);
  return result;
}

} // namespace minic::kernel
