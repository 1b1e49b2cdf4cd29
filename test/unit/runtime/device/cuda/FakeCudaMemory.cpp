// SPDX-License-Identifier: Apache-2.0
//
// The fake driver's memory, of the device and pinned: all of it the host's.

#include "test/unit/runtime/device/cuda/FakeCudaState.h"

#include <cstdlib>
#include <cstring>

namespace minic::testing {

static std::map<CUdeviceptr, Allocation> &allocations() {
  static auto *all = new std::map<CUdeviceptr, Allocation>;
  return *all;
}

bool findAllocation(CUdeviceptr pointer, CUdeviceptr &base,
                    Allocation &allocation) {
  auto next = allocations().upper_bound(pointer);
  if (next == allocations().begin()) {
    return false;
  }
  --next;
  if (pointer - next->first >= next->second.bytes) {
    return false;
  }
  base = next->first;
  allocation = next->second;
  return true;
}

static CUresult allocate(void **pointer, size_t bytes, CUmemorytype type,
                         int device) {
  FakeCuda &fake = state();
  if (bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  bool isFull = type == CU_MEMORYTYPE_DEVICE &&
                fake.allocatedBytes + bytes > fake.memoryBytes;
  if (isFull || (fake.failAllocation > 0 && --fake.failAllocation == 0)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  size_t rounded = (bytes + 255) / 256 * 256;
  *pointer = std::aligned_alloc(256, rounded);
  if (!*pointer) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  std::memset(*pointer, 0xA5, rounded); // memory comes with what was in it
  allocations()[CUdeviceptr(*pointer)] = {bytes, type, device};
  ++fake.liveAllocations;
  fake.allocatedBytes += type == CU_MEMORYTYPE_DEVICE ? bytes : 0;
  return CUDA_SUCCESS;
}

static CUresult release(CUdeviceptr pointer) {
  auto found = allocations().find(pointer);
  if (found == allocations().end()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  state().allocatedBytes -=
      found->second.type == CU_MEMORYTYPE_DEVICE ? found->second.bytes : 0;
  allocations().erase(found);
  std::free(reinterpret_cast<void *>(pointer));
  --state().liveAllocations;
  return CUDA_SUCCESS;
}

void releaseAll() {
  while (!allocations().empty()) {
    release(allocations().begin()->first);
  }
}

} // namespace minic::testing

using namespace minic::testing;

extern "C" {

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  FAKE_ENTER_CONTEXT;
  if (CUresult result = checkCaptureUnsafe(); result != CUDA_SUCCESS) {
    return result;
  }
  return allocate(reinterpret_cast<void **>(pointer), bytes,
                  CU_MEMORYTYPE_DEVICE, context->device);
}

CUresult cuMemFree(CUdeviceptr pointer) {
  FAKE_ENTER_CONTEXT;
  if (CUresult result = checkCaptureUnsafe(); result != CUDA_SUCCESS) {
    return result;
  }
  return release(pointer);
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream) {
  FAKE_ENTER_CONTEXT;
  return allocate(reinterpret_cast<void **>(pointer), bytes,
                  CU_MEMORYTYPE_DEVICE, context->device);
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream) {
  FAKE_ENTER_CONTEXT;
  return release(pointer);
}

CUresult cuMemAllocHost(void **pointer, size_t bytes) {
  FAKE_ENTER_CONTEXT;
  if (CUresult result = checkCaptureUnsafe(); result != CUDA_SUCCESS) {
    return result;
  }
  return allocate(pointer, bytes, CU_MEMORYTYPE_HOST, context->device);
}

CUresult cuMemFreeHost(void *pointer) {
  FAKE_ENTER_CONTEXT;
  return release(CUdeviceptr(pointer));
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                void **values, CUdeviceptr pointer) {
  FAKE_ENTER;
  CUdeviceptr base = 0;
  Allocation allocation{0, CUmemorytype(0), -2};
  findAllocation(pointer, base, allocation);
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i]) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<CUmemorytype *>(values[i]) = allocation.type;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int *>(values[i]) = allocation.device;
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned *>(values[i]) = 0;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  return CUDA_SUCCESS;
}

} // extern "C"
