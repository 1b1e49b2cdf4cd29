// SPDX-License-Identifier: Apache-2.0
//
// Exact sizes by bisection, padded ones by the smallest bucket that fits.

#include "runtime/format/BucketTable.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <numeric>

namespace minic::format {

absl::StatusOr<BucketTable> BucketTable::create(const Entry &entry) {
  if (entry.dims()->size() > mostDims) {
    return absl::UnimplementedError(
        absl::StrCat("entry '", entry.name()->str(), "': expected at most ",
                     mostDims, " dimensions, got ", entry.dims()->size()));
  }
  BucketTable table;
  for (const EntryDim *dim : *entry.dims()) {
    VaryingDim &varying = table.dims_.emplace_back();
    varying.name = dim->name()->str();
    for (const DimPlace *place : *dim->places()) {
      varying.places.push_back({place->input(), place->axis()});
    }
    varying.isPadded = dim->result_axes() != nullptr;
    if (varying.isPadded) {
      varying.resultAxes.assign(dim->result_axes()->begin(),
                                dim->result_axes()->end());
    }
  }
  std::vector<double> volumes;
  for (const Bucket *bucket : *entry.buckets()) {
    table.functions_.push_back(bucket->function());
    double &volume = volumes.emplace_back(1);
    for (uint32_t i = 0; i < table.dims_.size(); ++i) {
      int64_t size = bucket->sizes()->Get(i);
      volume *= double(size);
      table.sizes_.push_back(size);
      std::vector<int64_t> &all = table.dims_[i].sizes;
      auto place = std::lower_bound(all.begin(), all.end(), size);
      if (place == all.end() || *place != size) {
        all.insert(place, size);
      }
    }
  }
  table.byVolume_.resize(volumes.size());
  std::iota(table.byVolume_.begin(), table.byVolume_.end(), 0);
  std::stable_sort(table.byVolume_.begin(), table.byVolume_.end(),
                   [&](size_t a, size_t b) { return volumes[a] < volumes[b]; });
  return table;
}

bool BucketTable::isPadded() const {
  return std::any_of(dims_.begin(), dims_.end(),
                     [](const VaryingDim &dim) { return dim.isPadded; });
}

bool BucketTable::find(Found &found) const {
  const size_t rank = dims_.size();
  const int64_t *wanted = found.sizes.data();
  size_t begin = 0, end = functions_.size();
  while (begin < end) {
    size_t middle = (begin + end) / 2;
    const int64_t *at = sizes_.data() + middle * rank;
    size_t i = 0;
    while (i < rank && at[i] == wanted[i]) {
      ++i;
    }
    if (i == rank) {
      found.bucket = middle;
      found.isPadded = false;
      return true;
    }
    (at[i] < wanted[i] ? begin : end) = at[i] < wanted[i] ? middle + 1 : middle;
  }
  // Of one dimension the next larger bucket is where the search ended.
  if (rank == 1 && dims_[0].isPadded) {
    found.bucket = begin;
    found.isPadded = true;
    return wanted[0] >= 1 && begin < functions_.size();
  }
  for (size_t bucket : byVolume_) {
    const int64_t *at = sizes_.data() + bucket * rank;
    bool fits = true;
    for (size_t i = 0; i < rank && fits; ++i) {
      fits = dims_[i].isPadded ? wanted[i] >= 1 && wanted[i] <= at[i]
                               : wanted[i] == at[i];
    }
    if (fits) {
      found.bucket = bucket;
      found.isPadded = true;
      return true;
    }
  }
  return false;
}

absl::Status
BucketTable::describeUnknown(absl::Span<const int64_t> asked) const {
  for (size_t i = 0; i < dims_.size(); ++i) {
    const std::vector<int64_t> &sizes = dims_[i].sizes;
    bool fits = dims_[i].isPadded
                    ? asked[i] >= 1 && asked[i] <= sizes.back()
                    : std::binary_search(sizes.begin(), sizes.end(), asked[i]);
    if (!fits) {
      return absl::InvalidArgumentError(
          absl::StrCat("no plan for ", dims_[i].name, "=", asked[i],
                       ": expected ", dims_[i].name, " to be ",
                       dims_[i].isPadded ? absl::StrCat("1 to ", sizes.back())
                                         : absl::StrJoin(sizes, ", ")));
    }
  }
  std::vector<std::string> sets, names;
  for (size_t bucket = 0; bucket < size(); ++bucket) {
    sets.push_back(absl::StrJoin(sizes(bucket), ","));
  }
  for (const VaryingDim &dim : dims_) {
    names.push_back(dim.name);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "no plan for ", absl::StrJoin(names, ","), "=", absl::StrJoin(asked, ","),
      ": expected ", absl::StrJoin(sets, " or ")));
}

} // namespace minic::format
