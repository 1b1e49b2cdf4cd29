// SPDX-License-Identifier: Apache-2.0
//
// for each batch: for each block of tiles: pack them; for each panel and tile
// of the block, in the schedule's order: the register tile.

#include "compiler/target/cpu/gemm_packed/EmitGemm.h"

#include "compiler/target/cpu/gemm_packed/Microkernel.h"
#include "compiler/target/cpu/gemm_packed/PackLhs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cpu {

namespace {

class GemmEmitter {
public:
  GemmEmitter(OpBuilder &builder, Location loc, const KernelEntry &entry,
              const GemmGeometry &g)
      : k_(builder, loc), entry_(entry), g_(g), tiles_(k_.i64(g.tiles)) {
    lhs_ = k_.argPointer(entry.args, indexOf(g.gemm.lhs));
    rhs_ = k_.argPointer(entry.args, indexOf(g.gemm.rhs));
  }

  /// The functions for each of g.heights().
  SmallVector<LLVM::LLVMFuncOp> microkernels, packers;
  /// Where lhs are windows.
  LLVM::LLVMFuncOp gatherer;

  /// Only tiles with rows of the run are computed. There is one batch.
  void boundRows(const BoundedRows &rows) {
    tiles_ = tilesOf(rows.count(k_, entry_, g_.gemm.m));
    if (!g_.schedule.splitN) {
      shareTiles(k_, entry_, tiles_, g_.tiles);
    }
  }

  void emit() {
    int64_t perBatch = g_.schedule.splitN ? g_.panels : g_.tiles;
    if (g_.batches == 1) {
      emitBatch(k_.i64(0), entry_.begin, entry_.end);
      return;
    }
    Value first = k_.div(entry_.begin, perBatch);
    Value last = k_.div(k_.add(entry_.end, perBatch - 1), perBatch);
    k_.forLoop(first, last, 1, [&](Value batch) {
      Value start = k_.mul(batch, perBatch);
      emitBatch(batch, k_.max(k_.sub(entry_.begin, start), k_.i64(0)),
                k_.min(k_.sub(entry_.end, start), k_.i64(perBatch)));
    });
  }

private:
  static int64_t indexOf(Value operand) {
    return cast<BlockArgument>(operand).getArgNumber();
  }

  /// The offset of batch number `batch` by one stride per batch dimension.
  Value batchOffset(Value batch, ArrayRef<int64_t> strides) {
    Value offset = k_.i64(0);
    for (size_t d = strides.size(); d-- > 0;) {
      Value index = k_.rem(batch, g_.gemm.batch[d]);
      batch = k_.div(batch, g_.gemm.batch[d]);
      offset = k_.add(offset, k_.mul(index, strides[d]));
    }
    return offset;
  }

  /// How many tiles the first `rows` rows are in: tall ones come first.
  Value tilesOf(Value rows) {
    auto ceilDiv = [&](Value value, int64_t by) {
      return k_.div(k_.add(value, by - 1), by);
    };
    int64_t border = g_.tallTiles * (g_.height + 1);
    Value tall = ceilDiv(k_.min(rows, k_.i64(border)), g_.height + 1);
    Value rest = k_.max(k_.sub(rows, k_.i64(border)), k_.i64(0));
    return g_.height == 0 ? tall : k_.add(tall, ceilDiv(rest, g_.height));
  }

  void emitBatch(Value batch, Value begin, Value end) {
    Value lhs = k_.advance(lhs_, batchOffset(batch, g_.gemm.lhsBatchStrides),
                           g_.gemm.lhsType);
    Value rhs = k_.advance(rhs_, batchOffset(batch, g_.packedRhsBatchStrides()),
                           g_.gemm.rhsType);
    batchRow_ = k_.mul(batch, g_.gemm.m);
    Value all = g_.schedule.splitN ? tiles_ : k_.i64(g_.panels);
    Value zero = k_.i64(0);
    Value tileBegin = g_.schedule.splitN ? zero : begin;
    Value tileEnd = g_.schedule.splitN ? all : end;
    Value panelBegin = g_.schedule.splitN ? begin : zero;
    Value panelEnd = g_.schedule.splitN ? end : all;
    if (g_.schedule.splitN && g_.blockTiles >= g_.tiles) {
      emitBlock(lhs, rhs, tileBegin, tileEnd, panelBegin, panelEnd);
      return;
    }
    k_.forLoop(tileBegin, tileEnd, g_.blockTiles, [&](Value block) {
      Value blockEnd = k_.min(k_.add(block, g_.blockTiles), tileEnd);
      emitBlock(lhs, rhs, block, blockEnd, panelBegin, panelEnd);
    });
  }

  /// The first row, within its batch, of a tile of heights()[kind].
  Value firstRow(Value tile, size_t kind) {
    Value row = k_.mul(tile, g_.heights()[kind]);
    bool isShort = g_.heights()[kind] == g_.height;
    return isShort ? k_.add(row, g_.tallTiles) : row;
  }

