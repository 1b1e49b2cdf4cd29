// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of every form, with and without what is fused to them.

#include "test/unit/runtime/device/cuda/cudnn/CudnnGpuTest.h"

namespace minic::runtime {
namespace {

TEST_F(CudnnGpuTest, KernelsOfAllSizes) {
  for (int64_t size : {1, 2, 3, 5, 7}) {
    ConvolutionCase test;
    test.r = test.s = size;
    test.padsBegin = test.padsEnd = {size / 2, size / 2};
    for (ConvolutionCase &typed :
         inAllTypes(test, ("size" + std::to_string(size)).c_str())) {
      check(typed);
    }
  }
}

TEST_F(CudnnGpuTest, StridesDilationsAndAsymmetricPads) {
  ConvolutionCase test;
  test.h = 15;
  test.w = 12;
  test.strides = {2, 3};
  test.padsBegin = test.padsEnd = {1, 1};
  for (ConvolutionCase &typed : inAllTypes(test, "strides")) {
    check(typed);
  }
  test.strides = {1, 1};
  test.dilations = {2, 1};
  for (ConvolutionCase &typed : inAllTypes(test, "dilations")) {
    check(typed);
  }
  test.dilations = {1, 1};
  test.padsBegin = {0, 2};
  test.padsEnd = {1, 0};
  for (ConvolutionCase &typed : inAllTypes(test, "asymmetric")) {
    check(typed);
  }
  test.r = 1;
  test.s = 4;
  for (ConvolutionCase &typed : inAllTypes(test, "flat")) {
    check(typed);
  }
}

TEST_F(CudnnGpuTest, FilterInAnOrderOfItsOwn) {
  ConvolutionCase test;
  test.padsBegin = test.padsEnd = {1, 1};
  test.isFilterNhwc = true;
  for (ConvolutionCase &typed : inAllTypes(test, "filter")) {
    check(typed);
  }
  test.groups = 4;
  test.hasBias = test.hasAddend = true;
  test.activation = EltwiseKind::relu;
  for (ConvolutionCase &typed : inAllTypes(test, "filter_grouped")) {
    check(typed);
  }
}

TEST_F(CudnnGpuTest, Groups) {
  ConvolutionCase test;
  test.padsBegin = test.padsEnd = {1, 1};
  test.groups = 4;
  test.c = test.k = 32;
  for (ConvolutionCase &typed : inAllTypes(test, "groups")) {
    check(typed);
  }
  test.groups = 32;
  for (ConvolutionCase &typed : inAllTypes(test, "depthwise")) {
    check(typed);
  }
}

TEST_F(CudnnGpuTest, OddChannels) {
  ConvolutionCase test;
  test.c = 3;
  test.k = 7;
  test.n = 1;
  for (ConvolutionCase &typed : inAllTypes(test, "odd")) {
    check(typed);
  }
}

TEST_F(CudnnGpuTest, BiasResidualAndRelu) {
  for (bool hasAddend : {false, true}) {
    for (bool hasRelu : {false, true}) {
      ConvolutionCase test;
      test.padsBegin = test.padsEnd = {1, 1};
      test.hasBias = true;
      test.hasAddend = hasAddend;
      if (hasRelu) {
        test.activation = EltwiseKind::relu;
      }
      for (ConvolutionCase &typed :
           inAllTypes(test, hasAddend ? "residual" : "bias")) {
        check(typed);
      }
      test.groups = test.c = test.k = 16;
      for (ConvolutionCase &typed :
           inAllTypes(test, hasAddend ? "residual_dw" : "bias_dw")) {
        check(typed);
      }
    }
  }
}

struct Function {
  EltwiseKind kind;
  float alpha = 0, beta = 0;
  bool hasIeee = false; // without tensor cores
};

constexpr Function kFunctions[] = {{EltwiseKind::leaky_relu, 0.125, 0},
                                   {EltwiseKind::clamp, 0, 6, true},
                                   {EltwiseKind::tanh, 0, 0, true},
                                   {EltwiseKind::sigmoid, 0, 0, true},
                                   {EltwiseKind::silu},
                                   {EltwiseKind::gelu_erf},
                                   {EltwiseKind::gelu_tanh}};

/// What the compiler offers of a function: in NHWC alone.
std::vector<ConvolutionCase> offered(const Function &function) {
  ConvolutionCase test;
  test.padsBegin = test.padsEnd = {1, 1};
  test.c = test.k = 32;
  test.hasBias = true;
  test.activation = function.kind;
  test.alpha = function.alpha;
  test.beta = function.beta;
  std::vector<ConvolutionCase> all =
      inAllTypes(test, format::EnumNameEltwiseKind(function.kind));
  std::erase_if(all, [&](const ConvolutionCase &typed) {
    bool isIeee = typed.dtype == DType::f32 && !typed.tf32;
    return !typed.isNhwc || (isIeee && !function.hasIeee);
  });
  return all;
}

// To the precision of f32: the bound has nothing for the functions themselves.
TEST_F(CudnnGpuTest, OtherActivations) {
  for (const Function &function : kFunctions) {
    for (const ConvolutionCase &test : offered(function)) {
      check(test);
    }
  }
}

TEST_F(CudnnGpuTest, OtherActivationsPropagateNan) {
  for (const Function &function : kFunctions) {
    for (const ConvolutionCase &test : offered(function)) {
      SCOPED_TRACE(test.name);
      auto call = make(test);
      ASSERT_TRUE(call.ok()) << call.status();
      Data data = prepare(test);
      data.input.set(data.input.offset({0, 5, 4, 4}), NAN);
      uploadAll(data);
      ASSERT_NO_FATAL_FAILURE(run(**call, data));
      int lost = 0, strayed = 0;
      for (int64_t k = 0; k < test.k; ++k) {
        for (int64_t y = 0; y < test.outH(); ++y) {
          for (int64_t x = 0; x < test.outW(); ++x) {
            bool reached = std::abs(y - 4) <= 1 && std::abs(x - 4) <= 1;
            bool isNan = std::isnan(data.result.at({0, k, y, x}));
            lost += reached && !isNan;
            strayed += !reached && isNan;
          }
        }
      }
      EXPECT_EQ(lost, 0) << "of " << test.k * 9;
      EXPECT_EQ(strayed, 0);
    }
  }
}

} // namespace
} // namespace minic::runtime
