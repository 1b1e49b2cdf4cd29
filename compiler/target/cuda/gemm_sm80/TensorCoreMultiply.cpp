// SPDX-License-Identifier: Apache-2.0
//
// Tensor cores: a step of 32 bytes of K is two 16-byte chunks whatever the
// dtype (16 elements of 16 bits for m16n8k16, 8 of f32 for m16n8k8), and the
// fragments of both instructions lie alike: with g = lane / 4 and t = lane % 4
// a register of lhs holds word t of row g or g + 8 in chunk 0 or 1, one of rhs
// word t of column g. So one ldmatrix.x4 reads 16 rows of lhs, or 16 columns of
// rhs, for a step.

#include "compiler/target/cuda/gemm/SharedTile.h"
#include "compiler/target/cuda/gemm_sm80/Multiply.h"
#include "compiler/target/cuda/gemm_sm80/SplitFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

namespace {

/// Registers of 16 rows of lhs, or of 16 columns of rhs, for one step of K.
using Fragment = SmallVector<Value, 4>;

class TensorCoreMultiply final : public Multiply {
public:
  TensorCoreMultiply(CudaKernelBuilder &builder, const GemmSm80Geometry &g,
                     Value warp, Value lane)
      : Multiply(builder, g, warp, lane) {
    // Lanes 8j to 8j + 7 hold the addresses of matrix j.
    Value low = k_.rem(lane, 8), second = k_.rem(k_.div(lane, 8), 2),
          third = k_.div(lane, 16);
    lhs_ = offsets(k_.add(firstRow_, k_.add(k_.mul(second, 8), low)), third);
    rhs_ = offsets(k_.add(firstColumn_, k_.add(k_.mul(third, 8), low)), second);
  }

  int64_t steps() const override { return int64_t(lhs_.size()); }
  /// Split floats: those of the wholes, then those of the rests.
  int64_t sums() const override {
    return g_.accumulators() * (isSplit() ? 2 : 1);
  }
  bool loadsAhead() const override { return true; }

  SmallVector<Value> load(Value lhs, Value rhs, int64_t step) override {
    SmallVector<Value> loaded;
    load(lhs, lhs_[size_t(step)], g_.warpTileM, loaded);
    load(rhs, rhs_[size_t(step)], g_.warpTileN, loaded);
    return loaded;
  }

  void multiply(ArrayRef<Value> loaded, MutableArrayRef<Value> sums) override {
    SmallVector<Fragment> rows, columns;
    for (size_t i = 0; i != loaded.size(); i += 4) {
      bool isLhs = int64_t(i) < g_.warpTileM / 16 * 4;
      (isLhs ? rows : columns).emplace_back(loaded.slice(i, 4));
    }
    multiply(rows, columns, sums);
  }

  void store(ArrayRef<Value> sums, Value shared) override {
    Value tile = sumTile(shared);
    Value group = k_.div(lane_, 4), inGroup = k_.rem(lane_, 4);
    Value at = k_.add(k_.mul(k_.add(firstRow_, group), g_.sumPitch),
                      k_.add(firstColumn_, k_.mul(inGroup, 2)));
    Type f32 = k_.b.getF32Type();
    Value first = k_.advance(tile, at, f32);
    auto pair = VectorType::get(2, f32);
    size_t next = 0;
    for (int64_t row = 0; row != g_.warpTileM; row += 16) {
      for (int64_t column = 0; column != g_.warpTileN; column += 8) {
        for (int64_t half : {0, 8}) {
          Value value = LLVM::UndefOp::create(k_.b, k_.loc, pair);
          for (int64_t i : {0, 1}) {
            value = LLVM::InsertElementOp::create(k_.b, k_.loc, value,
                                                  sum(sums, next++), k_.i32(i));
          }
          k_.storeAligned(
              value,
              k_.advance(first, (row + half) * g_.sumPitch + column, f32));
        }
      }
    }
  }

private:
  bool isSplit() const { return g_.schedule.math == GemmMath::Tf32x3; }

  /// Sum number `i` of the tile's.
  Value sum(ArrayRef<Value> sums, size_t i) {
    return isSplit() ? addRests(k_, sums[i], sums[i + sums.size() / 2])
                     : sums[i];
  }

  /// Where the lane's row of a matrix is in each step, relative to the tile.
  SmallVector<Value> offsets(Value row, Value chunk) {
    SharedTile tile{g_.rowBytes};
    int64_t warps = g_.schedule.warpsK;
    auto exclusiveOr = [&](Value lhs, Value rhs) -> Value {
      return arith::XOrIOp::create(k_.b, k_.loc, lhs, rhs);
    };
    Value permuted = exclusiveOr(chunk, tile.swizzle(k_, row));
    if (warps > 1) {
      permuted = exclusiveOr(permuted, k_.mul(warpK_, 2));
    }
    SmallVector<Value> result;
    for (int64_t step = 0; step != g_.rowBytes / 32 / warps; ++step) {
      Value swizzled = step == 0
                           ? permuted
                           : exclusiveOr(permuted, k_.i32(step * warps * 2));
      result.push_back(k_.add(k_.mul(row, g_.rowBytes), k_.mul(swizzled, 16)));
    }
    return result;
  }

