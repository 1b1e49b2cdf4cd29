// SPDX-License-Identifier: Apache-2.0
//
// Fusions with pointwise ops before a product, for the families of GEMM kernels
// that take them, run by the interpreter and compared with the reference.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_PROLOGUECASES_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_PROLOGUECASES_H

#include "compiler/reference/Evaluator.h"
#include "compiler/target/cuda/gemm/GemmOperand.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"

namespace minic::cuda {

inline std::string tensor(std::vector<int64_t> dims, const std::string &dtype) {
  std::string text = "tensor<";
  for (int64_t dim : dims) {
    text += std::to_string(dim) + "x";
  }
  return text + dtype + ">";
}

/// A fusion's arguments, result and body.
struct Body {
  std::vector<std::string> arguments;
  std::string result, text;
};

/// Runs the body by `family` with `one` and compares all elements with the
/// reference.
template <typename Geometry, typename Schedule>
void checkPrologue(const Body &body, const KernelFamily &family,
                   const Schedule &one, bool isTf32 = false) {
  SCOPED_TRACE(body.text);
  InterpretedFusion run(body.arguments, body.result, body.text);
  kernel::FusionOp fusion = run.fusion;
  mlir::MLIRContext *context = fusion.getContext();
  if (isTf32) {
    fusion->getParentOfType<mlir::ModuleOp>()->setAttr(
        "kernel.float32_precision", mlir::StringAttr::get(context, "tf32"));
  }
  reference::Inputs inputs;
  for (cpu::TestTensor &input : run.inputs) {
    inputs.arguments.push_back(input.data());
  }
  auto expected = reference::evaluate(fusion.getBody().front(), inputs);
  ASSERT_TRUE(succeeded(expected));

  std::string reason;
  auto shape = kernel::FusionShape::get(fusion, &reason);
  ASSERT_TRUE(succeeded(shape)) << reason;
  auto geometry = Geometry::get(*shape, one, &reason);
  ASSERT_TRUE(succeeded(geometry)) << toString(one) << ": " << reason;
  Implementation made;
  made.impl =
      kernel::ImplAttr::get(context, family.name(), toAttribute(one, context));
  made.operandLayouts.assign(fusion.getInputs().size(),
                             mlir::UnitAttr::get(context));
  for (const GemmOperand *operand : geometry->copied()) {
    made.operandLayouts[size_t(operand->argument)] = operand->layout;
  }
  made.name = toString(one);
  DeviceProfile profile = *getArchProfile("sm_90a");
  profile.allowTf32 = isTf32;
  ASSERT_EQ(family.reject(fusion, profile), std::nullopt);
  ASSERT_NO_FATAL_FAILURE(run.run(family, made, profile));
  for (auto [result, wanted] : llvm::zip_equal(run.results, *expected)) {
    runtime::Comparison compared = runtime::compare(wanted, result.data());
    EXPECT_TRUE(compared.matches) << toString(one) << ": " << compared.detail;
  }
  ASSERT_EQ(run.resources.size(), 1u);
  EXPECT_EQ(run.resources[0].spillBytes, 0) << toString(one);
  EXPECT_EQ(run.resources[0].stackBytes, 0) << toString(one);
}

/// y = linear(p(x, more...), w): `ops` make %p of %0 (x, [m, k] of `from`) and
/// the arguments from %2 on; `behind` makes %r of %y and all of them.
inline Body linear(int64_t m, int64_t n, int64_t k, const std::string &dtype,
                   const std::string &from, const std::string &ops,
                   std::vector<std::string> more = {},
                   const std::string &behind = "") {
  std::string x = tensor({m, k}, from), p = tensor({m, k}, dtype),
              w = tensor({n, k}, dtype), y = tensor({m, n}, dtype);
  std::vector<std::string> arguments = {x, w};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return {arguments, y,
          ops + "\n%y = graph.linear %p, %1 : (" + p + ", " + w + ") -> " + y +
              "\n" + behind + "\nkernel.yield " +
              (behind.empty() ? "%y" : "%r") + " : " + y};
}

inline Body unary(int64_t m, int64_t n, int64_t k, const std::string &op,
                  const std::string &dtype) {
  return linear(m, n, k, dtype, dtype,
                "%p = graph." + op + " %0 : " + tensor({m, k}, dtype));
}

/// p = op(x, argument 2).
inline Body binary(int64_t m, int64_t n, int64_t k, const std::string &op,
                   std::vector<int64_t> other, const std::string &dtype) {
  std::string x = tensor({m, k}, dtype), o = tensor(other, dtype);
  return linear(m, n, k, dtype, dtype,
                "%p = graph." + op + " %0, %2 : (" + x + ", " + o + ") -> " + x,
                {o});
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_PROLOGUECASES_H
