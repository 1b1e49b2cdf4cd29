// SPDX-License-Identifier: Apache-2.0
//
// The table, and the parsers of the kinds of values that options have.

#include "compiler/OptionTable.h"

#include "compiler/target/BackendLabel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace minic {

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

static std::string joined(llvm::ArrayRef<std::string> words) {
  return llvm::join(words, ",");
}

static Option text(std::string name, std::string group, std::string value,
                   std::string help, std::string CompileOptions::*field) {
  return {name,
          group,
          value,
          help,
          [field](CompileOptions &options, const std::string &text) {
            options.*field = text;
            return std::string();
          },
          [field](const CompileOptions &options) { return options.*field; }};
}

static Option toggle(std::string name, std::string group, std::string help,
                     bool CompileOptions::*field) {
  return {name,
          group,
          "on|off",
          help,
          [field](CompileOptions &options, const std::string &text) {
            if (text != "on" && text != "off") {
              return "expected on or off, got '" + text + "'";
            }
            options.*field = text == "on";
            return std::string();
          },
          [field](const CompileOptions &options) {
            return std::string(options.*field ? "on" : "off");
          }};
}

static Option flag(std::string name, std::string group, std::string help,
                   bool CompileOptions::*field) {
  return {name,
          group,
          "",
          help,
          [field](CompileOptions &options, const std::string &) {
            options.*field = true;
            return std::string();
          },
          [field](const CompileOptions &options) {
            return std::string(options.*field ? "on" : "off");
          }};
}

/// One of `allowed`.
static Option choice(std::string name, std::string group,
                     std::vector<std::string> allowed, std::string help,
                     std::string CompileOptions::*field) {
  std::string value = llvm::join(allowed, "|");
  return {name,
          group,
          value,
          help,
          [field, allowed](CompileOptions &options, const std::string &text) {
            if (!llvm::is_contained(allowed, text)) {
              return "expected " + llvm::join(allowed, ", ") + ", got '" +
                     text + "'";
            }
            options.*field = text;
            return std::string();
          },
          [field](const CompileOptions &options) { return options.*field; }};
}

/// Comma-separated words, each one of `allowed` if that is not empty.
static Option list(std::string name, std::string group, std::string value,
                   std::vector<std::string> allowed, std::string help,
                   std::vector<std::string> CompileOptions::*field) {
  return {name,
          group,
          value,
          help,
          [field, allowed](CompileOptions &options, const std::string &text) {
            std::vector<std::string> words;
            for (llvm::StringRef word : llvm::split(text, ',')) {
              words.push_back(word.trim().str());
              if (words.back().empty() ||
                  (!allowed.empty() &&
                   !llvm::is_contained(allowed, words.back()))) {
                return "expected a comma-separated list" +
                       (allowed.empty() ? std::string()
                                        : " of " + llvm::join(allowed, ", ")) +
                       ", got '" + text + "'";
              }
            }
            options.*field = words;
            return std::string();
          },
          [field](const CompileOptions &options) {
            return joined(options.*field);
          }};
}

/// An integer in [minimum, maximum].
template <typename T>
static Option integer(std::string name, std::string group, std::string help,
                      int64_t minimum, int64_t maximum,
                      T CompileOptions::*field) {
  return {name,
          group,
          "N",
          help,
          [=](CompileOptions &options, const std::string &text) {
            int64_t number = 0;
            if (llvm::StringRef(text).getAsInteger(10, number) ||
                number < minimum || number > maximum) {
              return llvm::formatv("expected an integer from {0} to {1}, got "
                                   "'{2}'",
                                   minimum, maximum, text)
                  .str();
            }
            options.*field = static_cast<T>(number);
            return std::string();
          },
          [field](const CompileOptions &options) {
            return std::to_string(options.*field);
          }};
}

static std::string phaseNames() {
  return llvm::join(
      llvm::map_range(allPhases(), [](Phase each) { return toString(each); }),
      ", ");
}

static std::string setPhases(std::vector<Phase> &phases,
                             const std::string &text) {
  phases.clear();
  for (llvm::StringRef word : llvm::split(text, ',')) {
    std::optional<Phase> phase = parsePhase(word.trim());
    if (word.trim() == "all") {
      phases.assign(allPhases().begin(), allPhases().end());
    } else if (phase) {
      phases.push_back(*phase);
    } else {
      return "expected all or phases of " + phaseNames() + ", got '" + text +
             "'";
    }
  }
  return {};
}

