// SPDX-License-Identifier: Apache-2.0
//
// Entries against the functions that they name.

#include "runtime/format/EntryChecker.h"

#include "runtime/base/Tensor.h"
#include "runtime/format/MetadataChecker.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace minic::format {

template <typename... Args>
static absl::Status damaged(uint32_t entry, const Args &...args) {
  return absl::DataLossError(
      absl::StrCat("damaged artifact: entry ", entry, ": ", args...));
}

static bool
areAlike(const flatbuffers::Vector<flatbuffers::Offset<TensorSpec>> &a,
         const flatbuffers::Vector<flatbuffers::Offset<TensorSpec>> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TensorSpec *x, const TensorSpec *y) {
                      return x->name()->string_view() ==
                                 y->name()->string_view() &&
                             x->dtype() == y->dtype() &&
                             x->dims()->size() == y->dims()->size() &&
                             x->alignment() == y->alignment() &&
                             x->in_place() == y->in_place();
                    });
}

/// Rows of a padded dimension lie along an axis of its size.
static absl::Status checkResultAxes(const EntryDim &dim, uint32_t number,
                                    int64_t size, const Function &function) {
  const auto *axes = dim.result_axes();
  if (!axes) {
    return absl::OkStatus();
  }
  if (axes->size() != function.outputs()->size()) {
    return damaged(number, "expected axes of ", function.outputs()->size(),
                   " outputs, got ", axes->size());
  }
  for (uint32_t i = 0; i < axes->size(); ++i) {
    const TensorSpec &output = *function.outputs()->Get(i);
    int32_t axis = axes->Get(i);
    bool fits = axis >= -1 && axis < int64_t(output.dims()->size());
    if (!fits || (axis >= 0 &&
                  (output.dims()->Get(axis) != size || output.in_place()))) {
      return damaged(number, "axis ", axis, " of output ", i,
                     " cannot have the rows of ", size);
    }
  }
  return absl::OkStatus();
}

/// Each is an element of an input that it names.
static absl::Status checkFills(const Entry &entry, uint32_t number,
                               const Function &function) {
  int64_t before = -1;
  for (uint32_t i = 0; entry.fills() && i < entry.fills()->size(); ++i) {
    const InputFill &fill = *entry.fills()->Get(i);
    if (fill.input() >= function.inputs()->size() || fill.input() <= before) {
      return damaged(number, "fill of input ", fill.input(), " of ",
                     function.inputs()->size(), ", or not ascending");
    }
    before = fill.input();
    DType dtype = function.inputs()->Get(fill.input())->dtype();
    uint64_t most =
        dtype == DType::i1
            ? 1
            : ~uint64_t(0) >> (64 - 8 * runtime::elementBytes(dtype));
    if (fill.element() > most) {
      return damaged(number, "fill ", fill.element(),
                     " is no element of input ", fill.input());
    }
  }
  return absl::OkStatus();
}

/// Each dimension has its size at each of its places.
static absl::Status checkSizes(const Entry &entry, uint32_t number,
                               const Bucket &bucket, const Function &function) {
  if (bucket.sizes()->size() != entry.dims()->size() ||
      !isAligned(*bucket.sizes())) {
    return damaged(number, "expected ", entry.dims()->size(),
                   " sizes of a bucket, got ", bucket.sizes()->size());
  }
  for (uint32_t i = 0; i < entry.dims()->size(); ++i) {
    if (absl::Status status = checkResultAxes(*entry.dims()->Get(i), number,
                                              bucket.sizes()->Get(i), function);
        !status.ok()) {
      return status;
    }
    for (const DimPlace *place : *entry.dims()->Get(i)->places()) {
      if (place->input() >= function.inputs()->size()) {
        return damaged(number, "input ", place->input(), " of ",
                       function.inputs()->size());
      }
      const auto &dims = *function.inputs()->Get(place->input())->dims();
      if (place->axis() >= dims.size() ||
          dims[place->axis()] != bucket.sizes()->Get(i)) {
        return damaged(number, "axis ", place->axis(), " of input ",
                       place->input(), " has not the size ",
                       bucket.sizes()->Get(i));
      }
    }
  }
  return absl::OkStatus();
}

