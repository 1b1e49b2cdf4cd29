// SPDX-License-Identifier: Apache-2.0
//
// The one file that is compiled with cudnn-frontend: its descriptors'
// builders, without its graph interface, which would bring CUDA's runtime
// library and everything else it has.

#include "runtime/device/cuda/cudnn/CudnnGraph.h"

#include "absl/strings/str_cat.h"

#include <cudnn.h>

#include <mutex>
#include <unordered_map>

#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#define NV_CUDNN_FRONTEND_DISABLE_LOGGING
#define CUDNN_FRONTEND_SKIP_JSON_LIB
// The headers' functions are inline and depend on the macros above: a program
// that has others of the same name must not be given these, nor these those.
#define cudnn_frontend minic_cudnn_frontend
#include "cudnn_frontend_ExecutionPlan.h"
#include "cudnn_frontend_Heuristics.h"
#include "cudnn_frontend_VariantPack.h"
// Needs those above.
#include "cudnn_frontend/backend/plan_helpers.h"

namespace minic_cudnn_frontend {
void *cudnn_dlhandle = nullptr;
} // namespace minic_cudnn_frontend

namespace minic::runtime {

namespace fe = minic_cudnn_frontend;

/// Lets nothing that the frontend throws past it.
template <typename Body>
static auto guarded(const CudnnLibrary &library, absl::string_view what,
                    Body body) -> decltype(body()) {
  try {
    return body();
  } catch (fe::cudnnException &error) {
    return library.error(error.getCudnnStatus(), what, error.what());
  } catch (const std::exception &error) {
    return absl::InternalError(absl::StrCat(
        "cuDNN ", library.version, " cannot ", what, ": ", error.what()));
  }
}

/// Has the frontend look its functions up in `library`, which must be the only
/// one of the process: it keeps what it has found.
static absl::Status useLibrary(const CudnnLibrary &library) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (fe::cudnn_dlhandle && fe::cudnn_dlhandle != library.module) {
    return absl::InternalError("internal error: two cuDNN libraries");
  }
  if (!fe::cudnn_dlhandle) { // else other threads may be reading it
    fe::cudnn_dlhandle = library.module;
  }
  return absl::OkStatus();
}

static absl::StatusOr<cudnnDataType_t> dataType(DType dtype) {
  switch (dtype) {
  case DType::f32:
    return CUDNN_DATA_FLOAT;
  case DType::f16:
    return CUDNN_DATA_HALF;
  case DType::bf16:
    return CUDNN_DATA_BFLOAT16;
  default:
    return absl::UnimplementedError(
        absl::StrCat("unsupported: cuDNN call on ", toString(dtype)));
  }
}

/// cuDNN's form of an elementwise function of the plan.
static absl::StatusOr<fe::PointWiseDesc>
describeActivation(const CudnnProblem::Activation &activation) {
  fe::PointWiseDescBuilder builder;
  builder.setComputeType(CUDNN_DATA_FLOAT);
  switch (activation.kind) {
  case format::EltwiseKind::relu:
    builder.setMode(CUDNN_POINTWISE_RELU_FWD);
    break;
  case format::EltwiseKind::leaky_relu:
    builder.setMode(CUDNN_POINTWISE_RELU_FWD)
        .setReluLowerClipSlope(activation.alpha);
    break;
  case format::EltwiseKind::clamp:
    builder.setMode(CUDNN_POINTWISE_RELU_FWD)
        .setReluLowerClip(activation.alpha)
        .setReluUpperClip(activation.beta);
    break;
  case format::EltwiseKind::tanh:
    builder.setMode(CUDNN_POINTWISE_TANH_FWD);
    break;
  case format::EltwiseKind::sigmoid:
    builder.setMode(CUDNN_POINTWISE_SIGMOID_FWD);
    break;
  case format::EltwiseKind::gelu_erf:
    builder.setMode(CUDNN_POINTWISE_GELU_FWD);
    break;
  case format::EltwiseKind::gelu_tanh:
    builder.setMode(CUDNN_POINTWISE_GELU_APPROX_TANH_FWD);
    break;
  case format::EltwiseKind::silu:
    builder.setMode(CUDNN_POINTWISE_SWISH_FWD);
    break;
  case format::EltwiseKind::exp:
    builder.setMode(CUDNN_POINTWISE_EXP);
    break;
  case format::EltwiseKind::abs:
    builder.setMode(CUDNN_POINTWISE_ABS);
    break;
  case format::EltwiseKind::sqrt:
    builder.setMode(CUDNN_POINTWISE_SQRT);
    break;
  case format::EltwiseKind::log:
    builder.setMode(CUDNN_POINTWISE_LOG);
    break;
  default:
    return absl::UnimplementedError(
        absl::StrCat("unsupported: cuDNN has no ",
                     format::EnumNameEltwiseKind(activation.kind)));
  }
  return builder.build();
}

