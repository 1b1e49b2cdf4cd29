// SPDX-License-Identifier: Apache-2.0
//
// ModelInputs: .npy files or random data against the model's signature.

#include "tools/common/ModelInputs.h"

#include "runtime/measure/NpyFile.h"
#include "runtime/measure/RandomData.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cstring>

namespace minic::tools {

using runtime::AlignedBuffer;
using runtime::NpyArray;
using runtime::TensorSpec;

namespace {

std::string namesOf(absl::Span<const TensorSpec> specs) {
  return absl::StrJoin(specs, ", ", [](std::string *out, const auto &spec) {
    absl::StrAppend(out, spec.name);
  });
}

} // namespace

std::string typeText(absl::Span<const int64_t> dims, runtime::DType dtype) {
  std::string text;
  for (int64_t dim : dims) {
    absl::StrAppend(&text, dim, "x");
  }
  return text + runtime::toString(dtype);
}

absl::StatusOr<std::vector<std::string>>
assignFiles(const std::vector<std::string> &arguments,
            absl::Span<const TensorSpec> specs, const char *what) {
  std::vector<std::string> files(specs.size());
  std::vector<std::string> unnamed;
  for (const std::string &argument : arguments) {
    size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      unnamed.push_back(argument);
      continue;
    }
    std::string name = argument.substr(0, equals);
    auto spec = std::find_if(specs.begin(), specs.end(),
                             [&](const auto &s) { return s.name == name; });
    if (spec == specs.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no ", what, " named '", name, "'; the model has: ", namesOf(specs)));
    }
    std::string &file = files[size_t(spec - specs.begin())];
    if (!file.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, " '", name, "' is given twice"));
    }
    file = argument.substr(equals + 1);
    if (file.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, " '", name, "' has no file after '='"));
    }
  }
  for (const std::string &path : unnamed) {
    auto free = std::find(files.begin(), files.end(), "");
    if (free == files.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", path, "' is one ", what, " too many; the model has ",
          specs.size(), ": ", namesOf(specs)));
    }
    *free = path;
  }
  return files;
}

absl::StatusOr<ModelTensors>
allocateTensors(absl::Span<const TensorSpec> specs) {
  ModelTensors result;
  for (const TensorSpec &spec : specs) {
    absl::StatusOr<AlignedBuffer> buffer = AlignedBuffer::create(spec.bytes());
    if (!buffer.ok()) {
      return buffer.status();
    }
    result.tensors.push_back({buffer->data(), spec.dtype, spec.dims});
    result.buffers.push_back(std::move(*buffer));
  }
  return result;
}

absl::StatusOr<ModelTensors> readInputs(absl::Span<const TensorSpec> specs,
                                        const std::vector<std::string> &files,
                                        bool bf16, uint64_t seed) {
  ModelTensors result;
  for (size_t i = 0; i < specs.size(); ++i) {
    const TensorSpec &spec = specs[i];
    AlignedBuffer data;
    if (!files[i].empty()) {
      absl::StatusOr<NpyArray> array = runtime::readNpy(files[i], bf16);
      if (!array.ok()) {
        return array.status();
      }
      if (array->dtype != spec.dtype || array->dims != spec.dims) {
        return absl::InvalidArgumentError(absl::StrCat(
            "input '", spec.name, "': expected ",
            typeText(spec.dims, spec.dtype), ", got ",
            typeText(array->dims, array->dtype), " in '", files[i], "'"));
      }
      data = std::move(array->data);
    } else {
      absl::StatusOr<AlignedBuffer> buffer =
          AlignedBuffer::create(spec.bytes());
      if (!buffer.ok()) {
        return buffer.status();
      }
      data = std::move(*buffer);
      runtime::fillRandom(data.data(), spec, seed);
    }
    result.tensors.push_back({data.data(), spec.dtype, spec.dims});
    result.buffers.push_back(std::move(data));
  }
  return result;
}

} // namespace minic::tools
