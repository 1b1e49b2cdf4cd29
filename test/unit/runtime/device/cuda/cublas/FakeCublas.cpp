// SPDX-License-Identifier: Apache-2.0
//
// Column-major products as the libraries' documentation defines them.

#include "test/unit/runtime/device/cuda/cublas/FakeCublas.h"

#include "runtime/base/SmallFloat.h"

#include <cublasLt.h>
#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

using minic::testing::FakeCublas;

#define EXPORT extern "C" __attribute__((visibility("default")))

/// As another process is told to have it: MINIC_FAKE_CUBLAS_VERSION=130200.
static FakeCublas initialState() {
  FakeCublas state;
  if (const char *version = std::getenv("MINIC_FAKE_CUBLAS_VERSION")) {
    state.version = size_t(std::strtoull(version, nullptr, 10));
  }
  return state;
}

static FakeCublas state = initialState();
static std::mutex stateMutex; // handles of two devices are used at once
EXPORT FakeCublas *minicFakeCublas() { return &state; }

namespace {

/// Attributes by number.
struct Attributes {
  std::map<int, std::vector<char>> values;

  cublasStatus_t set(int attribute, const void *buffer, size_t bytes) {
    auto *chars = static_cast<const char *>(buffer);
    values[attribute].assign(chars, chars + bytes);
    return CUBLAS_STATUS_SUCCESS;
  }
  template <typename T> T get(int attribute, T otherwise) const {
    auto found = values.find(attribute);
    if (found != values.end()) {
      std::memcpy(&otherwise, found->second.data(),
                  std::min(sizeof(T), found->second.size()));
    }
    return otherwise;
  }
};

struct Layout : Attributes {
  cudaDataType_t type;
  int64_t rows, columns, pitch;
  int64_t stride() const {
    return get<int64_t>(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 0);
  }
  int batch() const { return get<int>(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1); }
};

struct Description : Attributes {
  cublasComputeType_t compute;
};

double load(cudaDataType_t type, const void *base, int64_t i) {
  float wide;
  uint16_t narrow;
  if (type == CUDA_R_32F) {
    std::memcpy(&wide, static_cast<const char *>(base) + 4 * i, 4);
    return wide;
  }
  std::memcpy(&narrow, static_cast<const char *>(base) + 2 * i, 2);
  return type == CUDA_R_16F ? minic::runtime::f16ToFloat(narrow)
                            : minic::runtime::bf16ToFloat(narrow);
}

void store(cudaDataType_t type, void *base, int64_t i, double value) {
  float wide = float(value);
  uint16_t narrow = type == CUDA_R_16F ? minic::runtime::floatToF16(wide)
                                       : minic::runtime::floatToBf16(wide);
  if (type == CUDA_R_32F) {
    std::memcpy(static_cast<char *>(base) + 4 * i, &wide, 4);
  } else {
    std::memcpy(static_cast<char *>(base) + 2 * i, &narrow, 2);
  }
}

double gelu(double x) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/// One operand: where it is and how it is read.
struct Matrix {
  const void *base;
  cudaDataType_t type;
  int64_t pitch, stride;
  bool transposed = false;
  double at(int64_t row, int64_t column, int64_t batch) const {
    return load(type, base,
                batch * stride +
                    (transposed ? column + row * pitch : row + column * pitch));
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// cuBLAS
//===----------------------------------------------------------------------===//

EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  *handle = reinterpret_cast<cublasHandle_t>(&state);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version) {
  *version = int(state.version);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT const char *cublasGetStatusString(cublasStatus_t) { return "fake text"; }
EXPORT cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(stateMutex);
  state.stream = stream;
  state.workspace = nullptr; // forgotten, as the real one does
  state.workspaceBytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void *workspace,
                                            size_t bytes) {
  std::lock_guard<std::mutex> lock(stateMutex);
  state.workspace = workspace;
  state.workspaceBytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t, cublasOperation_t opA, cublasOperation_t opB, int64_t m,
    int64_t n, int64_t k, const void *alpha, const void *a, cudaDataType typeA,
    int64_t pitchA, long long strideA, const void *b, cudaDataType typeB,
    int64_t pitchB, long long strideB, const void *beta, void *d,
    cudaDataType typeD, int64_t pitchD, long long strideD, int64_t batch,
    cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (pitchA < (opA == CUBLAS_OP_N ? m : k) ||
      pitchB < (opB == CUBLAS_OP_N ? k : n) || pitchD < m ||
      *static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  Matrix matrixA{a, typeA, pitchA, strideA, opA == CUBLAS_OP_T};
  Matrix matrixB{b, typeB, pitchB, strideB, opB == CUBLAS_OP_T};
  for (int64_t i = 0; i < batch * m * n; ++i) {
    int64_t row = i % m, column = i / m % n, which = i / (m * n);
    double sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += matrixA.at(row, p, which) * matrixB.at(p, column, which);
    }
    store(typeD, d, which * strideD + row + column * pitchD, sum);
  }
  std::lock_guard<std::mutex> lock(stateMutex);
  state.computeType = compute;
  state.isBatched = batch > 1;
  ++state.products;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGemmEx_64(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,
    int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
    cudaDataType typeA, int64_t pitchA, const void *b, cudaDataType typeB,
    int64_t pitchB, const void *beta, void *d, cudaDataType typeD,
    int64_t pitchD, cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx_64(
      handle, opA, opB, m, n, k, alpha, a, typeA, pitchA, 0, b, typeB, pitchB,
      0, beta, d, typeD, pitchD, 0, 1, compute, algorithm);
}

//===----------------------------------------------------------------------===//
// cuBLASLt
//===----------------------------------------------------------------------===//

template <typename T, typename Handle> static T *as(Handle handle) {
  return reinterpret_cast<T *>(handle);
}

EXPORT cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(&state);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT size_t cublasLtGetVersion() { return state.version; }
EXPORT const char *cublasLtGetStatusString(cublasStatus_t) {
  return "fake text";
}

EXPORT cublasStatus_t
cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *description,
                         cublasComputeType_t compute, cudaDataType_t) {
  auto *made = new Description;
  made->compute = compute;
  *description = as<std::remove_pointer_t<cublasLtMatmulDesc_t>>(made);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete as<Description>(description);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute,
    const void *buffer, size_t bytes) {
  return as<Description>(description)->set(attribute, buffer, bytes);
}

EXPORT cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                                 cudaDataType type,
                                                 uint64_t rows,
                                                 uint64_t columns,
                                                 int64_t pitch) {
  auto *made = new Layout;
  made->type = type;
  made->rows = int64_t(rows);
  made->columns = int64_t(columns);
  made->pitch = pitch;
  *layout = as<std::remove_pointer_t<cublasLtMatrixLayout_t>>(made);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete as<Layout>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
    const void *buffer, size_t bytes) {
  return as<Layout>(layout)->set(attribute, buffer, bytes);
}

EXPORT cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference =
      as<std::remove_pointer_t<cublasLtMatmulPreference_t>>(new Attributes);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete as<Attributes>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *buffer,
    size_t bytes) {
  return as<Attributes>(preference)->set(attribute, buffer, bytes);
}

