// SPDX-License-Identifier: Apache-2.0
//
// .npy files and random data, checked against the arguments' types.

#include "compiler/import/FunctionInputs.h"

#include "compiler/import/ArgumentValues.h"
#include "dialects/plan/DTypes.h"
#include "runtime/measure/NpyFile.h"
#include "runtime/measure/RandomData.h"

using namespace mlir;

namespace minic {

static InFlightDiagnostic error(func::FuncOp function) {
  return emitError(UnknownLoc::get(function.getContext()));
}

static std::string nameOf(DictionaryAttr attributes, StringRef prefix,
                          unsigned index) {
  if (attributes) {
    if (auto name = attributes.getAs<StringAttr>("graph.name")) {
      return name.getValue().str();
    }
  }
  return (prefix + Twine(index)).str();
}

std::string argumentName(func::FuncOp function, unsigned index) {
  return nameOf(function.getArgAttrDict(index), "arg", index);
}

std::string resultName(func::FuncOp function, unsigned index) {
  return nameOf(function.getResultAttrDict(index), "result", index);
}

static LogicalResult fillInput(func::FuncOp function, unsigned index,
                               uint64_t seed, FunctionInput &input) {
  int64_t bytes = runtime::elementBytes(input.dtype);
  for (int64_t dim : input.dims) {
    bytes *= dim;
  }
  absl::StatusOr<runtime::AlignedBuffer> buffer =
      runtime::AlignedBuffer::create(bytes);
  if (!buffer.ok()) {
    return error(function) << std::string(buffer.status().message());
  }
  input.data = *std::move(buffer);
  input.isRandom = true;
  runtime::fillRandom(input.data.data(), input.dtype, input.dims, seed,
                      input.name, /*scaleByFanIn=*/false,
                      getArgumentValues(function, index));
  return success();
}

static LogicalResult readInput(func::FuncOp function, RankedTensorType type,
                               const std::string &file, FunctionInput &input) {
  absl::StatusOr<runtime::NpyArray> array =
      runtime::readNpy(file, input.dtype == runtime::DType::bf16);
  if (!array.ok()) {
    return error(function) << std::string(array.status().message());
  }
  if (array->dtype != input.dtype || array->dims != input.dims) {
    return error(function) << "input " << input.name << ": expected " << type
                           << ", got "
                           << RankedTensorType::get(
                                  array->dims,
                                  plan::fromDType(array->dtype,
                                                  function.getContext()))
                           << " in " << file;
  }
  input.data = std::move(array->data);
  return success();
}

FailureOr<std::vector<FunctionInput>>
readInputs(func::FuncOp function,
           const std::map<std::string, std::string> &files, uint64_t seed) {
  std::vector<FunctionInput> inputs;
  std::map<std::string, std::string> unused = files;
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (!type.hasStaticShape()) {
      return function.emitError("unsupported: dynamic shape ") << type;
    }
    FunctionInput &input = inputs.emplace_back();
    input.name = argumentName(function, argument.getArgNumber());
    input.dtype = *plan::toDType(type.getElementType());
    input.dims.assign(type.getShape().begin(), type.getShape().end());
    auto file = files.find(input.name);
    if (failed(file == files.end()
                   ? fillInput(function, argument.getArgNumber(), seed, input)
                   : readInput(function, type, file->second, input))) {
      return failure();
    }
    unused.erase(input.name);
  }
  if (!unused.empty()) {
    return error(function) << "@" << function.getName() << " has no input '"
                           << unused.begin()->first << "'";
  }
  return inputs;
}

} // namespace minic
