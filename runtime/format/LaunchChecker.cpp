// SPDX-License-Identifier: Apache-2.0
//
// Checks launches: what every target has, then what each asks.

#include "runtime/format/LaunchChecker.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace minic::format {

// 2^47 bytes are all a process can address.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 47;
// Leaves room to multiply a tile's index by a thread's.
static constexpr int64_t kMaxGrid = int64_t(1) << 40;

// Limits of the CUDA programming model, the same for all architectures; what a
// device has less of is found when the kernel is loaded.
static constexpr int64_t kMaxGpuGrid[3] = {INT32_MAX, 65535, 65535};
static constexpr int64_t kMaxBlock[3] = {1024, 1024, 64};
static constexpr int64_t kMaxBlockThreads = 1024;
static constexpr int64_t kMaxClusterBlocks = 16;
static constexpr uint64_t kMaxSharedBytes = 1024 * 1024;
static constexpr uint64_t kMaxParamBytes = 32764;

template <typename... Args> static absl::Status damaged(const Args &...args) {
  return absl::DataLossError(absl::StrCat("damaged artifact: launch", args...));
}

// Of cuTensorMapEncodeTiled.
static constexpr uint32_t kMaxMapRank = 5;
static constexpr int64_t kMaxMapDim = int64_t(1) << 32;
static constexpr int64_t kMaxMapStride = (int64_t(1) << 40) - 1;
static constexpr int64_t kMaxBox = 256;
static constexpr int64_t kMapUnit = 16; // bytes, of addresses and strides
static constexpr uint64_t kMapBytes = 128;

template <typename... Args>
static absl::Status damagedMap(const Args &...args) {
  return damaged(" tensor map: ", args...);
}

// Of cuTensorMapEncodeIm2col with four dims.
static constexpr int64_t kLeastCorner = -128;
static constexpr int64_t kMostCorner = 127;
static constexpr int64_t kMostStep = 8;

/// Its pixels, of columns and of lines.
static absl::Status checkIm2col(const TensorMapParam &map,
                                const Im2col &im2col) {
  for (const auto *each : {im2col.lower(), im2col.upper(), im2col.steps()}) {
    if (!isAligned(*each)) {
      return damagedMap("pixels are not aligned");
    }
    if (each->size() != 2) {
      return damagedMap("expected pixels of 2 dims, got ", each->size());
    }
  }
  for (uint32_t i = 0; i < 2; ++i) {
    int64_t lower = im2col.lower()->Get(i), upper = im2col.upper()->Get(i);
    int64_t step = im2col.steps()->Get(i);
    if (lower < kLeastCorner || lower > kMostCorner || upper < kLeastCorner ||
        upper > kMostCorner) {
      return damagedMap("pixels from ", lower, " to ", upper,
                        " are out of range");
    }
    if (step < 1 || step > kMostStep) {
      return damagedMap("step ", step, " of its pixels is out of range");
    }
    if (map.dims()->Get(i + 1) + upper - lower < 1) {
      return damagedMap("no pixels from ", lower, " to ", upper);
    }
  }
  return absl::OkStatus();
}

