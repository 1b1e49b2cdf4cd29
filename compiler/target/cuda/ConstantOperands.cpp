// SPDX-License-Identifier: Apache-2.0
//
// An attribute of numbers, absent where there are none.

#include "compiler/target/cuda/ConstantOperands.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace minic::cuda {

constexpr llvm::StringLiteral kConstants = "kernel.constants";

void noteConstantOperands(kernel::FusionOp fusion) {
  SmallVector<int64_t> constants;
  for (auto [i, input] : llvm::enumerate(fusion.getInputs())) {
    if (input.getDefiningOp<graph::ConstantOp>()) {
      constants.push_back(int64_t(i));
    }
  }
  noteConstantOperands(fusion, constants);
}

void noteConstantOperands(kernel::FusionOp fusion,
                          ArrayRef<int64_t> constants) {
  if (!constants.empty()) {
    fusion->setAttr(kConstants,
                    DenseI64ArrayAttr::get(fusion.getContext(), constants));
  }
}

llvm::SmallBitVector constantOperands(kernel::FusionOp fusion) {
  llvm::SmallBitVector bits(unsigned(fusion.getInputs().size()));
  if (auto noted = fusion->getAttrOfType<DenseI64ArrayAttr>(kConstants)) {
    for (int64_t operand : noted.asArrayRef()) {
      bits.set(unsigned(operand));
    }
  }
  return bits;
}

} // namespace minic::cuda
