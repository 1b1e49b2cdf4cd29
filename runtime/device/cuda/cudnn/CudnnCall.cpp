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

/// An engine that is ready to run, with a handle of its own; one call's alone.
/// Outlives every CUDA graph that was captured of it, as the call that has it
/// does, and may be another call's afterwards.
struct CudnnEngine : Spare {
  ~CudnnEngine() override {
    CudaScope scope(*context);
    plan.reset();
    graph.reset();
    handle.reset();
  }

  std::shared_ptr<const CudaContext> context;
  std::unique_ptr<CudnnHandle> handle;
  std::unique_ptr<CudnnGraph> graph;
  std::unique_ptr<CudnnPlan> plan; // null: of no engine yet
};

class CudnnCall : public LibraryCall {
public:
  /// What clones have in common, fixed once the first one is made.
  struct Shared {
    const CudnnLibrary &library;
    CudnnProblem problem;
    const format::Address *scratch; // null where there is none
    uint64_t scratchBytes;
    std::vector<const CudnnTensor *> tensors; // of the problem
    std::shared_ptr<const CudaContext> context;
    std::shared_ptr<SparePool> spares; // null: nothing is kept
    std::string key;                   // of this problem's spares
  };

  explicit CudnnCall(std::shared_ptr<const Shared> shared)
      : shared(std::move(shared)), pointers(this->shared->tensors.size()) {}
  ~CudnnCall() override;

  /// `engine` empty: the first of cuDNN's heuristics that fits the scratch.
  static absl::StatusOr<std::unique_ptr<LibraryCall>>
  create(std::shared_ptr<const Shared> shared, absl::string_view engine);

  absl::Status enqueue(CUstream stream, const PlanBases &bases) override;
  absl::StatusOr<std::unique_ptr<LibraryCall>> clone() const override;
  absl::StatusOr<std::vector<LibraryAlgorithm>>
  algorithms(int max, uint64_t scratchLimit) const override;

private:
  using EnginePointer = std::unique_ptr<CudnnEngine>;

  std::string keyOf(const EngineChoice &choice) const {
    return absl::StrCat(shared->key, "; ", toString(choice));
  }
  absl::Status makeBare(EnginePointer &bare) const;
  /// A spare, or made of `bare`, which is made where it is null and stays where
  /// the engine does not support the problem.
  absl::StatusOr<EnginePointer> makeReady(const EngineChoice &choice,
                                          EnginePointer &bare) const;
  /// Makes a spare of it, or where none are kept the next `bare`.
  void release(const EngineChoice &choice, EnginePointer ready,
               EnginePointer &bare) const;
  absl::Status use(const EngineChoice &choice, EnginePointer &bare);
  absl::Status useFirstThatFits();
  /// Calls `body` with engines in the order of the heuristics, each once, until
  /// it returns false.
  template <typename Body>
  absl::Status forEachEngine(const CudnnGraph &graph, Body body) const;

  const std::shared_ptr<const Shared> shared;
  EnginePointer engine;
  EngineChoice choice; // of `engine`
  std::vector<void *> pointers;
};

} // namespace

CudnnCall::~CudnnCall() {
  if (engine && shared->spares) {
    shared->spares->give(keyOf(choice), std::move(engine));
  }
}

absl::Status CudnnCall::makeBare(EnginePointer &bare) const {
  auto made = std::make_unique<CudnnEngine>();
  made->context = shared->context;
  absl::StatusOr<std::unique_ptr<CudnnHandle>> handle =
      CudnnHandle::create(shared->library);
  RETURN_IF_ERROR(handle.status());
  made->handle = *std::move(handle);
  absl::StatusOr<std::unique_ptr<CudnnGraph>> graph =
      CudnnGraph::create(shared->library, shared->problem, made->handle->get());
  RETURN_IF_ERROR(graph.status());
  made->graph = *std::move(graph);
  bare = std::move(made);
  return absl::OkStatus();
}

absl::StatusOr<CudnnCall::EnginePointer>
CudnnCall::makeReady(const EngineChoice &choice, EnginePointer &bare) const {
  if (shared->spares) {
    if (std::unique_ptr<Spare> spare = shared->spares->take(keyOf(choice))) {
      EnginePointer ready(static_cast<CudnnEngine *>(spare.release()));
      ready->handle->forgetStream();
      return ready;
    }
  }
  if (!bare) {
    RETURN_IF_ERROR(makeBare(bare));
  }
  absl::StatusOr<std::unique_ptr<CudnnPlan>> plan = bare->graph->plan(choice);
  RETURN_IF_ERROR(plan.status());
  bare->plan = *std::move(plan);
  return std::move(bare);
}

