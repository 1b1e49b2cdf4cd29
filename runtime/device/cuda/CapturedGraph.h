// SPDX-License-Identifier: Apache-2.0
//
// CapturedGraph: decides how a run replays a captured graph.
//
// With unchanged pointers a run is a comparison and one launch. Changed
// pointers are patched into minic's own nodes. If a library call uses a changed
// pointer, the run replays a second graph, in which such tensors go through
// stages, or it launches command by command. Both cost time in every run. So
// once the same pointers come several times in a row, the first graph is
// captured again and updated. PointerPolicy says which of the two, and how many
// runs. The first run that binds pointers instantiates everything; later runs
// instantiate nothing.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CAPTUREDGRAPH_H
#define MINIC_RUNTIME_DEVICE_CUDA_CAPTUREDGRAPH_H

#include "runtime/device/cuda/PatchableGraph.h"

namespace minic::runtime {

/// One thread at a time. The context is current in every member.
class CapturedGraph {
public:
  /// Prepares to capture: makes a stream and, if `policy` says so, stages for
  /// the callers' tensors (`callerBytes` each) that library calls use.
  static absl::StatusOr<std::unique_ptr<CapturedGraph>>
  create(std::shared_ptr<const CudaContext> context, CommandList &commands,
         const std::vector<uint64_t> &callerBytes, uint32_t inputCount,
         const PointerPolicy &policy);

  /// Why nothing is or will be captured; otherwise empty.
  const std::string &refusal() const { return refusal_; }
  /// Whether `capture` was called.
  bool isCaptured() const { return isCaptured_; }

  /// Captures and instantiates for `callers`. Call it after a run of the
  /// commands, in which libraries take their late decisions. A failure becomes
  /// the refusal.
  void capture(void *const *callers, CUstream stream);
  /// The same if nothing was captured; else has the graph use `callers`,
  /// captured again where it cannot be patched.
  void bind(void *const *callers, CUstream stream);
  /// Replays on `callers`. False if it must not or cannot: then launch command
  /// by command. Call it only once captured and if not refused.
  absl::StatusOr<bool> replay(void *const *callers, CUstream stream);

  const GraphCounters &counters() const { return counters_; }

private:
  CapturedGraph(std::shared_ptr<const CudaContext> context,
                CommandList &commands, const PointerPolicy &policy)
      : context_(std::move(context)), commands_(commands), policy_(policy) {}
  absl::Status createStages(const std::vector<uint64_t> &callerBytes,
                            uint32_t inputCount);
  /// Of one capture: a stream takes memory of the device.
  absl::StatusOr<CudaStream> createStream() const;
  PatchableGraph *choose(void *const *callers);
  /// False where `direct_` stays as it was, or is gone.
  bool update(void *const *callers);
  bool comesAgain(void *const *callers);
  void refuse(const absl::Status &status);

  const std::shared_ptr<const CudaContext> context_;
  CommandList &commands_;
  const PointerPolicy policy_;
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
