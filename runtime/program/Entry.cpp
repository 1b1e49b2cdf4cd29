// SPDX-License-Identifier: Apache-2.0
//
// Loads every bucket of an entry and finds the one for a run's sizes.

#include "runtime/program/Entry.h"

#include "runtime/program/ProgramImpl.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace minic::runtime {

absl::Status Entry::readTable(const format::Entry &table) {
  if (table.dims()->size() > mostDims) {
    return absl::UnimplementedError(
        absl::StrCat("entry '", table.name()->str(), "': expected at most ",
                     mostDims, " dimensions, got ", table.dims()->size()));
  }
  for (const format::EntryDim *dim : *table.dims()) {
    VaryingDim &varying = dims_.emplace_back();
    varying.name = dim->name()->str();
    for (const format::DimPlace *place : *dim->places()) {
      varying.places.push_back({place->input(), place->axis()});
    }
    varying.isPadded = dim->result_axes() != nullptr;
    if (varying.isPadded) {
      varying.resultAxes.assign(dim->result_axes()->begin(),
                                dim->result_axes()->end());
    }
  }
  for (const format::Bucket *bucket : *table.buckets()) {
    for (uint32_t i = 0; i < dims_.size(); ++i) {
      int64_t size = bucket->sizes()->Get(i);
      sizes_.push_back(size);
      std::vector<int64_t> &all = dims_[i].sizes;
      auto place = std::lower_bound(all.begin(), all.end(), size);
      if (place == all.end() || *place != size) {
        all.insert(place, size);
      }
    }
  }
  return absl::OkStatus();
}

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
    if (absl::Status status = entry->readTable(*table); !status.ok()) {
      return status;
    }
    const auto &functions = *impl.file->artifact.metadata().functions();
    for (uint32_t i = 1; i < table->buckets()->size(); ++i) {
      ProgramOptions other = options;
      other.expectedDigest.reset(); // the file is the same
      other.function =
          functions.Get(table->buckets()->Get(i)->function())->name()->str();
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
  if (entry->isPadded() && !first->executable().memory().isHost()) {
    return absl::UnimplementedError(absl::StrCat(
        "entry '", options.function, "': runs are padded on CPUs only"));
  }
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

bool Entry::isPadded() const {
  return std::any_of(dims_.begin(), dims_.end(),
                     [](const VaryingDim &dim) { return dim.isPadded; });
}

uint64_t Entry::arenaBytes() const {
  uint64_t bytes = 0;
  for (const auto &bucket : buckets_) {
    bytes = std::max(bytes, bucket->arenaBytes());
  }
  return bytes;
}

absl::Status Entry::describeUnknown(absl::Span<const int64_t> asked) const {
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
  for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    sets.push_back(absl::StrJoin(sizes(bucket), ","));
  }
  for (const VaryingDim &dim : dims_) {
    names.push_back(dim.name);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "no plan for ", absl::StrJoin(names, ","), "=", absl::StrJoin(asked, ","),
      ": expected ", absl::StrJoin(sets, " or ")));
}

size_t Entry::findPadded(absl::Span<const int64_t> wanted) const {
  size_t best = buckets_.size();
  double fewest = 0;
  for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    double elements = 1;
    bool fits = true;
    for (size_t i = 0; i < dims_.size() && fits; ++i) {
      int64_t size = sizes(bucket)[i];
      fits = dims_[i].isPadded ? wanted[i] >= 1 && wanted[i] <= size
                               : wanted[i] == size;
      elements *= double(size);
    }
    if (fits && (best == buckets_.size() || elements < fewest)) {
      best = bucket;
      fewest = elements;
    }
  }
  return best;
}

absl::StatusOr<Entry::Found>
Entry::find(absl::Span<const Tensor> inputs) const {
  Found found;
  if (dims_.empty()) {
    return found;
  }
  for (size_t i = 0; i < dims_.size(); ++i) {
    auto [input, axis] = dims_[i].places.front();
    absl::Span<const int64_t> dims = inputs[input].dims;
    if (axis >= dims.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input '", inputs_[input].name, "': expected ",
          inputs_[input].dims.size(), " dimensions, got ", dims.size()));
    }
    found.sizes[i] = dims[axis];
  }
  absl::Span<const int64_t> wanted(found.sizes.data(), dims_.size());
  size_t begin = 0, end = buckets_.size();
  while (begin < end) {
    size_t middle = (begin + end) / 2;
    absl::Span<const int64_t> at = sizes(middle);
    if (at == wanted) {
      found.bucket = middle;
      return found;
    }
    bool isBelow = std::lexicographical_compare(at.begin(), at.end(),
                                                wanted.begin(), wanted.end());
    (isBelow ? begin : end) = isBelow ? middle + 1 : middle;
  }
  found.bucket = findPadded(wanted);
  found.isPadded = true;
  if (found.bucket == buckets_.size()) {
    return describeUnknown(wanted);
  }
  return found;
}

} // namespace minic::runtime
