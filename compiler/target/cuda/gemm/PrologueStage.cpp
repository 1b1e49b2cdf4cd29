// SPDX-License-Identifier: Apache-2.0
//
// Addresses are clamped rather than guarded: what is read beyond the operand is
// masked (K) or never stored (rows).

#include "compiler/target/cuda/gemm/PrologueStage.h"

#include "compiler/target/cuda/gemm/SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::cuda {

static Type elementType(Value value) {
  return getElementTypeOrSelf(value.getType());
}

PrologueStage::PrologueStage(CudaKernelBuilder &k,
                             const OperandPrologue &prologue,
                             const GemmOperand &operand,
                             const PrologueTile &tile,
                             ArrayRef<Value> parameters)
    : k_(k), prologue_(prologue), operand_(operand), tile_(tile) {
  int64_t accesses = tile.bk / prologue.lanes;
  row_ = k_.div(tile.thread, accesses);
  accessK_ = k_.mul(k_.rem(tile.thread, accesses), prologue.lanes);
  for (const DirectInput &input : prologue.direct) {
    Value batch = tile.batch, offset = k_.i64(0);
    for (size_t d = input.batchStrides.size(); d-- > 0;) {
      Value at = k_.rem(batch, tile.batchExtents[d]);
      batch = k_.div(batch, tile.batchExtents[d]);
      Value wide = arith::ExtUIOp::create(k_.b, k_.loc, k_.b.getI64Type(), at);
      offset = k_.add(offset, k_.mul(wide, input.batchStrides[d]));
    }
    Source source{&input,
                  k_.advance(parameters[input.argument.getArgNumber()], offset,
                             elementType(input.argument)),
                  Value()};
    // Without elements there is nothing to read.
    if (input.kStride == 0 && !input.variesInRows() && operand_.k > 0) {
      source.value = loadDirect(source, Value());
    }
    sources_.push_back(source);
  }
}

Value PrologueStage::rowOffset(const DirectInput &input, Value row) {
  auto widen = [&](Value index) -> Value {
    return arith::ExtUIOp::create(k_.b, k_.loc, k_.b.getI64Type(), index);
  };
  Value offset = k_.i64(0);
  if (!input.variesInRows()) {
    return offset;
  }
  for (size_t d = input.rowExtents.size(); d-- > 0;) {
    Value index = d == 0 ? row : k_.rem(row, input.rowExtents[d]);
    row = k_.div(row, input.rowExtents[d]);
    offset = k_.add(offset, k_.mul(widen(index), input.rowStrides[d]));
  }
  return offset;
}

Value PrologueStage::loadDirect(const Source &source, Value row) {
  const DirectInput &input = *source.input;
  Type storage = elementType(input.argument);
  Type memory = KernelBuilder::memoryType(storage);
  int64_t lanes = prologue_.lanes;
  Value base = k_.advance(source.base, rowOffset(input, row), storage);
  auto clamped = [&](Value at, int64_t last) {
    return hasKTail() ? k_.min(at, k_.i32(last)) : at;
  };
  if (input.kStride == 0) {
    Value value = k_.toCompute(k_.loadAligned(memory, base), storage);
    return lanes == 1 ? value : k_.splat(value, lanes);
  }
  auto isAligned = [&](ArrayRef<int64_t> strides) {
    return llvm::all_of(strides, [&](int64_t s) { return s % lanes == 0; });
  };
  if (lanes > 1 && input.kStride == 1 && hasWholeAccesses() &&
      isAligned(input.rowStrides) && isAligned(input.batchStrides)) {
    Value at = clamped(threadK_, operand_.k - lanes);
    return k_.toCompute(k_.loadAligned(VectorType::get(lanes, memory),
                                       k_.advance(base, at, storage)),
                        storage);
  }
  Value vector;
  for (int64_t i = 0; i != lanes; ++i) {
    Value at = clamped(k_.add(threadK_, i), operand_.k - 1);
    Value value = k_.loadAligned(
        memory, k_.advance(base, k_.mul(at, input.kStride), storage));
    if (lanes == 1) {
      return k_.toCompute(value, storage);
    }
    if (!vector) {
      vector =
          LLVM::UndefOp::create(k_.b, k_.loc, VectorType::get(lanes, memory));
    }
    vector =
        LLVM::InsertElementOp::create(k_.b, k_.loc, vector, value, k_.i32(i));
  }
  return k_.toCompute(vector, storage);
}

Value PrologueStage::offsetIn(int64_t rowBytes, int64_t elementBytes,
                              Value row) {
  SharedTile tile{rowBytes};
  Value byte = k_.mul(accessK_, elementBytes);
  Value chunk = arith::XOrIOp::create(k_.b, k_.loc, k_.div(byte, 16),
                                      tile.swizzle(k_, row));
  return k_.add(k_.add(k_.mul(row, rowBytes), k_.mul(chunk, 16)),
                k_.rem(byte, 16));
}

