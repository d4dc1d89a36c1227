"""SGLang plugin: writes what each rank's loader expects, as `shardmend verify --expected-state` reads it.

    PYTHONPATH=.../scripts/expected_state SHARDMEND_EXPECTED_STATE=/shared/expected  <the usual launch>

SGLang finds the plugin by its entry point (the .dist-info directory beside this file) in every process that it
spawns. When a rank loads a `sharded_state` checkpoint, it leaves `expected-pp{P}-tp{T}.json` in the directory, also
when the load then fails. Nothing else of the engine is changed, and nothing but Python's own library is needed.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile

DIRECTORY_VARIABLE = "SHARDMEND_EXPECTED_STATE"
LOAD_TARGET = "sglang.srt.model_loader.loader.ShardedStateLoader.load_model"

# The type tokens of safetensors, by PyTorch's names.
DTYPES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "int32": "I32",
    "uint64": "U64",
    "int64": "I64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "float8_e8m0fnu": "F8_E8M0",
}

logger = logging.getLogger(__name__)


def install() -> None:
    """The entry point; does nothing unless a directory is named."""
    if not os.environ.get(DIRECTORY_VARIABLE):
        return
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

    HookRegistry.register(LOAD_TARGET, around_load_model, HookType.AROUND)


def around_load_model(original, loader, **kwargs):
    """Loads as ever; on the way, notes the names that the loader has come to expect.

    The fresh model exists only inside of `load_model`, which de-duplicates its state with
    `_filter_subtensors`, as the saver does. That call is the moment: its result is what is expected.
    """
    if getattr(kwargs.get("model_config"), "is_draft_model", False):
        return original(loader, **kwargs)  # draft models are not saved along
    deduplicate = loader._filter_subtensors

    def noting(tensors):
        expected = deduplicate(tensors)
        try:
            write(os.environ[DIRECTORY_VARIABLE], expected)
        except OSError as problem:
            logger.warning("The expected state was not written: %s", problem)
        return expected

    loader._filter_subtensors = noting
    try:
        return original(loader, **kwargs)
    finally:
        del loader._filter_subtensors


def write(directory: str, expected) -> str:
    """Writes the document of this process's rank, and moves it to its name when it is whole."""
    pp_rank, tp_rank = ranks()
    unit = {
        "pp_rank": pp_rank,
        "tp_rank": tp_rank,
        "tensors": {name: form(tensor) for name, tensor in expected.items()},
    }
    os.makedirs(directory, exist_ok=True)
    target = os.path.join(directory, f"expected-pp{pp_rank}-tp{tp_rank}.json")
    handle, unfinished = tempfile.mkstemp(suffix=".part", dir=directory)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"format": "expected-state/1", "units": [unit]}, file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(unfinished, 0o644)
        os.replace(unfinished, target)
    except BaseException:
        os.unlink(unfinished)
        raise
    logger.info("Wrote the expected state of pp %d, tp %d to %s", pp_rank, tp_rank, target)
    return target


def form(tensor) -> dict:
    """Type and shape; a type that safetensors has no token for is left open."""
    known = {"shape": list(tensor.shape)}
    token = DTYPES.get(str(tensor.dtype).removeprefix("torch."))
    if token:
        known["dtype"] = token
    return known


def ranks() -> tuple[int, int]:
    """This process's pipeline stage and tensor-parallel rank."""
    from sglang.srt import distributed

    tp_rank = distributed.get_tensor_model_parallel_rank()
    group = getattr(distributed, "get_pp_group", None)
    return (group().rank_in_group if group else 0), tp_rank
