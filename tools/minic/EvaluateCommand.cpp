// SPDX-License-Identifier: Apache-2.0
//
// minic evaluate: what a model should compute.

#include "tools/minic/Commands.h"
#include "tools/minic/InputFiles.h"

#include "tools/common/SecondsFlag.h"

#include "compiler/driver/Compiler.h"
#include "compiler/driver/EvaluateModel.h"
#include "compiler/options/OptionKinds.h"

#include <CLI/CLI.hpp>

namespace minic {

int evaluateCommand(int argc, char **argv) {
  CLI::App app("Computes in float64 what a model should compute, with the "
               "error that a right\nimplementation may have, into a file that "
               "minic-run --expected=FILE compares with.",
               "minic evaluate");
  EvaluateOptions options;
  std::vector<std::string> inputs;
  app.add_option("model", options.model,
                 "Model (.onnx, .mlir) or artifact (.minic)")
      ->required();
  std::string dims;
  app.add_option("--dim", dims,
                 "NAME=SIZE of a dimension that an ONNX model names; once for "
                 "each")
      ->join()
      ->allow_extra_args(false);
  std::string constantInputs;
  app.add_option("--constant-input", constantInputs,
                 "NAME=FILE.npy of an input that becomes a constant; once for "
                 "each")
      ->join()
      ->allow_extra_args(false);
  app.add_option("--cast-weights", options.castWeights,
                 "bf16, f16 or f32: what weights of a model are rounded to")
      ->check(CLI::IsMember({"bf16", "f16", "f32"}));
  app.add_option("--weights", options.weights, "Weights file");
  app.add_option("--function", options.function, "Function to evaluate");
  app.add_option("--input", inputs,
                 "NAME=FILE.npy; inputs without one are random")
      ->allow_extra_args(false);
  app.add_option("--seed", options.seed, "Seed of random inputs");
  tools::addSecondsFlag(app, "--budget", options.budgetSeconds,
                        "Seconds to spend; where all rows would take longer, "
                        "some are evaluated (0: all)");
  app.add_option("--expected", options.expected, "File to write")->required();
  if (std::optional<int> code =
          tools::parseCommandLine(toolName, app, argc, argv)) {
    return *code;
  }
  if (!dims.empty()) {
    if (std::string error = option::parseSizes(dims, options.dims);
        !error.empty()) {
      return tools::fail(toolName, ExitCode::Usage, "--dim: " + error);
    }
  }
  if (!constantInputs.empty()) {
    if (std::string error =
            option::parseFiles(constantInputs, options.constantInputs);
        !error.empty()) {
      return tools::fail(toolName, ExitCode::Usage,
                         "--constant-input: " + error);
    }
  }
  if (std::string error = parseInputFiles(inputs, options.inputs);
      !error.empty()) {
    return tools::fail(toolName, ExitCode::Usage, error);
  }
  std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
  DiagnosticCollector diagnostics(context.get());
  if (mlir::failed(evaluateModel(options, *context))) {
    return tools::fail(toolName, diagnostics.exitCode(ExitCode::BadInput),
                       diagnostics.firstError());
  }
  return 0;
}

} // namespace minic
