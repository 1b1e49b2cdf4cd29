// SPDX-License-Identifier: Apache-2.0
//
// From a plan's views to descriptors; rows of the library are columns of ours.

#include "runtime/device/cuda/CublasltProblem.h"

#include "runtime/format/CallReader.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

CublasltCall::CublasltCall(const format::Call &call)
    : lhs(*format::CallReader(call).view("lhs")),
      rhs(*format::CallReader(call).view("rhs")),
      result(*format::CallReader(call).view("result")),
      bias(format::CallReader(call).view("bias")),
      addend(format::CallReader(call).view("addend")),
      aux(format::CallReader(call).view("aux")),
      allowsTf32(format::CallReader(call).allowsTf32()),
      algorithm(format::CallReader(call).algorithm()), scratch(call.scratch()),
      scratchBytes(call.scratch_bytes()) {
  if (const auto *eltwise = format::CallReader(call).activation()) {
    activation = eltwise->kind();
  }
}

template <typename T>
absl::Status CublasltProblem::set(cublasLtMatmulDescAttributes_t attribute,
                                  const T &value) {
  return library_.status(
      library_.cublasLtMatmulDescSetAttribute(description_.get(), attribute,
                                              &value, sizeof(value)),
      "cuBLASLt: describe a product");
}

absl::Status
CublasltProblem::addLayout(CublasltHandle<cublasLtMatrixLayout_t> &layout,
                           const ColumnMajorMatrix &matrix) {
  cublasStatus_t result = library_.cublasLtMatrixLayoutCreate(
      layout.out(library_.cublasLtMatrixLayoutDestroy), matrix.type,
      matrix.rows, matrix.columns, matrix.pitch);
  auto set = [&](cublasLtMatrixLayoutAttribute_t attribute, auto value) {
    if (result == CUBLAS_STATUS_SUCCESS) {
      result = library_.cublasLtMatrixLayoutSetAttribute(
          layout.get(), attribute, &value, sizeof(value));
    }
  };
  if (product_.batch > 1) {
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
        static_cast<int32_t>(product_.batch));
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.batchStride);
  }
  return library_.status(result, "cuBLASLt: describe a matrix");
}

absl::Status CublasltProblem::describeProduct() {
  cublasComputeType_t compute =
      call_.allowsTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  RETURN_IF_ERROR(
      library_.status(library_.cublasLtMatmulDescCreate(
                          description_.out(library_.cublasLtMatmulDescDestroy),
                          compute, CUDA_R_32F),
                      "cuBLASLt: describe a product"));
  auto operation = [](const ColumnMajorMatrix &matrix) {
    return static_cast<int32_t>(matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  };
  RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_TRANSA, operation(product_.a)));
  return set(CUBLASLT_MATMUL_DESC_TRANSB, operation(product_.b));
}

absl::Status CublasltProblem::describeEpilogue() {
  uint32_t epilogue = call_.bias ? CUBLASLT_EPILOGUE_BIAS : 0;
  if (call_.activation == format::EltwiseKind::relu) {
    epilogue |= CUBLASLT_EPILOGUE_RELU;
  } else if (call_.activation == format::EltwiseKind::gelu_tanh) {
    epilogue |= call_.aux ? CUBLASLT_EPILOGUE_GELU_AUX : CUBLASLT_EPILOGUE_GELU;
  }
  RETURN_IF_ERROR(
      set(CUBLASLT_MATMUL_DESC_EPILOGUE,
          epilogue ? epilogue : uint32_t(CUBLASLT_EPILOGUE_DEFAULT)));
  if (call_.bias) {
    absl::StatusOr<cudaDataType_t> type = toCudaType(call_.bias->dtype());
    if (!type.ok()) {
      return type.status();
    }
    RETURN_IF_ERROR(
        set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<int32_t>(*type)));
    if (call_.bias->dims()->Get(0) > 1 && call_.bias->strides()->Get(0) != 1) {
      return absl::UnimplementedError(
          "unsupported: a bias that is not contiguous in cuBLASLt");
    }
  }
  if (call_.aux) {
    RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_.pitch));
    RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE,
                        static_cast<int32_t>(aux_.type)));
    if (product_.batch > 1) {
      RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
                          aux_.batchStride));
    }
  }
  // The library reads how these are aligned from stand-ins until a run says
  // where they are.
  auto standIn = [](uint32_t alignment) {
    return reinterpret_cast<void *>(uintptr_t(alignment));
  };
  return setPointers(call_.bias ? standIn(alignment_.bias) : nullptr,
                     call_.aux ? standIn(alignment_.aux) : nullptr);
}

absl::Status CublasltProblem::setPointers(const void *bias, void *aux) {
  if (bias != biasPointer_) {
    RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias));
    biasPointer_ = bias;
  }
  if (aux != auxPointer_) {
    RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux));
    auxPointer_ = aux;
  }
  return absl::OkStatus();
}

absl::Status CublasltProblem::build() {
  absl::StatusOr<ColumnMajorProduct> product =
      toColumnMajor(call_.lhs, call_.rhs, call_.result,
                    {call_.addend, call_.aux}, {&addend_, &aux_});
  if (!product.ok()) {
    return product.status();
  }
  product_ = *product;
  if (product_.isEmpty()) {
    return absl::OkStatus();
  }
  if (product_.k == 0 || product_.batch > INT32_MAX) {
    return absl::UnimplementedError(absl::StrCat(
        "unsupported: a product of ", describe(product_), " in cuBLASLt"));
  }
  RETURN_IF_ERROR(describeProduct());
  RETURN_IF_ERROR(describeEpilogue());
  RETURN_IF_ERROR(addLayout(a_, product_.a));
  RETURN_IF_ERROR(addLayout(b_, product_.b));
  RETURN_IF_ERROR(addLayout(c_, call_.addend ? addend_ : product_.d));
  return addLayout(d_, product_.d);
}

