// SPDX-License-Identifier: Apache-2.0
//
// The bucket by the runtime's own table, the rest from its evidence.

#include "tools/minic/ExplainSizes.h"

#include "compiler/explain/Evidence.h"
#include "compiler/options/OptionKinds.h"
#include "runtime/format/BucketTable.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace minic {

using format::BucketTable;

/// Fusions are named until they make up this part of a bucket's time.
static constexpr double namedShare = 0.9;
static constexpr size_t mostNamed = 8;

std::string parseRunSizes(const std::vector<std::string> &texts,
                          std::map<std::string, int64_t> &sizes) {
  std::map<std::string, std::vector<int64_t>> all;
  for (const std::string &text : texts) {
    if (std::string error = option::parseSizes(text, all); !error.empty()) {
      return error;
    }
  }
  for (const auto &[name, each] : all) {
    if (each.size() != 1) {
      return absl::StrCat("expected one size of '", name, "', got ",
                          absl::StrJoin(each, ", "));
    }
    sizes[name] = each.front();
  }
  return {};
}

/// "B=1,T=300"
static std::string describe(const BucketTable &table,
                            absl::Span<const int64_t> sizes) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    texts.push_back(absl::StrCat(table.dims()[i].name, "=", sizes[i]));
  }
  return absl::StrJoin(texts, ",");
}

/// How much of the bucket is padding, in percent.
static double paddedPercent(absl::Span<const int64_t> run,
                            absl::Span<const int64_t> bucket) {
  double used = 1;
  for (size_t i = 0; i < run.size(); ++i) {
    used *= double(run[i]) / double(bucket[i]);
  }
  return 100 * (1 - used);
}

/// Of one dimension, the sizes that take `bucket`: "T from 257 to 512".
static std::string describeRange(const BucketTable &table, size_t bucket) {
  int64_t size = table.sizes(bucket)[0];
  int64_t first = !table.dims()[0].isPadded ? size
                  : bucket == 0             ? 1
                                            : table.sizes(bucket - 1)[0] + 1;
  const std::string &name = table.dims()[0].name;
  return first == size ? absl::StrCat(name, "=", size, " alone")
                       : absl::StrCat(name, " from ", first, " to ", size);
}

/// What each fusion takes: measured, else at the estimated peak.
static std::vector<double> timesOf(const FunctionEvidence &evidence,
                                   bool &areMeasured) {
  areMeasured = std::all_of(
      evidence.fusions.begin(), evidence.fusions.end(),
      [](const FusionEvidence &fusion) { return fusion.timeUs > 0; });
  std::vector<double> times;
  for (const FusionEvidence &fusion : evidence.fusions) {
    times.push_back(areMeasured ? fusion.timeUs : fusion.rooflineUs);
  }
  return times;
}

static std::string describeVariant(const format::Variant &variant,
                                   const FunctionEvidence &evidence) {
  bool areMeasured = false;
  std::vector<double> times = timesOf(evidence, areMeasured);
  double all = std::accumulate(times.begin(), times.end(), 0.0);
  std::string text =
      absl::StrFormat("  variant %s, threads %d: %d fusion%s, %.2f us %s\n",
                      variant.target()->str(), int(variant.threads()),
                      int(times.size()), times.size() == 1 ? "" : "s", all,
                      areMeasured ? "measured one by one"
                                  : "at the estimated peak, not all measured");
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return times[a] > times[b]; });
  double named = 0;
  for (size_t i = 0; i < order.size() && i < mostNamed; ++i) {
    if (named > namedShare * all) {
      break;
    }
    const FusionEvidence &fusion = evidence.fusions[order[i]];
    named += times[order[i]];
    absl::StrAppendFormat(
        &text, "    %3.0f %% %s: %s, chosen by %s\n",
        all > 0 ? 100 * times[order[i]] / all : 0, fusion.label,
        fusion.candidate.empty() ? fusion.choice : fusion.candidate,
        fusion.origin);
  }
  return text;
}

/// Whether a launch is told how many rows a run has.
static bool knowsRows(const format::Variant &variant,
                      const format::Command &command) {
  const format::Launch *launch = command.operation_as_Launch();
  if (!launch || !variant.sizes()) {
    return false;
  }
  return std::any_of(
      launch->params()->begin(), launch->params()->end(),
      [&](const format::ParamEntry *entry) {
        const format::AddressParam *param = entry->param_as_AddressParam();
        return param && param->address()->base() == format::Base::arena &&
               std::any_of(variant.sizes()->begin(), variant.sizes()->end(),
                           [&](const format::SizeWord *word) {
                             return word->offset() ==
                                    param->address()->offset();
                           });
      });
}

