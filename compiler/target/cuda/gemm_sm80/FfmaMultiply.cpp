// SPDX-License-Identifier: Apache-2.0
//
// Scalar multiply-adds: lane l has rows l / 4 + 8 i and columns l % 4 + 4 j of
// the warp's tile. A 16-byte chunk is four steps of K; 8 rows' chunks lie in
// different banks by the swizzle.

#include "compiler/target/cuda/gemm/SharedTile.h"
#include "compiler/target/cuda/gemm_sm80/Multiply.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class FfmaMultiply final : public Multiply {
public:
  FfmaMultiply(CudaKernelBuilder &builder, const GemmSm80Geometry &g,
               Value warp, Value lane)
      : Multiply(builder, g, warp, lane),
        row_(k_.add(firstRow_, k_.div(lane, 4))),
        column_(k_.add(firstColumn_, k_.rem(lane, 4))) {
    int64_t rows = g.warpTileM / 8, columns = g.warpTileN / 4;
    for (int64_t i = 0; i != rows; ++i) {
      lhs_.push_back(place(k_.add(row_, i * 8)));
    }
    for (int64_t j = 0; j != columns; ++j) {
      rhs_.push_back(place(k_.add(column_, j * 4)));
    }
  }

  int64_t steps() const override {
    return g_.rowBytes / 16 / g_.schedule.warpsK;
  }
  bool loadsAhead() const override { return false; }

  SmallVector<Value> load(Value lhs, Value rhs, int64_t step) override {
    SmallVector<Value> loaded;
    load(lhs, lhs_, step * g_.schedule.warpsK, loaded);
    load(rhs, rhs_, step * g_.schedule.warpsK, loaded);
    return loaded;
  }

  void multiply(ArrayRef<Value> loaded, MutableArrayRef<Value> sums) override {
    auto fourOf = [&](size_t at, int64_t i) -> Value {
      return LLVM::ExtractElementOp::create(k_.b, k_.loc, loaded[at],
                                            k_.i32(i));
    };
    for (int64_t i = 0; i != 4; ++i) {
      size_t next = 0;
      for (size_t row = 0; row != lhs_.size(); ++row) {
        for (size_t column = 0; column != rhs_.size(); ++column) {
          sums[next] =
              LLVM::FMAOp::create(k_.b, k_.loc, fourOf(row, i),
                                  fourOf(lhs_.size() + column, i), sums[next]);
          ++next;
        }
      }
    }
  }

  void store(ArrayRef<Value> sums, Value shared) override {
    Type f32 = k_.b.getF32Type();
    Value first = k_.advance(sumTile(shared),
                             k_.add(k_.mul(row_, g_.sumPitch), column_), f32);
    size_t next = 0;
    for (int64_t row = 0; row != g_.warpTileM; row += 8) {
      for (int64_t column = 0; column != g_.warpTileN; column += 4) {
        k_.storeAligned(sums[next++],
                        k_.advance(first, row * g_.sumPitch + column, f32));
      }
    }
  }

private:
  /// Where a row begins in its tile, and what its chunks are xored with.
  struct Place {
    Value offset, swizzle;
  };
  Place place(Value row) {
    SharedTile tile{g_.rowBytes};
    Value swizzle = tile.swizzle(k_, row);
    if (g_.schedule.warpsK > 1) {
      swizzle = arith::XOrIOp::create(k_.b, k_.loc, swizzle, warpK_);
    }
    return {k_.mul(row, g_.rowBytes), swizzle};
  }

  /// Appends four elements of K of each row.
  void load(Value tile, ArrayRef<Place> places, int64_t chunk,
            SmallVectorImpl<Value> &loaded) {
    OpBuilder &b = k_.b;
    auto type = VectorType::get(4, b.getF32Type());
    for (const Place &place : places) {
      Value swizzled =
          arith::XOrIOp::create(b, k_.loc, place.swizzle, k_.i32(chunk));
      Value offset = k_.add(place.offset, k_.mul(swizzled, 16));
      loaded.push_back(
          k_.loadAligned(type, k_.advance(tile, offset, b.getI8Type())));
    }
  }

  Value row_, column_;
  SmallVector<Place> lhs_, rhs_;
};

} // namespace

std::unique_ptr<Multiply> createFfmaMultiply(CudaKernelBuilder &builder,
                                             const GemmSm80Geometry &geometry,
                                             Value warp, Value lane) {
  return std::make_unique<FfmaMultiply>(builder, geometry, warp, lane);
}

} // namespace minic::cuda
