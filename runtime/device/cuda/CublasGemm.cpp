// SPDX-License-Identifier: Apache-2.0
//
// GemmEx with a workspace of the plan's, so that captures allocate nothing and
// Contexts share nothing.

#include "runtime/device/cuda/ColumnMajorProduct.h"
#include "runtime/device/cuda/CublasLibrary.h"
#include "runtime/device/cuda/LibraryCall.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

namespace {

class CublasGemm : public LibraryCall {
public:
  CublasGemm(const format::CublasGemm &call, CublasHandle &cublas,
             const ColumnMajorProduct &product)
      : call(call), cublas(cublas), product(product) {}

  absl::Status enqueue(CUstream stream, const PlanBases &bases) override;
  absl::StatusOr<std::unique_ptr<LibraryCall>> clone() const override {
    return std::make_unique<CublasGemm>(*this);
  }

private:
  const format::CublasGemm &call;
  CublasHandle &cublas;
  ColumnMajorProduct product;
};

} // namespace

absl::Status CublasGemm::enqueue(CUstream stream, const PlanBases &bases) {
  if (product.isEmpty()) {
    return absl::OkStatus();
  }
  const CublasLibrary &library = cublas.library;
  cublasHandle_t handle = cublas.handle;
  const void *a = bases.resolve(*call.rhs()->address());
  const void *b = bases.resolve(*call.lhs()->address());
  void *d = bases.resolve(*call.result()->address());
  void *workspace = call.scratch() ? bases.resolve(*call.scratch()) : nullptr;
  const float one = 1, zero = 0;
  cublasOperation_t opA = product.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasOperation_t opB = product.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasComputeType_t compute = call.compute() == format::ComputeType::tf32
                                    ? CUBLAS_COMPUTE_32F_FAST_TF32
                                    : CUBLAS_COMPUTE_32F;
  std::lock_guard<std::mutex> lock(cublas.mutex);
  // Setting the stream forgets the workspace.
  cublasStatus_t result = library.cublasSetStream(handle, stream);
  if (result == CUBLAS_STATUS_SUCCESS) {
    result = library.cublasSetWorkspace(handle, workspace,
                                        workspace ? call.scratch_bytes() : 0);
  }
  if (result != CUBLAS_STATUS_SUCCESS) {
    return library.status(result, "cuBLAS stream and workspace");
  }
  const auto &[m, n, k, batch, matrixA, matrixB, matrixD] = product;
  if (batch == 1) {
    result = library.cublasGemmEx_64(
        handle, opA, opB, m, n, k, &one, a, matrixA.type, matrixA.pitch, b,
        matrixB.type, matrixB.pitch, &zero, d, matrixD.type, matrixD.pitch,
        compute, CUBLAS_GEMM_DEFAULT);
  } else {
    result = library.cublasGemmStridedBatchedEx_64(
        handle, opA, opB, m, n, k, &one, a, matrixA.type, matrixA.pitch,
        matrixA.batchStride, b, matrixB.type, matrixB.pitch,
        matrixB.batchStride, &zero, d, matrixD.type, matrixD.pitch,
        matrixD.batchStride, batch, compute, CUBLAS_GEMM_DEFAULT);
  }
  if (result != CUBLAS_STATUS_SUCCESS) {
    return library.status(result,
                          absl::StrCat("cuBLAS gemm ", describe(product)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
createCublasGemm(const format::CublasGemm &call,
                 const LibraryCallOptions &options) {
  absl::StatusOr<ColumnMajorProduct> product =
      toColumnMajor(*call.lhs(), *call.rhs(), *call.result());
  if (!product.ok()) {
    return product.status();
  }
  absl::StatusOr<CublasHandle *> handle = cublasHandle(options.deviceIndex);
  if (!handle.ok()) {
    return handle.status();
  }
  return std::make_unique<CublasGemm>(call, **handle, *product);
}

} // namespace minic::runtime
