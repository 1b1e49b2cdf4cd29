// SPDX-License-Identifier: Apache-2.0
//
// CapturedGraph: decides how a run replays a captured graph.
//
// Pointers that did not change cost a comparison and one launch. Others are
// patched into minic's own nodes. Where a library call uses one that changed,
// the run replays a second graph, in which such tensors go through stages, or
// launches command by command; once the same pointers come several times in a
// row, the first graph is captured again and updated, for copies and launches
// cost every run and an update costs one. Which of both and how many runs is
// the PointerPolicy's to say. All is instantiated when the first run binds its
// pointers; later runs instantiate nothing.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CAPTUREDGRAPH_H
#define MINIC_RUNTIME_DEVICE_CUDA_CAPTUREDGRAPH_H

#include "runtime/device/cuda/PatchableGraph.h"

namespace minic::runtime {

/// One thread at a time. The context is current in every member.
class CapturedGraph {
public:
  /// Makes ready to capture: a stream, and by `policy` memory of stages for
  /// those of the callers (`callerBytes` each) that library calls use.
  static absl::StatusOr<std::unique_ptr<CapturedGraph>>
  create(std::shared_ptr<const CudaContext> context, CommandList &commands,
         const std::vector<uint64_t> &callerBytes, uint32_t inputCount,
         const PointerPolicy &policy);

  /// Why nothing is or will be captured; empty while that is not so.
  const std::string &refusal() const { return refusal_; }
  /// Whether `capture` was called.
  bool isCaptured() const { return isCaptured_; }

  /// Captures and instantiates for `callers`, behind a run of the commands in
  /// which libraries took their late decisions. What fails becomes the refusal.
  void capture(void *const *callers, CUstream stream);
  /// Replays on `callers`. False where it must not or cannot: launch command
  /// by command. Only once captured, and not refused.
  absl::StatusOr<bool> replay(void *const *callers, CUstream stream);

  const GraphCounters &counters() const { return counters_; }

private:
  CapturedGraph(std::shared_ptr<const CudaContext> context,
                CommandList &commands, const PointerPolicy &policy)
      : context_(std::move(context)), commands_(commands), policy_(policy) {}
  absl::Status createStages(const std::vector<uint64_t> &callerBytes,
                            uint32_t inputCount);
  PatchableGraph *choose(void *const *callers);
  bool comesAgain(void *const *callers);
  void refuse(const absl::Status &status);

  const std::shared_ptr<const CudaContext> context_;
  CommandList &commands_;
  const PointerPolicy policy_;
  CudaStream capturing_;
  CudaBuffer stageMemory_;
  std::vector<GraphStage> stages_; // empty: no second graph
  /// The one for stages may be missing; so may, after an update that failed,
  /// the other.
  std::unique_ptr<PatchableGraph> direct_, staged_;
  std::vector<void *> last_; // of runs that `direct_` could not take
  int64_t repeats_ = 0;
  bool isCaptured_ = false;
  std::string refusal_;
  GraphCounters counters_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CAPTUREDGRAPH_H
