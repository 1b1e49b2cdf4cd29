# SPDX-License-Identifier: Apache-2.0
"""Whole models as workloads: those that examples/models writes, with what minic
has to reach on one H200."""

import dataclasses
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "examples/models"))
import model_files  # noqa: E402
import models  # noqa: E402

NO_SLOWER = {(group, "back_to_back"): 1.0
             for group in ("torch", "captured graph")}


@dataclasses.dataclass(frozen=True)
class ModelWorkload:
    name: str
    model: str
    #: Arguments of models.build beside the model and the dtype.
    options: dict = dataclasses.field(hash=False)
    function: str = "main"
    #: us back to back.
    wanted_us: float = None
    dtype: str = "bf16"
    patience: float = 2.0
    factors: dict = dataclasses.field(default_factory=lambda: NO_SLOWER,
                                      hash=False)
    #: Beside a kernel that reads the weights and does nothing with them.
    probe: bool = False
    has_jax = False

    def build(self):
        """A graph_text.Module, and the function that is measured."""
        module = models.build(self.model, dtype=self.dtype, **self.options)
        return module, next(f for f in module.functions
                            if f.name == self.function)

    def write(self, folder):
        """model.mlir, model.safetensors and input.safetensors."""
        module, function = self.build()
        models.write(module, folder / "model.mlir", self.name)
        model_files.write_safetensors(folder / "input.safetensors",
                                      function.inputs, 1)

    @property
    def input_names(self):
        return [i.name for i in self.build()[1].inputs]

    @property
    def outputs(self):
        """(dims, dtype) of each."""
        return [(value.dims, value.dtype)
                for _, value in self.build()[1].results]

    @property
    def in_place(self):
        """{number of an output: number of the input that it updates}"""
        function = self.build()[1]
        return {i: function.in_place[name]
                for i, (name, _) in enumerate(function.results)
                if name in function.in_place}

    def torch_module(self, tensors):
        import model_modules
        size = models.MODELS[self.model].SIZES[self.options.get("size",
                                                                "base")]
        return model_modules.build(self.model, size, self.function, tensors)


def of_images(name, model, *wanted_us):
    """At batch 1 and 32, minic has to be 1.5 and 1.15 times as fast as all
    peers, or to take `wanted_us`."""
    for i, (batch, factor) in enumerate(((1, 1.5), (32, 1.15))):
        yield ModelWorkload(
            f"{name}_b{batch}_bf16", model, {"batch": batch},
            wanted_us=wanted_us[i] if wanted_us else None,
            factors=NO_SLOWER if wanted_us else dict.fromkeys(NO_SLOWER, factor),
            patience=1.5)


MODELS = {w.name: w for w in (
    ModelWorkload("bert_base_b1_s128_bf16", "bert",
                  {"batch": 1, "sequence": 128}, wanted_us=270),
    ModelWorkload("gpt2_small_b1_s512_bf16", "gpt2",
                  {"batch": 1, "sequence": 512}, wanted_us=430),
    ModelWorkload("vit_b16_b1_bf16", "vit", {"batch": 1}, wanted_us=310),
    ModelWorkload("llama_block_decode_c1024_bf16", "llama",
                  {"batch": 1, "cache": 1024}, "decode", 117, patience=1.5),
    ModelWorkload("llama_block_prefill_s512_bf16", "llama",
                  {"batch": 1, "sequence": 512}, "prefill", 350,
                  patience=1.5),
    ModelWorkload("gpt2_small_decode_c1024_bf16", "gpt2_cached",
                  {"batch": 1, "cache": 1024}, "decode", 160, probe=True),
    ModelWorkload("llama_1b_decode_c1024_bf16", "llama_cached",
                  {"batch": 1, "cache": 1024}, "decode", 720, patience=3.0,
                  probe=True),
    ModelWorkload("bert_base_b8_s512_bf16", "bert",
                  {"batch": 8, "sequence": 512}, wanted_us=1600),
    ModelWorkload("vit_b16_b32_bf16", "vit", {"batch": 32}, wanted_us=2100),
    ModelWorkload("encoder_block_d1024_b8_t512_bf16", "encoder_block",
                  {"batch": 8, "sequence": 512}, wanted_us=178),
    ModelWorkload("t5_base_encoder_b1_s128_bf16", "t5",
                  {"batch": 1, "sequence": 128}),
    *of_images("resnet50", "resnet", 240, 1000),
    *of_images("mobilenet_v3_l", "mobilenet"),
    *of_images("efficientnet_b0", "efficientnet"),
    *of_images("convnext_t", "convnext"),
    *of_images("unet_level", "unet"),
    ModelWorkload("qwen3_block_decode_c1024_bf16", "qwen3",
                  {"batch": 1, "cache": 1024}, "decode", patience=1.5),
)}

#: Of no benchmark of peers: encoders of other models.
ENCODERS = {w.name: w for w in (
    ModelWorkload("clip_vision_b1_bf16", "clip_vision", {"batch": 1}),
    ModelWorkload("swin_t_b1_bf16", "swin", {"batch": 1}),
    ModelWorkload("whisper_b1_bf16", "whisper", {"batch": 1}),
)}

#: Of the CPU benchmark (cpu_models.py), where minic has to be no slower than
#: ONNX Runtime and OpenVINO.
CPU_MODELS = {w.name: w for w in (
    ModelWorkload("bert_base_b1_s128_f32", "bert",
                  {"batch": 1, "sequence": 128}, dtype="f32"),
    ModelWorkload("vit_b16_b1_f32", "vit", {"batch": 1}, dtype="f32"),
    ModelWorkload("gpt2_small_b1_s128_f32", "gpt2",
                  {"batch": 1, "sequence": 128}, dtype="f32"),
    *(ModelWorkload(f"{name}_b1_f32", model, {"batch": 1}, dtype="f32")
      for name, model in (("resnet50", "resnet"),
                          ("efficientnet_b0", "efficientnet"),
                          ("convnext_t", "convnext"),
                          ("mobilenet_v3_l", "mobilenet"))),
)}

#: Each by its name.
EVERY = MODELS | ENCODERS | CPU_MODELS
