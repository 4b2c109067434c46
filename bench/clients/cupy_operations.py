"""Thirty operations, kernels of its own, a graph and half precision with CuPy: prints a digest of each result."""
import hashlib

import cupy as cp


def show(name, array):
    array = cp.ascontiguousarray(array)
    print(f"{name:24} {array.shape!s:18} {hashlib.sha256(array.get().tobytes()).hexdigest()[:16]}")


random = cp.random.RandomState(7)
a = random.standard_normal((513, 257)).astype(cp.float32)
b = random.standard_normal((257, 129)).astype(cp.float32)
c = random.randint(0, 1000, 10007)
operations = {
    "add": lambda: a + 1,
    "multiply": lambda: a * a,
    "exp": lambda: cp.exp(a),
    "tanh": lambda: cp.tanh(a),
    "sum": lambda: a.sum(),
    "sum of rows": lambda: a.sum(1),
    "mean": lambda: a.mean(0),
    "variance": lambda: a.var(1),
    "max": lambda: a.max(1),
    "argmax": lambda: a.argmax(0),
    "sort": lambda: cp.sort(c),
    "argsort": lambda: cp.argsort(c),
    "cumsum": lambda: cp.cumsum(c),
    "unique": lambda: cp.unique(c),
    "bincount": lambda: cp.bincount(c),
    "matmul": lambda: a @ b,
    "einsum": lambda: cp.einsum("ij,jk->ki", a, b),
    "transpose": lambda: cp.ascontiguousarray(a.T),
    "take": lambda: cp.take(a, c[:100] % 513, axis=0),
    "where": lambda: cp.where(a > 0, a, -a),
    "concatenate": lambda: cp.concatenate([a, a * 2]),
    "clip": lambda: cp.clip(a, -1, 1),
    "histogram": lambda: cp.histogram(a, 50)[0],
    "searchsorted": lambda: cp.searchsorted(cp.arange(1000), c),
    "fft": lambda: cp.fft.rfft(a),
    "cholesky": lambda: cp.linalg.cholesky(b.T @ b + 300 * cp.eye(129, dtype=cp.float32)),
    "solve": lambda: cp.linalg.solve(b.T @ b + 300 * cp.eye(129, dtype=cp.float32), b.T),
    "random": lambda: random.random_sample(1000),
    "broadcast": lambda: a[:, None, :8] * a[None, :64, :8],
    "nonzero": lambda: cp.nonzero(c > 500)[0],
}
for name, operation in operations.items():
    show(name, operation())

raw = cp.RawKernel(r'extern "C" __global__ void k(float* y, const float* x, int n) {'
                   r' int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) y[i] = x[i] * x[i] + i; }', "k")
y = cp.zeros(1000, cp.float32)
raw((8,), (128,), (y, a.ravel(), cp.int32(1000)))
show("raw kernel", y)
square = cp.ElementwiseKernel("float32 x", "float32 y", "y = x * x", "square")
show("elementwise kernel", square(a))
total = cp.ReductionKernel("float32 x", "float32 y", "x", "a + b", "y = a", "0", "total")
show("reduction kernel", total(a, axis=1))
show("half precision", (a[:256, :256].astype(cp.float16) @ a[:256, :256].astype(cp.float16)))
stream = cp.cuda.Stream(non_blocking=True)
with stream:
    z = cp.ones(1024, cp.float32)
    stream.begin_capture()
    z *= 2
    z += 1
    graph = stream.end_capture()
    for _ in range(5):
        graph.launch(stream)
    stream.synchronize()
    show("graph", z)
