# SPDX-License-Identifier: Apache-2.0
"""Generates text with gpt2_cached or llama_cached of examples/models: always the
likeliest token.

Prints the tokens' ids, and how many a second. Usage:
generate.py model.minic COUNT ID...   COUNT more after the prompt's IDs

generate.cpp in Python. Keys and values of earlier tokens stay in arrays of this
program: both functions get one array as a cache and as its update, and write
only what is new. The artifact is one for a CPU.
"""

import sys
import time

import minic


class Step:
    """One function with its tensors: caches that it shares, the rest its own."""

    def __init__(self, program, caches):
        updated = {spec.in_place_of for spec in program.outputs}
        self.program = program
        self.inputs = []
        for i, spec in enumerate(program.inputs):
            if i in updated and spec.name in caches:
                self.inputs.append(caches[spec.name])
                continue
            self.inputs.append(spec.empty())
            if i in updated:
                caches[spec.name] = self.inputs[i]
        self.outputs = tuple(
            spec.empty() if spec.in_place_of is None
            else self.inputs[spec.in_place_of] for spec in program.outputs)

    def run(self, ids, position):
        """The likeliest token after `ids`, whose last one is at `position`."""
        self.inputs[0].flat = ids
        self.inputs[1].flat = position
        logits = self.program(*self.inputs, out=self.outputs)[0]
        return int(logits.argmax())


def misfit(prefill, decode):
    """Why these are no functions that this program knows; None if they are."""
    ids, caches = prefill.inputs[0], decode.inputs[2:]
    if (len(prefill.inputs) != len(decode.inputs) or not caches
            or ids.dtype != "int64" or len(ids.shape) != 2 or ids.shape[0] != 1
            or len(caches[0].shape) != 4
            or [spec.in_place_of for spec in decode.outputs[:2]] != [None, 2]):
        return "expected the functions of gpt2_cached, with a batch of 1"
    if decode.outputs[0].dtype != "float32":
        return "expected a model of f32"
    return None if decode.device == "cpu" else "expected a model for a CPU"


def generate(path, count, tokens):
    """Appends `count` tokens to `tokens`; the prompt's and the others' seconds."""
    prefill = minic.load(path, function="prefill")
    decode = prefill.load_function("decode")  # shares file and weights
    if why := misfit(prefill, decode):
        raise ValueError(why)
    longest = prefill.inputs[0].shape[1]
    positions = decode.inputs[2].shape[2]
    if len(tokens) > longest or count > positions + 1 - len(tokens):
        raise ValueError(f"expected a prompt of at most {longest} tokens and "
                         f"{positions + 1} in all")

    caches = {}
    first, following = Step(prefill, caches), Step(decode, caches)
    # The whole prompt at once; what pads it is never looked at.
    padded = tokens + [0] * (longest - len(tokens))
    start = time.perf_counter()
    token = first.run(padded, len(tokens) - 1)
    prompt_seconds = time.perf_counter() - start
    start = time.perf_counter()
    for i in range(count):
        tokens.append(token)
        if i + 1 < count:
            token = following.run(token, len(tokens) - 1)
    return prompt_seconds, time.perf_counter() - start


def main():
    numbers = sys.argv[2:]
    if len(numbers) < 2 or not all(number.isdecimal() for number in numbers):
        print("usage: generate.py model.minic COUNT ID...", file=sys.stderr)
        return 2
    count, *tokens = map(int, numbers)
    try:
        prompt_seconds, seconds = generate(sys.argv[1], count, tokens)
    except (minic.Error, ValueError) as error:
        print(f"generate: {error}", file=sys.stderr)
        return 1
    print(*tokens)
    rate = (count - 1) / seconds if count > 1 else 0
    print(f"prompt: {prompt_seconds * 1e3:.1f} ms; then {rate:.1f} tokens a "
          "second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
