// SPDX-License-Identifier: Apache-2.0
//
// Sums go to the other blocks by stores, which nothing waits for but the
// barrier behind them; a load from their memory would take as long as one from
// L2. A thread's values lie four by four beside those of its neighbours.

#include "compiler/target/cuda/gemm_sm90/ClusterSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cuda {

WarpPlace ClusterSums::placeOfBlock(const WarpPlace &place) {
  WarpPlace ofBlock = place;
  ofBlock.firstColumn =
      k_.add(place.firstColumn, k_.mul(rank_, g_.finishColumns()));
  return ofBlock;
}

SmallVector<Value> ClusterSums::partOf(ArrayRef<Value> sums, int64_t rank) {
  // Of every 64 rows a thread has two rows: a sum for every other column.
  int64_t perRows = g_.groupTileN / 2, perPart = g_.finishColumns() / 2;
  SmallVector<Value> part;
  for (int64_t first = 0; first != int64_t(sums.size()); first += perRows) {
    llvm::append_range(
        part, sums.slice(size_t(first + rank * perPart), size_t(perPart)));
  }
  return part;
}

Value ClusterSums::address(int64_t sender, int64_t quad) {
  int64_t threads = g_.multiplyingThreads();
  int64_t quads = g_.accumulators() / g_.schedule.splitK / 4;
  int64_t first = (sender * quads + quad) * threads * 4;
  return k_.advance(shared_, k_.add(k_.mul(thread_, 4), first),
                    k_.b.getF32Type());
}

void ClusterSums::send(ArrayRef<Value> part, int64_t from, int64_t to) {
  auto quad = VectorType::get(4, k_.b.getF32Type());
  // A block keeps no place for itself.
  int64_t sender = from < to ? from : from - 1;
  for (size_t i = 0; i != part.size(); i += 4) {
    Value four = vector::FromElementsOp::create(k_.b, k_.loc, quad,
                                                ValueRange(part.slice(i, 4)));
    k_.storeAligned(
        four, k_.ofClusterBlock(address(sender, int64_t(i / 4)), k_.i32(to)));
  }
}

SmallVector<Value> ClusterSums::sendOthers(ArrayRef<Value> sums, int64_t rank) {
  auto sendFrom = [&]() -> SmallVector<Value> {
    for (int64_t other = 0; other != g_.schedule.splitK; ++other) {
      if (other != rank) {
        send(partOf(sums, other), rank, other);
      }
    }
    return partOf(sums, rank);
  };
  if (rank + 1 == g_.schedule.splitK) {
    return sendFrom();
  }
  auto branch = scf::IfOp::create(
      k_.b, k_.loc, TypeRange(ValueRange(partOf(sums, rank))),
      k_.equal(rank_, rank), /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(k_.b);
  k_.b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(k_.b, k_.loc, sendFrom());
  k_.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(k_.b, k_.loc, sendOthers(sums, rank + 1));
  return llvm::to_vector_of<Value>(branch.getResults());
}

void ClusterSums::add(SmallVector<Value> &sums) {
  k_.clusterBarrier(); // no block reads its stages any more
  SmallVector<Value> own = sendOthers(sums, 0);
  k_.clusterBarrier();
  auto quad = VectorType::get(4, k_.b.getF32Type());
  for (int64_t sender = 0; sender + 1 != g_.schedule.splitK; ++sender) {
    for (size_t i = 0; i != own.size(); i += 4) {
      Value four = k_.loadAligned(quad, address(sender, int64_t(i / 4)));
      for (int64_t j = 0; j != 4; ++j) {
        Value &sum = own[i + size_t(j)];
        sum = arith::AddFOp::create(
            k_.b, k_.loc, sum,
            vector::ExtractOp::create(k_.b, k_.loc, four, j));
      }
    }
  }
  sums = std::move(own);
}

void ClusterSums::watch() {
  k_.clusterBarrier();
  k_.clusterBarrier();
}

} // namespace minic::cuda
