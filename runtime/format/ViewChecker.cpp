// SPDX-License-Identifier: Apache-2.0
//
// Extents are computed in uint64 with every overflow an error.

#include "runtime/format/ViewChecker.h"

#include "runtime/base/Tensor.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace minic::format {

// oneDNN's own limit (DNNL_MAX_NDIMS); other libraries have lower ones, which
// they report themselves.
static constexpr uint32_t kMaxRank = 12;
// Leaves room for sums of extents and paddings.
static constexpr int64_t kMaxDim = int64_t(1) << 47;

void ViewChecker::view(const TensorView &view, bool writes, const char *role,
                       uint32_t minRank) {
  const auto &dims = *view.dims();
  const auto &strides = *view.strides();
  uint64_t bytes;
  if (absl::Status status = checkedBytes(dims, view.dtype(),
                                         absl::StrCat(call_, " ", role), bytes);
      !status.ok()) {
    status_.Update(status);
    return;
  }
  if (!isAligned(strides)) {
    return fail(role, ": strides are not aligned");
  }
  if (dims.size() != strides.size() || dims.size() < minRank ||
      dims.size() > kMaxRank) {
    return fail(role, ": rank ", dims.size(), " with ", strides.size(),
                " strides");
  }
  for (int64_t dim : dims) {
    if (dim > kMaxDim) { // possible beside a dimension of 0
      return fail(role, ": dimension ", dim, " is out of range");
    }
  }
  uint64_t element = runtime::elementBytes(view.dtype());
  uint64_t last = 0; // element with the highest address
  for (uint32_t i = 0; i < dims.size(); ++i) {
    uint64_t reach;
    if (strides[i] < 0 ||
        __builtin_mul_overflow(uint64_t(strides[i]), dims[i] ? dims[i] - 1 : 0,
                               &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return fail(role, ": stride ", strides[i], " is out of range");
    }
  }
  uint64_t extent = 0;
  if (bytes != 0 && (__builtin_add_overflow(last, 1, &extent) ||
                     __builtin_mul_overflow(extent, element, &extent))) {
    return fail(role, ": strides are out of range");
  }
  if (view.address()->offset() % element != 0) {
    return fail(role, ": offset ", view.address()->offset(),
                " is not a multiple of the element size");
  }
  status_.Update(space_.check(*view.address(), extent, writes,
                              absl::StrCat(call_, " ", role)));
}

void ViewChecker::read(const TensorView *view, const char *role,
                       uint32_t minRank) {
  if (view && ok()) {
    this->view(*view, /*writes=*/false, role, minRank);
  }
}

void ViewChecker::write(const TensorView *view, const char *role,
                        uint32_t minRank) {
  if (!view || !ok()) {
    return;
  }
  this->view(*view, /*writes=*/true, role, minRank);
  if (!ok()) {
    return;
  }
  // From the innermost dimension out, each step must pass all elements of the
  // dimensions inside it.
  std::vector<std::pair<uint64_t, uint64_t>> steps; // stride, extent
  for (uint32_t i = 0; i < view->dims()->size(); ++i) {
    if (view->dims()->Get(i) > 1) {
      steps.push_back({view->strides()->Get(i), view->dims()->Get(i)});
    } else if (view->dims()->Get(i) == 0) {
      return;
    }
  }
  std::sort(steps.begin(), steps.end());
  uint64_t inside = 0; // last element so far, as checked without overflow
  for (auto [stride, extent] : steps) {
    if (stride <= inside) {
      return fail(role, ": elements overlap at stride ", stride);
    }
    inside += stride * (extent - 1);
  }
}

void ViewChecker::scratch(const Address *address, uint64_t bytes) {
  if (!ok()) {
    return;
  }
  if (!address) {
    if (bytes != 0) {
      fail("scratch: expected an address for ", bytes, " bytes");
    }
    return;
  }
  status_.Update(
      space_.check(*address, bytes, true, absl::StrCat(call_, " scratch")));
}

void ViewChecker::sameFloat(std::initializer_list<const TensorView *> views,
                            const char *roles) {
  DType dtype = (*views.begin())->dtype();
  for (const TensorView *view : views) {
    if (view->dtype() != dtype ||
        (dtype != DType::f32 && dtype != DType::f16 && dtype != DType::bf16)) {
      return fail("dtypes of ", roles, ": expected one float type, got ",
                  EnumNameDType(dtype), " and ", EnumNameDType(view->dtype()));
    }
  }
}

void ViewChecker::multiplies(const TensorView &lhs, const TensorView &rhs,
                             const TensorView &result) {
  if (!ok()) {
    return;
  }
  uint32_t rank = result.dims()->size();
  if (lhs.dims()->size() != rank || rhs.dims()->size() != rank) {
    return fail("ranks of lhs, rhs and result differ: ", lhs.dims()->size(),
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
    fail("shapes of lhs, rhs and result do not multiply");
  }
}

void ViewChecker::broadcasts(const TensorView *view, const TensorView &result,
                             const char *role) {
  if (!view || !ok()) {
    return;
  }
  bool matches = view->dims()->size() == result.dims()->size();
  for (uint32_t i = 0; matches && i < view->dims()->size(); ++i) {
    int64_t dim = view->dims()->Get(i);
    matches = dim == 1 || dim == result.dims()->Get(i);
  }
  if (!matches) {
    fail(role, " does not broadcast to the result");
  }
}

void ViewChecker::sameAs(const TensorView *view, const TensorView &result,
                         const char *role) {
  if (!view || !ok()) {
    return;
  }
  bool matches = view->dtype() == result.dtype() &&
                 view->dims()->size() == result.dims()->size();
  for (uint32_t i = 0; matches && i < view->dims()->size(); ++i) {
    matches = view->dims()->Get(i) == result.dims()->Get(i);
  }
  if (!matches) {
    fail(role, ": shape or dtype is not the result's");
  }
}

void ViewChecker::compute(ComputeType type, const TensorView &operand) {
  known(type, "compute type");
  if (type == ComputeType::tf32 && operand.dtype() != DType::f32) {
    fail("compute type tf32 of ", EnumNameDType(operand.dtype()), " operands");
  }
}

void ViewChecker::eltwise(const EltwisePostOp *postOp) {
  if (postOp) {
    known(postOp->kind(), "eltwise kind");
  }
}

void ViewChecker::postOps(
    const flatbuffers::Vector<flatbuffers::Offset<PostOpEntry>> *entries,
    const TensorView &result) {
  if (!entries) {
    return;
  }
  for (const PostOpEntry *entry : *entries) {
    if (const EltwisePostOp *postOp = entry->post_op_as_EltwisePostOp()) {
      eltwise(postOp);
    } else if (const BinaryPostOp *binary = entry->post_op_as_BinaryPostOp()) {
      known(binary->kind(), "binary kind");
      read(binary->operand(), "post-op operand");
      broadcasts(binary->operand(), result, "post-op operand");
    } else {
      fail("unknown post-op ", int(entry->post_op_type()));
    }
  }
}

} // namespace minic::format