/// `params`: those of its launch, of which it is number `number`.
static absl::Status checkTensorMap(
    const TensorMapParam &map,
    const flatbuffers::Vector<flatbuffers::Offset<ParamEntry>> &params,
    uint32_t number, const AddressSpace &space) {
  const AddressParam *param = map.param() < number
                                  ? params[map.param()]->param_as_AddressParam()
                                  : nullptr;
  if (!param) {
    return damagedMap("parameter ", map.param(),
                      " is not an address ahead of it");
  }
  if (!isAligned(*map.dims()) || !isAligned(*map.strides()) ||
      !isAligned(*map.box())) {
    return damagedMap("extents are not aligned");
  }
  uint32_t rank = map.dims()->size();
  const Im2col *im2col = map.im2col();
  if (im2col &&
      (rank != 4 || map.strides()->size() != 3 || map.box()->size() != 2)) {
    return damagedMap("expected 4 dims, 3 strides and 2 extents of a box of "
                      "images, got ",
                      rank, ", ", map.strides()->size(), " and ",
                      map.box()->size());
  }
  if (rank < 1 || rank > kMaxMapRank || map.strides()->size() + 1 != rank ||
      (!im2col && map.box()->size() != rank)) {
    return damagedMap("expected 1 to 5 dims, a stride fewer and as many "
                      "extents of a box, got ",
                      rank, ", ", map.strides()->size(), " and ",
                      map.box()->size());
  }
  if (map.dtype() != DType::bf16 && map.dtype() != DType::f16) {
    return damagedMap("expected bf16 or f16, got dtype ", int(map.dtype()));
  }
  const uint64_t elementBytes = 2;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < rank; ++i) {
    int64_t dim = map.dims()->Get(i);
    int64_t box = i < map.box()->size() ? map.box()->Get(i) : 1;
    int64_t stride = i == 0 ? int64_t(elementBytes) : map.strides()->Get(i - 1);
    if (dim < 1 || dim > kMaxMapDim) {
      return damagedMap("dimension ", dim, " is out of range");
    }
    if (box < 1 || box > kMaxBox) {
      return damagedMap("extent ", box, " of its box is out of range");
    }
    if (i > 0 &&
        (stride < kMapUnit || stride > kMaxMapStride || stride % kMapUnit)) {
      return damagedMap("stride ", stride, " is no multiple of 16 in range");
    }
    if (uint64_t(dim - 1) > kMaxBytes / uint64_t(stride)) {
      return damagedMap("dimensions overflow");
    }
    bytes += uint64_t(dim - 1) * uint64_t(stride);
  }
  if (im2col) {
    if (absl::Status status = checkIm2col(map, *im2col); !status.ok()) {
      return status;
    }
  }
  uint64_t row = uint64_t(map.box()->Get(0)) * elementBytes;
  uint32_t swizzle = map.swizzle();
  if ((swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128) ||
      row % kMapUnit != 0 || (swizzle != 0 && row > swizzle)) {
    return damagedMap("rows of ", row, " bytes with a swizzle of ", swizzle);
  }
  if (param->address()->offset() % kMapUnit != 0) {
    return damagedMap("offset ", param->address()->offset(),
                      " is no multiple of 16");
  }
  return space.check(*param->address(), bytes + elementBytes, false,
                     "launch tensor map");
}

static absl::Status checkCpuLaunch(const Launch &launch, const Binary &binary) {
  if (binary.kind() != BinaryKind::elf_shared_object ||
      launch.grid()->size() != 1) {
    return damaged(" '", launch.entry()->str(),
                   "': expected a shared object and one grid dimension");
  }
  if ((launch.block() && launch.block()->size() != 0) ||
      (launch.cluster() && launch.cluster()->size() != 0) ||
      launch.shared_bytes() != 0 || launch.programmatic()) {
    return damaged(" '", launch.entry()->str(),
                   "': block, cluster and shared memory are a GPU's");
  }
  for (const ParamEntry *entry : *launch.params()) {
    if (entry->param_as_TensorMapParam()) {
      return damaged(" '", launch.entry()->str(), "': tensor maps are a GPU's");
    }
  }
  return absl::OkStatus();
}

/// `extents` are 1 to 3, each from 1 to its limit, `product` at most.
static absl::Status checkExtents(const flatbuffers::Vector<int64_t> *extents,
                                 const char *what, const int64_t (&limits)[3],
                                 int64_t product) {
  if (!extents || extents->size() < 1 || extents->size() > 3) {
    return damaged(": expected 1 to 3 extents of ", what, ", got ",
                   extents ? extents->size() : 0);
  }
  int64_t count = 1;
  for (uint32_t i = 0; i < extents->size(); ++i) {
    int64_t extent = extents->Get(i);
    if (extent < 1 || extent > limits[i]) {
      return damaged(": ", what, " extent ", extent, " is out of range");
    }
    count = std::min(count * extent, product + 1); // a factor is below 2^31
  }
  if (count > product) {
    return damaged(": ", what, " of more than ", product);
  }
  return absl::OkStatus();
}