/// How much of a padded run is not computed for nothing.
static std::string describeRows(const format::Variant &variant) {
  auto count = std::count_if(variant.run()->begin(), variant.run()->end(),
                             [&](const format::Command *command) {
                               return knowsRows(variant, *command);
                             });
  return absl::StrCat("  ", count, " of ", variant.run()->size(),
                      variant.run()->size() == 1 ? " command" : " commands",
                      count == 1 ? " computes" : " compute",
                      " the run's rows alone\n");
}

/// What would have the plans tuned again.
static std::string describeRetuning(const BucketTable &table, size_t bucket,
                                    const FunctionEvidence &evidence) {
  std::string text = absl::StrCat(
      "  re-tuned only if minic compiles it again with --retune, or for "
      "another device (this: ",
      evidence.device, "), other threads (", evidence.threads,
      ") or other versions (", evidence.versions, "); a run never tunes");
  if (table.dims().size() == 1) {
    absl::StrAppend(&text, ", and ", describeRange(table, bucket),
                    table.dims()[0].isPadded ? " take" : " takes",
                    " this bucket");
  }
  return text + "\n";
}

static absl::StatusOr<std::string> explain(const format::Entry &entry,
                                           const BucketTable &table,
                                           BucketTable::Found found,
                                           const format::Artifact &metadata) {
  absl::Span<const int64_t> run(found.sizes.data(), table.dims().size());
  if (!table.find(found)) {
    return table.describeUnknown(run);
  }
  absl::Span<const int64_t> bucket = table.sizes(found.bucket);
  const format::Function &function =
      *metadata.functions()->Get(table.function(found.bucket));
  std::string text = absl::StrCat(
      entry.name()->str(), " with ", describe(table, run), ": bucket ",
      bucket.size() == 1 ? absl::StrCat(bucket[0]) : describe(table, bucket),
      found.isPadded
          ? absl::StrFormat(", %.0f %% padding", paddedPercent(run, bucket))
          : ", no padding",
      ", function ", function.name()->str(), "\n");
  for (const format::Variant *variant : *function.variants()) {
    std::optional<FunctionEvidence> evidence;
    if (variant->evidence()) {
      evidence = parseEvidence(variant->evidence()->str());
    }
    if (!evidence) {
      absl::StrAppend(&text, "  no evidence in this artifact\n");
      continue;
    }
    if (variant == function.variants()->Get(0) && found.isPadded) {
      for (absl::string_view line :
           absl::StrSplit(evidence->padding, '\n', absl::SkipEmpty())) {
        absl::StrAppend(&text, "  padding of ", line, "\n");
      }
    }
    absl::StrAppend(&text, describeVariant(*variant, *evidence),
                    found.isPadded ? describeRows(*variant) : "",
                    describeRetuning(table, found.bucket, *evidence));
  }
  return text;
}

absl::StatusOr<std::string>
explainSizes(const format::Artifact &metadata,
             const std::map<std::string, int64_t> &sizes) {
  std::string text, lacking;
  std::set<std::string> known;
  uint32_t count = metadata.entries() ? metadata.entries()->size() : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const format::Entry &entry = *metadata.entries()->Get(i);
    absl::StatusOr<BucketTable> table = BucketTable::create(entry);
    if (!table.ok()) {
      return table.status();
    }
    BucketTable::Found run;
    std::string missing;
    bool isAsked = false;
    for (size_t dim = 0; dim < table->dims().size(); ++dim) {
      const std::string &name = table->dims()[dim].name;
      known.insert(name);
      auto size = sizes.find(name);
      if (size == sizes.end()) {
        missing = name;
      } else {
        run.sizes[dim] = size->second;
        isAsked = true;
      }
    }
    if (!missing.empty() && (!isAsked || !lacking.empty())) {
      continue;
    }
    if (!missing.empty()) {
      lacking =
          absl::StrCat("entry '", entry.name()->str(), "' varies in '", missing,
                       "' as well: add --dim=", missing, "=SIZE");
      continue;
    }
    absl::StatusOr<std::string> one = explain(entry, *table, run, metadata);
    if (!one.ok()) {
      return one.status();
    }
    text += *one;
  }
  for (const auto &[name, size] : sizes) {
    if (!known.count(name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--dim: no dimension called '", name, "' varies in the artifact",
          known.empty()
              ? ": its sizes are fixed"
              : absl::StrCat("; there is ", absl::StrJoin(known, ", "))));
    }
  }
  if (text.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--dim: ", lacking));
  }
  return text;
}

} // namespace minic