  /// Appends the fragments of `rows` rows.
  void load(Value tile, Value offset, int64_t rows,
            SmallVectorImpl<Value> &loaded) {
    OpBuilder &b = k_.b;
    Value first = k_.advance(tile, offset, b.getI8Type());
    auto type = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(4, b.getI32Type()));
    for (int64_t row = 0; row != rows; row += 16) {
      Value matrices = NVVM::LdMatrixOp::create(
          b, k_.loc, type, k_.advance(first, row * g_.rowBytes, b.getI8Type()),
          4, NVVM::MMALayout::row,
          NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
          NVVM::LdStMatrixEltType::B16);
      for (int64_t i = 0; i != 4; ++i) {
        loaded.push_back(LLVM::ExtractValueOp::create(b, k_.loc, matrices, i));
      }
    }
  }

  /// A register of f32 as tf32, rounded to nearest.
  Value round(Value bits) {
    Value number =
        LLVM::BitcastOp::create(k_.b, k_.loc, k_.b.getF32Type(), bits);
    return NVVM::ConvertFloatToTF32Op::create(
        k_.b, k_.loc, k_.b.getI32Type(), number, NVVM::FPRoundingMode::RNA,
        NVVM::SaturationMode::NONE, /*relu=*/false);
  }

  /// Rounds in place.
  void round(MutableArrayRef<Fragment> fragments) {
    for (Fragment &fragment : fragments) {
      for (Value &bits : fragment) {
        bits = round(bits);
      }
    }
  }
  /// Splits in place and returns the rests.
  SmallVector<Fragment> split(MutableArrayRef<Fragment> fragments) {
    SmallVector<Fragment> rests;
    for (Fragment &fragment : fragments) {
      Fragment rest;
      for (Value &bits : fragment) {
        SplitFloat split = SplitFloat::of(k_, bits);
        bits = split.whole;
        rest.push_back(split.rest);
      }
      rests.push_back(std::move(rest));
    }
    return rests;
  }

  void multiply(MutableArrayRef<Fragment> rows,
                MutableArrayRef<Fragment> columns,
                MutableArrayRef<Value> sums) {
    switch (g_.schedule.math) {
    case GemmMath::Tf32x3:
      return multiplySplit(rows, columns, sums);
    case GemmMath::Tf32:
      round(rows);
      round(columns);
      break;
    case GemmMath::Mma:
    case GemmMath::Ffma:
      break;
    }
    accumulate(rows, columns, sums);
  }

  void multiplySplit(MutableArrayRef<Fragment> rows,
                     MutableArrayRef<Fragment> columns,
                     MutableArrayRef<Value> sums) {
    SmallVector<Fragment> rowRests = split(rows);
    SmallVector<Fragment> columnRests = split(columns);
    auto wholes = sums.take_front(sums.size() / 2);
    auto rests = sums.drop_front(sums.size() / 2);
    Value zero =
        arith::ConstantOp::create(k_.b, k_.loc, k_.b.getF32FloatAttr(0));
    SmallVector<Value> products(wholes.size(), zero);
    accumulate(rows, columns, products);
    // These hide the latency of those, which are waited for.
    accumulate(rowRests, columns, rests);
    for (auto [sum, product] : llvm::zip_equal(wholes, products)) {
      sum = arith::AddFOp::create(k_.b, k_.loc, sum, product);
    }
    accumulate(rows, columnRests, rests);
  }

  void accumulate(ArrayRef<Fragment> rows, ArrayRef<Fragment> columns,
                  MutableArrayRef<Value> sums) {
    size_t next = 0;
    for (const Fragment &row : rows) {
      for (const Fragment &pair : columns) {
        for (size_t half : {0, 2}) {
          mma(row, ArrayRef(pair).slice(half, 2), sums.slice(next, 4));
          next += 4;
        }
      }
    }
  }

  void mma(ArrayRef<Value> row, ArrayRef<Value> column,
           MutableArrayRef<Value> sums) {
    OpBuilder &b = k_.b;
    Type element = g_.lhs.type;
    auto ptx = element.isF32()    ? NVVM::MMATypes::tf32
               : element.isBF16() ? NVVM::MMATypes::bf16
                                  : NVVM::MMATypes::f16;
    SmallVector<Value> lhs(row), rhs(column);
    if (element.isF16()) {
      for (Value &bits : llvm::concat<Value>(lhs, rhs)) {
        bits = LLVM::BitcastOp::create(b, k_.loc, VectorType::get(2, element),
                                       bits);
      }
    }
    auto type = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(4, b.getF32Type()));
    Value result = NVVM::MmaOp::create(
        b, k_.loc, type, lhs, rhs, ValueRange(sums),
        ArrayRef<int64_t>{16, 8, 32 / g_.elementBytes}, std::nullopt,
        std::nullopt, std::array{ptx, ptx},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (size_t i = 0; i != 4; ++i) {
      sums[i] = LLVM::ExtractValueOp::create(b, k_.loc, result, int64_t(i));
    }
  }

  /// Per step of a stage.
  SmallVector<Value> lhs_, rhs_;
};

} // namespace

std::unique_ptr<Multiply>
createTensorCoreMultiply(CudaKernelBuilder &builder,
                         const GemmSm80Geometry &geometry, Value warp,
                         Value lane) {
  return std::make_unique<TensorCoreMultiply>(builder, geometry, warp, lane);
}

} // namespace minic::cuda
