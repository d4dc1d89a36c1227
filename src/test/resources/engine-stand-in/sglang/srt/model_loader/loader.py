"""Stands in for SGLang's loaders: hold names in files to those of a fresh model, in the engine's words."""

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


def _initialize_model(config):
    """A fresh model, whose state has all of its names, from a file that lists them."""
    return torch.Model(config.model)


class ShardedStateLoader:
    DEFAULT_PATTERN = "model-rank-{rank}-part-{part}.safetensors"

    def __init__(self, pattern=None):
        self.pattern = pattern or self.DEFAULT_PATTERN

    @staticmethod
    def _filter_subtensors(tensors):
        return torch.one_name_each(tensors)

    def load_model(self, *, model_config, device_config):
        model = _initialize_model(model_config)
        pattern = self.pattern.format(rank=os.environ["STAND_IN_TP_RANK"], part="*")
        paths = glob.glob(os.path.join(model_config.model_path, pattern))
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
        return model


class PreshardedModelLoader:
    def load_model(self, *, model_config, device_config):
        return self._load_from_presharded(model_config, device_config, model_config.model_path)

    def _load_from_presharded(self, model_config, device_config, presharded_dir):
        model = _initialize_model(model_config)
        with open(os.path.join(presharded_dir, "checksum.json"), encoding="utf-8") as file:
            json.load(file)
        return model


# A build that has renamed it.
if "STAND_IN_GONE" in os.environ:
    delattr(ShardedStateLoader, os.environ["STAND_IN_GONE"])
