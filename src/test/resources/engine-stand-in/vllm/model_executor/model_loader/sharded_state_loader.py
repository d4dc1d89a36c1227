"""Stands in for vLLM's loader: the model is made by its base class, and handed to `load_weights`."""

import glob
import json
import os
import struct

import torch
from vllm.distributed import get_tensor_model_parallel_rank


class ModelConfig:
    def __init__(self, model, listed):
        self.model = model
        self.listed = listed


class ShardedStateLoader:
    DEFAULT_PATTERN = "model-rank-{rank}-part-{part}.safetensors"

    def __init__(self, pattern=None):
        self.pattern = pattern or self.DEFAULT_PATTERN

    @staticmethod
    def _filter_subtensors(tensors):
        return torch.one_name_each(tensors)

    def load_model(self, model_config):
        model = torch.Model(model_config.listed)
        self.load_weights(model, model_config)
        return model

    def load_weights(self, model, model_config):
        pattern = self.pattern.format(rank=get_tensor_model_parallel_rank(), part="*")
        paths = glob.glob(os.path.join(model_config.model, pattern))
        if not paths:
            raise ValueError(
                f"Could not find checkpoint files '{pattern}', only pre-sharded checkpoints are currently supported!"
            )
        state = self._filter_subtensors(model.state_dict())
        for path in paths:
            with open(path, "rb") as file:
                (length,) = struct.unpack("<Q", file.read(8))
                names = json.loads(file.read(length))
            for name in names:
                if name != "__metadata__":
                    state.pop(name)
        if state:
            raise ValueError(f"Missing keys {tuple(state)} in loaded state!")
