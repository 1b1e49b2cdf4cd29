// SPDX-License-Identifier: Apache-2.0
//
// Compiles, runs in this process, and compares what comes out.

#include "tools/minic/ComparePlan.h"

#include "compiler/compare/ReturnFusions.h"
#include "compiler/driver/Compiler.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/DTypes.h"
#include "runtime/program/Context.h"
#include "tools/common/DeviceTensors.h"
#include "tools/common/ModelInputs.h"
#include "tools/common/TemporaryDirectory.h"

namespace minic {

using runtime::Program;
using runtime::Tensor;
using tools::DeviceTensors;
using tools::ModelTensors;

static absl::Status statusOf(ExitCode code, const std::string &error) {
  switch (code) {
  case ExitCode::Usage:
  case ExitCode::BadInput:
    return absl::InvalidArgumentError(error);
  case ExitCode::Unsupported:
    return absl::UnimplementedError(error);
  case ExitCode::Interrupted:
    return absl::CancelledError(error);
  default:
    return absl::InternalError(error);
  }
}

/// Runs once; the outputs in the program's order.
static absl::StatusOr<ModelTensors>
runOnce(std::shared_ptr<const Program> program,
        absl::Span<const Tensor> inputs) {
  absl::StatusOr<ModelTensors> outputs =
      tools::allocateTensors(program->outputs());
  if (!outputs.ok()) {
    return outputs.status();
  }
  absl::StatusOr<DeviceTensors> deviceInputs =
      DeviceTensors::create(*program, program->inputs(), inputs);
  if (!deviceInputs.ok()) {
    return deviceInputs.status();
  }
  absl::StatusOr<DeviceTensors> deviceOutputs =
      DeviceTensors::create(*program, program->outputs(), outputs->tensors);
  if (!deviceOutputs.ok()) {
    return deviceOutputs.status();
  }
  absl::Status status = deviceInputs->shareInPlace(*program, *deviceOutputs);
  if (!status.ok()) {
    return status;
  }
  auto context = runtime::Context::create(program, {});
  if (!context.ok()) {
    return context.status();
  }
  status = (*context)->run(deviceInputs->tensors(), deviceOutputs->tensors());
  status.Update((*context)->synchronize());
  status.Update(deviceOutputs->copyBack());
  return status.ok() ? std::move(outputs)
                     : absl::StatusOr<ModelTensors>(status);
}

/// The op that makes `value`, inside of the fusion that it is a result of.
static mlir::Operation *makerOf(mlir::Value value) {
  auto fusion = value.getDefiningOp<kernel::FusionOp>();
  if (!fusion) {
    return value.getDefiningOp();
  }
  unsigned number = mlir::cast<mlir::OpResult>(value).getResultNumber();
  return fusion.getYield().getOperand(number).getDefiningOp();
}

static CompareRow rowOf(mlir::func::FuncOp function, unsigned result,
                        const NodeNames &nodes) {
  mlir::Value value =
      function.getBody().front().getTerminator()->getOperand(result);
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  CompareRow row;
  row.tensor = resultName(function, result);
  row.dtype = *plan::toDType(type.getElementType());
  row.dims.assign(type.getShape().begin(), type.getShape().end());
  if (mlir::Operation *op = makerOf(value)) {
    row.op = op->getName().stripDialect().str();
    if (std::vector<std::string> names = namesIn(op->getLoc());
        !names.empty()) {
      row.node = nodes.nodeOf(names.back());
      if (std::string op = nodes.opOf(names.back()); !op.empty()) {
        row.op = op;
      }
    }
  }
  return row;
}

/// Compares the tensors that `module` returns.
static absl::StatusOr<CompareSection>
compareResults(mlir::func::FuncOp function,
               const std::vector<FunctionInput> &inputs,
               const ModelTensors &outputs, const NodeNames &nodes,
               const CompareOptions &options) {
  std::vector<GivenTensor> given;
  std::vector<CompareRow> rows;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs)) {
    given.push_back(
        {argument, input.dtype, input.data.data(), /*isCompared=*/false});
    rows.emplace_back().tensor = input.name;
  }
  mlir::Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    if (value.getDefiningOp()) {
      given.push_back(
          {value, outputs.tensors[i].dtype, outputs.tensors[i].data});
      rows.push_back(rowOf(function, i, nodes));
    }
  }
  DiagnosticCollector diagnostics(function.getContext());
  auto differences = compareTensors(function, given, options);
  if (mlir::failed(differences)) {
    return statusOf(diagnostics.exitCode(ExitCode::Internal),
                    diagnostics.firstError());
  }
  CompareSection section;
  for (TensorDifference &difference : *differences) {
    CompareRow row = rows[difference.given];
    for (size_t from : difference.from) {
      row.from.push_back(rows[from].tensor);
    }
    for (std::string &node : difference.nodes) {
      node = nodes.nodeOf(node);
    }
    row.difference = std::move(difference);
    section.rows.push_back(std::move(row));
  }
  return section;
}

absl::StatusOr<CompareSection>
comparePlan(const std::string &model, const std::string &function,
            CompileOptions options, const std::vector<FunctionInput> &inputs,
            const NodeNames &nodes, const CompareOptions &compareOptions,
            mlir::MLIRContext &context) {
  auto folder = tools::TemporaryDirectory::create();
  if (!folder.ok()) {
    return folder.status();
  }
  options.output = folder->path() + "/plan.minic";
  options.functions = {function};
  mlir::OwningOpRef<mlir::ModuleOp> selected;
  CompileResult compiled =
      compileModel(model, options, context, [&](mlir::ModuleOp module) {
        returnFusions(module);
        if (!selected) {
          selected = module.clone();
        }
      });
  if (compiled.code != ExitCode::Success) {
    return statusOf(compiled.code, compiled.error);
  }
  runtime::ProgramOptions programOptions;
  programOptions.function = function;
  programOptions.device = options.device;
  auto program = Program::load(options.output, programOptions);
  if (!program.ok()) {
    return program.status();
  }
  std::vector<Tensor> tensors;
  for (const FunctionInput &input : inputs) {
    tensors.push_back({const_cast<std::byte *>(
                           static_cast<const std::byte *>(input.data.data())),
                       input.dtype, input.dims});
  }
  absl::StatusOr<ModelTensors> outputs = runOnce(*program, tensors);
  if (!outputs.ok()) {
    return outputs.status();
  }
  return compareResults(selected->lookupSymbol<mlir::func::FuncOp>(function),
                        inputs, *outputs, nodes, compareOptions);
}

} // namespace minic
