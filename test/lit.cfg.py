# SPDX-License-Identifier: Apache-2.0
#
# How lit finds and runs the tests of this tree.

import glob
import os
import shutil
import subprocess

import lit.formats

config.name = "minic"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["inputs", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.minic_build_root, "test")

# minic's own tools first, so that a test never runs an installed one.
config.environment["PATH"] = os.path.pathsep.join(
    [
        os.path.join(config.minic_build_root, "bin"),
        config.llvm_tools,
        config.environment["PATH"],
    ]
)
# Tests neither read nor change the user's tuning database.
config.environment["XDG_CACHE_HOME"] = os.path.join(
    config.test_exec_root, "cache"
)
# What is chosen depends on no file that ships; tests name their own.
config.environment["MINIC_SHIPPED_DB"] = "off"
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
# Whether there is a ptxas decides which schedules are offered: see
# DeviceProfile::assemblerMovesRegisters.
config.environment["MINIC_PTXAS"] = "/none/ptxas"

_inputs = os.path.join(os.path.dirname(__file__), "inputs")
config.substitutions += [
    ("%inputs", _inputs),
    ("%check-model-on", os.path.join(_inputs, "check-model-on.sh")),
    ("%check-model", os.path.join(_inputs, "check-model.sh")),
    ("%exit-code", os.path.join(_inputs, "exit-code.sh")),
    (
        "%write-safetensors",
        "python3 " + os.path.join(_inputs, "write_safetensors.py"),
    ),
]

# Programs that find minic and check what it compiles.
for _name in ("fuzz", "conformance"):
    config.substitutions.append((
        "%" + _name,
        "python3 %s --bin=%s" % (
            os.path.join(os.path.dirname(__file__), _name, _name + ".py"),
            os.path.join(config.minic_build_root, "bin"),
        ),
    ))

# Tests that make ONNX models need the packages of .venv.
_python = os.path.join(os.path.dirname(_inputs), "..", ".venv/bin/python")
config.substitutions += [
    ("%numpy-python", os.path.normpath(_python)),
    ("%onnx-models", "%s %s" % (
        os.path.normpath(_python), os.path.join(_inputs, "onnx_models.py"))),
    ("%quantized-models", "%s %s" % (
        os.path.normpath(_python), os.path.join(_inputs, "quantized_models.py"))),
    ("%hostile-onnx", "%s %s" % (
        os.path.normpath(_python), os.path.join(_inputs, "hostile_onnx.py"))),
    ("%activations", "%s %s" % (
        os.path.normpath(_python), os.path.join(_inputs, "activations.py"))),
    *(("%onnx-" + name, "%s %s --bin=%s" % (
        os.path.normpath(_python),
        os.path.join(os.path.dirname(__file__), "onnx", script),
        os.path.join(config.minic_build_root, "bin")))
      for name, script in (("nodes", "node_tests.py"),
                           ("contrib", "contrib_tests.py"),
                           ("quantized", "quantized_tests.py"),
                           ("limits", "limits.py"))),
    ("%onnx-against-torch", "%s %s" % (
        os.path.normpath(_python),
        os.path.join(os.path.dirname(__file__), "models", "against_torch.py"))),
]

# Kernels in CUDA C++ need NVRTC, which minic looks for in these places: the
# loader's, where third_party/environment.sh puts the folders of wheels, and
# toolkits.
_cuda_home = os.environ.get("CUDA_HOME", "")
if _cuda_home:
    config.environment["CUDA_HOME"] = _cuda_home
_nvrtc = [
    folder for folder in (
        *filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)),
        *(os.path.join(home, lib)
          for home in filter(None, (_cuda_home, "/usr/local/cuda"))
          for lib in ("lib64", "lib")))
    if os.path.exists(os.path.join(folder, "libnvrtc.so.13"))]
if _nvrtc:
    config.available_features.add("nvrtc")
    config.substitutions.append(("%nvrtc-folder", _nvrtc[0]))
