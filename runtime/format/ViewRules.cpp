// SPDX-License-Identifier: Apache-2.0
//
// Extents are computed in uint64 with every overflow an error.

#include "runtime/format/ViewRules.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace minic::format {

using View = CallDescription::View;

// 2^47: all that a process can address, and room for sums of extents and pads.
static constexpr int64_t kMaxDim = int64_t(1) << 47;

template <typename... Args> static absl::Status wrong(const Args &...args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

/// Whether the product of the dimensions is one that memory may have; of a view
/// of stride 0 that says more than its extent.
static bool fitsMemory(const View &view) {
  if (std::count(view.dims.begin(), view.dims.end(), 0)) {
    return true;
  }
  int64_t elements = 1;
  for (int64_t dim : view.dims) {
    if (elements > kMaxDim / dim) {
      return false;
    }
    elements *= dim;
  }
  return true;
}

absl::Status checkView(const View &view, uint32_t minRank, uint32_t maxRank) {
  if (view.dtype > DType::MAX) {
    return wrong(view.role, ": unknown dtype ", int(view.dtype));
  }
  if (view.dims.size() != view.strides.size()) {
    return wrong(view.role, ": rank ", view.dims.size(), " with ",
                 view.strides.size(), " strides");
  }
  if (view.dims.size() < minRank || view.dims.size() > maxRank) {
    std::string expected = minRank == maxRank
                               ? absl::StrCat(minRank)
                               : absl::StrCat(minRank, " to ", maxRank);
    return wrong(view.role, ": expected rank ", expected, ", got ",
                 view.dims.size());
  }
  for (size_t i = 0; i < view.dims.size(); ++i) {
    if (view.dims[i] < 0 || view.dims[i] > kMaxDim) {
      return wrong(view.role, ": dimension ", view.dims[i], " is out of range");
    }
    if (view.strides[i] < 0) {
      return wrong(view.role, ": stride ", view.strides[i], " is out of range");
    }
  }
  if (!fitsMemory(view)) {
    return wrong(view.role, ": dimensions overflow");
  }
  uint64_t extent;
  return extentOf(view, extent)
             ? absl::OkStatus()
             : wrong(view.role, ": strides are out of range");
}

// From the innermost dimension out, each step must pass all elements of the
// dimensions inside it.
absl::Status checkOverlap(const View &view) {
  std::vector<std::pair<uint64_t, uint64_t>> steps; // stride, extent
  for (size_t i = 0; i < view.dims.size(); ++i) {
    if (view.dims[i] > 1) {
      steps.push_back({view.strides[i], view.dims[i]});
    } else if (view.dims[i] == 0) {
      return absl::OkStatus();
    }
  }
  std::sort(steps.begin(), steps.end());
  uint64_t inside = 0; // last element so far, checked not to overflow
  for (auto [stride, extent] : steps) {
    if (stride <= inside) {
      return wrong(view.role, ": elements overlap at stride ", stride);
    }
    inside += stride * (extent - 1);
  }
  return absl::OkStatus();
}

absl::Status checkShape(const View &view, ShapeRule rule, const View &result) {
  const auto &dims = view.dims;
  bool matches = true;
  switch (rule) {
  case ShapeRule::free:
    break;
  case ShapeRule::asResult:
    if (dims != result.dims || view.dtype != result.dtype) {
      return wrong(view.role, ": shape or dtype is not the result's");
    }
    break;
  case ShapeRule::broadcasts:
    matches = dims.size() == result.dims.size();
    for (size_t i = 0; matches && i < dims.size(); ++i) {
      matches = dims[i] == 1 || dims[i] == result.dims[i];
    }
    if (!matches) {
      return wrong(view.role, " does not broadcast to the result");
    }
    break;
  case ShapeRule::perColumn:
    if (dims[0] != result.dims.back()) {
      return wrong(view.role, ": expected one value per column of the result");
    }
    break;
  case ShapeRule::perChannel:
  case ShapeRule::perChannelOfRank:
    if (rule == ShapeRule::perChannel) {
      matches = dims[0] == result.dims[1];
    } else {
      matches = dims.size() == result.dims.size();
      for (size_t i = 0; matches && i < dims.size(); ++i) {
        matches = dims[i] == (i == 1 ? result.dims[1] : 1);
      }
    }
    if (!matches) {
      return wrong(view.role, ": expected one value per channel of the result");
    }
    break;
  }
  return absl::OkStatus();
}

} // namespace minic::format
