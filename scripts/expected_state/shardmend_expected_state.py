"""SGLang and vLLM plugin: writes what each rank's loader expects, as `shardmend verify --expected-state` reads it.

    PYTHONPATH=.../scripts/expected_state SHARDMEND_EXPECTED_STATE=/shared/expected  <the usual launch>

The engine finds the plugin by its entry point (the .dist-info directory beside this file) in every process that it
spawns. When a rank loads a `sharded_state` or `presharded` checkpoint, it leaves `expected-pp{P}-tp{T}.json` in the
directory, also when the load then fails, and also when no file of the checkpoint is this rank's. Nothing else of the
engine is changed, nothing but Python's own library is needed, and no trouble of the plugin's own stops a launch.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import tempfile

DIRECTORY_VARIABLE = "SHARDMEND_EXPECTED_STATE"

SGLANG_LOADER = "sglang.srt.model_loader.loader"
VLLM_LOADER = "vllm.model_executor.model_loader.sharded_state_loader"

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


def install_sglang() -> None:
    """SGLang's entry point (group `sglang.srt.plugins`); does nothing unless a directory is named."""
    if not os.environ.get(DIRECTORY_VARIABLE):
        return
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

    loader = importlib.import_module(SGLANG_LOADER)
    if present(loader, "_initialize_model", "ShardedStateLoader.load_model", "ShardedStateLoader._filter_subtensors"):
        HookRegistry.register(f"{SGLANG_LOADER}.ShardedStateLoader.load_model", around_sharded_state, HookType.AROUND)
    # Builds before the presharded format have no such loader, and lack nothing.
    if hasattr(loader, "PreshardedModelLoader") and present(
        loader, "_initialize_model", "PreshardedModelLoader._load_from_presharded"
    ):
        HookRegistry.register(
            f"{SGLANG_LOADER}.PreshardedModelLoader._load_from_presharded", around_presharded, HookType.AROUND
        )


def install_vllm() -> None:
    """vLLM's entry point (group `vllm.general_plugins`); called more than once in some processes."""
    if not os.environ.get(DIRECTORY_VARIABLE):
        return
    loader = importlib.import_module(VLLM_LOADER)
    if not present(loader, "ShardedStateLoader.load_weights", "ShardedStateLoader._filter_subtensors"):
        return
    original = loader.ShardedStateLoader.load_weights
    if getattr(original, "_shardmend", False):
        return

    def load_weights(self, model, *args, **kwargs):
        note(lambda: self._filter_subtensors(model.state_dict()), vllm_ranks)
        return original(self, model, *args, **kwargs)

    load_weights._shardmend = True
    loader.ShardedStateLoader.load_weights = load_weights


def present(module, *names: str) -> bool:
    """Whether a build has what the plugin relies on; says what is gone."""
    gone = []
    for name in names:
        holder = module
        for part in name.split("."):
            holder = getattr(holder, part, None)
        if holder is None:
            gone.append(name)
    if gone:
        logger.error(
            "The expected state will not be written: this build's %s has no %s. shardmend's plugin was written for"
            " builds that have it.",
            module.__name__,
            ", ".join(gone),
        )
    return not gone


def around_sharded_state(original, loader, *args, **kwargs):
    """Loads as ever; on the way, notes the names that the loader has come to expect.

    The fresh model exists only inside of `load_model`, which de-duplicates its state with `_filter_subtensors`, as the
    saver does. That call is the moment: its result is what is expected. A rank that finds no file of its own stops
    before it, and its model is noted then.
    """
    if is_draft(args, kwargs):
        return original(loader, *args, **kwargs)  # draft models are not saved along
    deduplicate = loader._filter_subtensors
    noted = []

    def noting(tensors):
        expected = deduplicate(tensors)
        noted.append(True)
        note(lambda: expected, sglang_ranks)
        return expected

    loader._filter_subtensors = noting
    with fresh_models() as models:
        try:
            return original(loader, *args, **kwargs)
        finally:
            del loader._filter_subtensors
            if models and not noted:
                note(lambda: deduplicate(models[-1].state_dict()), sglang_ranks)


def around_presharded(original, loader, *args, **kwargs):
    """As for `sharded_state`; this loader holds names to the whole state, under each name of a tensor."""
    if is_draft(args, kwargs):
        return original(loader, *args, **kwargs)
    with fresh_models() as models:
        try:
            return original(loader, *args, **kwargs)
        finally:
            if models:
                note(models[-1].state_dict, sglang_ranks)


def is_draft(args, kwargs) -> bool:
    config = kwargs.get("model_config", args[0] if args else None)
    return bool(getattr(config, "is_draft_model", False))


@contextlib.contextmanager
def fresh_models():
    """The models that SGLang's loader makes meanwhile."""
    module = importlib.import_module(SGLANG_LOADER)
    initialize = module._initialize_model
    models = []

    def remembering(*args, **kwargs):
        model = initialize(*args, **kwargs)
        models.append(model)
        return model

    module._initialize_model = remembering
    try:
        yield models
    finally:
        module._initialize_model = initialize


def note(expected, ranks) -> None:
    """Writes the document of this process's rank. Whatever goes wrong is a warning: the launch is the user's."""
    try:
        pp_rank, tp_rank = ranks()
        write(os.environ[DIRECTORY_VARIABLE], pp_rank, tp_rank, expected())
    except Exception as problem:
        logger.warning("The expected state was not written: %s: %s", type(problem).__name__, problem)


def write(directory: str, pp_rank: int, tp_rank: int, expected) -> str:
    """Writes the document of one rank, and moves it to its name when it is whole."""
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


def sglang_ranks() -> tuple[int, int]:
    """Pipeline stage and tensor-parallel rank, from the runtime context, or from the getters of earlier builds."""
    try:
        from sglang.srt.runtime_context import get_parallel

        parallel = get_parallel()
        return int(parallel.pp_rank), int(parallel.tp_rank)
    except (ImportError, AttributeError, RuntimeError, ValueError):
        from sglang.srt import distributed

        return group_rank(distributed), distributed.get_tensor_model_parallel_rank()


def vllm_ranks() -> tuple[int, int]:
    """Pipeline stage and tensor-parallel rank."""
    from vllm import distributed

    return group_rank(distributed), distributed.get_tensor_model_parallel_rank()


def group_rank(distributed) -> int:
    group = getattr(distributed, "get_pp_group", None)
    return group().rank_in_group if group else 0
