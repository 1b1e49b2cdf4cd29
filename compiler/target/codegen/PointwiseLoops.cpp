// SPDX-License-Identifier: Apache-2.0
//
// What estimates and schedules ask of loops.

#include "compiler/target/codegen/PointwiseLoops.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

using namespace mlir;

namespace minic {

int64_t PointwiseLoops::rows() const {
  return llvm::product_of(ArrayRef(extents).drop_back());
}

bool PointwiseLoops::isTransposing() const {
  // Pairs of neighbours are read together.
  auto isAcross = [](const Walk &walk) {
    return walk.strides.back() > (std::abs(walk.pairStride) == 1 ? 2 : 1);
  };
  return llvm::any_of(reads, [&](const Read &read) {
    return isAcross(read) || llvm::any_of(read.pieces, isAcross);
  });
}

bool PointwiseLoops::gathers() const {
  return llvm::any_of(reads, [](const Read &read) { return read.gathered; }) ||
         llvm::any_of(results,
                      [](const Write &write) { return write.updated; });
}

double PointwiseLoops::bytesLeftOut(kernel::FusionOp fusion) const {
  auto bytesOf = [](Type type) {
    return double(kernel::getBytes(cast<RankedTensorType>(type)));
  };
  double elements =
      double(rows()) * double(columns()) * double(elementsPerPoint());
  double bytes = 0;
  for (const Read &read : reads) {
    double table = bytesOf(fusion.getInputs()[read.argument].getType());
    double used = double(rows()) * double(columns()) *
                  double(kernel::getElementBytes(read.storage));
    bytes += read.gathered ? std::max(table - used, 0.0) : 0;
  }
  for (auto [write, type] : llvm::zip_equal(results, fusion.getResultTypes())) {
    if (write.updated) {
      // The tensor is an operand, too.
      bytes += 2 * bytesOf(type) -
               elements * double(kernel::getElementBytes(
                              cast<RankedTensorType>(type).getElementType()));
    }
  }
  return bytes;
}

} // namespace minic
