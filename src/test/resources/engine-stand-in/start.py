"""Starts one rank of a stand-in engine: start.py ENGINE CHECKPOINT MODEL [PATTERN]

ENGINE is `sglang`, `presharded` (SGLang with that format), or `vllm`.
"""

import logging
import sys

logging.basicConfig(level=logging.INFO)
engine, arguments, pattern = sys.argv[1], sys.argv[2:4], sys.argv[4:]

if engine == "vllm":
    from vllm.plugins import load_general_plugins

    load_general_plugins()

    from vllm.model_executor.model_loader.sharded_state_loader import ModelConfig, ShardedStateLoader

    ShardedStateLoader(*pattern).load_model(ModelConfig(*arguments))
else:
    from sglang.srt.plugins import load_plugins

    load_plugins()

    from sglang.srt.model_loader.loader import ModelConfig, PreshardedModelLoader, ShardedStateLoader

    loader = PreshardedModelLoader() if engine == "presharded" else ShardedStateLoader(*pattern)
    loader.load_model(model_config=ModelConfig(*arguments), device_config=None)
print("loaded")
