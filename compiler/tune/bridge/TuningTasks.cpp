// SPDX-License-Identifier: Apache-2.0
//
// Outline, key, enumerate.

#include "compiler/tune/bridge/TuningTasks.h"

#include "compiler/pipeline/DescribeFusion.h"
#include "compiler/pipeline/EstimateSelector.h"
#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/target/UserKernels.h"
#include "compiler/tune/bridge/ExpectedValues.h"
#include "compiler/tune/bridge/Problem.h"
#include "compiler/tune/bridge/SchedulePoints.h"
#include "compiler/tune/bridge/Versions.h"
#include "compiler/tune/database/Provisional.h"
#include "compiler/tune/database/TuningDb.h"
#include "runtime/measure/RandomData.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include "absl/strings/str_cat.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <oneapi/dnnl/dnnl_version.h>

using namespace mlir;

namespace minic::tune {

Versions currentVersions(const Target &target) {
  const DeviceProfile &profile = target.profile();
  Versions versions;
  versions.sources["minic"] = commonVersion;
  auto add = [&](const ImplementationSource *source) {
    if (source->takesUserKernels()) {
      return; // a matter of the problem that has the kernel
    }
    versions.sources[source->name().str()] = source->version().str();
  };
  llvm::for_each(target.families(), add);
  llvm::for_each(target.libraries(), add);
  if (profile.isGpu()) {
    versions.libraries = profile.libraries;
  } else if (profile.onednnProblem.empty()) {
    versions.libraries = absl::StrCat(
        DNNL_VERSION_MAJOR, ".", DNNL_VERSION_MINOR, ".", DNNL_VERSION_PATCH);
  }
  return versions;
}

SelectionPolicy policyOf(const SelectionInputs &inputs) {
  SelectionPolicy policy;
  policy.deterministic = inputs.options->deterministic;
  policy.movesRegisters = inputs.target->profile().assemblerMovesRegisters;
  return policy;
}

/// Whether all that one run of the function touches outgrows the caches: then
/// the operands of a fusion have left them when its turn comes again. Fusions
/// that are pinned are touched as well; other functions, such as other buckets,
/// are not.
static bool isCold(func::FuncOp function, const DeviceProfile &profile) {
  llvm::SmallDenseSet<Value> seen;
  int64_t bytes = 0;
  function.walk([&](kernel::FusionOp fusion) {
    for (Value value :
         llvm::concat<Value>(llvm::to_vector(fusion.getInputs()),
                             llvm::to_vector_of<Value>(fusion.getResults()))) {
      if (seen.insert(value).second) {
        bytes += kernel::getBytes(
            kernel::withoutLayout(cast<RankedTensorType>(value.getType())));
      }
    }
  });
  return bytes > std::max(profile.l2Bytes, profile.l3Bytes);
}

/// The version of the source `user` in a problem with this kernel.
static std::string versionOf(graph::KernelOp kernel, const Target &target) {
  const ImplementationSource *source = target.find(userFamily);
  return absl::StrCat(source ? source->version().str() : "", " ",
                      hashOfUserKernel(kernel));
}

/// The labels and layouts that are searched, which a record is for. `plugins`
/// stand for their label; empty for all.
static std::string backendsText(ArrayRef<BackendLabel> backends,
                                ArrayRef<std::string> plugins,
                                OperandLayouts layouts) {
  std::vector<std::string> names;
  bool areAll = backends.size() == std::size(allBackendLabels);
  for (BackendLabel label : allBackendLabels) {
    // Where nothing is left out, a record is the same with and without
    // plug-ins. Nobody but a fusion with a kernel of the user's has that label.
    bool isSilent = label == BackendLabel::Plugin && areAll;
    if ((backends.empty() && !isForeign(label)) ||
        (llvm::is_contained(backends, label) && !isSilent)) {
      if (label == BackendLabel::Plugin && !plugins.empty()) {
        llvm::append_range(names, plugins);
      } else {
        names.push_back(toString(label).str());
      }
    }
  }
  llvm::sort(names);
  if (layouts != OperandLayouts::Any) {
    names.push_back(layouts == OperandLayouts::Dense ? "dense operands"
                                                     : "no padding");
  }
  return llvm::join(names, ",");
}

/// Whether a part of one of `candidates` is by `source`.
static bool isOffered(StringRef source, ArrayRef<Candidate> candidates) {
  return llvm::any_of(candidates, [&](const Candidate &candidate) {
    return llvm::any_of(candidate.choice.getParts(),
                        [&](kernel::PartAttr part) {
                          return part.getImplementation().getFamily() == source;
                        });
  });
}

/// Without the plug-ins that offer nothing for a problem: whoever has others
/// open, or none, finds its record all the same.
static void dropOtherPlugins(Versions &versions, const Target &target,
                             ArrayRef<Candidate> candidates) {
  for (const KernelFamily *family : target.families()) {
    if (family->isPlugin() && !isOffered(family->name(), candidates)) {
      versions.sources.erase(family->name().str());
    }
  }
}

static CandidateSpec specOf(const Candidate &candidate) {
  CandidateSpec spec;
  spec.name = candidate.name;
  spec.label = toString(candidate.label).str();
  llvm::raw_string_ostream os(spec.choice);
  Attribute(candidate.choice).print(os);
  spec.estimateUs = candidate.modelUs;
  spec.expectedUs = candidate.estimateUs;
  spec.launches = candidate.launches;
  spec.needsLibrary = candidate.needsLibrary;
  spec.kind = candidate.kind;
  std::set<std::string> sources;
  for (kernel::PartAttr part : candidate.choice.getParts()) {
    sources.insert(part.getImplementation().getFamily().str());
  }
  spec.sources = llvm::join(sources, ",");
  return spec;
}

/// Index of the only part whose source can list algorithms, -1 where there is
/// no such part or more than one.
static int findExpandable(kernel::ChoiceAttr choice, const Target &target) {
  int found = -1;
  for (auto [index, part] : llvm::enumerate(choice.getParts())) {
    const ImplementationSource *source =
        target.find(part.getImplementation().getFamily());
    if (source && source->isExpandable()) {
      if (found >= 0) {
        return -1;
      }
      found = static_cast<int>(index);
    }
  }
  return found;
}

/// Whether part number `index` of `choice` has a cheaper peer that does the
/// same ops in one of `candidates`.
static bool hasCheaperPeer(kernel::ChoiceAttr choice, int index,
                           ArrayRef<Candidate> candidates,
                           const Target &target) {
  kernel::PartAttr part = choice.getParts()[index];
  StringRef peer =
      target.find(part.getImplementation().getFamily())->cheaperPeer();
  return llvm::any_of(candidates, [&](const Candidate &candidate) {
    return candidate.choice.getExpand() == choice.getExpand() &&
           llvm::any_of(
               candidate.choice.getParts(), [&](kernel::PartAttr other) {
                 return other.getImplementation().getFamily() == peer &&
                        other.getOps() == part.getOps();
               });
  });
}

/// `candidate` with `algorithm` in the schedule of its expandable part.
static absl::StatusOr<CandidateSpec>
withAlgorithm(CandidateSpec candidate, const runtime::AlgorithmReply &algorithm,
              const Target &target, MLIRContext *context) {
  kernel::ChoiceAttr choice = parseChoice(candidate, context);
  int index = choice ? findExpandable(choice, target) : -1;
  if (index < 0) {
    return absl::InternalError(
        absl::StrCat(candidate.name, " has no call to give an algorithm to"));
  }
  Builder b(context);
  SmallVector<kernel::PartAttr> parts(choice.getParts());
  kernel::ImplAttr impl = parts[index].getImplementation();
  NamedAttrList schedule(impl.getSchedule());
  schedule.set("algorithm", b.getStringAttr(algorithm.algorithm));
  schedule.set("scratch_bytes",
               b.getI64IntegerAttr(int64_t(algorithm.scratchBytes)));
  parts[index] = kernel::PartAttr::get(
      context, parts[index].getOps(),
      kernel::ImplAttr::get(context, impl.getFamily(),
                            schedule.getDictionary(context)),
      parts[index].getOperands());
  candidate.choice.clear();
  llvm::raw_string_ostream(candidate.choice)
      << Attribute(kernel::ChoiceAttr::get(context, parts, choice.getExpand()));
  absl::StrAppend(&candidate.name, " ", algorithm.name);
  return candidate;
}

/// Two candidates may spell the same name (a grouping that differs only in
/// which ops are where); names are keys, so the later one gets a suffix.
static void makeNamesUnique(std::vector<CandidateSpec> &candidates) {
  llvm::StringMap<int> uses;
  for (CandidateSpec &candidate : candidates) {
    if (int use = uses[candidate.name]++) {
      absl::StrAppend(&candidate.name, " (grouping ", use + 1, ")");
    }
  }
}

/// None where there are none: the caller has the candidates that it began with.
static std::vector<SchedulePoint>
listLegal(const FailureOr<std::vector<Candidate>> &candidates,
          const Target &target) {
  std::vector<SchedulePoint> points;
  if (succeeded(candidates)) {
    for (const Candidate &candidate : *candidates) {
      points.push_back(pointOf(specOf(candidate), candidate.choice, target));
    }
  }
  return points;
}

/// Whether a search goes on to a few neighbours though nobody asked it to.
static bool descendsShortly(ArrayRef<Candidate> candidates,
                            const Target &target) {
  auto gains = [&](kernel::PartAttr part) {
    StringRef name = part.getImplementation().getFamily();
    return llvm::any_of(target.families(), [&](const KernelFamily *family) {
      return family->name() == name && family->gainsByDescent();
    });
  };
  return llvm::any_of(candidates, [&](const Candidate &candidate) {
    return llvm::any_of(candidate.choice.getParts(), gains);
  });
}

FailureOr<std::unique_ptr<TuningTasks>>
makeTasks(ArrayRef<kernel::FusionOp> fusions, const SelectionInputs &inputs,
          bool areMeasured) {
  const DeviceProfile &profile = inputs.target->profile();
  ProblemSetting setting;
  setting.target = profile.target;
  setting.isa = inputs.isa;
  setting.threads = profile.threads;
  setting.alignment = inputs.options->inputAlignment;
  setting.float32Precision = inputs.options->float32Precision;
  setting.propagateNan = inputs.options->propagateNan;
  if (profile.isGpu()) {
    setting.workspaceLimit = profile.workspaceLimit;
  }
  auto result = std::make_unique<TuningTasks>();
  llvm::StringMap<size_t> byText;
  llvm::DenseMap<Operation *, bool> areCold;
  for (kernel::FusionOp fusion : fusions) {
    canonicalizeBody(fusion);
    auto function = fusion->getParentOfType<func::FuncOp>();
    auto [cold, isFirst] = areCold.try_emplace(function);
    if (isFirst) {
      cold->second = isCold(function, profile);
    }
    setting.cold = cold->second;
    OwningOpRef<ModuleOp> problem = outlineProblem(fusion, setting);
    std::string text = printProblem(*problem);
    auto [known, isNew] = byText.try_emplace(text, result->tasks.size());
    result->taskOf.push_back(known->second);
    if (!isNew) {
      continue;
    }
    // A convolution may leave out a pad beside a NaN of its filter or not.
    bool measuresNan =
        areMeasured && setting.propagateNan && !hasConvolution(fusion);
    auto candidatesOf = [&target = *inputs.target, &options = *inputs.options,
                         measuresNan](kernel::FusionOp fusion,
                                      Breadth breadth) {
      return allowedCandidates(fusion, target, options, measuresNan, breadth);
    };
    bool searches = areMeasured && !inputs.options->tuneReplay;
    bool searchesAll = searches && inputs.options->search == "exhaustive";
    FailureOr<std::vector<Candidate>> candidates =
        candidatesOf(fusion, searchesAll ? Breadth::All : Breadth::Promising);
    if (failed(candidates)) {
      return failure();
    }
    TuningTask &task = result->tasks.emplace_back();
    graph::KernelOp userKernel = graph::findKernel(fusion.getBodyOps());
    // An edited source makes the rows of the old one stale, and no others.
    task.problem.key =
        problemKey(userKernel ? printWithoutSources(*problem) : text);
    task.problem.text = std::move(text);
    task.problem.description = describeFusion(fusion);
    task.problem.flops = countFusionFlops(fusion);
    task.problem.bytes = countFusionBytes(fusion);
    task.problem.device = profile.tuningKey;
    task.problem.deviceName = profile.name;
    task.problem.backends =
        backendsText(backendsOf(fusion, *inputs.options, *candidates),
                     allowedPlugins(fusion, *inputs.options),
                     allowedLayouts(*inputs.options));
    task.problem.versions = currentVersions(*inputs.target);
    dropOtherPlugins(task.problem.versions, *inputs.target, *candidates);
    if (userKernel) {
      task.problem.versions.sources[userFamily.str()] =
          versionOf(userKernel, *inputs.target);
    }
    if (profile.isGpu()) {
      task.onGpu = true;
      task.device = profile.deviceIndex;
      task.scratchLimit = uint64_t(profile.workspaceLimit);
      task.expand = [target = inputs.target, context = fusion.getContext()](
                        const CandidateSpec &candidate,
                        const runtime::AlgorithmReply &algorithm) {
        return withAlgorithm(candidate, algorithm, *target, context);
      };
      task.problem.description += setting.cold ? ", cold" : ", warm";
    }
    task.residency =
        setting.cold ? runtime::Residency::cold : runtime::Residency::warm;
    for (const Candidate &candidate : *candidates) {
      CandidateSpec &spec = task.candidates.emplace_back(specOf(candidate));
      int part = profile.isGpu()
                     ? findExpandable(candidate.choice, *inputs.target)
                     : -1;
      spec.expandable = part >= 0;
      spec.hasCheaperPeer =
          part >= 0 &&
          hasCheaperPeer(candidate.choice, part, *candidates, *inputs.target);
    }
    makeNamesUnique(task.candidates);
    task.countLegal = [=, count = task.candidates.size()] {
      if (searchesAll) {
        return int64_t(count);
      }
      FailureOr<std::vector<Candidate>> all =
          candidatesOf(fusion, Breadth::All);
      return failed(all) ? 0 : int64_t(all->size());
    };
    if (searches && (inputs.options->search == "descent" ||
                     (inputs.options->search == "guided" &&
                      descendsShortly(*candidates, *inputs.target)))) {
      task.listLegal = [=, target = inputs.target] {
        return listLegal(candidatesOf(fusion, Breadth::All), *target);
      };
    }
    task.writeExpected = [module = *problem, seed = task.seed,
                          constantsSeed =
                              task.constantsSeed](const std::string &path) {
      return writeExpectedValues(module, seed, constantsSeed, path);
    };
    if (measuresNan) {
      task.writeExpectedOfNan =
          [module = *problem, seed = runtime::withNan | task.seed,
           constantsSeed = task.constantsSeed](const std::string &path) {
            return writeExpectedValues(module, seed, constantsSeed, path);
          };
    }
    result->problems.push_back(std::move(problem));
  }
  return result;
}

kernel::ChoiceAttr parseChoice(const CandidateSpec &candidate,
                               MLIRContext *context) {
  // What is wrong with it is the caller's to say.
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  return dyn_cast_or_null<kernel::ChoiceAttr>(
      parseAttribute(candidate.choice, context));
}

absl::StatusOr<kernel::SelectedChoice>
recordedChoice(const Record &record, const Selection &selection,
               StringRef origin, const CompileOptions &options,
               MLIRContext *context) {
  const Row &row = record.rows[selection.row];
  kernel::SelectedChoice choice;
  choice.choice = parseChoice(row.candidate, context);
  if (!choice.choice) {
    return absl::DataLossError(absl::StrCat(
        "tuning database '", databasePath(options), "': the record of ",
        record.problem.description, " has a choice that cannot be read"));
  }
  choice.origin = origin.str();
  choice.candidate = row.candidate.name;
  choice.problem = record.problem.key;
  choice.timeUs = row.bestKnownUs();
  choice.reason = absl::StrCat(row.candidate.name, ", ", selection.reason,
                               describeOrigin(row));
  if (record.state == RecordState::Provisional) {
    absl::StrAppend(&choice.reason, "; ", describeProvisional(record.noise));
  }
  if (std::string coverage = describeCoverage(record); !coverage.empty()) {
    absl::StrAppend(&choice.reason, "; ", coverage);
  }
  choice.errorOverTolerance = row.worstError;
  choice.maxAbsoluteError = row.maxAbsoluteError;
  if (selection.runnerUp >= 0) {
    choice.runnerUp = record.rows[selection.runnerUp].candidate.name;
    choice.runnerUpRatio = selection.runnerUpRatio;
  }
  return choice;
}

LogicalResult emitStatus(MLIRContext *context, const absl::Status &status) {
  const char *whose = absl::IsInternal(status)             ? "internal error: "
                      : absl::IsFailedPrecondition(status) ? "unsupported: "
                                                           : "";
  return emitError(UnknownLoc::get(context))
         << whose << std::string(status.message());
}

void notify(const std::string &line) {
  llvm::errs() << "minic: " << line << '\n';
}

std::string databasePath(const CompileOptions &options) {
  return options.tuneDb.empty() ? TuningDb::defaultPath() : options.tuneDb;
}

absl::Status dumpProblems(const TuningTasks &tasks,
                          const CompileOptions &options) {
  if (options.dumpProblems.empty()) {
    return absl::OkStatus();
  }
  std::error_code ignored;
  std::filesystem::create_directories(options.dumpProblems, ignored);
  for (const TuningTask &task : tasks.tasks) {
    std::string path =
        absl::StrCat(options.dumpProblems, "/", task.problem.key, ".mlir");
    std::ofstream file(path, std::ios::binary);
    file << task.problem.text;
    file.close();
    if (!file) {
      return absl::PermissionDeniedError(
          absl::StrCat("cannot write problem '", path, "'"));
    }
  }
  return absl::OkStatus();
}

} // namespace minic::tune
