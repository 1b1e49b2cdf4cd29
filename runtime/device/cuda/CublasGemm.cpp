// SPDX-License-Identifier: Apache-2.0
//
// GemmEx with a workspace of the plan's, so that captures allocate nothing and
// Contexts share nothing.

#include "runtime/device/cuda/ColumnMajorProduct.h"
#include "runtime/device/cuda/CublasLibrary.h"
#include "runtime/device/cuda/LibraryCall.h"
#include "runtime/format/CallReader.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

namespace {

class CublasGemm : public LibraryCall {
public:
  CublasGemm(const format::Call &call, CublasHandle &cublas,
             const ColumnMajorProduct &product)
      : call(call), lhs(addressOf("lhs")), rhs(addressOf("rhs")),
        result(addressOf("result")),
        allowsTf32(format::CallReader(call).allowsTf32()), cublas(cublas),
        product(product) {}

  absl::Status enqueue(CUstream stream, const PlanBases &bases) override;
  absl::StatusOr<std::unique_ptr<LibraryCall>> clone() const override {
    return std::make_unique<CublasGemm>(*this);
  }

private:
  const format::Address &addressOf(const char *role) const {
    return *format::CallReader(call).view(role)->address();
  }

  const format::Call &call;
  const format::Address &lhs, &rhs, &result;
  const bool allowsTf32;
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
  const void *a = bases.resolve(rhs);
  const void *b = bases.resolve(lhs);
  void *d = bases.resolve(result);
  void *workspace = call.scratch() ? bases.resolve(*call.scratch()) : nullptr;
  const float one = 1, zero = 0;
  cublasOperation_t opA = product.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasOperation_t opB = product.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasComputeType_t compute =
      allowsTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  std::lock_guard<std::mutex> lock(cublas.mutex);
  // Setting the stream forgets the workspace.
  cublasStatus_t status = library.cublasSetStream(handle, stream);
  if (status == CUBLAS_STATUS_SUCCESS) {
    status = library.cublasSetWorkspace(handle, workspace,
                                        workspace ? call.scratch_bytes() : 0);
  }
  if (status != CUBLAS_STATUS_SUCCESS) {
    return library.status(status, "cuBLAS stream and workspace");
  }
  const auto &[m, n, k, batch, matrixA, matrixB, matrixD] = product;
  if (batch == 1) {
    status = library.cublasGemmEx_64(
        handle, opA, opB, m, n, k, &one, a, matrixA.type, matrixA.pitch, b,
        matrixB.type, matrixB.pitch, &zero, d, matrixD.type, matrixD.pitch,
        compute, CUBLAS_GEMM_DEFAULT);
  } else {
    status = library.cublasGemmStridedBatchedEx_64(
        handle, opA, opB, m, n, k, &one, a, matrixA.type, matrixA.pitch,
        matrixA.batchStride, b, matrixB.type, matrixB.pitch,
        matrixB.batchStride, &zero, d, matrixD.type, matrixD.pitch,
        matrixD.batchStride, batch, compute, CUBLAS_GEMM_DEFAULT);
  }
  if (status != CUBLAS_STATUS_SUCCESS) {
    return library.status(status,
                          absl::StrCat("cuBLAS gemm ", describe(product)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
createCublasGemm(const format::Call &call, const LibraryCallOptions &options) {
  format::CallReader reader(call);
  absl::StatusOr<ColumnMajorProduct> product = toColumnMajor(
      *reader.view("lhs"), *reader.view("rhs"), *reader.view("result"));
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
