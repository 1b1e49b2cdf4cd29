// SPDX-License-Identifier: Apache-2.0
//
// minic compare: where a model first differs from the float64 reference, in
// tensors that somebody else computed or in its own compiled plan.

#include "tools/minic/Commands.h"
#include "tools/minic/ComparePlan.h"
#include "tools/minic/CompareReport.h"
#include "tools/minic/CompileFlags.h"
#include "tools/minic/EnvironmentOptions.h"
#include "tools/minic/InputFiles.h"

#include "tools/common/SecondsFlag.h"

#include "compiler/compare/ConvertFloats.h"
#include "compiler/compare/MatchTensors.h"
#include "compiler/driver/Compiler.h"
#include "compiler/import/ImportModel.h"

#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>

namespace minic {

static const char *const description =
    "Compares tensors inside of a model with the float64 reference and names "
    "the first that\nleaves its bound (docs/compare.md).\n\n"
    "  minic compare model.onnx --against=activations.npz   of another "
    "framework\n"
    "  minic compare model.onnx                             of minic's "
    "compiled plan\n"
    "  minic compare model.onnx --against=FILE --mode=MODE  both";

namespace {

struct CompareArguments {
  std::string model, against;
  std::map<std::string, std::string> inputs;
  uint64_t seed = 0;
  CompareOptions options;
  bool comparesPlan = true;
  bool asJson = false;
};

/// What both comparisons start from.
struct ComparedModel {
  ImportedModel imported;
  mlir::func::FuncOp function;
  std::vector<FunctionInput> inputs;
};

} // namespace

/// The function to compare: the only one that is asked for or there, or @main.
static mlir::func::FuncOp chooseFunction(mlir::ModuleOp module) {
  auto functions = llvm::to_vector(module.getOps<mlir::func::FuncOp>());
  if (functions.size() == 1) {
    return functions.front();
  }
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) {
    module.emitError("the model has several functions: expected "
                     "--function=NAME");
  }
  return main;
}

static mlir::LogicalResult import(const CompareArguments &arguments,
                                  const CompileOptions &options,
                                  mlir::MLIRContext &context,
                                  ComparedModel &model) {
  ImportOptions importOptions{
      options.weights, options.functions, {options.dims, options.buckets}};
  importOptions.namesTensors = true;
  auto imported = importModel(arguments.model, context, importOptions);
  if (mlir::failed(imported)) {
    return mlir::failure();
  }
  model.imported = std::move(*imported);
  mlir::ModuleOp module = *model.imported.module;
  if (options.float32Precision == "tf32") {
    module->setAttr("kernel.float32_precision",
                    mlir::StringAttr::get(&context, "tf32"));
  }
  model.function = chooseFunction(module);
  if (!model.function) {
    return mlir::failure();
  }
  auto inputs = readInputs(model.function, arguments.inputs, arguments.seed);
  if (mlir::failed(inputs)) {
    return mlir::failure();
  }
  model.inputs = std::move(*inputs);
  return mlir::success();
}

/// Inputs that the file has become those that the plan runs on, too.
static void takeInputs(const MatchedTensors &matched, ComparedModel &model) {
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    FunctionInput &input = model.inputs[i];
    const GivenTensor &given = matched.tensors[i];
    auto type = mlir::cast<mlir::RankedTensorType>(given.value.getType());
    if (given.data == input.data.data()) {
      continue;
    }
    size_t bytes = type.getNumElements() * runtime::elementBytes(input.dtype);
    if (given.dtype == input.dtype) {
      std::memcpy(input.data.data(), given.data, bytes);
    } else {
      std::vector<char> converted = convertFloats(
          given.data, given.dtype, type.getNumElements(), input.dtype);
      std::memcpy(input.data.data(), converted.data(), bytes);
    }
    input.isRandom = false;
  }
}

static mlir::FailureOr<CompareSection>
compareFile(const CompareArguments &arguments, ComparedModel &model,
            const NodeNames &nodes) {
  std::string error;
  std::shared_ptr<const WeightSource> file =
      openWeights(arguments.against, error);
  if (!file) {
    return mlir::emitError(mlir::UnknownLoc::get(model.function.getContext()))
           << error;
  }
  auto matched =
      matchTensors(model.function, model.imported.tensors, model.inputs, *file);
  if (mlir::failed(matched)) {
    return mlir::failure();
  }
  auto differences =
      compareTensors(model.function, matched->tensors, arguments.options);
  if (mlir::failed(differences)) {
    return mlir::failure();
  }
  CompareSection section;
  section.file = arguments.against;
  section.unmatched = matched->unmatched;
  for (TensorDifference &difference : *differences) {
    const GivenTensor &given = matched->tensors[difference.given];
    const NamedTensor *named = matched->model[difference.given];
    auto type = mlir::cast<mlir::RankedTensorType>(given.value.getType());
    CompareRow &row = section.rows.emplace_back();
    row.tensor = matched->names[difference.given];
    row.op = given.value.getDefiningOp()->getName().stripDialect().str();
    if (named) {
      row.node = named->node.empty() ? "%" + named->name : named->node;
      row.op = named->op;
    }
    row.dtype = given.dtype;
    row.dims.assign(type.getShape().begin(), type.getShape().end());
    for (size_t from : difference.from) {
      row.from.push_back(matched->names[from]);
    }
    for (std::string &node : difference.nodes) {
      node = nodes.nodeOf(node);
    }
    row.difference = std::move(difference);
  }
  takeInputs(*matched, model);
  return section;
}

