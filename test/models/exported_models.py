# SPDX-License-Identifier: Apache-2.0
"""Models of transformers, torchvision and diffusers, built from configurations
with random weights: what PyTorch's exporters are tried on.

`CASES[name].build(size)` returns (module, {input: tensor}); the module takes the
tensors in this order and returns a tuple of tensors. Size is "small", seconds on
any machine, or "full". Weights and inputs follow from a fixed seed. diffusers is
needed by the UNet alone.
"""

import dataclasses
import typing

import torch


@dataclasses.dataclass
class Case:
    number: int  # of the acceptance table
    make: typing.Callable
    #: {input: {axis: name}} of the form that the TorchScript exporter writes.
    dynamic_axes: dict = None
    is_convolutional: bool = False

    def build(self, size):
        torch.manual_seed(0)
        module, inputs = self.make(size == "full")
        randomize(module)
        return module.eval(), inputs


def randomize(module):
    """No parameter and no statistic keeps one value: exporters merge tensors
    that are equal, and a lost bias would show nowhere."""
    random = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, tensor in (*module.named_parameters(),
                             *module.named_buffers()):
            if tensor.is_floating_point() and tensor.numel() > 1 \
                    and bool((tensor == tensor.flatten()[0]).all()):
                noise = torch.rand(tensor.shape, generator=random)
                # A variance stays well above 0.
                tensor.add_((0.8 if name.endswith("running_var") else 0.2)
                            * (noise - 0.5))


class Outputs(torch.nn.Module):
    """The first `count` outputs of a model that takes keywords."""

    def __init__(self, model, names, count=1, **options):
        super().__init__()
        self.model, self.names = model, names
        self.count, self.options = count, options

    def forward(self, *inputs):
        named = dict(zip(self.names, inputs))
        return tuple(self.model(**named, **self.options,
                                return_dict=False)[:self.count])


def token_ids(vocabulary, batch, length):
    return torch.randint(0, vocabulary, (batch, length))


