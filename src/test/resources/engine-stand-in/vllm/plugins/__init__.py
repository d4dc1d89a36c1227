"""Stands in for vLLM's plugin loading: the functions of one group are called."""

from importlib.metadata import entry_points


def load_general_plugins():
    for point in entry_points(group="vllm.general_plugins"):
        point.load()()
