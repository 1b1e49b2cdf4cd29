// SPDX-License-Identifier: Apache-2.0
//
// The fake driver's insides, shared by its sources.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_FAKECUDASTATE_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_FAKECUDASTATE_H

#include "test/unit/runtime/device/cuda/FakeCuda.h"

#include <functional>
#include <memory>

struct CUctx_st {
  int device;
  CUresult sticky = CUDA_SUCCESS;
};

struct CUfunc_st {
  CUctx_st *context;
  std::string name;
  std::vector<size_t> params; // bytes of each
  int staticShared = 0, dynamicShared = 48 * 1024;
  bool nonPortableCluster = false;
};

struct CUmod_st {
  CUctx_st *context;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};

struct CUevent_st {
  double microseconds = -1;
};

/// One operation: what it is, and doing it.
struct CUgraphNode_st {
  CUgraphNodeType type;
  CUDA_KERNEL_NODE_PARAMS kernel{};
  std::vector<uint64_t> values = {}; // of the kernel's parameters
  std::string launch = {};           // the kernel's entry in `launches`
  CUdeviceptr to = 0, from = 0;
  size_t bytes = 0;
  unsigned value = 0;
  CUevent event = nullptr;
  CUDA_MEMCPY3D box{}; // of a copy of rows; no width: `bytes` in one
  /// Of a memset: what `value` fills, and from one to the next.
  size_t elementBytes = 1, step = 1;
};

struct CUgraph_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
  /// By the node of the graph that it was instantiated from.
  std::vector<std::pair<CUgraphNode, CUgraphNode_st>> nodes;
  std::vector<std::shared_ptr<CUgraphNode_st>> keep;
};

struct CUstream_st {
  CUctx_st *context;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  CUgraph graph = nullptr;
};

namespace minic::testing {

FakeCuda &state();
/// Counts the call; the error it is to fail with.
CUresult enter(const char *function);
CUctx_st *currentContext();
CUstreamCaptureMode captureMode();
/// Does it at once, or notes it where the stream captures.
CUresult enqueue(CUstream stream, CUgraphNode_st node);
CUresult execute(const CUgraphNode_st &node);
/// Ends all captures of streams that forbid this thread's call.
CUresult checkCaptureUnsafe();
void forEachStream(const std::function<void(CUstream_st &)> &visit);
/// The allocation that holds `pointer`; false where none does.
struct Allocation {
  size_t bytes;
  CUmemorytype type;
  int device;
};
bool findAllocation(CUdeviceptr pointer, CUdeviceptr &base,
                    Allocation &allocation);
/// Of every device.
void releaseAll();

} // namespace minic::testing

/// Every function starts with it.
#define FAKE_ENTER                                                             \
  std::lock_guard<std::recursive_mutex> lock(minic::testing::state().mutex);   \
  if (CUresult entered = minic::testing::enter(__func__);                      \
      entered != CUDA_SUCCESS)                                                 \
  return entered

/// A function that needs a context, and one that is not lost.
#define FAKE_ENTER_CONTEXT                                                     \
  FAKE_ENTER;                                                                  \
  CUctx_st *context = minic::testing::currentContext();                        \
  if (!context)                                                                \
    return CUDA_ERROR_INVALID_CONTEXT;                                         \
  if (context->sticky != CUDA_SUCCESS)                                         \
  return context->sticky

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_FAKECUDASTATE_H
