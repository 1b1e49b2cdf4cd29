// SPDX-License-Identifier: Apache-2.0
//
// Runs a trace forward on the demanded rows and hands out the results.

#include "compiler/reference/Evaluator.h"

#include "compiler/reference/Demand.h"
#include "compiler/reference/Evaluation.h"
#include "compiler/reference/ScalarMeaning.h"
#include "compiler/reference/Storage.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/Graph.h"

#include <deque>

using namespace mlir;

namespace minic::reference {

namespace {

using Values = llvm::DenseMap<Value, RowTensor>;

/// The bytes of `constant`, from its value or from `inputs`.
FailureOr<const void *> resolveConstant(graph::ConstantOp constant,
                                        const Inputs &inputs,
                                        graph::ConstantBytes &storage) {
  const void *bytes = nullptr;
  if (ElementsAttr value = constant.getValueAttr()) {
    if (FailureOr<graph::ConstantBytes> dense =
            graph::ConstantBytes::get(value);
        succeeded(dense)) {
      storage = std::move(*dense);
      bytes = storage.bytes().data();
    }
  }
  if (!bytes && constant.getSourceAttr()) {
    bytes = inputs.constants.lookup(constant.getSourceAttr().getValue());
  }
  if (!bytes) {
    return constant.emitError("the float64 reference needs the bytes of this "
                              "constant");
  }
  return bytes;
}

runtime::DType runtimeDType(Type dtype) {
  using runtime::DType;
  if (auto integer = dyn_cast<IntegerType>(dtype)) {
    switch (integer.getWidth()) {
    case 1:
      return DType::i1;
    case 8:
      return integer.isUnsigned() ? DType::u8 : DType::i8;
    case 32:
      return DType::i32;
    default:
      return DType::i64;
    }
  }
  return dtype.isBF16() ? DType::bf16 : dtype.isF16() ? DType::f16 : DType::f32;
}

/// An output element: value and tolerance after it was stored in its dtype.
std::pair<double, double> storedOutput(Type dtype, double value, double error) {
  if (!isa<FloatType>(dtype) || !std::isfinite(value)) {
    return {error == kAnything ? 0 : value, error};
  }
  double overflow = getFloatFormat(dtype).overflow;
  if (error == kAnything || std::abs(value) + error < overflow) {
    return {value, error};
  }
  if (std::abs(value) - error >= overflow) {
    return {std::copysign(HUGE_VAL, value), 0};
  }
  return {value, kAnything};
}

runtime::ExpectedOutput takeOutput(const RowTensor &tensor, std::string name,
                                   const RowDemand &demand) {
  runtime::ExpectedOutput output;
  output.name = std::move(name);
  output.dtype = runtimeDType(tensor.dtype());
  output.dims.assign(tensor.type().getShape().begin(),
                     tensor.type().getShape().end());
  std::vector<int64_t> rows = demand.rows;
  if (demand.all) {
    rows.resize(rowCount(tensor.type()));
    std::iota(rows.begin(), rows.end(), int64_t(0));
  } else {
    output.rows = rows;
  }
  output.values.reserve(rows.size() * tensor.length());
  output.tolerances.reserve(rows.size() * tensor.length());
  for (int64_t row : rows) {
    std::vector<double> values = tensor.readRow(Channel::Value, row);
    std::vector<double> errors = tensor.readRow(Channel::Error, row);
    for (auto [value, error] : llvm::zip_equal(values, errors)) {
      auto [expected, tolerance] = storedOutput(tensor.dtype(), value, error);
      output.values.push_back(expected);
      output.tolerances.push_back(tolerance);
    }
  }
  return output;
}

/// Runs all ops. Without `carriesErrors` every op is taken to compute exactly.
FailureOr<std::vector<runtime::ExpectedOutput>>
run(const Trace &trace, const Inputs &inputs, Block &body,
    const EvaluationOptions &options, bool carriesErrors) {
  Demand demand = computeDemand(trace, options.rows);
  std::deque<graph::ConstantBytes> storage; // addresses stay
  Values values;
  for (auto [argument, bytes] :
       llvm::zip_equal(body.getArguments(), inputs.arguments)) {
    values.try_emplace(argument, RowTensor::given(tensorType(argument), bytes));
  }
  // Operands whose last user has run are freed.
  llvm::DenseMap<Value, int64_t> usesLeft;
  for (Value result : trace.results) {
    ++usesLeft[trace.resolve(result)];
  }
  for (Operation *op : trace.ops) {
    for (Value operand : op->getOperands()) {
      ++usesLeft[trace.resolve(operand)];
    }
  }
  for (Operation *op : trace.ops) {
    auto isDemanded = [&](Value result) { return demand.contains(result); };
    if (llvm::none_of(op->getResults(), isDemanded)) {
      continue;
    }
    if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
      FailureOr<const void *> bytes =
          resolveConstant(constant, inputs, storage.emplace_back());
      if (failed(bytes)) {
        return failure();
      }
      values.try_emplace(constant,
                         RowTensor::given(tensorType(constant), *bytes));
      continue;
    }
    auto operand = [&](Value value) -> const RowTensor & {
      return values.find(trace.resolve(value))->second;
    };
    for (OpResult result :
         llvm::make_filter_range(op->getResults(), isDemanded)) {
      RowTensor computed = evaluateOp(op, operand, demand.find(result)->second,
                                      result.getResultNumber());
      if (!carriesErrors) {
        computed.dropErrors();
      }
      values.try_emplace(result, std::move(computed));
    }
    for (Value used : op->getOperands()) {
      used = trace.resolve(used);
      if (--usesLeft[used] == 0) {
        values.erase(used);
      }
    }
  }
  std::vector<runtime::ExpectedOutput> outputs;
  for (auto [i, result] : llvm::enumerate(trace.results)) {
    outputs.push_back(
        takeOutput(values.find(trace.resolve(result))->second,
                   options.outputNames.empty() ? "output" + std::to_string(i)
                                               : options.outputNames[i],
                   options.rows.empty() ? RowDemand() : options.rows[i]));
  }
  return outputs;
}

/// Whether nothing is said of some element.
bool hasUnbounded(const std::vector<runtime::ExpectedOutput> &outputs) {
  return llvm::any_of(outputs, [](const runtime::ExpectedOutput &output) {
    return llvm::is_contained(output.tolerances, kAnything);
  });
}

/// Puts `exact`, what comes out without rounding, where nothing is said of an
/// element. A NaN stays out: it would have to be met.
void fillUnbounded(runtime::ExpectedOutput &output,
                   const runtime::ExpectedOutput &exact) {
  for (size_t i = 0; i < output.values.size(); ++i) {
    if (output.tolerances[i] == kAnything && !std::isnan(exact.values[i])) {
      output.values[i] = exact.values[i];
    }
  }
}

} // namespace

FailureOr<std::vector<runtime::ExpectedOutput>>
evaluate(Block &body, const Inputs &inputs, const EvaluationOptions &options) {
  FailureOr<Trace> trace = Trace::get(body);
  if (failed(trace)) {
    return failure();
  }
  auto outputs = run(*trace, inputs, body, options, !options.isExact);
  if (failed(outputs) || !options.fillsUnbounded || !hasUnbounded(*outputs)) {
    return outputs;
  }
  auto exact = run(*trace, inputs, body, options, /*carriesErrors=*/false);
  if (failed(exact)) {
    return failure();
  }
  for (auto [output, value] : llvm::zip_equal(*outputs, *exact)) {
    fillUnbounded(output, value);
  }
  return outputs;
}

} // namespace minic::reference
