// SPDX-License-Identifier: Apache-2.0
//
// Asks the library for each part of an algorithm's configuration.

#include "runtime/device/cuda/CublasltAlgorithm.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace minic::runtime {

std::string toText(const CublasltLibrary &library,
                   const cublasLtMatmulAlgo_t &algorithm) {
  absl::string_view bytes(reinterpret_cast<const char *>(&algorithm),
                          sizeof(algorithm));
  return absl::StrCat(library.version, ":", absl::BytesToHexString(bytes));
}

static std::string tileName(int id) {
  switch (id) {
#define TILE(id, name)                                                         \
  case id:                                                                     \
    return name;
#define STAGES(id, name)
#define CLUSTER(id, name)
#include "runtime/device/cuda/CublasltNames.inc"
#undef TILE
#undef STAGES
#undef CLUSTER
  }
  return absl::StrCat("#", id);
}

static std::string stagesName(int id) {
  switch (id) {
#define TILE(id, name)
#define STAGES(id, name)                                                       \
  case id:                                                                     \
    return name;
#define CLUSTER(id, name)
#include "runtime/device/cuda/CublasltNames.inc"
#undef TILE
#undef STAGES
#undef CLUSTER
  }
  return absl::StrCat("#", id);
}

static std::string clusterName(int id) {
  switch (id) {
#define TILE(id, name)
#define STAGES(id, name)
#define CLUSTER(id, name)                                                      \
  case id:                                                                     \
    return name;
#include "runtime/device/cuda/CublasltNames.inc"
#undef TILE
#undef STAGES
#undef CLUSTER
  }
  return absl::StrCat("#", id);
}

std::string describe(const CublasltLibrary &library,
                     const cublasLtMatmulAlgo_t &algorithm) {
  // Attributes are of 32 bits but the last two kinds, which are of 16.
  auto get = [&](cublasLtMatmulAlgoConfigAttributes_t attribute,
                 size_t bytes = 4) {
    uint32_t value = 0; // little-endian: a short value is its low half
    size_t written = 0;
    return library.cublasLtMatmulAlgoConfigGetAttribute(
               &algorithm, attribute, &value, bytes, &written) ==
                   CUBLAS_STATUS_SUCCESS
               ? static_cast<int>(value)
               : 0;
  };
  std::string text = absl::StrCat("algo=", get(CUBLASLT_ALGO_CONFIG_ID));
  if (int tile = get(CUBLASLT_ALGO_CONFIG_TILE_ID)) {
    absl::StrAppend(&text, " tile=", tileName(tile));
  }
  if (int stages = get(CUBLASLT_ALGO_CONFIG_STAGES_ID)) {
    absl::StrAppend(&text, " stages=", stagesName(stages));
  }
  if (int cluster = get(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, 2)) {
    absl::StrAppend(&text, " cluster=", clusterName(cluster));
  }
  if (int splits = get(CUBLASLT_ALGO_CONFIG_SPLITK_NUM); splits > 1) {
    absl::StrAppend(&text, " splitk=", splits,
                    " reduction=", get(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME));
  }
  if (int swizzle = get(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING)) {
    absl::StrAppend(&text, " swizzle=", swizzle);
  }
  if (int inner = get(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, 2)) {
    absl::StrAppend(&text, " inner=", inner);
  }
  if (int custom = get(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION)) {
    absl::StrAppend(&text, " custom=", custom);
  }
  return text;
}

} // namespace minic::runtime
