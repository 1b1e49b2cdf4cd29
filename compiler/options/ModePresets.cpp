// SPDX-License-Identifier: Apache-2.0
//
// The presets.

#include "compiler/options/ModePresets.h"

namespace minic {

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
      {"default", false, CudaGraphs::Auto},
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

Option modeOption(const std::string &group) {
  return {
      "mode",
      group,
      "default|reduce-overhead|max-autotune|max-autotune-no-cudagraphs",
      "Preset of --tune and --cuda-graphs. default uses the tuning database "
      "or an estimate; max-autotune measures candidates on this machine",
      setMode,
      [](const CompileOptions &o) { return o.mode; }};
}

Option cudaGraphsOption(const std::string &group) {
  return {
      "cuda-graphs",
      group,
      "on|off|auto",
      "Replay a captured CUDA graph; auto measures whether never, always or "
      "when the stream is idle (not applicable on a CPU)",
      setCudaGraphs,
      [](const CompileOptions &o) { return toString(o.cudaGraphs).str(); }};
}

} // namespace minic
