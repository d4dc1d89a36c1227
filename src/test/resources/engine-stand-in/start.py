"""Starts one rank of the stand-in engine: start.py CHECKPOINT MODEL [PATTERN]"""

import logging
import sys

logging.basicConfig(level=logging.INFO)

from sglang.srt.plugins import load_plugins

load_plugins()

from sglang.srt.model_loader.loader import ModelConfig, ShardedStateLoader

loader = ShardedStateLoader(*sys.argv[3:])
loader.load_model(model_config=ModelConfig(*sys.argv[1:3]), device_config=None)
print("loaded")
