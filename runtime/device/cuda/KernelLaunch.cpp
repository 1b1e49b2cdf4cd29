// SPDX-License-Identifier: Apache-2.0
//
// Loads cubins and PTX; compares each launch with what device and kernel allow,
// so that a run cannot fail for its shape. What no device allows, the
// artifact's reader has refused.

#include "runtime/device/cuda/KernelLaunch.h"

#include "runtime/base/Log.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <limits>

namespace minic::runtime {

// Of e_machine.
static constexpr uint16_t kElfMachineCuda = 190;
// Blocks of a cluster that every device with clusters can do unasked.
static constexpr int kPortableClusterBlocks = 8;
// Likewise of shared memory.
static constexpr int64_t kSharedBytesUnasked = 48 * 1024;

/// The driver is given no size, so a cut-off cubin would be read past its end.
static bool isWholeCubin(absl::Span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header)) {
    return false;
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  auto within = [&](uint64_t offset, uint64_t count, uint64_t each) {
    return count == 0 ||
           (offset <= bytes.size() && count * each <= bytes.size() - offset);
  };
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != kElfMachineCuda ||
      header.e_shentsize != sizeof(Elf64_Shdr) ||
      !within(header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr)) ||
      !within(header.e_phoff, header.e_phnum, header.e_phentsize)) {
    return false;
  }
  for (uint16_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof(section),
                sizeof(section));
    if (section.sh_type != SHT_NOBITS &&
        !within(section.sh_offset, 1, section.sh_size)) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<CUmodule> KernelModules::module(uint32_t index) {
  std::lock_guard<std::mutex> lock(loaded->mutex);
  if (auto known = loaded->modules.find(index);
      known != loaded->modules.end()) {
    return known->second.get();
  }
  const format::Binary &binary = *artifact.metadata().binaries()->Get(index);
  absl::Span<const std::byte> bytes = artifact.binary(index);
  bool isPtx = binary.kind() == format::BinaryKind::ptx;
  if (!isPtx &&
      (binary.kind() != format::BinaryKind::cubin || !isWholeCubin(bytes))) {
    return absl::DataLossError(
        absl::StrCat("damaged artifact: binary ", index, " is no whole cubin"));
  }
  // Text needs its end, ELF its alignment; the file promises neither.
  std::string copy(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  CUmodule module;
  CUresult result = context->driver().cuModuleLoadDataEx(
      &module, copy.c_str(), std::size(options), options, values);
  if (result != CUDA_SUCCESS) {
    log[sizeof(log) - 1] = 0;
    absl::Status status = context->driver().status(
        result,
        absl::StrCat("loading binary ", index, " for ", binary.arch()->str()));
    absl::string_view reason = absl::StripAsciiWhitespace(log);
    return absl::Status(status.code(),
                        reason.empty()
                            ? std::string(status.message())
                            : absl::StrCat(status.message(), ": ", reason));
  }
  if (isPtx) {
    logWarning(absl::StrCat("the artifact has no binary for CUDA device ",
                            context->deviceIndex(),
                            ": the driver compiles its ", binary.arch()->str(),
                            " PTX, tuned for no device"));
  }
  loaded->modules.emplace(index, CudaModule(context, module));
  return module;
}

static void copyExtents(const flatbuffers::Vector<int64_t> &from,
                        unsigned (&to)[3]) {
  for (uint32_t i = 0; i < from.size(); ++i) {
    to[i] = unsigned(from[i]);
  }
}

static absl::Status beyond(const std::string &what, int64_t most, int64_t got) {
  return absl::FailedPreconditionError(absl::StrCat(
      what, ": expected at most ", most, " on this device, got ", got));
}

absl::Status KernelModules::setShape(const format::Launch &launch,
                                     KernelLaunch &made) const {
  std::string what =
      absl::StrCat("launch '", launch.entry()->str(), "': threads of a block");
  copyExtents(*launch.grid(), made.grid);
  copyExtents(*launch.block(), made.block);
  // Fewer than the device's where the kernel needs many registers.
  int most = 0;
  MINIC_RETURN_IF_CUDA_ERROR(
      context->driver(),
      cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                         made.function),
      what);
  int64_t threads = int64_t(made.block[0]) * made.block[1] * made.block[2];
  if (threads > most) {
    return beyond(what, most, threads);
  }
  return absl::OkStatus();
}

absl::Status KernelModules::setCluster(const format::Launch &launch,
                                       KernelLaunch &made) const {
  if (launch.programmatic()) {
    CUlaunchAttribute &attribute = made.attributes[made.attributeCount++];
    attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
  }
  if (!launch.cluster() || launch.cluster()->size() == 0) {
    return absl::OkStatus();
  }
  std::string what =
      absl::StrCat("launch '", launch.entry()->str(), "': blocks of a cluster");
  unsigned cluster[3] = {1, 1, 1};
  copyExtents(*launch.cluster(), cluster);
  int64_t blocks = int64_t(cluster[0]) * cluster[1] * cluster[2];
  if (blocks > 1 && !context->attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)) {
    return beyond(what, 1, blocks);
  }
  if (blocks > kPortableClusterBlocks) {
    MINIC_RETURN_IF_CUDA_ERROR(
        context->driver(),
        cuFuncSetAttribute(made.function,
                           CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                           1),
        what);
  }
  CUlaunchAttribute &attribute = made.attributes[made.attributeCount++];
  attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {cluster[0], cluster[1], cluster[2]};
  return absl::OkStatus();
}

