// SPDX-License-Identifier: Apache-2.0
//
// Two graphs and the choice between them.

#include "runtime/device/cuda/CapturedGraph.h"

#include "runtime/base/Log.h"
#include "runtime/device/cuda/CudaMemory.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace minic::runtime {

absl::Status
CapturedGraph::createStages(const std::vector<uint64_t> &callerBytes,
                            uint32_t inputCount) {
  constexpr uint64_t alignment = 256;
  uint64_t total = 0;
  std::vector<uint64_t> offsets;
  for (const CommandList::CallerUse &use : commands_.callerUses()) {
    // Sorted by caller: one stage each.
    if (use.slot || callerBytes[use.caller] == 0 ||
        (!stages_.empty() && stages_.back().caller == use.caller)) {
      continue;
    }
    stages_.push_back({use.caller, use.caller >= inputCount,
                       callerBytes[use.caller], nullptr});
    offsets.push_back(total);
    total += (callerBytes[use.caller] + alignment - 1) / alignment * alignment;
  }
  if (total == 0 || total > policy_.mostStagedBytes) {
    stages_.clear();
    return absl::OkStatus();
  }
  CUdeviceptr memory = 0;
  MINIC_RETURN_IF_CUDA_ERROR(
      context_->driver(), cuMemAlloc(&memory, total),
      absl::StrCat(total, " bytes of memory of CUDA device ",
                   context_->deviceIndex(), " for a graph"));
  stageMemory_ = CudaBuffer(context_, memory);
  for (size_t i = 0; i < stages_.size(); ++i) {
    stages_[i].memory = reinterpret_cast<void *>(memory + offsets[i]);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<CapturedGraph>>
CapturedGraph::create(std::shared_ptr<const CudaContext> context,
                      CommandList &commands,
                      const std::vector<uint64_t> &callerBytes,
                      uint32_t inputCount, const PointerPolicy &policy) {
  std::unique_ptr<CapturedGraph> graph(
      new CapturedGraph(std::move(context), commands, policy));
  if (!commands.captureRefusal().empty()) {
    graph->refuse(absl::FailedPreconditionError(commands.captureRefusal()));
    return graph;
  }
  absl::Status status = graph->createStages(callerBytes, inputCount);
  if (!status.ok()) {
    return status;
  }
  graph->last_.resize(callerBytes.size());
  return graph;
}

void CapturedGraph::refuse(const absl::Status &status) {
  refusal_ = std::string(status.message());
  direct_.reset();
  staged_.reset();
  // A run whose context is lost says so where it is waited for.
  if (!isContextLost(status)) {
    logWarning(absl::StrCat("no CUDA graph, kernels are launched one by one: ",
                            refusal_));
  }
}

absl::StatusOr<CudaStream> CapturedGraph::createStream() const {
  CUstream stream;
  MINIC_RETURN_IF_CUDA_ERROR(context_->driver(),
                             cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                             "cuStreamCreate");
  return CudaStream(context_, stream);
}

void CapturedGraph::capture(void *const *callers, CUstream stream) {
  isCaptured_ = true;
  RelaxedCaptureScope relaxed(context_->driver());
  absl::StatusOr<CudaStream> capturing = createStream();
  if (!capturing.ok()) {
    refuse(capturing.status());
    return;
  }
  auto make = [&](std::vector<GraphStage> stages) {
    absl::StatusOr<std::unique_ptr<PatchableGraph>> made =
        PatchableGraph::create(context_, commands_, std::move(stages),
                               capturing->get(), callers);
    counters_.instantiations += made.ok();
    return made;
  };
  absl::StatusOr<std::unique_ptr<PatchableGraph>> direct = make({});
  if (!direct.ok()) {
    refuse(direct.status());
    return;
  }
  direct_ = std::move(*direct);
  direct_->upload(stream);
  if (!stages_.empty()) {
    // Without it, what it is for is launched command by command.
    absl::StatusOr<std::unique_ptr<PatchableGraph>> staged = make(stages_);
    if (staged.ok()) {
      staged_ = std::move(*staged);
      staged_->upload(stream);
    }
  }
}

/// Whether the pointers, which `direct_` cannot take, came often enough.
bool CapturedGraph::comesAgain(void *const *callers) {
  if (!std::equal(last_.begin(), last_.end(), callers)) {
    std::copy_n(callers, last_.size(), last_.begin());
    repeats_ = 0;
  }
  return ++repeats_ > policy_.runsBeforeUpdate;
}

/// What replays on these pointers, perhaps once patched; null where nothing
/// does.
PatchableGraph *CapturedGraph::choose(void *const *callers) {
  if (!direct_) {
    return staged_.get();
  }
  if (direct_->canPatchTo(callers)) {
    repeats_ = 0;
    return direct_.get();
  }
  return comesAgain(callers) && update(callers) ? direct_.get() : staged_.get();
}

bool CapturedGraph::update(void *const *callers) {
  RelaxedCaptureScope relaxed(context_->driver());
  absl::StatusOr<CudaStream> capturing = createStream();
  if (!capturing.ok()) {
    return false; // memory may be there in a later run
  }
  if (!direct_->update(callers, capturing->get()).ok()) {
    // The library does these pointers in another way.
    direct_.reset();
    return false;
  }
  ++counters_.updates;
  return true;
}

void CapturedGraph::bind(void *const *callers, CUstream stream) {
  if (!isCaptured_) {
    return capture(callers, stream);
  }
  // What can be patched is, by the run that finds other pointers.
  if (direct_ && !direct_->canPatchTo(callers)) {
    update(callers);
  }
}

absl::StatusOr<bool> CapturedGraph::replay(void *const *callers,
                                           CUstream stream) {
  PatchableGraph *graph = direct_.get();
  if (graph && graph->isBoundTo(callers)) {
    repeats_ = 0;
  } else {
    graph = choose(callers);
    if (!graph) {
      return false;
    }
    absl::Status status =
        graph->isBoundTo(callers) ? absl::OkStatus() : graph->patch(callers);
    if (!status.ok()) {
      refuse(status);
      return false;
    }
  }
  if (CUresult result = graph->launch(stream); result != CUDA_SUCCESS) {
    return context_->driver().status(result, "launching a graph");
  }
  ++counters_.replays;
  return true;
}

} // namespace minic::runtime
