// SPDX-License-Identifier: Apache-2.0
//
// UserKernels: what the families of users' kernels share, whatever their
// target.

#ifndef MINIC_COMPILER_TARGET_USERKERNELS_H
#define MINIC_COMPILER_TARGET_USERKERNELS_H

#include "compiler/target/KernelFamily.h"
#include "dialects/graph/KernelConfigs.h"

namespace minic {

/// The name of the families: of `#kernel.impl`, and of records' sources.
inline constexpr llvm::StringLiteral userFamily = "user";

/// A body that is one graph.kernel, or one that calls an epilogue with the
/// pointwise ops that are the epilogue.
struct UserKernel {
  mutable graph::KernelOp op;
  graph::SizedKernel sized;
  /// The other ops, in order: pointwise ones, of whose results one leaves the
  /// body in the place of the kernel's.
  llvm::SmallVector<mlir::Operation *> epilogue;
  /// The fusion's operands that they read, in order of first use. Their
  /// pointers are parameters behind that of the result.
  llvm::SmallVector<unsigned> epilogueInputs;

  /// None for any other body.
  static std::optional<UserKernel> get(kernel::FusionOp fusion);

  /// How many pointers the entry takes.
  unsigned countPointers() const {
    return op.getInputs().size() + op.getNumResults() + epilogueInputs.size();
  }
  /// Where the pointer of an operand or result comes from: the fusion's
  /// operands, its results, then buffers for results that nobody reads.
  unsigned parameterOfInput(unsigned input) const;
  unsigned parameterOfResult(unsigned result) const;
  /// The results that nobody reads.
  llvm::SmallVector<unsigned> unreadResults() const;
};

/// The kernel of a fusion as its impl says to launch it.
struct ConfiguredKernel {
  UserKernel kernel;
  graph::KernelConfig config;
  graph::KernelGeometry geometry;

  /// A diagnostic where the body is another, or where its impl names no
  /// configuration that these sizes allow, or one of another source.
  static mlir::FailureOr<ConfiguredKernel> get(kernel::FusionOp fusion);
  /// Of launches: "user @scale TILE=64".
  std::string label() const;
};

/// Has `compile` try the kernel of `fusion` and, where it calls an epilogue and
/// is alone, the same with one that reads a tensor: a source that keeps to its
/// declaration only while nothing follows is found before anything is fused.
/// Gives what `compile` gives, null where that found nothing wrong.
std::optional<std::string> tryKernel(
    kernel::FusionOp fusion, const UserKernel &kernel,
    llvm::function_ref<std::optional<std::string>(const UserKernel &)> compile);

/// What an entry is to take, for messages: "pointers to its operands, then its
/// results, then what its epilogue reads".
std::string describePointers(const UserKernel &kernel);

/// 16 hex digits of all that the user wrote of `op`, its body and sizes apart.
std::string hashOfUserKernel(graph::KernelOp op);

/// One implementation per configuration, in their order. `estimateUs` for all.
std::vector<Implementation> offerConfigs(kernel::FusionOp fusion,
                                         const UserKernel &kernel,
                                         double estimateUs);

/// Adds what results contain when the kernel starts: the operands that they
/// update, and declared contents. Returns buffers for results nobody reads.
llvm::SmallVector<mlir::Value> addContents(kernel::FusionOp fusion,
                                           const UserKernel &kernel,
                                           plan::PlanBuilder &plan);

/// Macros for the source: parameters, derived parameters and dims of the key.
llvm::SmallVector<std::pair<std::string, int64_t>>
getDefinitions(const UserKernel &kernel, const graph::KernelConfig &config);

/// The strings of a list, which may be null.
llvm::SmallVector<std::string> textsOf(mlir::ArrayAttr list);

/// The name of the file of source number `number`, for messages: what the user
/// called it, or @title.c.
std::string getSourceName(graph::KernelOp op, size_t number,
                          llvm::StringRef extension);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_USERKERNELS_H
