// SPDX-License-Identifier: Apache-2.0
//
// Calls of cuDNN, whatever they compute.

#include "runtime/device/cuda/LibraryCall.h"

#include "runtime/base/Log.h"
#include "runtime/device/cuda/cudnn/CudnnEngine.h"
#include "runtime/device/cuda/cudnn/OfferedEngines.h"
#include "runtime/format/CallReader.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

namespace {

class CudnnCall : public LibraryCall {
public:
  /// What clones have in common, fixed once the first one is made.
  struct Shared {
    CudnnEngines engines;
    const format::Address *scratch; // null where there is none
    uint64_t scratchBytes;
    std::vector<const CudnnTensor *> tensors; // of the problem
  };

  explicit CudnnCall(std::shared_ptr<const Shared> shared)
      : shared(std::move(shared)), pointers(this->shared->tensors.size()) {}
  ~CudnnCall() override;

  /// `engine` empty: the first of cuDNN's heuristics that fits the scratch, or
  /// none yet where algorithms are listed only.
  static absl::StatusOr<std::unique_ptr<LibraryCall>>
  create(std::shared_ptr<const Shared> shared, absl::string_view engine,
         bool onlyListsAlgorithms);

  absl::Status enqueue(CUstream stream, const PlanBases &bases) override;
  absl::StatusOr<std::unique_ptr<LibraryCall>> clone() const override;
  absl::StatusOr<std::vector<LibraryAlgorithm>>
  algorithms(int max, uint64_t scratchLimit) const override;

private:
  absl::Status use(const EngineChoice &choice, CudnnEngines::Pointer &bare);
  absl::Status useFirstThatFits();
  /// An error where it was made to list algorithms alone.
  absl::Status checkReady() const;

  const std::shared_ptr<const Shared> shared;
  CudnnEngines::Pointer engine;
  EngineChoice choice; // of `engine`, where it has a plan
  std::vector<void *> pointers;
};

} // namespace

CudnnCall::~CudnnCall() {
  if (engine && engine->plan) {
    shared->engines.giveBack(choice, std::move(engine));
  }
}

absl::Status CudnnCall::use(const EngineChoice &wanted,
                            CudnnEngines::Pointer &bare) {
  absl::StatusOr<CudnnEngines::Pointer> made =
      shared->engines.make(wanted, bare);
  RETURN_IF_ERROR(made.status());
  uint64_t bytes = (*made)->plan->workspaceBytes();
  if (bytes > shared->scratchBytes) {
    shared->engines.release(wanted, *std::move(made), bare);
    return absl::FailedPreconditionError(absl::StrCat(
        "cuDNN engine ", toString(wanted), " needs ", bytes,
        " bytes of workspace, the plan has ", shared->scratchBytes));
  }
  engine = *std::move(made);
  choice = wanted;
  return absl::OkStatus();
}

absl::Status CudnnCall::useFirstThatFits() {
  const CudnnEngines &engines = shared->engines;
  absl::StatusOr<CudnnEngines::Pointer> lister = engines.makeBare();
  RETURN_IF_ERROR(lister.status());
  OfferedEngines offered(*(*lister)->graph);
  CudnnEngines::Pointer bare;
  if (!engines.keepsSpares()) {
    bare = *std::move(lister); // stays where it is in this loop
  }
  absl::Status failure;
  while (std::optional<EngineChoice> next = offered.next()) {
    absl::Status status = use(*next, bare);
    if (status.ok()) {
      return absl::OkStatus();
    }
    failure.Update(status); // of cuDNN's favourite
  }
  std::string why = failure.ok() ? refusals(engines.library.lastError())
                                 : std::string(failure.message());
  RETURN_IF_ERROR(offered.status());
  return absl::UnimplementedError(absl::StrCat(
      "unsupported: cuDNN ", engines.library.version, " has no engine for ",
      engines.problem.describe(), " within ", shared->scratchBytes,
      " bytes of workspace", why.empty() ? "" : absl::StrCat(" (", why, ")")));
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
CudnnCall::create(std::shared_ptr<const Shared> shared,
                  absl::string_view engine, bool onlyListsAlgorithms) {
  auto call = std::make_unique<CudnnCall>(std::move(shared));
  if (engine.empty() && onlyListsAlgorithms) {
    absl::StatusOr<CudnnEngines::Pointer> lister =
        call->shared->engines.makeBare();
    RETURN_IF_ERROR(lister.status());
    call->engine = *std::move(lister);
    return call;
  }
  if (engine.empty()) {
    RETURN_IF_ERROR(call->useFirstThatFits());
    return call;
  }
  absl::StatusOr<EngineChoice> choice = parseEngine(engine);
  RETURN_IF_ERROR(choice.status());
  CudnnEngines::Pointer bare;
  RETURN_IF_ERROR(call->use(*choice, bare));
  return call;
}

absl::Status CudnnCall::checkReady() const {
  return engine->plan ? absl::OkStatus()
                      : absl::FailedPreconditionError(absl::StrCat(
                            "cuDNN ", shared->engines.problem.describe(),
                            " was loaded to list its engines, not to run"));
}

absl::Status CudnnCall::enqueue(CUstream stream, const PlanBases &bases) {
  RETURN_IF_ERROR(checkReady());
  RETURN_IF_ERROR(engine->handle->setStream(stream));
  for (size_t i = 0; i < pointers.size(); ++i) {
    const CudnnTensor &tensor = *shared->tensors[i];
    pointers[i] = bases.resolve(*tensor.address);
    if (reinterpret_cast<uintptr_t>(pointers[i]) % tensor.alignment) {
      return absl::InvalidArgumentError(absl::StrCat(
          "cuDNN ", shared->engines.problem.describe(),
          ": expected pointers aligned to ", tensor.alignment, " bytes"));
    }
  }
  void *workspace = shared->scratch ? bases.resolve(*shared->scratch) : nullptr;
  return engine->plan->enqueue(engine->handle->get(), pointers, workspace);
}

absl::StatusOr<std::unique_ptr<LibraryCall>> CudnnCall::clone() const {
  RETURN_IF_ERROR(checkReady());
  // cuDNN's plans are not to be run by two threads at once, so a clone makes
  // its own; of the engine it has no search to do.
  auto call = std::make_unique<CudnnCall>(shared);
  CudnnEngines::Pointer bare;
  RETURN_IF_ERROR(call->use(choice, bare));
  return call;
}

absl::StatusOr<std::vector<LibraryAlgorithm>>
CudnnCall::algorithms(int max, uint64_t scratchLimit) const {
  return shared->engines.list(*engine, choice, max, scratchLimit);
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
createCudnnCall(const format::Call &call, const LibraryCallOptions &options) {
  absl::StatusOr<const CudnnLibrary *> library = CudnnLibrary::open();
  RETURN_IF_ERROR(library.status());
  std::string engine(format::CallReader(call).algorithm());
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
      CudnnCall::Shared{{**library, CudnnProblem::get(call),
                         options.context.shared_from_this(), options.spares},
                        call.scratch(),
                        call.scratch_bytes(),
                        {}});
  shared->tensors = shared->engines.problem.tensors();
  return CudnnCall::create(std::move(shared), engine,
                           options.onlyListsAlgorithms);
}

} // namespace minic::runtime
