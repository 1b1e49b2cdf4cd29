// SPDX-License-Identifier: Apache-2.0
//
// Commands to fusions, fusions to rows.

#include "tools/minic-bench/TraceTable.h"

#include "runtime/measure/Statistics.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "nlohmann/json.hpp"

#include <algorithm>
#include <map>

namespace minic::tools {

namespace {

/// Fusions of equal ops and implementation, or commands of equal labels that
/// no fusion owns.
struct Row {
  std::string what, how;
  int64_t times = 0;                // fusions or commands
  double us = 0;                    // all of them together
  double addedUs = 0;               // see runtime::addedUs
  double rooflineUs = 0, bytes = 0; // likewise; 0: not known
  uint64_t ticks = 0;
};

std::string textOf(const nlohmann::json &object, const char *name) {
  auto it = object.find(name);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

double numberOf(const nlohmann::json &object, const char *name) {
  auto it = object.find(name);
  return it != object.end() && it->is_number() ? it->get<double>() : 0;
}

/// "62%"; "-" for what is not known.
std::string figure(double value, int decimals, const char *unit = "") {
  return value > 0 ? absl::StrFormat("%.*f%s", decimals, value, unit) : "-";
}

std::vector<Row> rowsOf(const TracedArtifact &artifact) {
  TracedFusions known = readFusions(artifact);
  std::map<std::pair<std::string, std::string>, Row> rows;
  std::vector<bool> isCounted(known.fusions.size());
  const std::vector<runtime::CommandTime> &times =
      artifact.runs.typical.commands;
  std::vector<double> added = runtime::addedUs(artifact.runs.typical);
  for (size_t place = 0; place < times.size(); ++place) {
    const runtime::PlanCommand &command =
        artifact.commands[times[place].command];
    std::optional<size_t> fusion = known.ofCommand[times[place].command];
    std::pair<std::string, std::string> key = {command.label, command.kind};
    if (fusion) {
      key = {known.fusions[*fusion].label, known.fusions[*fusion].choice};
    }
    Row &row = rows[key];
    row.what = key.first;
    row.how = key.second;
    row.us += artifact.runs.medianUs[place];
    row.addedUs += added[place];
    row.ticks += times[place].ticks;
    if (!fusion) {
      ++row.times;
    } else if (!isCounted[*fusion]) {
      isCounted[*fusion] = true;
      ++row.times;
      row.rooflineUs += known.fusions[*fusion].rooflineUs;
      row.bytes += known.fusions[*fusion].bytes;
    }
  }
  std::vector<Row> sorted;
  for (auto &[key, row] : rows) {
    sorted.push_back(std::move(row));
  }
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const Row &a, const Row &b) { return a.addedUs > b.addedUs; });
  return sorted;
}

} // namespace

TracedFusions readFusions(const TracedArtifact &artifact) {
  TracedFusions known;
  known.ofCommand.resize(artifact.commands.size());
  nlohmann::json json =
      nlohmann::json::parse(artifact.evidence, nullptr, false);
  if (!json.is_object() || !json.contains("fusions") ||
      !json["fusions"].is_array()) {
    return known;
  }
  for (const nlohmann::json &fusion : json["fusions"]) {
    size_t index = known.fusions.size();
    TracedFusion &entry = known.fusions.emplace_back();
    if (!fusion.is_object()) {
      continue;
    }
    entry = {textOf(fusion, "label"), textOf(fusion, "choice"),
             numberOf(fusion, "rooflineUs"), numberOf(fusion, "bytes")};
    auto commands = fusion.find("commands");
    for (const nlohmann::json &command :
         commands == fusion.end() ? nlohmann::json() : *commands) {
      if (command.is_number_unsigned() &&
          command.get<uint64_t>() < known.ofCommand.size()) {
        std::optional<size_t> &of = known.ofCommand[command.get<uint64_t>()];
        of = of.value_or(index);
      }
    }
  }
  return known;
}

std::string traceTable(const TracedArtifact &artifact) {
  const runtime::RunTrace &typical = artifact.runs.typical;
  double busy = runtime::busyUs(typical);
  std::string text = absl::StrFormat(
      "%s, traced by %s: %.2f us a run (median of %d; %.2f us untraced), "
      "%d commands, busy %.2f us, gaps %.1f %%\n",
      artifact.path,
      typical.clock == "steady clock" ? "the steady clock" : typical.clock,
      typical.spanUs, artifact.runs.spansUs.size(), artifact.untracedUs,
      typical.commands.size(), busy,
      typical.spanUs > 0 ? 100 * (1 - busy / typical.spanUs) : 0);
  std::vector<Row> rows = rowsOf(artifact);
  absl::StrAppendFormat(&text, "%10s %7s %6s %10s %9s %8s %9s  %s\n",
                        "adds, us", "share", "times", "each, us", "roofline",
                        "GB/s", "Mticks", "ops: implementation");
  for (const Row &row : rows) {
    double us = row.addedUs;
    absl::StrAppendFormat(
        &text, "%10.2f %6.1f%% %6d %10.2f %9s %8s %9s  %s: %s\n", us,
        typical.spanUs > 0 ? 100 * us / typical.spanUs : 0, row.times,
        row.us / double(row.times),
        us > 0 ? figure(100 * row.rooflineUs / us, 0, "%") : "-",
        us > 0 ? figure(row.bytes / us * 1e-3, 2) : "-",
        figure(double(row.ticks) * 1e-6, 3), row.what.empty() ? "-" : row.what,
        row.how);
  }
  return text;
}

} // namespace minic::tools
