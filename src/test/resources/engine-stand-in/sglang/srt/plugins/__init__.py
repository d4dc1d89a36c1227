"""Stands in for SGLang's plugin loading: entry points of one group are called, then hooks are applied."""

import os
from importlib.metadata import entry_points

from sglang.srt.plugins.hook_registry import HookRegistry


def load_plugins():
    chosen = os.environ.get("SGLANG_PLUGINS")
    for point in entry_points(group="sglang.srt.plugins"):
        if not chosen or point.name in chosen.split(","):
            point.load()()
    HookRegistry.apply_hooks()
