// SPDX-License-Identifier: Apache-2.0
//
// Captures, notes nodes, patches.

#include "runtime/device/cuda/PatchableGraph.h"

#include "runtime/device/cuda/CudaMemory.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <tuple>

namespace minic::runtime {

using Step = CommandList::Step;

/// Notes the newest node of a stream that captures.
absl::Status PatchableGraph::noteNode(CUstream capturing, const Step *step,
                                      const GraphStage *stage) {
  const CudaDriver &driver = context->driver();
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode *dependencies = nullptr;
  const CUgraphEdgeData *edges = nullptr; // programmatic ones have some
  size_t count = 0;
  MINIC_RETURN_IF_CUDA_ERROR(driver,
                             cuStreamGetCaptureInfo(capturing, &status, nullptr,
                                                    nullptr, &dependencies,
                                                    &edges, &count),
                             "capturing a graph");
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE || count != 1) {
    return absl::InternalError(absl::StrCat(
        "internal error: capturing a graph: expected one newest node, got ",
        count));
  }
  Node node;
  node.handle = dependencies[0];
  node.step = step;
  node.stage = stage;
  if (stage || step->kind == Step::Kind::copy) {
    MINIC_RETURN_IF_CUDA_ERROR(
        driver, cuGraphMemcpyNodeGetParams(node.handle, &node.params.copy),
        "a copy in a graph");
  } else if (step->kind == Step::Kind::fill) {
    MINIC_RETURN_IF_CUDA_ERROR(
        driver, cuGraphMemsetNodeGetParams(node.handle, &node.params.fill),
        "a fill in a graph");
  }
  captured.push_back(node);
  return absl::OkStatus();
}

absl::Status PatchableGraph::captureStage(CUstream capturing,
                                          const GraphStage &stage,
                                          void *caller) {
  void *to = stage.isOutput ? caller : stage.memory;
  void *from = stage.isOutput ? stage.memory : caller;
  MINIC_RETURN_IF_CUDA_ERROR(context->driver(),
                             cuMemcpyAsync(devicePointer(to),
                                           devicePointer(from), stage.bytes,
                                           capturing),
                             "capturing a graph");
  return noteNode(capturing, nullptr, &stage);
}

absl::Status PatchableGraph::captureCommands(CUstream capturing,
                                             void *const *callers) {
  for (const GraphStage &stage : stages) {
    absl::Status status =
        stage.isOutput ? absl::OkStatus()
                       : captureStage(capturing, stage, callers[stage.caller]);
    if (!status.ok()) {
      return status;
    }
  }
  for (const Step &step : commands.steps()) {
    if (absl::Status status = commands.enqueue(step, capturing); !status.ok()) {
      return status;
    }
    if (step.kind == Step::Kind::call) {
      continue;
    }
    if (absl::Status status = noteNode(capturing, &step, nullptr);
        !status.ok()) {
      return status;
    }
  }
  for (const GraphStage &stage : stages) {
    absl::Status status =
        stage.isOutput ? captureStage(capturing, stage, callers[stage.caller])
                       : absl::OkStatus();
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

/// Gives the commands the callers' pointers, and stages for those that have
/// one.
absl::Status PatchableGraph::setCallers(void *const *callers) {
  std::copy_n(callers, effective.size(), effective.begin());
  for (const GraphStage &stage : stages) {
    effective[stage.caller] = stage.memory;
  }
  return commands.setCallers(effective.data());
}

absl::StatusOr<CudaGraph> PatchableGraph::capture(CUstream capturing,
                                                  void *const *callers) {
  const CudaDriver &driver = context->driver();
  if (absl::Status status = setCallers(callers); !status.ok()) {
    return status;
  }
  captured.clear();
  // What other threads do meanwhile is none of this capture's business.
  MINIC_RETURN_IF_CUDA_ERROR(
      driver, cuStreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED),
      "capturing a graph");
  absl::Status status = captureCommands(capturing, callers);
  CUgraph ended = nullptr;
  CUresult result = driver.cuStreamEndCapture(capturing, &ended);
  CudaGraph owned(context, ended);
  if (!status.ok()) {
    return status;
  }
  if (result != CUDA_SUCCESS) {
    return driver.status(result, "capturing a graph");
  }
  return owned;
}

void PatchableGraph::noteUses() {
  isLibrarys.assign(effective.size(), false);
  std::vector<bool> isStaged(effective.size());
  for (const GraphStage &stage : stages) {
    isStaged[stage.caller] = true;
  }
  std::vector<uint32_t> nodeOfStep(commands.steps().size());
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].stage) {
      uses.push_back({nodes[i].stage->caller, i});
    } else {
      nodeOfStep[nodes[i].step - commands.steps().data()] = i;
    }
  }
  for (const CommandList::CallerUse &use : commands.callerUses()) {
    if (isStaged[use.caller]) {
      continue;
    }
    if (use.slot) {
      uses.push_back({use.caller, nodeOfStep[use.step]});
    } else {
      isLibrarys[use.caller] = true;
    }
  }
  std::sort(uses.begin(), uses.end(), [](const Use &a, const Use &b) {
    return std::tie(a.caller, a.node) < std::tie(b.caller, b.node);
  });
}

