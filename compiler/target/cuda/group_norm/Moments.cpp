// SPDX-License-Identifier: Apache-2.0
//
// Sums are of distances from one of the means.

#include "compiler/target/cuda/group_norm/Moments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

Value floatOf(CudaKernelBuilder &k, double value) {
  return arith::ConstantOp::create(k.b, k.loc,
                                   k.b.getF32FloatAttr(float(value)));
}

static Value spreadLike(CudaKernelBuilder &k, Value scalar, Value like) {
  auto vector = dyn_cast<VectorType>(like.getType());
  return vector ? k.splat(scalar, vector.getNumElements()) : scalar;
}

Moments mergeMoments(CudaKernelBuilder &k, ArrayRef<Moments> parts) {
  Moments merged = parts[0];
  for (const Moments &part : parts.drop_front()) {
    merged.count = arith::AddFOp::create(k.b, k.loc, merged.count, part.count);
  }
  Value any =
      arith::MaximumFOp::create(k.b, k.loc, merged.count, floatOf(k, 1));
  Value inverse = arith::DivFOp::create(k.b, k.loc, floatOf(k, 1), any);
  Value origin = parts[0].mean, sum = spreadLike(k, floatOf(k, 0), origin);
  auto distance = [&](const Moments &part, Value from) -> Value {
    return arith::SubFOp::create(k.b, k.loc, part.mean, from);
  };
  for (const Moments &part : parts.drop_front()) {
    sum = math::FmaOp::create(k.b, k.loc, distance(part, origin),
                              spreadLike(k, part.count, origin), sum);
  }
  merged.mean = math::FmaOp::create(k.b, k.loc, sum,
                                    spreadLike(k, inverse, origin), origin);
  for (auto [i, part] : llvm::enumerate(parts)) {
    merged.squares =
        i == 0 ? part.squares : k.sum(merged.squares, part.squares);
  }
  for (const Moments &part : parts) {
    Value from = distance(part, merged.mean);
    Value weighted = arith::MulFOp::create(k.b, k.loc, from,
                                           spreadLike(k, part.count, origin));
    merged.squares =
        math::FmaOp::create(k.b, k.loc, weighted, from, merged.squares);
  }
  return merged;
}

Moments mergeNeighbours(CudaKernelBuilder &k, Moments own, int64_t threads) {
  for (int64_t flips = threads / 2; flips >= 1; flips /= 2) {
    auto exchange = [&](Value value) -> Value {
      return NVVM::ShflOp::create(k.b, k.loc, value.getType(), k.i32(-1), value,
                                  k.i32(flips), k.i32(31), NVVM::ShflKind::bfly,
                                  UnitAttr());
    };
    Moments other{exchange(own.count), exchange(own.mean),
                  exchange(own.squares)};
    own = mergeMoments(k, {own, other});
  }
  return own;
}

Moments mergeAlong(CudaKernelBuilder &k, const MomentWalk &walk,
                   llvm::function_ref<Moments(Value)> load) {
  int64_t atOnce = std::min(walk.count, walk.atOnce);
  bool isExact = walk.isExact && walk.count % atOnce == 0;
  Value last = k.sub(walk.end, k.i32(1));
  auto loadFrom = [&](Value number) {
    SmallVector<Moments> parts;
    for (int64_t i = 0; i != atOnce; ++i) {
      Value at = k.add(number, i * walk.step);
      parts.push_back(load(isExact ? at : k.min(at, last)));
      if (!isExact) {
        Value exists = k.lessThan(at, walk.end);
        auto orNone = [&](Value value) -> Value {
          Value none = spreadLike(k, floatOf(k, 0), value);
          return arith::SelectOp::create(k.b, k.loc, exists, value, none);
        };
        parts.back().count = orNone(parts.back().count);
        parts.back().squares = orNone(parts.back().squares);
      }
    }
    return parts;
  };
  if (walk.count == atOnce) {
    return mergeMoments(k, loadFrom(walk.first));
  }
  Value none = floatOf(k, 0);
  Value nothing = walk.lanes == 1 ? none : k.splat(none, walk.lanes);
  SmallVector<Value> all = k.forLoop(
      k.i32(0), k.i32(walk.count), atOnce, ValueRange{none, nothing, nothing},
      [&](Value number, ValueRange before) {
        SmallVector<Moments> parts =
            loadFrom(k.add(walk.first, k.mul(number, walk.step)));
        parts.push_back({before[0], before[1], before[2]});
        Moments merged = mergeMoments(k, parts);
        return SmallVector<Value>{merged.count, merged.mean, merged.squares};
      });
  return {all[0], all[1], all[2]};
}

} // namespace minic::cuda
