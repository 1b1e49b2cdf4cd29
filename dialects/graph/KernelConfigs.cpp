// SPDX-License-Identifier: Apache-2.0
//
// Products, formulas in the order in which they need each other, and what may
// use which name.

#include "dialects/graph/KernelConfigs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace minic::graph {

std::optional<int64_t> NamedIntegers::lookup(StringRef name) const {
  for (const auto &[known, value] : entries_) {
    if (known == name) {
      return value;
    }
  }
  return std::nullopt;
}

std::string KernelConfig::text() const {
  std::string text;
  for (const auto &[name, value] : parameters.entries()) {
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  }
  return text;
}

/// The texts of an optional list.
static SmallVector<StringRef> textsOf(std::optional<ArrayAttr> list) {
  SmallVector<StringRef> texts;
  if (list) {
    for (Attribute text : *list) {
      texts.push_back(cast<StringAttr>(text).getValue());
    }
  }
  return texts;
}

static ArrayRef<Attribute> dimsOf(KernelOp op) {
  return op.getDimsAttr().getValue();
}

/// The values of a parameter: one, or those of a product; none for anything
/// else.
static SmallVector<int64_t> valuesOf(Attribute attribute) {
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    return number.getType().isSignlessInteger(64)
               ? SmallVector<int64_t>{number.getInt()}
               : SmallVector<int64_t>();
  }
  SmallVector<int64_t> values;
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    for (Attribute each : list) {
      auto number = dyn_cast<IntegerAttr>(each);
      if (!number || !number.getType().isSignlessInteger(64)) {
        return {};
      }
      values.push_back(number.getInt());
    }
  }
  return values;
}

/// All configurations, products multiplied out: the last parameter runs
/// fastest. Stops behind the most that there may be.
static SmallVector<NamedIntegers> expandConfigs(KernelOp op) {
  SmallVector<NamedIntegers> all;
  if (!op.getConfigs()) {
    all.emplace_back();
    return all;
  }
  ArrayAttr entries = *op.getConfigs();
  for (Attribute entry : entries) {
    SmallVector<NamedIntegers> product = {NamedIntegers()};
    for (NamedAttribute parameter : cast<DictionaryAttr>(entry)) {
      SmallVector<NamedIntegers> longer;
      for (const NamedIntegers &partial : product) {
        for (int64_t value : valuesOf(parameter.getValue())) {
          if (longer.size() > kMaxKernelConfigs) {
            break;
          }
          longer.push_back(partial);
          longer.back().set(parameter.getName(), value);
        }
      }
      product = std::move(longer);
    }
    all.append(product);
    if (all.size() > kMaxKernelConfigs) {
      break;
    }
  }
  return all;
}

size_t countKernelConfigs(KernelOp op) { return expandConfigs(op).size(); }

namespace {

struct NamedFormula {
  std::string name;
  Formula formula;
};

} // namespace

