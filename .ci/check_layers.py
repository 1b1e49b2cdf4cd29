#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom against the table below.

The first rule whose folder holds a file is the file's rule, and each file needs
one. An #include or a TableGen include of the tree must start with one of `may`;
no include may start with one of `never`. A breach prints the rule's reason.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = ("mlir/", "llvm/", "lld/", "llvm-c/", "mlir-c/")
TREE = ("compiler/", "dialects/", "passes/", "runtime/", "test/", "tools/")

# SQLite, and the tuning database's own headers that show it.
SQLITE = ("sqlite3",) + tuple(
    f"compiler/tune/database/{name}.h" for name in
    ("NoiseColumns", "Sqlite", "TuningDbSchema", "VersionColumns"))

# folder, may include from the tree, never includes, reason
RULES = [
    ("runtime/include/", ("minic/",), LLVM + ("absl/", "flatbuffers/"),
     "the installed API shows no library that minic is built with"),
    ("runtime/base/", ("runtime/base/", "runtime/format/plan_generated.h"), LLVM,
     "runtime/base is below everything"),
    ("runtime/format/", ("runtime/base/", "runtime/format/"), LLVM,
     "the artifact format knows no device and no program"),
    ("runtime/device/cpu/", ("runtime/base/", "runtime/format/",
                             "runtime/device/Device.h", "runtime/device/cpu/"),
     LLVM, "devices are siblings that never meet"),
    ("runtime/device/cuda/", ("runtime/base/", "runtime/format/",
                              "runtime/device/Device.h", "runtime/device/cuda/"),
     LLVM, "devices are siblings that never meet"),
    ("runtime/device/", ("runtime/base/", "runtime/format/", "runtime/device/"),
     LLVM, "devices do not know programs"),
    ("runtime/", ("runtime/", "minic/"), LLVM,
     "the runtime uses no LLVM, no dialect, no pass, no compiler"),
    ("dialects/graph/", ("dialects/graph/",), (),
     "dialects use dialects only downward: graph -> kernel -> plan"),
    ("dialects/kernel/", ("dialects/graph/", "dialects/kernel/"), (),
     "dialects use dialects only downward: graph -> kernel -> plan"),
    ("dialects/plan/", ("dialects/", "runtime/format/"), (),
     "a plan is verified by the format's table of calls; it holds no pass"),
    ("dialects/", ("dialects/",), (), "dialects hold IR, never a pass"),
    ("passes/graph/", ("dialects/", "passes/support/", "passes/graph/"), (),
     "passes of different dialects share code through passes/support only"),
    ("passes/kernel/", ("dialects/", "passes/support/", "passes/kernel/"), (),
     "passes of different dialects share code through passes/support only"),
    ("passes/plan/", ("dialects/", "passes/support/", "passes/plan/"), (),
     "passes of different dialects share code through passes/support only"),
    ("passes/", ("dialects/", "passes/"), (),
     "passes do not know compiler, tuner, target or runtime"),
    ("compiler/reference/", ("compiler/reference/", "dialects/",
                             "runtime/base/", "runtime/format/",
                             "runtime/measure/"), (),
     "the reference shares no code with any backend"),
    ("compiler/target/cpu/", ("compiler/target/", "dialects/", "runtime/base/",
                              "runtime/format/"), ("dnnl", "compiler/target/cuda/"),
     "targets know neither each other nor the tuner; minic links no oneDNN"),
    ("compiler/target/cuda/", ("compiler/target/BinaryCache.h",
                               "compiler/target/Candidates.h",
                               "compiler/target/CountCode.h",
                               "compiler/target/DeviceProfile.h",
                               "compiler/target/KernelFamily.h",
                               "compiler/target/OfferFusion.h",
                               "compiler/target/PluginFamily.h",
                               "compiler/target/Target.h",
                               "compiler/target/UserKernels.h",
                               "compiler/target/codegen/",
                               "compiler/target/cuda/", "dialects/",
                               "runtime/base/", "runtime/format/"),
     ("cuda", "cublas", "cudnn", "nvJitLink"),
     "targets know neither each other nor the tuner; minic links no CUDA"),
    ("compiler/target/codegen/", ("compiler/target/codegen/", "dialects/"), (),
     "what targets share knows none of them"),
    ("compiler/target/", ("compiler/target/", "dialects/"),
     ("compiler/target/cpu/", "compiler/target/cuda/"),
     "what targets share knows none of them"),
    ("compiler/emit/", ("compiler/emit/", "dialects/", "runtime/format/"), (),
     "emitting translates a plan and decides nothing"),
    ("compiler/import/", ("compiler/import/", "dialects/", "runtime/base/",
                          "runtime/format/", "runtime/measure/"), (),
     "importing knows a model and no target"),
    ("compiler/compare/", ("compiler/compare/", "compiler/import/",
                           "compiler/reference/", "dialects/", "runtime/base/",
                           "runtime/measure/"), (),
     "comparing knows a graph and tensors, nobody who compiles or runs it"),
    ("compiler/options/", ("compiler/options/",
                           "compiler/target/BackendLabel.h"), ("mlir/",),
     "options are asked before there is any IR"),
    ("compiler/sizes/", ("compiler/sizes/",), LLVM,
     "which sizes are good buckets follows from times and knows no model"),
    ("compiler/plugin/", ("compiler/plugin/", "compiler/target/Plugin.h",
                          "compiler/tune/process/"), SQLITE,
     "a plug-in is a process that answers questions, whoever asks"),
    ("compiler/pipeline/", ("compiler/options/", "compiler/pipeline/",
                            "compiler/target/",
                            "compiler/tune/process/Interrupt.h", "dialects/",
                            "passes/", "runtime/base/"), (),
     "phases know neither who selects algorithms nor who emits"),
    ("compiler/explain/", ("compiler/explain/", "compiler/options/",
                           "compiler/pipeline/", "compiler/target/",
                           "dialects/", "runtime/format/CallTable.h"), (),
     "explaining reads what was chosen and knows nobody who chooses"),
    ("compiler/trace/", ("compiler/explain/", "compiler/import/NamedTensors.h",
                         "compiler/options/", "compiler/pipeline/",
                         "compiler/target/", "compiler/trace/", "dialects/",
                         "runtime/measure/OutputFile.h"), (),
     "a trace shows what was decided and knows nobody who decides"),
    ("compiler/tune/process/", ("compiler/tune/process/", "runtime/measure/"),
     LLVM + SQLITE, "who runs programs does not know what for"),
    ("compiler/tune/database/", ("compiler/tune/database/", "runtime/measure/"),
     LLVM, "the database stores, and knows nobody who searches or measures"),
    ("compiler/tune/search/", ("compiler/tune/database/",
                               "compiler/tune/process/BuildPool.h",
                               "compiler/tune/process/Clock.h",
                               "compiler/tune/process/Worker.h",
                               "compiler/tune/search/", "runtime/measure/"),
     LLVM + SQLITE,
     "a search knows keys and texts, no IR, no SQL, no process"),
    ("compiler/tune/model/", ("compiler/tune/database/", "compiler/tune/model/",
                              "compiler/tune/process/Clock.h",
                              "compiler/tune/process/Worker.h",
                              "compiler/tune/search/NoiseMeter.h",
                              "compiler/tune/search/Rounds.h",
                              "compiler/tune/search/TunedProblem.h",
                              "runtime/format/", "runtime/measure/"),
     LLVM + SQLITE,
     "contests of whole models share a search's rounds, not the search"),
    ("compiler/tune/bridge/", ("compiler/emit/", "compiler/options/",
                               "compiler/pipeline/", "compiler/reference/",
                               "compiler/target/", "compiler/tune/", "dialects/",
                               "passes/support/", "runtime/base/",
                               "runtime/measure/"), SQLITE,
     "the bridge gives the tuner its problems and knows no whole compilation"),
    ("compiler/driver/", ("compiler/", "dialects/", "runtime/base/",
                          "runtime/format/", "runtime/measure/"),
     ("dnnl",) + SQLITE,
     "the compiler shares the format with the runtime and runs nothing itself"),
    ("tools/minic-worker/", ("runtime/", "tools/"), LLVM,
     "minic-worker links the runtime that ships, and no LLVM"),
    ("tools/minic-run/", ("runtime/", "tools/"), LLVM,
     "minic-run works where there is no compiler"),
    ("tools/minic-bench/", ("runtime/", "tools/"), LLVM,
     "minic-bench works where there is no compiler"),
    ("tools/minic-tune/", ("compiler/tune/", "runtime/", "tools/"),
     LLVM + SQLITE + ("compiler/tune/bridge/",),
     "minic-tune works where there is no compiler"),
    ("tools/", TREE, (), "tools may use everything"),
    ("test/", TREE + ("minic/",), (), "tests may use everything"),
    ("examples/", ("minic/",), LLVM, "examples use the installed API"),
    ("python/", ("minic/",), LLVM, "the extension uses the installed API"),
]

INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".td"}
GENERATED = (".inc", "_generated.h", "Version.h")


def breaches(path):
    relative = path.relative_to(ROOT).as_posix()
    rule = next((r for r in RULES if relative.startswith(r[0])), None)
    if rule is None:
        yield f"{relative}: no rule in .ci/check_layers.py holds this file"
        return
    folder, may, never, reason = rule
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        ours = target.startswith(TREE)
        if ours and not target.startswith(may) or target.startswith(never):
            yield (f"{relative}:{number}: {folder} may not include {target}: "
                   f"{reason}")
        if ours and not target.endswith(GENERATED) and not (
                ROOT / target).exists():
            yield f"{relative}:{number}: no such file in the tree: {target}"


def main():
    files = [p for top in TREE + ("examples/", "python/")
             for p in sorted((ROOT / top).rglob("*")) if p.suffix in SUFFIXES]
    found = [b for path in files for b in breaches(path)]
    print("\n".join(found) if found else
          f"layers: {len(files)} files keep to the table")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
