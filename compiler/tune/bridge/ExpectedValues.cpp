// SPDX-License-Identifier: Apache-2.0
//
// Random arguments, the evaluator, and the file.

#include "compiler/tune/bridge/ExpectedValues.h"

#include "compiler/reference/Evaluator.h"
#include "dialects/kernel/OperandValues.h"
#include "dialects/plan/DTypes.h"
#include "dialects/plan/Plan.h"
#include "runtime/base/AlignedBuffer.h"
#include "runtime/measure/RandomData.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "absl/strings/str_cat.h"

using namespace mlir;

namespace minic::tune {

/// What argument number `index` of a problem says of its integers.
static std::optional<runtime::OperandValues> valuesOf(func::FuncOp function,
                                                      unsigned index) {
  auto values = kernel::toOperandValues(
      function.getArgAttr(index, kernel::valuesAttrName));
  if (!values) {
    return std::nullopt;
  }
  return runtime::OperandValues{static_cast<runtime::ValuesKind>(values->kind),
                                values->lower, values->upper};
}

absl::Status writeExpectedValues(ModuleOp problem, uint64_t seed,
                                 uint64_t constantsSeed,
                                 const std::string &path) {
  auto function = problem.lookupSymbol<func::FuncOp>("problem");
  if (!function) {
    return absl::InternalError("a problem without @problem");
  }
  std::vector<runtime::AlignedBuffer> buffers;
  reference::Inputs inputs;
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    unsigned index = argument.getArgNumber();
    auto role = function.getArgAttrOfType<StringAttr>(index, "kernel.role");
    bool isConstant = role && role.getValue() == "constant";
    std::optional<format::DType> dtype = plan::toDType(type.getElementType());
    if (!dtype) {
      return absl::InternalError("a problem with an unknown dtype");
    }
    absl::StatusOr<runtime::AlignedBuffer> buffer =
        runtime::AlignedBuffer::create(kernel::getBytes(type));
    if (!buffer.ok()) {
      return buffer.status();
    }
    runtime::fillRandom(
        buffer->data(), *dtype,
        absl::MakeConstSpan(type.getShape().data(), type.getShape().size()),
        isConstant ? constantsSeed : seed, absl::StrCat("arg", index),
        /*scaleByFanIn=*/isConstant, valuesOf(function, index));
    inputs.arguments.push_back(buffer->data());
    buffers.push_back(*std::move(buffer));
  }
  Block &body = function.getBody().front();
  reference::EvaluationOptions options;
  reference::RowBudget budget;
  budget.seed = seed;
  options.rows = reference::chooseRows(body, budget);
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    options.outputNames.push_back("result" + std::to_string(i));
  }
  FailureOr<std::vector<runtime::ExpectedOutput>> outputs =
      reference::evaluate(body, inputs, options);
  if (failed(outputs)) {
    return absl::InternalError("the reference cannot evaluate the problem");
  }
  return runtime::writeExpectedOutputs(path, *outputs);
}

} // namespace minic::tune
