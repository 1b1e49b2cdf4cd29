// SPDX-License-Identifier: Apache-2.0
//
// minic [options] model.mlir: compiles and prints a short summary.

#include "tools/minic/ArtifactFile.h"
#include "tools/minic/Commands.h"

#include "compiler/driver/Compiler.h"
#include "compiler/driver/SuggestBuckets.h"
#include "compiler/import/Importer.h"
#include "compiler/options/InductorNames.h"
#include "compiler/options/OptionTable.h"
#include "compiler/tune/process/Interrupt.h"
#include "tools/minic/CompileFlags.h"
#include "tools/minic/EnvironmentOptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace minic {

static const char *const description =
    "Compiles a model for inference into one .minic file.\n\n"
    "  minic model.mlir                       writes model.minic beside it\n"
    "  minic --mode=max-autotune model.mlir   measures what is fastest here\n"
    "  minic --compile-to=fuse model.mlir     prints the IR after a phase\n\n"
    "Other commands (minic COMMAND --help):\n"
    "  explain model.minic    why it is compiled as it is\n"
    "  inspect model.minic    what bytes it has\n"
    "  evaluate model.mlir    what it should compute, in float64\n"
    "  compare model.onnx     where it first differs, from what others "
    "computed\n"
    "                         or as compiled\n"
    "  devices                what minic can compile for here";

static void printSummary(const CompileResult &result) {
  llvm::raw_ostream &os = llvm::outs();
  os << llvm::formatv(
      "wrote {0} in {1:F2} s: {2} ({3} constants, {4} kernels), "
      "arena {5}\n",
      result.output, result.seconds, bytesText(result.fileBytes),
      bytesText(result.constantBytes), bytesText(result.binaryBytes),
      bytesText(result.arenaBytes));
  for (const std::string &line : result.needs) {
    os << "  needs on the target: " << line << '\n';
  }
  for (const BucketSummary &bucket : result.buckets) {
    os << llvm::formatv("  bucket {0}: {1}; {2}{3}arena {4}", bucket.function,
                        describeProblems(bucket), bucket.graph,
                        bucket.graph.empty() ? "" : "; ",
                        bytesText(bucket.arenaBytes));
    if (bucket.constantBytes > 0) {
      os << llvm::formatv(", weights {0} of which {1} are its own",
                          bytesText(bucket.constantBytes),
                          bytesText(bucket.ownConstantBytes));
    }
    os << '\n';
  }
  for (const FunctionEvidence &function : result.evidence) {
    for (const FusionEvidence &fusion : function.fusions) {
      os << llvm::formatv("  @{0} {1}: {2}{3}\n", function.function,
                          fusion.label,
                          fusion.origin == "database"  ? "from your database: "
                          : fusion.origin == "shipped" ? "shipped: "
                                                       : "",
                          fusion.reason);
    }
    if (!function.verdict.empty()) {
      os << "  @" << function.function << ": " << function.verdict << '\n';
    }
  }
}

/// The line about an argument that only TorchInductor knows; empty for none.
static std::string describeForeign(const CLI::App &app, FullCommandLine &line) {
  for (int i = 1; i < line.argc(); ++i) {
    llvm::StringRef argument = line.argv()[i];
    if (!argument.starts_with("--") ||
        app.get_option_no_throw(argument.split('=').first.str())) {
      continue;
    }
    if (const InductorName *name = findInductorName(argument)) {
      return (argument + ": " + describe(*name)).str();
    }
  }
  return "";
}

static int answerInductorOption(const std::string &name) {
  const InductorName *found = findInductorName(name);
  if (found) {
    llvm::outs() << describe(*found) << '\n';
    return 0;
  }
  std::string known;
  for (const InductorName &each : inductorNames()) {
    known += each.name.str() + ", ";
  }
  return tools::fail(toolName, ExitCode::Usage,
                     "--inductor-option: expected a name such as " + known +
                         "got '" + name + "'");
}

int compileCommand(int argc, char **argv) {
  CLI::App app(description, "minic");
  app.set_version_flag("--version", "minic " MINIC_VERSION);
  std::string model;
  app.add_option("model", model,
                 "Model: ONNX (.onnx) or the graph dialect (.mlir)");
  bool listsOps = false;
  app.add_flag("--list-ops", listsOps,
               "Print the ops that models may have, by format, and stop");
  std::string inductorOption;
  app.add_option("--inductor-option", inductorOption,
                 "Print what minic calls an option of TorchInductor, and stop")
      ->type_name("NAME");
  CompileFlags flags;
  flags.addTo(app);
  absl::StatusOr<FullCommandLine> line = FullCommandLine::get(argc, argv);
  if (!line.ok()) {
    return tools::fail(toolName, ExitCode::Usage,
                       std::string(line.status().message()));
  }
  if (std::string foreign = describeForeign(app, *line); !foreign.empty()) {
    return tools::fail(toolName, ExitCode::Usage, foreign);
  }
  if (std::optional<int> code =
          tools::parseCommandLine(toolName, app, line->argc(), line->argv())) {
    return *code;
  }
  if (!inductorOption.empty()) {
    return answerInductorOption(inductorOption);
  }
  CompileOptions options;
  if (std::string error = flags.apply(options); !error.empty()) {
    return tools::fail(toolName, ExitCode::Usage, error);
  }
  if (options.printOptions) {
    if (!line->environment().empty()) {
      llvm::outs() << "MINIC_OPTIONS = " << llvm::join(line->environment(), " ")
                   << '\n';
    }
    llvm::outs() << printOptions(options);
    return 0;
  }
  if (listsOps) {
    std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
    for (const Importer *importer : importers()) {
      importer->listOps(llvm::outs(), *context);
    }
    return 0;
  }
  if (model.empty()) {
    return tools::fail(toolName, ExitCode::Usage,
                       "no model given (see --help)");
  }
  if (!options.runSizes.empty() && options.suggestBuckets.dim.empty()) {
    return tools::fail(toolName, ExitCode::Usage,
                       "--sizes: expected --suggest-buckets beside it");
  }
  catchInterrupts();
  std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
  if (!options.suggestBuckets.dim.empty()) {
    BucketSuggestion suggestion = suggestBuckets(model, options, *context);
    if (suggestion.code != ExitCode::Success) {
      return tools::fail(toolName, suggestion.code, suggestion.error);
    }
    llvm::outs() << suggestion.text;
    return 0;
  }
  CompileResult result = compileModel(model, options, *context);
  if (result.code != ExitCode::Success) {
    return tools::fail(toolName, result.code, result.error);
  }
  if (options.compileTo == Phase::Emit) {
    printSummary(result);
  }
  return 0;
}

} // namespace minic
