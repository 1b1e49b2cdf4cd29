// SPDX-License-Identifier: Apache-2.0
//
// Which line an estimate is corrected by.

#include "compiler/target/cuda/EstimateFit.h"

#include "compiler/target/cuda/CudaProfile.h"

#include "gtest/gtest.h"

namespace minic::cuda {
namespace {

double fitted(const char *device, const std::string &source,
              const std::string &kind, double estimateUs) {
  Implementation implementation;
  implementation.kind = kind;
  implementation.estimateUs = estimateUs;
  return fitEstimate(*getCudaProfile(device), source, implementation);
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

} // namespace
} // namespace minic::cuda
