// SPDX-License-Identifier: Apache-2.0
//
// The tile unit and the vector units work at the same time: while a block is
// multiplied, the sums of the one before it are rounded and written, some rows
// in each step of K. 16 cycles pass per product, 64 per step.
//
// On Granite Rapids, of 256x1024x1024, bf16 with bias and relu:
// - Tiles that are read once pass L1 by (tileloaddt1); with plain loads it took
//   23 % longer.
// - A tilestore stalls for about 650 cycles if there was none for 2000 cycles,
//   so every eighth step stores one that nobody reads: else 31 % longer where
//   the epilogue is not interleaved.
// - An epilogue behind the loop over K took 6 % longer, 28 % with K = 256.

#include "compiler/target/cpu/gemm_amx/BlockKernel.h"

#include "compiler/target/cpu/EpilogueEmitter.h"
#include "compiler/target/cpu/PanelPrefetch.h"
#include "compiler/target/cpu/TileEpilogue.h"
#include "compiler/target/cpu/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

namespace {

/// Sums are tiles 0 and 1 of the upper rows, 2 and 3 of the lower ones.
constexpr int lhsTile = 4, rhsTile = 6;

/// Steps from one store that nobody reads to the next.
constexpr int64_t stepsPerStore = 8;

constexpr int64_t stateColumns = blockColumns;

/// The epilogue of a pending block, whose sums lie in its state.
class PendingEpilogue {
public:
  PendingEpilogue(KernelBuilder &k, const kernel::FusionShape &shape,
                  const GemmAmxGeometry &g, Value args, BlockState &state,
                  BlockState::Pending pending)
      : k_(k), shape_(shape), g_(g), state_(state), pending_(pending),
        operands_(EpilogueOperands::load(k, shape, args)) {
    for (int64_t v = 0; v != vectors; ++v) {
      Value column = k_.add(pending_.column, v * gemmLanes);
      columns_.push_back(column);
      masks_.push_back(
          g_.gemm.n % blockColumns == 0
              ? Value()
              : k_.tailMask(k_.sub(k_.i64(g_.gemm.n), column), gemmLanes));
      if (g_.gemm.bias) {
        Type type =
            cast<RankedTensorType>(g_.gemm.bias.getType()).getElementType();
        Value start = k_.argPointer(
            args, cast<BlockArgument>(g_.gemm.bias).getArgNumber());
        biases_.push_back(k_.loadVector(k_.advance(start, column, type), type,
                                        gemmLanes, masks_.back()));
      }
    }
  }

  /// Of the rows [begin, end) those that the block has.
  void emitRows(Value begin, Value end) {
    // Values that an emitter keeps are those of one loop.
    EpilogueEmitter epilogue(k_, shape_, operands_.inputs, operands_.results);
    k_.forLoop(begin, k_.min(end, pending_.rows), 1, [&](Value row) {
      Value resultRow = k_.add(pending_.row, row);
      OpBuilder::InsertionGuard guard(k_.b);
      if (g_.image) {
        PaddedImage::Result result = g_.image->resultOf(k_, resultRow);
        auto branch = scf::IfOp::create(k_.b, k_.loc, result.exists);
        k_.b.setInsertionPoint(branch.thenBlock()->getTerminator());
        resultRow = result.row;
      }
      EpilogueEmitter::Row at = epilogue.row(resultRow);
      Type type = g_.sumType();
      Value from =
          k_.advance(state_.sums(0, 0), k_.mul(row, stateColumns), type);
      for (int64_t v = 0; v != vectors; ++v) {
        Value sum = k_.loadRaw(VectorType::get(gemmLanes, type),
                               k_.advance(from, v * gemmLanes, type), 64);
        if (!biases_.empty()) {
          sum = k_.sum(sum, biases_[v]);
        }
        epilogue.emit(at, columns_[v], gemmLanes, masks_[v], sum);
      }
    });
  }

private:
  static constexpr int64_t vectors = blockColumns / gemmLanes;

