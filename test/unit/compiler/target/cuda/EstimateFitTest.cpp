// SPDX-License-Identifier: Apache-2.0
//
// Which line an estimate is corrected by, and where a plain product's own
// correction takes its place.

#include "compiler/target/cuda/EstimateFit.h"

#include "compiler/target/cuda/CudaProfile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

namespace minic::cuda {
namespace {

double fitted(const char *device, const std::string &source,
              const std::string &kind, double estimateUs) {
  Implementation implementation;
  implementation.kind = kind;
  implementation.estimateUs = estimateUs;
  return fitEstimate(*getCudaProfile(device), source, /*sizes=*/nullptr,
                     implementation);
}

/// Of a gemm_skinny with tensor cores.
double corrected(const char *device, ProductSizes sizes, double estimateUs) {
  mlir::MLIRContext context;
  context.loadDialect<kernel::KernelDialect>();
  Implementation implementation;
  implementation.impl = kernel::ImplAttr::get(
      &context, "gemm_skinny",
      llvm::cast<mlir::DictionaryAttr>(mlir::parseAttribute(
          "{cluster = 0, columns = 16, math = \"mma\", pdl = 1, split = 1, "
          "stages = 2, unroll = 1, warps = 8}",
          &context)));
  implementation.kind = "gemm_skinny mma 16";
  implementation.estimateUs = estimateUs;
  return fitEstimate(*getCudaProfile(device), "gemm_skinny", &sizes,
                     implementation);
}

TEST(EstimateFit, IsOfAKindWithoutItsNumbers) {
  double one = fitted("h200", "attention", "attention 16x64 1 split", 5);
  EXPECT_NE(one, 5);
  EXPECT_EQ(fitted("h200", "attention", "attention 16x32 4 split", 5), one);
  EXPECT_NE(fitted("h200", "attention", "attention 16x64 1", 5), one);
  // Libraries name no kind.
  EXPECT_GT(fitted("h200", "cublas", "", 3), 3);
}

TEST(EstimateFit, IsThatOfAKindWithAWordLess) {
  EXPECT_EQ(fitted("h200", "attention", "attention 16x64 1 split more", 5),
            fitted("h200", "attention", "attention 16x64 1 split", 5));
}

TEST(EstimateFit, IsForWhatWasMeasuredAlone) {
  EXPECT_EQ(fitted("a100", "attention", "attention 16x64 1 split", 4), 4);
  EXPECT_EQ(fitted("h200", "gemm_skinny", "gemm_skinny mma 16", 4), 4);
  EXPECT_EQ(fitted("h200", "someone's", "", 4), 4);
}

TEST(EstimateFit, IsInProportionBelowItsRecords) {
  // Those of multicasts are of large products, and 2 us less than a line says
  // would make the smallest ones the fastest of all.
  auto at = [](double us) {
    return fitted("h200", "gemm_sm90", "gemm_sm90_tma 64x32 multicast", us);
  };
  EXPECT_NEAR(at(1), at(2) / 2, 1e-6);
  EXPECT_GT(at(3.2), 2);
}

TEST(EstimateFit, GoesOnInParallelAndStaysPositive) {
  const char *kind = "attention 16x64 1 split";
  EXPECT_NEAR(fitted("h200", "attention", kind, 2000) -
                  fitted("h200", "attention", kind, 1000),
              1000, 1e-6);
  EXPECT_GT(fitted("h200", "attention", kind, 0.1), 0);
}

TEST(EstimateFit, OfAPlainProductIsByItsSizes) {
  // Copies of 2 bytes take longer than those of 16.
  EXPECT_GT(corrected("h200", {16, 1024, 1023, 2}, 2),
            1.2 * corrected("h200", {16, 1024, 1024, 2}, 2));
  EXPECT_EQ(corrected("a100", {16, 1024, 1023, 2}, 2), 2);
}

TEST(EstimateFit, OfSizesThatRecordsDoNotHaveIsTheLine) {
  // There is none of this kind.
  EXPECT_EQ(corrected("h200", {16, 128256, 1024, 2}, 80), 80);
  EXPECT_NE(corrected("h200", {16, 4096, 1024, 2}, 80), 80);
}

} // namespace
} // namespace minic::cuda
