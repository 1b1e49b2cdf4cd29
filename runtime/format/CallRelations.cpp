// SPDX-License-Identifier: Apache-2.0
//
// Dimensions are at most 2^47 and windows below 2^31 here, so that sums and
// products of two stay in int64.

#include "runtime/format/CallRelations.h"

#include "absl/strings/str_cat.h"

#include <cmath>

namespace minic::format {

template <typename... Args> static absl::Status wrong(const Args &...args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

absl::Status relateProduct(const CallDescription &call) {
  const auto &lhs = call.view("lhs")->dims, &rhs = call.view("rhs")->dims,
             &result = call.view("result")->dims;
  size_t rank = result.size();
  if (lhs.size() != rank || rhs.size() != rank) {
    return wrong("ranks of lhs, rhs and result differ: ", lhs.size(), ", ",
                 rhs.size(), ", ", rank);
  }
  bool matches = lhs[rank - 1] == rhs[rank - 2] &&
                 lhs[rank - 2] == result[rank - 2] &&
                 rhs[rank - 1] == result[rank - 1];
  for (size_t i = 0; i + 2 < rank; ++i) {
    matches &= (lhs[i] == result[i] || lhs[i] == 1) &&
               (rhs[i] == result[i] || rhs[i] == 1);
  }
  return matches ? absl::OkStatus()
                 : wrong("shapes of lhs, rhs and result do not multiply");
}

/// Checks one spatial dimension.
static absl::Status checkWindow(const CallDescription &call, size_t spatial) {
  int64_t stride = call.integers("strides")[spatial];
  int64_t dilation = call.integers("dilations")[spatial];
  int64_t begin = call.integers("pads_begin")[spatial];
  int64_t end = call.integers("pads_end")[spatial];
  int64_t input = call.view("input")->dims[spatial + 2];
  int64_t filter = call.view("filter")->dims[spatial + 2];
  int64_t result = call.view("result")->dims[spatial + 2];
  if (filter < 1 || filter >= int64_t(1) << 31) {
    return wrong("filter: extent ", filter, " is out of range");
  }
  int64_t room = input + begin + end - (dilation * (filter - 1) + 1);
  int64_t expected = room < 0 ? 0 : room / stride + 1;
  if (result != expected) {
    return wrong("result: expected extent ", expected, " of spatial dimension ",
                 spatial, ", got ", result);
  }
  return absl::OkStatus();
}

absl::Status relateConvolution(const CallDescription &call) {
  const auto &input = call.view("input")->dims,
             &filter = call.view("filter")->dims,
             &result = call.view("result")->dims;
  size_t rank = input.size();
  if (filter.size() != rank || result.size() != rank) {
    return wrong("ranks of input, filter and result: expected the same, got ",
                 rank, ", ", filter.size(), ", ", result.size());
  }
  for (const char *name : {"strides", "pads_begin", "pads_end", "dilations"}) {
    if (call.integers(name).size() != rank - 2) {
      return wrong(name, ": expected one for each of ", rank - 2,
                   " spatial dimensions, got ", call.integers(name).size());
    }
  }
  int64_t groups = call.integer("groups");
  if (input[1] % groups != 0 || filter[0] % groups != 0 ||
      filter[1] != input[1] / groups) {
    return wrong(groups, " groups do not divide ", input[1], " channels and ",
                 filter[0], " filters of ", filter[1], " channels");
  }
  if (result[0] != input[0] || result[1] != filter[0]) {
    return wrong("result: expected ", input[0], " images of ", filter[0],
                 " channels, got ", result[0], " of ", result[1]);
  }
  for (size_t spatial = 0; spatial + 2 < rank; ++spatial) {
    if (absl::Status status = checkWindow(call, spatial); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status relateSoftmax(const CallDescription &call) {
  int64_t rank = int64_t(call.view("input")->dims.size());
  return call.integer("axis") < rank
             ? absl::OkStatus()
             : wrong("axis: expected less than the rank ", rank, ", got ",
                     call.integer("axis"));
}

/// Of a library's parameter of type float.
static absl::Status checkFinite(const CallDescription &call, const char *name) {
  return std::isfinite(float(call.number(name)))
             ? absl::OkStatus()
             : wrong(name, ": expected a finite float, got ",
                     call.number(name));
}

absl::Status relateLayerNorm(const CallDescription &call) {
  return checkFinite(call, "epsilon");
}

absl::Status relateReduction(const CallDescription &call) {
  const auto &input = call.view("input")->dims,
             &result = call.view("result")->dims;
  if (input.size() != result.size()) {
    return wrong("result: expected rank ", input.size(), ", got ",
                 result.size());
  }
  for (size_t i = 0; i < input.size(); ++i) {
    if (result[i] != 1 && result[i] != input[i]) {
      return wrong("result: expected 1 or ", input[i], " of dimension ", i,
                   ", got ", result[i]);
    }
  }
  return absl::OkStatus();
}

absl::Status relateAttention(const CallDescription &call) {
  const auto &query = call.view("query")->dims, &key = call.view("key")->dims,
             &value = call.view("value")->dims,
             &result = call.view("result")->dims;
  bool matches = key[0] == query[0] && value[0] == query[0] && key[1] != 0 &&
                 query[1] % key[1] == 0 && value[1] == key[1] &&
                 value[2] == key[2] && key[3] == query[3] &&
                 result[0] == query[0] && result[1] == query[1] &&
                 result[2] == query[2] && result[3] == value[3];
  if (!matches) {
    return wrong("shapes of query, key, value and result are no attention's");
  }
  if (const CallDescription::View *bias = call.view("bias")) {
    const int64_t scores[] = {query[0], query[1], query[2], key[2]};
    for (size_t i = 0; i < 4; ++i) {
      if (bias->dims[i] != 1 && bias->dims[i] != scores[i]) {
        return wrong("bias: expected 1 or ", scores[i], " of dimension ", i,
                     ", got ", bias->dims[i]);
      }
    }
  }
  return checkFinite(call, "scale");
}

absl::Status relateCompute(const CallDescription &call) {
  DType dtype = call.operands.front().dtype;
  if (call.text("compute") == "tf32" && dtype != DType::f32) {
    return wrong("compute: tf32 of ", EnumNameDType(dtype), " operands");
  }
  return absl::OkStatus();
}

absl::Status relateAux(const CallDescription &call) {
  bool hasGelu = !call.epilogue.empty() &&
                 call.epilogue[0].kind == int(EltwiseKind::gelu_tanh);
  return call.view("aux") && !hasGelu
             ? wrong("aux: expected an epilogue of gelu_tanh")
             : absl::OkStatus();
}

} // namespace minic::format
