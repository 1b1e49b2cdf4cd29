// SPDX-License-Identifier: Apache-2.0
//
// Finds the candidate by its name: among those enumerated, then in the record
// of its problem, where algorithms of libraries have names.

#include "compiler/tune/bridge/Pins.h"

#include "compiler/pipeline/EstimateSelector.h"
#include "compiler/tune/database/TuningDb.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

using namespace mlir;

namespace minic::tune {

FailureOr<Pins> Pins::read(const CompileOptions &options,
                           MLIRContext &context) {
  Pins result;
  result.candidate = options.candidate;
  result.path = options.pin;
  if (!options.candidate.empty() && !options.pin.empty()) {
    return emitError(UnknownLoc::get(&context))
           << "unsupported: --candidate with --pin, expected one of them";
  }
  if (options.pin.empty()) {
    return result;
  }
  absl::StatusOr<std::vector<Pin>> pins = readPins(options.pin);
  if (!pins.ok()) {
    return emitStatus(&context, pins.status());
  }
  result.pins = *std::move(pins);
  return result;
}

/// Whether `pin` is about a problem of this description: on a GPU that ends
/// with what its caches hold.
static bool fits(const Pin &pin, const std::string &description) {
  return description == pin.description ||
         description == pin.description + ", warm" ||
         description == pin.description + ", cold";
}

Pins::Wish Pins::wishOf(const ProblemSpec &problem) {
  problems.insert({problem.key, problem.description});
  if (!candidate.empty()) {
    return {candidate, "by --candidate"};
  }
  Wish wish;
  for (size_t i = 0; i < pins.size(); ++i) {
    const Pin &pin = pins[i];
    bool byKey = !pin.problem.empty();
    if (byKey ? pin.problem != problem.key : !fits(pin, problem.description)) {
      continue;
    }
    used.insert(i);
    // What names the problem itself wins over what describes many.
    if (wish.candidate.empty() || byKey) {
      wish = {pin.candidate, "by --pin"};
    }
  }
  return wish;
}

/// How far `known` is from `name`: by how little they begin alike, as names say
/// the greater things first, then by edits.
static std::pair<int64_t, int64_t> distance(StringRef name, StringRef known) {
  auto end =
      std::mismatch(name.begin(), name.end(), known.begin(), known.end());
  return {name.begin() - end.first, name.edit_distance(known)};
}

/// The names most like `name`, quoted.
static std::string nearest(const std::string &name,
                           std::vector<std::string> names) {
  constexpr size_t shown = 3;
  llvm::sort(names, [&](const std::string &a, const std::string &b) {
    return std::make_pair(distance(name, a), a) <
           std::make_pair(distance(name, b), b);
  });
  names.resize(std::min(names.size(), shown));
  return "'" + absl::StrJoin(names, "', '") + "'";
}

/// The choice of the row of this name in the fresh record of `problem`; null
/// where there is none.
static kernel::ChoiceAttr findRecorded(const ProblemSpec &problem,
                                       const std::string &name,
                                       const CompileOptions &options,
                                       MLIRContext *context) {
  TuningDb::Options dbOptions;
  dbOptions.path = databasePath(options);
  dbOptions.access = TuningDb::Access::ReadOnly;
  absl::StatusOr<std::unique_ptr<TuningDb>> db = TuningDb::open(dbOptions);
  if (!db.ok()) {
    return nullptr; // where it is needed, it is reported by who opens it
  }
  absl::StatusOr<Lookup> found = (*db)->find(problem);
  if (!found.ok() || found->freshness != Freshness::Fresh) {
    return nullptr;
  }
  for (const Row &row : found->record.rows) {
    if (row.candidate.name == name && row.status == RowStatus::Verified) {
      return parseChoice(row.candidate, context);
    }
  }
  return nullptr;
}

/// The choice of the legal schedule of this name, which estimates leave out of
/// the candidates; null where there is none.
static kernel::ChoiceAttr findLegal(kernel::FusionOp fusion,
                                    const std::string &name,
                                    const SelectionInputs &inputs) {
  FailureOr<std::vector<Candidate>> all =
      allowedCandidates(fusion, *inputs.target, *inputs.options,
                        /*measuresNan=*/false, Breadth::All);
  if (failed(all)) {
    return nullptr;
  }
  auto found = llvm::find_if(*all, [&](const Candidate &candidate) {
    return candidate.name == name && !candidate.needsLibrary;
  });
  return found == all->end() ? nullptr : found->choice;
}

static FailureOr<kernel::ChoiceAttr> findChoice(const TuningTask &task,
                                                const std::string &name,
                                                const SelectionInputs &inputs,
                                                kernel::FusionOp fusion) {
  const CompileOptions &options = *inputs.options;
  std::vector<std::string> names;
  for (const CandidateSpec &candidate : task.candidates) {
    names.push_back(candidate.name);
    if (candidate.name != name) {
      continue;
    }
    if (options.deterministic && candidate.needsLibrary) {
      return fusion.emitError("unsupported: candidate '")
             << name
             << "' with --deterministic: only a measurement shows whether "
             << "a library's call is deterministic";
    }
    return parseChoice(candidate, fusion.getContext());
  }
  kernel::ChoiceAttr recorded =
      options.deterministic
          ? nullptr
          : findRecorded(task.problem, name, options, fusion.getContext());
  if (recorded) {
    return recorded;
  }
  if (kernel::ChoiceAttr legal = findLegal(fusion, name, inputs)) {
    return legal;
  }
  return fusion.emitError(task.problem.description)
         << " offers no candidate '" << name << "'; nearest of " << names.size()
         << ": " << nearest(name, names);
}

static void pin(kernel::FusionOp fusion, kernel::ChoiceAttr choice,
                const ProblemSpec &problem, const std::string &name,
                const std::string &reason) {
  Builder b(fusion.getContext());
  fusion.setChoiceAttr(choice);
  NamedAttrList provenance;
  provenance.set("origin", b.getStringAttr("pinned"));
  provenance.set("candidate", b.getStringAttr(name));
  provenance.set("problem", b.getStringAttr(problem.key));
  provenance.set("reason", b.getStringAttr(reason));
  provenance.set("time_us", b.getF64FloatAttr(0));
  fusion->setDiscardableAttr("provenance",
                             provenance.getDictionary(fusion.getContext()));
}

LogicalResult Pins::apply(ModuleOp module, const SelectionInputs &inputs) {
  SmallVector<kernel::FusionOp> fusions;
  module.walk([&](kernel::FusionOp fusion) { fusions.push_back(fusion); });
  if (isEmpty() || fusions.empty()) {
    return success();
  }
  FailureOr<std::unique_ptr<TuningTasks>> tasks =
      makeTasks(fusions, inputs, /*areMeasured=*/false);
  if (failed(tasks)) {
    return failure();
  }
  const CompileOptions &options = *inputs.options;
  if (absl::Status status = dumpProblems(**tasks, options); !status.ok()) {
    return emitStatus(module.getContext(), status);
  }
  for (auto [fusion, index] : llvm::zip_equal(fusions, (*tasks)->taskOf)) {
    const TuningTask &task = (*tasks)->tasks[index];
    Wish wish = wishOf(task.problem);
    if (wish.candidate.empty()) {
      continue;
    }
    FailureOr<kernel::ChoiceAttr> choice =
        findChoice(task, wish.candidate, inputs, fusion);
    if (failed(choice)) {
      return failure();
    }
    std::string reason =
        absl::StrCat(wish.candidate, ", ", wish.source, ", not measured");
    pin(fusion, *choice, task.problem, wish.candidate, reason);
    options.log.line(LogTopic::Autotuning,
                     task.problem.description + ": pinned, " + reason);
  }
  return success();
}

LogicalResult Pins::checkUse(MLIRContext &context) const {
  for (size_t i = 0; i < pins.size(); ++i) {
    if (used.count(i)) {
      continue;
    }
    std::vector<std::string> keys, descriptions;
    for (const auto &[key, description] : problems) {
      descriptions.push_back(description);
      if (fits(pins[i], description)) {
        keys.push_back(key);
      }
    }
    InFlightDiagnostic error = emitError(UnknownLoc::get(&context));
    error << "'" << path << "': " << pins[i].text() << " fits no fusion";
    if (!keys.empty()) {
      return error << ": its problem is " << absl::StrJoin(keys, ", ")
                   << " now, for another target, ISA, threads, alignment or "
                      "version; pin it again, or by its description alone";
    }
    return error << (descriptions.empty()
                         ? std::string(": the model has none")
                         : "; nearest of the model: " +
                               nearest(pins[i].description, descriptions));
  }
  return success();
}

} // namespace minic::tune
