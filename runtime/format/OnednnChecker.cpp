// SPDX-License-Identifier: Apache-2.0
//
// Checks a oneDNN matrix product: views in range, shapes that multiply.

#include "runtime/format/MetadataChecker.h"

#include "runtime/base/Tensor.h"

#include "absl/strings/str_cat.h"

namespace minic::format {

// oneDNN's own limit (DNNL_MAX_NDIMS).
static constexpr uint32_t kMaxRank = 12;

template <typename... Args> static absl::Status damaged(const Args &...args) {
  return absl::DataLossError(
      absl::StrCat("damaged artifact: onednn matmul: ", args...));
}

static absl::Status checkView(const TensorView &view, const AddressSpace &space,
                              bool writes, const std::string &what) {
  const auto &dims = *view.dims();
  const auto &strides = *view.strides();
  uint64_t bytes;
  if (absl::Status status = checkedBytes(dims, view.dtype(), what, bytes);
      !status.ok()) {
    return status;
  }
  if (dims.size() != strides.size() || dims.size() < 2 ||
      dims.size() > kMaxRank) {
    return damaged(what, ": rank ", dims.size(), " with ", strides.size(),
                   " strides");
  }
  uint64_t element = runtime::elementBytes(view.dtype());
  uint64_t last = 0; // element with the highest address
  for (uint32_t i = 0; i < dims.size(); ++i) {
    uint64_t reach;
    if (strides[i] < 0 ||
        __builtin_mul_overflow(uint64_t(strides[i]), dims[i] ? dims[i] - 1 : 0,
                               &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return damaged(what, ": stride ", strides[i], " is out of range");
    }
  }
  uint64_t extent = 0;
  if (bytes != 0 && (__builtin_add_overflow(last, 1, &extent) ||
                     __builtin_mul_overflow(extent, element, &extent))) {
    return damaged(what, ": strides are out of range");
  }
  if (view.address()->offset() % element != 0) {
    return damaged(what, ": offset ", view.address()->offset(),
                   " is not a multiple of the element size");
  }
  return space.check(*view.address(), extent, writes, "onednn " + what);
}

/// Whether `dims` broadcasts to `result`'s.
static bool broadcasts(const TensorView &view, const TensorView &result) {
  if (view.dims()->size() != result.dims()->size()) {
    return false;
  }
  for (uint32_t i = 0; i < view.dims()->size(); ++i) {
    int64_t dim = view.dims()->Get(i);
    if (dim != 1 && dim != result.dims()->Get(i)) {
      return false;
    }
  }
  return true;
}

absl::Status checkOnednnMatmul(const OnednnMatmul &call,
                               const AddressSpace &space) {
  const TensorView &lhs = *call.lhs(), &rhs = *call.rhs(),
                   &result = *call.result();
  absl::Status status = checkView(lhs, space, false, "lhs");
  status.Update(checkView(rhs, space, false, "rhs"));
  status.Update(checkView(result, space, true, "result"));
  if (status.ok() && call.bias()) {
    status.Update(checkView(*call.bias(), space, false, "bias"));
  }
  if (!status.ok()) {
    return status;
  }
  uint32_t rank = result.dims()->size();
  if (lhs.dims()->size() != rank || rhs.dims()->size() != rank) {
    return damaged("ranks of lhs, rhs and result differ: ", lhs.dims()->size(),
                   ", ", rhs.dims()->size(), ", ", rank);
  }
  auto dim = [](const TensorView &view, uint32_t i) {
    return view.dims()->Get(i);
  };
  bool matches = dim(lhs, rank - 1) == dim(rhs, rank - 2) &&
                 dim(lhs, rank - 2) == dim(result, rank - 2) &&
                 dim(rhs, rank - 1) == dim(result, rank - 1);
  for (uint32_t i = 0; i + 2 < rank; ++i) {
    int64_t batch = dim(result, i);
    matches &= (dim(lhs, i) == batch || dim(lhs, i) == 1) &&
               (dim(rhs, i) == batch || dim(rhs, i) == 1);
  }
  if (!matches) {
    return damaged("shapes of lhs, rhs and result do not multiply");
  }
  if (call.bias() && !broadcasts(*call.bias(), result)) {
    return damaged("bias does not broadcast to the result");
  }
  if (call.pack_rhs() && rhs.address()->base() != Base::constant) {
    return damaged("packed rhs: expected a constant");
  }
  if (call.post_ops()) {
    for (const PostOpEntry *entry : *call.post_ops()) {
      if (const EltwisePostOp *eltwise = entry->post_op_as_EltwisePostOp()) {
        if (eltwise->kind() > EltwiseKind::MAX) {
          return damaged("unknown eltwise kind ", int(eltwise->kind()));
        }
      } else if (const BinaryPostOp *binary =
                     entry->post_op_as_BinaryPostOp()) {
        if (binary->kind() > BinaryKindPostOp::MAX) {
          return damaged("unknown binary kind ", int(binary->kind()));
        }
        status = checkView(*binary->operand(), space, false, "post-op operand");
        if (!status.ok()) {
          return status;
        }
        if (!broadcasts(*binary->operand(), result)) {
          return damaged("post-op operand does not broadcast to the result");
        }
      } else {
        return damaged("unknown post-op ", int(entry->post_op_type()));
      }
    }
  }
  if (call.scratch()) {
    return space.check(*call.scratch(), call.scratch_bytes(), true,
                       "onednn scratch");
  }
  return absl::OkStatus();
}

} // namespace minic::format
