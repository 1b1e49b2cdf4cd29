// SPDX-License-Identifier: Apache-2.0
//
// minic explain: why an artifact is compiled as it is.

#include "tools/minic/ArtifactFile.h"
#include "tools/minic/ArtifactJson.h"
#include "tools/minic/Commands.h"
#include "tools/minic/ExplainAgainst.h"
#include "tools/minic/ExplainPins.h"
#include "tools/minic/ExplainSizes.h"

#include "compiler/explain/Evidence.h"
#include "compiler/trace/TracePage.h"
#include "runtime/base/RateText.h"
#include "runtime/measure/OutputFile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace minic {

static void explain(const FunctionEvidence &function,
                    const FusionEvidence &fusion, size_t index) {
  llvm::raw_ostream &os = llvm::outs();
  os << llvm::formatv("  {0}: {1}\n", index, fusion.label);
  os << "     implemented by " << fusion.choice;
  os << (fusion.parts == 1
             ? " (fused into one)\n"
             : llvm::formatv(" ({0} parts)\n", fusion.parts).str());
  os << "     chosen by " << fusion.origin << ": " << fusion.reason << '\n';
  double roofline = fusion.rooflineUs;
  if (fusion.timeUs > 0 && roofline > 0) {
    os << llvm::formatv("     {0:F2} us, {1}, ", fusion.timeUs,
                        runtime::rateText(fusion.flops / fusion.timeUs / 1e3));
    os << (roofline > fusion.timeUs
               ? llvm::formatv("less than the {0:F2} us of the estimated peak, "
                               "which is too low\n",
                               roofline)
                     .str()
               : llvm::formatv("{0:F0} % of the estimated peak ({1:F2} us)\n",
                               100 * roofline / fusion.timeUs, roofline)
                     .str());
  } else if (roofline > 0) {
    os << llvm::formatv("     not measured; {0:F2} us at the estimated peak\n",
                        roofline);
  }
  if (fusion.maxAbsoluteError >= 0) {
    os << llvm::formatv("     verified: error at most {0:e1}, {1:F3} of its "
                        "tolerance\n",
                        fusion.maxAbsoluteError, fusion.errorOverTolerance);
  }
  if (!fusion.runnerUp.empty()) {
    double percent = 100 * (fusion.runnerUpRatio - 1);
    os << llvm::formatv("     runner-up: {0}, {1:F1} % {2}\n", fusion.runnerUp,
                        std::abs(percent), percent < 0 ? "faster" : "slower");
  }
  if (!fusion.lost.empty()) {
    os << "     lost: " << fusion.lost << '\n';
  }
}

static void explain(const format::Function &function,
                    const format::Variant &variant) {
  llvm::raw_ostream &os = llvm::outs();
  os << "function " << function.name()->c_str() << ", variant "
     << variant.target()->c_str();
  if (variant.isa() && variant.target()->str() == "cuda") {
    for (const flatbuffers::String *architecture : *variant.isa()) {
      os << ' ' << architecture->c_str();
    }
  }
  os << ", threads " << variant.threads();
  std::optional<FunctionEvidence> evidence;
  if (variant.evidence() && variant.evidence()->size()) {
    evidence = parseEvidence(variant.evidence()->str());
  }
  if (!evidence) {
    os << "\n  no evidence in this artifact\n";
    return;
  }
  os << ", decided for " << evidence->device << '\n';
  for (auto [i, fusion] : llvm::enumerate(evidence->fusions)) {
    explain(*evidence, fusion, i);
  }
  os << "  commands:";
  for (const format::Command *command : *variant.run()) {
    const flatbuffers::String *label = command->label();
    os << ' ' << (label && label->size() ? label->c_str() : "copy") << ';';
  }
  os << '\n';
  if (!evidence->verdict.empty()) {
    os << "  whole model: " << evidence->verdict << '\n';
  }
  if (!evidence->graph.empty()) {
    os << "  graph: " << evidence->graph << '\n';
  }
  auto printLines = [&](llvm::StringRef text, const char *what) {
    llvm::SmallVector<llvm::StringRef> lines;
    text.split(lines, '\n', -1, false);
    for (llvm::StringRef line : lines) {
      os << "  " << what << line << '\n';
    }
  };
  printLines(evidence->pointers, "changed pointers of ");
  printLines(evidence->padding, "padding of ");
  printLines(evidence->layouts, "images: ");
  printLines(evidence->hints, "hint: ");
  os << "  --mode=max-autotune tunes it again with --retune, or if the device ("
     << evidence->device << "), the threads (" << evidence->threads
     << ") or the versions (" << evidence->versions << ") differ\n";
}