/// "30s", "2m", "500ms" or plain seconds; "none" for no limit.
static std::string setBudget(double &seconds, llvm::StringRef text) {
  llvm::StringRef number = text;
  double scale = 1;
  if (number == "none") {
    seconds = 0;
    return {};
  }
  if (number.consume_back("ms")) {
    scale = 1e-3;
  } else if (number.consume_back("s")) {
    scale = 1;
  } else if (number.consume_back("m")) {
    scale = 60;
  }
  double value = 0;
  if (number.getAsDouble(value) || !std::isfinite(value) || value <= 0) {
    return "expected a time such as 500ms, 30s, 2m or none, got '" +
           text.str() + "'";
  }
  seconds = value * scale;
  return {};
}

/// "32MiB", "1GiB", "64KiB" or plain bytes.
static std::string setBytes(int64_t &bytes, llvm::StringRef text) {
  llvm::StringRef number = text;
  int64_t scale = 1;
  if (number.consume_back("GiB")) {
    scale = int64_t(1) << 30;
  } else if (number.consume_back("MiB")) {
    scale = int64_t(1) << 20;
  } else if (number.consume_back("KiB")) {
    scale = int64_t(1) << 10;
  }
  int64_t value = 0;
  if (number.getAsInteger(10, value) || value < 0 ||
      value > (int64_t(1) << 40) / scale) {
    return "expected a size such as 32MiB or a number of bytes, got '" +
           text.str() + "'";
  }
  bytes = value * scale;
  return {};
}

//===----------------------------------------------------------------------===//
// Presets
//===----------------------------------------------------------------------===//

static llvm::StringRef toString(CudaGraphs graphs) {
  switch (graphs) {
  case CudaGraphs::Off:
    return "off";
  case CudaGraphs::On:
    return "on";
  case CudaGraphs::Auto:
    return "auto";
  }
}

static std::string setCudaGraphs(CompileOptions &options,
                                 const std::string &text) {
  for (CudaGraphs graphs :
       {CudaGraphs::Off, CudaGraphs::On, CudaGraphs::Auto}) {
    if (toString(graphs) == text) {
      options.cudaGraphs = graphs;
      return {};
    }
  }
  return "expected on, off or auto, got '" + text + "'";
}

