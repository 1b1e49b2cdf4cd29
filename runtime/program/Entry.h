// SPDX-License-Identifier: Apache-2.0
//
// Entry: what a caller loads by name, one function or several for sizes that
// vary.

#ifndef MINIC_RUNTIME_PROGRAM_ENTRY_H
#define MINIC_RUNTIME_PROGRAM_ENTRY_H

#include "runtime/program/Program.h"

#include "absl/types/span.h"

#include <array>

namespace minic::runtime {

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

/// The functions of one name, all loaded: a bucket for each set of sizes, or a
/// single function. They share the file and, on a GPU, the constants. Immutable
/// and shared by threads.
class Entry {
public:
  /// As Program::load; `options.function` names an entry or a function.
  static absl::StatusOr<std::shared_ptr<const Entry>>
  load(const std::string &path, const ProgramOptions &options = {});
  static absl::StatusOr<std::shared_ptr<const Entry>>
  loadBytes(absl::Span<const std::byte> bytes,
            const ProgramOptions &options = {});
  /// Another entry or function of the same artifact, see Program::loadFunction.
  absl::StatusOr<std::shared_ptr<const Entry>>
  loadFunction(const ProgramOptions &options) const;

  /// Empty for a single function.
  const std::vector<VaryingDim> &dims() const { return dims_; }
  /// Whether a dimension is padded.
  bool isPadded() const;
  /// By ascending sizes; one for a single function.
  const std::vector<std::shared_ptr<const Program>> &buckets() const {
    return buckets_;
  }
  /// The sizes of dims() in bucket `index`.
  absl::Span<const int64_t> sizes(size_t index) const {
    return {sizes_.data() + index * dims_.size(), dims_.size()};
  }
  /// Of all buckets: a dimension that varies among them is -1.
  const std::vector<TensorSpec> &inputs() const { return inputs_; }
  const std::vector<TensorSpec> &outputs() const { return outputs_; }
  /// Bytes of each in the bucket where it has most.
  uint64_t inputBytes(size_t index) const { return inputBytes_[index]; }
  uint64_t outputBytes(size_t index) const { return outputBytes_[index]; }
  /// Of the arena that serves every bucket, the largest of all.
  uint64_t arenaBytes() const;

  /// Most dimensions that an entry may have.
  static constexpr size_t mostDims = 16;
  /// A bucket, and the sizes that a run has.
  struct Found {
    size_t bucket = 0;
    bool isPadded = false;               // smaller than the bucket's
    std::array<int64_t, mostDims> sizes; // by dimension
  };
  /// The bucket for the sizes of `inputs`, as many as inputs() with all their
  /// dimensions: that of these sizes, else the smallest that they can be padded
  /// to. InvalidArgument where there is none, naming the sizes that there are.
  /// Allocates nothing where there is one.
  absl::StatusOr<Found> find(absl::Span<const Tensor> inputs) const;

private:
  static absl::StatusOr<std::shared_ptr<const Entry>>
  create(std::shared_ptr<const Program> first, const ProgramOptions &options);
  absl::Status readTable(const format::Entry &table);
  void mergeSpecs();
  absl::Status describeUnknown(absl::Span<const int64_t> asked) const;

  /// The bucket with the fewest elements that `wanted` fits in; as many as
  /// there are for none.
  size_t findPadded(absl::Span<const int64_t> wanted) const;

  std::vector<VaryingDim> dims_;
  std::vector<std::shared_ptr<const Program>> buckets_;
  std::vector<int64_t> sizes_; // by bucket, then dimension
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<uint64_t> inputBytes_, outputBytes_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_ENTRY_H
