// SPDX-License-Identifier: Apache-2.0
//
// WgmmaRun: a kernel of wgmma, in MLIR, run by the interpreter.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTWGMMARUN_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTWGMMARUN_H

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <utility>
#include <vector>

namespace minic::cuda {

/// D (64 * groups x n) = A * B, by one block of `groups` warp groups. All
/// stages, `rowBytes` of K each, are copied, then multiplied stage by stage.
class WgmmaRun {
public:
  /// The operands are small whole numbers: their sums are exact.
  WgmmaRun(int64_t n, int64_t rowBytes, const std::string &dtype,
           int64_t stages = 2, int64_t groups = 1);

  int64_t n, rowBytes, stages, groups;
  std::string dtype;
  int64_t k;
  /// Row after row: A, and B by its columns.
  std::vector<double> lhs, rhs;
  std::vector<float> results;

  /// Text of the kernel, and what to put in its place; each must be there.
  using Changes = std::vector<std::pair<std::string, std::string>>;

  /// Returns what the interpreter says of the kernel, changed so.
  std::string run(const Changes &changes = {});

  /// Elements of D.
  float at(int64_t row, int64_t column) const;
  double expected(int64_t row, int64_t column) const;
  /// Runs the kernel as it is: every element must be exact.
  void check();

private:
  int64_t stageBytes() const { return (64 * groups + n) * rowBytes; }
  std::string kernel(const Changes &changes) const;
  /// Shared memory as it must be.
  std::vector<char> makeImage();

  mlir::MLIRContext context_;
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTWGMMARUN_H
