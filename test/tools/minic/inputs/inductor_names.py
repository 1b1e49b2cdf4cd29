# SPDX-License-Identifier: Apache-2.0
"""Whether docs/debugging.md has minic's table of TorchInductor's names."""

import pathlib
import re
import subprocess
import sys

# Every switch of torch._inductor.config.trace.
TRACE = """compile_profile debug_dir debug_log dot_graph_shape draw_orig_fx_graph
enabled fx_graph fx_graph_transformed graph_diagram info_log ir_post_fusion
ir_pre_fusion log_autotuning_results log_url_for_graph_xform output_code
save_real_tensors upload_tar""".split()

root = pathlib.Path(sys.argv[1])
table = (root / "compiler/options/InductorNames.cpp").read_text()
docs = (root / "docs/debugging.md").read_text()
help_text = subprocess.run(["minic", "--help"], capture_output=True,
                           text=True).stdout
rows = re.findall(r'\{"([a-z_.]+)",\s*"([^"]*)",\s*"([^"]*)"', table)
lacking = {"trace." + name for name in TRACE} - {row[0] for row in rows}
assert not lacking, f"the table lacks {lacking}"
for name, option, note in rows:
    assert option or note, f"{name} has neither an option nor a reason"
    said = subprocess.run(["minic", "--inductor-option", name],
                          capture_output=True, text=True).stdout
    assert option in said, (name, said)
    assert f"`{name}`" in docs, f"{name} is not in docs/debugging.md"
    flag = option.split("=")[0]
    assert flag in help_text, f"{flag} is no option of minic"
print(len(rows), "names, all in docs/debugging.md, all of minic's options exist")
