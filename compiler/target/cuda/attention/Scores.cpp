// SPDX-License-Identifier: Apache-2.0
//
// Most blocks of keys are seen by all rows of a warp: a branch of the whole
// warp skips the comparisons there.

#include "compiler/target/cuda/attention/Scores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numbers>

using namespace mlir;

namespace minic::cuda {

Scores::Scores(CudaKernelBuilder &builder, const AttentionGeometry &geometry,
               BlockRows &rows, Value firstRow, Value lane)
    : k(builder), g(geometry), rows(rows), inGroup(k.rem(lane, 4)) {
  Value first = k.add(firstRow, k.div(lane, 4));
  for (int64_t i = 0; i != 2 * g.schedule.rowTiles; ++i) {
    rowOf.push_back(k.add(first, 8 * i));
    seen.push_back(rows.seenBy(rowOf.back()));
    if (g.fusion.mask) {
      maskOf.push_back(rows.address(*g.fusion.mask, rows.clamp(rowOf.back())));
    }
  }
  seenByAll = rows.seenByAll(firstRow, 16 * g.schedule.rowTiles);
}

Value Scores::constant(double value) {
  return arith::ConstantOp::create(k.b, k.loc,
                                   k.b.getF32FloatAttr(float(value)));
}

double Scores::factor() const {
  return std::numbers::log2e * (g.foldsScale() ? g.fusion.scale : 1.0);
}

Value Scores::scale(Value product) {
  if (g.foldsScale()) {
    return product;
  }
  double cap = g.fusion.softCap.value_or(1);
  Value score = arith::MulFOp::create(k.b, k.loc, product,
                                      constant(g.fusion.scale / cap));
  if (g.fusion.softCap) {
    score = math::TanhOp::create(k.b, k.loc, score);
    score = arith::MulFOp::create(k.b, k.loc, score, constant(cap));
  }
  return score;
}

void Scores::forEachPair(
    MutableArrayRef<Value> scores,
    llvm::function_ref<void(int64_t, int64_t, MutableArrayRef<Value>)> visit) {
  for (int64_t i = 0; i != count(); ++i) {
    for (int64_t tile = 0; tile != tilesOfKeys(); ++tile) {
      size_t at = size_t((i / 2 * tilesOfKeys() + tile) * 4 + i % 2 * 2);
      visit(i, 8 * tile, scores.slice(at, 2));
    }
  }
}

std::pair<Value, Value> Scores::maskAt(Value base, Value key) {
  const AttentionFusion::Access &mask = *g.fusion.mask;
  int64_t keys = g.fusion.keys, stride = mask.strides[3];
  auto load = [&](Value at, int64_t lanes) {
    Type memory = KernelBuilder::memoryType(mask.storage);
    Type type = lanes == 1 ? memory : Type(VectorType::get(lanes, memory));
    Value raw = k.loadAligned(type, rows.pointer(mask, k.add(base, at)));
    return k.toCompute(raw, mask.storage);
  };
  auto wide = [&](Value value) -> Value {
    return arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), value);
  };
  if (stride == 0) {
    Value both = load(k.i64(0), 1);
    return {both, both};
  }
  bool isEven = stride == 1 && keys % 2 == 0 && mask.offset % 2 == 0;
  for (size_t i = 0; i != 3; ++i) {
    isEven = isEven && mask.strides[i] % 2 == 0;
  }
  bool isCut = keys % g.schedule.keyBlock != 0;
  if (isEven) {
    Value at = isCut ? k.min(key, k.i32(keys - 2)) : key;
    Value pair = load(wide(at), 2);
    return {vector::ExtractOp::create(k.b, k.loc, pair, int64_t(0)),
            vector::ExtractOp::create(k.b, k.loc, pair, int64_t(1))};
  }
  auto one = [&](int64_t i) {
    Value at = k.add(key, i);
    at = isCut ? k.min(at, k.i32(keys - 1)) : at;
    return load(k.mul(wide(at), stride), 1);
  };
  Value low = one(0);
  return {low, one(1)};
}

