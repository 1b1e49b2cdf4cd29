// SPDX-License-Identifier: Apache-2.0
//
// The table.

#include "compiler/options/OptionTable.h"

#include "compiler/options/BackendNames.h"
#include "compiler/options/ModePresets.h"
#include "compiler/options/OptionKinds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace minic {

static std::vector<Option> makeTable() {
  using namespace option;
  using O = CompileOptions;
  const std::string mode = "Mode", selection = "Algorithm selection",
                    target = "Target", numerics = "Numerics", model = "Model",
                    fusion = "Fusion", output = "Output",
                    debugging = "Debugging";
  std::vector<Option> table;

  table.push_back(modeOption(mode));
  table.push_back(toggle("tune", mode,
                         "Measure candidates that the database does not know",
                         &O::tune));
  table.push_back(cudaGraphsOption(mode));

  table.push_back(backends("gemm-backends", selection,
                           "Only these may implement GEMMs: aten (library and "
                           "separate pointwise kernel), library-fused, cudnn, "
                           "generated, user (kernels of the model's own), "
                           "plugin (those of --plugin), or a plug-in's name",
                           &O::gemmBackends));
  table.push_back(backends("conv-backends", selection,
                           "Only these may implement convolutions",
                           &O::convBackends));
  table.push_back(list("row-backends", selection, "LIST",
                       {toString(BackendLabel::Aten).str(),
                        toString(BackendLabel::Generated).str()},
                       "Only these may implement softmax, norms and reductions",
                       &O::rowBackends));
  table.push_back(toggle("pack-operands", selection,
                         "Let kernels and libraries ask for operands in a "
                         "layout of their own, such as packed weights",
                         &O::packOperands));
  table.push_back(toggle("pad-operands", selection,
                         "Let them ask for padded operands; --pack-operands="
                         "off forbids these too",
                         &O::padOperands));
  table.push_back(repeated("plugin", selection, "FILE",
                           "Shared library of a plug-in, whose kernels are "
                           "candidates, too (docs/plugins.md); may be repeated",
                           &O::plugins));
  table.push_back(text("candidate", selection, "NAME",
                       "The candidate that every fusion takes, by its name in "
                       "an AUTOTUNE table; nothing is measured",
                       &O::candidate));
  table.push_back(text("pin", selection, "FILE",
                       "File of pins, which say what fusions take; written by "
                       "'minic explain --pins' and 'minic-tune pins'",
                       &O::pin));
  table.push_back(choice(
      "search", selection, {"guided", "descent", "offered", "exhaustive"},
      "Candidates to measure: those that may be the fastest by their "
      "estimates; these and then neighbours of the fastest schedules; "
      "all that families offer, which estimates limit; or "
      "every legal schedule, which may take hours",
      &O::search));
  table.push_back(
      budget("tune-budget", selection,
             "Stop searching after this time (30s, 2m), best so far "
             "wins; none for no limit",
             &O::tuneBudgetSeconds));
  table.push_back(text("tune-db", selection, "FILE",
                       "Tuning database (default: $XDG_CACHE_HOME/minic)",
                       &O::tuneDb));
  table.push_back(text("shipped-db", selection, "FILE|off",
                       "Records of another machine, used where nothing is "
                       "measured and the database has none (default: those "
                       "that minic ships; also MINIC_SHIPPED_DB)",
                       &O::shippedDb));
  table.push_back(flag("tune-replay", selection,
                       "Measure nothing; a problem that neither the database "
                       "nor shipped records know is an error",
                       &O::tuneReplay));
  table.push_back(flag("retune", selection,
                       "Measure again even where the database has a record",
                       &O::retune));
  table.push_back(toggle("search-again", selection,
                         "Measure again where the record is provisional and "
                         "the machine quieter now",
                         &O::searchAgain));
  table.push_back(text("tune-report", selection, "FILE",
                       "Write every measured sample as JSON", &O::tuneReport));
  table.push_back(toggle("whole-model-check", selection,
                         "Measure the tuned model against the default one and "
                         "keep the faster",
                         &O::wholeModelCheck));
  table.push_back(clocks("lock-clocks", selection,
                         "While measuring on a GPU, lock its SM clocks (to the "
                         "highest that the device names) where permitted",
                         &O::lockClocks));
  table.push_back(flag("require-locked-clocks", selection,
                       "The same, but fail if they cannot be locked",
                       &O::requireLockedClocks));

  table.push_back(text("target", target, "auto|cpu|cuda[:ARCHS]",
                       "What to generate code for; ARCHS such as sm_90a,sm_80 "
                       "gives one variant each (default: the device's)",
                       &O::target));
  table.push_back(integer("device", target,
                          "Which of this machine's GPUs to compile for", 0,
                          1023, &O::device));
  table.push_back(text("device-profile", target, "NAME",
                       "Compile for a named GPU (h200, h100, a100, l40s, ...) "
                       "instead of this machine's",
                       &O::deviceProfile));
  table.push_back(choice("ptx", target, {"auto", "on", "off"},
                         "Add a variant of PTX for GPUs after those asked for "
                         "(auto: where ARCHS are named)",
                         &O::ptx));
  table.push_back(bytes(
      "workspace-limit", target,
      "Most workspace of a library call or kernel on a GPU (32MiB, 256MiB)",
      &O::workspaceLimit));
  table.push_back(list("cpu-isa", target, "v3,v4", {"v3", "v4"},
                       "ISA levels, one variant each (default: this machine's)",
                       &O::cpuIsa));
  table.push_back(integer("threads", target,
                          "Threads of one run (default 0: all CPUs that this "
                          "process may use)",
                          0, 1024, &O::threads));

  table.push_back(choice("float32-precision", numerics, {"ieee", "tf32"},
                         "What f32 products may be rounded to",
                         &O::float32Precision));
  table.push_back(flag("deterministic", numerics,
                       "Only kernels whose runs agree bit for bit",
                       &O::deterministic));
  table.push_back(flag("propagate-nan", numerics,
                       "Only kernels in which NaN reaches the result wherever "
                       "it should",
                       &O::propagateNan));
  table.push_back(choice("cast-weights", numerics,
                         {"none", "bf16", "f16", "f32"},
                         "Round weights to it, and what is multiplied with "
                         "them; sums and other ops keep their dtype. f32 reads "
                         "float64 as float32, and changes nothing else",
                         &O::castWeights));

  table.push_back(text("weights", model, "FILE",
                       "Weights (default: the module's graph.weights, else "
                       "the model's stem with .safetensors)",
                       &O::weights));
  table.push_back(list("function", model, "NAMES", {},
                       "Compile only these functions", &O::functions));
  table.push_back(sizes("dim", model,
                        "Sizes of a dimension that the model names, a plan "
                        "for each of them; once for each dimension",
                        &O::dims));
  table.push_back(sizeSets("buckets", model,
                           "Which sizes of several dimensions go together "
                           "(each with each where this is not given)",
                           &O::buckets));
  table.push_back(integer("max-buckets", model,
                          "How many plans of one function there may be", 1,
                          65536, &O::maxBuckets));
  table.push_back(list("pad", model, "NAMES,INPUT=VALUE", {},
                       "Dimensions of which runs may have sizes between the "
                       "listed ones: they are padded to the next larger one, "
                       "where rows are proved independent or these values "
                       "behind the rows of inputs are checked to mask them",
                       &O::pad));
  table.push_back(budget("pad-budget", model,
                         "Most time of a core that checks of --pad's values "
                         "may take by estimate, more is an error (30m); none "
                         "for no limit",
                         &O::padBudgetSeconds));
  table.push_back(sizeRange("suggest-buckets", model,
                            "Write nothing; find sizes for --dim that make "
                            "runs of these sizes fastest, by measurement with "
                            "--tune=on, else by estimates",
                            int64_t(1) << 22, &O::suggestBuckets));
  table.push_back(text("sizes", model, "FILE",
                       "For --suggest-buckets: the sizes that runs have, a "
                       "line for each, SIZE or SIZE COUNT (default: all of "
                       "the range as often)",
                       &O::runSizes));
  table.push_back(integer("repack-gain", model,
                          "By how many percent a fusion must gain to pack a "
                          "weight in another way than other plans of its "
                          "function",
                          0, 1000, &O::repackGain));
  table.push_back(files("constant-input", model,
                        "An input of the model that becomes a constant, such "
                        "as axes; once for each",
                        &O::constantInputs));
  table.push_back(integer("input-alignment", model,
                          "Bytes that callers align inputs and outputs to", 1,
                          4096, &O::inputAlignment));

  table.push_back(fuseSwitch("fuse-epilogues", fusion,
                             "Fuse contractions, norms and the like with the "
                             "pointwise ops behind them",
                             &FuseSwitches::epilogues));
  table.push_back(fuseSwitch("fuse-prologues", fusion,
                             "Fuse them with what makes their operands",
                             &FuseSwitches::prologues));
  table.push_back(fuseSwitch("fuse-pointwise", fusion,
                             "Fuse pointwise ops with each other",
                             &FuseSwitches::pointwise));
  table.push_back(fuseSwitch("fuse-moves", fusion,
                             "Fuse transposes, slices, gathers and concats "
                             "with what reads them",
                             &FuseSwitches::moves));
  table.push_back(fuseSwitch("fuse-attention", fusion,
                             "Keep attention in one fusion instead of one for "
                             "each of its stages",
                             &FuseSwitches::attention));
  table.push_back(choice("merge-linears", fusion, {"auto", "never", "always"},
                         "Which linears of one input become one (auto: where "
                         "none loses what its kernel computes besides; with "
                         "--tune=on, what is faster)",
                         &O::mergeLinears));
  table.push_back(choice("assign-layouts", fusion,
                         {"auto", "off", "nchw", "nhwc"},
                         "The order of images between convolutions, pools and "
                         "what is near them (auto: by estimates for the "
                         "target; off: the model's)",
                         &O::assignLayouts));

  table.push_back(text("output", output, "FILE",
                       "Where to write (default: the model's path with .minic)",
                       &O::output));
  table.push_back(phase("compile-to", output,
                        "Stop after a phase and print its IR", &O::compileTo));

  table.push_back(
      phases("dump-ir-after", debugging,
             "Print the IR after these phases on stderr, or after all",
             &O::dumpIrAfter));
  table.push_back(text("dump-kernels-to", debugging, "DIR",
                       "Write IR, assembly, figures and binary of every "
                       "generated kernel",
                       &O::dumpKernelsTo));
  table.push_back(text("dump-problems", debugging, "DIR",
                       "Write every fusion as a model of its own",
                       &O::dumpProblems));
  table.push_back(text("trace", debugging, "DIR",
                       "Write what became of the model, and why, as "
                       "trace.html and trace.json",
                       &O::trace));
  table.push_back(text("crash-reproducer", debugging, "FILE",
                       "Where an internal error leaves the IR that shows it",
                       &O::crashReproducer));
  std::string topics = llvm::join(Log::topics(), ", ");
  table.push_back(
      {"log", debugging, "TOPICS",
       "Print on stderr: all, none or " + topics + " (also MINIC_LOG)",
       [](O &o, const std::string &text) {
         std::string error;
         if (std::optional<Log> log = Log::parse(text, error)) {
           o.log = *log;
         }
         return error;
       },
       [](const O &o) {
         std::vector<std::string> names;
         for (auto [i, name] : llvm::enumerate(Log::topics())) {
           if (o.log.has(static_cast<LogTopic>(i))) {
             names.push_back(name.str());
           }
         }
         return llvm::join(names, ",");
       }});
  table.push_back(flag("print-options", debugging,
                       "Print the resolved options and stop",
                       &O::printOptions));
  return table;
}

const std::vector<Option> &optionTable() {
  static const std::vector<Option> table = makeTable();
  return table;
}

std::string printOptions(const CompileOptions &options) {
  std::string result;
  for (const Option &option : optionTable()) {
    if (option.name != "print-options") {
      result += option.name + " = " + option.get(options) + "\n";
    }
  }
  return result;
}

} // namespace minic
