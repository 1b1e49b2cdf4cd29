// SPDX-License-Identifier: Apache-2.0
//
// A table of the model's names, then one look-up for each name of the file.

#include "compiler/compare/MatchTensors.h"

#include "compiler/compare/ConvertFloats.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/NearestName.h"
#include "dialects/plan/DTypes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <set>

using namespace mlir;

namespace minic {

using runtime::DType;

/// The dtype that safetensors calls `name`; nothing for one that no tensor of a
/// model has.
static std::optional<DType> dtypeOf(StringRef name) {
  return llvm::StringSwitch<std::optional<DType>>(name)
      .Case("F32", DType::f32)
      .Case("BF16", DType::bf16)
      .Case("F16", DType::f16)
      .Case("BOOL", DType::i1)
      .Case("I8", DType::i8)
      .Case("U8", DType::u8)
      .Case("I32", DType::i32)
      .Case("I64", DType::i64)
      .Default(std::nullopt);
}

static std::string typeText(StringRef dtype, ArrayRef<int64_t> dims) {
  std::string text;
  for (int64_t dim : dims) {
    text += std::to_string(dim) + "x";
  }
  return text + dtype.lower();
}

namespace {

/// What a name stands for.
struct Target {
  Value value;
  const NamedTensor *model = nullptr;
};

class Matcher {
public:
  Matcher(func::FuncOp function, const std::vector<NamedTensor> &tensors,
          const WeightSource &file)
      : function(function), tensors(tensors), file(file) {
    nameValues();
  }

  FailureOr<MatchedTensors> match(const std::vector<FunctionInput> &inputs);

private:
  void nameValues();
  LogicalResult convert(const std::string &name,
                        const WeightSource::Entry &entry, Value value,
                        MatchedTensors &matched, GivenTensor &given) const;
  LogicalResult nothingMatches() const;
  InFlightDiagnostic error() const {
    return emitError(UnknownLoc::get(function->getContext()))
           << file.path() << ": ";
  }

  func::FuncOp function;
  const std::vector<NamedTensor> &tensors;
  const WeightSource &file;
  llvm::StringMap<Target> targets;
};

} // namespace

void Matcher::nameValues() {
  for (BlockArgument argument : function.getArguments()) {
    targets.try_emplace(argumentName(function, argument.getArgNumber()),
                        Target{argument});
  }
  llvm::DenseMap<Value, const NamedTensor *> first;
  for (const NamedTensor &tensor : tensors) {
    if (tensor.function == function.getName()) {
      targets.try_emplace(tensor.name, Target{tensor.value, &tensor});
      first.try_emplace(tensor.value, &tensor);
    }
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    targets.try_emplace(resultName(function, i),
                        Target{value, first.lookup(value)});
  }
  for (const NamedTensor &tensor : tensors) {
    if (tensor.function == function.getName() && !tensor.node.empty()) {
      targets.try_emplace(tensor.node, Target{tensor.value, &tensor});
    }
  }
  function.walk([&](graph::ConstantOp constant) {
    if (std::optional<StringRef> source = constant.getSource()) {
      targets.try_emplace(*source, Target{constant, first.lookup(constant)});
    }
  });
  for (const NamedTensor &tensor : llvm::reverse(tensors)) {
    for (const std::string &module : tensor.modules) {
      targets.try_emplace(module, Target{tensor.value, &tensor});
    }
  }
}

LogicalResult Matcher::convert(const std::string &name,
                               const WeightSource::Entry &entry, Value value,
                               MatchedTensors &matched,
                               GivenTensor &given) const {
  auto type = cast<RankedTensorType>(value.getType());
  DType declared = *plan::toDType(type.getElementType());
  bool isDouble = entry.dtype == "F64";
  std::optional<DType> dtype = isDouble ? DType::f32 : dtypeOf(entry.dtype);
  bool fits =
      dtype && (*dtype == declared || (isFloat(*dtype) && isFloat(declared)));
  if (!fits || type.getShape() != ArrayRef<int64_t>(entry.dims)) {
    return error() << "tensor '" << name << "': expected "
                   << typeText(runtime::toString(declared), type.getShape())
                   << " as in the model, got "
                   << typeText(entry.dtype, entry.dims);
  }
  given = {value, *dtype, entry.data.data(), !isa<BlockArgument>(value)};
  if (isDouble) {
    int64_t count = type.getNumElements();
    auto keep = [&](std::vector<char> bytes) {
      return matched.narrowed.emplace_back(std::move(bytes)).data();
    };
    given.data = keep(narrowDoubles(entry.data.data(), count));
    given.rest = keep(restOfDoubles(entry.data.data(), count));
  }
  return success();
}

LogicalResult Matcher::nothingMatches() const {
  std::vector<StringRef> names = file.names();
  if (names.empty()) {
    return error() << "it has no tensors";
  }
  if (llvm::any_of(names,
                   [&](StringRef name) { return targets.contains(name); })) {
    return error() << "it has inputs of the model and nothing to compare";
  }
  InFlightDiagnostic diagnostic = error();
  diagnostic << "none of its " << names.size()
             << " tensors is one that the model computes: '" << names.front()
             << "'";
  std::vector<StringRef> known(targets.keys().begin(), targets.keys().end());
  llvm::sort(known);
  if (StringRef similar = graph::nearestName(names.front(), known);
      !similar.empty()) {
    diagnostic << "; did you mean '" << similar << "'?";
  } else if (!tensors.empty()) {
    diagnostic << "; the model has '" << tensors.front().name << "', '"
               << tensors.back().name << "'";
  }
  return diagnostic;
}

FailureOr<MatchedTensors>
Matcher::match(const std::vector<FunctionInput> &inputs) {
  MatchedTensors matched;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs)) {
    matched.tensors.push_back(
        {argument, input.dtype, input.data.data(), /*isCompared=*/false});
    matched.names.push_back(input.name);
    matched.model.push_back(nullptr);
  }
  std::set<std::string> random;
  for (const FunctionInput &input : inputs) {
    if (input.isRandom) {
      random.insert(input.name);
    }
  }
  for (StringRef name : file.names()) {
    auto target = targets.find(name);
    if (target == targets.end()) {
      matched.unmatched.push_back(name.str());
      continue;
    }
    Value value = target->second.value;
    GivenTensor given;
    if (failed(convert(name.str(), *file.find(name), value, matched, given))) {
      return failure();
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (random.erase(matched.names[argument.getArgNumber()]) != 0) {
        matched.tensors[argument.getArgNumber()] = given;
      }
      continue;
    }
    matched.tensors.push_back(given);
    matched.names.push_back(name.str());
    matched.model.push_back(target->second.model);
  }
  if (matched.tensors.size() == inputs.size()) {
    return nothingMatches();
  }
  matched.randomInputs.assign(random.begin(), random.end());
  return matched;
}

FailureOr<MatchedTensors> matchTensors(func::FuncOp function,
                                       const std::vector<NamedTensor> &tensors,
                                       const std::vector<FunctionInput> &inputs,
                                       const WeightSource &file) {
  return Matcher(function, tensors, file).match(inputs);
}

} // namespace minic
