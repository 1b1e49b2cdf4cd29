// SPDX-License-Identifier: Apache-2.0
//
// Sizes from the command line, shapes from files.

#include "tools/minic-run/ChooseBucket.h"

#include "runtime/measure/NpyFile.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <optional>

namespace minic::tools {

using runtime::Entry;

std::string describeSizes(const Entry &entry, absl::Span<const int64_t> sizes) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < entry.dims().size(); ++i) {
    texts.push_back(absl::StrCat(entry.dims()[i].name, "=", sizes[i]));
  }
  return absl::StrJoin(texts, ",");
}

/// "T=128 or T=512, or less of T"
static std::string describe(const Entry &entry) {
  std::vector<std::string> buckets, padded;
  for (size_t bucket = 0; bucket < entry.buckets().size(); ++bucket) {
    buckets.push_back(describeSizes(entry, entry.sizes(bucket)));
  }
  for (const runtime::VaryingDim &dim : entry.dims()) {
    if (dim.isPadded) {
      padded.push_back(dim.name);
    }
  }
  return absl::StrCat(absl::StrJoin(buckets, " or "),
                      padded.empty() ? "" : ", or less of ",
                      absl::StrJoin(padded, ", "));
}

using Shapes = std::vector<std::optional<std::vector<int64_t>>>;

/// What a run has that takes the sizes which neither `sizes` nor `shapes` say
/// from `bucket`.
static absl::StatusOr<Entry::Found>
tryBucket(const Entry &entry, size_t bucket,
          const std::map<std::string, int64_t> &sizes, const Shapes &shapes) {
  Entry::Found run;
  run.bucket = bucket;
  for (size_t i = 0; i < entry.dims().size(); ++i) {
    const runtime::VaryingDim &dim = entry.dims()[i];
    run.sizes[i] = entry.sizes(bucket)[i];
    for (const runtime::VaryingDim::Place &place : dim.places) {
      if (place.input < shapes.size() && shapes[place.input] &&
          place.axis < shapes[place.input]->size()) {
        run.sizes[i] = (*shapes[place.input])[place.axis];
      }
    }
    if (auto asked = sizes.find(dim.name); asked != sizes.end()) {
      run.sizes[i] = asked->second;
    }
  }
  std::vector<std::vector<int64_t>> dims(entry.inputs().size());
  std::vector<runtime::Tensor> inputs(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    entry.inputDims(run, i, dims[i]);
    inputs[i].dims = dims[i];
    if (i < shapes.size() && shapes[i] && *shapes[i] != dims[i]) {
      return absl::InvalidArgumentError("another shape");
    }
  }
  return entry.find(inputs);
}

absl::StatusOr<Entry::Found>
chooseBucket(const Entry &entry, const std::map<std::string, int64_t> &sizes,
             const std::vector<std::string> &files, bool bf16) {
  for (const auto &[name, size] : sizes) {
    if (std::none_of(
            entry.dims().begin(), entry.dims().end(),
            [&](const runtime::VaryingDim &dim) { return dim.name == name; })) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--dim: no dimension called '", name, "' varies in the model"));
    }
  }
  // What a fixed shape must be is said where the file is read.
  if (entry.dims().empty()) {
    return Entry::Found();
  }
  Shapes shapes;
  std::vector<std::string> described;
  for (size_t i = 0; i < files.size(); ++i) {
    shapes.emplace_back();
    if (!files[i].empty()) {
      absl::StatusOr<runtime::NpyArray> array =
          runtime::readNpy(files[i], bf16);
      if (!array.ok()) {
        return array.status();
      }
      shapes.back() = array->dims;
      described.push_back(absl::StrCat(entry.inputs()[i].name, " [",
                                       absl::StrJoin(array->dims, ", "), "]"));
    }
  }
  for (const auto &[name, size] : sizes) {
    described.push_back(absl::StrCat(name, "=", size));
  }
  for (bool mayPad : {false, true}) {
    for (size_t bucket = 0; bucket < entry.buckets().size(); ++bucket) {
      absl::StatusOr<Entry::Found> found =
          tryBucket(entry, bucket, sizes, shapes);
      if (found.ok() && (mayPad || !found->isPadded)) {
        return found;
      }
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no plan for ", absl::StrJoin(described, ", "),
                   ": expected ", describe(entry)));
}

} // namespace minic::tools
