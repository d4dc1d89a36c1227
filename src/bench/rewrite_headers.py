#!/usr/bin/env python3
"""The baseline that people write by hand: one process, header by header.

Renames the lazily aliased kv_b_proj tensors of every safetensors file in a
directory: parses the header, writes a new file with the new header, and copies
the rest in chunks of 32 MiB; other files are copied. Everything is synced.
No proof, no audit, no resume, no drop: it is here to be measured against.
"""

import json
import os
import shutil
import struct
import sys

CHUNK = 32 << 20
ALIAS = ".attn_mha.kv_b_proj."
CANONICAL = ".kv_b_proj."


def rewrite(source, target):
    with open(source, "rb") as old, open(target, "wb") as new:
        (length,) = struct.unpack("<Q", old.read(8))
        header = json.loads(old.read(length))
        renamed = {name.replace(ALIAS, CANONICAL): entry for name, entry in header.items()}
        if len(renamed) != len(header):
            raise SystemExit(f"{source}: two tensors would have one name")
        text = json.dumps(renamed, separators=(",", ":"), ensure_ascii=False).encode()
        text += b" " * (-(8 + len(text)) % 8)
        new.write(struct.pack("<Q", len(text)) + text)
        while chunk := old.read(CHUNK):
            new.write(chunk)
        new.flush()
        os.fsync(new.fileno())


def main(source, target):
    os.mkdir(target)
    for name in sorted(os.listdir(source)):
        path = os.path.join(source, name)
        if name.endswith(".safetensors"):
            rewrite(path, os.path.join(target, name))
        elif os.path.isdir(path):
            shutil.copytree(path, os.path.join(target, name))
        else:
            shutil.copy2(path, os.path.join(target, name))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: rewrite_headers.py SOURCE TARGET")
    main(sys.argv[1], sys.argv[2])
