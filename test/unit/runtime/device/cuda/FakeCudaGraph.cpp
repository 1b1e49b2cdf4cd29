// SPDX-License-Identifier: Apache-2.0
//
// The fake driver's graphs: instantiated, launched, read and updated.

#include "test/unit/runtime/device/cuda/FakeCudaState.h"

#include <algorithm>

using namespace minic::testing;

extern "C" {

CUresult cuGraphInstantiate(CUgraphExec *executable, CUgraph graph,
                            unsigned long long) {
  FAKE_ENTER_CONTEXT;
  *executable = new CUgraphExec_st;
  for (const std::shared_ptr<CUgraphNode_st> &node : graph->nodes) {
    (*executable)->nodes.push_back({node.get(), *node});
  }
  (*executable)->keep = graph->nodes;
  ++state().liveGraphs;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  FAKE_ENTER;
  delete graph;
  --state().liveGraphs;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  FAKE_ENTER;
  delete executable;
  --state().liveGraphs;
  return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec, CUstream) {
  FAKE_ENTER_CONTEXT;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  FAKE_ENTER_CONTEXT;
  for (const auto &[node, operation] : executable->nodes) {
    if (CUresult result = enqueue(stream, operation); result != CUDA_SUCCESS) {
      return result;
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  FAKE_ENTER;
  if (nodes) {
    for (size_t i = 0; i < std::min(*count, graph->nodes.size()); ++i) {
      nodes[i] = graph->nodes[i].get();
    }
  }
  *count = graph->nodes.size();
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  FAKE_ENTER;
  *type = node->type;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params) {
  FAKE_ENTER_CONTEXT;
  if (node->type != CU_GRAPH_NODE_TYPE_MEMCPY) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *params = {};
  params->srcMemoryType = params->dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  params->srcDevice = node->from;
  params->dstDevice = node->to;
  params->WidthInBytes = node->bytes;
  params->Height = params->Depth = 1;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                    CUDA_MEMSET_NODE_PARAMS *params) {
  FAKE_ENTER_CONTEXT;
  if (node->type != CU_GRAPH_NODE_TYPE_MEMSET) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  // As a driver may: wider elements than were asked for.
  bool isWide = node->bytes % 4 == 0;
  *params = {};
  params->dst = node->to;
  params->value = isWide ? node->value * 0x01010101u : node->value;
  params->elementSize = isWide ? 4 : 1;
  params->width = node->bytes / params->elementSize;
  params->height = 1;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph,
                           CUgraphExecUpdateResultInfo *info) {
  FAKE_ENTER_CONTEXT;
  bool same = executable->nodes.size() == graph->nodes.size();
  for (size_t i = 0; same && i < graph->nodes.size(); ++i) {
    same = executable->nodes[i].second.type == graph->nodes[i]->type;
  }
  *info = {};
  if (!same) {
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    executable->nodes[i].second = *graph->nodes[i];
  }
  return CUDA_SUCCESS;
}

/// The operation of the instantiated graph that `node` became.
static CUgraphNode_st *find(CUgraphExec executable, CUgraphNode node,
                            CUgraphNodeType type) {
  for (auto &[original, operation] : executable->nodes) {
    if (original == node && operation.type == type) {
      return &operation;
    }
  }
  return nullptr;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable,
                                        CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *params) {
  FAKE_ENTER_CONTEXT;
  CUgraphNode_st *operation = find(executable, node, CU_GRAPH_NODE_TYPE_KERNEL);
  if (!operation || params->func->context != context) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  operation->kernel = *params;
  operation->values.clear();
  for (size_t i = 0; i < params->func->params.size(); ++i) {
    operation->values.push_back(
        *static_cast<const uint64_t *>(params->kernelParams[i]));
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable,
                                        CUgraphNode node,
                                        const CUDA_MEMCPY3D *params,
                                        CUcontext) {
  FAKE_ENTER_CONTEXT;
  CUgraphNode_st *operation = find(executable, node, CU_GRAPH_NODE_TYPE_MEMCPY);
  if (!operation || params->srcMemoryType != CU_MEMORYTYPE_UNIFIED ||
      params->dstMemoryType != CU_MEMORYTYPE_UNIFIED) {
    return CUDA_ERROR_INVALID_VALUE; // the type of a node cannot change
  }
  operation->to = params->dstDevice + params->dstXInBytes;
  operation->from = params->srcDevice + params->srcXInBytes;
  operation->bytes = params->WidthInBytes;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable,
                                        CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext) {
  FAKE_ENTER_CONTEXT;
  CUgraphNode_st *operation = find(executable, node, CU_GRAPH_NODE_TYPE_MEMSET);
  if (!operation) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  operation->to = params->dst;
  operation->value = params->value;
  operation->elementBytes = operation->step = params->elementSize;
  operation->bytes = params->width * params->elementSize;
  return CUDA_SUCCESS;
}

} // extern "C"