Value PrologueStage::loadStaged(const StagedMatrix &staged, Value stage,
                                Value row) {
  Type i8 = k_.b.getI8Type(), type = staged.operand.type;
  Value offset =
      k_.add(offsetIn(staged.rowBytes, staged.operand.elementBytes(), row),
             staged.offset);
  Type access =
      prologue_.lanes == 1 ? type : VectorType::get(prologue_.lanes, type);
  return k_.toCompute(k_.loadAligned(access, k_.advance(stage, offset, i8)),
                      type);
}

Value PrologueStage::maskedByK(Value value) {
  if (!hasKTail()) {
    return value;
  }
  OpBuilder &b = k_.b;
  int64_t lanes = prologue_.lanes;
  Value left = k_.sub(k_.i32(operand_.k), threadK_);
  Value inside;
  if (hasWholeAccesses()) {
    inside = k_.lessThan(k_.i32(0), left);
  } else {
    auto indices = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(lanes)));
    auto type = VectorType::get(lanes, b.getI32Type());
    Value lane = arith::ConstantOp::create(
        b, k_.loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(indices)));
    inside = k_.lessThan(lane, k_.splat(left, lanes));
  }
  Value zero = arith::ConstantOp::create(
      b, k_.loc, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::SelectOp::create(b, k_.loc, inside, value, zero);
}

void PrologueStage::load(Value stage, Value row, ArrayRef<Value> alongK,
                         BodyEvaluator &body) {
  for (const StagedMatrix &staged : prologue_.staged) {
    body.set(staged.operand.value, loadStaged(staged, stage, row));
  }
  Value inOperand = k_.add(tile_.firstRow, row);
  if (operand_.rows % tile_.rows != 0) {
    inOperand = k_.min(inOperand, k_.i32(operand_.rows - 1));
  }
  for (auto [source, known] : llvm::zip_equal(sources_, alongK)) {
    body.set(source.input->argument,
             known ? known : loadDirect(source, inOperand));
  }
}

void PrologueStage::emitRows(Value stage, ArrayRef<Value> rows,
                             ArrayRef<Value> alongK) {
  // All loads before the first store: their latencies overlap.
  std::vector<BodyEvaluator> bodies;
  for (Value row : rows) {
    load(stage, row, alongK,
         bodies.emplace_back(k_, ArrayRef<int64_t>(), ArrayRef<Value>()));
  }
  for (auto [row, body] : llvm::zip_equal(rows, bodies)) {
    Value value = maskedByK(body.get(prologue_.value));
    Value offset = k_.add(
        offsetIn(tile_.rowBytes, operand_.elementBytes(), row), tile_.offset);
    k_.storeAligned(k_.toStorage(value, operand_.type),
                    k_.advance(stage, offset, k_.b.getI8Type()));
  }
}

void PrologueStage::emit(Value stage, Value firstK) {
  threadK_ = k_.add(firstK, accessK_);
  // What is the same in all rows, or known: once.
  auto alongK = llvm::map_to_vector(sources_, [&](const Source &source) {
    bool isSame = !source.value && !source.input->variesInRows();
    return isSame ? loadDirect(source, Value()) : source.value;
  });
  int64_t atOnce = rowsPerPass();
  int64_t passes = llvm::divideCeil(tile_.rows, atOnce);
  int64_t unroll =
      std::clamp<int64_t>(prologueElements / prologue_.lanes, 1, passes);
  auto rowsFrom = [&](Value first, int64_t count) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i != count; ++i) {
      rows.push_back(k_.add(row_, k_.mul(k_.add(first, i), atOnce)));
    }
    return rows;
  };
  // All rows of whole passes are in the tile; of the last one some may be.
  int64_t whole = tile_.rows / atOnce / unroll * unroll;
  if (whole > 0 && whole == unroll) {
    emitRows(stage, rowsFrom(k_.i32(0), unroll), alongK);
  } else if (whole > 0) {
    k_.forLoop(k_.i32(0), k_.i32(whole), unroll, [&](Value first) {
      emitRows(stage, rowsFrom(first, unroll), alongK);
    });
  }
  for (int64_t i = whole; i != passes; ++i) {
    Value row = k_.add(row_, i * atOnce);
    if ((i + 1) * atOnce <= tile_.rows) {
      emitRows(stage, row, alongK);
    } else {
      k_.ifThen(k_.lessThan(row, tile_.rows),
                [&] { emitRows(stage, row, alongK); });
    }
  }
}

} // namespace minic::cuda