elif os.environ.get("MINIC_TEST_ALL"):
    lit_config.fatal("no libnvrtc.so.13 on the library path or in a toolkit, "
                     "which third_party/install.sh installs")

# What the assembler of a toolkit makes of kernels that nvJitLink assembles otherwise.
_ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
if os.access(_ptxas, os.X_OK):
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", _ptxas))

# Tests that export models need PyTorch, which .venv has not: the Python of an
# environment that has it is named by MINIC_TORCH_PYTHON.
_torch = os.environ.get("MINIC_TORCH_PYTHON")
if _torch and subprocess.run([
        _torch, "-c", "import importlib.util as u; exit(not all(map("
        "u.find_spec, ('torch', 'torchvision', 'transformers', 'onnxscript'))))"]
        ).returncode == 0:
    config.available_features.add("torch")
    config.substitutions.append(("%torch-python", _torch))

# Kernels in Triton are compiled by the Python that MINIC_TRITON_PYTHON names.
_triton = os.environ.get("MINIC_TRITON_PYTHON")
if _triton and subprocess.run([
        _triton, "-c", "import importlib.util as u; "
        "exit(u.find_spec('triton') is None)"]).returncode == 0:
    config.available_features.add("triton")
    config.substitutions.append(("%triton-python", _triton))

# Pages are tried in a browser where there is one and .venv can drive it. ./check
# has installed both, so that a test without them is an error there.
if shutil.which("chromium-headless-shell") and subprocess.run([
        os.path.normpath(_python), "-c", "import importlib.util as u; "
        "exit(not u.find_spec('playwright'))"]).returncode == 0:
    config.available_features.add("chromium")
    config.substitutions.append(("%page", "%s %s" % (
        os.path.normpath(_python), os.path.join(_inputs, "page.py"))))
elif os.environ.get("MINIC_TEST_ALL"):
    lit_config.fatal("no chromium-headless-shell on the PATH or no playwright "
                     "in .venv, which third_party/install.sh installs")

# A oneDNN with a wrong kernel stands before the installed one.
_wrong = os.path.join(config.minic_build_root, "test/lib/wrong_onednn/lib")
if os.path.isdir(_wrong):
    config.available_features.add("wrong-onednn")
    config.substitutions.append(
        ("%with-wrong-onednn", "env LD_LIBRARY_PATH=" + _wrong))

# What a profiler would hear of a run.
_nvtx = os.path.join(config.minic_build_root, "test/lib/nvtx/nvtx_log.so")
if os.path.exists(_nvtx):
    config.available_features.add("nvtx")
    config.substitutions.append(
        ("%with-nvtx", "env NVTX_INJECTION64_PATH=" + _nvtx))

# Plug-ins that behave and others.
config.substitutions += [
    ("%plugins", os.path.join(config.minic_build_root, "test/lib/plugins")),
    ("%plugin-header", os.path.normpath(os.path.join(
        os.path.dirname(__file__), "../compiler/plugin/include"))),
]

# CUTLASS's headers are of a Python package; nvcc is a toolkit's.
_cutlass = glob.glob(os.path.join(
    os.path.dirname(_python), "..", "lib", "python3*", "site-packages",
    "cutlass_library", "source", "include"))
if _cutlass and (shutil.which("nvcc")
                 or os.path.exists("/usr/local/cuda/bin/nvcc")):
    config.available_features.add("cutlass")
    config.substitutions.append(("%cutlass", os.path.normpath(_cutlass[0])))

# What only machines with such instructions can show.
with open("/proc/cpuinfo") as _cpus:
    _flags = _cpus.read()
if " avx512_bf16 " in _flags:
    config.available_features.add("avx512bf16")
if " avx512bw " in _flags:  # below it oneDNN 2.6 has no bf16
    config.available_features.add("onednn-bf16")
    config.available_features.add("avx512")
