// SPDX-License-Identifier: Apache-2.0
//
// PointAccess: loads and stores of vectors of points, as wide as the walks over
// a tensor allow.

#ifndef MINIC_COMPILER_TARGET_CUDA_POINTWISE_POINTACCESS_H
#define MINIC_COMPILER_TARGET_CUDA_POINTWISE_POINTACCESS_H

#include "compiler/target/codegen/PointwiseLoops.h"
#include "compiler/target/cuda/KernelAbi.h"

#include <array>
#include <map>
#include <vector>

namespace minic::cuda {

/// Whether some offset of an access needs more than 32 bits.
bool reachesFar(const PointwiseLoops &loops);

/// Whether `lanes` points are one access to what they read or write: each of
/// neighbours, or of whole pairs of neighbours.
bool isOneAccess(const PointwiseLoops &loops, const PointwiseLoops::Read &read,
                 int64_t lanes);
bool isOneAccess(const PointwiseLoops &loops,
                 const PointwiseLoops::Write &write, mlir::Type dtype,
                 int64_t lanes);

/// `lanes` points from number `first` on, and what is known of them.
struct PointVector {
  mlir::Value first;
  int64_t lanes;
  /// For each read, how much further it begins where data say so, else null.
  std::vector<mlir::Value> rows = {};
  /// Whether an index was out of range; null where none is read.
  mlir::Value isOutside = {};
  std::vector<mlir::Value> loaded = {};
  std::map<void *, llvm::SmallVector<mlir::Value>> indices = {};
};

class PointAccess {
public:
  /// `tensors` are the addresses of operands and results, these of `dtypes`.
  PointAccess(CudaKernelBuilder &k, const PointwiseLoops &loops,
              llvm::ArrayRef<mlir::Type> dtypes,
              llvm::ArrayRef<mlir::Value> tensors);

  /// Finds where updates in place begin. Whether a position was out of range,
  /// null where none is read.
  mlir::Value moveToUpdates();
  /// Of a square of points, a vector for each place along the loop `turned`:
  /// loads what has neighbours there, and turns it.
  void loadTurned(llvm::MutableArrayRef<PointVector> square, size_t turned);
  /// Loads the indices of gathers.
  void findRows(PointVector &points);
  /// Read number `number` at `points`, in compute type: of each pair the first
  /// element or, with `which` of 1, the second.
  mlir::Value load(size_t number, PointVector &points, int64_t which);
  /// Stores what result number `number` is at `points`, an element per point or
  /// the two of a pair.
  void store(size_t number, PointVector &points,
             llvm::ArrayRef<mlir::Value> elements);

  /// Whether one of two conditions holds, each of which may be null.
  mlir::Value either(mlir::Value lhs, mlir::Value rhs);

private:
  using Read = PointwiseLoops::Read;
  using Walk = PointwiseLoops::Walk;

  struct Place {
    mlir::Value base, offset;
  };

  llvm::ArrayRef<mlir::Value> indicesOf(PointVector &points, mlir::Value point);
  mlir::Value offsetOf(const Walk &walk, PointVector &points,
                       mlir::Value point);
  Place find(const Read &read, PointVector &points, mlir::Value point,
             int64_t shift);
  mlir::Value rowOf(const Read &read, PointVector &points, mlir::Value point);
  void loadSquare(size_t number, llvm::MutableArrayRef<PointVector> square);
  mlir::Value loadNew(size_t number, PointVector &points, int64_t which);
  void loadPairs(size_t number, PointVector &points);
  mlir::Value loadLanes(size_t number, PointVector &points, int64_t which);
  mlir::Value loadOne(const Read &read, const Place &place);
  mlir::Value vectorOf(llvm::ArrayRef<mlir::Value> elements);
  mlir::Value element(mlir::Value vector, int64_t lane);

  CudaKernelBuilder &k;
  const PointwiseLoops &loops;
  llvm::ArrayRef<mlir::Type> dtypes;
  llvm::ArrayRef<mlir::Value> tensors;
  llvm::SmallVector<mlir::Value> results;
  /// For each read, which elements its first and second ones are: equal numbers
  /// are loaded once.
  std::vector<std::array<size_t, 2>> ids;
  size_t idCount = 0;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_POINTWISE_POINTACCESS_H
