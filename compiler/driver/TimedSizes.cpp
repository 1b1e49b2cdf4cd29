// SPDX-License-Identifier: Apache-2.0
//
// Buckets of all sizes in one module; their problems as one search.

#include "compiler/driver/TimedSizes.h"

#include "compiler/import/ImportModel.h"
#include "compiler/pipeline/ImageLayouts.h"
#include "compiler/reference/FoldingEvaluator.h"
#include "compiler/tune/bridge/TuningTasks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <numeric>

using namespace mlir;

namespace minic {

/// Of a size's estimated time, what is measured at least, and of how many
/// problems at most.
static constexpr double dominatingShare = 0.9;
static constexpr size_t mostProblems = 8;

TimedSizes::TimedSizes(StringRef path, const CompileOptions &options,
                       const VariantTarget &variant, MLIRContext &context,
                       tune::Machine &machine, tune::ShippedDb &shipped)
    : path(path), options(options), variant(variant), context(context),
      runner(options) {
  if (asksTuner(variant, options)) {
    selector = std::make_unique<tune::TuningSelector>(
        tune::SelectionInputs{variant.target.get(), variant.isa, &options,
                              &shipped},
        machine);
  }
}

TimedSizes::~TimedSizes() = default;

FailureOr<OwningOpRef<ModuleOp>>
TimedSizes::importFor(ArrayRef<int64_t> sizes) {
  ImportOptions importOptions = {
      options.weights,
      options.functions,
      {options.dims, options.buckets,
       options.maxBuckets * int64_t(sizes.size()),
       /*padded=*/{}},
      options.constantInputs,
      options.castWeights == "none" ? "" : options.castWeights,
      /*namesTensors=*/false,
      /*takesBuckets=*/true};
  importOptions.dims.sizes[options.suggestBuckets.dim].assign(sizes.begin(),
                                                              sizes.end());
  OwningOpRef<ModuleOp> module;
  LogicalResult imported =
      runner.run(Phase::Import, [&]() -> FailureOr<ModuleOp> {
        FailureOr<ImportedModel> model =
            importModel(path, context, importOptions);
        if (failed(model)) {
          return failure();
        }
        module = std::move(model->module);
        if (options.float32Precision == "tf32") {
          (*module)->setAttr("kernel.float32_precision",
                             StringAttr::get(&context, "tf32"));
        }
        return *module;
      });
  if (failed(imported)) {
    return failure();
  }
  auto evaluator = reference::createFoldingEvaluator();
  PipelineInputs inputs;
  inputs.evaluator = evaluator.get();
  inputs.mergeLinears = options.mergeLinears;
  inputs.multipliesBytes = multipliesBytes(variant.target->profile());
  inputs.fusesGates = fusesGates(variant.target->profile());
  inputs.fuse = options.fuse;
  inputs.normRows = mostNormRows(variant.target->profile());
  inputs.updateRows = mostUpdateRows(variant.target->profile());
  if (failed(runner.run(Phase::Simplify, *module, inputs))) {
    return failure();
  }
  EstimatedLayoutCosts costs(*variant.target, options);
  if (assignsLayouts(*module, options)) {
    inputs.assignLayouts = options.assignLayouts;
    inputs.layoutCosts = &costs;
  }
  if (failed(runner.run(Phase::Fuse, *module, inputs))) {
    return failure();
  }
  return module;
}

namespace {

/// A problem of one size.
struct Problem {
  size_t task;
  kernel::FusionOp fusion; // the first that is it
  int count = 0;           // fusions that are it
  double estimateUs = 0;   // of one
  std::string candidate;   // by estimate

