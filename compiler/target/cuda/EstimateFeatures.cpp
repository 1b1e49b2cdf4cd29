// SPDX-License-Identifier: Apache-2.0

#include "compiler/target/cuda/EstimateFeatures.h"

#include "compiler/target/cuda/gemm/ConvolutionView.h"
#include "dialects/kernel/FusionShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace minic::cuda {

static bool isKnown(Type type) {
  return type.isBF16() || type.isF16() || type.isF32();
}

static std::optional<ProductSizes>
sizesOfConvolution(const kernel::ConvShape &conv) {
  const graph::Conv2dGeometry &g = conv.geometry;
  if (!isKnown(conv.inputType) || conv.filterType != conv.inputType ||
      g.layout != graph::ImageLayout::NHWC || !isPlainProduct(g)) {
    return std::nullopt;
  }
  ProductSizes sizes{g.batch * g.outputHeight * g.outputWidth, g.outputChannels,
                     g.reductionLength(),
                     kernel::getElementBytes(conv.inputType),
                     /*isConvolution=*/true};
  return sizes.m < 1 || sizes.n < 1 || sizes.k < 1 ? std::nullopt
                                                   : std::make_optional(sizes);
}

std::optional<ProductSizes> getProductSizes(kernel::FusionOp fusion) {
  auto shape =
      kernel::FusionShape::get(fusion, nullptr, kernel::ColumnTurns::Taken);
  if (failed(shape) || !shape->prologue.empty()) {
    return std::nullopt;
  }
  if (shape->conv) {
    return sizesOfConvolution(*shape->conv);
  }
  if (!shape->gemm) {
    return std::nullopt;
  }
  const kernel::GemmShape &gemm = *shape->gemm;
  Type type = gemm.lhsType;
  if (!isKnown(type) || gemm.rhsType != type || gemm.batchCount() != 1 ||
      gemm.m < 1 || gemm.n < 1 || gemm.k < 1) {
    return std::nullopt;
  }
  return ProductSizes{gemm.m, gemm.n, gemm.k, kernel::getElementBytes(type)};
}

static int64_t numberOf(DictionaryAttr schedule, StringRef name, int64_t none) {
  auto number = schedule.getAs<IntegerAttr>(name);
  return number ? number.getInt() : none;
}

static StringRef wordOf(DictionaryAttr schedule, StringRef name) {
  auto word = schedule.getAs<StringAttr>(name);
  return word ? word.getValue() : StringRef();
}

std::string groupOf(StringRef family, const ProductSizes &sizes,
                    DictionaryAttr schedule) {
  StringRef math = wordOf(schedule, "math");
  return ((sizes.isConvolution ? "conv " : "") + family + " " +
          (!math.empty()             ? math
           : sizes.elementBytes == 4 ? StringRef("f32")
                                     : StringRef("f16")))
      .str();
}

/// Rows and columns of a tile; none where a schedule has no tile.
static std::optional<std::pair<int64_t, int64_t>>
tileOf(StringRef family, const ProductSizes &sizes, DictionaryAttr schedule) {
  int64_t rows = numberOf(schedule, "bm", 0);
  int64_t columns = numberOf(schedule, "bn", 0);
  if (family == "gemm_skinny") {
    rows = wordOf(schedule, "math") == "mma"
               ? int64_t(llvm::alignTo(sizes.m, 16))
               : sizes.m;
    columns = numberOf(schedule, "columns", 0);
  }
  return rows > 0 && columns > 0 ? std::make_optional(std::pair(rows, columns))
                                 : std::nullopt;
}

static int64_t partsOf(DictionaryAttr schedule) {
  return std::max<int64_t>(1, numberOf(schedule, "split", 1));
}

/// Logarithm of the stages of K that a block passes.
static double stepsOf(const ProductSizes &sizes, DictionaryAttr schedule) {
  double ofStage = double(numberOf(schedule, "bk", 1));
  return std::max(
      0.0, std::log(double(sizes.k) / (ofStage * double(partsOf(schedule)))));
}

