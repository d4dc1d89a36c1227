"""Stands in for the parallel state of builds that have a runtime context; other builds have no such module."""

import os

if "STAND_IN_RUNTIME_CONTEXT" not in os.environ:
    raise ImportError("this build has no runtime context")


class _Parallel:
    tp_rank = int(os.environ["STAND_IN_TP_RANK"])
    pp_rank = int(os.environ["STAND_IN_PP_RANK"])


def get_parallel():
    return _Parallel()