  KernelBuilder &k_;
  const kernel::FusionShape &shape_;
  const GemmAmxGeometry &g_;
  BlockState &state_;
  BlockState::Pending pending_;
  EpilogueOperands operands_;
  SmallVector<Value> columns_, masks_, biases_;
};

/// Tiles of sums that any block of the kernel uses.
int64_t sumTiles(const GemmAmxGeometry &g) {
  return g.blocks > 1 || g.lastTiles() == 2 ? 4 : 2;
}

class BlockEmitter {
public:
  BlockEmitter(OpBuilder &builder, Location loc,
               const kernel::FusionShape &shape, const GemmAmxGeometry &g,
               int64_t tiles, LLVM::LLVMFuncOp function)
      : k_(builder, loc), tile_(k_), shape_(shape), g_(g), tiles_(tiles),
        lhs_(function.getArgument(0)), panel_(function.getArgument(1)),
        args_(function.getArgument(2)), state_{k_, function.getArgument(3)},
        block_{function.getArgument(4), function.getArgument(5),
               function.getArgument(6)},
        prefetch_(function.getArgument(7)) {}

  void emit() {
    BlockState::Pending pending = state_.load();
    state_.store(block_);
    PendingEpilogue epilogue(k_, shape_, g_, args_, state_, pending);
    firstStep();
    int64_t perStep = g_.schedule.rowsPerStep;
    int64_t epilogueSteps =
        std::min(g_.steps - 1, int64_t(llvm::divideCeil(blockRows, perStep)));
    int64_t epilogueEnd = 1 + epilogueSteps;
    int64_t begin = 1;
    for (int64_t end : {std::min(epilogueEnd, resident()),
                        std::max(epilogueEnd, resident()), g_.steps}) {
      if (begin < end) {
        emitSteps(begin, end, [&](Value step) {
          multiply(step, /*keepsRhs=*/begin < resident());
          if (begin < epilogueEnd) {
            Value row = k_.mul(k_.sub(step, k_.i64(1)), perStep);
            epilogue.emitRows(row, k_.add(row, perStep));
          }
        });
        begin = end;
      }
    }
    if (epilogueSteps * perStep < blockRows) {
      epilogue.emitRows(k_.i64(epilogueSteps * perStep), k_.i64(blockRows));
    }
  }

private:
  /// Steps of the panel that are kept in L1.
  int64_t resident() const {
    return std::clamp<int64_t>(g_.schedule.resident, 1, g_.steps);
  }
  bool keepsLhs() const { return g_.schedule.resident == 0; }

  void loadLhs(Value step, int64_t i) {
    Type type = g_.factorType();
    RowPlaces places = g_.lhsPlaces();
    Value offset = g_.image ? g_.image->offsetOf(k_, step)
                            : k_.mul(step, places.lineStride);
    Value from = k_.advance(lhs_, offset, type);
    tile_.load(lhsTile + int(i),
               k_.advance(from, i * tileRows * places.rowStride, type),
               k_.i64(g_.factorBytes() * places.rowStride),
               /*passing=*/!keepsLhs());
  }

  void loadRhs(Value step, int64_t j, bool keep) {
    Type type = g_.factorType();
    Value from =
        k_.advance(panel_, k_.mul(step, g_.tileDepth() * blockColumns), type);
    // A row of the panel is one of each of the two tiles.
    tile_.load(rhsTile + int(j), k_.advance(from, j * g_.tileDepth(), type),
               k_.i64(2 * tileRowBytes), /*passing=*/!keep);
  }

  void storeSums(int tile) {
    if (tile < sumTiles(g_)) {
      tile_.store(tile, state_.sums(tile / 2 * tileRows, tile % 2 * gemmLanes),
                  k_.i64(stateColumns * 4));
      tile_.zero(tile);
    }
  }

  /// The first products of this block follow the last ones of the block before
  /// without a gap, tile by tile.
  void firstStep() {
    Value step = k_.i64(0);
    bool keep = !keepsLhs() && resident() > 0;
    for (int i = 0; i != 2; ++i) {
      if (i < tiles_) {
        loadLhs(step, i);
      }
      for (int j = 0; j != 2; ++j) {
        if (i == 0) {
          loadRhs(step, j, keep);
        }
        storeSums(2 * i + j);
        if (i < tiles_) {
          multiplyAdd(i, j);
        }
      }
    }
    prefetchLines(step);
  }

  void multiplyAdd(int i, int j) {
    tile_.multiplyAdd(2 * i + j, lhsTile + i, rhsTile + j, g_.factorType());
  }

  void multiply(Value step, bool keepsRhs) {
    bool keep = keepsRhs && !keepsLhs();
    for (int i = 0; i != tiles_; ++i) {
      loadLhs(step, i);
      for (int j = 0; j != 2; ++j) {
        if (i == 0) {
          loadRhs(step, j, keep);
        }
        multiplyAdd(i, j);
      }
    }
    prefetchLines(step);
  }

