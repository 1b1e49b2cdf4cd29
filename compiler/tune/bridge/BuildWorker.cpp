// SPDX-License-Identifier: Apache-2.0
//
// Problem and choice to artifact.

#include "compiler/tune/bridge/BuildWorker.h"

#include "compiler/emit/EmitArtifact.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/Pipelines.h"
#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/target/Target.h"
#include "compiler/tune/bridge/Problem.h"
#include "compiler/tune/process/BuildProtocol.h"
#include "dialects/plan/Plan.h"
#include "passes/support/KernelSymbol.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mlir;

namespace minic::tune {

/// Hash of the file at `path`; empty where it cannot be read.
static std::string hashFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file) {
    return "";
  }
  StringRef bytes = (*file)->getBuffer();
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return llvm::formatv("{0:x-16}{1:x-16}", hash.high64, hash.low64);
}

static LogicalResult build(MLIRContext &context, const BuildJob &job,
                           const BuilderSetting &builder, int64_t &spillBytes) {
  OwningOpRef<ModuleOp> problem =
      parseSourceFile<ModuleOp>(job.problemPath, &context);
  if (!problem) {
    return failure();
  }
  FailureOr<ProblemSetting> setting = readSetting(*problem);
  if (failed(setting)) {
    return failure();
  }
  auto choice = dyn_cast_or_null<kernel::ChoiceAttr>(
      parseAttribute(job.choice, &context));
  if (!choice) {
    return problem->emitError("expects a #kernel.choice, got ") << job.choice;
  }
  FailureOr<OwningOpRef<ModuleOp>> module = problemToModule(*problem, choice);
  if (failed(module)) {
    return failure();
  }
  std::unique_ptr<Target> target =
      setting->target == "cuda" && builder.gpu
          ? createCudaTarget(*builder.gpu)
          : createTarget(setting->target, setting->isa,
                         static_cast<int>(setting->threads));
  if (!target) {
    return problem->emitError("unsupported: target '")
           << setting->target << "' with isa '" << setting->isa << "'";
  }
  for (const std::unique_ptr<Plugin> &plugin : builder.plugins) {
    target->addPlugin(*plugin);
  }
  // Candidates whose code is equal are to be equal files.
  (**module)->setAttr(anonymousKernels, UnitAttr::get(&context));
  PipelineInputs inputs;
  inputs.target = target.get();
  inputs.inputAlignment = setting->alignment;
  // The winner is verified when the model is compiled.
  inputs.verify = false;
  if (failed(runTail(**module, inputs))) {
    return failure();
  }
  for (auto binary : (*module)->getOps<plan::BinaryOp>()) {
    if (auto spilled = binary->getAttrOfType<IntegerAttr>("spill_bytes")) {
      spillBytes = std::max(spillBytes, spilled.getInt());
    }
  }
  EmitOptions options;
  options.durable = false;
  return emitArtifact(**module, options, job.outputPath);
}

BuildOutcome buildCandidate(MLIRContext &context, const BuildJob &job,
                            const BuilderSetting &setting) {
  auto start = std::chrono::steady_clock::now();
  BuildOutcome outcome;
  DiagnosticCollector diagnostics(&context);
  outcome.ok = succeeded(build(context, job, setting, outcome.spillBytes));
  outcome.buildMs = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  if (outcome.ok) {
    outcome.binaryHash = hashFile(job.outputPath);
  } else {
    outcome.error = diagnostics.firstError().empty()
                        ? "the build failed without a message"
                        : diagnostics.firstError();
  }
  return outcome;
}

int serveBuilds(MLIRContext &context, std::FILE *input, std::FILE *output,
                const BuilderSetting &setting) {
  char *line = nullptr;
  size_t capacity = 0;
  ssize_t length;
  while ((length = ::getline(&line, &capacity, input)) > 0) {
    absl::StatusOr<BuildJob> job = decodeJob(std::string(line, length));
    BuildOutcome outcome;
    if (job.ok()) {
      outcome = buildCandidate(context, *job, setting);
    } else {
      outcome.error = std::string(job.status().message());
    }
    std::string reply = encode(outcome) + "\n";
    if (std::fwrite(reply.data(), 1, reply.size(), output) != reply.size() ||
        std::fflush(output) != 0) {
      break; // nobody listens any more
    }
  }
  std::free(line);
  return 0;
}

} // namespace minic::tune