/// Says what differs from `other`; as JSON, or as a page in the file `html`.
static int explainAgainst(const format::ArtifactReader &artifact,
                          const std::string &path, const std::string &other,
                          bool asJson, const std::string &html) {
  absl::StatusOr<format::ArtifactReader> second =
      format::ArtifactReader::open(other);
  if (!second.ok()) {
    return tools::fail(toolName, second.status());
  }
  absl::StatusOr<nlohmann::ordered_json> comparison =
      compareArtifacts(artifact.metadata(), path, second->metadata(), other);
  if (!comparison.ok()) {
    return tools::fail(toolName, comparison.status());
  }
  if (!html.empty()) {
    absl::Status status =
        runtime::writeOutputFile(html, {trace::renderPage(*comparison)});
    return status.ok() ? 0 : tools::fail(toolName, status);
  }
  llvm::outs() << (asJson
                       ? comparison->dump(
                             1, ' ', false,
                             nlohmann::ordered_json::error_handler_t::replace) +
                             "\n"
                       : againstText(*comparison));
  return 0;
}

int explainCommand(int argc, char **argv) {
  CLI::App app("Prints why an artifact is compiled as it is: what was fused, "
               "which implementation won and by how much.",
               "minic explain");
  bool asPins = false, asJson = false;
  std::vector<std::string> dims;
  CLI::Option *json =
      app.add_flag("--json", asJson, "Print it as JSON instead (docs/json.md)");
  CLI::Option *pins = app.add_flag(
      "--pins", asPins,
      "Print what was chosen as a file for minic --pin=FILE instead");
  std::string other, html;
  CLI::Option *against = app.add_option(
      "--against", other,
      "Print instead what is other in this artifact of the same model, and "
      "what it costs");
  against->type_name("B.minic")->excludes(pins);
  app.add_option("--html", html, "Write that to FILE, as a page")
      ->type_name("FILE")
      ->needs(against);
  app.add_option("--dim", dims,
                 "Print which bucket takes runs of this size instead, and what "
                 "they pay for it; once for each dimension that varies")
      ->type_name("NAME=SIZE")
      ->allow_extra_args(false)
      ->excludes(json)
      ->excludes(pins)
      ->excludes(against);
  int exitCode = 0;
  std::optional<format::ArtifactReader> artifact =
      openArtifact(app, argc, argv, exitCode);
  if (!artifact) {
    return exitCode;
  }
  if (!other.empty()) {
    return explainAgainst(*artifact, app["artifact"]->as<std::string>(), other,
                          asJson, html);
  }
  if (!dims.empty()) {
    std::map<std::string, int64_t> sizes;
    if (std::string error = parseRunSizes(dims, sizes); !error.empty()) {
      return tools::fail(toolName, ExitCode::Usage, "--dim: " + error);
    }
    absl::StatusOr<std::string> text =
        explainSizes(artifact->metadata(), sizes);
    if (!text.ok()) {
      return tools::fail(toolName, text.status());
    }
    llvm::outs() << *text;
    return 0;
  }
  if (asPins) {
    absl::StatusOr<std::string> pins = pinsOf(artifact->metadata());
    if (!pins.ok()) {
      return tools::fail(toolName, pins.status());
    }
    llvm::outs() << *pins;
    return 0;
  }
  if (asJson) {
    llvm::outs() << explainJson(artifact->metadata());
    return 0;
  }
  for (const format::Function *function : *artifact->metadata().functions()) {
    for (const format::Variant *variant : *function->variants()) {
      explain(*function, *variant);
    }
  }
  llvm::outs() << "A fusion is measured when minic compiles with --tune=on "
                  "(--mode=max-autotune) and the tuning\ndatabase has no "
                  "complete record of it for this device, thread count and "
                  "version; never at run time.\n";
  return 0;
}

} // namespace minic
