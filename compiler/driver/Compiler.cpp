// SPDX-License-Identifier: Apache-2.0
//
// Runs the phases in order, watches them, and writes the result.

#include "compiler/driver/Compiler.h"

#include "compiler/driver/CheckPadding.h"
#include "compiler/driver/GraphMode.h"
#include "compiler/driver/LocalCpu.h"
#include "compiler/driver/LocalGpu.h"
#include "compiler/driver/MeasuredLayouts.h"
#include "compiler/driver/MeasuredProfile.h"
#include "compiler/driver/MergeVariants.h"
#include "compiler/driver/PointerChanges.h"
#include "compiler/driver/SelectAlgorithms.h"
#include "compiler/driver/StoredWeights.h"
#include "compiler/driver/TargetPlugins.h"
#include "compiler/emit/EmitArtifact.h"
#include "compiler/emit/ModelBytecode.h"
#include "compiler/explain/DumpKernels.h"
#include "compiler/explain/GpuHints.h"
#include "compiler/explain/PerfHints.h"
#include "compiler/explain/TargetNeeds.h"
#include "compiler/import/ImportModel.h"
#include "compiler/import/WeightSource.h"
#include "compiler/pipeline/PhaseRunner.h"
#include "compiler/pipeline/ResolveKernels.h"
#include "compiler/reference/FoldingEvaluator.h"
#include "compiler/trace/CompileTrace.h"
#include "compiler/tune/bridge/Pins.h"
#include "compiler/tune/bridge/TunedBinaries.h"
#include "compiler/tune/bridge/TuningTasks.h"
#include "compiler/tune/bridge/Versions.h"
#include "compiler/tune/model/TuneReport.h"
#include "compiler/tune/process/Interrupt.h"
#include "compiler/tune/process/ScratchDirectory.h"
#include "dialects/RegisterDialects.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace mlir;

