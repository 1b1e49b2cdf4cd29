// SPDX-License-Identifier: Apache-2.0
//
// Tiles are numbered group by group, parts of their keys side by side; tall
// tiles come first.

#include "compiler/target/cpu/attention/EmitAttention.h"

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/TileOps.h"
#include "compiler/target/cpu/attention/TileKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cpu {

void emitAttention(ModuleOp device, Location loc, StringRef name,
                   const AttentionFusion &body, const AttentionTiles &tiles,
                   int64_t operands, int64_t results,
                   const std::optional<BoundedRows> &rows) {
  OpBuilder builder(device.getContext());
  SmallVector<LLVM::LLVMFuncOp> kernels;
  for (const TileShape &shape : tiles.shapes) {
    std::string own = (name + ".tile" + Twine(shape.rows)).str();
    kernels.push_back(emitTileKernel(builder, loc, device, own, body, shape,
                                     operands, tiles.split));
  }
  KernelEntry entry = KernelEntry::create(builder, loc, device, name);
  KernelBuilder k(builder, loc);
  TileOps tileOps(k);
  bool usesTiles = tiles.shapes.front().usesTiles;
  if (usesTiles) {
    tileOps.configure(cast<BlockArgument>(entry.args).getOwner(),
                      SmallVector<int64_t>(8, TileShape::lanes));
  }
  if (rows) {
    shareTiles(
        k, entry,
        k.mul(rows->count(k, entry, body.batch), tiles.count() / body.batch),
        tiles.count());
  }
  k.forLoop(entry.begin, entry.end, 1, [&](Value index) {
    Value tile = k.div(index, tiles.split);
    Value group = k.div(tile, tiles.perGroup);
    Value number = k.rem(tile, tiles.perGroup);
    auto call = [&](size_t kind, Value first) {
      SmallVector<Value> arguments = {entry.args, entry.scratch, group, first};
      if (tiles.split > 1) {
        Value states = k.argPointer(entry.args, operands + results);
        Value counters = k.argPointer(entry.args, operands + results + 1);
        arguments.append({k.rem(index, tiles.split),
                          k.advance(states, k.mul(tile, tiles.stateBytes()),
                                    builder.getI8Type()),
                          k.advance(counters, tile, builder.getI32Type())});
      }
      LLVM::CallOp::create(builder, loc, kernels[kind], arguments);
    };
    int64_t rows = tiles.shapes.back().rows;
    if (tiles.tallTiles == 0) {
      call(0, k.mul(number, rows));
      return;
    }
    Value isTall =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, number,
                              k.i64(tiles.tallTiles));
    auto branch =
        scf::IfOp::create(builder, loc, isTall, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    call(0, k.mul(number, tiles.shapes.front().rows));
    builder.setInsertionPointToStart(branch.elseBlock());
    int64_t more = tiles.shapes.front().rows - rows;
    call(1, k.add(k.mul(number, rows), tiles.tallTiles * more));
  });
  if (usesTiles) {
    tileOps.release();
  }
}

} // namespace minic::cpu
