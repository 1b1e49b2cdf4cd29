// SPDX-License-Identifier: Apache-2.0
//
// format.CudnnConvolution and format.CudnnMatmul as LibraryCalls.

#include "runtime/device/cuda/LibraryCall.h"

#include "runtime/base/Log.h"
#include "runtime/device/cuda/cudnn/CudnnGraph.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

namespace {

/// One engine of one problem with a handle of its own.
class CudnnCall : public LibraryCall {
public:
  /// What clones have in common, fixed once the first one is made.
  struct Shared {
    const CudnnLibrary &library;
    CudnnProblem problem;
    const format::Address *scratch; // null where there is none
    uint64_t scratchBytes;
    std::vector<const CudnnTensor *> tensors; // of the problem
  };

  /// `engine` empty: the first of cuDNN's heuristics that fits the scratch.
  static absl::StatusOr<std::unique_ptr<LibraryCall>>
  create(std::shared_ptr<const Shared> shared, absl::string_view engine);

  absl::Status enqueue(CUstream stream, const PlanBases &bases) override;
  absl::StatusOr<std::unique_ptr<LibraryCall>> clone() const override;
  absl::StatusOr<std::vector<LibraryAlgorithm>>
  algorithms(int max, uint64_t scratchLimit) const override;

private:
  static absl::StatusOr<std::unique_ptr<CudnnCall>>
  makeHandle(std::shared_ptr<const Shared> shared);
  absl::Status usePlan(const EngineChoice &choice);
  absl::Status useFirstThatFits();
  /// Calls `body` with engines in the order of the heuristics, each once, until
  /// it returns false.
  template <typename Body> absl::Status forEachEngine(Body body) const;

  std::shared_ptr<const Shared> shared;
  std::unique_ptr<CudnnHandle> handle;
  std::unique_ptr<CudnnGraph> graph;
  std::unique_ptr<CudnnPlan> plan;
  EngineChoice engine;
  std::vector<void *> pointers;
};

} // namespace

absl::StatusOr<std::unique_ptr<CudnnCall>>
CudnnCall::makeHandle(std::shared_ptr<const Shared> shared) {
  auto call = std::make_unique<CudnnCall>();
  absl::StatusOr<std::unique_ptr<CudnnHandle>> handle =
      CudnnHandle::create(shared->library);
  RETURN_IF_ERROR(handle.status());
  absl::StatusOr<std::unique_ptr<CudnnGraph>> graph =
      CudnnGraph::create(shared->library, shared->problem, (*handle)->get());
  RETURN_IF_ERROR(graph.status());
  call->handle = *std::move(handle);
  call->graph = *std::move(graph);
  call->pointers.resize(shared->tensors.size());
  call->shared = std::move(shared);
  return call;
}

absl::Status CudnnCall::usePlan(const EngineChoice &choice) {
  absl::StatusOr<std::unique_ptr<CudnnPlan>> made = graph->plan(choice);
  RETURN_IF_ERROR(made.status());
  if ((*made)->workspaceBytes() > shared->scratchBytes) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cuDNN engine ", toString(choice), " needs ", (*made)->workspaceBytes(),
        " bytes of workspace, the plan has ", shared->scratchBytes));
  }
  plan = *std::move(made);
  engine = choice;
  return absl::OkStatus();
}

template <typename Body>
absl::Status CudnnCall::forEachEngine(Body body) const {
  std::vector<std::string> seen;
  absl::Status failure;
  for (CudnnHeuristic heuristic :
       {CudnnHeuristic::A, CudnnHeuristic::B, CudnnHeuristic::Fallback}) {
    absl::StatusOr<std::vector<EngineChoice>> choices =
        graph->engines(heuristic);
    if (!choices.ok()) {
      failure = choices.status();
      continue;
    }
    for (const EngineChoice &choice : *choices) {
      std::string text = toString(choice);
      if (std::find(seen.begin(), seen.end(), text) != seen.end()) {
        continue;
      }
      if (!body(choice)) {
        return absl::OkStatus();
      }
      seen.push_back(std::move(text));
    }
  }
  return seen.empty() ? failure : absl::OkStatus();
}