namespace minic {

std::unique_ptr<MLIRContext> createCompilerContext() {
  DialectRegistry registry;
  registerDialects(registry);
  // Models are small; a thread pool costs more than it brings.
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

std::string outputPath(StringRef model, const CompileOptions &options) {
  if (!options.output.empty()) {
    return options.output;
  }
  if (options.compileTo != Phase::Emit) {
    return "-";
  }
  SmallString<128> path(model);
  llvm::sys::path::replace_extension(path, ".minic");
  return path.str().str();
}

namespace {

class Compilation {
public:
  Compilation(StringRef path, const CompileOptions &options,
              MLIRContext &context, const SelectedModuleHook &onSelected)
      : path(path), options(options), context(context), onSelected(onSelected),
        runner(options), output(outputPath(path, options)),
        machine(tune::ToolPaths::ofThisProgram()),
        shipped(options, machine.tools().shipped, context), binaries(options) {}

  LogicalResult run(CompileResult &result);
  const PhaseRunner &phases() const { return runner; }

private:
  LogicalResult importPhase();
  /// A fused module for each target: fuses the simplified one, and also
  /// `imported`, unless that is null, in other forms.
  LogicalResult fuseVariants(ArrayRef<VariantTarget> targets,
                             PipelineInputs inputs, ModuleOp imported);
  /// Sets the pins of each target.
  LogicalResult pinVariants(ArrayRef<VariantTarget> targets);
  /// From fused to codegen, for one target.
  LogicalResult compileVariant(const VariantTarget &variant, size_t number,
                               CompileResult &result);
  LogicalResult dump(Phase phase, ModuleOp module,
                     std::vector<KernelCode> &code);
  LogicalResult reportNothing(ArrayRef<VariantTarget> targets) const;
  LogicalResult emitPhase(ModuleOp plan, CompileResult &result);
  bool endsAt(Phase phase) const { return options.compileTo == phase; }
  LogicalResult print(ModuleOp module) { return runner.print(module, output); }

  StringRef path;
  const CompileOptions &options;
  MLIRContext &context;
  const SelectedModuleHook &onSelected;
  PhaseRunner runner;
  std::string output;
  tune::Machine machine;
  tune::ShippedDb shipped;
  tune::TunedBinaries binaries;
  ImportedModel model;
  std::optional<trace::CompileTrace> trace;    // if asked for
  std::vector<OwningOpRef<ModuleOp>> variants; // one for each target
  /// By variant and function, why images have the order they have.
  std::vector<std::map<std::string, std::string>> layouts;
  std::vector<std::vector<LinearForm>> forms; // others than a variant's
  std::map<std::string, double> tunedSeconds; // by problem, of the first target
  EmitOptions emitOptions;
};

} // namespace

LogicalResult Compilation::importPhase() {
  // A model may have a million nodes, and weights of gigabytes are read.
  EndsAtInterrupt endsAtInterrupt;
  return runner.run(Phase::Import, [&]() -> FailureOr<ModuleOp> {
    ImportOptions importOptions = {
        options.weights,
        options.functions,
        {options.dims, options.buckets, options.maxBuckets, options.pad},
        options.constantInputs,
        options.castWeights == "none" ? "" : options.castWeights,
        /*namesTensors=*/false,
        /*takesBuckets=*/true};
    FailureOr<ImportedModel> imported =
        importModel(path, context, importOptions);
    if (failed(imported) ||
        failed(checkPadding(path, importOptions, *imported,
                            options.padBudgetSeconds, options.log))) {
      return failure();
    }
    model = std::move(*imported);
    // The reference allows what the kernels may do.
    if (options.float32Precision == "tf32") {
      (*model.module)
          ->setAttr("kernel.float32_precision",
                    StringAttr::get(&context, options.float32Precision));
    } else {
      (*model.module)->removeAttr("kernel.float32_precision");
    }
    return *model.module;
  });
}

/// What the plan of one target says of graphs, into the evidence and the log.
static void describeReplay(ModuleOp plan,
                           std::vector<FunctionEvidence> &evidence,
                           const Log &log) {
  for (FunctionEvidence &entry : evidence) {
    auto function = plan.lookupSymbol<plan::FunctionOp>(entry.function);
    for (auto variant : function.getBody().getOps<plan::VariantOp>()) {
      entry.pointers = describePointerChanges(variant);
      if (!entry.pointers.empty() && entry.graph.empty()) {
        entry.graph = "replayed, nothing measured";
      }
      SmallVector<StringRef> lines;
      StringRef(entry.pointers).split(lines, '\n', -1, false);
      for (StringRef line : lines) {
        log.line(LogTopic::Graphs,
                 "@" + entry.function + ": changed pointers of " + line);
      }
    }
  }
}

LogicalResult Compilation::fuseVariants(ArrayRef<VariantTarget> targets,
                                        PipelineInputs inputs,
                                        ModuleOp imported) {
  // Without images all variants are alike.
  bool differ = assignsLayouts(*model.module, options);
  for (const VariantTarget &variant : targets) {
    if (!differ && !variants.empty()) {
      ModuleOp first = *variants.front();
      variants.push_back(first.clone());
      forms.emplace_back();
      for (const LinearForm &form : forms.front()) {
        ModuleOp fused = *form.fused;
        forms.back().push_back({form.name, fused.clone()});
      }
      continue;
    }
    auto costs = createLayoutCosts(variant, options, machine, shipped);
    if (differ) {
      inputs.assignLayouts = options.assignLayouts;
      inputs.layoutCosts = costs.get();
    }
    variants.push_back(model.module->clone());
    ModuleOp module = *variants.back();
    forms.emplace_back();
    if (failed(runner.run(Phase::Fuse, module, inputs)) || costs->hasFailed()) {
      return failure();
    }
    layouts.resize(variants.size());
    layouts.back() = costs->takeNotes();
    for (const auto &[function, text] : layouts.back()) {
      SmallVector<StringRef> lines;
      StringRef(text).split(lines, '\n');
      for (StringRef line : lines) {
        options.log.line(LogTopic::Fusion,
                         "images of @" + function + ": " + line);
      }
    }
    if (!imported) {
      continue;
    }
    FailureOr<std::vector<LinearForm>> others =
        otherLinearForms(imported, module, inputs);
    if (failed(others)) {
      return failure();
    }
    forms.back() = std::move(*others);
  }
  return success();
}

LogicalResult Compilation::pinVariants(ArrayRef<VariantTarget> targets) {
  FailureOr<tune::Pins> pins = tune::Pins::read(options, context);
  if (failed(pins)) {
    return failure();
  }
  for (auto &&[target, module] : llvm::zip_equal(targets, variants)) {
    if (failed(pins->apply(*module,
                           {target.target.get(), target.isa, &options}))) {
      return failure();
    }
  }
  return pins->checkUse(context);
}

LogicalResult Compilation::compileVariant(const VariantTarget &variant,
                                          size_t number,
                                          CompileResult &result) {
  bool isFirst = number == 0;
  ModuleOp module = *variants[number];
  variant.target->setBinaryCache(&binaries);
  TunerEvidence seen;
  FailureOr<Verdicts> verdicts = selectAlgorithms(
      module, variant, options, runner, machine, shipped, forms[number], &seen);
  if (failed(verdicts)) {
    return failure();
  }
  std::vector<FunctionEvidence> evidence =
      collectEvidence(module, variant.target->profile());
  for (FunctionEvidence &entry : evidence) {
    const ModelVerdict &verdict = (*verdicts)[entry.function];
    entry.verdict = verdict.generated.empty()
                        ? verdict.plans
                        : verdict.generated + "; " + verdict.plans;
    for (auto [what, text] :
         {std::pair("descent: ", verdict.descent),
          std::pair("linears of one input: ", verdict.linears)}) {
      if (!text.empty()) {
        entry.verdict += (entry.verdict.empty() ? "" : "; ") + (what + text);
      }
    }
    entry.graph = verdict.graph;
    if (number < layouts.size()) {
      entry.layouts = layouts[number][entry.function];
    }
    entry.versions = tune::describe(tune::currentVersions(*variant.target));
  }
  std::set<std::string> checked;
  for (const auto &[function, verdict] : *verdicts) {
    if (verdict.isDefaultBetter) {
      checked.insert(function);
    }
  }
  auto hints =
      collectHints(module, *variant.target, options, variant.canTune, checked);
  for (FunctionEvidence &entry : evidence) {
    std::vector<std::string> &lines = hints[entry.function];
    if (std::string loss = (*verdicts)[entry.function].graphLoss;
        !loss.empty()) {
      lines.push_back(std::move(loss));
    }
    entry.hints = llvm::join(lines, "\n");
    for (const std::string &line : lines) {
      options.log.line(LogTopic::PerfHints, "@" + entry.function + " " + line);
    }
  }
  if (isFirst) {
    tunedSeconds = seen.tunedSeconds;
  }
  if (isFirst && !options.propagateNan) {
    logNanLosses(module, *variant.target, options.log);
  }
  if (onSelected) {
    onSelected(module);
  }
  if (trace) {
    trace->selected(module, evidence, *variant.target, options, seen.trace);
  }
  std::vector<KernelCode> code;
  if (!options.dumpKernelsTo.empty() || options.log.has(LogTopic::Code)) {
    variant.target->setCodeReport(&code);
  }
  PipelineInputs inputs;
  inputs.target = variant.target.get();
  inputs.inputAlignment = options.inputAlignment;
  for (Phase phase :
       {Phase::Realize, Phase::PrepareWeights, Phase::Plan, Phase::Codegen}) {
    if (options.compileTo < phase) {
      break;
    }
    if (failed(runner.run(phase, module, inputs))) {
      return failure();
    }
    if (phase == Phase::Plan) {
      setGraphVerdicts(module, *verdicts);
      setGraphMode(module, evidence, options);
      setPointerChanges(module, *verdicts);
      describeReplay(module, evidence, options.log);
      attachEvidence(module, evidence);
      if (trace) {
        trace->planned(module);
      }
    }
    if (failed(dump(phase, module, code))) {
      return failure();
    }
  }
  if (isFirst) {
    result.evidence = std::move(evidence);
  }
  return success();
}

LogicalResult Compilation::dump(Phase phase, ModuleOp module,
                                std::vector<KernelCode> &code) {
  const std::string &folder = options.dumpKernelsTo;
  if (phase == Phase::Codegen) {
    addLaunchedMemory(module, code);
    for (const KernelCode &kernel : code) {
      options.log.line(LogTopic::Code, "code of " + describe(kernel));
    }
  }
  if (folder.empty()) {
    return success();
  }
  if (phase == Phase::Plan) {
    return dumpKernels(module, folder);
  }
  return success(phase != Phase::Codegen ||
                 (succeeded(dumpCode(module, code, folder)) &&
                  succeeded(dumpBinaries(module, folder))));
}

/// A report is written in every mode; where nobody asked the tuner it has no
/// problem.
LogicalResult
Compilation::reportNothing(ArrayRef<VariantTarget> targets) const {
  if (options.tuneReport.empty() ||
      llvm::any_of(targets, [&](const VariantTarget &variant) {
        return asksTuner(variant, options);
      })) {
    return success();
  }
  absl::Status status =
      tune::writeReport(options.tuneReport, tune::formatReport({}, nullptr));
  return status.ok() ? success() : tune::emitStatus(&context, status);
}

LogicalResult Compilation::emitPhase(ModuleOp plan, CompileResult &result) {
  plan->walk([&](plan::VariantOp variant) {
    result.arenaBytes = std::max<uint64_t>(result.arenaBytes,
                                           variant.getArenaBytes().value_or(0));
  });
  if (!options.cpuIsa.empty() || !options.deviceProfile.empty()) {
    result.needs = describeNeeds(plan);
  }
  return runner.run(Phase::Emit, [&]() -> FailureOr<ModuleOp> {
    FailureOr<EmittedSizes> sizes = emitArtifact(plan, emitOptions, output);
    if (failed(sizes)) {
      return failure();
    }
    result.fileBytes = sizes->file;
    result.constantBytes = sizes->constants;
    result.binaryBytes = sizes->binaries;
    return plan;
  });
}

LogicalResult Compilation::run(CompileResult &result) {
  result.output = output;
  if (failed(shipped.checkNamed())) {
    return failure();
  }
  FailureOr<std::vector<VariantTarget>> targets = resolveTargets(
      options, context,
      [&](int device, std::string &error) {
        return probeGpu(machine, device, error);
      },
      [&](DeviceProfile &profile) { findRecordsOf(profile, options, shipped); },
      [&](DeviceProfile &profile) { describeLocalCpu(machine, profile); });
  if (failed(targets)) {
    return failure();
  }
  FailureOr<Plugins> plugins =
      addPlugins(*targets, options, machine.tools().minic, context);
  if (failed(plugins)) {
    return failure();
  }
  if (output == "-" && endsAt(Phase::Emit)) {
    return emitError(UnknownLoc::get(&context))
           << "cannot write an artifact to stdout, expected a file";
  }
  // A search may take minutes: what cannot be kept is said before.
  for (StringRef file : {StringRef(output), StringRef(options.tuneReport)}) {
    if (!file.empty() && file != "-" && failed(checkWritable(file, context))) {
      return failure();
    }
  }
  if (!options.trace.empty()) {
    if (!endsAt(Phase::Emit)) {
      return emitError(UnknownLoc::get(&context))
             << "--trace expects a whole compilation, got --compile-to="
             << toString(options.compileTo);
    }
    trace.emplace(options.trace, path.str());
    if (failed(trace->makeFolder(context)) ||
        failed(checkWritable(trace->fileOf(trace->jsonName), context)) ||
        failed(checkWritable(trace->fileOf(trace->pageName), context))) {
      return failure();
    }
  }
  // In every mode: the run that was killed may have been the last to tune.
  tune::ScratchDirectory::removeOrphans();
  if (failed(importPhase())) {
    return failure();
  }
  if (endsAt(Phase::Import)) {
    return print(*model.module);
  }
  if (endsAt(Phase::Emit)) {
    FailureOr<std::string> bytecode = writeModelBytecode(*model.module);
    if (failed(bytecode)) {
      return failure();
    }
    emitOptions.model = std::move(*bytecode);
    emitOptions.weightsHash = model.weightsHash;
    if (!model.weightsPath.empty()) {
      emitOptions.weightsPath = storedWeightsName(model.weightsPath);
      emitOptions.constantWritten = [weights = model.weights] {
        weights->dropPages();
      };
    }
  }
  auto targetOf = [](const VariantTarget &variant) -> const Target * {
    return variant.target.get();
  };
  if (failed(resolveKernels(
          *model.module, llvm::map_to_vector(*targets, targetOf), options))) {
    return failure();
  }
  if (trace) {
    trace->captured(*model.module);
  }
  auto evaluator = reference::createFoldingEvaluator();
  PipelineInputs inputs;
  inputs.evaluator = evaluator.get();
  inputs.mergeLinears = options.mergeLinears;
  inputs.multipliesBytes =
      llvm::all_of(*targets, [](const VariantTarget &variant) {
        return multipliesBytes(variant.target->profile());
      });
  inputs.fusesGates = llvm::all_of(*targets, [](const VariantTarget &variant) {
    return fusesGates(variant.target->profile());
  });
  inputs.fuse = options.fuse;
  inputs.normRows = mostNormRows(targets->front().target->profile());
  inputs.updateRows = mostUpdateRows(targets->front().target->profile());
  OwningOpRef<ModuleOp> imported;
  if (asksForLinearForms(options, *targets)) {
    imported = model.module->clone();
  }
  if (failed(runner.run(Phase::Simplify, *model.module, inputs))) {
    return failure();
  }
  if (endsAt(Phase::Simplify)) {
    return print(*model.module);
  }
  // What is printed is the first target's.
  ArrayRef<VariantTarget> fused = *targets;
  if (failed(fuseVariants(endsAt(Phase::Fuse) ? fused.take_front() : fused,
                          inputs, imported ? *imported : ModuleOp()))) {
    return failure();
  }
  if (endsAt(Phase::Fuse)) {
    return print(*variants.front());
  }
  logFusions(*variants.front(), options);
  logPerfHints(*variants.front(), targets->front().target->profile(), options);
  if (failed(pinVariants(*targets))) {
    return failure();
  }
  for (auto &&[i, target] : llvm::enumerate(*targets)) {
    if (failed(compileVariant(target, i, result))) {
      return failure();
    }
    if (!endsAt(Phase::Emit)) {
      return print(*variants[i]);
    }
  }
  OwningOpRef<ModuleOp> plan = mergeVariants(std::move(variants));
  logMemory(*plan, options.log);
  result.buckets = summarizeBuckets(*plan, result.evidence, tunedSeconds);
  if (trace) {
    for (auto [phase, ms] : runner.times()) {
      trace->phase(toString(phase), ms);
    }
  }
  // The artifact is there only if all else is.
  return success(succeeded(reportNothing(*targets)) &&
                 (!trace || succeeded(trace->write(context))) &&
                 succeeded(emitPhase(*plan, result)));
}

CompileResult compileModel(StringRef path, const CompileOptions &options,
                           MLIRContext &context,
                           const SelectedModuleHook &onSelected) {
  auto start = std::chrono::steady_clock::now();
  CompileResult result;
  DiagnosticCollector diagnostics(&context);
  Compilation compilation(path, options, context, onSelected);
  if (failed(compilation.run(result))) {
    // What a phase before realize rejects is the model's or the options' fault;
    // later phases were promised IR that they can handle.
    Phase phase = compilation.phases().current();
    bool isInternal = phase >= Phase::Realize && phase <= Phase::Codegen;
    result.code = diagnostics.exitCode(isInternal ? ExitCode::Internal
                                                  : ExitCode::BadInput);
    result.error = diagnostics.firstError();
    if (interrupted()) {
      result.code = ExitCode::Interrupted;
      result.error = "interrupted";
    } else if (result.code == ExitCode::Internal) {
      result.error += compilation.phases().reproducerHint();
    }
  }
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}

} // namespace minic