  void prefetchLines(Value step) {
    if (!g_.schedule.prefetch) {
      return;
    }
    int64_t lines = prefetchedLines(g_);
    fetchLines(
        k_,
        k_.advance(prefetch_, k_.mul(step, lines * 64), k_.b.getIntegerType(8)),
        lines);
  }

  void emitSteps(int64_t begin, int64_t end,
                 llvm::function_ref<void(Value)> step) {
    int64_t whole = g_.steps > 2 * stepsPerStore
                        ? (end - begin) / stepsPerStore * stepsPerStore
                        : 0;
    if (whole > 0) {
      k_.forLoop(k_.i64(begin), k_.i64(begin + whole), stepsPerStore,
                 [&](Value first) {
                   k_.forLoop(first, k_.add(first, stepsPerStore), 1, step);
                   tile_.store(0, state_.unread(), k_.i64(64));
                 });
    }
    if (begin + whole < end) {
      k_.forLoop(k_.i64(begin + whole), k_.i64(end), 1, step);
    }
  }

  KernelBuilder k_;
  TileOps tile_;
  const kernel::FusionShape &shape_;
  const GemmAmxGeometry &g_;
  int64_t tiles_;
  Value lhs_, panel_, args_;
  BlockState state_;
  BlockState::Pending block_;
  Value prefetch_;
};

} // namespace

Value BlockState::sums(int64_t row, int64_t column) {
  return k.advance(memory, row * stateColumns + column, k.b.getF32Type());
}

Value BlockState::unread() {
  return k.advance(memory, blockRows * stateColumns, k.b.getF32Type());
}

Value BlockState::field(int64_t number) {
  Value fields = k.advance(unread(), 256, k.b.getF32Type());
  return k.advance(fields, number, k.b.getI64Type());
}

BlockState::Pending BlockState::load() {
  Type i64 = k.b.getI64Type();
  return {k.loadRaw(i64, field(0), 8), k.loadRaw(i64, field(1), 8),
          k.loadRaw(i64, field(2), 8)};
}

void BlockState::store(const Pending &pending) {
  k.storeRaw(pending.row, field(0), 8);
  k.storeRaw(pending.column, field(1), 8);
  k.storeRaw(pending.rows, field(2), 8);
}

LLVM::LLVMFuncOp emitBlockKernel(OpBuilder &builder, Location loc,
                                 ModuleOp device, StringRef name,
                                 const kernel::FusionShape &shape,
                                 const GemmAmxGeometry &geometry,
                                 int64_t tiles) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name,
      {pointer, pointer, pointer, pointer, i64, i64, i64, pointer});
  BlockEmitter(builder, loc, shape, geometry, tiles, function).emit();
  return function;
}

LLVM::LLVMFuncOp emitLastEpilogue(OpBuilder &builder, Location loc,
                                  ModuleOp device, StringRef name,
                                  const kernel::FusionShape &shape,
                                  const GemmAmxGeometry &geometry) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp function =
      createInternalFunction(builder, loc, device, name, {pointer, pointer});
  KernelBuilder k(builder, loc);
  TileOps tile(k);
  BlockState state{k, function.getArgument(1)};
  for (int sums = 0; sums != sumTiles(geometry); ++sums) {
    tile.store(sums, state.sums(sums / 2 * tileRows, sums % 2 * gemmLanes),
               k.i64(stateColumns * 4));
  }
  PendingEpilogue epilogue(k, shape, geometry, function.getArgument(0), state,
                           state.load());
  epilogue.emitRows(k.i64(0), k.i64(blockRows));
  return function;
}

SmallVector<int64_t> rowsOfTiles(const GemmAmxGeometry &g) {
  int64_t upper = tileRows, lower = tileRows;
  if (g.blocks == 1) {
    upper = std::min(g.lastRows(), tileRows);
    lower = g.lastRows() - upper;
  }
  return {upper, upper, lower, lower, upper, lower, tileRows, tileRows};
}

int64_t prefetchedLines(const GemmAmxGeometry &g) {
  constexpr int64_t stepLines = blockColumns * 4 * tileRows / 64;
  return llvm::divideCeil(stepLines, std::min(g.blocksAtATime, g.blocks));
}

} // namespace minic::cpu
