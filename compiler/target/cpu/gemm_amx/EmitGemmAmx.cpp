// SPDX-License-Identifier: Apache-2.0
//
// for each batch: for some blocks of rows that fit into L2: pack them; for each
// panel: for each of the blocks: multiply them.

#include "compiler/target/cpu/gemm_amx/EmitGemmAmx.h"

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/TileOps.h"
#include "compiler/target/cpu/gemm_amx/BlockKernel.h"
#include "compiler/target/cpu/gemm_amx/PackBlock.h"
#include "compiler/target/cpu/gemm_packed/EmitGemm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cpu {

namespace {

/// Functions that the entry calls. Blocks of full height, where there is one
/// that is not last or is as high; the last block, where it has one row of
/// tiles; null where there is none. Blocks are packed, gathered from images, or
/// pixels of padded ones.
struct Callees {
  LLVM::LLVMFuncOp tall, low, pack, gather, pad, last;
};

class GemmAmxEmitter {
public:
  GemmAmxEmitter(OpBuilder &builder, Location loc, const KernelEntry &entry,
                 const GemmAmxGeometry &g, const Callees &callees)
      : k_(builder, loc), tile_(k_), entry_(entry), g_(g), callees_(callees),
        lhs_(k_.argPointer(entry.args, indexOf(g.gemm.lhs))),
        rhs_(k_.argPointer(entry.args, indexOf(g.gemm.rhs))),
        type_(g.factorType()), blocks_(k_.i64(g.blocks)) {}

  /// Only blocks with rows of the run are computed. There is one batch.
  void boundRows(const BoundedRows &rows) {
    Value count =
        g_.image ? rowsOfImages(rows) : rows.count(k_, entry_, g_.gemm.m);
    blocks_ = k_.div(k_.add(count, blockRows - 1), blockRows);
    if (!g_.schedule.splitN) {
      shareTiles(k_, entry_, blocks_, g_.blocks);
    }
  }

  void emit() {
    BlockState state{k_, entry_.scratch};
    state.store({k_.i64(0), k_.i64(0), k_.i64(0)});
    tile_.configure(cast<BlockArgument>(entry_.args).getOwner(),
                    rowsOfTiles(g_));
    emitBatches();
    call(callees_.last, {entry_.args, entry_.scratch});
    tile_.release();
  }

private:
  static int64_t indexOf(Value operand) {
    return cast<BlockArgument>(operand).getArgNumber();
  }

  void call(LLVM::LLVMFuncOp callee, ArrayRef<Value> operands) {
    LLVM::CallOp::create(k_.b, k_.loc, callee, operands);
  }

