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
  if (launch.params()->size() * sizeof(int64_t) > kMaxParamBytes) {
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
  for (const ParamEntry *entry : *launch.params()) {
    if (const AddressParam *param = entry->param_as_AddressParam()) {
      status = space.check(*param->address(), 0, false, "launch parameter");
      if (!status.ok()) {
        return status;
      }
    } else if (!entry->param_as_ScalarParam()) {
      return damaged(" parameter: unknown kind ", int(entry->param_type()));
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
