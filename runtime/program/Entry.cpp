// SPDX-License-Identifier: Apache-2.0
//
// Loads every bucket of an entry and finds the one for a run's sizes.

#include "runtime/program/Entry.h"

#include "runtime/program/ProgramImpl.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace minic::runtime {

/// Specs of `bucket` into those of all, -1 where they differ.
static void merge(const std::vector<TensorSpec> &bucket,
                  std::vector<TensorSpec> &all, std::vector<uint64_t> &bytes) {
  for (size_t i = 0; i < all.size(); ++i) {
    bytes[i] = std::max(bytes[i], uint64_t(bucket[i].bytes()));
    for (size_t axis = 0; axis < all[i].dims.size(); ++axis) {
      if (bucket[i].dims[axis] != all[i].dims[axis]) {
        all[i].dims[axis] = -1;
      }
    }
  }
}

void Entry::mergeSpecs() {
  inputs_ = buckets_.front()->inputs();
  outputs_ = buckets_.front()->outputs();
  inputBytes_.resize(inputs_.size());
  outputBytes_.resize(outputs_.size());
  for (const auto &bucket : buckets_) {
    merge(bucket->inputs(), inputs_, inputBytes_);
    merge(bucket->outputs(), outputs_, outputBytes_);
  }
}

absl::StatusOr<std::shared_ptr<const Entry>>
Entry::create(std::shared_ptr<const Program> first,
              const ProgramOptions &options) {
  std::shared_ptr<Entry> entry(new Entry);
  const Program::Impl &impl = first->impl();
  entry->buckets_ = {first};
  if (const format::Entry *table = impl.entry) {
    absl::StatusOr<format::BucketTable> buckets =
        format::BucketTable::create(*table);
    if (!buckets.ok()) {
      return buckets.status();
    }
    entry->table_ = *std::move(buckets);
    entry->fills_.resize(first->inputs().size());
    if (table->fills()) {
      for (const format::InputFill *fill : *table->fills()) {
        entry->fills_[fill->input()] = fill->element();
      }
    }
    const auto &functions = *impl.file->artifact.metadata().functions();
    for (size_t i = 1; i < entry->table_.size(); ++i) {
      ProgramOptions other = options;
      other.expectedDigest.reset(); // the file is the same
      other.function = functions.Get(entry->table_.function(i))->name()->str();
      absl::StatusOr<std::shared_ptr<const Program>> bucket =
          first->loadFunction(other, entry->buckets_);
      if (!bucket.ok()) {
        return bucket.status();
      }
      // They run in one arena, whose zeroed part each has a share of.
      if ((*bucket)->place() != first->place() ||
          (*bucket)->impl().variant->zeroed_bytes() !=
              impl.variant->zeroed_bytes()) {
        return absl::FailedPreconditionError(
            absl::StrCat("functions '", impl.function->name()->str(), "' and '",
                         other.function, "' of entry '", options.function,
                         "' have plans that differ in kind here"));
      }
      entry->buckets_.push_back(std::move(*bucket));
    }
  }
  entry->mergeSpecs();
  return entry;
}

absl::StatusOr<std::shared_ptr<const Entry>>
Entry::load(const std::string &path, const ProgramOptions &options) {
  absl::StatusOr<std::shared_ptr<const Program>> first =
      Program::load(path, options);
  return first.ok() ? create(std::move(*first), options) : first.status();
}

absl::StatusOr<std::shared_ptr<const Entry>>
Entry::loadBytes(absl::Span<const std::byte> bytes,
                 const ProgramOptions &options) {
  absl::StatusOr<std::shared_ptr<const Program>> first =
      Program::loadBytes(bytes, options);
  return first.ok() ? create(std::move(*first), options) : first.status();
}

absl::StatusOr<std::shared_ptr<const Entry>>
Entry::loadFunction(const ProgramOptions &options) const {
  absl::StatusOr<std::shared_ptr<const Program>> first =
      buckets_.front()->loadFunction(options, buckets_);
  return first.ok() ? create(std::move(*first), options) : first.status();
}

uint64_t Entry::arenaBytes() const {
  uint64_t bytes = 0;
  for (const auto &bucket : buckets_) {
    bytes = std::max(bytes, bucket->arenaBytes());
  }
  return bytes;
}

void Entry::inputDims(const Found &found, size_t index,
                      std::vector<int64_t> &sizes) const {
  sizes = buckets_[found.bucket]->inputs()[index].dims;
  for (size_t i = 0; i < dims().size(); ++i) {
    for (const VaryingDim::Place &place : dims()[i].places) {
      if (place.input == index) {
        sizes[place.axis] = found.sizes[i];
      }
    }
  }
}

void Entry::outputDims(const Found &found, size_t index,
                       std::vector<int64_t> &sizes) const {
  sizes = buckets_[found.bucket]->outputs()[index].dims;
  for (size_t i = 0; i < dims().size(); ++i) {
    const VaryingDim &dim = dims()[i];
    if (dim.isPadded && dim.resultAxes[index] >= 0) {
      sizes[size_t(dim.resultAxes[index])] = found.sizes[i];
    }
  }
}

absl::Status Entry::find(absl::Span<const Tensor> inputs, Found &found) const {
  const std::vector<VaryingDim> &varying = dims();
  if (varying.empty()) {
    found.bucket = 0;
    found.isPadded = false;
    return absl::OkStatus();
  }
  for (size_t i = 0; i < varying.size(); ++i) {
    auto [input, axis] = varying[i].places.front();
    absl::Span<const int64_t> sizes = inputs[input].dims;
    if (axis >= sizes.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input '", inputs_[input].name, "': expected ",
          inputs_[input].dims.size(), " dimensions, got ", sizes.size()));
    }
    found.sizes[i] = sizes[axis];
  }
  return table_.find(found)
             ? absl::OkStatus()
             : table_.describeUnknown({found.sizes.data(), varying.size()});
}

absl::StatusOr<Entry::Found>
Entry::find(absl::Span<const Tensor> inputs) const {
  Found found;
  absl::Status status = find(inputs, found);
  if (!status.ok()) {
    return status;
  }
  return found;
}

} // namespace minic::runtime
