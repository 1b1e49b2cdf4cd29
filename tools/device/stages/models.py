# SPDX-License-Identifier: Apache-2.0
"""Transformers of examples/models on the GPU. Tiny ones are compared with the
reference and with outputs of PyTorch in double precision, also decoding beside
prefill; full ones are measured beside PyTorch by the stage peers."""

import re
import sys
import tempfile

import common

parser = common.parser(__doc__)
parser.add_argument("--workload", nargs="*", default=["all"],
                    help="full models; none: only tiny ones")
parser.add_argument("--tiny", nargs="*", default=["all"])
parser.add_argument("--option", action="append", default=[],
                    help="of minic, for tiny models")
parser.add_argument("--limit-s", type=float, default=65)
parser.add_argument("--total-s", type=float, default=480,
                    help="of full models; those that no longer fit are not run")
parser.add_argument("--peers", nargs="*", default=[
    "minic", "torch eager", "torch.compile max-autotune", "captured"])
arguments, rest = parser.parse_known_args()
root = arguments.root
sys.path.insert(0, str(root / "test/bench/peers"))
import model_workloads  # noqa: E402

TINY_S = 60  # for one of them
failed = []


def check(script, model):
    """One of test/models on this GPU."""
    with tempfile.TemporaryDirectory() as scratch:
        status, text = common.run(
            sys.executable, root / "test/models" / script,
            *(["--run"] if script == "against_torch.py" else []), model,
            scratch, "--", "--target=cuda", f"--tune-db={scratch}/t.db", *arguments.option,
            timeout=TINY_S)
    ran = [line for line in text.splitlines()
           if re.search("what ran agrees|steps agree|with a prefill", line)]
    if status != 0:
        failed.append(f"{script} {model}")
        ran = [f"{script} {model}: FAILED: {common.last_line(text)}"]
    print("\n".join(ran), flush=True)


families = model_workloads.models.MODELS
for model in (families if arguments.tiny == ["all"] else arguments.tiny):
    check("against_torch.py", model)
    if model in ("llama", "qwen3"):
        check("decode_steps.py", model)
    elif model.endswith("_cached"):
        check("decode_after_prefill.py", model)
print(f"===== tiny models: {len(failed)} failed")
names = (list(model_workloads.MODELS) if arguments.workload == ["all"]
         else arguments.workload)
status = 0
if names:
    status, text = common.run(
        sys.executable, root / "tools/device/stages/peers.py", "--root", root,
        "--out", arguments.out, "--workload", *names,
        f"--limit-s={arguments.limit_s}", f"--total-s={arguments.total_s}",
        "--peers", *arguments.peers, *rest)
    print(text)
sys.exit(1 if failed or status else 0)
