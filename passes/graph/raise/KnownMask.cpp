// SPDX-License-Identifier: Apache-2.0
//
// Reads a constant mask, and compares it with the bands that attention has a
// name for.

#include "passes/graph/raise/KnownMask.h"

#include "passes/graph/raise/KnownValues.h"
#include "passes/graph/raise/Match.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace minic::graph {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::optional<KnownMask> KnownMask::get(Value mask) {
  Value small = withoutBroadcast(mask);
  RankedTensorType type = typeOf(small);
  bool isMask = isFloat(small) || type.getElementType().isInteger(1);
  std::optional<KnownValues> values =
      isMask && type.getRank() <= 4 ? KnownValues::get(small) : std::nullopt;
  if (!values) {
    return std::nullopt;
  }
  KnownMask known;
  known.shape_.assign(4 - type.getRank(), 1);
  llvm::append_range(known.shape_, type.getShape());
  known.bool_ = !isFloat(small);
  known.values_ = std::move(values->elements);
  return known;
}

ElementsAttr KnownMask::attribute(Type dtype) const {
  auto type = RankedTensorType::get(withoutLeadingOnes(shape_), dtype);
  if (bool_) {
    SmallVector<bool> bits;
    bits.reserve(values_.size());
    for (float value : values_) {
      bits.push_back(value != 0);
    }
    return DenseElementsAttr::get(type, bits);
  }
  SmallVector<APFloat> numbers;
  for (float value : values_) {
    APFloat number(value);
    bool losesInfo = false;
    number.convert(cast<FloatType>(dtype).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
    numbers.push_back(number);
  }
  return DenseElementsAttr::get(type, numbers);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool KnownMask::hasKeyInEachRow() const {
  ArrayRef<float> rest = values_;
  for (size_t keys = shape_[3]; !rest.empty(); rest = rest.drop_front(keys)) {
    if (llvm::none_of(rest.take_front(keys), [&](float value) {
          return bool_ ? value != 0 : value > -INFINITY;
        })) {
      return false;
    }
  }
  return true;
}

bool KnownMask::isZeroOrAtMost(double fill) const {
  return llvm::all_of(values_,
                      [&](float value) { return value == 0 || value <= fill; });
}

KnownMask KnownMask::asBool() const {
  KnownMask result = *this;
  result.bool_ = true;
  for (float &value : result.values_) {
    value = value == 0 ? 1 : 0;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Fewer dimensions
//===----------------------------------------------------------------------===//

bool KnownMask::isSameAlong(unsigned dim) const {
  size_t inner = llvm::product_of(ArrayRef(shape_).drop_front(dim + 1));
  size_t block = inner * shape_[dim];
  // Bit by bit, so that a NaN is the same as itself.
  for (size_t begin = 0; begin < values_.size(); begin += block) {
    for (size_t at = begin + inner; at < begin + block; at += inner) {
      if (std::memcmp(&values_[begin], &values_[at], inner * sizeof(float))) {
        return false;
      }
    }
  }
  return true;
}

KnownMask KnownMask::firstAlong(unsigned dim) const {
  size_t inner = llvm::product_of(ArrayRef(shape_).drop_front(dim + 1));
  size_t block = inner * shape_[dim];
  KnownMask result = *this;
  result.shape_[dim] = 1;
  result.values_.clear();
  for (auto at = values_.begin(); at != values_.end(); at += block) {
    result.values_.insert(result.values_.end(), at, at + inner);
  }
  return result;
}

KnownMask KnownMask::smallest() const {
  KnownMask result = *this;
  for (unsigned dim = 0; dim < 4; ++dim) {
    if (result.shape_[dim] != 1 && result.isSameAlong(dim)) {
      result = result.firstAlong(dim);
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Bands
//===----------------------------------------------------------------------===//

static int64_t positionOf(int64_t query, Causal causal, int64_t queries,
                          int64_t keys) {
  return causal == Causal::LowerRight ? query + keys - queries : query;
}

bool KnownMask::isBand(const KeyBand &band, int64_t queries,
                       int64_t keys) const {
  int64_t rowStride = shape_[2] == 1 ? 0 : shape_[3];
  int64_t step = shape_[3] == 1 ? 0 : 1;
  for (int64_t query = 0; query < queries; ++query) {
    int64_t position = positionOf(query, band.causal, queries, keys);
    for (int64_t key = 0; key < keys; ++key) {
      bool isSeen = (band.causal == Causal::None || key <= position) &&
                    (!band.window || std::abs(position - key) < *band.window);
      if (isSeen != (values_[query * rowStride + key * step] != 0)) {
        return false;
      }
    }
  }
  return true;
}

std::optional<KeyBand> KnownMask::asBand(int64_t queries, int64_t keys) const {
  if (!bool_ || shape_[0] != 1 || shape_[1] != 1 || queries < 1 || keys < 1) {
    return std::nullopt;
  }
  // The window shows in the last row, in which the most keys are behind.
  ArrayRef<float> last = ArrayRef(values_).take_back(shape_[3]);
  auto firstSeen = llvm::find_if(last, [](float value) { return value != 0; });
  int64_t first = firstSeen - last.begin();
  SmallVector<KeyBand> bands = {{}};
  for (Causal causal : {Causal::UpperLeft, Causal::LowerRight, Causal::None}) {
    int64_t window = positionOf(queries - 1, causal, queries, keys) - first + 1;
    if (causal != Causal::None) {
      bands.push_back({causal, std::nullopt});
    }
    if (first > 0 && window > 0) {
      bands.push_back({causal, window});
    }
  }
  auto band = llvm::find_if(
      bands, [&](const KeyBand &each) { return isBand(each, queries, keys); });
  return band == bands.end() ? std::nullopt : std::optional(*band);
}

} // namespace minic::graph
