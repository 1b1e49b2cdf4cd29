// SPDX-License-Identifier: Apache-2.0
//
// Makes engines, one for a call or several to list them.

#include "runtime/device/cuda/cudnn/CudnnEngine.h"

#include "runtime/base/Log.h"
#include "runtime/base/TryInOrder.h"
#include "runtime/device/cuda/cudnn/OfferedEngines.h"

#include <algorithm>
#include <thread>

namespace minic::runtime {

/// Beyond it threads wait for each other's memory and locks, and the builders
/// of the search that lists engines need cores as well.
static constexpr unsigned mostThreads = 8;

CudnnEngine::~CudnnEngine() {
  CudaScope scope(*context);
  plan.reset();
  graph.reset();
  handle.reset();
}

CudnnEngines::CudnnEngines(const CudnnLibrary &library, CudnnProblem problem,
                           std::shared_ptr<const CudaContext> context,
                           std::shared_ptr<SparePool> spares)
    : library(library), problem(std::move(problem)),
      context(std::move(context)), spares(std::move(spares)),
      key(absl::StrCat("cuDNN on GPU ", this->context->deviceIndex(), ": ",
                       this->problem.key())) {}

absl::StatusOr<CudnnEngines::Pointer> CudnnEngines::makeBare() const {
  auto made = std::make_unique<CudnnEngine>();
  made->context = context;
  absl::StatusOr<std::unique_ptr<CudnnHandle>> handle =
      CudnnHandle::create(library);
  if (!handle.ok()) {
    return handle.status();
  }
  made->handle = *std::move(handle);
  absl::StatusOr<std::unique_ptr<CudnnGraph>> graph =
      CudnnGraph::create(library, problem, made->handle->get());
  if (!graph.ok()) {
    return graph.status();
  }
  made->graph = *std::move(graph);
  return made;
}

absl::StatusOr<CudnnEngines::Pointer>
CudnnEngines::make(const EngineChoice &choice, Pointer &bare) const {
  if (spares) {
    if (std::unique_ptr<Spare> spare = spares->take(keyOf(choice))) {
      Pointer ready(static_cast<CudnnEngine *>(spare.release()));
      ready->handle->forgetStream();
      return ready;
    }
  }
  if (!bare) {
    absl::StatusOr<Pointer> made = makeBare();
    if (!made.ok()) {
      return made.status();
    }
    bare = *std::move(made);
  }
  absl::StatusOr<std::unique_ptr<CudnnPlan>> plan = bare->graph->plan(choice);
  if (!plan.ok()) {
    return plan.status();
  }
  bare->plan = *std::move(plan);
  return std::move(bare);
}

void CudnnEngines::release(const EngineChoice &choice, Pointer ready,
                           Pointer &bare) const {
  if (spares) {
    giveBack(choice, std::move(ready));
  } else {
    ready->plan.reset();
    bare = std::move(ready);
  }
}

void CudnnEngines::giveBack(const EngineChoice &choice, Pointer ready) const {
  if (spares) {
    spares->give(keyOf(choice), std::move(ready));
  }
}

absl::StatusOr<uint64_t>
CudnnEngines::workspaceBytes(const EngineChoice &choice, Pointer &bare) const {
  const CudaDriver &driver = context->driver();
  CudaScope scope(*context);
  if (scope.result() != CUDA_SUCCESS) {
    return driver.status(scope.result(), "cuCtxPushCurrent");
  }
  RelaxedCaptureScope relaxed(driver);
  absl::StatusOr<Pointer> made = make(choice, bare);
  if (!made.ok()) {
    return made.status();
  }
  uint64_t bytes = (*made)->plan->workspaceBytes();
  release(choice, *std::move(made), bare);
  return bytes;
}

absl::StatusOr<std::vector<LibraryAlgorithm>>
CudnnEngines::list(const CudnnEngine &lister, const EngineChoice &ready,
                   int max, uint64_t scratchLimit) const {
  struct Trial {
    EngineChoice choice;
    absl::StatusOr<uint64_t> bytes = uint64_t(0);
  };
  OfferedEngines offered(*lister.graph);
  const std::string readyName = lister.plan ? toString(ready) : "";
  const int threads =
      int(std::clamp(std::thread::hardware_concurrency(), 1u, mostThreads));
  std::vector<Pointer> bare(threads); // one for each
  TryInOrder<Trial> tries(
      max,
      [&]() -> std::optional<Trial> {
        CudaScope scope(*context);
        RelaxedCaptureScope relaxed(context->driver());
        std::optional<EngineChoice> choice = offered.next();
        return choice ? std::optional<Trial>({*std::move(choice)})
                      : std::nullopt;
      },
      [&](Trial &trial, int thread) {
        trial.bytes = toString(trial.choice) == readyName
                          ? lister.plan->workspaceBytes()
                          : workspaceBytes(trial.choice, bare[thread]);
        return trial.bytes.ok() && *trial.bytes <= scratchLimit;
      });
  std::vector<LibraryAlgorithm> found;
  for (const Trial &trial : tries.run(threads)) {
    if (!trial.bytes.ok()) {
      logWarning(absl::StrCat("skipped: ", trial.bytes.status().message()));
    } else if (*trial.bytes <= scratchLimit) {
      std::string name = toString(trial.choice);
      found.push_back(
          {absl::StrCat(library.version, ":", name), name, *trial.bytes});
    }
  }
  if (absl::Status status = offered.status(); !status.ok()) {
    return status;
  }
  return found;
}

} // namespace minic::runtime
