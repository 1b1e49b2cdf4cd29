// SPDX-License-Identifier: Apache-2.0
//
// CublasltProblem: the descriptors that cuBLASLt takes for one product.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUBLASLTPROBLEM_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUBLASLTPROBLEM_H

#include "runtime/device/cuda/ColumnMajorProduct.h"
#include "runtime/device/cuda/CublasLibrary.h"
#include "runtime/device/cuda/LibraryCall.h"

#include <optional>
#include <vector>

namespace minic::runtime {

/// Owns a cuBLASLt descriptor; move-only.
template <typename Handle> class CublasltHandle {
public:
  using Destroy = cublasStatus_t (*)(Handle);
  CublasltHandle() = default;
  CublasltHandle(CublasltHandle &&other) noexcept { *this = std::move(other); }
  CublasltHandle &operator=(CublasltHandle &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(destroy, other.destroy);
    return *this;
  }
  ~CublasltHandle() {
    if (handle) {
      destroy(handle);
    }
  }
  Handle get() const { return handle; }
  Handle *out(Destroy how) {
    destroy = how;
    return &handle;
  }

private:
  Handle handle = nullptr;
  Destroy destroy = nullptr;
};

/// What a call of the plan says, without the library's types.
struct CublasltCall {
  explicit CublasltCall(const format::Call &call);

  const format::TensorView &lhs, &rhs, &result;
  const format::TensorView *bias, *addend, *aux; // null: absent
  std::optional<format::EltwiseKind> activation; // relu or gelu_tanh
  bool allowsTf32;
  absl::string_view algorithm; // hexadecimal
  const format::Address *scratch;
  uint64_t scratchBytes;
};

/// Guaranteed alignment of each operand's address, in bytes.
struct CublasltAlignment {
  uint32_t a, b, c, d, bias, aux;
};

/// Used by one thread at a time.
class CublasltProblem {
public:
  static absl::StatusOr<std::unique_ptr<CublasltProblem>>
  create(const CublasltCall &call, const CublasltLibrary &library,
         cublasLtHandle_t handle, const CublasltAlignment &alignment);

  /// At most `max` algorithms within `scratchLimit` bytes, the library's
  /// favourite first; none is Unimplemented.
  absl::StatusOr<std::vector<cublasLtMatmulHeuristicResult_t>>
  findAlgorithms(int max, uint64_t scratchLimit) const;

  /// An error where the library would not run `algorithm` on this device for
  /// this problem within `scratchLimit` bytes.
  absl::Status check(const cublasLtMatmulAlgo_t &algorithm,
                     uint64_t scratchLimit) const;

  absl::Status enqueue(const cublasLtMatmulAlgo_t &algorithm, CUstream stream,
                       const PlanBases &bases);

  const ColumnMajorProduct &product() const { return product_; }

private:
  CublasltProblem(const CublasltCall &call, const CublasltLibrary &library,
                  cublasLtHandle_t handle, const CublasltAlignment &alignment)
      : call_(call), library_(library), handle_(handle), alignment_(alignment) {
  }

  absl::Status build();
  absl::Status describeProduct();
  absl::Status describeEpilogue();
  uint32_t reductionSchemes() const;
  absl::Status addLayout(CublasltHandle<cublasLtMatrixLayout_t> &layout,
                         const ColumnMajorMatrix &matrix);
  template <typename T>
  absl::Status set(cublasLtMatmulDescAttributes_t attribute, const T &value);
  /// Tells the description where bias and aux are, if that changed.
  absl::Status setPointers(const void *bias, void *aux);

  const CublasltCall call_;
  const CublasltLibrary &library_;
  const cublasLtHandle_t handle_;
  const CublasltAlignment alignment_;
  ColumnMajorProduct product_;
  ColumnMajorMatrix addend_, aux_;
  CublasltHandle<cublasLtMatmulDesc_t> description_;
  CublasltHandle<cublasLtMatrixLayout_t> a_, b_, c_, d_;
  const void *biasPointer_ = nullptr;
  void *auxPointer_ = nullptr;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUBLASLTPROBLEM_H
