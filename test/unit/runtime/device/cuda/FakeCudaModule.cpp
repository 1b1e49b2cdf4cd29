// SPDX-License-Identifier: Apache-2.0
//
// The fake driver's modules and kernels. A binary is PTX, an ELF header with
// PTX behind it, or a cubin; what its entries are called says which host
// function they are. Kernels of other names do nothing.

#include "test/unit/runtime/device/cuda/FakeCudaState.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <sstream>

#include <unistd.h>

namespace minic::testing {

template <typename T> static T *pointerTo(uint64_t value) {
  return reinterpret_cast<T *>(value);
}

/// The kernels of PTX.
static void readPtx(const char *text, CUmodule module) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t entry = line.find(".entry ");
    if (entry != std::string::npos) {
      size_t begin = entry + 7, end = line.find('(', begin);
      module->functions.push_back(std::make_unique<CUfunc_st>(
          CUfunc_st{module->context, line.substr(begin, end - begin), {}}));
    }
    for (size_t at = 0; (at = line.find(".param ", at)) != std::string::npos;
         ++at) {
      // An array is ".param .align 64 .b8 name[128]".
      std::string param = line.substr(at, line.find_first_of(",)", at) - at);
      size_t array = param.find('[');
      size_t scalar = param.find(".u32") == std::string::npos ? 8 : 4;
      module->functions.back()->params.push_back(
          array == std::string::npos ? scalar
                                     : std::stoul(param.substr(array + 1)));
    }
  }
}

/// The kernels of a cubin: of each a section ".nv.info.NAME" lists attributes,
/// one of them per parameter.
static void readCubin(const char *image, CUmodule module) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  auto section = [&](size_t i) {
    Elf64_Shdr read;
    std::memcpy(&read, image + header.e_shoff + i * header.e_shentsize,
                sizeof(read));
    return read;
  };
  const char *names = image + section(header.e_shstrndx).sh_offset;
  const std::string prefix = ".nv.info.";
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr info = section(i);
    std::string name = names + info.sh_name;
    if (name.compare(0, prefix.size(), prefix) != 0) {
      continue;
    }
    auto &function = module->functions.emplace_back(std::make_unique<CUfunc_st>(
        CUfunc_st{module->context, name.substr(prefix.size()), {}}));
    const auto *bytes =
        reinterpret_cast<const unsigned char *>(image + info.sh_offset);
    for (size_t at = 0; at + 4 <= info.sh_size;) {
      constexpr unsigned char sized = 4, parameter = 0x17;
      if (bytes[at + 1] == parameter) {
        // Its place is at 4 of what follows, its size in the word at 8.
        size_t place = bytes[at + 8] + 256 * bytes[at + 9];
        uint32_t word;
        std::memcpy(&word, bytes + at + 12, sizeof(word));
        function->params.resize(std::max(function->params.size(), place + 1));
        function->params[place] = word >> 18;
      }
      at += 4 + (bytes[at] == sized ? bytes[at + 2] + 256 * bytes[at + 3] : 0);
    }
  }
}

/// The kernels that tests may name; each is the whole grid.
static CUresult runKernel(const std::string &name,
                          const std::vector<uint64_t> &values) {
  if (name == "scale_f32") { // destination = 2 * source + 1
    auto *source = pointerTo<float>(values[0]);
    auto *destination = pointerTo<float>(values[1]);
    for (uint64_t i = 0; i < values[2]; ++i) {
      destination[i] = 2 * source[i] + 1;
    }
  } else if (name == "add_f32") {
    auto *left = pointerTo<float>(values[0]);
    auto *right = pointerTo<float>(values[1]);
    auto *destination = pointerTo<float>(values[2]);
    for (uint64_t i = 0; i < values[3]; ++i) {
      destination[i] = left[i] + right[i];
    }
  } else if (name == "increment" || name == "linger") {
    *pointerTo<int64_t>(values[0]) += int64_t(values[1]);
  } else if (name == "first_of_map") { // destination = the map's first 8 bytes
    std::memcpy(pointerTo<void>(values[1]), pointerTo<void>(values[2]), 8);
  } else if (name == "illegal") {
    currentContext()->sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  return CUDA_SUCCESS;
}

/// Devices do not reach each other's memory.
static bool isOfAnotherDevice(uint64_t value, int device) {
  CUdeviceptr base = 0;
  Allocation allocation{0, CUmemorytype(0), 0};
  return findAllocation(value, base, allocation) &&
         allocation.type == CU_MEMORYTYPE_DEVICE && allocation.device != device;
}

CUresult executeKernel(const CUgraphNode_st &node) {
  auto isTold = [&](const std::string &text) {
    return !text.empty() && node.launch.find(text) != std::string::npos;
  };
  while (isTold(state().hangingLaunch)) {
    ::pause();
  }
  bool isAway =
      std::any_of(node.values.begin(), node.values.end(), [](uint64_t value) {
        return isOfAnotherDevice(value, currentContext()->device);
      });
  if (isAway || isTold(state().illegalLaunch)) {
    currentContext()->sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    return CUDA_SUCCESS;
  }
  return runKernel(node.kernel.func->name, node.values);
}

static CUresult launch(CUfunction function, unsigned grid, unsigned shared,
                       CUstream stream, void **params,
                       const std::string &attributes) {
  FakeCuda &fake = state();
  if (fake.launchResult != CUDA_SUCCESS) {
    return fake.launchResult;
  }
  if (function->context != currentContext()) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (int(shared) > function->dynamicShared) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraphNode_st node{CU_GRAPH_NODE_TYPE_KERNEL};
  node.kernel.func = function;
  for (size_t i = 0; i < function->params.size(); ++i) {
    node.values.push_back(*static_cast<const uint64_t *>(params[i]));
  }
  node.launch = function->name + " grid=" + std::to_string(grid) +
                " shared=" + std::to_string(shared) + attributes;
  fake.launches.push_back(node.launch);
  return enqueue(stream, std::move(node));
}

} // namespace minic::testing

