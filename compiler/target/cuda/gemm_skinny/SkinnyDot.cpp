// SPDX-License-Identifier: Apache-2.0
//
// Memory accesses that tensor cores and FFMA have in common.

#include "compiler/target/cuda/gemm_skinny/SkinnyDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;

namespace minic::cuda {

std::unique_ptr<SkinnyDot> SkinnyDot::create(CudaKernelBuilder &k,
                                             const SkinnyGeometry &geometry,
                                             Value lhs, Value rhs,
                                             Value column) {
  return geometry.schedule.math == SkinnyMath::Ffma
             ? createFfmaDot(k, geometry, lhs, rhs, column)
             : createMmaDot(k, geometry, lhs, rhs, column);
}

void SkinnyDot::setRows(Value rhs, Value column, Value first, int64_t step) {
  // Rows past the end repeat the last one; their sums are not stored.
  bool isRagged = g.gemm.n % g.schedule.columns != 0;
  // Instructions have 24 bits for a distance.
  bool isFar = g.schedule.columns * g.pitch() * g.elementBytes > 4 << 20;
  for (int64_t load = 0; load != g.loadsPerChunk(); ++load) {
    if (load > 0 && !isRagged && !isFar) {
      rows.push_back({0, load * step * g.pitch() * g.elementBytes});
      continue;
    }
    Value n = k.add(column, k.add(first, load * step));
    if (isRagged) {
      n = k.min(n, k.i32(g.gemm.n - 1));
    }
    Value wide = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), n);
    Value pointer = k.advance(rhs, k.mul(wide, g.pitch()), g.dtype);
    rows.push_back({pointers.size(), 0});
    pointers.push_back(k.advance(pointer, laneElements, g.dtype));
  }
}

Value SkinnyDot::orZero(Value condition, Type type,
                        llvm::function_ref<Value()> yes) {
  auto branch = scf::IfOp::create(
      k.b, k.loc, condition,
      [&](OpBuilder &, Location) { scf::YieldOp::create(k.b, k.loc, yes()); },
      [&](OpBuilder &, Location) {
        Value zero = arith::ConstantOp::create(
            k.b, k.loc, cast<TypedAttr>(k.b.getZeroAttr(type)));
        scf::YieldOp::create(k.b, k.loc, zero);
      });
  return branch.getResult(0);
}

