// SPDX-License-Identifier: Apache-2.0
//
// Unrolled over the tile where that is short, a loop over the tile on the stack
// where it is not.

#include "compiler/target/cpu/TileEpilogue.h"

#include "compiler/target/cpu/EpilogueEmitter.h"

using namespace mlir;

namespace minic::cpu {

/// An epilogue is written out for every vector of the tile only while that is
/// short; a loop builds faster, and leaves registers to the constants of
/// polynomials.
static constexpr int64_t unrolledInstructionsPerVector = 16;
static constexpr int64_t unrolledInstructions = 400;

/// Vectors that the body of the loop takes at a time: independent chains.
static constexpr int64_t vectorsAtATime = 4;

EpilogueOperands EpilogueOperands::load(KernelBuilder &k,
                                        const kernel::FusionShape &shape,
                                        Value args) {
  EpilogueOperands operands;
  for (Value input : shape.epilogueInputs) {
    operands.inputs.push_back(
        k.argPointer(args, cast<BlockArgument>(input).getArgNumber()));
  }
  auto fusion = cast<kernel::FusionOp>(shape.anchor->getParentOp());
  for (size_t i = 0; i != shape.results.size(); ++i) {
    operands.results.push_back(
        k.argPointer(args, int64_t(fusion.getInputs().size() + i)));
  }
  return operands;
}

static void finishUnrolled(KernelBuilder &k, EpilogueEmitter &epilogue,
                           const RegisterTile &tile, ArrayRef<Value> sums) {
  SmallVector<Value> columns, masks;
  for (int64_t v = 0; v != tile.vectors; ++v) {
    columns.push_back(k.add(tile.column, v * tile.lanes));
    masks.push_back(tile.maskAt(k, columns[v]));
  }
  for (int64_t i = 0; i != tile.height; ++i) {
    EpilogueEmitter::Row row = epilogue.row(tile.firstRow, i * tile.rowStep);
    for (int64_t v = 0; v != tile.vectors; ++v) {
      epilogue.emit(row, columns[v], tile.lanes, masks[v],
                    sums[i * tile.vectors + v]);
    }
  }
}

/// Stack memory for the sums. In the entry block, where it is static.
static Value allocateTile(KernelBuilder &k, Value args,
                          const RegisterTile &tile) {
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(cast<BlockArgument>(args).getOwner());
  return LLVM::AllocaOp::create(
      k.b, k.loc, LLVM::LLVMPointerType::get(k.b.getContext()),
      k.b.getF32Type(), k.i64(tile.height * tile.vectors * tile.lanes),
      /*alignment=*/64);
}

/// Puts the sums on the stack and lets a loop take them, some vectors of a row
/// at a time.
static void finishInLoop(KernelBuilder &k, EpilogueEmitter &epilogue,
                         Value args, const RegisterTile &tile,
                         ArrayRef<Value> sums) {
  Type f32 = k.b.getF32Type(); // or i32, which is as large
  int64_t width = tile.vectors * tile.lanes;
  Value stack = allocateTile(k, args, tile);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    k.storeRaw(sum, k.advance(stack, int64_t(i) * tile.lanes, f32), 64);
  }
  int64_t group = vectorsAtATime;
  while (tile.vectors % group != 0) {
    --group;
  }
  auto finishGroup = [&](Value row, Value first) {
    EpilogueEmitter::Row at =
        epilogue.row(k.add(tile.firstRow, k.mul(row, tile.rowStep)));
    Value from = k.advance(stack, k.add(k.mul(row, width), first), f32);
    for (int64_t v = 0; v != group; ++v) {
      Value column = k.add(k.add(tile.column, first), v * tile.lanes);
      Value sum = k.loadRaw(sums[0].getType(),
                            k.advance(from, v * tile.lanes, f32), 64);
      epilogue.emit(at, column, tile.lanes, tile.maskAt(k, column), sum);
    }
  };
  k.forLoop(k.i64(0), k.i64(tile.height), 1, [&](Value row) {
    if (group == tile.vectors) {
      finishGroup(row, k.i64(0));
      return;
    }
    k.forLoop(k.i64(0), k.i64(width), group * tile.lanes,
              [&](Value first) { finishGroup(row, first); });
  });
}

void emitTileEpilogue(KernelBuilder &k, const kernel::FusionShape &shape,
                      Value args, const RegisterTile &tile,
                      ArrayRef<Value> sums) {
  EpilogueOperands operands = EpilogueOperands::load(k, shape, args);
  EpilogueEmitter epilogue(k, shape, operands.inputs, operands.results);
  int64_t perVector = EpilogueEmitter::instructionCount(shape);
  if (perVector <= unrolledInstructionsPerVector &&
      perVector * int64_t(sums.size()) <= unrolledInstructions) {
    finishUnrolled(k, epilogue, tile, sums);
  } else {
    finishInLoop(k, epilogue, args, tile, sums);
  }
}

} // namespace minic::cpu