static int compare(const CompareArguments &arguments,
                   const CompileOptions &options) {
  std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
  CompareReport report;
  report.model = arguments.model;
  report.seed = arguments.seed;
  ComparedModel model;
  {
    DiagnosticCollector diagnostics(context.get());
    auto fail = [&] {
      return tools::fail(toolName, diagnostics.exitCode(ExitCode::BadInput),
                         diagnostics.firstError());
    };
    if (mlir::failed(import(arguments, options, *context, model))) {
      return fail();
    }
    if (!arguments.against.empty()) {
      NodeNames nodes(model.imported.tensors);
      auto section = compareFile(arguments, model, nodes);
      if (mlir::failed(section)) {
        return fail();
      }
      report.against = std::move(*section);
    }
  }
  for (const FunctionInput &input : model.inputs) {
    if (input.isRandom) {
      report.randomInputs.push_back(input.name);
    }
  }
  if (arguments.comparesPlan) {
    auto section = comparePlan(
        arguments.model, model.function.getName().str(), options, model.inputs,
        NodeNames(model.imported.tensors), arguments.options, *context);
    if (!section.ok()) {
      return tools::fail(toolName, section.status());
    }
    report.plan = std::move(*section);
  }
  llvm::outs() << (arguments.asJson ? jsonOf(report) : textOf(report));
  return int(report.differs() ? ExitCode::Mismatch : ExitCode::Success);
}

/// What is wrong with an option that other commands know; empty for nothing.
static std::string findUnusable(const CLI::App &app) {
  for (std::string flag : {"--output", "--compile-to"}) {
    if (app.count(flag) != 0) {
      return flag + ": minic compare writes no file";
    }
  }
  // Tensors would not be those of the model any more.
  for (std::string flag : {"--constant-input", "--cast-weights"}) {
    if (app.count(flag) != 0) {
      return flag + ": minic compare takes a model as it is";
    }
  }
  return {};
}

static bool isMode(llvm::StringRef argument) {
  return argument == "--mode" || argument.starts_with("--mode=");
}

int compareCommand(int argc, char **argv) {
  CLI::App app(description, "minic compare");
  CompareArguments arguments;
  std::vector<std::string> inputs;
  app.add_option("model", arguments.model, "Model (.onnx, .mlir)")->required();
  app.add_option("--against", arguments.against,
                 "Tensors by the model's own names (.safetensors, .npz)")
      ->type_name("FILE");
  app.add_option("--input", inputs,
                 "NAME=FILE.npy; inputs that neither this nor --against gives "
                 "are random")
      ->allow_extra_args(false);
  app.add_option("--seed", arguments.seed, "Seed of random inputs");
  tools::addSecondsFlag(app, "--budget", arguments.options.budgetSeconds,
                        "Seconds of one core to evaluate in; where all rows "
                        "would take longer, some are evaluated (0: all)")
      ->capture_default_str();
  app.add_flag("--json", arguments.asJson,
               "Print it as JSON instead (docs/json.md)");
  CompileFlags flags;
  flags.addTo(app);
  absl::StatusOr<FullCommandLine> line = FullCommandLine::get(argc, argv);
  if (!line.ok()) {
    return tools::fail(toolName, ExitCode::Usage,
                       std::string(line.status().message()));
  }
  if (std::optional<int> code =
          tools::parseCommandLine(toolName, app, line->argc(), line->argv())) {
    return *code;
  }
  CompileOptions options;
  if (std::string error = flags.apply(options); !error.empty()) {
    return tools::fail(toolName, ExitCode::Usage, error);
  }
  if (std::string error = findUnusable(app); !error.empty()) {
    return tools::fail(toolName, ExitCode::Usage, error);
  }
  if (std::string error = parseInputFiles(inputs, arguments.inputs);
      !error.empty()) {
    return tools::fail(toolName, ExitCode::Usage, error);
  }
  if (options.functions.size() > 1) {
    return tools::fail(toolName, ExitCode::Usage,
                       "--function: minic compare takes one function");
  }
  if (arguments.options.budgetSeconds == 0) {
    arguments.options.budgetSeconds = std::numeric_limits<double>::infinity();
  }
  // A mode in the environment says how to compile, not to do so here.
  arguments.comparesPlan =
      arguments.against.empty() || std::any_of(argv, argv + argc, isMode);
  return compare(arguments, options);
}

} // namespace minic
