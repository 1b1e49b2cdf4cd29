// SPDX-License-Identifier: Apache-2.0
//
// BucketTable: which function of an entry takes a run of some sizes. The one
// place that decides it, for runs and for those who explain them.

#ifndef MINIC_RUNTIME_FORMAT_BUCKETTABLE_H
#define MINIC_RUNTIME_FORMAT_BUCKETTABLE_H

#include "runtime/format/plan_generated.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace minic::format {

/// A dimension whose size may differ from run to run.
struct VaryingDim {
  std::string name;
  std::vector<int64_t> sizes; // that some bucket has, ascending
  /// A place of it: axis `axis` of input `input`.
  struct Place {
    size_t input, axis;
  };
  std::vector<Place> places;
  /// Whether a run of a size between takes the next larger one.
  bool isPadded = false;
  /// Of a padded one: the axis of each output that has its rows, -1 for none.
  std::vector<int> resultAxes;
};

/// Immutable and shared by threads. Empty, without dimensions, for a function
/// of fixed sizes.
class BucketTable {
public:
  /// Most dimensions that an entry may have.
  static constexpr size_t mostDims = 16;

  /// Of a checked artifact. Unimplemented for more dimensions than mostDims.
  static absl::StatusOr<BucketTable> create(const Entry &entry);

  const std::vector<VaryingDim> &dims() const { return dims_; }
  size_t size() const { return functions_.size(); }
  /// Of the artifact.
  uint32_t function(size_t bucket) const { return functions_[bucket]; }
  /// Of dims(), in a bucket. Buckets are ascending.
  absl::Span<const int64_t> sizes(size_t bucket) const {
    return {sizes_.data() + bucket * dims_.size(), dims_.size()};
  }
  bool isPadded() const;

  /// A bucket, and the sizes that a run has.
  struct Found {
    size_t bucket = 0;
    bool isPadded = false;               // smaller than the bucket's
    std::array<int64_t, mostDims> sizes; // by dimension
  };
  /// The bucket for a run whose sizes, one of each dimension, are the first of
  /// `found.sizes`: that of these sizes, else the smallest that they can be
  /// padded to. False where there is none. Allocates nothing.
  bool find(Found &found) const;
  /// InvalidArgument: no bucket takes these sizes; names those that there are.
  absl::Status describeUnknown(absl::Span<const int64_t> asked) const;

private:
  std::vector<VaryingDim> dims_;
  std::vector<uint32_t> functions_;
  std::vector<int64_t> sizes_;   // by bucket, then dimension
  std::vector<size_t> byVolume_; // buckets by ascending elements
};

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_BUCKETTABLE_H