/// Size words are of dimensions that are padded.
static absl::Status checkSizeWords(const Entry &entry, uint32_t number,
                                   const Function &function) {
  for (const Variant *variant : *function.variants()) {
    for (uint32_t i = 0; variant->sizes() && i < variant->sizes()->size();
         ++i) {
      uint32_t dim = variant->sizes()->Get(i)->dim();
      if (dim >= entry.dims()->size() ||
          !entry.dims()->Get(dim)->result_axes()) {
        return damaged(number, "size word of dimension ", dim,
                       ", which is not padded");
      }
    }
  }
  return absl::OkStatus();
}

static absl::Status checkEntry(const Entry &entry, uint32_t number,
                               const Artifact &artifact) {
  if (entry.dims()->size() == 0 || entry.buckets()->size() == 0) {
    return damaged(number, "expected dimensions and buckets, got none");
  }
  for (const EntryDim *dim : *entry.dims()) {
    if (dim->places()->size() == 0) {
      return damaged(number, "a dimension of no input");
    }
  }
  const Function *first = nullptr;
  std::vector<int64_t> before;
  for (const Bucket *bucket : *entry.buckets()) {
    if (bucket->function() >= artifact.functions()->size()) {
      return damaged(number, "function ", bucket->function(), " of ",
                     artifact.functions()->size());
    }
    const Function *function = artifact.functions()->Get(bucket->function());
    if (absl::Status status = checkSizes(entry, number, *bucket, *function);
        !status.ok()) {
      return status;
    }
    std::vector<int64_t> sizes(bucket->sizes()->begin(),
                               bucket->sizes()->end());
    if (first && sizes <= before) {
      return damaged(number, "buckets do not ascend");
    }
    first = first ? first : function;
    before = std::move(sizes);
    if (absl::Status status = checkFills(entry, number, *function);
        !status.ok()) {
      return status;
    }
    if (absl::Status status = checkSizeWords(entry, number, *function);
        !status.ok()) {
      return status;
    }
    if (!areAlike(*function->inputs(), *first->inputs()) ||
        !areAlike(*function->outputs(), *first->outputs())) {
      return damaged(number, "functions of different signatures");
    }
  }
  return absl::OkStatus();
}

/// Nobody writes size words of functions that are of no entry.
static absl::Status checkOthers(const Artifact &artifact,
                                const std::set<uint32_t> &ofEntries) {
  for (uint32_t i = 0; i < artifact.functions()->size(); ++i) {
    const Function &function = *artifact.functions()->Get(i);
    bool hasWords =
        std::any_of(function.variants()->begin(), function.variants()->end(),
                    [](const Variant *variant) {
                      return variant->sizes() && variant->sizes()->size() != 0;
                    });
    if (hasWords && ofEntries.count(i) == 0) {
      return absl::DataLossError(absl::StrCat("damaged artifact: function ", i,
                                              " has a size word and no entry"));
    }
  }
  return absl::OkStatus();
}

absl::Status checkEntries(const Artifact &artifact) {
  std::set<std::string> names;
  for (const Function *function : *artifact.functions()) {
    names.insert(function->name()->str());
  }
  std::set<uint32_t> ofEntries;
  for (uint32_t i = 0; artifact.entries() && i < artifact.entries()->size();
       ++i) {
    const Entry &entry = *artifact.entries()->Get(i);
    if (!names.insert(entry.name()->str()).second) {
      return damaged(i, "name used twice");
    }
    if (absl::Status status = checkEntry(entry, i, artifact); !status.ok()) {
      return status;
    }
    for (const Bucket *bucket : *entry.buckets()) {
      ofEntries.insert(bucket->function());
    }
  }
  return checkOthers(artifact, ofEntries);
}

} // namespace minic::format
