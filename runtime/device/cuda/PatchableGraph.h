// SPDX-License-Identifier: Apache-2.0
//
// PatchableGraph: a command list captured into one executable graph, whose own
// nodes follow the callers' pointers.
//
// Background: the driver can change the parameters of a node of an instantiated
// graph. minic knows those of its own kernels, copies and fills; what a library
// captured is opaque. Approach: minic's nodes are noted as they are captured
// and patched one by one; a tensor that a library call uses is bound until the
// whole graph is captured again, or it is staged: the call uses memory of
// minic's (a stage), and minic patches the graph's copy to or from that memory.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_PATCHABLEGRAPH_H
#define MINIC_RUNTIME_DEVICE_CUDA_PATCHABLEGRAPH_H

#include "runtime/device/cuda/CommandList.h"
#include "runtime/device/cuda/CudaHandle.h"

namespace minic::runtime {

/// Device memory that stands for a caller's tensor in the commands.
struct GraphStage {
  uint32_t caller; // inputs, then outputs
  bool isOutput;   // copied to the caller after the commands, else before
  uint64_t bytes;
  void *memory;
};

/// One thread at a time. The context is current in every member.
class PatchableGraph {
public:
  /// Captures `commands` as they run on `callers`. Both `commands` and what the
  /// stages point to outlive the graph; `commands` is left with these callers.
  /// `capturing` is a stream for captures alone.
  static absl::StatusOr<std::unique_ptr<PatchableGraph>>
  create(std::shared_ptr<const CudaContext> context, CommandList &commands,
         std::vector<GraphStage> stages, CUstream capturing,
         void *const *callers);

  /// Whether the graph uses these tensors already.
  bool isBoundTo(void *const *callers) const;
  /// Whether `patch` can make it use them: no library call's pointer changed.
  bool canPatchTo(void *const *callers) const;
  /// Patches the nodes whose pointers changed. Later launches use the new
  /// pointers, earlier ones the old. An error leaves the graph unusable.
  absl::Status patch(void *const *callers);
  /// Captures again and updates the executable graph, which keeps its nodes.
  /// An error leaves the graph unusable.
  absl::Status update(void *const *callers, CUstream capturing);

  /// Transfers the graph to the device now, so that the first launch need not.
  void upload(CUstream stream) const {
    context->driver().cuGraphUpload(executable.get(), stream);
  }
  CUresult launch(CUstream stream) const {
    return context->driver().cuGraphLaunch(executable.get(), stream);
  }

private:
  /// A node of minic's own, in the graph that was instantiated.
  struct Node {
    CUgraphNode handle = nullptr;
    const CommandList::Step *step = nullptr; // null: a stage's copy
    const GraphStage *stage = nullptr;
    uint64_t patched = 0; // the last round of patches that changed it
    /// Of a copy or fill, as the driver captured it: only addresses change.
    union {
      CUDA_MEMCPY3D copy;
      CUDA_MEMSET_NODE_PARAMS fill;
    } params = {};
  };
  /// A node that takes a caller's pointer.
  struct Use {
    uint32_t caller;
    uint32_t node;
  };

  PatchableGraph(std::shared_ptr<const CudaContext> context,
                 CommandList &commands, std::vector<GraphStage> stages)
      : context(std::move(context)), commands(commands),
        stages(std::move(stages)) {}

  absl::StatusOr<CudaGraph> capture(CUstream capturing, void *const *callers);
  absl::Status captureCommands(CUstream capturing, void *const *callers);
  absl::Status captureStage(CUstream capturing, const GraphStage &stage,
                            void *caller);
  absl::Status noteNode(CUstream capturing, const CommandList::Step *step,
                        const GraphStage *stage);
  absl::Status setCallers(void *const *callers);
  void noteUses();
  CUresult setParams(const Node &node, void *const *callers) const;

  const std::shared_ptr<const CudaContext> context;
  CommandList &commands;
  const std::vector<GraphStage> stages;
  std::vector<void *> effective; // callers, stages in place of staged ones
  std::vector<void *> bound;     // the callers of what the graph does now
  std::vector<bool> isLibrarys;  // by caller: a library call is bound to it
  std::vector<Node> captured;    // by the capture in progress
  std::vector<Node> nodes;
  std::vector<Use> uses; // by caller
  uint64_t round = 0;
  CudaGraph graph; // has the nodes; the driver needs it to name one
  CudaGraphExec executable;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_PATCHABLEGRAPH_H
