// SPDX-License-Identifier: Apache-2.0
//
// The emitted arithmetic is run by folding it, op by op.

#include "test/unit/compiler/reference/MapInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace mlir;

namespace minic::reference {
namespace {

class MapInterpreter {
public:
  MapInterpreter(Operation *op, const std::vector<std::vector<float>> &operands)
      : op_(op), fusible_(cast<graph::FusibleOpInterface>(op)),
        space_(fusible_.getIterationSpace()), operands_(operands),
        builder_(op->getContext()) {}

  std::vector<float> run() {
    EXPECT_EQ(space_.operandMaps.size(), op_->getNumOperands());
    EXPECT_EQ(space_.resultMaps.size(), op_->getNumResults());
    auto shape = cast<RankedTensorType>(op_->getResult(0).getType()).getShape();
    std::vector<float> result(llvm::product_of(shape));
    std::vector<int> writes(result.size());
    forEach(space_.parallelCount(), [&](SmallVector<int64_t> point) {
      int64_t at = offset(space_.resultMaps[0], point, shape);
      ASSERT_GE(at, 0);
      result[at] = element(point);
      ++writes[at];
    });
    EXPECT_THAT(writes, testing::Each(1));
    return result;
  }

private:
  /// All points of the first `dims` iterators, the others at `prefix`.
  template <typename Body>
  void forEach(size_t dims, Body body, SmallVector<int64_t> prefix = {}) {
    size_t begin = prefix.size();
    int64_t count =
        llvm::product_of(ArrayRef(space_.extents).slice(begin, dims - begin));
    for (int64_t linear = 0; linear < count; ++linear) {
      SmallVector<int64_t> point(space_.rank());
      llvm::copy(prefix, point.begin());
      for (int64_t rest = linear;
           size_t i : llvm::reverse(llvm::seq(begin, dims))) {
        point[i] = rest % space_.extents[i];
        rest /= space_.extents[i];
      }
      body(point);
    }
  }

  /// The row-major offset of what `map` accesses, -1 where it is outside.
  static int64_t offset(AffineMap map, ArrayRef<int64_t> point,
                        ArrayRef<int64_t> shape) {
    int64_t at = 0;
    auto indices = map.compose(point);
    EXPECT_EQ(indices.size(), shape.size());
    for (auto [index, extent] : llvm::zip_equal(indices, shape)) {
      if (index < 0 || index >= extent) {
        return -1;
      }
      at = at * extent + index;
    }
    return at;
  }

  Attribute read(unsigned operand, ArrayRef<int64_t> point) {
    auto shape =
        cast<RankedTensorType>(op_->getOperand(operand).getType()).getShape();
    int64_t at = offset(space_.operandMaps[operand], point, shape);
    if (at < 0) {
      Attribute padding = fusible_.getPaddingValue(operand);
      EXPECT_TRUE(padding) << "outside of operand " << operand;
      return padding;
    }
    return builder_.getF32FloatAttr(operands_[operand][at]);
  }

  /// The elements at `point` of operands that are biases, or of the others.
  SmallVector<Attribute> readAll(ArrayRef<int64_t> point, bool biases) {
    SmallVector<Attribute> elements(op_->getNumOperands());
    for (unsigned i = 0; i < elements.size(); ++i) {
      if (biases == (fusible_.getOperandRole(i) == graph::OperandRole::Bias)) {
        elements[i] = read(i, point);
      }
    }
    return elements;
  }

  /// The results of arithmetic that `emit` builds on constants.
  template <typename Emit>
  SmallVector<Attribute> fold(ArrayRef<SmallVector<Attribute>> operands,
                              Emit emit) {
    Block block;
    builder_.setInsertionPointToStart(&block);
    SmallVector<SmallVector<Value>> values;
    for (ArrayRef<Attribute> list : operands) {
      values.push_back(llvm::map_to_vector(list, [&](Attribute value) -> Value {
        return value ? arith::ConstantOp::create(builder_, op_->getLoc(),
                                                 cast<TypedAttr>(value))
                           .getResult()
                     : Value();
      }));
    }
    SmallVector<Value> results = emit(values);
    llvm::DenseMap<Value, Attribute> known;
    for (Operation &op : block) {
      known[op.getResult(0)] = foldOne(op, known);
    }
    return llvm::map_to_vector(results,
                               [&](Value value) { return known.at(value); });
  }

  Attribute foldOne(Operation &op, llvm::DenseMap<Value, Attribute> &known) {
    auto operands = llvm::map_to_vector(
        op.getOperands(), [&](Value value) { return known.at(value); });
    if (isa<math::FmaOp>(op)) {
      auto f = [&](int i) {
        return float(cast<FloatAttr>(operands[i]).getValueAsDouble());
      };
      return builder_.getF32FloatAttr(std::fma(f(0), f(1), f(2)));
    }
    SmallVector<OpFoldResult> results;
    EXPECT_TRUE(succeeded(op.fold(operands, results)) && !results.empty());
    return results.empty()              ? Attribute()
           : isa<Attribute>(results[0]) ? cast<Attribute>(results[0])
                                        : known.at(cast<Value>(results[0]));
  }

  float element(ArrayRef<int64_t> point) {
    Attribute value;
    if (auto pointwise = dyn_cast<graph::PointwiseOpInterface>(op_)) {
      value = fold({readAll(point, false)}, [&](auto &values) {
        return SmallVector<Value>{pointwise.emitScalar(builder_, values[0])};
      })[0];
    } else if (auto reduction = dyn_cast<graph::ReductionOpInterface>(op_)) {
      value = reduce(reduction, point);
    } else {
      value = read(0, point);
    }
    return float(cast<FloatAttr>(value).getValueAsDouble());
  }

  /// Two states, for points of even and of odd number, merged in the end.
  Attribute reduce(graph::ReductionOpInterface op, ArrayRef<int64_t> point) {
    auto init = fold({}, [&](auto &) { return op.emitInit(builder_, {}); });
    SmallVector<Attribute> states[2] = {init, init};
    int number = 0;
    forEach(
        space_.rank(),
        [&](const SmallVector<int64_t> &inner) {
          auto &state = states[number++ % 2];
          state = fold({state, readAll(inner, false)}, [&](auto &values) {
            return op.emitCombine(builder_, values[0], values[1], {});
          });
        },
        SmallVector<int64_t>(point.take_front(space_.parallelCount())));
    auto merged = fold({states[0], states[1]}, [&](auto &values) {
      return op.emitMerge(builder_, values[0], values[1]);
    });
    return fold({merged, readAll(point, true)}, [&](auto &values) {
      return op.emitFinish(builder_, values[0], values[1]);
    })[0];
  }

  Operation *op_;
  graph::FusibleOpInterface fusible_;
  graph::IterationSpace space_;
  const std::vector<std::vector<float>> &operands_;
  OpBuilder builder_;
};

} // namespace

std::vector<float> interpret(Operation *op,
                             const std::vector<std::vector<float>> &operands) {
  return MapInterpreter(op, operands).run();
}

} // namespace minic::reference