absl::StatusOr<std::unique_ptr<PatchableGraph>>
PatchableGraph::create(std::shared_ptr<const CudaContext> context,
                       CommandList &commands, std::vector<GraphStage> stages,
                       CUstream capturing, void *const *callers) {
  const CudaDriver &driver = context->driver();
  std::unique_ptr<PatchableGraph> made(
      new PatchableGraph(context, commands, std::move(stages)));
  size_t count = commands.callers().size();
  made->effective.resize(count);
  made->bound.assign(callers, callers + count);
  absl::StatusOr<CudaGraph> graph = made->capture(capturing, callers);
  if (!graph.ok()) {
    return graph.status();
  }
  made->graph = std::move(*graph);
  CUgraphExec executable = nullptr;
  MINIC_RETURN_IF_CUDA_ERROR(
      driver, cuGraphInstantiate(&executable, made->graph.get(), 0),
      "instantiating a graph");
  made->executable = CudaGraphExec(context, executable);
  made->nodes = std::move(made->captured);
  made->noteUses();
  return made;
}

bool PatchableGraph::isBoundTo(void *const *callers) const {
  return std::equal(bound.begin(), bound.end(), callers);
}

bool PatchableGraph::canPatchTo(void *const *callers) const {
  for (size_t i = 0; i < bound.size(); ++i) {
    if (isLibrarys[i] && bound[i] != callers[i]) {
      return false;
    }
  }
  return true;
}

/// Gives a node of the executable graph the parameters that its step, or its
/// stage and `callers`, have now.
CUresult PatchableGraph::setParams(const Node &node,
                                   void *const *callers) const {
  const CudaDriver &driver = context->driver();
  auto setCopy = [&](void *to, const void *from) {
    CUDA_MEMCPY3D params = node.params.copy;
    params.srcXInBytes = params.dstXInBytes = 0;
    params.srcDevice = devicePointer(from);
    params.dstDevice = devicePointer(to);
    return driver.cuGraphExecMemcpyNodeSetParams(executable.get(), node.handle,
                                                 &params, context->handle());
  };
  if (const GraphStage *stage = node.stage) {
    void *caller = callers[stage->caller];
    return stage->isOutput ? setCopy(caller, stage->memory)
                           : setCopy(stage->memory, caller);
  }
  const Step &step = *node.step;
  switch (step.kind) {
  case Step::Kind::launch: {
    const KernelLaunch &launch = *step.launch;
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = launch.function;
    params.gridDimX = launch.grid[0];
    params.gridDimY = launch.grid[1];
    params.gridDimZ = launch.grid[2];
    params.blockDimX = launch.block[0];
    params.blockDimY = launch.block[1];
    params.blockDimZ = launch.block[2];
    params.sharedMemBytes = launch.sharedBytes;
    params.kernelParams = step.params;
    return driver.cuGraphExecKernelNodeSetParams(executable.get(), node.handle,
                                                 &params);
  }
  case Step::Kind::copy:
    return setCopy(step.operands[0].pointer, step.operands[1].pointer);
  case Step::Kind::fill: {
    CUDA_MEMSET_NODE_PARAMS params = node.params.fill;
    params.dst = devicePointer(step.operands[0].pointer);
    return driver.cuGraphExecMemsetNodeSetParams(executable.get(), node.handle,
                                                 &params, context->handle());
  }
  case Step::Kind::call:
    break; // no node of minic's
  }
  return CUDA_ERROR_INVALID_VALUE;
}

absl::Status PatchableGraph::patch(void *const *callers) {
  if (absl::Status status = setCallers(callers); !status.ok()) {
    return status;
  }
  ++round;
  for (const Use &use : uses) {
    Node &node = nodes[use.node];
    // A node with several changed pointers takes them all at once.
    if (bound[use.caller] == callers[use.caller] || node.patched == round) {
      continue;
    }
    node.patched = round;
    CUresult result = setParams(node, callers);
    if (result != CUDA_SUCCESS) {
      return context->driver().status(result, "changing a node of a graph");
    }
  }
  std::copy_n(callers, bound.size(), bound.begin());
  return absl::OkStatus();
}

absl::Status PatchableGraph::update(void *const *callers, CUstream capturing) {
  absl::StatusOr<CudaGraph> again = capture(capturing, callers);
  if (!again.ok()) {
    return again.status();
  }
  CUgraphExecUpdateResultInfo info{};
  MINIC_RETURN_IF_CUDA_ERROR(
      context->driver(),
      cuGraphExecUpdate(executable.get(), again->get(), &info),
      "updating a graph");
  std::copy_n(callers, bound.size(), bound.begin());
  return absl::OkStatus();
}

} // namespace minic::runtime
