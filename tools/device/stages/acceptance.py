# SPDX-License-Identifier: Apache-2.0
"""Models of PyTorch in every ONNX form on the GPU, in default mode and max-autotune,
beside PyTorch in double precision (test/models/acceptance.py), at full size. Exports
take most of the time and a CPU, so --jobs cases go on side by side; each form's row is
printed as it comes, and the table at the end. Cases that --limit-s cuts off are named:
--only takes them up again, with what was exported on this machine. Needs PyTorch,
torchvision, transformers and onnxscript."""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import threading
import time

import common

parser = common.parser(__doc__)
parser.add_argument("--only", nargs="+", metavar="CASE", default=[])
parser.add_argument("--size", choices=("small", "full"), default="full")
parser.add_argument("--target", choices=("cuda", "cpu"), default="cuda")
parser.add_argument("--limit-s", type=float, default=240)
parser.add_argument("--jobs", type=int, default=6)
parser.add_argument("--tune-budget", default="10s")
parser.add_argument("--compare-budget", type=float, default=20)
parser.add_argument("--opset", nargs="+", default=[])
parser.add_argument("--mode", nargs="+", default=[])
parser.add_argument("--work", type=common.pathlib.Path,
                    default=common.pathlib.Path("/tmp/minic-acceptance"))
arguments = parser.parse_args()
script = arguments.root / "test/models/acceptance.py"
# As a user of these models meets them; what is slow to export comes first.
CASES = ("unet", "swin", "bert", "gpt2", "whisper", "vit", "clip_vision",
         "distilbert", "t5", "qwen3", "llama", "llama_decode_256",
         "llama_decode_64", "efficientnet_b0", "mobilenet_v3", "convnext",
         "resnet50", "lstm")
begin = time.monotonic()
environment = os.environ | {
    "OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // arguments.jobs))}


def options():
    return [f"--size={arguments.size}", f"--target={arguments.target}",
            f"--tune-budget={arguments.tune_budget}",
            f"--compare-budget={arguments.compare_budget}",
            *(f"--opset={opset}" for opset in arguments.opset),
            *(f"--mode={mode}" for mode in arguments.mode)]


def left():
    return arguments.limit_s - (time.monotonic() - begin)


def check(case):
    """(exit status, lines); no status where time was up."""
    if left() <= 0:
        return None, []
    lines, cut = [], threading.Event()
    with subprocess.Popen(
            [sys.executable, script, arguments.work, case, *options()],
            text=True, env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True) as process:

        def end():
            cut.set()
            os.killpg(process.pid, signal.SIGKILL)  # with minic and its workers
        timer = threading.Timer(left(), end)
        timer.start()
        for line in process.stdout:
            lines.append(line.rstrip())
            if not is_header(line):
                print(f"{time.monotonic() - begin:6.1f} s  {lines[-1][:400]}",
                      flush=True)
        timer.cancel()
    if cut.is_set():
        return None, lines
    results = arguments.work / f"{case}.{arguments.size}.json"
    if results.exists():
        common.write_json(arguments.out / results.name,
                          json.loads(results.read_text()))
    return process.returncode, lines


def is_header(line):
    return line.startswith(("| case |", "|---"))


arguments.work.mkdir(parents=True, exist_ok=True)
cases = arguments.only or CASES
with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
    outcomes = dict(zip(cases, pool.map(check, cases)))
print("=====")
wrong = [case for case, (status, _) in outcomes.items() if status]
missing = [case for case, (status, _) in outcomes.items() if status is None]
printed = [line for _, lines in outcomes.values() for line in lines
           if line.startswith("|")]
table = [*dict.fromkeys(filter(is_header, printed)),
         *(line for line in printed if not is_header(line))]
text = "".join(f"{line}\n" for line in table)
(arguments.out / "acceptance.txt").write_text(text)
print(text, end="")
for case in wrong:
    print(f"refused or wrong: {case}: {(outcomes[case][1] or ['?'])[-1][:300]}")
for case in missing:
    print(f"not done in {arguments.limit_s:.0f} s: {case}")
print(f"===== {len(cases)} cases: {len(wrong)} refused or wrong, "
      f"{len(missing)} not done, {time.monotonic() - begin:.0f} s")
sys.exit(1 if wrong or missing else 0)
