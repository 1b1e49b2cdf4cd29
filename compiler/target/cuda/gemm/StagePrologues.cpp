// SPDX-License-Identifier: Apache-2.0
//
// Which matrices are copied where, and the tiles that are made of them.

#include "compiler/target/cuda/gemm/StagePrologues.h"

using namespace mlir;

namespace minic::cuda {

void StagePrologues::addCopies(StageCopies &copies) {
  for (bool isRhs : {false, true}) {
    const auto &prologue = g_.prologue(isRhs);
    if (!prologue) {
      copies.add(isRhs ? g_.rhs : g_.lhs, isRhs, g_.rowBytes,
                 isRhs ? g_.lhsTileBytes : 0);
      continue;
    }
    for (const StagedMatrix &staged : prologue->staged) {
      copies.add(staged.operand, isRhs, staged.rowBytes, staged.offset,
                 /*isUniform=*/true);
    }
  }
}

void StagePrologues::begin() {
  begin(/*isRhs=*/false);
  begin(/*isRhs=*/true);
}

void StagePrologues::begin(bool isRhs) {
  const auto &prologue = g_.prologue(isRhs);
  if (!prologue) {
    return;
  }
  PrologueTile tile;
  tile.rows = isRhs ? ring_.schedule.bn : ring_.schedule.bm;
  tile.rowBytes = g_.rowBytes, tile.bk = ring_.schedule.bk;
  tile.threads = ring_.threads;
  tile.offset = isRhs ? g_.lhsTileBytes : 0;
  tile.thread = ring_.thread;
  tile.firstRow =
      k_.mul(isRhs ? ring_.index.tileN : ring_.index.tileM, tile.rows);
  tile.batch = ring_.index.batch, tile.batchExtents = g_.gemm.batch;
  prologues_.emplace_back(k_, *prologue, isRhs ? g_.rhs : g_.lhs, tile,
                          gemm_.operandsOf(entry_));
}

void StagePrologues::emit(Value position, Value block) {
  Value memory = k_.advance(ring_.shared, position, k_.b.getI8Type());
  for (PrologueStage &prologue : prologues_) {
    prologue.emit(memory, k_.mul(block, ring_.schedule.bk));
  }
}

} // namespace minic::cuda
