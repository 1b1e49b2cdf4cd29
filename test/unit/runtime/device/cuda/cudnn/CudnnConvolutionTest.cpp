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

// cuDNN fuses these into NHWC alone.
TEST_F(CudnnGpuTest, OtherActivations) {
  struct Function {
    EltwiseKind kind;
    float alpha, beta;
    double approximation;
  };
  for (Function function : {Function{EltwiseKind::leaky_relu, 0.125, 0, 0},
                            Function{EltwiseKind::clamp, 0, 6, 0},
                            Function{EltwiseKind::tanh, 0, 0, 1e-3},
                            Function{EltwiseKind::sigmoid, 0, 0, 1e-3},
                            Function{EltwiseKind::silu, 0, 0, 1e-3},
                            Function{EltwiseKind::gelu_erf, 0, 0, 1e-3},
                            Function{EltwiseKind::gelu_tanh, 0, 0, 1e-3}}) {
    ConvolutionCase test;
    test.padsBegin = test.padsEnd = {1, 1};
    test.c = test.k = 32;
    test.hasBias = true;
    test.activation = function.kind;
    test.alpha = function.alpha;
    test.beta = function.beta;
    for (ConvolutionCase &typed :
         inAllTypes(test, format::EnumNameEltwiseKind(function.kind))) {
      if (typed.isNhwc) {
        check(typed, function.approximation);
      }
    }
  }
}

} // namespace
} // namespace minic::runtime
