"""Stands in for PyTorch: tensors with a type, a shape and a storage, and no values."""

import json


class Tensor:
    def __init__(self, dtype, shape, storage):
        self.dtype = dtype
        self.shape = tuple(shape)
        self.storage = storage

    def numel(self):
        count = 1
        for size in self.shape:
            count *= size
        return count


class dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name


class Model:
    """A module whose state is what a file lists."""

    def __init__(self, listed):
        self.listed = listed

    def state_dict(self):
        with open(self.listed, encoding="utf-8") as file:
            return {
                name: Tensor(dtype(t["dtype"]), t["shape"], t["storage"]) for name, t in json.load(file).items()
            }


def one_name_each(tensors):
    """Of several names of one storage the least; none of what holds nothing. Both engines' loaders do that."""
    names = {}
    for name, tensor in tensors.items():
        if tensor.numel():
            names[tensor.storage] = min(name, names.get(tensor.storage, name))
    return {name: tensors[name] for name in names.values()}
