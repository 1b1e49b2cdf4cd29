// SPDX-License-Identifier: Apache-2.0
//
// Tensor cores with the weights as the left operand: 16 of their rows against
// 8 rows of the lhs. Lane 4g + t loads 16 bytes of rows g and g + 8 and, for
// each tile of the lhs, of its row g, at the same place in K; two instructions
// take them two words at a time. So K is permuted, in both operands alike.

#include "compiler/target/cuda/gemm_skinny/SkinnyDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class MmaDot : public SkinnyDot {
public:
  MmaDot(CudaKernelBuilder &k, const SkinnyGeometry &geometry, Value lhs,
         Value rhs, Value column)
      : SkinnyDot(k, geometry) {
    Value lane = k.laneId();
    group = k.div(lane, 4);
    thread = k.rem(lane, 4);
    laneElements = k.mul(thread, g.vector());
    setRows(rhs, column, group, 8);
    for (int64_t tile = 0; tile != g.rowTiles(); ++tile) {
      Value row = k.add(group, 8 * tile);
      // Rows past the end repeat the last one; their sums are not stored.
      if (8 * tile + 8 > g.gemm.m) {
        row = k.min(row, k.i32(g.gemm.m - 1));
      }
      lhsRows.push_back(lhsRow(lhs, row));
    }
  }

  void storeSums(ValueRange sums, Value shared) override {
    Type f32 = k.b.getF32Type();
    for (auto [i, sum] : llvm::enumerate(sums)) {
      int64_t part = int64_t(i % 4), tile = int64_t(i / 4);
      int64_t columnTile = tile / g.rowTiles(), rowTile = tile % g.rowTiles();
      Value row = k.add(k.mul(thread, 2), 8 * rowTile + part % 2);
      Value column = k.add(group, 16 * columnTile + 8 * (part / 2));
      Value at = k.add(k.mul(row, g.partialPitch()), column);
      k.storeAligned(sum, k.advance(shared, at, f32));
    }
  }

protected:
  int64_t sumCount() const override {
    return g.schedule.columns / 16 * g.rowTiles() * 4;
  }

  void multiplyChunk(Values &sums, ValueRange weights, Value at,
                     bool guarded) override {
    std::vector<Values> rhs;
    for (Value weight : weights) {
      rhs.push_back(operands(wordsOf(weight)));
    }
    for (int64_t rowTile = 0; rowTile != g.rowTiles(); ++rowTile) {
      Values lhs = operands(loadLhs(lhsRows[rowTile], at, guarded));
      for (int64_t tile = 0; tile != g.schedule.columns / 16; ++tile) {
        const Values &upper = rhs[2 * tile], &lower = rhs[2 * tile + 1];
        size_t first = size_t(4 * (tile * g.rowTiles() + rowTile));
        for (size_t step = 0; step != 2; ++step) {
          size_t w = 2 * step;
          multiplyAdd(sums, first,
                      {upper[w], lower[w], upper[w + 1], lower[w + 1]},
                      {lhs[w], lhs[w + 1]});
        }
      }
    }
  }

private:
  Values wordsOf(Value vector) {
    Values words;
    for (int64_t i = 0; i != 4; ++i) {
      words.push_back(vector::ExtractOp::create(k.b, k.loc, vector, i));
    }
    return words;
  }

  /// Words as the instruction takes them.
  Values operands(const Values &words) {
    Values result;
    for (Value word : words) {
      if (g.dtype.isF16()) {
        auto pair = VectorType::get(2, k.b.getF16Type());
        word = LLVM::BitcastOp::create(k.b, k.loc, pair, word);
      } else if (g.dtype.isF32()) {
        Value number =
            arith::BitcastOp::create(k.b, k.loc, k.b.getF32Type(), word);
        word = NVVM::ConvertFloatToTF32Op::create(
            k.b, k.loc, k.b.getI32Type(), number, NVVM::FPRoundingMode::RNA,
            NVVM::SaturationMode::NONE, /*relu=*/false);
      }
      result.push_back(word);
    }
    return result;
  }

  void multiplyAdd(Values &sums, size_t first, ArrayRef<Value> a,
                   ArrayRef<Value> b) {
    using NVVM::MMALayout;
    using NVVM::MMATypes;
    Type f32 = k.b.getF32Type();
    auto type = LLVM::LLVMStructType::getLiteral(k.b.getContext(),
                                                 {f32, f32, f32, f32});
    bool is16 = g.elementBytes == 2;
    MMATypes multiplicand = g.dtype.isBF16()  ? MMATypes::bf16
                            : g.dtype.isF16() ? MMATypes::f16
                                              : MMATypes::tf32;
    SmallVector<Value> c(sums.begin() + first, sums.begin() + first + 4);
    Value d = NVVM::MmaOp::create(
        k.b, k.loc, type, a, b, c, {16, 8, is16 ? 16 : 8}, std::nullopt,
        std::nullopt, std::array<MMATypes, 2>{multiplicand, multiplicand},
        std::array<MMALayout, 2>{MMALayout::row, MMALayout::col});
    for (size_t i = 0; i != 4; ++i) {
      sums[first + i] = LLVM::ExtractValueOp::create(k.b, k.loc, d, int64_t(i));
    }
  }

  Value group, thread; // lane / 4 and lane % 4
  SmallVector<Value> lhsRows;
};

} // namespace

std::unique_ptr<SkinnyDot> createMmaDot(CudaKernelBuilder &k,
                                        const SkinnyGeometry &geometry,
                                        Value lhs, Value rhs, Value column) {
  return std::make_unique<MmaDot>(k, geometry, lhs, rhs, column);
}

} // namespace minic::cuda
