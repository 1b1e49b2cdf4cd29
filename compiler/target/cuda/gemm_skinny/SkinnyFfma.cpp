// SPDX-License-Identifier: Apache-2.0
//
// IEEE float32: the lanes of a warp split K, 16 bytes each; every lane sums all
// rows and columns of the block over its part, and shuffles add the lanes.

#include "compiler/target/cuda/gemm_skinny/SkinnyDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class FfmaDot : public SkinnyDot {
public:
  FfmaDot(CudaKernelBuilder &k, const SkinnyGeometry &geometry, Value lhs,
          Value rhs, Value column)
      : SkinnyDot(k, geometry) {
    lane = k.laneId();
    laneElements = k.mul(lane, g.vector());
    setRows(rhs, column, k.i32(0), 1);
    for (int64_t row = 0; row != g.gemm.m; ++row) {
      lhsRows.push_back(lhsRow(lhs, k.i32(row)));
    }
  }

  void storeSums(ValueRange sums, Value shared) override {
    Type f32 = k.b.getF32Type();
    Values added;
    for (Value sum : sums) {
      for (int64_t distance = 16; distance != 0; distance /= 2) {
        Value other = NVVM::ShflOp::create(k.b, k.loc, f32, k.i32(-1), sum,
                                           k.i32(distance), k.i32(31),
                                           NVVM::ShflKind::bfly, UnitAttr());
        sum = arith::AddFOp::create(k.b, k.loc, sum, other);
      }
      added.push_back(sum);
    }
    Value isFirst = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                          lane, k.i32(0));
    k.ifThen(isFirst, [&] {
      for (auto [i, sum] : llvm::enumerate(added)) {
        int64_t row = int64_t(i) % g.gemm.m, column = int64_t(i) / g.gemm.m;
        int64_t at = row * g.partialPitch() + column;
        k.storeAligned(sum, k.advance(shared, at, f32));
      }
    });
  }

protected:
  int64_t sumCount() const override { return g.schedule.columns * g.gemm.m; }

  void multiplyChunk(Values &sums, ValueRange weights, Value at,
                     bool guarded) override {
    std::vector<Values> rhs;
    for (Value weight : weights) {
      Values words;
      for (int64_t i = 0; i != 4; ++i) {
        words.push_back(
            toFloat(vector::ExtractOp::create(k.b, k.loc, weight, i)));
      }
      rhs.push_back(words);
    }
    for (int64_t row = 0; row != g.gemm.m; ++row) {
      Values lhs;
      for (Value word : loadLhs(lhsRows[row], at, guarded)) {
        lhs.push_back(toFloat(word));
      }
      for (int64_t column = 0; column != g.schedule.columns; ++column) {
        Value &sum = sums[size_t(column * g.gemm.m + row)];
        for (size_t i = 0; i != 4; ++i) {
          sum = math::FmaOp::create(k.b, k.loc, rhs[column][i], lhs[i], sum);
        }
      }
    }
  }

private:
  Value toFloat(Value word) {
    return arith::BitcastOp::create(k.b, k.loc, k.b.getF32Type(), word);
  }

  Value lane;
  SmallVector<Value> lhsRows;
};

} // namespace

std::unique_ptr<SkinnyDot> createFfmaDot(CudaKernelBuilder &k,
                                         const SkinnyGeometry &geometry,
                                         Value lhs, Value rhs, Value column) {
  return std::make_unique<FfmaDot>(k, geometry, lhs, rhs, column);
}

} // namespace minic::cuda
