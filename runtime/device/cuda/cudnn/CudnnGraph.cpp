// SPDX-License-Identifier: Apache-2.0
//
// Makes the graph, asks heuristics, makes plans.

#include "runtime/device/cuda/cudnn/CudnnGraph.h"

#include "runtime/device/cuda/cudnn/EngineConfig.h"
#include "runtime/device/cuda/cudnn/EngineErrata.h"
#include "runtime/device/cuda/cudnn/GraphOperations.h"

#include <algorithm>

namespace minic::runtime {

struct CudnnGraph::State {
  const CudnnLibrary &library;
  const std::string description; // of the problem
  const size_t tensors;
  const EngineNumerics numerics;
  const std::vector<int64_t> errata; // engines that are never listed
  std::vector<CudnnScalar> scalars;
  std::optional<fe::OperationGraph> graph;
  std::shared_ptr<fe::DeviceProperties> properties; // null with a handle
};

CudnnGraph::CudnnGraph(std::unique_ptr<State> state)
    : state(std::move(state)) {}
CudnnGraph::~CudnnGraph() = default;

/// Whether cuDNN can be asked at all: its builders copy into fixed arrays.
static absl::Status checkRanks(const CudnnProblem &problem) {
  size_t rank = problem.result.dims.size();
  bool isGood = rank >= 3 && rank <= 5;
  for (const CudnnTensor *tensor : problem.tensors()) {
    isGood &= tensor->dims.size() == rank && tensor->strides.size() == rank;
  }
  if (problem.convolution) {
    const CudnnProblem::Convolution &conv = *problem.convolution;
    for (const std::vector<int64_t> *list :
         {&conv.strides, &conv.padsBegin, &conv.padsEnd, &conv.dilations}) {
      isGood &= list->size() + 2 == rank;
    }
  }
  return isGood ? absl::OkStatus()
                : absl::UnimplementedError(absl::StrCat(
                      "unsupported: ranks of cuDNN ", problem.describe()));
}

absl::StatusOr<std::unique_ptr<CudnnGraph>>
CudnnGraph::create(const CudnnLibrary &library, const CudnnProblem &problem,
                   cudnnHandle_t handle, const std::string &deviceProperties) {
  if (absl::Status status = checkRanks(problem); !status.ok()) {
    return status;
  }
  if (absl::Status status = useLibrary(library); !status.ok()) {
    return status;
  }
  using Result = absl::StatusOr<std::unique_ptr<CudnnGraph>>;
  std::string what = absl::StrCat("describe ", problem.describe());
  return guarded(library, what, [&]() -> Result {
    auto state = std::unique_ptr<State>(new State{
        library,
        problem.describe(),
        problem.tensors().size(),
        EngineNumerics{problem.lhs.dtype == DType::f32, problem.allowsTf32},
        engineErrata(problem, library.cudnnGetVersion()),
        {},
        std::nullopt,
        nullptr});
    if (!handle) {
      state->properties = std::make_shared<fe::DeviceProperties>();
      auto error = state->properties->deserialize(
          {deviceProperties.begin(), deviceProperties.end()});
      if (error.is_bad()) {
        return absl::InvalidArgumentError(error.get_message());
      }
    }
    absl::StatusOr<GraphOperations> made = graphOperations(problem);
    if (!made.ok()) {
      return made.status();
    }
    state->scalars = std::move(made->scalars);
    std::vector<fe::Operation const *> pointers;
    for (const fe::Operation &operation : made->operations) {
      pointers.push_back(&operation);
    }
    state->graph = fe::OperationGraphBuilder()
                       .setHandle(handle)
                       .setOperationGraph(pointers.size(), pointers.data())
                       .build();
    return std::unique_ptr<CudnnGraph>(new CudnnGraph(std::move(state)));
  });
}

static std::string heuristicName(CudnnHeuristic heuristic) {
  switch (heuristic) {
  case CudnnHeuristic::A:
    return "heuristics_mode_a";
  case CudnnHeuristic::B:
    return "heuristics_mode_b";
  case CudnnHeuristic::Fallback:
    break;
  }
  return "heuristics_fallback";
}

absl::StatusOr<std::vector<EngineChoice>>
CudnnGraph::engines(CudnnHeuristic heuristic) const {
  using Result = absl::StatusOr<std::vector<EngineChoice>>;
  std::string what = absl::StrCat("list engines of ", state->description);
  return guarded(state->library, what, [&]() -> Result {
    fe::EngineConfigList configs;
    // A heuristic that knows nothing of a graph says so by its status.
    fe::get_heuristics_list(
        std::vector<std::string>{heuristicName(heuristic)}, *state->graph,
        [&](cudnnBackendDescriptor_t config) {
          return !state->numerics.allow(config);
        },
        configs, /*evaluate_all=*/true, /*sm_count=*/-1, state->properties);
    std::vector<EngineChoice> choices;
    for (const fe::ManagedOpaqueDescriptor &config : configs) {
      EngineChoice choice = EngineConfig{config}.choice();
      if (std::find(state->errata.begin(), state->errata.end(),
                    choice.engine) == state->errata.end()) {
        choices.push_back(std::move(choice));
      }
    }
    return choices;
  });
}

absl::StatusOr<std::unique_ptr<CudnnPlan>>
CudnnGraph::plan(const EngineChoice &choice) const {
  using Result = absl::StatusOr<std::unique_ptr<CudnnPlan>>;
  std::string name = toString(choice);
  std::string what =
      absl::StrCat("use engine ", name, " for ", state->description);
  return guarded(state->library, what, [&]() -> Result {
    auto isUnknown = [&](absl::string_view why) {
      return absl::InvalidArgumentError(
          absl::StrCat("cuDNN ", state->library.version, " has no engine ",
                       name, " for ", state->description, ": ", why));
    };
    absl::StatusOr<EngineConfig> config = EngineConfig::create(
        choice, state->graph->get_raw_desc(), state->properties);
    if (absl::IsInvalidArgument(config.status())) {
      return isUnknown(config.status().message());
    }
    if (!config.ok()) {
      return config.status();
    }
    if (!state->numerics.allow(config->descriptor->get_backend_descriptor())) {
      return isUnknown("none with the numerics that the plan asks for");
    }
    return CudnnPlan::create(state->library, *config, state->tensors,
                             state->scalars);
  });
}

} // namespace minic::runtime