static absl::Status checkCudaLaunch(const Launch &launch,
                                    const Binary &binary) {
  if (binary.kind() != BinaryKind::cubin && binary.kind() != BinaryKind::ptx) {
    return damaged(" '", launch.entry()->str(), "': expected a cubin or PTX");
  }
  absl::Status status =
      checkExtents(launch.grid(), "grid", kMaxGpuGrid, INT64_MAX >> 32);
  status.Update(
      checkExtents(launch.block(), "block", kMaxBlock, kMaxBlockThreads));
  bool clustered = launch.cluster() && launch.cluster()->size() != 0;
  if (clustered) {
    status.Update(
        checkExtents(launch.cluster(), "cluster",
                     {kMaxClusterBlocks, kMaxClusterBlocks, kMaxClusterBlocks},
                     kMaxClusterBlocks));
  }
  if (!status.ok()) {
    return status;
  }
  if (clustered) {
    for (uint32_t i = 0; i < launch.cluster()->size(); ++i) {
      int64_t grid = i < launch.grid()->size() ? launch.grid()->Get(i) : 1;
      if (grid % launch.cluster()->Get(i) != 0) {
        return damaged(": cluster extent ", launch.cluster()->Get(i),
                       " does not divide the grid's ", grid);
      }
    }
  }
  if (launch.shared_bytes() > kMaxSharedBytes) {
    return damaged(": ", launch.shared_bytes(),
                   " bytes of shared memory are out of range");
  }
  uint64_t paramBytes = 0;
  for (const ParamEntry *entry : *launch.params()) {
    paramBytes +=
        entry->param_as_TensorMapParam() ? kMapBytes : sizeof(int64_t);
  }
  if (paramBytes > kMaxParamBytes) {
    return damaged(": ", launch.params()->size(), " parameters are too many");
  }
  if (launch.scratch() || launch.scratch_bytes() != 0) {
    return damaged(" scratch: a GPU's is a parameter");
  }
  return absl::OkStatus();
}

absl::Status checkLaunch(const Launch &launch, const Artifact &artifact,
                         const Variant &variant, const AddressSpace &space) {
  if (launch.binary() >= artifact.binaries()->size()) {
    return damaged(": binary ", launch.binary(), ": only ",
                   artifact.binaries()->size(), " exist");
  }
  const Binary &binary = *artifact.binaries()->Get(launch.binary());
  for (const auto *extents :
       {launch.grid(), launch.block(), launch.cluster()}) {
    if (extents && !isAligned(*extents)) {
      return damaged(": extents are not aligned");
    }
  }
  for (int64_t extent : *launch.grid()) {
    if (extent < 0 || extent > kMaxGrid) {
      return damaged(": grid extent ", extent, " is out of range");
    }
  }
  absl::Status status;
  if (variant.target()->string_view() == "cpu") {
    status = checkCpuLaunch(launch, binary);
  } else if (variant.target()->string_view() == "cuda") {
    status = checkCudaLaunch(launch, binary);
  }
  if (!status.ok()) {
    return status;
  }
  for (uint32_t i = 0; i < launch.params()->size(); ++i) {
    const ParamEntry *entry = launch.params()->Get(i);
    if (const AddressParam *param = entry->param_as_AddressParam()) {
      status = space.check(*param->address(), 0, false, "launch parameter");
    } else if (const TensorMapParam *map = entry->param_as_TensorMapParam()) {
      status = checkTensorMap(*map, *launch.params(), i, space);
    } else if (!entry->param_as_ScalarParam()) {
      return damaged(" parameter: unknown kind ", int(entry->param_type()));
    }
    if (!status.ok()) {
      return status;
    }
  }
  uint64_t perThread = launch.scratch_bytes();
  if (perThread % 64 != 0 || perThread > kMaxBytes / variant.threads()) {
    return damaged(" scratch: ", perThread,
                   " bytes a thread are not a multiple of 64 in range");
  }
  if (launch.scratch()) {
    return space.check(*launch.scratch(), perThread * variant.threads(), true,
                       "launch scratch");
  }
  if (perThread != 0) {
    return damaged(" scratch: expected an address for ", perThread,
                   " bytes a thread");
  }
  return absl::OkStatus();
}

} // namespace minic::format