using namespace minic::testing;

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  FAKE_ENTER_CONTEXT;
  FakeCuda &fake = state();
  if (CUresult result = checkCaptureUnsafe(); result != CUDA_SUCCESS) {
    return result;
  }
  if (fake.moduleResult != CUDA_SUCCESS) {
    for (unsigned i = 0; i + 1 < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
        std::strncpy(static_cast<char *>(values[i]), fake.jitLog.c_str(),
                     size_t(values[i + 1]) - 1);
      }
    }
    return fake.moduleResult;
  }
  *module = new CUmod_st{context, {}};
  const char *text = static_cast<const char *>(image);
  Elf64_Ehdr header;
  if (std::memcmp(text, ELFMAG, SELFMAG) != 0) {
    readPtx(text, *module);
  } else if (std::memcpy(&header, text, sizeof(header)); header.e_shnum == 0) {
    readPtx(text + sizeof(header), *module);
  } else {
    readCubin(text, *module);
  }
  ++fake.liveModules;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  FAKE_ENTER;
  delete module;
  --state().liveModules;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  FAKE_ENTER_CONTEXT;
  for (const std::unique_ptr<CUfunc_st> &candidate : module->functions) {
    if (candidate->name == name) {
      *function = candidate.get();
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncLoad(CUfunction) {
  FAKE_ENTER_CONTEXT;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                            size_t *bytes) {
  FAKE_ENTER_CONTEXT;
  if (index >= function->params.size()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *offset = 8 * index;
  *bytes = function->params[index];
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  FAKE_ENTER_CONTEXT;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = state().kernelThreads;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = function->staticShared;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function->dynamicShared;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  FAKE_ENTER_CONTEXT;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    function->dynamicShared = value;
  } else if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
    function->nonPortableCluster = value != 0;
  } else if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    state().carveouts[function->name] = value;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType, cuuint32_t rank, void *address,
    const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  FAKE_ENTER;
  bool isGood = address && uint64_t(address) % 16 == 0 && rank >= 1 &&
                rank <= 5 &&
                (swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || box[0] * 2 <= 128);
  for (cuuint32_t i = 0; isGood && i < rank; ++i) {
    isGood = dims[i] >= 1 && box[i] >= 1 && box[i] <= 256 && steps[i] == 1 &&
             (i == 0 || strides[i - 1] % 16 == 0);
  }
  if (!isGood) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  // What kernels here see of it.
  *map = {};
  map->opaque[0] = cuuint64_t(address);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeIm2col(
    CUtensorMap *map, CUtensorMapDataType, cuuint32_t rank, void *address,
    const cuuint64_t *dims, const cuuint64_t *strides, const int *lower,
    const int *upper, cuuint32_t channels, cuuint32_t pixels,
    const cuuint32_t *steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  FAKE_ENTER;
  bool isGood = address && uint64_t(address) % 16 == 0 && rank == 4 &&
                channels >= 1 && channels <= 256 && pixels >= 1 &&
                pixels <= 1024 && steps[0] == 1 && steps[3] == 1 &&
                (swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || channels * 2 <= 128);
  for (cuuint32_t i = 0; isGood && i < 2; ++i) {
    isGood = lower[i] >= -128 && lower[i] <= 127 && upper[i] >= -128 &&
             upper[i] <= 127 && steps[i + 1] >= 1 && steps[i + 1] <= 8;
  }
  for (cuuint32_t i = 0; isGood && i < rank; ++i) {
    isGood = dims[i] >= 1 && (i == 0 || strides[i - 1] % 16 == 0);
  }
  if (!isGood) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *map = {};
  map->opaque[0] = cuuint64_t(address);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned, unsigned, unsigned,
                        unsigned shared, CUstream stream, void **params,
                        void **) {
  FAKE_ENTER_CONTEXT;
  return launch(function, gridX * gridY * gridZ, shared, stream, params, "");
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **params, void **) {
  FAKE_ENTER_CONTEXT;
  std::string attributes;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      unsigned blocks = attribute.value.clusterDim.x *
                        attribute.value.clusterDim.y *
                        attribute.value.clusterDim.z;
      if (blocks > 8 && !function->nonPortableCluster) {
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
      }
      attributes += " cluster=" + std::to_string(blocks);
    } else if (attribute.id ==
               CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
      attributes += " programmatic";
    }
  }
  return launch(function,
                config->gridDimX * config->gridDimY * config->gridDimZ,
                config->sharedMemBytes, config->hStream, params, attributes);
}

} // extern "C"
