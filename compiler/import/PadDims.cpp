// SPDX-License-Identifier: Apache-2.0
//
// The axes of results by a proof for each bucket, and what arguments are filled
// with.

#include "compiler/import/PadDims.h"

#include "compiler/import/FunctionInputs.h"
#include "dialects/graph/Dims.h"
#include "dialects/graph/InPlace.h"
#include "dialects/graph/IndependentRows.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace minic {

static InFlightDiagnostic error(ModuleOp module) {
  return emitError(UnknownLoc::get(module.getContext())) << "--pad: ";
}

/// A model may bring any attribute: one without an entry is refused later.
static StringRef entryOf(func::FuncOp function) {
  auto bucket = function->getAttrOfType<DictionaryAttr>(graph::bucketAttrName);
  auto entry = bucket ? bucket.getAs<StringAttr>("entry") : StringAttr();
  return entry ? entry.getValue() : StringRef();
}

int64_t bucketSize(func::FuncOp function, StringRef dim) {
  if (entryOf(function).empty()) {
    return 0;
  }
  auto bucket = function->getAttrOfType<DictionaryAttr>(graph::bucketAttrName);
  auto sizes = bucket.getAs<DictionaryAttr>("sizes");
  auto size = sizes ? sizes.getAs<IntegerAttr>(dim) : IntegerAttr();
  return size ? size.getInt() : 0;
}

SmallVector<func::FuncOp> bucketsOf(ModuleOp module, StringRef entry) {
  SmallVector<func::FuncOp> buckets;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!entry.empty() && entryOf(function) == entry) {
      buckets.push_back(function);
    }
  }
  return buckets;
}

LogicalResult setPads(ModuleOp module, StringRef entry, StringRef dim,
                      ArrayRef<int64_t> axes, StringRef check) {
  Builder builder(module.getContext());
  for (func::FuncOp function : bucketsOf(module, entry)) {
    for (auto [result, axis] : llvm::enumerate(axes)) {
      if (axis >= 0 && function.getResultAttr(result, graph::inPlaceAttrName)) {
        return function.emitError("--pad: result ")
               << result << " has rows of '" << dim
               << "' and updates an input in place, so it cannot be padded";
      }
    }
    NamedAttrList bucket(
        function->getAttrOfType<DictionaryAttr>(graph::bucketAttrName));
    NamedAttrList pads(dyn_cast_or_null<DictionaryAttr>(bucket.get("pads")));
    pads.set(dim, builder.getDenseI64ArrayAttr(axes));
    bucket.set("pads", pads.getDictionary(builder.getContext()));
    if (!check.empty()) {
      NamedAttrList checks(
          dyn_cast_or_null<DictionaryAttr>(bucket.get("checks")));
      checks.set(dim, builder.getStringAttr(check));
      bucket.set("checks", checks.getDictionary(builder.getContext()));
    }
    function->setAttr(graph::bucketAttrName,
                      bucket.getDictionary(builder.getContext()));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

/// `text` as an element of `type`; null where it is none.
static TypedAttr parseElement(StringRef text, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1 && (text == "true" || text == "false")) {
      text = text == "true" ? "1" : "0";
    }
    int64_t value = 0;
    bool fits =
        !text.getAsInteger(10, value) &&
        (width == 1 ? value == 0 || value == 1 : llvm::isIntN(width, value));
    return fits ? IntegerAttr::get(type, APInt(width, uint64_t(value),
                                               /*isSigned=*/false,
                                               /*implicitTrunc=*/true))
                : TypedAttr();
  }
  APFloat value(APFloat::IEEEdouble());
  auto parsed = value.convertFromString(text, APFloat::rmNearestTiesToEven);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return {};
  }
  bool isInfinite = value.isInfinity(), loses = false;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &loses);
  return value.isNaN() || value.isInfinity() != isInfinite
             ? TypedAttr()
             : FloatAttr::get(type, value);
}

