"""Stands in for PyTorch: tensors with a type, a shape and a storage, and no values."""


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