static double tilesOf(const ProductSizes &sizes,
                      std::pair<int64_t, int64_t> tile) {
  return double(llvm::divideCeil(sizes.m, tile.first)) *
         double(llvm::divideCeil(sizes.n, tile.second));
}

static void addTiles(EstimateFeatures &features, StringRef family,
                     const ProductSizes &sizes, DictionaryAttr schedule,
                     int64_t smCount) {
  auto tile = tileOf(family, sizes, schedule);
  if (!tile) {
    return;
  }
  auto [tileRows, tileColumns] = *tile;
  double tiles = tilesOf(sizes, *tile);
  double waves = tiles * double(partsOf(schedule)) / double(smCount);
  double warps = double(numberOf(schedule, "warps", 1));
  for (const char *name : {"warps_m", "warps_n", "warps_k", "warpgroups_m",
                           "warpgroups_n", "warpgroups_k"}) {
    warps *= double(numberOf(schedule, name, 1));
  }
  features.insert(
      features.end(),
      {{"tiles", std::log(tiles)},
       {"tail", waves > 1 ? std::log(std::ceil(waves) / waves) : 0},
       {"idle", std::min(0.0, std::log(waves))},
       {"waste", std::log(tiles * double(tileRows) * double(tileColumns) /
                          (double(sizes.m) * double(sizes.n)))},
       {"steps", stepsOf(sizes, schedule)},
       {"warps", std::log(warps)}});
}

/// Above all how many results a block stores after its sums.
static EstimateFeatures featuresOfConvolution(StringRef family,
                                              const ProductSizes &sizes,
                                              DictionaryAttr schedule,
                                              int64_t smCount) {
  EstimateFeatures features = {{"steps", stepsOf(sizes, schedule)}};
  auto tile = tileOf(family, sizes, schedule);
  if (!tile || !schedule.contains("bm")) {
    return features;
  }
  auto [rows, columns] = *tile;
  double waves = tilesOf(sizes, *tile) / double(smCount);
  features.push_back({"results", std::log(double(rows) * double(columns))});
  features.push_back({"waves", std::max(0.0, std::log(waves))});
  return features;
}

EstimateFeatures getEstimateFeatures(StringRef family,
                                     const ProductSizes &sizes,
                                     DictionaryAttr schedule, double estimateUs,
                                     int64_t smCount) {
  if (sizes.isConvolution) {
    return featuresOfConvolution(family, sizes, schedule, smCount);
  }
  double m = std::log(double(sizes.m));
  double n = std::log(double(sizes.n));
  EstimateFeatures features = {{"estimate", std::log(estimateUs)},
                               {"m", m},
                               {"n", n},
                               {"k", std::log(double(sizes.k))}};
  // Copies of 16 bytes do not fit rows of other lengths.
  int64_t aligned = std::gcd(sizes.k * sizes.elementBytes, int64_t(16));
  if (aligned < 16 && wordOf(schedule, "lhs") != "padded") {
    features.push_back({"aligned=" + std::to_string(aligned), 1});
    features.push_back({"unaligned m", m});
    features.push_back({"unaligned n", n});
  }
  addTiles(features, family, sizes, schedule, smCount);
  for (const char *name :
       {"bk", "bm", "bn", "cluster", "columns", "pdl", "pingpong", "registers",
        "split", "stages", "unroll", "warpgroups_k", "warps_k"}) {
    if (int64_t number = numberOf(schedule, name, 0); number > 0) {
      features.push_back({name, std::log(1 + double(number))});
    }
  }
  for (NamedAttribute entry : schedule) {
    if (auto word = dyn_cast<StringAttr>(entry.getValue())) {
      features.push_back(
          {(entry.getName().getValue() + "=" + word.getValue()).str(), 1});
    }
  }
  return features;
}

} // namespace minic::cuda