absl::Status KernelModules::setShared(const format::Launch &launch,
                                      KernelLaunch &made) const {
  const CudaDriver &driver = context->driver();
  std::string what = absl::StrCat("launch '", launch.entry()->str(),
                                  "': bytes of shared memory a block");
  int most =
      context->attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  int statically = 0, allowed = 0;
  MINIC_RETURN_IF_CUDA_ERROR(
      driver,
      cuFuncGetAttribute(&statically, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                         made.function),
      what);
  made.sharedBytes = launch.shared_bytes();
  int64_t needed = int64_t(made.sharedBytes) + statically;
  if (needed > most) {
    return beyond(what, most, needed);
  }
  if (needed <= kSharedBytesUnasked) {
    return absl::OkStatus();
  }
  // A kernel of several launches needs the largest.
  MINIC_RETURN_IF_CUDA_ERROR(
      driver,
      cuFuncGetAttribute(&allowed,
                         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                         made.function),
      what);
  int dynamic =
      std::max(int(made.sharedBytes), std::min(allowed, most - statically));
  MINIC_RETURN_IF_CUDA_ERROR(
      driver,
      cuFuncSetAttribute(made.function,
                         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                         dynamic),
      what);
  return absl::OkStatus();
}

/// A launch that wants an SM's memory divided between L1 and shared memory in
/// another way than the one ahead may have to wait for that (the CUDA
/// documentation says so of cuFuncSetCacheConfig), so kernels that are to
/// overlap must agree. Left alone, the driver decides by what each kernel
/// needs: two GEMMs of an MLP with blocks of 48 and 72 KB took 13.0 us on an
/// H200, and 8.2 where both asked for the most. A kernel without neighbours
/// keeps the driver's choice, for what is left to L1 is worth up to 2 %
/// (docs/measurements/2026-11-21-cuda/carveout.txt), and more where loads are
/// many and pass through L1: 28 KiB hold too few of those under way.
absl::Status KernelModules::setCarveout(const format::Launch &launch,
                                        KernelLaunch &made) const {
  MINIC_RETURN_IF_CUDA_ERROR(
      context->driver(),
      cuFuncSetAttribute(made.function,
                         CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                         CU_SHAREDMEM_CARVEOUT_MAX_SHARED),
      absl::StrCat("launch '", launch.entry()->str(), "': shared memory"));
  return absl::OkStatus();
}

/// Whether a parameter of four bytes holds `scalar`, signed or not: kernels of
/// others count in i32, and the driver reads the lower half of the value.
static bool fitsFourBytes(const format::ScalarParam *scalar) {
  return scalar && scalar->value() >= std::numeric_limits<int32_t>::min() &&
         scalar->value() <= std::numeric_limits<uint32_t>::max();
}

/// The driver reads as many values as the kernel has parameters.
absl::Status KernelModules::checkParams(const format::Launch &launch,
                                        CUfunction function) const {
  size_t count = launch.params()->size();
  for (size_t i = 0; i <= count; ++i) {
    size_t offset = 0, bytes = 0;
    CUresult result =
        context->driver().cuFuncGetParamInfo(function, i, &offset, &bytes);
    bool exists = result == CUDA_SUCCESS;
    if (!exists && result != CUDA_ERROR_INVALID_VALUE) {
      return context->driver().status(
          result,
          absl::StrCat("launch '", launch.entry()->str(), "': parameter ", i));
    }
    const format::ParamEntry *param =
        i < count ? launch.params()->Get(uint32_t(i)) : nullptr;
    bool isMap = param && param->param_as_TensorMapParam();
    bool isHalf =
        bytes == 4 && param && fitsFourBytes(param->param_as_ScalarParam());
    size_t expected = isMap ? sizeof(CUtensorMap) : sizeof(void *);
    if (exists != (i < count) || (exists && bytes != expected && !isHalf)) {
      return absl::DataLossError(absl::StrCat(
          "damaged artifact: launch '", launch.entry()->str(), "': expected ",
          count, " parameters of 8 bytes",
          isMap ? ", of 128 for a tensor map" : "", ", the kernel has ",
          exists ? absl::StrCat("one of ", bytes, " bytes as parameter ", i)
                 : absl::StrCat(i)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<KernelLaunch>
KernelModules::makeLaunch(const format::Launch &launch, bool hasNeighbours) {
  absl::StatusOr<CUmodule> loaded = module(launch.binary());
  if (!loaded.ok()) {
    return loaded.status();
  }
  const CudaDriver &driver = context->driver();
  KernelLaunch made;
  CUresult result = driver.cuModuleGetFunction(&made.function, *loaded,
                                               launch.entry()->c_str());
  if (result == CUDA_ERROR_NOT_FOUND) {
    return absl::DataLossError(absl::StrCat("damaged artifact: binary ",
                                            launch.binary(), " has no kernel '",
                                            launch.entry()->str(), "'"));
  }
  std::string what = absl::StrCat("kernel '", launch.entry()->str(), "'");
  if (result != CUDA_SUCCESS) {
    return driver.status(result, what);
  }
  // Now and not within the first run, which may be captured.
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuFuncLoad(made.function), what);
  absl::Status status = checkParams(launch, made.function);
  if (status.ok()) {
    status = setShape(launch, made);
  }
  if (status.ok()) {
    status = setCluster(launch, made);
  }
  if (status.ok()) {
    status = setShared(launch, made);
  }
  if (status.ok() && hasNeighbours) {
    status = setCarveout(launch, made);
  }
  if (!status.ok()) {
    return status;
  }
  return made;
}

} // namespace minic::runtime