/// Sets graph.fill of `input` in every function that pads it.
static LogicalResult fillInput(ModuleOp module, StringRef input, StringRef text,
                               ArrayRef<StringRef> dims) {
  bool exists = false, isPadded = false;
  SmallVector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      std::string name = argumentName(function, i);
      if (name != input) {
        if (!llvm::is_contained(names, name)) {
          names.push_back(name);
        }
        continue;
      }
      exists = true;
      auto own = function.getArgAttrOfType<ArrayAttr>(i, graph::dimsAttrName);
      bool hasDim =
          own && llvm::any_of(dims, [&](StringRef dim) {
            return bucketSize(function, dim) != 0 &&
                   llvm::is_contained(
                       own, StringAttr::get(module.getContext(), dim));
          });
      if (!hasDim) {
        continue;
      }
      isPadded = true;
      Type type = cast<RankedTensorType>(function.getArgument(i).getType())
                      .getElementType();
      TypedAttr element = parseElement(text, type);
      if (!element) {
        return error(module)
               << "input '" << input << "': expected a number of " << type
               << " to fill it with, got '" << text << "'";
      }
      function.setArgAttr(i, graph::fillAttrName, element);
    }
  }
  if (!exists) {
    return error(module) << "no input is called '" << input << "'; there is "
                         << llvm::join(names, ", ");
  }
  if (!isPadded) {
    return error(module) << "input '" << input << "' has no dimension "
                         << llvm::join(dims, " or ") << ", so it is not filled";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// The axes by a proof, which explains itself only where nothing is filled.
static FailureOr<SmallVector<int64_t>> prove(func::FuncOp function,
                                             StringRef dim, bool isFilled) {
  std::optional<ScopedDiagnosticHandler> quiet;
  if (isFilled) {
    quiet.emplace(function.getContext(),
                  [](Diagnostic &) { return success(); });
  }
  return graph::findIndependentRows(function, dim);
}

static LogicalResult padDim(ModuleOp module, StringRef dim, bool isFilled,
                            std::vector<UnprovedPad> &unproved) {
  llvm::MapVector<StringRef, FailureOr<SmallVector<int64_t>>> axes;
  bool varies = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    int64_t size = bucketSize(function, dim);
    varies |= size != 0;
    // A bucket of one row is nothing that a run is padded to.
    if (size < 2) {
      continue;
    }
    FailureOr<SmallVector<int64_t>> found = prove(function, dim, isFilled);
    if (failed(found) && !isFilled) {
      return failure();
    }
    auto [known, isNew] = axes.insert({entryOf(function), found});
    if (isNew || failed(known->second)) {
      continue;
    }
    if (succeeded(found) && *known->second != *found) {
      return function.emitError("--pad: results have rows of '")
             << dim << "' along other axes than for other sizes";
    }
    known->second = found;
  }
  if (!varies) {
    return error(module) << "no dimension called '" << dim
                         << "' has several sizes";
  }
  for (auto &[entry, found] : axes) {
    if (succeeded(found)) {
      if (failed(setPads(module, entry, dim, *found))) {
        return failure();
      }
      continue;
    }
    for (const UnprovedPad &other : unproved) {
      if (other.entry == entry) {
        return emitError(UnknownLoc::get(module.getContext()))
               << "unsupported: --pad: rows of '" << other.dim
               << "' depend on each other and rows of '" << dim
               << "' do so too; expected one such dimension";
      }
    }
    unproved.push_back({entry.str(), dim.str()});
  }
  return success();
}

LogicalResult padDims(ModuleOp module, const std::vector<std::string> &words,
                      std::vector<UnprovedPad> &unproved) {
  SmallVector<StringRef> dims;
  SmallVector<std::pair<StringRef, StringRef>> fills;
  for (StringRef word : words) {
    if (word.contains('=')) {
      fills.push_back(word.rsplit('='));
    } else {
      dims.push_back(word);
    }
  }
  if (dims.empty() && !fills.empty()) {
    return error(module) << "expected a dimension beside the fill of '"
                         << fills.front().first << "', as in --pad=T,"
                         << words.front();
  }
  for (StringRef dim : dims) {
    if (failed(padDim(module, dim, !fills.empty(), unproved))) {
      return failure();
    }
  }
  for (auto [input, text] : fills) {
    if (failed(fillInput(module, input, text, dims))) {
      return failure();
    }
  }
  return success();
}

} // namespace minic
