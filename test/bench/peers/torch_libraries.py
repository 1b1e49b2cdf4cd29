# SPDX-License-Identifier: Apache-2.0
"""The CUDA libraries that PyTorch brings. A process has one cuDNN: with PyTorch
in it minic runs on PyTorch's, and engines that another version chose would be
dropped for the heuristic's. So minic tunes with PyTorch's, too: both sides have
the same libraries."""

import json
import subprocess
import sys

ENVIRONMENT = {"libcudnn.so": "MINIC_CUDNN_LIBRARY",
               "libcublas.so": "MINIC_CUBLAS_LIBRARY",
               "libcublasLt.so": "MINIC_CUBLASLT_LIBRARY"}
MAPPED = "import torch; print(open('/proc/self/maps').read())"


def environment(folder):
    """What makes minic open the same files. Kept in `folder`: to import
    PyTorch takes seconds."""
    kept = folder / "torch-libraries.json"
    if not kept.exists():
        maps = subprocess.run([sys.executable, "-c", MAPPED], text=True,
                              capture_output=True).stdout
        paths = {line.split(maxsplit=5)[5] for line in maps.splitlines()
                 if line.endswith(tuple("0123456789")) and "/lib" in line}
        found = {variable: path for path in sorted(paths)
                 for prefix, variable in ENVIRONMENT.items()
                 if path.rpartition("/")[2].startswith(prefix + ".")}
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(found, indent=1) + "\n")
    return json.loads(kept.read_text())
