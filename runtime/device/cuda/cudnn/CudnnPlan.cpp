// SPDX-License-Identifier: Apache-2.0
//
// Makes and runs a plan.

#include "runtime/device/cuda/cudnn/CudnnPlan.h"

#include "runtime/device/cuda/cudnn/EngineConfig.h"

namespace minic::runtime {

struct CudnnPlan::State {
  const CudnnLibrary &library;
  std::vector<int64_t> ids;
  fe::ExecutionPlan plan;
  std::vector<CudnnScalar> scalars;
  // The last call's, which is the next one's more often than not, then those of
  // the scalars.
  std::vector<void *> pointers;
  void *workspace = nullptr;
  std::optional<fe::VariantPack> pack;
};

CudnnPlan::CudnnPlan(std::unique_ptr<State> state) : state(std::move(state)) {}
CudnnPlan::~CudnnPlan() = default;

std::unique_ptr<CudnnPlan> CudnnPlan::create(const CudnnLibrary &library,
                                             const EngineConfig &config,
                                             size_t tensors,
                                             std::vector<CudnnScalar> scalars) {
  // Plans outlive every graph that was captured of them: an Execution owns
  // both.
  fe::ExecutionPlan plan =
      fe::ExecutionPlanBuilder()
          .setEngineConfig(config.descriptor)
          .setCudaGraphRetention(fe::CudaGraphRetention_t::NONE)
          .build();
  auto state = std::unique_ptr<State>(new State{library,
                                                {},
                                                std::move(plan),
                                                std::move(scalars),
                                                {},
                                                nullptr,
                                                std::nullopt});
  for (size_t i = 0; i < tensors; ++i) {
    state->ids.push_back(int64_t(i) + 1);
  }
  for (const CudnnScalar &scalar : state->scalars) {
    state->ids.push_back(scalar.id);
  }
  return std::unique_ptr<CudnnPlan>(new CudnnPlan(std::move(state)));
}

uint64_t CudnnPlan::workspaceBytes() const {
  return uint64_t(state->plan.getWorkspaceSize());
}

absl::Status CudnnPlan::enqueue(cudnnHandle_t handle,
                                absl::Span<void *const> pointers,
                                void *workspace) {
  if (!state->pack || workspace != state->workspace ||
      pointers != absl::MakeConstSpan(state->pointers).first(pointers.size())) {
    absl::Status status =
        guarded(state->library, "take pointers", [&]() -> absl::Status {
          state->pack.reset();
          state->pointers.assign(pointers.begin(), pointers.end());
          for (CudnnScalar &scalar : state->scalars) {
            state->pointers.push_back(&scalar.bits);
          }
          state->workspace = workspace;
          state->pack =
              fe::VariantPackBuilder()
                  .setDataPointers(int64_t(state->pointers.size()),
                                   state->pointers.data())
                  .setUids(int64_t(state->ids.size()), state->ids.data())
                  .setWorkspacePointer(workspace)
                  .build();
          return absl::OkStatus();
        });
    if (!status.ok()) {
      return status;
    }
  }
  return state->library.check(
      state->library.cudnnBackendExecute(handle, state->plan.get_raw_desc(),
                                         state->pack->get_raw_desc()),
      "run");
}

} // namespace minic::runtime