static std::string setMode(CompileOptions &options, const std::string &text) {
  struct Preset {
    llvm::StringRef mode;
    bool tune;
    CudaGraphs cudaGraphs;
  };
  static constexpr Preset presets[] = {
      {"default", false, CudaGraphs::Off},
      {"reduce-overhead", false, CudaGraphs::On},
      {"max-autotune", true, CudaGraphs::Auto},
      {"max-autotune-no-cudagraphs", true, CudaGraphs::Off},
  };
  for (const Preset &preset : presets) {
    if (preset.mode == text) {
      options.mode = text;
      options.tune = preset.tune;
      options.cudaGraphs = preset.cudaGraphs;
      // Whoever asks for measuring wants to see what was measured.
      if (preset.tune) {
        options.log.enable(LogTopic::Autotuning);
      }
      return {};
    }
  }
  return "expected default, reduce-overhead, max-autotune or "
         "max-autotune-no-cudagraphs, got '" +
         text + "'";
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::vector<Option> makeTable() {
  using O = CompileOptions;
  const std::string mode = "Mode", selection = "Algorithm selection",
                    target = "Target", numerics = "Numerics", model = "Model",
                    output = "Output", debugging = "Debugging";
  std::vector<std::string> backends;
  for (BackendLabel label : allBackendLabels) {
    backends.push_back(toString(label).str());
  }
  std::vector<Option> table;

  table.push_back(
      {"mode", mode,
       "default|reduce-overhead|max-autotune|max-autotune-no-cudagraphs",
       "Preset of --tune and --cuda-graphs. default uses the tuning database "
       "or an estimate; max-autotune measures candidates on this machine",
       setMode, [](const O &o) { return o.mode; }});
  table.push_back(toggle("tune", mode,
                         "Measure candidates that the database does not know",
                         &O::tune));
  table.push_back({"cuda-graphs", mode, "on|off|auto",
                   "Replay a captured CUDA graph (not applicable on a CPU)",
                   setCudaGraphs,
                   [](const O &o) { return toString(o.cudaGraphs).str(); }});

  table.push_back(list("gemm-backends", selection, "LIST", backends,
                       "Only these may implement GEMMs: aten (library and "
                       "separate pointwise kernel), library-fused, cudnn, "
                       "generated",
                       &O::gemmBackends));
  table.push_back(list("conv-backends", selection, "LIST", backends,
                       "Only these may implement convolutions",
                       &O::convBackends));
  table.push_back(choice("search", selection, {"guided", "exhaustive"},
                         "Candidates to measure on a GPU: what may be the "
                         "fastest by its estimate, or all",
                         &O::search));
  table.push_back(
      {"tune-budget", selection, "TIME",
       "Stop searching after this time (30s, 2m), best so far "
       "wins; none for no limit",
       [](O &o, const std::string &text) {
         return setBudget(o.tuneBudgetSeconds, text);
       },
       [](const O &o) {
         return o.tuneBudgetSeconds == 0
                    ? std::string("none")
                    : llvm::formatv("{0}s", o.tuneBudgetSeconds).str();
       }});
  table.push_back(text("tune-db", selection, "FILE",
                       "Tuning database (default: $XDG_CACHE_HOME/minic)",
                       &O::tuneDb));
  table.push_back(flag("tune-replay", selection,
                       "Measure nothing; a problem that the database does not "
                       "know is an error",
                       &O::tuneReplay));
  table.push_back(flag("retune", selection,
                       "Measure again even where the database has a record",
                       &O::retune));
  table.push_back(text("tune-report", selection, "FILE",
                       "Write every measured sample as JSON", &O::tuneReport));
  table.push_back(toggle("whole-model-check", selection,
                         "Measure the tuned model against the default one and "
                         "keep the faster",
                         &O::wholeModelCheck));

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
  table.push_back(toggle("ptx", target,
                         "Add a variant of PTX for GPUs after those asked for",
                         &O::ptx));
  table.push_back(
      {"workspace-limit", target, "BYTES",
       "Most workspace of a library call or kernel on a GPU (32MiB, 256MiB)",
       [](O &o, const std::string &text) {
         return setBytes(o.workspaceLimit, text);
       },
       [](const O &o) { return std::to_string(o.workspaceLimit); }});
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

  table.push_back(text("weights", model, "FILE",
                       "Weights (default: the module's graph.weights, else "
                       "the model's stem with .safetensors)",
                       &O::weights));
  table.push_back(list("function", model, "NAMES", {},
                       "Compile only these functions", &O::functions));
  table.push_back(integer("input-alignment", model,
                          "Bytes that callers align inputs and outputs to", 1,
                          4096, &O::inputAlignment));

  table.push_back(text("output", output, "FILE",
                       "Where to write (default: the model's path with .minic)",
                       &O::output));
  table.push_back({"compile-to", output, "PHASE",
                   "Stop after a phase and print its IR: " + phaseNames(),
                   [](O &o, const std::string &text) {
                     std::optional<Phase> phase = parsePhase(text);
                     if (!phase) {
                       return "expected " + phaseNames() + ", got '" + text +
                              "'";
                     }
                     o.compileTo = *phase;
                     return std::string();
                   },
                   [](const O &o) { return toString(o.compileTo).str(); }});

  table.push_back({"dump-ir-after", debugging, "PHASES",
                   "Print the IR after these phases on stderr, or after all",
                   [](O &o, const std::string &text) {
                     return setPhases(o.dumpIrAfter, text);
                   },
                   [](const O &o) {
                     return llvm::join(
                         llvm::map_range(o.dumpIrAfter,
                                         [](Phase p) { return toString(p); }),
                         ",");
                   }});
  table.push_back(text("dump-kernels-to", debugging, "DIR",
                       "Write IR and binary of every generated kernel",
                       &O::dumpKernelsTo));
  table.push_back(text("dump-problems", debugging, "DIR",
                       "Write every fusion as a model of its own",
                       &O::dumpProblems));
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
         return joined(names);
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