absl::Status CudnnCall::useFirstThatFits() {
  absl::Status failure;
  RETURN_IF_ERROR(forEachEngine([&](const EngineChoice &choice) {
    absl::Status status = usePlan(choice);
    if (failure.ok()) {
      failure = status; // of cuDNN's favourite
    }
    return !status.ok();
  }));
  if (plan) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat(
      "unsupported: cuDNN ", shared->library.version, " has no engine for ",
      shared->problem.describe(), " within ", shared->scratchBytes,
      " bytes of workspace",
      failure.ok() ? "" : absl::StrCat(" (", failure.message(), ")")));
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
CudnnCall::create(std::shared_ptr<const Shared> shared,
                  absl::string_view engine) {
  absl::StatusOr<std::unique_ptr<CudnnCall>> call =
      makeHandle(std::move(shared));
  RETURN_IF_ERROR(call.status());
  if (engine.empty()) {
    RETURN_IF_ERROR((*call)->useFirstThatFits());
  } else {
    absl::StatusOr<EngineChoice> choice = parseEngine(engine);
    RETURN_IF_ERROR(choice.status());
    RETURN_IF_ERROR((*call)->usePlan(*choice));
  }
  return *std::move(call);
}

absl::Status CudnnCall::enqueue(CUstream stream, const PlanBases &bases) {
  RETURN_IF_ERROR(handle->setStream(stream));
  for (size_t i = 0; i < pointers.size(); ++i) {
    const CudnnTensor &tensor = *shared->tensors[i];
    pointers[i] = bases.resolve(*tensor.address);
    if (reinterpret_cast<uintptr_t>(pointers[i]) % tensor.alignment) {
      return absl::InvalidArgumentError(absl::StrCat(
          "cuDNN ", shared->problem.describe(),
          ": expected pointers aligned to ", tensor.alignment, " bytes"));
    }
  }
  void *workspace = shared->scratch ? bases.resolve(*shared->scratch) : nullptr;
  return plan->enqueue(handle->get(), pointers, workspace);
}

absl::StatusOr<std::unique_ptr<LibraryCall>> CudnnCall::clone() const {
  // cuDNN's plans are not to be run by two threads at once, so a clone makes
  // its own; of the engine it has no search to do.
  absl::StatusOr<std::unique_ptr<CudnnCall>> call = makeHandle(shared);
  RETURN_IF_ERROR(call.status());
  RETURN_IF_ERROR((*call)->usePlan(engine));
  return *std::move(call);
}

absl::StatusOr<std::vector<LibraryAlgorithm>>
CudnnCall::algorithms(int max, uint64_t scratchLimit) const {
  std::vector<LibraryAlgorithm> found;
  RETURN_IF_ERROR(forEachEngine([&](const EngineChoice &choice) {
    // Engines are made one by one; one that cannot be made is not offered.
    absl::StatusOr<std::unique_ptr<CudnnPlan>> made = graph->plan(choice);
    std::string name = toString(choice);
    if (!made.ok()) {
      logWarning(absl::StrCat("skipped: ", made.status().message()));
    } else if ((*made)->workspaceBytes() <= scratchLimit) {
      found.push_back({absl::StrCat(shared->library.version, ":", name), name,
                       (*made)->workspaceBytes()});
    }
    return int(found.size()) < max;
  }));
  return found;
}

/// Of either descriptor.
template <typename Call>
static absl::StatusOr<std::unique_ptr<LibraryCall>>
createCall(const Call &call, const LibraryCallOptions &options) {
  absl::StatusOr<const CudnnLibrary *> library = CudnnLibrary::open();
  RETURN_IF_ERROR(library.status());
  std::string engine = call.engine() ? call.engine()->str() : std::string();
  // Another version numbers its engines anew.
  if (!engine.empty() && !options.libraryVersion.empty() &&
      options.libraryVersion != (*library)->version) {
    std::string message =
        absl::StrCat("the plan was made with cuDNN ", options.libraryVersion,
                     ", this machine has ", (*library)->version);
    if (options.strictLibraries) {
      return absl::FailedPreconditionError(message);
    }
    logWarning(absl::StrCat(message, "; its heuristic chooses the engine"));
    engine.clear();
  }
  auto shared = std::make_shared<CudnnCall::Shared>(
      CudnnCall::Shared{**library,
                        CudnnProblem::get(call),
                        call.scratch(),
                        call.scratch_bytes(),
                        {}});
  shared->tensors = shared->problem.tensors();
  return CudnnCall::create(std::move(shared), engine);
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
createCudnnConvolution(const format::CudnnConvolution &call,
                       const LibraryCallOptions &options) {
  return createCall(call, options);
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
createCudnnMatmul(const format::CudnnMatmul &call,
                  const LibraryCallOptions &options) {
  return createCall(call, options);
}

} // namespace minic::runtime