void CudnnCall::release(const EngineChoice &choice, EnginePointer ready,
                        EnginePointer &bare) const {
  if (shared->spares) {
    shared->spares->give(keyOf(choice), std::move(ready));
  } else {
    ready->plan.reset();
    bare = std::move(ready);
  }
}

absl::Status CudnnCall::use(const EngineChoice &wanted, EnginePointer &bare) {
  absl::StatusOr<EnginePointer> made = makeReady(wanted, bare);
  RETURN_IF_ERROR(made.status());
  uint64_t bytes = (*made)->plan->workspaceBytes();
  if (bytes > shared->scratchBytes) {
    release(wanted, *std::move(made), bare);
    return absl::FailedPreconditionError(absl::StrCat(
        "cuDNN engine ", toString(wanted), " needs ", bytes,
        " bytes of workspace, the plan has ", shared->scratchBytes));
  }
  engine = *std::move(made);
  choice = wanted;
  return absl::OkStatus();
}

template <typename Body>
absl::Status CudnnCall::forEachEngine(const CudnnGraph &graph,
                                      Body body) const {
  std::vector<std::string> seen;
  absl::Status failure;
  for (CudnnHeuristic heuristic :
       {CudnnHeuristic::A, CudnnHeuristic::B, CudnnHeuristic::Fallback}) {
    absl::StatusOr<std::vector<EngineChoice>> choices =
        graph.engines(heuristic);
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
  EnginePointer lister, bare;
  RETURN_IF_ERROR(makeBare(lister));
  const CudnnGraph &graph = *lister->graph;
  if (!shared->spares) {
    bare = std::move(lister); // stays where it is in this loop
  }
  absl::Status failure;
  RETURN_IF_ERROR(forEachEngine(graph, [&](const EngineChoice &next) {
    absl::Status status = use(next, bare);
    if (failure.ok()) {
      failure = status; // of cuDNN's favourite
    }
    return !status.ok();
  }));
  if (engine) {
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
  auto call = std::make_unique<CudnnCall>(std::move(shared));
  if (engine.empty()) {
    RETURN_IF_ERROR(call->useFirstThatFits());
    return call;
  }
  absl::StatusOr<EngineChoice> choice = parseEngine(engine);
  RETURN_IF_ERROR(choice.status());
  EnginePointer bare;
  RETURN_IF_ERROR(call->use(*choice, bare));
  return call;
}

absl::Status CudnnCall::enqueue(CUstream stream, const PlanBases &bases) {
  RETURN_IF_ERROR(engine->handle->setStream(stream));
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
  return engine->plan->enqueue(engine->handle->get(), pointers, workspace);
}

absl::StatusOr<std::unique_ptr<LibraryCall>> CudnnCall::clone() const {
  // cuDNN's plans are not to be run by two threads at once, so a clone makes
  // its own; of the engine it has no search to do.
  auto call = std::make_unique<CudnnCall>(shared);
  EnginePointer bare;
  RETURN_IF_ERROR(call->use(choice, bare));
  return call;
}

absl::StatusOr<std::vector<LibraryAlgorithm>>
CudnnCall::algorithms(int max, uint64_t scratchLimit) const {
  std::vector<LibraryAlgorithm> found;
  std::string own = toString(choice);
  EnginePointer bare;
  RETURN_IF_ERROR(
      forEachEngine(*engine->graph, [&](const EngineChoice &offered) {
        std::string name = toString(offered);
        uint64_t bytes = engine->plan->workspaceBytes();
        if (name != own) {
          // Engines are made one by one; one that cannot be made is not
          // offered.
          absl::StatusOr<EnginePointer> made = makeReady(offered, bare);
          if (!made.ok()) {
            logWarning(absl::StrCat("skipped: ", made.status().message()));
            return true;
          }
          bytes = (*made)->plan->workspaceBytes();
          release(offered, *std::move(made), bare);
        }
        if (bytes <= scratchLimit) {
          found.push_back(
              {absl::StrCat(shared->library.version, ":", name), name, bytes});
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
                        {},
                        options.context.shared_from_this(),
                        options.spares,
                        {}});
  shared->tensors = shared->problem.tensors();
  if (shared->spares) {
    shared->key = absl::StrCat("cuDNN on GPU ", options.context.deviceIndex(),
                               ": ", shared->problem.key());
  }
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
