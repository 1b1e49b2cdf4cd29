// SPDX-License-Identifier: Apache-2.0
//
// What corrections of estimates of plain products depend on.

#ifndef MINIC_COMPILER_TARGET_CUDA_ESTIMATEFEATURES_H
#define MINIC_COMPILER_TARGET_CUDA_ESTIMATEFEATURES_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/KernelFamily.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace minic::cuda {

/// A product of two matrices, [m, k] by [k, n].
struct ProductSizes {
  int64_t m = 0, n = 0, k = 0;
  int64_t elementBytes = 0; // of either operand
  /// A 1x1 convolution of NHWC images, a pixel for each row.
  bool isConvolution = false;
};

/// Of a fusion whose anchor is one unbatched product, or a convolution of NHWC
/// images that is one, of bf16, f16 or f32 operands that nothing is computed
/// ahead of; none for any other.
std::optional<ProductSizes> getProductSizes(kernel::FusionOp fusion);

/// What shares coefficients: a family with one kind of math, "gemm_sm80 mma",
/// and convolutions by it, "conv gemm_sm80 mma".
std::string groupOf(llvm::StringRef family, const ProductSizes &sizes,
                    mlir::DictionaryAttr schedule);

/// Names and values: natural logarithms of sizes and of a schedule's numbers
/// (of 1 more, where they are not 0), and 1 for each of its words; of a
/// convolution fewer, since fewer were measured.
/// test/bench/fit_corrections.py makes the same of tuning records.
/// `estimateUs` and the sizes are above 0.
using EstimateFeatures = std::vector<std::pair<std::string, double>>;
EstimateFeatures getEstimateFeatures(llvm::StringRef family,
                                     const ProductSizes &sizes,
                                     mlir::DictionaryAttr schedule,
                                     double estimateUs, int64_t smCount);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ESTIMATEFEATURES_H
