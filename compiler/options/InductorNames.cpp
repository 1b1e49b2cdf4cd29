// SPDX-License-Identifier: Apache-2.0
//
// The table, also in docs/debugging.md.

#include "compiler/options/InductorNames.h"

#include <algorithm>
#include <string>

namespace minic {

static constexpr InductorName names[] = {
    {"max_autotune", "--mode=max-autotune", ""},
    {"max_autotune_gemm", "--mode=max-autotune", "it tunes every fusion"},
    {"max_autotune_pointwise", "--mode=max-autotune", "it tunes every fusion"},
    {"max_autotune_gemm_backends", "--gemm-backends=LIST",
     "aten, library-fused, cudnn, generated"},
    {"max_autotune_conv_backends", "--conv-backends=LIST",
     "aten, library-fused, cudnn, generated"},
    {"max_autotune_gemm_search_space", "--search=guided|descent|exhaustive",
     ""},
    {"coordinate_descent_tuning", "--search=descent",
     "max-autotune also descends over whole models"},
    {"autotune_in_subproc", "", "candidates always run in another process"},
    {"triton.cudagraphs", "--cuda-graphs=on", ""},
    {"epilogue_fusion", "--fuse-epilogues=on|off", "on by default"},
    {"prologue_fusion", "--fuse-prologues=on|off", "on by default"},
    {"shape_padding", "--pad-operands=on|off",
     "on by default: constants are padded ahead of time, else tuning chooses"},
    {"layout_optimization", "--pack-operands=on|off", "on by default"},
    {"batch_fusion", "--merge-linears=auto|never|always",
     "linears of one input become one"},
    {"force_disable_caches", "--retune", ""},
    {"deterministic", "--deterministic", ""},
    {"freezing", "", "weights are always constants"},
    {"trace.enabled", "--trace=DIR", ""},
    {"trace.debug_dir", "--trace=DIR", ""},
    {"trace.graph_diagram", "--trace=DIR", ""},
    {"trace.draw_orig_fx_graph", "--trace=DIR",
     "its page draws the model as it was captured, too"},
    {"trace.dot_graph_shape", "", "the page of --trace draws all ops as boxes"},
    {"trace.compile_profile", "--trace=DIR",
     "its page says where the seconds went"},
    {"trace.fx_graph", "--compile-to=import", ""},
    {"trace.fx_graph_transformed", "--dump-ir-after=simplify",
     "after minic's own rewrites"},
    {"trace.ir_pre_fusion", "--dump-ir-after=simplify", ""},
    {"trace.ir_post_fusion", "--dump-ir-after=fuse", ""},
    {"trace.output_code", "--dump-kernels-to=DIR", ""},
    {"trace.log_autotuning_results", "--tune-report=FILE", ""},
    {"trace.debug_log", "--log=all", "on stderr"},
    {"trace.info_log", "--log=phases", "on stderr"},
    {"trace.save_real_tensors", "",
     "minic compiles without a run's tensors; minic-run --output writes those "
     "of a run"},
    {"trace.upload_tar", "", "minic sends nothing anywhere"},
    {"trace.log_url_for_graph_xform", "", "minic sends nothing anywhere"},
};

llvm::ArrayRef<InductorName> inductorNames() { return names; }

const InductorName *findInductorName(llvm::StringRef name) {
  std::string plain = name.ltrim('-').split('=').first.str();
  std::replace(plain.begin(), plain.end(), '-', '_');
  const auto *found = std::find_if(
      std::begin(names), std::end(names),
      [&](const InductorName &each) { return each.name == plain; });
  return found == std::end(names) ? nullptr : found;
}

std::string describe(const InductorName &name) {
  std::string text = name.name.str();
  text += name.minic.empty() ? " has no option in minic"
                             : " is " + name.minic.str() + " in minic";
  return name.note.empty() ? text : text + " (" + name.note.str() + ")";
}

} // namespace minic
