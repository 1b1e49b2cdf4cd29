// SPDX-License-Identifier: Apache-2.0
//
// SizeDistribution: how often runs have each size of one dimension.

#ifndef MINIC_COMPILER_SIZES_SIZEDISTRIBUTION_H
#define MINIC_COMPILER_SIZES_SIZEDISTRIBUTION_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace minic::sizes {

class SizeDistribution {
public:
  /// Most sizes of a uniform one.
  static constexpr int64_t mostSizes = int64_t(1) << 22;

  /// Each size of [from, to] as often; at most mostSizes of them.
  static SizeDistribution uniform(int64_t from, int64_t to);
  /// Of a text with a line for each: SIZE, or SIZE COUNT for several runs; what
  /// is behind # is left out. `to` is a size even where no run has it: buckets
  /// reach that far. InvalidArgument names `name`, the line and what was
  /// expected, also for a size outside of [from, to].
  static absl::StatusOr<SizeDistribution> parse(const std::string &text,
                                                const std::string &name,
                                                int64_t from, int64_t to);

  /// Ascending, different, at least one.
  const std::vector<int64_t> &sizes() const { return sizes_; }
  /// Of runs, how many have the size of that index or a smaller one; 0 to 1.
  double shareUpTo(size_t index) const { return shares_[index]; }
  /// The same of sizes above that of `from` up to that of `to`.
  double shareBetween(size_t from, size_t to) const {
    return shares_[to] - shares_[from];
  }
  double share(size_t index) const {
    return shares_[index] - (index > 0 ? shares_[index - 1] : 0);
  }
  /// The index of the largest size that is at most `size`; 0 where none is.
  size_t indexAtMost(int64_t size) const;
  double meanSize() const;

private:
  std::vector<int64_t> sizes_;
  std::vector<double> shares_; // running sums
};

} // namespace minic::sizes

#endif // MINIC_COMPILER_SIZES_SIZEDISTRIBUTION_H
