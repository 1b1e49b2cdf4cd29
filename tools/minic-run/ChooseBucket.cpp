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
using runtime::Program;

/// "T=128 or T=512"
static std::string describe(const Entry &entry) {
  std::vector<std::string> buckets;
  for (size_t bucket = 0; bucket < entry.buckets().size(); ++bucket) {
    std::vector<std::string> sizes;
    for (size_t i = 0; i < entry.dims().size(); ++i) {
      sizes.push_back(
          absl::StrCat(entry.dims()[i].name, "=", entry.sizes(bucket)[i]));
    }
    buckets.push_back(absl::StrJoin(sizes, ","));
  }
  return absl::StrJoin(buckets, " or ");
}

static bool hasSizes(const Entry &entry, size_t bucket,
                     const std::map<std::string, int64_t> &sizes) {
  for (size_t i = 0; i < entry.dims().size(); ++i) {
    auto asked = sizes.find(entry.dims()[i].name);
    if (asked != sizes.end() && asked->second != entry.sizes(bucket)[i]) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<std::shared_ptr<const Program>>
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
    return entry.buckets().front();
  }
  std::vector<std::optional<std::vector<int64_t>>> shapes;
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
  for (size_t bucket = 0; bucket < entry.buckets().size(); ++bucket) {
    const std::shared_ptr<const Program> &program = entry.buckets()[bucket];
    bool fits = hasSizes(entry, bucket, sizes);
    for (size_t i = 0; i < shapes.size(); ++i) {
      fits = fits && (!shapes[i] || *shapes[i] == program->inputs()[i].dims);
    }
    if (fits) {
      return program;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no plan for ", absl::StrJoin(described, ", "),
                   ": expected ", describe(entry)));
}

} // namespace minic::tools
