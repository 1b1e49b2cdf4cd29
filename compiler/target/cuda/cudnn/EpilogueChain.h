// SPDX-License-Identifier: Apache-2.0
//
// EpilogueChain: what cuDNN can do to a product before it is written.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUDNN_EPILOGUECHAIN_H
#define MINIC_COMPILER_TARGET_CUDA_CUDNN_EPILOGUECHAIN_H

#include "dialects/kernel/FusionShape.h"
#include "dialects/plan/Plan.h"

namespace minic::cuda {

/// The fusion's only result = activation(anchor + bias + addend), all of one
/// dtype. Operands are arguments of the body.
struct EpilogueChain {
  mlir::Value bias;   // a value per channel, the anchor's own or one added
  mlir::Value addend; // of the result's shape
  /// A name of format.EltwiseKind, empty for none.
  llvm::StringRef activation;
  double alpha = 0, beta = 0;

  /// Fails with a reason. `channel`: the dimension of the result that channels
  /// are in.
  static mlir::FailureOr<EpilogueChain>
  get(const kernel::FusionShape &shape, size_t channel, std::string &reason);

  bool isEmpty() const { return !addend && activation.empty(); }
  /// Null where there is no activation.
  plan::EltwiseAttr activationAttr(mlir::MLIRContext *context) const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUDNN_EPILOGUECHAIN_H