namespace {

/// Appends operations, each on what the one before it computes.
class GraphBuilder {
public:
  explicit GraphBuilder(const CudnnProblem &problem) : problem(problem) {}

  absl::Status build() {
    // What is still to be appended decides who writes the result.
    pending = int(problem.addend.has_value()) + int(problem.bias.has_value()) +
              int(problem.activation.has_value());
    if (absl::Status status = appendProduct(); !status.ok()) {
      return status;
    }
    // The order that cuDNN's own fused kernels are made for.
    for (const std::optional<CudnnTensor> *operand :
         {&problem.addend, &problem.bias}) {
      if (*operand) {
        if (absl::Status status = appendAdd(**operand); !status.ok()) {
          return status;
        }
      }
    }
    return problem.activation ? appendActivation() : absl::OkStatus();
  }

  std::vector<fe::Operation> operations;

private:
  absl::StatusOr<fe::Tensor> describe(const CudnnTensor &tensor, int64_t id) {
    absl::StatusOr<cudnnDataType_t> type = dataType(tensor.dtype);
    if (!type.ok()) {
      return type.status();
    }
    return fe::TensorBuilder()
        .setDim(tensor.dims.size(), tensor.dims.data())
        .setStride(tensor.strides.size(), tensor.strides.data())
        .setId(id)
        .setAlignment(tensor.alignment)
        .setDataType(*type)
        .build();
  }

  /// What the next operation writes: the result, or a value of the graph's own.
  absl::StatusOr<fe::Tensor> output() {
    if (pending-- == 0) {
      return describe(problem.result, int64_t(problem.tensors().size()));
    }
    const CudnnTensor &like = problem.result;
    return fe::TensorBuilder()
        .setDim(like.dims.size(), like.dims.data())
        .setStride(like.strides.size(), like.strides.data())
        .setId(kFirstVirtual + pending)
        .setAlignment(16)
        .setDataType(CUDNN_DATA_FLOAT)
        .setVirtual()
        .build();
  }