EXPORT cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
    cublasLtMatmulPreference_t preference, int requested,
    cublasLtMatmulHeuristicResult_t results[], int *count) {
  std::lock_guard<std::mutex> lock(stateMutex);
  auto &wanted = *as<Attributes>(preference);
  auto limit =
      wanted.get<uint64_t>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 0);
  state.reductionMask =
      wanted.get<uint32_t>(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                           CUBLASLT_REDUCTION_SCHEME_MASK);
  state.alignmentA =
      wanted.get<uint32_t>(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 0);
  state.alignmentB =
      wanted.get<uint32_t>(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 0);
  state.biasAtSearch =
      as<Description>(description)
          ->get<uint64_t>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, 0);
  ++state.searches;
  *count = 0;
  for (int i = 0; i < state.algorithms && *count < requested; ++i) {
    size_t bytes = size_t(i) * state.workspaceUnit;
    if (bytes > limit) {
      continue;
    }
    cublasLtMatmulHeuristicResult_t &result = results[(*count)++];
    result = {};
    result.algo.data[0] = state.firstAlgorithm + uint64_t(i);
    result.workspaceSize = bytes;
    result.state = CUBLAS_STATUS_SUCCESS;
  }
  return *count ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

EXPORT cublasStatus_t cublasLtMatmulAlgoCheck(
    cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
    const cublasLtMatmulAlgo_t *algorithm,
    cublasLtMatmulHeuristicResult_t *result) {
  uint64_t i = algorithm->data[0] - state.firstAlgorithm;
  if (i >= uint64_t(state.algorithms)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  result->workspaceSize = i * state.workspaceUnit;
  result->state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t *algorithm,
    cublasLtMatmulAlgoConfigAttributes_t attribute, void *buffer, size_t bytes,
    size_t *written) {
  uint32_t value = 0;
  switch (attribute) {
  case CUBLASLT_ALGO_CONFIG_ID:
    value = uint32_t(algorithm->data[0]);
    break;
  case CUBLASLT_ALGO_CONFIG_TILE_ID:
    value = CUBLASLT_MATMUL_TILE_128x256;
    break;
  case CUBLASLT_ALGO_CONFIG_STAGES_ID:
    value = CUBLASLT_MATMUL_STAGES_64x4;
    break;
  case CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID:
    value = CUBLASLT_CLUSTER_SHAPE_2x1x1;
    break;
  case CUBLASLT_ALGO_CONFIG_SPLITK_NUM:
    value = uint32_t(algorithm->data[0] - state.firstAlgorithm) + 1;
    break;
  default:
    break;
  }
  std::memcpy(buffer, &value, std::min<size_t>(bytes, 4));
  *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t, cublasLtMatmulDesc_t descriptionHandle, const void *alpha,
    const void *a, cublasLtMatrixLayout_t aHandle, const void *b,
    cublasLtMatrixLayout_t bHandle, const void *beta, const void *c,
    cublasLtMatrixLayout_t cHandle, void *d, cublasLtMatrixLayout_t dHandle,
    const cublasLtMatmulAlgo_t *algorithm, void *workspace,
    size_t workspaceBytes, cudaStream_t stream) {
  const auto &description = *as<Description>(descriptionHandle);
  const auto &layoutA = *as<Layout>(aHandle), &layoutB = *as<Layout>(bHandle),
             &layoutC = *as<Layout>(cHandle), &layoutD = *as<Layout>(dHandle);
  auto isTransposed = [&](cublasLtMatmulDescAttributes_t attribute) {
    return description.get<int>(attribute, CUBLAS_OP_N) == CUBLAS_OP_T;
  };
  bool transA = isTransposed(CUBLASLT_MATMUL_DESC_TRANSA);
  bool transB = isTransposed(CUBLASLT_MATMUL_DESC_TRANSB);
  int64_t m = layoutD.rows, n = layoutD.columns;
  int64_t k = transA ? layoutA.rows : layoutA.columns;
  bool fits = (transA ? layoutA.columns : layoutA.rows) == m &&
              (transB ? layoutB.rows : layoutB.columns) == n &&
              (transB ? layoutB.columns : layoutB.rows) == k &&
              layoutC.rows == m && layoutC.columns == n &&
              layoutA.batch() == layoutD.batch() &&
              layoutB.batch() == layoutD.batch();
  for (const Layout *layout : {&layoutA, &layoutB, &layoutC, &layoutD}) {
    fits &= layout->pitch >= layout->rows;
  }
  if (!fits || *static_cast<const float *>(alpha) != 1) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  auto epilogue = description.get<uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE,
                                            CUBLASLT_EPILOGUE_DEFAULT);
  auto pointer = [&](cublasLtMatmulDescAttributes_t attribute) {
    return reinterpret_cast<void *>(description.get<uint64_t>(attribute, 0));
  };
  const void *bias = pointer(CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  auto biasType = cudaDataType_t(
      description.get<int>(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, layoutD.type));
  void *aux = pointer(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
  auto auxPitch =
      description.get<int64_t>(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 0);
  auto auxStride = description.get<int64_t>(
      CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, 0);
  Matrix matrixA{a, layoutA.type, layoutA.pitch, layoutA.stride(), transA};
  Matrix matrixB{b, layoutB.type, layoutB.pitch, layoutB.stride(), transB};
  Matrix matrixC{c, layoutC.type, layoutC.pitch, layoutC.stride()};
  float scaleC = *static_cast<const float *>(beta);
  for (int64_t i = 0; i < layoutD.batch() * m * n; ++i) {
    int64_t row = i % m, column = i / m % n, which = i / (m * n);
    double sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += matrixA.at(row, p, which) * matrixB.at(p, column, which);
    }
    sum += scaleC != 0 ? scaleC * matrixC.at(row, column, which) : 0;
    if (epilogue & CUBLASLT_EPILOGUE_BIAS) {
      sum += load(biasType, bias, row);
    }
    if ((epilogue & 128) != 0) {
      store(layoutD.type, aux, which * auxStride + row + column * auxPitch,
            sum);
    }
    if (epilogue & CUBLASLT_EPILOGUE_RELU) {
      sum = std::max(sum, 0.0);
    } else if (epilogue & CUBLASLT_EPILOGUE_GELU) {
      sum = gelu(sum);
    }
    store(layoutD.type, d,
          which * layoutD.stride() + row + column * layoutD.pitch, sum);
  }
  std::lock_guard<std::mutex> lock(stateMutex);
  state.stream = stream;
  state.workspace = workspace;
  state.workspaceBytes = workspaceBytes;
  state.algorithm = algorithm->data[0];
  state.epilogue = epilogue;
  state.computeType = description.compute;
  state.isBatched = layoutD.batch() > 1;
  ++state.products;
  return CUBLAS_STATUS_SUCCESS;
}
