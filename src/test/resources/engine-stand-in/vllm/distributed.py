"""Stands in for vLLM's parallel state; the ranks come from the environment."""

import os


def get_tensor_model_parallel_rank():
    return int(os.environ["STAND_IN_TP_RANK"])


class _Group:
    rank_in_group = int(os.environ.get("STAND_IN_PP_RANK", "0"))


def get_pp_group():
    return _Group()
