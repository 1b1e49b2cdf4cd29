// SPDX-License-Identifier: Apache-2.0
//
// Sets of sizes from options or the model, and the functions made for them.

#include "compiler/import/Buckets.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

using namespace mlir;

namespace minic {

using graph::DimSizes;

static InFlightDiagnostic error(MLIRContext &context) {
  return emitError(UnknownLoc::get(&context));
}

/// Every set of `options.buckets` names the same dimensions, none of which has
/// sizes of its own.
static LogicalResult checkSets(const DimOptions &options,
                               MLIRContext &context) {
  auto namesOf = [](const DimSizes &sizes) {
    std::set<std::string> names;
    for (const auto &[name, size] : sizes) {
      names.insert(name);
    }
    return names;
  };
  for (const DimSizes &sizes : options.buckets) {
    if (namesOf(sizes) != namesOf(options.buckets.front())) {
      return error(context)
             << "--buckets: expected the same dimensions in every set, got "
             << graph::bucketName("", options.buckets.front()) << " and "
             << graph::bucketName("", sizes);
    }
    for (const auto &[name, size] : sizes) {
      if (options.sizes.count(name)) {
        return error(context) << "--dim: --buckets gives the sizes of '" << name
                              << "' already";
      }
    }
  }
  return success();
}

FailureOr<std::vector<DimSizes>> expandBuckets(const DimOptions &options,
                                               MLIRContext &context) {
  if (failed(checkSets(options, context))) {
    return failure();
  }
  int64_t count = std::max<int64_t>(1, options.buckets.size());
  for (const auto &[name, sizes] : options.sizes) {
    if (__builtin_mul_overflow(count, int64_t(sizes.size()), &count)) {
      count = INT64_MAX;
    }
  }
  if (count > options.maxBuckets) {
    return error(context) << "--dim: " << count
                          << " sets of sizes, expected at most "
                          << options.maxBuckets
                          << "; allow more by --max-buckets=" << count;
  }
  std::vector<DimSizes> buckets = options.buckets;
  if (buckets.empty()) {
    buckets.emplace_back();
  }
  for (const auto &[name, sizes] : options.sizes) {
    std::vector<DimSizes> longer;
    for (const DimSizes &bucket : buckets) {
      for (int64_t size : sizes) {
        longer.push_back(bucket);
        longer.back()[name] = size;
      }
    }
    buckets = std::move(longer);
  }
  llvm::sort(buckets);
  auto twice = std::adjacent_find(buckets.begin(), buckets.end());
  if (twice != buckets.end()) {
    return error(context) << "--buckets: " << graph::bucketName("", *twice)
                          << " appears twice";
  }
  return buckets;
}

LogicalResult readBuckets(ModuleOp module, DimOptions &options) {
  Attribute attribute = module->getAttr(graph::bucketsAttrName);
  if (!attribute) {
    return success();
  }
  auto wrong = [&](Attribute got) {
    return module.emitError("expected ")
           << graph::bucketsAttrName
           << " to be a dictionary of i64 arrays of sizes of 1 or more, each "
              "once, got "
           << got;
  };
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary) {
    return wrong(attribute);
  }
  for (NamedAttribute entry : dictionary) {
    auto sizes = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    std::set<int64_t> ordered;
    if (sizes) {
      ordered.insert(sizes.asArrayRef().begin(), sizes.asArrayRef().end());
    }
    if (ordered.empty() || int64_t(ordered.size()) != sizes.size() ||
        *ordered.begin() < 1) {
      return wrong(entry.getValue());
    }
    options.sizes[entry.getName().str()].assign(ordered.begin(), ordered.end());
  }
  return success();
}

/// Those of `varying` that arguments of `function` name, with their sizes.
static DimSizes relevantSizes(func::FuncOp function, const DimSizes &sizes,
                              const std::vector<std::string> &varying) {
  DimSizes relevant;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto dims = function.getArgAttrOfType<ArrayAttr>(i, graph::dimsAttrName);
    for (Attribute dim : dims ? dims.getValue() : ArrayRef<Attribute>()) {
      auto name = dyn_cast<StringAttr>(dim);
      if (name && llvm::is_contained(varying, name.getValue())) {
        relevant[name.str()] = sizes.at(name.str());
      }
    }
  }
  return relevant;
}

void mergeBucket(ModuleOp from, const DimSizes &sizes,
                 const std::vector<std::string> &varying, ModuleOp to) {
  Builder builder(to.getContext());
  for (auto function :
       llvm::make_early_inc_range(from.getOps<func::FuncOp>())) {
    DimSizes relevant = relevantSizes(function, sizes, varying);
    std::string entry = function.getName().str();
    std::string name = graph::bucketName(entry, relevant);
    if (to.lookupSymbol(name)) {
      continue;
    }
    if (!relevant.empty()) {
      SmallVector<NamedAttribute> dims;
      for (const auto &[dim, size] : relevant) {
        dims.push_back(
            builder.getNamedAttr(dim, builder.getI64IntegerAttr(size)));
      }
      function->setAttr(
          graph::bucketAttrName,
          builder.getDictionaryAttr(
              {builder.getNamedAttr("entry", builder.getStringAttr(entry)),
               builder.getNamedAttr("sizes",
                                    builder.getDictionaryAttr(dims))}));
      function.setName(name);
    }
    function->moveBefore(to.getBody(), to.getBody()->end());
  }
}

} // namespace minic
