#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether generated tokens are those that GPT-2 without caches finds likeliest.

    check_generated.py BIN FOLDER PROMPT_LENGTH ID...

runs `gpt2` of examples/models, which has the weights of `gpt2_cached`, once over
all tokens: each after the prompt has the greatest logit of the position before.
"""

import pathlib
import subprocess
import sys

import files

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/models"))
import model_files  # noqa: E402
import models  # noqa: E402


def main():
    tools, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    prompt, tokens = int(sys.argv[3]), list(map(int, sys.argv[4:]))
    model = folder / "all_at_once.mlir"
    models.write(models.build("gpt2", "tiny", sequence=len(tokens)), model,
                 "gpt2")
    model_files.write_npy(folder / "ids.npy", model_files.Tensor(
        "input_ids", (1, len(tokens)), "i64",
        model_files.Values(tuple(tokens))), 0)
    artifact = model.with_suffix(".minic")
    subprocess.run([tools / "minic", model, "-o", artifact], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(
        [tools / "minic-run", artifact, f"--input=input_ids={folder}/ids.npy",
         f"--output=logits={folder}/logits.npy"], check=True,
        stdout=subprocess.DEVNULL)
    (_, _, vocabulary), logits = files.read_npy(folder / "logits.npy")
    for i in range(prompt, len(tokens)):
        row = logits[(i - 1) * vocabulary:i * vocabulary]
        likeliest = row.index(max(row))
        if tokens[i] != likeliest:
            sys.exit(f"check_generated: token {i}: expected {likeliest}, got "
                     f"{tokens[i]}")
    print(f"{len(tokens) - prompt} tokens are the likeliest")


if __name__ == "__main__":
    main()
