// SPDX-License-Identifier: Apache-2.0
//
// KernelConfigs: the dimensions, configurations and launches of a graph.kernel,
// in numbers.

#ifndef MINIC_DIALECTS_GRAPH_KERNELCONFIGS_H
#define MINIC_DIALECTS_GRAPH_KERNELCONFIGS_H

#include "dialects/graph/Formula.h"
#include "dialects/graph/KernelOp.h"

namespace minic::graph {

/// Names with their values, in the order in which they were said.
class NamedIntegers {
public:
  void set(llvm::StringRef name, int64_t value) {
    entries_.push_back({name.str(), value});
  }
  std::optional<int64_t> lookup(llvm::StringRef name) const;
  const auto &entries() const { return entries_; }

private:
  llvm::SmallVector<std::pair<std::string, int64_t>> entries_;
};

/// What one configuration is for the sizes of a kernel's dimensions.
struct KernelConfig {
  /// Its place among all that `configs` say: the number of its source, where
  /// each has one.
  size_t number = 0;
  NamedIntegers parameters; // as `configs` lists them
  NamedIntegers derived;

  /// "BM=64 BN=128"; empty for a kernel without parameters.
  std::string text() const;
};

/// How a kernel is launched.
struct KernelGeometry {
  llvm::SmallVector<int64_t> grid;  // 1 to 3, x first; a CPU's has one
  llvm::SmallVector<int64_t> block; // GPU
  int64_t sharedBytes = 0;          // GPU
  llvm::SmallVector<int64_t> scalars;
};

/// The most configurations of one kernel.
constexpr size_t kMaxKernelConfigs = 1024;

/// A graph.kernel that was verified and whose shapes are static.
class SizedKernel {
public:
  explicit SizedKernel(KernelOp op);

  /// Sizes of the named dimensions.
  const NamedIntegers &dims() const { return dims_; }
  /// Those of `key`.
  const NamedIntegers &key() const { return key_; }
  /// Configurations that `where` allows for these sizes, in order. None: `why`
  /// says what they break.
  llvm::SmallVector<KernelConfig> configs(std::string &why) const;
  /// The one with these parameters among them; none where there is none.
  std::optional<KernelConfig> findConfig(mlir::DictionaryAttr parameters) const;
  /// None, with a reason, where a formula has no value or one below 1 (0 for
  /// shared memory).
  std::optional<KernelGeometry> geometry(const KernelConfig &config,
                                         std::string &why) const;

private:
  mutable KernelOp op;
  NamedIntegers dims_, key_;
};

/// All that `configs` say, whatever `where` allows.
size_t countKernelConfigs(KernelOp op);

/// What is wrong with the attributes of `op`, whatever its sizes are, is a
/// diagnostic: a part of its verifier.
mlir::LogicalResult verifyKernelConfigs(KernelOp op);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_KERNELCONFIGS_H
