"""Kernels of Numba: prints a digest of each result."""
import hashlib

import numpy as np
from numba import cuda, float32


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def block_sums(x, sums):
    part = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@cuda.jit
def count(x, bins):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, x[i] % 16, 1)


def show(name, array):
    print(f"{name:24} {array.shape!s:18} {hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]}")


random = np.random.default_rng(7)
x, y = random.standard_normal(10007).astype(np.float32), random.standard_normal(10007).astype(np.float32)
d = cuda.to_device(y)
saxpy[40, 256](np.float32(2), cuda.to_device(x), d)
show("saxpy", d.copy_to_host())
sums = cuda.device_array(40, np.float32)
block_sums[40, 256](cuda.to_device(x), sums)
show("block sums", sums.copy_to_host())
bins = cuda.to_device(np.zeros(16, np.int32))
count[40, 256](cuda.to_device(random.integers(0, 1000, 10007).astype(np.int32)), bins)
show("counts", bins.copy_to_host())
