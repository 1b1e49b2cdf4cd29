// SPDX-License-Identifier: Apache-2.0
//
// From the ops' roles and attributes to one form.

#include "runtime/device/cuda/cudnn/CudnnProblem.h"

#include "runtime/format/CallReader.h"

#include "absl/base/casts.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace minic::runtime {

using Dims = flatbuffers::Vector<int64_t>;

static std::vector<int64_t> toVector(const Dims &dims) {
  return {dims.begin(), dims.end()};
}

/// `rank`: leading dimensions of 1 are added up to it.
static CudnnTensor getTensor(const format::TensorView &view, size_t rank) {
  CudnnTensor tensor;
  tensor.dtype = view.dtype();
  tensor.dims = toVector(*view.dims());
  tensor.strides = toVector(*view.strides());
  int64_t elements = 1;
  for (size_t i = 0; i < tensor.dims.size(); ++i) {
    elements = std::max(elements, tensor.dims[i] * tensor.strides[i]);
  }
  while (tensor.dims.size() < rank) {
    tensor.dims.insert(tensor.dims.begin(), 1);
    tensor.strides.insert(tensor.strides.begin(), elements);
  }
  // Bases are aligned to 16 bytes at least, and no engine asks for more.
  uint64_t offset = view.address()->offset() | 16;
  tensor.alignment = int64_t(offset & -offset);
  tensor.address = view.address();
  return tensor;
}

static std::optional<CudnnTensor> getOptional(const format::TensorView *view,
                                              size_t rank) {
  return view ? std::optional(getTensor(*view, rank)) : std::nullopt;
}

static std::optional<CudnnProblem::Activation>
getActivation(const format::EltwisePostOp *op) {
  if (!op) {
    return std::nullopt;
  }
  return CudnnProblem::Activation{op->kind(), op->alpha(), op->beta()};
}

static std::vector<int64_t> toVector(absl::Span<const int64_t> values) {
  return {values.begin(), values.end()};
}

static CudnnProblem getAttention(const format::CallReader &reader) {
  constexpr size_t rank = 4;
  absl::string_view causal = reader.text("causal");
  CudnnProblem::Attention attention = {
      getTensor(*reader.view("value"), rank), float(reader.number("scale")),
      causal == "upper_left"    ? CudnnProblem::Causal::upperLeft
      : causal == "lower_right" ? CudnnProblem::Causal::lowerRight
                                : CudnnProblem::Causal::none};
  return {std::nullopt,
          std::move(attention),
          getTensor(*reader.view("query"), rank),
          getTensor(*reader.view("key"), rank),
          getOptional(reader.view("bias"), rank),
          std::nullopt,
          getTensor(*reader.view("result"), rank),
          std::nullopt,
          /*allowsTf32=*/false};
}

CudnnProblem CudnnProblem::get(const format::Call &call) {
  format::CallReader reader(call);
  if (reader.is("cudnn", "attention")) {
    return getAttention(reader);
  }
  bool isConvolution = reader.is("cudnn", "convolution");
  size_t rank = reader.view("result")->dims()->size();
  std::optional<Convolution> convolution;
  if (isConvolution) {
    convolution = {toVector(reader.integers("strides")),
                   toVector(reader.integers("pads_begin")),
                   toVector(reader.integers("pads_end")),
                   toVector(reader.integers("dilations"))};
  } else {
    rank = std::max<size_t>(3, rank); // cuDNN's matmuls are batched
  }
  return {std::move(convolution),
          std::nullopt,
          getTensor(*reader.view(isConvolution ? "input" : "lhs"), rank),
          getTensor(*reader.view(isConvolution ? "filter" : "rhs"), rank),
          getOptional(reader.view("addend"), rank),
          getOptional(reader.view("bias"), rank),
          getTensor(*reader.view("result"), rank),
          getActivation(reader.activation()),
          reader.allowsTf32()};
}

std::vector<const CudnnTensor *> CudnnProblem::tensors() const {
  std::vector<const CudnnTensor *> all = {&lhs, &rhs};
  if (attention) {
    all.push_back(&attention->value);
  }
  if (addend) {
    all.push_back(&*addend);
  }
  if (bias) {
    all.push_back(&*bias);
  }
  all.push_back(&result);
  return all;
}

static const char *nameOf(CudnnProblem::Causal causal) {
  switch (causal) {
  case CudnnProblem::Causal::upperLeft:
    return " upper_left";
  case CudnnProblem::Causal::lowerRight:
    return " lower_right";
  case CudnnProblem::Causal::none:
    break;
  }
  return "";
}

std::string CudnnProblem::describe() const {
  std::string text =
      absl::StrCat(convolution ? "convolution "
                   : attention ? "attention "
                               : "matmul ",
                   toString(lhs.dtype), " [", absl::StrJoin(lhs.dims, ", "),
                   "] x [", absl::StrJoin(rhs.dims, ", "), "]");
  if (attention) {
    absl::StrAppend(&text, " x [", absl::StrJoin(attention->value.dims, ", "),
                    "]", nameOf(attention->causal));
  }
  if (addend) {
    absl::StrAppend(&text, " + addend");
  }
  if (bias) {
    absl::StrAppend(&text, " + bias");
  }
  if (activation) {
    absl::StrAppend(&text, " + ",
                    format::EnumNameEltwiseKind(activation->kind));
  }
  return text;
}

std::string CudnnProblem::key() const {
  std::string text = allowsTf32 ? "tf32" : "f32";
  auto append = [&](const std::vector<int64_t> &list) {
    absl::StrAppend(&text, " ", absl::StrJoin(list, ","));
  };
  if (convolution) {
    absl::StrAppend(&text, " convolution");
    append(convolution->strides);
    append(convolution->padsBegin);
    append(convolution->padsEnd);
    append(convolution->dilations);
  }
  if (attention) {
    absl::StrAppend(&text, " attention", nameOf(attention->causal), " ",
                    absl::bit_cast<uint32_t>(attention->scale));
  }
  absl::StrAppend(&text, addend ? " addend" : "", bias ? " bias" : "");
  for (const CudnnTensor *tensor : tensors()) {
    absl::StrAppend(&text, "; ", toString(tensor->dtype));
    append(tensor->dims);
    append(tensor->strides);
    append({tensor->alignment});
  }
  if (activation) {
    // As they are printed floats of different bits may look alike.
    absl::StrAppend(&text, "; ", format::EnumNameEltwiseKind(activation->kind),
                    " ", absl::bit_cast<uint32_t>(activation->alpha), " ",
                    absl::bit_cast<uint32_t>(activation->beta));
  }
  return text;
}

} // namespace minic::runtime
