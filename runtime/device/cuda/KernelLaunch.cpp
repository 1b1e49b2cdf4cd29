// SPDX-License-Identifier: Apache-2.0
//
// Loads cubins and PTX; compares each launch with what device and kernel allow,
// so that a run cannot fail for its shape.

#include "runtime/device/cuda/KernelLaunch.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <cstring>
#include <elf.h>

namespace minic::runtime {

// Of e_machine.
static constexpr uint16_t kElfMachineCuda = 190;
// Blocks of a cluster that every device with clusters can do, and that a kernel
// may ask for.
static constexpr int kPortableClusterBlocks = 8;
static constexpr int kMostClusterBlocks = 16;

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
  if (auto known = modules.find(index); known != modules.end()) {
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
  modules.emplace(index, CudaModule(context, module));
  return module;
}

/// One to three extents of at least `least`, x first.
static absl::Status readExtents(const flatbuffers::Vector<int64_t> &from,
                                int64_t least, const std::string &what,
                                unsigned (&to)[3]) {
  if (from.size() < 1 || from.size() > 3) {
    return absl::DataLossError(absl::StrCat("damaged artifact: ", what,
                                            ": expected 1 to 3 extents, got ",
                                            from.size()));
  }
  for (uint32_t i = 0; i < from.size(); ++i) {
    if (from[i] < least || from[i] > INT32_MAX) {
      return absl::DataLossError(absl::StrCat("damaged artifact: ", what,
                                              ": extent ", from[i],
                                              " is out of range"));
    }
    to[i] = unsigned(from[i]);
  }
  return absl::OkStatus();
}

static absl::Status beyond(const std::string &what, int64_t most, int64_t got) {
  return absl::FailedPreconditionError(absl::StrCat(
      what, ": expected at most ", most, " on this device, got ", got));
}

absl::Status KernelModules::setShape(const format::Launch &launch,
                                     KernelLaunch &made) const {
  std::string what = absl::StrCat("launch '", launch.entry()->str(), "': ");
  absl::Status status =
      readExtents(*launch.grid(), 0, absl::StrCat(what, "grid"), made.grid);
  if (status.ok() && launch.block()) {
    status = readExtents(*launch.block(), 1, absl::StrCat(what, "block"),
                         made.block);
  }
  if (!status.ok()) {
    return status;
  }
  static constexpr CUdevice_attribute gridLimits[] = {
      CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
      CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
  static constexpr CUdevice_attribute blockLimits[] = {
      CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
      CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};
  for (int i = 0; i < 3; ++i) {
    made.isEmpty |= made.grid[i] == 0;
    int mostBlocks = context->attribute(gridLimits[i]);
    if (int64_t(made.grid[i]) > mostBlocks) {
      return beyond(absl::StrCat(what, "blocks along dimension ", i),
                    mostBlocks, made.grid[i]);
    }
    int mostThreads = context->attribute(blockLimits[i]);
    if (int64_t(made.block[i]) > mostThreads) {
      return beyond(absl::StrCat(what, "threads along dimension ", i),
                    mostThreads, made.block[i]);
    }
  }
  int most = 0;
  MINIC_RETURN_IF_CUDA_ERROR(
      context->driver(),
      cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                         made.function),
      what);
  int64_t threads = int64_t(made.block[0]) * made.block[1] * made.block[2];
  if (threads > most) {
    return beyond(absl::StrCat(what, "threads of a block"), most, threads);
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
  if (!launch.cluster()) {
    return absl::OkStatus();
  }
  std::string what =
      absl::StrCat("launch '", launch.entry()->str(), "': cluster");
  unsigned cluster[3] = {1, 1, 1};
  if (absl::Status status = readExtents(*launch.cluster(), 1, what, cluster);
      !status.ok()) {
    return status;
  }
  int64_t blocks = int64_t(cluster[0]) * cluster[1] * cluster[2];
  if (blocks > 1 && !context->attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)) {
    return beyond(absl::StrCat(what, " of blocks"), 1, blocks);
  }
  if (blocks > kMostClusterBlocks) {
    return beyond(absl::StrCat(what, " of blocks"), kMostClusterBlocks, blocks);
  }
  for (int i = 0; i < 3; ++i) {
    if (made.grid[i] % cluster[i] != 0) {
      return absl::DataLossError(absl::StrCat(
          "damaged artifact: ", what, ": ", cluster[i], " does not divide ",
          made.grid[i], " blocks along dimension ", i));
    }
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
  // 48 KB come without asking; a kernel of several launches needs the largest.
  MINIC_RETURN_IF_CUDA_ERROR(
      driver,
      cuFuncGetAttribute(&allowed,
                         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                         made.function),
      what);
  if (int64_t(made.sharedBytes) > allowed) {
    MINIC_RETURN_IF_CUDA_ERROR(
        driver,
        cuFuncSetAttribute(made.function,
                           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           int(made.sharedBytes)),
        what);
  }
  return absl::OkStatus();
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
    if (exists != (i < count) || (exists && bytes != sizeof(void *))) {
      return absl::DataLossError(absl::StrCat(
          "damaged artifact: launch '", launch.entry()->str(), "': expected ",
          count, " parameters of 8 bytes, the kernel has ",
          exists ? absl::StrCat("one of ", bytes, " bytes as parameter ", i)
                 : absl::StrCat(i)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<KernelLaunch>
KernelModules::makeLaunch(const format::Launch &launch) {
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
  if (!status.ok()) {
    return status;
  }
  return made;
}

} // namespace minic::runtime