absl::StatusOr<std::unique_ptr<CublasltProblem>>
CublasltProblem::create(const CublasltCall &call,
                        const CublasltLibrary &library, cublasLtHandle_t handle,
                        const CublasltAlignment &alignment) {
  std::unique_ptr<CublasltProblem> problem(
      new CublasltProblem(call, library, handle, alignment));
  RETURN_IF_ERROR(problem->build());
  return problem;
}

/// How parts of a split K may be summed, so that nothing is rounded to 16 bits
/// before the result is. With a bias or an activation the reduction of cuBLASLt
/// 13.1 writes the product in the result's dtype and reads it again: in bf16
/// and f16 the sweep of awkward shapes found no algorithm with a split right
/// where the bias cancels most of the product (docs/measurements).
uint32_t CublasltProblem::reductionSchemes() const {
  if (product_.d.type == CUDA_R_32F) {
    return CUBLASLT_REDUCTION_SCHEME_INPLACE |
           CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  }
  bool hasEpilogue = call_.bias || call_.activation.has_value();
  return hasEpilogue ? CUBLASLT_REDUCTION_SCHEME_NONE
                     : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
}

absl::StatusOr<std::vector<cublasLtMatmulHeuristicResult_t>>
CublasltProblem::findAlgorithms(int max, uint64_t scratchLimit) const {
  CublasltHandle<cublasLtMatmulPreference_t> preference;
  cublasStatus_t result = library_.cublasLtMatmulPreferenceCreate(
      preference.out(library_.cublasLtMatmulPreferenceDestroy));
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    if (result == CUBLAS_STATUS_SUCCESS) {
      result = library_.cublasLtMatmulPreferenceSetAttribute(
          preference.get(), attribute, &value, sizeof(value));
    }
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, scratchLimit);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_.a);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_.b);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_.c);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_.d);
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductionSchemes());
  if (result != CUBLAS_STATUS_SUCCESS) {
    return library_.status(result, "cuBLASLt: describe a search");
  }
  std::vector<cublasLtMatmulHeuristicResult_t> found(std::max(max, 1));
  int count = 0;
  result = library_.cublasLtMatmulAlgoGetHeuristic(
      handle_, description_.get(), a_.get(), b_.get(), c_.get(), d_.get(),
      preference.get(), found.size(), found.data(), &count);
  found.resize(result == CUBLAS_STATUS_SUCCESS ? count : 0);
  std::erase_if(found, [&](const cublasLtMatmulHeuristicResult_t &each) {
    return each.state != CUBLAS_STATUS_SUCCESS ||
           each.workspaceSize > scratchLimit;
  });
  if (!found.empty()) {
    return found;
  }
  return absl::UnimplementedError(absl::StrCat(
      "unsupported: cuBLASLt ", library_.version, " has no algorithm for ",
      describe(product_), " within ", scratchLimit, " bytes of workspace",
      result == CUBLAS_STATUS_SUCCESS
          ? ""
          : absl::StrCat(": ", library_.cublasLtGetStatusString(result))));
}

absl::Status CublasltProblem::check(const cublasLtMatmulAlgo_t &algorithm,
                                    uint64_t scratchLimit) const {
  cublasLtMatmulHeuristicResult_t answer = {};
  cublasStatus_t result = library_.cublasLtMatmulAlgoCheck(
      handle_, description_.get(), a_.get(), b_.get(), c_.get(), d_.get(),
      &algorithm, &answer);
  if (result == CUBLAS_STATUS_SUCCESS &&
      answer.state != CUBLAS_STATUS_SUCCESS) {
    result = answer.state;
  }
  RETURN_IF_ERROR(library_.status(result, "cuBLASLt: the plan's algorithm"));
  if (answer.workspaceSize > scratchLimit) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cuBLASLt: the plan's algorithm needs ", answer.workspaceSize,
        " bytes of workspace, the plan has ", scratchLimit));
  }
  return absl::OkStatus();
}

absl::Status CublasltProblem::enqueue(const cublasLtMatmulAlgo_t &algorithm,
                                      CUstream stream, const PlanBases &bases) {
  auto resolve = [&](const format::TensorView *view) {
    return view ? bases.resolve(*view->address()) : nullptr;
  };
  RETURN_IF_ERROR(setPointers(resolve(call_.bias), resolve(call_.aux)));
  void *d = resolve(&call_.result);
  const void *c = call_.addend ? resolve(call_.addend) : d;
  void *workspace = call_.scratch ? bases.resolve(*call_.scratch) : nullptr;
  const float alpha = 1, beta = call_.addend ? 1 : 0;
  cublasStatus_t result = library_.cublasLtMatmul(
      handle_, description_.get(), &alpha, resolve(&call_.rhs), a_.get(),
      resolve(&call_.lhs), b_.get(), &beta, c, c_.get(), d, d_.get(),
      &algorithm, workspace, workspace ? call_.scratchBytes : 0, stream);
  if (result != CUBLAS_STATUS_SUCCESS) {
    return library_.status(
        result, absl::StrCat("cuBLASLt matmul ", describe(product_)));
  }
  return absl::OkStatus();
}

} // namespace minic::runtime
