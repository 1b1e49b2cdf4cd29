// SPDX-License-Identifier: Apache-2.0
//
// Entry: what a caller loads by name, one function or several for sizes that
// vary.

#ifndef MINIC_RUNTIME_PROGRAM_ENTRY_H
#define MINIC_RUNTIME_PROGRAM_ENTRY_H

#include "runtime/format/BucketTable.h"
#include "runtime/program/Program.h"

#include "absl/types/span.h"

namespace minic::runtime {

using format::VaryingDim;

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
  const std::vector<VaryingDim> &dims() const { return table_.dims(); }
  /// Whether a dimension is padded.
  bool isPadded() const { return table_.isPadded(); }
  /// By ascending sizes; one for a single function.
  const std::vector<std::shared_ptr<const Program>> &buckets() const {
    return buckets_;
  }
  /// The sizes of dims() in bucket `index`.
  absl::Span<const int64_t> sizes(size_t index) const {
    return table_.sizes(index);
  }
  /// Of all buckets: a dimension that varies among them is -1.
  const std::vector<TensorSpec> &inputs() const { return inputs_; }
  const std::vector<TensorSpec> &outputs() const { return outputs_; }
  /// Bytes of each in the bucket where it has most.
  uint64_t inputBytes(size_t index) const { return inputBytes_[index]; }
  uint64_t outputBytes(size_t index) const { return outputBytes_[index]; }
  /// What input `index` has behind the rows of a padded run: an element's bits.
  uint64_t fill(size_t index) const { return fills_[index]; }
  /// Of the arena that serves every bucket, the largest of all.
  uint64_t arenaBytes() const;

  using Found = format::BucketTable::Found;
  /// The bucket for the sizes of `inputs`, as many as inputs() with all their
  /// dimensions: that of these sizes, else the smallest that they can be padded
  /// to. InvalidArgument where there is none, naming the sizes that there are.
  /// Allocates nothing where there is one.
  absl::Status find(absl::Span<const Tensor> inputs, Found &found) const;
  absl::StatusOr<Found> find(absl::Span<const Tensor> inputs) const;
  /// Into `sizes`: the sizes of an input or output in a run that has found()
  /// `found`.
  void inputDims(const Found &found, size_t index,
                 std::vector<int64_t> &sizes) const;
  void outputDims(const Found &found, size_t index,
                  std::vector<int64_t> &sizes) const;

private:
  static absl::StatusOr<std::shared_ptr<const Entry>>
  create(std::shared_ptr<const Program> first, const ProgramOptions &options);
  void mergeSpecs();

  format::BucketTable table_;
  std::vector<std::shared_ptr<const Program>> buckets_;
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<uint64_t> inputBytes_, outputBytes_;
  std::vector<uint64_t> fills_; // by input
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_ENTRY_H
