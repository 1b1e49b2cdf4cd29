# SPDX-License-Identifier: Apache-2.0
"""Device, driver and library versions, as minic and nvidia-smi see them."""

import sys

import common

arguments = common.parser(__doc__).parse_args()
status, devices = common.run(arguments.root / "bin/minic", "devices")
print(devices)
print(common.run("nvidia-smi", "--query-gpu=name,driver_version,memory.total,"
                 "clocks.sm,clocks.max.sm,mig.mode.current",
                 "--format=csv")[1])
print(common.run(sys.executable, "-c",
                 "import torch, jax; print('torch', torch.__version__, 'cuda', "
                 "torch.version.cuda, 'cudnn', torch.backends.cudnn.version(),"
                 " 'jax', jax.__version__)")[1])
(arguments.out / "facts.txt").write_text(devices)
sys.exit(status)