  double allUs() const { return count * estimateUs; }
};

} // namespace

/// Those that take most of the time first.
static SmallVector<Problem> problemsOf(ArrayRef<kernel::FusionOp> fusions,
                                       ArrayRef<size_t> taskOf,
                                       const tune::TuningTasks &tasks,
                                       bool deterministic) {
  SmallVector<Problem> problems;
  for (auto [fusion, task] : llvm::zip_equal(fusions, taskOf)) {
    auto known = llvm::find_if(problems, [task = task](const Problem &each) {
      return each.task == task;
    });
    if (known != problems.end()) {
      ++known->count;
      continue;
    }
    Problem problem{task, fusion, 1};
    for (const tune::CandidateSpec &candidate : tasks.tasks[task].candidates) {
      if (!deterministic || !candidate.needsLibrary) {
        problem.estimateUs = candidate.estimateUs;
        problem.candidate = candidate.name;
        break;
      }
    }
    problems.push_back(problem);
  }
  llvm::stable_sort(problems, [](const Problem &a, const Problem &b) {
    return a.allUs() > b.allUs();
  });
  return problems;
}

FailureOr<std::map<int64_t, sizes::SizeSample>>
TimedSizes::time(ArrayRef<int64_t> sizes) {
  const std::string &dim = options.suggestBuckets.dim;
  // Only where there are several do functions say their size.
  SmallVector<int64_t> asked(sizes);
  if (asked.size() == 1) {
    asked.push_back(asked.front() == options.suggestBuckets.to
                        ? options.suggestBuckets.from
                        : options.suggestBuckets.to);
    llvm::sort(asked);
  }
  FailureOr<OwningOpRef<ModuleOp>> module = importFor(asked);
  if (failed(module)) {
    return failure();
  }
  SmallVector<kernel::FusionOp> fusions;
  SmallVector<int64_t> sizeOf; // parallel to `fusions`
  for (auto function : (**module).getOps<func::FuncOp>()) {
    int64_t size = bucketSize(function, dim);
    if (!llvm::is_contained(sizes, size)) {
      continue;
    }
    function.walk([&](kernel::FusionOp fusion) {
      fusions.push_back(fusion);
      sizeOf.push_back(size);
    });
  }
  std::map<int64_t, sizes::SizeSample> result;
  if (fusions.empty()) {
    return emitError(UnknownLoc::get(&context))
           << "--suggest-buckets: nothing is computed of what varies in '"
           << dim << "'";
  }
  FailureOr<std::unique_ptr<tune::TuningTasks>> tasks =
      tune::makeTasks(fusions, {variant.target.get(), variant.isa, &options},
                      /*areMeasured=*/selector != nullptr);
  if (failed(tasks)) {
    return failure();
  }
  std::map<int64_t, SmallVector<Problem>> bySize;
  SmallVector<kernel::FusionOp> measured; // a fusion of each dominating problem
  for (int64_t size : sizes) {
    SmallVector<kernel::FusionOp> own;
    SmallVector<size_t> ownTasks;
    for (auto [i, each] : llvm::enumerate(fusions)) {
      if (sizeOf[i] == size) {
        own.push_back(each);
        ownTasks.push_back((*tasks)->taskOf[i]);
      }
    }
    SmallVector<Problem> problems =
        problemsOf(own, ownTasks, **tasks, options.deterministic);
    double all = 0, dominating = 0;
    for (const Problem &problem : problems) {
      all += problem.allUs();
    }
    sizes::SizeSample &sample = result[size];
    sample.us = all;
    size_t count = 0;
    while (count < problems.size() && count < mostProblems &&
           (count == 0 || dominating < dominatingShare * all)) {
      dominating += problems[count].allUs();
      problemKeys.insert((*tasks)->tasks[problems[count].task].problem.key);
      sample.winner += problems[count].candidate + "\n";
      measured.push_back(problems[count++].fusion);
    }
    leastShare_ = std::min(leastShare_, all > 0 ? dominating / all : 1);
    problems.truncate(count);
    bySize[size] = std::move(problems);
  }
  if (!selector) {
    return result;
  }
  FailureOr<std::vector<kernel::SelectedChoice>> choices =
      selector->select(measured);
  if (failed(choices)) {
    return failure();
  }
  size_t next = 0;
  for (int64_t size : sizes) {
    sizes::SizeSample &sample = result[size];
    double estimated = 0, took = 0;
    bool areTimed = true;
    sample.winner.clear();
    for (const Problem &problem : bySize[size]) {
      const kernel::SelectedChoice &choice = (*choices)[next++];
      areTimed &= choice.timeUs > 0;
      estimated += problem.allUs();
      took += problem.count * choice.timeUs;
      sample.winner += choice.candidate + "\n";
    }
    sample.us = estimated > 0 ? took * sample.us / estimated : took;
    if (!areTimed) {
      result.erase(size);
    }
  }
  return result;
}

} // namespace minic
