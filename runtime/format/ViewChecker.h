// SPDX-License-Identifier: Apache-2.0
//
// ViewChecker: what the checks of all library calls have in common.

#ifndef MINIC_RUNTIME_FORMAT_VIEWCHECKER_H
#define MINIC_RUNTIME_FORMAT_VIEWCHECKER_H

#include "runtime/format/MetadataChecker.h"

#include "absl/strings/str_cat.h"

namespace minic::format {

/// Checks parts of one library call; the first unsound one is the status.
class ViewChecker {
public:
  /// `call` names it in messages: "cublas gemm".
  ViewChecker(const char *call, const AddressSpace &space)
      : call_(call), space_(space) {}

  bool ok() const { return status_.ok(); }
  const absl::Status &status() const { return status_; }

  template <typename... Args> void fail(const Args &...args) {
    if (status_.ok()) {
      status_ = absl::DataLossError(
          absl::StrCat("damaged artifact: ", call_, ": ", args...));
    }
  }

  /// A known dtype, a stride per dimension, `minRank` to 12 dimensions, and
  /// every element inside its memory. Null views are sound.
  void read(const TensorView *view, const char *role, uint32_t minRank = 2);
  /// Like `read`, for memory that is written: no two elements share bytes.
  void write(const TensorView *view, const char *role, uint32_t minRank = 2);

  /// `bytes` of workspace; it has an address if and only if `bytes` is not 0.
  void scratch(const Address *address, uint64_t bytes);

  /// The dtype is a float type, and the same in all views.
  void sameFloat(std::initializer_list<const TensorView *> views,
                 const char *roles);
  /// Ranks agree and lhs * rhs has result's shape, with batch dimensions of
  /// lhs and rhs that are result's or 1.
  void multiplies(const TensorView &lhs, const TensorView &rhs,
                  const TensorView &result);
  /// Each dimension of `view` is result's or 1. Null views are sound.
  void broadcasts(const TensorView *view, const TensorView &result,
                  const char *role);
  /// `view` has result's shape and dtype. Null views are sound.
  void sameAs(const TensorView *view, const TensorView &result,
              const char *role);
  /// Activations and other enums lie in their range.
  template <typename E> void known(E value, const char *what) {
    if (value > E::MAX) {
      fail("unknown ", what, " ", int(value));
    }
  }
  /// tf32 is arithmetic of f32 operands.
  void compute(ComputeType type, const TensorView &operand);
  void eltwise(const EltwisePostOp *postOp);
  void
  postOps(const flatbuffers::Vector<flatbuffers::Offset<PostOpEntry>> *entries,
          const TensorView &result);

private:
  void view(const TensorView &view, bool writes, const char *role,
            uint32_t minRank);

  const char *call_;
  const AddressSpace &space_;
  absl::Status status_;
};

/// Views and windows of either library's convolution, a table that has
/// `input`, `filter`, `result`, `strides`, ... Bias is the library's.
struct ConvolutionShape {
  const TensorView &input, &filter, &result;
  const flatbuffers::Vector<int64_t> &strides, &padsBegin, &padsEnd, &dilations;
  int64_t groups;
};
template <typename Table> ConvolutionShape convolutionShape(const Table &call) {
  return {*call.input(),     *call.filter(),     *call.result(),
          *call.strides(),   *call.pads_begin(), *call.pads_end(),
          *call.dilations(), call.groups()};
}
void checkConvolution(const ConvolutionShape &shape, ViewChecker &checker);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_VIEWCHECKER_H
