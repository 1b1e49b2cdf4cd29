// SPDX-License-Identifier: Apache-2.0
//
// Which problems an engine is excluded from; that it is wrong there is shown on
// a GPU (CudnnErrataTest).

#include "runtime/device/cuda/cudnn/EngineErrata.h"
#include "test/unit/runtime/device/cuda/cudnn/CudnnProblems.h"

#include <gmock/gmock.h>

namespace minic::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int64_t> errataOf(const ConvolutionCase &test,
                              size_t version = 91400) {
  minic::testing::PackedTable<format::Call> call(test.descriptor());
  return engineErrata(CudnnProblem::get(*call), version);
}

ConvolutionCase narrow(int64_t c, int64_t k) {
  ConvolutionCase test;
  test.dtype = format::DType::bf16;
  test.c = c;
  test.k = k;
  test.hasBias = true;
  return test;
}

TEST(EngineErrata, UnalignedChannelsOnEitherSide) {
  EXPECT_THAT(errataOf(narrow(17, 31)), ElementsAre(39));
  EXPECT_THAT(errataOf(narrow(17, 32)), ElementsAre(39));
  EXPECT_THAT(errataOf(narrow(16, 31)), ElementsAre(39));
  EXPECT_THAT(errataOf(narrow(16, 24)), IsEmpty());
  ConvolutionCase half = narrow(17, 31);
  half.dtype = format::DType::f16;
  EXPECT_THAT(errataOf(half), ElementsAre(39));
  half.dtype = format::DType::f32;
  EXPECT_THAT(errataOf(half), IsEmpty());
}

TEST(EngineErrata, OnlyWhereSomethingFollowsTheProduct) {
  ConvolutionCase test = narrow(17, 31);
  test.hasBias = false;
  EXPECT_THAT(errataOf(test), IsEmpty());
  test.hasAddend = true;
  EXPECT_THAT(errataOf(test), ElementsAre(39));
  test.hasAddend = false;
  test.activation = format::EltwiseKind::gelu_erf;
  EXPECT_THAT(errataOf(test), ElementsAre(39));
}

TEST(EngineErrata, NumbersAreOfVersions) {
  EXPECT_THAT(errataOf(narrow(17, 31), 91300), IsEmpty());
  EXPECT_THAT(errataOf(narrow(17, 31), 91900), ElementsAre(39));
}

} // namespace
} // namespace minic::runtime
