"""Stands in for SGLang's loader: holds names in files to those of a fresh model, in the engine's words."""

import glob
import json
import os
import struct

import torch


class ModelConfig:
    def __init__(self, model_path, model, is_draft_model=False):
        self.model_path = model_path
        self.model = model
        self.is_draft_model = is_draft_model


def fresh_model(config):
    """The state of a fresh model, under all of its names, from a file that lists them."""
    with open(config.model, encoding="utf-8") as file:
        return {
            name: torch.Tensor(torch.dtype(t["dtype"]), t["shape"], t["storage"])
            for name, t in json.load(file).items()
        }


class ShardedStateLoader:
    DEFAULT_PATTERN = "model-rank-{rank}-part-{part}.safetensors"

    def __init__(self, pattern=None):
        self.pattern = pattern or self.DEFAULT_PATTERN

    @staticmethod
    def _filter_subtensors(tensors):
        names = {}
        for name, tensor in tensors.items():
            if tensor.numel():
                names[tensor.storage] = min(name, names.get(tensor.storage, name))
        return {name: tensors[name] for name in names.values()}

    def load_model(self, *, model_config, device_config):
        from sglang.srt.distributed import get_tensor_model_parallel_rank

        model = fresh_model(model_config)
        pattern = self.pattern.format(rank=get_tensor_model_parallel_rank(), part="*")
        state = self._filter_subtensors(model)
        for path in glob.glob(os.path.join(model_config.model_path, pattern)):
            with open(path, "rb") as file:
                (length,) = struct.unpack("<Q", file.read(8))
                names = json.loads(file.read(length))
            for name in names:
                if name != "__metadata__":
                    state.pop(name)
        if state:
            raise ValueError(f"Missing keys {tuple(state)} in loaded state!")
        return model
