// SPDX-License-Identifier: Apache-2.0
//
// The fake driver's streams, events and copies. What is enqueued is done at
// once, or noted where the stream captures.

#include "test/unit/runtime/device/cuda/FakeCudaState.h"

#include <chrono>
#include <cstring>
#include <set>
#include <utility>

namespace minic::testing {

static std::set<CUstream> &streams() {
  static auto *all = new std::set<CUstream>;
  return *all;
}

void forEachStream(const std::function<void(CUstream_st &)> &visit) {
  for (CUstream stream : streams()) {
    visit(*stream);
  }
}

/// The null stream and its names are no objects.
static bool isDefault(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY ||
         stream == CU_STREAM_PER_THREAD;
}

CUresult checkCaptureUnsafe() {
  CUresult result = CUDA_SUCCESS;
  if (captureMode() != CU_STREAM_CAPTURE_MODE_RELAXED) {
    forEachStream([&](CUstream_st &stream) {
      if (stream.capture == CU_STREAM_CAPTURE_STATUS_ACTIVE &&
          stream.mode == CU_STREAM_CAPTURE_MODE_GLOBAL) {
        stream.capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
      }
    });
  }
  return result;
}

CUresult enqueue(CUstream stream, CUgraphNode_st node) {
  CUctx_st *current = currentContext();
  if (isDefault(stream)) {
    return execute(node);
  }
  if (streams().count(stream) == 0 || stream->context != current) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  switch (stream->capture) {
  case CU_STREAM_CAPTURE_STATUS_NONE:
    return execute(node);
  case CU_STREAM_CAPTURE_STATUS_ACTIVE:
    stream->graph->nodes.push_back(
        std::make_shared<CUgraphNode_st>(std::move(node)));
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
}

/// When an event is recorded.
static double eventTime() {
  if (double step = state().microsecondsBetweenEvents; step > 0) {
    static double microseconds = 0;
    return microseconds += step;
  }
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static CUgraphNode_st copyNode(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  CUgraphNode_st node{CU_GRAPH_NODE_TYPE_MEMCPY};
  node.to = to;
  node.from = from;
  node.bytes = bytes;
  return node;
}

static void copyRows(const CUDA_MEMCPY3D &box) {
  for (size_t plane = 0; plane < box.Depth; ++plane) {
    for (size_t row = 0; row < box.Height; ++row) {
      auto at = [&](CUdeviceptr start, size_t pitch, size_t height) {
        return reinterpret_cast<std::byte *>(start) +
               (plane * height + row) * pitch;
      };
      std::memcpy(at(box.dstDevice, box.dstPitch, box.dstHeight),
                  at(box.srcDevice, box.srcPitch, box.srcHeight),
                  box.WidthInBytes);
    }
  }
}

static void fillElements(const CUgraphNode_st &node) {
  for (size_t at = 0; at < node.bytes; at += node.step) {
    std::memcpy(reinterpret_cast<std::byte *>(node.to) + at, &node.value,
                node.elementBytes);
  }
}

/// The operations that are no kernels.
static CUresult executeOther(const CUgraphNode_st &node) {
  switch (node.type) {
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    if (node.box.WidthInBytes > 0) {
      copyRows(node.box);
      return CUDA_SUCCESS;
    }
    std::memcpy(reinterpret_cast<void *>(node.to),
                reinterpret_cast<const void *>(node.from), node.bytes);
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_MEMSET:
    fillElements(node);
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    node.event->microseconds = eventTime();
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult executeKernel(const CUgraphNode_st &node);

CUresult execute(const CUgraphNode_st &node) {
  return node.type == CU_GRAPH_NODE_TYPE_KERNEL ? executeKernel(node)
                                                : executeOther(node);
}

} // namespace minic::testing

using namespace minic::testing;

extern "C" {

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  FAKE_ENTER_CONTEXT;
  *stream = new CUstream_st{context};
  streams().insert(*stream);
  ++state().liveStreams;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  FAKE_ENTER;
  if (streams().erase(stream) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  delete stream;
  --state().liveStreams;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *owner) {
  FAKE_ENTER;
  if (!isDefault(stream) && streams().count(stream) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *owner = isDefault(stream) ? currentContext() : stream->context;
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  FAKE_ENTER;
  if (isDefault(stream) && !currentContext()) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *status = isDefault(stream) ? CU_STREAM_CAPTURE_STATUS_NONE : stream->capture;
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  FAKE_ENTER_CONTEXT;
  if (isDefault(stream)) {
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (stream->capture != CU_STREAM_CAPTURE_STATUS_NONE) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  stream->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  stream->mode = mode;
  stream->graph = new CUgraph_st;
  ++state().liveGraphs;
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  FAKE_ENTER_CONTEXT;
  *graph = nullptr;
  CUstreamCaptureStatus status = stream->capture;
  if (status == CU_STREAM_CAPTURE_STATUS_NONE) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  stream->capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    *graph = std::exchange(stream->graph, nullptr);
    return CUDA_SUCCESS;
  }
  delete std::exchange(stream->graph, nullptr);
  --state().liveGraphs;
  return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
                                cuuint64_t *id, CUgraph *graph,
                                const CUgraphNode **dependencies,
                                const CUgraphEdgeData **edges, size_t *count) {
  FAKE_ENTER;
  if (isDefault(stream) && !currentContext()) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *status = isDefault(stream) ? CU_STREAM_CAPTURE_STATUS_NONE : stream->capture;
  if (id) {
    *id = 1;
  }
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    return CUDA_SUCCESS;
  }
  if (graph) {
    *graph = stream->graph;
  }
  static thread_local CUgraphNode last;
  bool any = !stream->graph->nodes.empty();
  last = any ? stream->graph->nodes.back().get() : nullptr;
  if (dependencies) {
    *dependencies = any ? &last : nullptr;
  }
  if (edges) {
    *edges = nullptr;
  }
  if (count) {
    *count = any;
  }
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  FAKE_ENTER_CONTEXT;
  if (!isDefault(stream) && stream->capture != CU_STREAM_CAPTURE_STATUS_NONE) {
    stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  FAKE_ENTER_CONTEXT;
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  FAKE_ENTER;
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  FAKE_ENTER_CONTEXT;
  CUgraphNode_st node{CU_GRAPH_NODE_TYPE_EVENT_RECORD};
  node.event = event;
  return enqueue(stream, std::move(node));
}

CUresult cuEventSynchronize(CUevent) {
  FAKE_ENTER_CONTEXT;
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  FAKE_ENTER_CONTEXT;
  if (begin->microseconds < 0 || end->microseconds < 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *milliseconds = float((end->microseconds - begin->microseconds) / 1000);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  FAKE_ENTER_CONTEXT;
  return enqueue(stream, copyNode(to, from, bytes));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                           CUstream stream) {
  FAKE_ENTER_CONTEXT;
  return enqueue(stream, copyNode(to, CUdeviceptr(from), bytes));
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  FAKE_ENTER_CONTEXT;
  return enqueue(stream, copyNode(CUdeviceptr(to), from, bytes));
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *box, CUstream stream) {
  FAKE_ENTER_CONTEXT;
  // As the real one: rows lie apart, and planes hold their rows.
  if (box->srcMemoryType != CU_MEMORYTYPE_DEVICE ||
      box->dstMemoryType != CU_MEMORYTYPE_DEVICE ||
      box->WidthInBytes > box->srcPitch || box->WidthInBytes > box->dstPitch ||
      box->Height > box->srcHeight || box->Height > box->dstHeight) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraphNode_st node{CU_GRAPH_NODE_TYPE_MEMCPY};
  node.box = *box;
  return enqueue(stream, std::move(node));
}

static CUresult fill(CUdeviceptr to, unsigned value, size_t elementBytes,
                     size_t step, size_t count, CUstream stream) {
  if (to % elementBytes != 0 || step % elementBytes != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraphNode_st node{CU_GRAPH_NODE_TYPE_MEMSET};
  node.to = to;
  node.value = value;
  node.elementBytes = elementBytes;
  node.step = step;
  node.bytes = count * step;
  return enqueue(stream, std::move(node));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes,
                         CUstream stream) {
  FAKE_ENTER_CONTEXT;
  return fill(to, value, 1, 1, bytes, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  FAKE_ENTER_CONTEXT;
  return fill(to, value, 2, 2, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  FAKE_ENTER_CONTEXT;
  return fill(to, value, 4, 4, count, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream) {
  FAKE_ENTER_CONTEXT;
  return width == 1 ? fill(to, value, 4, pitch, height, stream)
                    : CUDA_ERROR_NOT_SUPPORTED;
}

} // extern "C"