/// Weights are read once: they are kept out of L1, where the other operand is.
Value SkinnyDot::streamVector(Value pointer, int64_t bytes) {
  Type word = k.b.getI32Type();
  auto words = LLVM::LLVMStructType::getLiteral(k.b.getContext(),
                                                {word, word, word, word});
  auto load = LLVM::InlineAsmOp::create(
      k.b, k.loc, words, ValueRange{pointer},
      "ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4+" +
          std::to_string(bytes) + "];",
      "=r,=r,=r,=r,l", /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(k.b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  Values elements;
  for (int64_t i = 0; i != 4; ++i) {
    elements.push_back(
        LLVM::ExtractValueOp::create(k.b, k.loc, load.getResult(0), i));
  }
  auto type = VectorType::get(4, word);
  return vector::FromElementsOp::create(k.b, k.loc, type, elements);
}

SkinnyDot::Values SkinnyDot::loadWeights(Value at, bool guarded) {
  Values weights;
  auto type = VectorType::get(4, k.b.getI32Type());
  auto starts = llvm::map_to_vector(
      pointers, [&](Value pointer) { return k.advance(pointer, at, g.dtype); });
  Value inside;
  if (guarded) {
    inside = k.lessThan(k.add(at, laneElements), g.pitch());
  }
  for (const Row &row : rows) {
    auto load = [&] { return streamVector(starts[row.pointer], row.bytes); };
    weights.push_back(guarded ? orZero(inside, type, load) : load());
  }
  return weights;
}

void SkinnyDot::copyWeights(Value at, int64_t count, Value shared) {
  OpBuilder &b = k.b;
  auto starts = llvm::map_to_vector(
      pointers, [&](Value pointer) { return k.advance(pointer, at, g.dtype); });
  int64_t to = 0;
  for (int64_t chunk = 0; chunk != count; ++chunk) {
    for (const Row &row : rows) {
      int64_t bytes = row.bytes + chunk * g.chunk() * g.elementBytes;
      NVVM::CpAsyncOp::create(
          b, k.loc, k.advance(shared, to, b.getI8Type()),
          k.advance(starts[row.pointer], bytes, b.getI8Type()),
          b.getI32IntegerAttr(16),
          NVVM::LoadCacheModifierKindAttr::get(b.getContext(),
                                               NVVM::LoadCacheModifierKind::CG),
          /*cpSize=*/Value());
      to += kWarpAccessBytes;
    }
  }
}

SkinnyDot::Values SkinnyDot::readWeights(int64_t count, Value shared) {
  Values weights;
  auto type = VectorType::get(4, k.b.getI32Type());
  for (int64_t i = 0; i != count * int64_t(rows.size()); ++i) {
    weights.push_back(k.loadAligned(
        type, k.advance(shared, i * kWarpAccessBytes, k.b.getI8Type())));
  }
  return weights;
}

SkinnyDot::Values SkinnyDot::multiply(ValueRange sums, ValueRange weights,
                                      Value at, int64_t count, bool guarded) {
  Values result(sums);
  size_t loads = size_t(g.loadsPerChunk());
  for (int64_t chunk = 0; chunk != count; ++chunk) {
    multiplyChunk(result, weights.slice(size_t(chunk) * loads, loads),
                  k.add(at, chunk * g.chunk()), guarded);
  }
  return result;
}

SkinnyDot::Values SkinnyDot::zeroSums() {
  Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(0));
  return Values(size_t(sumCount()), zero);
}

Value SkinnyDot::lhsRow(Value lhs, Value row) {
  Value offset = k.add(k.mul(row, g.lhsPitch()), laneElements);
  return k.advance(lhs, offset, g.dtype);
}

SkinnyDot::Values SkinnyDot::loadLhs(Value row, Value at, bool guarded) {
  // A row begins wherever the one before ends.
  int64_t piece = g.gemm.m == 1 ? g.vector() : std::gcd(g.gemm.k, g.vector());
  if (guarded) {
    // The end of K is the end of a piece.
    piece = std::gcd(g.gemm.k, g.vector());
  }
  if (g.makesLhs) {
    // Padded with zeros.
    piece = g.vector();
    guarded = false;
  }
  int64_t bytes = piece * g.elementBytes;
  Value pointer = k.advance(row, at, g.dtype);
  Type i32 = k.b.getI32Type();
  auto load = [&](int64_t element) -> Value {
    Type type = bytes == 2 ? Type(k.b.getI16Type())
                           : Type(VectorType::get(bytes / 4, i32));
    auto read = [&] {
      return k.loadAligned(type, k.advance(pointer, element, g.dtype));
    };
    if (!guarded) {
      return read();
    }
    Value first = k.add(k.add(at, laneElements), element);
    return orZero(k.lessThan(first, g.gemm.k), type, read);
  };
  Values words;
  if (bytes == 2) {
    for (int64_t i = 0; i != 4; ++i) {
      auto half = [&](int64_t element) -> Value {
        return arith::ExtUIOp::create(k.b, k.loc, i32, load(element));
      };
      Value low = half(2 * i), high = half(2 * i + 1);
      high = arith::ShLIOp::create(k.b, k.loc, high, k.i32(16));
      words.push_back(arith::OrIOp::create(k.b, k.loc, low, high));
    }
    return words;
  }
  for (int64_t element = 0; element < g.vector(); element += piece) {
    Value vector = load(element);
    for (int64_t i = 0; i != bytes / 4; ++i) {
      words.push_back(vector::ExtractOp::create(k.b, k.loc, vector, i));
    }
  }
  return words;
}

} // namespace minic::cuda