  absl::Status appendProduct() {
    absl::StatusOr<fe::Tensor> lhs = describe(problem.lhs, nextId++);
    absl::StatusOr<fe::Tensor> rhs = describe(problem.rhs, nextId++);
    absl::StatusOr<fe::Tensor> to = output();
    for (const auto *tensor : {&lhs, &rhs, &to}) {
      if (!tensor->ok()) {
        return tensor->status();
      }
    }
    if (problem.convolution) {
      const CudnnProblem::Convolution &conv = *problem.convolution;
      int64_t spatial = int64_t(conv.strides.size());
      auto descriptor = fe::ConvDescBuilder_v8()
                            .setComputeType(CUDNN_DATA_FLOAT)
                            .setMathMode(CUDNN_CROSS_CORRELATION)
                            .setSpatialDimCount(spatial)
                            .setSpatialStride(spatial, conv.strides.data())
                            .setPrePadding(spatial, conv.padsBegin.data())
                            .setPostPadding(spatial, conv.padsEnd.data())
                            .setDilation(spatial, conv.dilations.data())
                            .build();
      operations.push_back(
          fe::OperationBuilder(
              CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
              .setxDesc(*lhs)
              .setwDesc(*rhs)
              .setyDesc(*to)
              .setcDesc(descriptor)
              .setAlpha(1.0f)
              .setBeta(0.0f)
              .build());
    } else {
      auto descriptor =
          fe::MatMulDescBuilder().setComputeType(CUDNN_DATA_FLOAT).build();
      operations.push_back(
          fe::OperationBuilder(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
              .setaMatDesc(*lhs)
              .setbMatDesc(*rhs)
              .setcMatDesc(*to)
              .setmatmulDesc(descriptor)
              .build());
    }
    current.emplace(*std::move(to));
    return absl::OkStatus();
  }

  absl::Status appendAdd(const CudnnTensor &addend) {
    absl::StatusOr<fe::Tensor> other = describe(addend, nextId++);
    absl::StatusOr<fe::Tensor> to = output();
    if (!other.ok() || !to.ok()) {
      return other.ok() ? to.status() : other.status();
    }
    auto descriptor = fe::PointWiseDescBuilder()
                          .setMode(CUDNN_POINTWISE_ADD)
                          .setComputeType(CUDNN_DATA_FLOAT)
                          .build();
    operations.push_back(
        fe::OperationBuilder(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
            .setxDesc(*current)
            .setbDesc(*other)
            .setyDesc(*to)
            .setpwDesc(descriptor)
            .build());
    current.emplace(*std::move(to));
    return absl::OkStatus();
  }

  absl::Status appendActivation() {
    absl::StatusOr<fe::PointWiseDesc> descriptor =
        describeActivation(*problem.activation);
    absl::StatusOr<fe::Tensor> to = output();
    if (!descriptor.ok() || !to.ok()) {
      return to.ok() ? descriptor.status() : to.status();
    }
    operations.push_back(
        fe::OperationBuilder(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
            .setxDesc(*current)
            .setyDesc(*to)
            .setpwDesc(*descriptor)
            .build());
    return absl::OkStatus();
  }

  static constexpr int64_t kFirstVirtual = 100;

  const CudnnProblem &problem;
  int pending = 0;
  int64_t nextId = 1; // in the order of CudnnProblem::tensors()
  std::optional<fe::Tensor> current;
};

} // namespace

struct CudnnGraph::State {
  const CudnnLibrary &library;
  const std::string description; // of the problem
  const size_t tensors;
  const bool isF32, allowsTf32;
  std::optional<fe::OperationGraph> graph;
  std::shared_ptr<fe::DeviceProperties> properties; // null with a handle

  bool allowsNumerics(cudnnBackendDescriptor_t config) const;
};

struct CudnnPlan::State {
  const CudnnLibrary &library;
  std::vector<int64_t> ids;
  fe::ExecutionPlan plan;
  // The last call's, which is the next one's more often than not.
  std::vector<void *> pointers;
  void *workspace = nullptr;
  std::optional<fe::VariantPack> pack;
};

CudnnPlan::CudnnPlan(std::unique_ptr<State> state) : state(std::move(state)) {}
CudnnPlan::~CudnnPlan() = default;
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
    auto state = std::unique_ptr<State>(
        new State{library, problem.describe(), problem.tensors().size(),
                  problem.lhs.dtype == DType::f32, problem.allowsTf32,
                  std::nullopt, nullptr});
    if (!handle) {
      state->properties = std::make_shared<fe::DeviceProperties>();
      auto error = state->properties->deserialize(
          {deviceProperties.begin(), deviceProperties.end()});
      if (error.is_bad()) {
        return absl::InvalidArgumentError(error.get_message());
      }
    }
    GraphBuilder builder(problem);
    if (absl::Status status = builder.build(); !status.ok()) {
      return status;
    }
    std::vector<fe::Operation const *> operations;
    for (const fe::Operation &operation : builder.operations) {
      operations.push_back(&operation);
    }
    state->graph = fe::OperationGraphBuilder()
                       .setHandle(handle)
                       .setOperationGraph(operations.size(), operations.data())
                       .build();
    return std::unique_ptr<CudnnGraph>(new CudnnGraph(std::move(state)));
  });
}

bool CudnnGraph::State::allowsNumerics(cudnnBackendDescriptor_t config) const {
  // Not 4x4 alone: every transformed product mixes neighbours.
  return !fe::hasNumericalNote<CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS>(
             config) &&
         !fe::hasNumericalNote<
             CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION>(config) &&
         !fe::hasNumericalNote<CUDNN_NUMERICAL_NOTE_FFT>(config) &&
         !fe::hasNumericalNote<CUDNN_NUMERICAL_NOTE_WINOGRAD>(config) &&
         // Tensor cores take no f32.
         (!isF32 || allowsTf32 ||
          !fe::hasNumericalNote<CUDNN_NUMERICAL_NOTE_TENSOR_CORE>(config));
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

/// Reads engine and knobs of a configuration that a heuristic gave.
static EngineChoice readChoice(const fe::ManagedOpaqueDescriptor &config) {
  auto get = [](cudnnBackendDescriptor_t from, cudnnBackendAttributeName_t name,
                cudnnBackendAttributeType_t type, int64_t most, void *into) {
    int64_t count = 0;
    cudnnStatus_t status =
        fe::detail::get_attribute(from, name, type, most, &count, into);
    if (status != CUDNN_STATUS_SUCCESS) {
      throw fe::cudnnException("engine of a configuration", status);
    }
    return count;
  };
  EngineChoice choice;
  auto engine =
      fe::make_shared_backend_pointer(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t rawEngine = engine->get_backend_descriptor();
  cudnnBackendDescriptor_t rawConfig = config->get_backend_descriptor();
  get(rawConfig, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
      &rawEngine);
  get(rawEngine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1,
      &choice.engine);
  std::vector<fe::ManagedOpaqueDescriptor> knobs;
  std::vector<cudnnBackendDescriptor_t> rawKnobs;
  for (int i = 0; i < CUDNN_KNOB_TYPE_COUNTS; ++i) {
    knobs.push_back(
        fe::make_shared_backend_pointer(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
    rawKnobs.push_back(knobs.back()->get_backend_descriptor());
  }
  int64_t count =
      get(rawConfig, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
          CUDNN_TYPE_BACKEND_DESCRIPTOR, rawKnobs.size(), rawKnobs.data());
  for (int64_t i = 0; i < count; ++i) {
    cudnnBackendKnobType_t type;
    int64_t value;
    get(rawKnobs[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1,
        &type);
    get(rawKnobs[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
        &value);
    choice.knobs.emplace_back(int64_t(type), value);
  }
  return choice;
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
          return !state->allowsNumerics(config);
        },
        configs, /*evaluate_all=*/true, /*sm_count=*/-1, state->properties);
    std::vector<EngineChoice> choices;
    for (const fe::ManagedOpaqueDescriptor &config : configs) {
      choices.push_back(readChoice(config));
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
    fe::detail::backend_descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    if (auto error = fe::detail::create_engine(engine, choice.engine,
                                               state->graph->get_raw_desc(),
                                               state->properties);
        error.is_bad()) {
      return isUnknown(error.get_message());
    }
    std::vector<fe::detail::backend_descriptor> knobs;
    for (auto [type, value] : choice.knobs) {
      fe::detail::backend_descriptor knob(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
      auto rawType = cudnnBackendKnobType_t(type);
      if (type < 0 || type >= CUDNN_KNOB_TYPE_COUNTS ||
          fe::detail::set_attribute(
              knob.get_ptr(), CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
              CUDNN_TYPE_KNOB_TYPE, 1, &rawType) != CUDNN_STATUS_SUCCESS ||
          fe::detail::set_attribute(
              knob.get_ptr(), CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE,
              CUDNN_TYPE_INT64, 1, &value) != CUDNN_STATUS_SUCCESS ||
          fe::detail::finalize(knob.get_ptr()) != CUDNN_STATUS_SUCCESS) {
        return isUnknown(absl::StrCat("knob ", type, "=", value));
      }
      knobs.push_back(std::move(knob));
    }
    auto config =
        fe::make_shared_backend_pointer(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    if (auto error = fe::detail::create_engine_config(config, engine, knobs);
        error.is_bad()) {
      return error.get_code() == fe::error_code_t::GRAPH_NOT_SUPPORTED
                 ? absl::UnimplementedError(error.get_message())
                 : isUnknown(error.get_message());
    }
    if (!state->allowsNumerics(config->get_backend_descriptor())) {
      return isUnknown("none with the numerics that the plan asks for");
    }
    // Plans outlive every graph that was captured of them: an Execution owns
    // both.
    fe::ExecutionPlan plan =
        fe::ExecutionPlanBuilder()
            .setEngineConfig(config)
            .setCudaGraphRetention(fe::CudaGraphRetention_t::NONE)
            .build();
    auto planState = std::unique_ptr<CudnnPlan::State>(new CudnnPlan::State{
        state->library, {}, std::move(plan), {}, nullptr, std::nullopt});
    for (size_t i = 0; i < state->tensors; ++i) {
      planState->ids.push_back(int64_t(i) + 1);
    }
    return std::unique_ptr<CudnnPlan>(new CudnnPlan(std::move(planState)));
  });
}

uint64_t CudnnPlan::workspaceBytes() const {
  return uint64_t(state->plan.getWorkspaceSize());
}

absl::Status CudnnPlan::enqueue(cudnnHandle_t handle,
                                absl::Span<void *const> pointers,
                                void *workspace) {
  if (!state->pack || workspace != state->workspace ||
      pointers != absl::MakeConstSpan(state->pointers)) {
    absl::Status status =
        guarded(state->library, "take pointers", [&]() -> absl::Status {
          state->pack.reset();
          state->pointers.assign(pointers.begin(), pointers.end());
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
