// SPDX-License-Identifier: Apache-2.0
//
// The fake driver's start, devices and contexts.

#include "test/unit/runtime/device/cuda/FakeCudaState.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace minic::testing {

FakeCuda &state() {
  static FakeCuda *fake = [] {
    auto *made = new FakeCuda; // outlives all that calls at exit
    if (const char *settings = std::getenv("MINIC_FAKE_CUDA")) {
      made->apply(settings);
    }
    return made;
  }();
  return *fake;
}

CUresult enter(const char *symbol) {
  FakeCuda &fake = state();
  std::string function = symbol;
  if (size_t end = function.rfind("_v"); end != std::string::npos) {
    function.resize(end); // cuda.h's name for it
  }
  ++fake.calls[function];
  return fake.failFunction == function ? fake.failResult : CUDA_SUCCESS;
}

static thread_local std::vector<CUctx_st *> contextStack;
static thread_local CUstreamCaptureMode threadMode =
    CU_STREAM_CAPTURE_MODE_GLOBAL;

CUctx_st *currentContext() {
  return contextStack.empty() ? nullptr : contextStack.back();
}
CUstreamCaptureMode captureMode() { return threadMode; }

static CUctx_st &primaryContext(int device) {
  static auto *contexts = new std::map<int, CUctx_st>;
  return contexts->try_emplace(device, CUctx_st{device}).first->second;
}

} // namespace minic::testing

using namespace minic::testing;

extern "C" {

FakeCuda *minicFakeCuda() { return &state(); }

CUresult cuInit(unsigned) {
  FAKE_ENTER;
  return state().initResult;
}

CUresult cuDriverGetVersion(int *version) {
  *version = state().version;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  switch (error) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return CUDA_SUCCESS;
  case CUDA_ERROR_ILLEGAL_ADDRESS:
    *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return CUDA_SUCCESS;
  case CUDA_ERROR_INVALID_PTX:
    *name = "CUDA_ERROR_INVALID_PTX";
    return CUDA_SUCCESS;
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    *name = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
    return CUDA_SUCCESS;
  default:
    *name = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = "text of the fake driver";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  FAKE_ENTER;
  *count = state().devices;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int index) {
  FAKE_ENTER;
  if (index < 0 || index >= state().devices) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *device = index;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  FAKE_ENTER;
  std::string text = state().deviceName + std::to_string(device);
  std::strncpy(name, text.c_str(), length);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  FAKE_ENTER;
  std::memset(uuid->bytes, device + 1, sizeof(uuid->bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) {
  FAKE_ENTER;
  *bytes = state().memoryBytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  FAKE_ENTER;
  FakeCuda &fake = state();
  if (auto set = fake.attributes.find(attribute);
      set != fake.attributes.end()) {
    *value = set->second;
    return CUDA_SUCCESS;
  }
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = fake.major;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = fake.minor;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    *value = INT32_MAX;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    *value = 65535;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    *value = 1024;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    *value = 64;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = 227 * 1024;
    break;
  case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
    *value = fake.major >= 9;
    break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = 132;
    break;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    *value = 1980000;
    break;
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    *value = 3201000;
    break;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    *value = 6144;
    break;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    *value = 60 << 20;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    *value = 2048;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
    *value = 65536;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    *value = 228 * 1024;
    break;
  default:
    *value = 0;
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  FAKE_ENTER;
  ++state().contextsRetained;
  *context = &primaryContext(device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  FAKE_ENTER;
  // What a lost context held goes with it.
  if (--state().contextsRetained == 0) {
    for (int i = 0; i < 8; ++i) {
      if (primaryContext(i).sticky != CUDA_SUCCESS) {
        primaryContext(i).sticky = CUDA_SUCCESS;
        releaseAll();
      }
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = currentContext();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  FAKE_ENTER;
  contextStack.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context) {
  FAKE_ENTER;
  if (contextStack.empty()) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *context = contextStack.back();
  contextStack.pop_back();
  return CUDA_SUCCESS;
}

/// What a service does that has a context of its own current.
CUresult cuCtxSetCurrent(CUcontext context) {
  FAKE_ENTER;
  if (!contextStack.empty()) {
    contextStack.pop_back();
  }
  if (context) {
    contextStack.push_back(context);
  }
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  std::swap(*mode, threadMode);
  return CUDA_SUCCESS;
}

} // extern "C"