  /// Calls `body`(tile, kind) for the tiles [begin, end), kind by kind.
  void forEachTile(Value begin, Value end,
                   llvm::function_ref<void(Value, size_t)> body) {
    if (g_.heights().size() == 1) {
      k_.forLoop(begin, end, 1, [&](Value tile) { body(tile, 0); });
      return;
    }
    Value border = k_.i64(g_.tallTiles);
    k_.forLoop(begin, k_.min(end, border), 1,
               [&](Value tile) { body(tile, 0); });
    k_.forLoop(k_.max(begin, border), end, 1,
               [&](Value tile) { body(tile, 1); });
  }

  Value tileSource(Value lhs, Value tile, size_t kind) {
    return k_.advance(lhs, k_.mul(firstRow(tile, kind), g_.gemm.lhsStrideM),
                      g_.gemm.lhsType);
  }

  Value packedTile(Value tile, Value blockBegin) {
    return k_.advance(entry_.scratch,
                      k_.mul(k_.sub(tile, blockBegin), g_.scratchTileBytes()),
                      k_.b.getI8Type());
  }

  void emitBlock(Value lhs, Value rhs, Value tileBegin, Value tileEnd,
                 Value panelBegin, Value panelEnd) {
    if (g_.schedule.packLhs) {
      forEachTile(tileBegin, tileEnd, [&](Value tile, size_t kind) {
        LLVM::CallOp::create(k_.b, k_.loc, packers[kind],
                             ValueRange{tileSource(lhs, tile, kind),
                                        packedTile(tile, tileBegin)});
      });
    }
    if (gatherer) {
      forEachTile(tileBegin, tileEnd, [&](Value tile, size_t kind) {
        LLVM::CallOp::create(k_.b, k_.loc, gatherer,
                             ValueRange{lhs, packedTile(tile, tileBegin),
                                        firstRow(tile, kind),
                                        k_.i64(g_.heights()[kind])});
      });
    }
    auto compute = [&](Value tile, size_t kind, Value panel) {
      Value source = g_.schedule.packLhs || gatherer
                         ? packedTile(tile, tileBegin)
                         : tileSource(lhs, tile, kind);
      Value packed =
          k_.advance(rhs, k_.mul(panel, g_.panelElements()), g_.gemm.rhsType);
      Value row = k_.add(batchRow_, firstRow(tile, kind));
      Value column = k_.mul(panel, g_.schedule.nr);
      SmallVector<Value> operands = {source, packed, entry_.args, row, column};
      if (g_.schedule.prefetch) {
        operands.push_back(
            g_.panelPrefetch().partOfNext(k_, packed, k_.sub(tile, tileBegin)));
      }
      LLVM::CallOp::create(k_.b, k_.loc, microkernels[kind], operands);
    };
    if (g_.schedule.panelsOutside) {
      k_.forLoop(panelBegin, panelEnd, 1, [&](Value panel) {
        forEachTile(tileBegin, tileEnd, [&](Value tile, size_t kind) {
          compute(tile, kind, panel);
        });
      });
    } else {
      forEachTile(tileBegin, tileEnd, [&](Value tile, size_t kind) {
        k_.forLoop(panelBegin, panelEnd, 1,
                   [&](Value panel) { compute(tile, kind, panel); });
      });
    }
  }

  KernelBuilder k_;
  KernelEntry entry_;
  const GemmGeometry &g_;
  Value tiles_; // of a batch
  Value lhs_, rhs_, batchRow_;
};

} // namespace

void emitGemm(Location loc, ModuleOp device, StringRef name,
              const kernel::FusionShape &shape, const GemmGeometry &geometry,
              std::optional<int64_t> launchGrid,
              const std::optional<BoundedRows> &rows) {
  OpBuilder builder(device.getContext());
  SmallVector<LLVM::LLVMFuncOp> microkernels, packers;
  for (int64_t height : geometry.heights()) {
    std::string suffix = std::to_string(height);
    microkernels.push_back(emitMicrokernel(builder, loc, device,
                                           (name + ".tile" + suffix).str(),
                                           shape, geometry, height));
    if (geometry.schedule.packLhs) {
      packers.push_back(emitPackLhs(builder, loc, device,
                                    (name + ".pack" + suffix).str(), geometry,
                                    height));
    }
  }
  LLVM::LLVMFuncOp gatherer;
  if (geometry.windows) {
    gatherer = emitGatherWindows(
        builder, loc, device, (name + ".gather").str(), *geometry.windows,
        {.rowStride = geometry.gemm.k, .lineStride = WindowRows::lineElements});
  }
  KernelEntry entry = KernelEntry::create(builder, loc, device, name);
  if (geometry.schedule.alone) {
    entry.begin = arith::ConstantIntOp::create(builder, loc, 0, 64);
    entry.end =
        arith::ConstantIntOp::create(builder, loc, geometry.pieces(), 64);
  } else if (launchGrid && *launchGrid != geometry.pieces()) {
    KernelBuilder k(builder, loc);
    auto share = [&](Value at) {
      return k.div(k.mul(at, geometry.pieces()), *launchGrid);
    };
    entry.begin = share(entry.begin);
    entry.end = share(entry.end);
  }
  GemmEmitter emitter(builder, loc, entry, geometry);
  emitter.microkernels = std::move(microkernels);
  emitter.packers = std::move(packers);
  emitter.gatherer = gatherer;
  if (rows) {
    emitter.boundRows(*rows);
  }
  emitter.emit();
}

} // namespace minic::cpu