/// Formulas of `derived`, each behind those that it uses. None with a reason.
static std::optional<SmallVector<NamedFormula>> orderDerived(KernelOp op,
                                                             std::string &why) {
  SmallVector<NamedFormula> waiting, ordered;
  if (!op.getDerived()) {
    return ordered;
  }
  DictionaryAttr entries = *op.getDerived();
  for (NamedAttribute entry : entries) {
    auto text = dyn_cast<StringAttr>(entry.getValue());
    std::string error = "expected a formula in quotes";
    auto formula = text ? Formula::parse(text, error) : std::nullopt;
    if (!formula) {
      why = "derived parameter '" + entry.getName().str() + "': " + error;
      return std::nullopt;
    }
    waiting.push_back({entry.getName().str(), std::move(*formula)});
  }
  while (!waiting.empty()) {
    auto isWaiting = [&](const std::string &name) {
      return llvm::any_of(waiting, [&](const NamedFormula &other) {
        return other.name == name;
      });
    };
    auto *ready = llvm::find_if(waiting, [&](const NamedFormula &entry) {
      return llvm::none_of(entry.formula.names(), isWaiting);
    });
    if (ready == waiting.end()) {
      why =
          "derived parameters depend on each other in a cycle: " +
          llvm::join(llvm::map_range(
                         waiting, [](const auto &entry) { return entry.name; }),
                     ", ");
      return std::nullopt;
    }
    ordered.push_back(std::move(*ready));
    waiting.erase(ready);
  }
  return ordered;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {

class ConfigVerifier {
public:
  explicit ConfigVerifier(KernelOp op) : op(op) {}

  LogicalResult run() {
    return success(succeeded(checkDims()) && succeeded(checkKey()) &&
                   succeeded(checkParameters()) && succeeded(checkDerived()) &&
                   succeeded(checkRules()) && succeeded(checkLaunch()));
  }

private:
  LogicalResult checkDims();
  LogicalResult checkKey();
  LogicalResult checkParameters();
  LogicalResult checkDerived();
  LogicalResult checkRules();
  LogicalResult checkLaunch();
  /// That `formula` of `what` uses known names; special ones only of the key.
  LogicalResult checkNames(const Twine &what, const Formula &formula,
                           bool isSpecial);
  LogicalResult checkList(StringRef what, StringRef text, size_t least,
                          size_t most);

  KernelOp op;
  llvm::StringSet<> dims, key, parameters; // parameters: derived ones, too
};

LogicalResult ConfigVerifier::checkDims() {
  if (!op.getDims()) {
    return success();
  }
  SmallVector<Type> types(op.getOperandTypes());
  llvm::append_range(types, op.getResultTypes());
  if (op.getDims()->size() != types.size()) {
    return op.emitOpError("expects dims of its ")
           << types.size() << " operands and results, got "
           << op.getDims()->size() << " lists";
  }
  for (auto [entry, type] : llvm::zip_equal(dimsOf(op), types)) {
    auto list = dyn_cast<ArrayAttr>(entry);
    auto tensor = cast<RankedTensorType>(type);
    if (!list || int64_t(list.size()) != tensor.getRank()) {
      return op.emitOpError("expects a list of ")
             << tensor.getRank() << " dims for " << tensor << ", got " << entry;
    }
    for (auto [dim, size] : llvm::zip_equal(list, tensor.getShape())) {
      if (auto name = dyn_cast<StringAttr>(dim)) {
        if (!isFormulaName(name)) {
          return op.emitOpError("expects names of dims that are letters, "
                                "digits and _, got ")
                 << name;
        }
        dims.insert(name);
      } else if (auto number = dyn_cast<IntegerAttr>(dim);
                 !number ||
                 (!ShapedType::isDynamic(size) && number.getInt() != size)) {
        return op.emitOpError("expects a name or the size of each dim of ")
               << tensor << ", got " << dim;
      }
    }
  }
  // One name is one size.
  llvm::StringMap<int64_t> sizes;
  for (auto [entry, type] : llvm::zip_equal(dimsOf(op), types)) {
    for (auto [dim, size] : llvm::zip_equal(
             cast<ArrayAttr>(entry), cast<RankedTensorType>(type).getShape())) {
      auto name = dyn_cast<StringAttr>(dim);
      if (!name || ShapedType::isDynamic(size)) {
        continue;
      }
      auto [known, isNew] = sizes.insert({name, size});
      if (!isNew && known->second != size) {
        return op.emitOpError("expects one size of dim ")
               << name << ", got " << known->second << " and " << size;
      }
    }
  }
  return success();
}

LogicalResult ConfigVerifier::checkKey() {
  for (StringRef name : textsOf(op.getKey())) {
    if (!dims.contains(name)) {
      return op.emitOpError("expects names of `dims` in its key, got '")
             << name << "'";
    }
    key.insert(name);
  }
  return success();
}

LogicalResult ConfigVerifier::checkParameters() {
  if (!op.getConfigs()) {
    return success();
  }
  if (op.getConfigs()->empty()) {
    return op.emitOpError("expects at least one configuration");
  }
  ArrayAttr entries = *op.getConfigs();
  for (Attribute entry : entries) {
    auto dictionary = dyn_cast<DictionaryAttr>(entry);
    auto first = dyn_cast<DictionaryAttr>((*op.getConfigs())[0]);
    if (!dictionary) {
      return op.emitOpError("expects configurations that are dictionaries, "
                            "got ")
             << entry;
    }
    auto names = [](DictionaryAttr dictionary) {
      return llvm::map_to_vector(
          dictionary, [](NamedAttribute entry) { return entry.getName(); });
    };
    if (names(dictionary) != names(first)) {
      return op.emitOpError("expects the same parameters in all "
                            "configurations, got ")
             << first << " and " << dictionary;
    }
    for (NamedAttribute parameter : dictionary) {
      StringRef name = parameter.getName();
      if (!isFormulaName(name) || dims.contains(name)) {
        return op.emitOpError("expects parameters that are named otherwise "
                              "than dims and words of formulas, got '")
               << name << "'";
      }
      if (valuesOf(parameter.getValue()).empty()) {
        return op.emitOpError("expects an integer or a list of them for "
                              "parameter '")
               << name << "', got " << parameter.getValue();
      }
      parameters.insert(name);
    }
  }
  if (size_t count = expandConfigs(op).size(); count > kMaxKernelConfigs) {
    return op.emitOpError("expects at most ")
           << kMaxKernelConfigs << " configurations, got more";
  }
  return success();
}

LogicalResult ConfigVerifier::checkNames(const Twine &what,
                                         const Formula &formula,
                                         bool isSpecial) {
  for (const std::string &name : formula.names()) {
    if (parameters.contains(name)) {
      continue;
    }
    if (!dims.contains(name)) {
      return op.emitOpError() << what << " '" << formula.text() << "' uses '"
                              << name << "', which is no dim and no parameter";
    }
    if (isSpecial && !key.contains(name)) {
      return op.emitOpError()
             << what << " '" << formula.text() << "' depends on dim '" << name
             << "', which its key lacks: the kernel would be special for a "
                "size that nothing records";
    }
  }
  return success();
}

LogicalResult ConfigVerifier::checkDerived() {
  std::string why;
  auto ordered = orderDerived(op, why);
  if (!ordered) {
    return op.emitOpError() << why;
  }
  for (const NamedFormula &entry : *ordered) {
    if (!isFormulaName(entry.name) || dims.contains(entry.name) ||
        parameters.contains(entry.name)) {
      return op.emitOpError("expects derived parameters with names of their "
                            "own, got '")
             << entry.name << "'";
    }
    if (failed(checkNames("derived parameter '" + entry.name + "'",
                          entry.formula, /*isSpecial=*/true))) {
      return failure();
    }
    parameters.insert(entry.name);
  }
  return success();
}

LogicalResult ConfigVerifier::checkRules() {
  for (StringRef text : textsOf(op.getWhere())) {
    std::string error;
    auto formula = Formula::parse(text, error);
    if (!formula) {
      return op.emitOpError("where: ") << error << " of '" << text << "'";
    }
    if (failed(checkNames("where", *formula, /*isSpecial=*/true))) {
      return failure();
    }
  }
  return success();
}

LogicalResult ConfigVerifier::checkList(StringRef what, StringRef text,
                                        size_t least, size_t most) {
  std::string error;
  auto formulas = Formula::parseList(text, error);
  if (!formulas) {
    return op.emitOpError() << what << ": " << error << " of '" << text << "'";
  }
  if (formulas->size() < least || formulas->size() > most) {
    return op.emitOpError() << what << ": expected " << least << " to " << most
                            << " formulas, got '" << text << "'";
  }
  for (const Formula &formula : *formulas) {
    if (failed(checkNames(what, formula, /*isSpecial=*/false))) {
      return failure();
    }
  }
  return success();
}

LogicalResult ConfigVerifier::checkLaunch() {
  bool isGpu = op.getTargetName() == "cuda";
  if (failed(checkList("grid", op.getGrid(), 1, isGpu ? 3 : 1))) {
    return failure();
  }
  if (isGpu != bool(op.getBlock())) {
    return op.emitOpError("expects a block of threads for a kernel of a GPU, "
                          "and only there");
  }
  if (!isGpu && op.getShared()) {
    return op.emitOpError("expects shared memory only of a kernel of a GPU");
  }
  if (op.getBlock() && failed(checkList("block", *op.getBlock(), 1, 3))) {
    return failure();
  }
  if (op.getShared() && failed(checkList("shared", *op.getShared(), 1, 1))) {
    return failure();
  }
  for (StringRef text : textsOf(op.getScalars())) {
    if (failed(checkList("scalars", text, 1, 1))) {
      return failure();
    }
  }
  return success();
}

} // namespace

LogicalResult verifyKernelConfigs(KernelOp op) {
  return ConfigVerifier(op).run();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

SizedKernel::SizedKernel(KernelOp op) : op(op) {
  if (!op.getDims()) {
    return;
  }
  SmallVector<Type> types(op.getOperandTypes());
  llvm::append_range(types, op.getResultTypes());
  for (auto [entry, type] : llvm::zip_equal(dimsOf(op), types)) {
    for (auto [dim, size] : llvm::zip_equal(
             cast<ArrayAttr>(entry), cast<RankedTensorType>(type).getShape())) {
      auto name = dyn_cast<StringAttr>(dim);
      if (name && !dims_.lookup(name)) {
        dims_.set(name, size);
      }
    }
  }
  for (StringRef name : textsOf(op.getKey())) {
    key_.set(name, *dims_.lookup(name));
  }
}

/// Of `config`, or of `dims`.
static std::optional<int64_t> lookup(StringRef name, const KernelConfig &config,
                                     const NamedIntegers &dims) {
  for (const NamedIntegers *names :
       {&config.parameters, &config.derived, &dims}) {
    if (auto value = names->lookup(name)) {
      return value;
    }
  }
  return std::nullopt;
}

SmallVector<KernelConfig> SizedKernel::configs(std::string &why) const {
  std::string error, firstBroken;
  auto derived = orderDerived(op, error);
  SmallVector<KernelConfig> allowed;
  for (auto [number, parameters] : llvm::enumerate(expandConfigs(op))) {
    KernelConfig config;
    config.number = number;
    config.parameters = parameters;
    auto valueOf = [&](StringRef name) { return lookup(name, config, key_); };
    auto isAllowed = [&] {
      for (const NamedFormula &entry : *derived) {
        auto value = entry.formula.evaluate(valueOf, error);
        if (!value) {
          why = error;
          return false;
        }
        config.derived.set(entry.name, *value);
      }
      for (StringRef text : textsOf(op.getWhere())) {
        auto holds = Formula::parse(text, error)->evaluate(valueOf, error);
        if (!holds || *holds == 0) {
          why = holds ? "'" + text.str() + "' is false" : error;
          return false;
        }
      }
      return true;
    };
    if (isAllowed()) {
      allowed.push_back(std::move(config));
      continue;
    }
    std::string text = config.text();
    firstBroken = firstBroken.empty()
                      ? why + (text.empty() ? "" : " for " + text)
                      : firstBroken;
  }
  why = firstBroken;
  return allowed;
}

std::optional<KernelConfig>
SizedKernel::findConfig(DictionaryAttr parameters) const {
  std::string why;
  for (KernelConfig &config : configs(why)) {
    const auto &entries = config.parameters.entries();
    bool isIt = entries.size() == parameters.size() &&
                llvm::all_of(entries, [&](const auto &entry) {
                  auto value = parameters.getAs<IntegerAttr>(entry.first);
                  return value && value.getInt() == entry.second;
                });
    if (isIt) {
      return std::move(config);
    }
  }
  return std::nullopt;
}

std::optional<KernelGeometry> SizedKernel::geometry(const KernelConfig &config,
                                                    std::string &why) const {
  auto valueOf = [&](StringRef name) { return lookup(name, config, dims_); };
  auto evaluate = [&](StringRef what, StringRef text, int64_t least,
                      SmallVector<int64_t> &values) {
    auto formulas = Formula::parseList(text, why);
    for (const Formula &formula : *formulas) {
      auto value = formula.evaluate(valueOf, why);
      if (value && *value < least) {
        why = (what + " '" + formula.text() + "' is " + Twine(*value) +
               ", expected at least " + Twine(least))
                  .str();
        value = std::nullopt;
      }
      if (!value) {
        return false;
      }
      values.push_back(*value);
    }
    return true;
  };
  KernelGeometry geometry;
  SmallVector<int64_t> shared = {};
  if (!evaluate("grid", op.getGrid(), 1, geometry.grid) ||
      (op.getBlock() &&
       !evaluate("block", *op.getBlock(), 1, geometry.block)) ||
      (op.getShared() && !evaluate("shared", *op.getShared(), 0, shared))) {
    return std::nullopt;
  }
  for (StringRef text : textsOf(op.getScalars())) {
    if (!evaluate("scalar", text, INT64_MIN, geometry.scalars)) {
      return std::nullopt;
    }
  }
  geometry.sharedBytes = shared.empty() ? 0 : shared.front();
  return geometry;
}

} // namespace minic::graph