void Scores::addMask(Value firstKey, MutableArrayRef<Value> scores) {
  const AttentionFusion::Access &mask = *g.fusion.mask;
  bool isBool = mask.storage.isInteger(1);
  bool sameForRows =
      mask.strides[2] == 0 && (g.heads == 1 || mask.strides[1] == 0);
  bool sameForKeys = mask.strides[3] == 0;
  SmallVector<std::pair<Value, Value>> loaded;
  Value key = k.add(firstKey, k.mul(inGroup, 2));
  forEachPair(scores, [&](int64_t i, int64_t first, auto pair) {
    size_t at = sameForKeys
                    ? size_t(sameForRows ? 0 : i)
                    : size_t((sameForRows ? 0 : i * tilesOfKeys()) + first / 8);
    if (at >= loaded.size()) {
      loaded.push_back(maskAt(maskOf[size_t(i)], k.add(key, first)));
    }
    Value parts[] = {loaded[at].first, loaded[at].second};
    for (size_t e : {0, 1}) {
      if (isBool) {
        pair[e] = arith::SelectOp::create(k.b, k.loc, parts[e], pair[e],
                                          constant(-HUGE_VAL));
      } else {
        pair[e] = arith::AddFOp::create(k.b, k.loc, pair[e], parts[e]);
      }
    }
  });
}

void Scores::cut(Value firstKey, MutableArrayRef<Value> scores) {
  OpBuilder &b = k.b;
  auto isLess = [&](Value x, Value y) { return k.lessThan(x, y); };
  Value needs = isLess(seenByAll.high, k.add(firstKey, g.schedule.warpKeys()));
  if (seenByAll.low) {
    needs =
        arith::OrIOp::create(b, k.loc, needs, isLess(firstKey, seenByAll.low));
  }
  SmallVector<Type> types(scores.size(), b.getF32Type());
  auto branch =
      scf::IfOp::create(b, k.loc, types, needs, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(b, k.loc, ValueRange(scores));
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  SmallVector<Value> kept = llvm::to_vector(scores);
  // Keys relative to the thread's first.
  Value own = k.add(firstKey, k.mul(inGroup, 2));
  SmallVector<KeyInterval> bounds;
  for (const KeyInterval &each : seen) {
    bounds.push_back(
        {each.low ? k.sub(each.low, own) : Value(), k.sub(each.high, own)});
  }
  forEachPair(kept, [&](int64_t i, int64_t first, auto pair) {
    const KeyInterval &bound = bounds[size_t(i)];
    for (int64_t e : {0, 1}) {
      Value isSeen = isLess(k.i32(first + e), bound.high);
      if (bound.low) {
        Value isLow = arith::CmpIOp::create(b, k.loc, arith::CmpIPredicate::sge,
                                            k.i32(first + e), bound.low);
        isSeen = arith::AndIOp::create(b, k.loc, isSeen, isLow);
      }
      pair[size_t(e)] = arith::SelectOp::create(
          b, k.loc, isSeen, pair[size_t(e)], constant(-HUGE_VAL));
    }
  });
  scf::YieldOp::create(b, k.loc, kept);
  for (auto [score, result] : llvm::zip_equal(scores, branch.getResults())) {
    score = result;
  }
}

void Scores::finish(Value firstKey, MutableArrayRef<Value> scores) {
  for (Value &score : scores) {
    score = scale(score);
  }
  if (g.fusion.mask) {
    addMask(firstKey, scores);
  }
  if (rows.cutsKeys()) {
    cut(firstKey, scores);
  }
}

Value Scores::addend(Value row, Value key) {
  const AttentionFusion::Access &mask = *g.fusion.mask;
  Value at = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), key);
  at = k.add(rows.address(mask, row), k.mul(at, mask.strides[3]));
  return k.loadScalar(rows.pointer(mask, at), mask.storage);
}

Value Scores::takesPart(Value row, Value key) {
  KeyInterval bound = rows.seenBy(row);
  Value takes = k.lessThan(key, bound.high);
  auto both = [&](Value other) {
    takes = arith::AndIOp::create(k.b, k.loc, takes, other);
  };
  if (bound.low) {
    both(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sge, key,
                               bound.low));
  }
  if (g.fusion.mask && g.fusion.mask->storage.isInteger(1)) {
    both(addend(row, key));
  }
  return takes;
}

} // namespace minic::cuda