  void emitBatches() {
    int64_t perBatch = g_.schedule.splitN ? g_.panels : g_.blocks;
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

  void emitBatch(Value batch, Value begin, Value end) {
    batchLhs_ =
        k_.advance(lhs_, batchOffset(batch, g_.gemm.lhsBatchStrides), type_);
    batchRhs_ =
        k_.advance(rhs_, batchOffset(batch, g_.packedRhsBatchStrides()), type_);
    batchRow_ = k_.mul(batch, g_.gemm.m);
    bool splitN = g_.schedule.splitN;
    Value zero = k_.i64(0);
    Value blockBegin = splitN ? zero : begin;
    Value blockEnd = splitN ? blocks_ : end;
    panelBegin_ = splitN ? begin : zero;
    panelEnd_ = splitN ? end : k_.i64(g_.panels);
    if (g_.blocksAtATime >= g_.blocks) {
      emitBlocks(blockBegin, blockEnd);
      return;
    }
    k_.forLoop(blockBegin, blockEnd, g_.blocksAtATime, [&](Value first) {
      emitBlocks(first, k_.min(k_.add(first, g_.blocksAtATime), blockEnd));
    });
  }

  /// Of the padded images that a run has.
  Value rowsOfImages(const BoundedRows &rows) {
    const PaddedImage &image = *g_.image;
    Value images = rows.count(k_, entry_, image.conv.batch);
    return k_.min(k_.mul(images, image.height() * image.width()),
                  k_.i64(image.rows()));
  }

  /// The first of the lines of padded images that are packed for block `first`
  /// and the next ones.
  Value firstLine(Value first) {
    return k_.div(k_.mul(first, blockRows), g_.image->width());
  }

  Value packedLhs() {
    return k_.advance(entry_.scratch, GemmAmxGeometry::packedLhsOffset,
                      k_.b.getI8Type());
  }

  Value packedBlock(Value block, Value first) {
    if (g_.image) {
      Value pixel = k_.sub(k_.mul(block, blockRows),
                           k_.mul(firstLine(first), g_.image->width()));
      return k_.advance(packedLhs(),
                        k_.mul(pixel, g_.image->conv.inputChannels), type_);
    }
    return k_.advance(packedLhs(),
                      k_.mul(k_.sub(block, first), g_.packedBlockElements()),
                      type_);
  }

  Value denseBlock(Value block) {
    return k_.advance(
        batchLhs_, k_.mul(k_.mul(block, blockRows), g_.gemm.lhsStrideM), type_);
  }

  Value rowsOf(Value block) {
    return k_.min(k_.sub(k_.i64(g_.rows()), k_.mul(block, blockRows)),
                  k_.i64(blockRows));
  }

  /// The lines that windows of blocks [begin, end) are in.
  void padImages(Value begin, Value end) {
    const PaddedImage &image = *g_.image;
    Value line = firstLine(begin);
    Value last = k_.div(k_.add(k_.mul(end, blockRows), image.reach() - 1),
                        image.width());
    call(callees_.pad,
         {batchLhs_, packedLhs(), line, k_.add(k_.sub(last, line), 1)});
  }

  void emitBlocks(Value begin, Value end) {
    if (callees_.pad) {
      padImages(begin, end);
    } else if (callees_.gather) {
      k_.forLoop(begin, end, 1, [&](Value block) {
        call(callees_.gather, {batchLhs_, packedBlock(block, begin),
                               k_.mul(block, blockRows), rowsOf(block)});
      });
    } else if (callees_.pack) {
      k_.forLoop(begin, end, 1, [&](Value block) {
        call(callees_.pack,
             {denseBlock(block), packedBlock(block, begin), rowsOf(block)});
      });
    }
    k_.forLoop(panelBegin_, panelEnd_, 1, [&](Value panel) {
      // Blocks of two rows of tiles come first.
      int64_t tall = callees_.low ? g_.blocks - 1 : g_.blocks;
      if (callees_.tall) {
        Value tallEnd = callees_.low ? k_.min(end, k_.i64(tall)) : end;
        k_.forLoop(begin, tallEnd, 1, [&](Value block) {
          multiply(callees_.tall, block, begin, panel);
        });
      }
      if (callees_.low) {
        k_.forLoop(k_.max(begin, k_.i64(tall)), end, 1, [&](Value block) {
          multiply(callees_.low, block, begin, panel);
        });
      }
    });
  }

  void multiply(LLVM::LLVMFuncOp kernel, Value block, Value first,
                Value panel) {
    Value lhs =
        g_.schedule.packLhs ? packedBlock(block, first) : denseBlock(block);
    Value rhs = k_.advance(batchRhs_, k_.mul(panel, g_.panelElements()), type_);
    // What lies behind the last panel is not there: to ask for it is harmless.
    Value ahead = k_.advance(
        k_.advance(rhs, g_.panelElements(), type_),
        k_.mul(k_.sub(block, first), g_.steps * prefetchedLines(g_) * 64),
        k_.b.getI8Type());
    call(kernel, {lhs, rhs, entry_.args, entry_.scratch,
                  k_.add(batchRow_, k_.mul(block, blockRows)),
                  k_.mul(panel, blockColumns), rowsOf(block), ahead});
  }

  KernelBuilder k_;
  TileOps tile_;
  KernelEntry entry_;
  const GemmAmxGeometry &g_;
  const Callees &callees_;
  Value lhs_, rhs_, batchLhs_, batchRhs_, batchRow_, panelBegin_, panelEnd_;
  Type type_;
  Value blocks_; // of a batch
};

} // namespace

void emitGemmAmx(Location loc, ModuleOp device, StringRef name,
                 const kernel::FusionShape &shape,
                 const GemmAmxGeometry &geometry,
                 const std::optional<BoundedRows> &rows) {
  OpBuilder builder(device.getContext());
  auto nameOf = [&](const char *part) { return (name + "." + part).str(); };
  Callees callees;
  if (geometry.blocks > 1 || geometry.lastTiles() == 2) {
    callees.tall = emitBlockKernel(builder, loc, device, nameOf("block32"),
                                   shape, geometry, 2);
  }
  if (geometry.lastTiles() == 1) {
    callees.low = emitBlockKernel(builder, loc, device, nameOf("block16"),
                                  shape, geometry, 1);
  }
  callees.last =
      emitLastEpilogue(builder, loc, device, nameOf("last"), shape, geometry);
  if (geometry.image) {
    callees.pad =
        emitPadImage(builder, loc, device, nameOf("pad"), *geometry.image);
  } else if (geometry.windows) {
    callees.gather = emitGatherWindows(builder, loc, device, nameOf("gather"),
                                       *geometry.windows, geometry.lhsPlaces());
  } else if (geometry.schedule.packLhs) {
    callees.pack =
        emitPackBlock(builder, loc, device, nameOf("pack"), geometry);
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    KernelEntry entry = KernelEntry::create(builder, loc, device, name);
    if (geometry.schedule.alone) {
      entry.begin = arith::ConstantIntOp::create(builder, loc, 0, 64);
      entry.end =
          arith::ConstantIntOp::create(builder, loc, geometry.pieces(), 64);
    }
    GemmAmxEmitter emitter(builder, loc, entry, geometry, callees);
    if (rows) {
      emitter.boundRows(*rows);
    }
    emitter.emit();
  }
  emitGemm(loc, device, withoutAmxName(name), shape, geometry.withoutAmx,
           geometry.grid(), rows);
}

} // namespace minic::cpu
