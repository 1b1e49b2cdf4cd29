// SPDX-License-Identifier: Apache-2.0
//
// Fusions with a convolution, run by the interpreter with the kernels of a
// family and compared with the reference.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_CONVOLUTIONCASES_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_CONVOLUTIONCASES_H

#include "compiler/reference/Evaluator.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"
#include "compiler/target/cuda/gemm/GemmOperand.h"
#include "test/unit/compiler/target/cpu/conv_direct/ConvCase.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"

namespace minic::cuda {

using cpu::ConvCase;

/// A 3x3 with pads, in either layout.
inline ConvCase padded(int64_t c, int64_t k, bool nhwc = true,
                       const std::string &dtype = "bf16") {
  return {.n = 2,
          .c = c,
          .h = 6,
          .w = 7,
          .k = k,
          .r = 3,
          .s = 3,
          .top = 1,
          .left = 1,
          .bottom = 1,
          .right = 1,
          .nhwc = nhwc,
          .dtype = dtype};
}

/// What follows the convolution.
enum class Behind {
  Nothing,
  Relu,     // of sums with a bias
  Residual, // the relu of sums with a bias and another image
};

/// The fusion of one convolution and what follows it.
struct ConvBody {
  std::vector<std::string> arguments;
  std::string result, text;
};

inline ConvBody bodyOf(const ConvCase &conv, Behind behind) {
  std::string y = conv.result();
  ConvBody body{{conv.input(), conv.filter()}, y, ""};
  if (behind == Behind::Nothing) {
    body.text = "%y = " + conv.op("%0, %1", false) + "kernel.yield %y : " + y;
    return body;
  }
  body.arguments.push_back(conv.bias());
  body.text = "%c = " + conv.op("%0, %1, %2", true);
  std::string last = "%c";
  if (behind == Behind::Residual) {
    body.arguments.push_back(y);
    body.text +=
        "%a = graph.add %c, %3 : (" + y + ", " + y + ") -> " + y + "\n";
    last = "%a";
  }
  body.text +=
      "%r = graph.relu " + last + " : " + y + "\nkernel.yield %r : " + y;
  return body;
}

/// The layouts that a geometry's operands are asked for in.
template <typename Geometry>
llvm::SmallVector<mlir::Attribute> layoutsFor(kernel::FusionOp fusion,
                                              const Geometry &geometry) {
  llvm::SmallVector<mlir::Attribute> layouts(
      fusion.getInputs().size(), mlir::UnitAttr::get(fusion.getContext()));
  for (const GemmOperand *operand : geometry.copied()) {
    layouts[size_t(operand->argument)] = operand->layout;
  }
  return layouts;
}

/// Runs the fusion by `made` and compares all elements with the reference.
inline void checkAgainstReference(InterpretedFusion &run,
                                  const KernelFamily &family,
                                  const Implementation &made,
                                  const DeviceProfile &profile) {
  reference::Inputs inputs;
  for (cpu::TestTensor &input : run.inputs) {
    inputs.arguments.push_back(input.data());
  }
  auto expected = reference::evaluate(run.fusion.getBody().front(), inputs);
  ASSERT_TRUE(succeeded(expected));
  ASSERT_EQ(family.reject(run.fusion, profile), std::nullopt);
  ASSERT_NO_FATAL_FAILURE(run.run(family, made, profile));
  for (auto [result, wanted] : llvm::zip_equal(run.results, *expected)) {
    runtime::Comparison compared = runtime::compare(wanted, result.data());
    EXPECT_TRUE(compared.matches) << made.name << ": " << compared.detail;
  }
  for (const KernelResources &kernel : run.resources) {
    EXPECT_EQ(kernel.spillBytes, 0) << made.name;
    EXPECT_EQ(kernel.stackBytes, 0) << made.name;
  }
}

/// One convolution by `family` with `schedule`.
template <typename Geometry, typename Schedule>
void checkConvolution(const ConvCase &conv, const KernelFamily &family,
                      const Schedule &schedule,
                      Behind behind = Behind::Nothing) {
  ConvBody body = bodyOf(conv, behind);
  SCOPED_TRACE(body.text);
  InterpretedFusion run(body.arguments, body.result, body.text);
  std::string reason;
  auto shape = matchConvolution(run.fusion, &reason);
  ASSERT_TRUE(succeeded(shape)) << reason;
  auto geometry = Geometry::get(*shape, schedule, &reason);
  ASSERT_TRUE(succeeded(geometry)) << toString(schedule) << ": " << reason;
  mlir::MLIRContext *context = run.fusion.getContext();
  Implementation made;
  made.impl = kernel::ImplAttr::get(context, family.name(),
                                    toAttribute(schedule, context));
  made.operandLayouts = layoutsFor(run.fusion, *geometry);
  made.name = toString(schedule);
  checkAgainstReference(run, family, made, *getArchProfile("sm_90a"));
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_CONVOLUTIONCASES_H
