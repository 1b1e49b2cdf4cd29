// SPDX-License-Identifier: Apache-2.0
//
// The algorithm is the plan's where this library knows it, else the library's
// own first choice within the plan's workspace.

#include "runtime/device/cuda/CublasltAlgorithm.h"
#include "runtime/device/cuda/CublasltProblem.h"

#include "runtime/base/Log.h"
#include "runtime/base/Tensor.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {

namespace {

class CublasltMatmul : public LibraryCall {
public:
  CublasltMatmul(const CublasltCall &call, const CublasltLibrary &library,
                 cublasLtHandle_t handle, const CublasltAlignment &alignment)
      : call(call), library(library), handle(handle), alignment(alignment) {}

  absl::Status build();
  absl::Status choose(const std::string &plannedVersion, bool strict);

  absl::Status enqueue(CUstream stream, const PlanBases &bases) override {
    return problem->product().isEmpty()
               ? absl::OkStatus()
               : problem->enqueue(algorithm, stream, bases);
  }
  absl::StatusOr<std::unique_ptr<LibraryCall>> clone() const override;
  absl::StatusOr<std::vector<LibraryAlgorithm>>
  algorithms(int max, uint64_t scratchLimit) const override;

private:
  const CublasltCall call;
  const CublasltLibrary &library;
  const cublasLtHandle_t handle;
  const CublasltAlignment alignment;
  // Holds the addresses of bias and aux, so each Execution has its own.
  std::unique_ptr<CublasltProblem> problem;
  cublasLtMatmulAlgo_t algorithm = {};
};

} // namespace

absl::Status CublasltMatmul::build() {
  auto made = CublasltProblem::create(call, library, handle, alignment);
  if (made.ok()) {
    problem = std::move(*made);
  }
  return made.status();
}

absl::Status CublasltMatmul::choose(const std::string &plannedVersion,
                                    bool strict) {
  if (problem->product().isEmpty()) {
    return absl::OkStatus();
  }
  if (std::string bytes = absl::HexStringToBytes(call.algorithm);
      bytes.size() == sizeof(algorithm)) {
    std::memcpy(&algorithm, bytes.data(), sizeof(algorithm));
    absl::Status status;
    if (!plannedVersion.empty() && plannedVersion != library.version) {
      status = absl::FailedPreconditionError(
          absl::StrCat("the plan was made with cuBLASLt ", plannedVersion,
                       ", this machine has ", library.version));
    } else {
      status = problem->check(algorithm, call.scratchBytes);
    }
    if (status.ok() || strict) {
      return status;
    }
    logWarning(absl::StrCat(status.message(),
                            "; cuBLASLt's own choice is used "
                            "for ",
                            describe(problem->product())));
  }
  auto found = problem->findAlgorithms(1, call.scratchBytes);
  if (found.ok()) {
    algorithm = found->front().algo;
  }
  return found.status();
}

absl::StatusOr<std::unique_ptr<LibraryCall>> CublasltMatmul::clone() const {
  auto copy =
      std::make_unique<CublasltMatmul>(call, library, handle, alignment);
  if (absl::Status status = copy->build(); !status.ok()) {
    return status;
  }
  copy->algorithm = algorithm;
  return copy;
}

absl::StatusOr<std::vector<LibraryAlgorithm>>
CublasltMatmul::algorithms(int max, uint64_t scratchLimit) const {
  if (problem->product().isEmpty()) {
    return std::vector<LibraryAlgorithm>();
  }
  auto found = problem->findAlgorithms(max, scratchLimit);
  if (!found.ok()) {
    return found.status();
  }
  std::vector<LibraryAlgorithm> algorithms;
  for (const cublasLtMatmulHeuristicResult_t &each : *found) {
    algorithms.push_back({toText(library, each.algo),
                          describe(library, each.algo), each.workspaceSize});
  }
  return algorithms;
}

/// The largest power of two, up to 256, that divides where `view` will be.
static uint32_t alignmentOf(const format::TensorView &view,
                            const LibraryCallOptions &options) {
  const format::Address &address = *view.address();
  auto callers = [&](auto list) -> uint64_t {
    return options.function
               ? (options.function->*list)()->Get(address.index())->alignment()
               : 16;
  };
  uint64_t base = 256; // of the arena and of persistent memory
  switch (address.base()) {
  case format::Base::arena:
  case format::Base::persistent:
    break;
  case format::Base::constant:
    base = 64; // each Execution may have a copy that is aligned to no more
    break;
  case format::Base::input:
    base = callers(&format::Function::inputs);
    break;
  case format::Base::output:
    base = callers(&format::Function::outputs);
    break;
  }
  uint64_t bits = base | address.offset();
  uint64_t alignment = std::min<uint64_t>(bits & (~bits + 1), 256);
  // Elements are always aligned to their own size.
  return std::max<uint64_t>(alignment, elementBytes(view.dtype()));
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
createCublasltMatmul(const format::Call &planned,
                     const LibraryCallOptions &options) {
  CublasltCall call(planned);
  absl::StatusOr<const CublasltLibrary *> library = CublasltLibrary::open();
  if (!library.ok()) {
    return library.status();
  }
  absl::StatusOr<cublasLtHandle_t> handle = cublasltHandle(options.deviceIndex);
  if (!handle.ok()) {
    return handle.status();
  }
  auto of = [&](const format::TensorView *view) {
    return view ? alignmentOf(*view, options) : 256;
  };
  CublasltAlignment alignment = {of(&call.rhs),
                                 of(&call.lhs),
                                 of(call.addend ? call.addend : &call.result),
                                 of(&call.result),
                                 of(call.bias),
                                 of(call.aux)};
  auto matmul =
      std::make_unique<CublasltMatmul>(call, **library, *handle, alignment);
  absl::Status status = matmul->build();
  if (status.ok()) {
    status = matmul->choose(options.libraryVersion, options.strictLibraries);
  }
  if (!status.ok()) {
    return status;
  }
  return matmul;
}

} // namespace minic::runtime