def masked_text(model, vocabulary, batch, length, count=1):
    """Also a mask with padding at the end of the last text."""
    mask = torch.ones(batch, length, dtype=torch.long)
    mask[-1, length - length // 4:] = 0
    inputs = {"input_ids": token_ids(vocabulary, batch, length),
              "attention_mask": mask}
    return Outputs(model, list(inputs), count), inputs


def text(model, vocabulary, batch, length):
    inputs = {"input_ids": token_ids(vocabulary, batch, length)}
    return Outputs(model, list(inputs), use_cache=False), inputs


def image(model, batch, side):
    return model, {"image": torch.randn(batch, 3, side, side)}


def bert(full):
    from transformers import BertConfig, BertModel
    config = BertConfig() if full else BertConfig(
        num_hidden_layers=2, hidden_size=64, num_attention_heads=4,
        intermediate_size=128, vocab_size=100, max_position_embeddings=64)
    return masked_text(BertModel(config), config.vocab_size, 1 if full else 2,
                       128 if full else 16, count=2)


def distilbert(full):
    from transformers import DistilBertConfig, DistilBertModel
    config = DistilBertConfig() if full else DistilBertConfig(
        n_layers=2, dim=64, n_heads=4, hidden_dim=128, vocab_size=100,
        max_position_embeddings=64)
    return masked_text(DistilBertModel(config), config.vocab_size,
                       1 if full else 2, 128 if full else 16)


def gpt2(full):
    from transformers import GPT2Config, GPT2LMHeadModel
    config = GPT2Config() if full else GPT2Config(
        n_layer=2, n_embd=64, n_head=4, vocab_size=101, n_positions=64)
    return text(GPT2LMHeadModel(config), config.vocab_size, 1 if full else 2,
                128 if full else 16)


def grouped_heads(full):
    """Sizes of a decoder of two layers."""
    return dict(hidden_size=512 if full else 64,
                intermediate_size=1024 if full else 96,
                num_attention_heads=8 if full else 4, num_key_value_heads=2,
                head_dim=64 if full else 16, num_hidden_layers=2,
                vocab_size=1000 if full else 100,
                max_position_embeddings=512)


def llama_model(full):
    from transformers import LlamaConfig, LlamaModel
    return LlamaModel(LlamaConfig(**grouped_heads(full)))


def llama(full):
    model = llama_model(full)
    return text(model, model.config.vocab_size, 1 if full else 2,
                128 if full else 16)


def qwen3(full):
    from transformers import Qwen3Config, Qwen3Model
    config = Qwen3Config(**grouped_heads(full))
    return text(Qwen3Model(config), config.vocab_size, 1 if full else 2,
                128 if full else 16)


class DecodeStep(torch.nn.Module):
    """One token after a cache, which comes in and goes out, one longer."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, position_ids, *cache):
        from transformers import DynamicCache
        past = DynamicCache()
        for layer in range(len(cache) // 2):
            past.update(cache[2 * layer], cache[2 * layer + 1], layer)
        hidden = self.model(input_ids=input_ids, position_ids=position_ids,
                            past_key_values=past, use_cache=True)
        return (hidden.last_hidden_state,
                *(tensor for layer in past.layers
                  for tensor in (layer.keys, layer.values)))


def llama_decode(length):
    def make(full):
        model = llama_model(full)
        heads = model.config.num_key_value_heads
        keys = length if full else length // 16
        inputs = {"input_ids": token_ids(model.config.vocab_size, 1, 1),
                  "position_ids": torch.tensor([[keys]])}
        for layer in range(model.config.num_hidden_layers):
            for kind in ("keys", "values"):
                inputs[f"{kind}_{layer}"] = torch.randn(
                    1, heads, keys, model.config.head_dim)
        return DecodeStep(model), inputs
    return make


def t5(full):
    from transformers import T5Config, T5EncoderModel
    config = T5Config() if full else T5Config(
        num_layers=2, d_model=64, d_kv=16, num_heads=4, d_ff=128,
        vocab_size=100)
    return masked_text(T5EncoderModel(config), config.vocab_size,
                       1 if full else 2, 128 if full else 16)


def vit(full):
    from torchvision.models import VisionTransformer, vit_b_16
    if full:
        return image(vit_b_16(weights=None), 1, 224)
    return image(VisionTransformer(
        image_size=32, patch_size=8, num_layers=2, num_heads=4, hidden_dim=64,
        mlp_dim=128, num_classes=10), 2, 32)


def clip_vision(full):
    from transformers import CLIPVisionConfig, CLIPVisionModel
    config = CLIPVisionConfig() if full else CLIPVisionConfig(
        hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=4, image_size=32, patch_size=8)
    inputs = {"pixel_values": torch.randn(1 if full else 2, 3,
                                          config.image_size,
                                          config.image_size)}
    return Outputs(CLIPVisionModel(config), list(inputs), 2), inputs


def resnet(full):
    from torchvision.models.resnet import Bottleneck, ResNet, resnet50
    if full:
        return image(resnet50(weights=None), 1, 224)
    return image(ResNet(Bottleneck, [1, 1, 1, 1], num_classes=10), 2, 64)


def torchvision_model(name):
    def make(full):
        import torchvision
        model = getattr(torchvision.models, name)(weights=None)
        return image(model, 1, 224 if full else 64)
    return make


def convnext(full):
    from torchvision.models.convnext import (CNBlockConfig, ConvNeXt,
                                             convnext_tiny)
    if full:
        return image(convnext_tiny(weights=None), 1, 224)
    return image(ConvNeXt([CNBlockConfig(24, 48, 1), CNBlockConfig(48, 96, 1),
                           CNBlockConfig(96, None, 2)], num_classes=10), 2, 64)


def swin(full):
    from torchvision.models.swin_transformer import SwinTransformer, swin_t
    if full:
        return image(swin_t(weights=None), 1, 224)
    return image(SwinTransformer(
        patch_size=[4, 4], embed_dim=24, depths=[2, 2], num_heads=[3, 6],
        window_size=[7, 7], num_classes=10), 2, 56)


def whisper(full):
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    config = WhisperConfig() if full else WhisperConfig(
        d_model=64, encoder_layers=2, encoder_attention_heads=4,
        encoder_ffn_dim=128, max_source_positions=50, num_mel_bins=20)
    inputs = {"input_features": torch.randn(
        1, config.num_mel_bins, 2 * config.max_source_positions)}
    return Outputs(WhisperEncoder(config), list(inputs)), inputs


def unet(full):
    from diffusers import UNet2DConditionModel
    # Two levels, with cross attention at the wider one.
    model = UNet2DConditionModel(
        sample_size=32 if full else 8, block_out_channels=(64, 128),
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        layers_per_block=1 if full else 1, cross_attention_dim=256,
        attention_head_dim=8)
    side = 32 if full else 8
    inputs = {"sample": torch.randn(1, 4, side, side),
              "timestep": torch.tensor([3.0]),
              "encoder_hidden_states": torch.randn(1, 77 if full else 5, 256)}
    return Outputs(model, list(inputs)), inputs


class Recurrent(torch.nn.Module):
    """A classifier over the last step of two LSTM layers."""

    def __init__(self, full):
        super().__init__()
        width = 128 if full else 24
        self.table = torch.nn.Embedding(100, width // 2)
        self.lstm = torch.nn.LSTM(width // 2, width, 2, batch_first=True)
        self.head = torch.nn.Linear(width, 10)

    def forward(self, input_ids):
        return (self.head(self.lstm(self.table(input_ids))[0][:, -1]),)


def lstm(full):
    return Recurrent(full), {"input_ids": token_ids(100, 1, 16)}


CASES = {
    "resnet50": Case(1, resnet, is_convolutional=True),
    "mobilenet_v3": Case(2, torchvision_model("mobilenet_v3_large"),
                         is_convolutional=True),
    "efficientnet_b0": Case(3, torchvision_model("efficientnet_b0"),
                            is_convolutional=True),
    "convnext": Case(4, convnext, is_convolutional=True),
    "vit": Case(5, vit),
    "swin": Case(6, swin, is_convolutional=True,
                 dynamic_axes={"image": {0: "batch", 2: "height",
                                         3: "width"}}),
    "bert": Case(7, bert),
    "distilbert": Case(8, distilbert),
    "gpt2": Case(9, gpt2),
    "llama": Case(10, llama),
    "llama_decode_64": Case(11, llama_decode(64)),
    "llama_decode_256": Case(11, llama_decode(256)),
    "qwen3": Case(12, qwen3),
    "t5": Case(13, t5),
    "whisper": Case(14, whisper, is_convolutional=True),
    "clip_vision": Case(15, clip_vision),
    "unet": Case(16, unet, is_convolutional=True),
    "lstm": Case(17, lstm),
}
