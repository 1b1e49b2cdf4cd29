// SPDX-License-Identifier: Apache-2.0
//
// Entry: what a caller loads by name, one function or several for sizes that
// vary.

#ifndef MINIC_RUNTIME_PROGRAM_ENTRY_H
#define MINIC_RUNTIME_PROGRAM_ENTRY_H

#include "runtime/program/Program.h"

#include "absl/types/span.h"

namespace minic::runtime {

/// A dimension whose size may differ from run to run.
struct VaryingDim {
  std::string name;
  std::vector<int64_t> sizes; // that some bucket has, ascending
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

  /// The bucket for the sizes of `inputs`, as many as inputs() with all their
  /// dimensions. InvalidArgument for sizes that no bucket has, naming those
  /// that there are. Allocates nothing where one has them.
  absl::StatusOr<size_t> find(absl::Span<const Tensor> inputs) const;

private:
  static absl::StatusOr<std::shared_ptr<const Entry>>
  create(std::shared_ptr<const Program> first, const ProgramOptions &options);
  absl::Status readTable(const format::Entry &table);
  void mergeSpecs();
  absl::Status describeUnknown(absl::Span<const int64_t> asked) const;

  /// Where find looks for the size of a dimension.
  struct Place {
    uint32_t input, axis;
  };
  std::vector<VaryingDim> dims_;
  std::vector<Place> places_; // one per dimension
  std::vector<std::shared_ptr<const Program>> buckets_;
  std::vector<int64_t> sizes_; // by bucket, then dimension
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<uint64_t> inputBytes_, outputBytes_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_ENTRY_H
