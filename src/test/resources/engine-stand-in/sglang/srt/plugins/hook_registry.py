"""Stands in for SGLang's hooks, as far as functions are wrapped."""

import enum
import functools
import importlib


class HookType(enum.Enum):
    AROUND = "around"


class HookRegistry:
    _hooks = []

    @classmethod
    def register(cls, target, hook, kind):
        assert kind is HookType.AROUND
        cls._hooks.append((target, hook))

    @classmethod
    def apply_hooks(cls):
        for target, hook in cls._hooks:
            module, owner, name = target.rsplit(".", 2)
            holder = getattr(importlib.import_module(module), owner)
            setattr(holder, name, _around(getattr(holder, name), hook))


def _around(original, hook):
    @functools.wraps(original)
    def wrapper(*args, **kwargs):
        return hook(original, *args, **kwargs)

    return wrapper
