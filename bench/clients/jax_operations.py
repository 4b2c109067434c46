"""Thirty operations and a training loop with JAX: prints a digest of each result."""
import hashlib

import jax
import jax.numpy as jnp
import numpy as np


def show(name, array):
    data = np.ascontiguousarray(np.asarray(array))
    print(f"{name:24} {data.shape!s:18} {hashlib.sha256(data.tobytes()).hexdigest()[:16]}")


key = jax.random.PRNGKey(7)
a = jax.random.normal(key, (513, 257))
b = jax.random.normal(jax.random.PRNGKey(8), (257, 129))
c = jax.random.randint(jax.random.PRNGKey(9), (10007,), 0, 1000)
print(a.devices())
spd = b.T @ b + 300 * jnp.eye(129)
operations = {
    "add": lambda: a + 1, "multiply": lambda: a * a, "exp": lambda: jnp.exp(a), "tanh": lambda: jnp.tanh(a),
    "sum": lambda: a.sum(), "sum of rows": lambda: a.sum(1), "mean": lambda: a.mean(0), "variance": lambda: a.var(1),
    "max": lambda: a.max(1), "argmax": lambda: a.argmax(0), "sort": lambda: jnp.sort(c),
    "argsort": lambda: jnp.argsort(c), "cumsum": lambda: jnp.cumsum(c), "bincount": lambda: jnp.bincount(c, length=1000),
    "unique": lambda: jnp.unique(c), "matmul": lambda: a @ b, "einsum": lambda: jnp.einsum("ij,jk->ki", a, b),
    "transpose": lambda: a.T.copy(), "take": lambda: jnp.take(a, c[:100] % 513, axis=0),
    "where": lambda: jnp.where(a > 0, a, -a), "concatenate": lambda: jnp.concatenate([a, a * 2]),
    "clip": lambda: jnp.clip(a, -1, 1), "histogram": lambda: jnp.histogram(a, 50)[0],
    "fft": lambda: jnp.fft.rfft(a), "cholesky": lambda: jnp.linalg.cholesky(spd),
    "solve": lambda: jnp.linalg.solve(spd, b.T), "softmax": lambda: jax.nn.softmax(a),
    "scan": lambda: jax.lax.scan(lambda s, x: (s + x, s * x), jnp.zeros(257), a)[1],
    "vmap": lambda: jax.vmap(lambda x: (x * x).sum())(a),
    "half precision": lambda: (a.astype(jnp.bfloat16) @ b.astype(jnp.bfloat16)).astype(jnp.float32),
}
for name, operation in operations.items():
    show(name, jax.jit(operation)() if name not in ("unique",) else operation())


def loss(w, x, y):
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2)


w = jnp.zeros((257, 8))
y = jnp.ones((513, 8)) * 0.3
step = jax.jit(lambda w: w - 0.1 * jax.grad(loss)(w, a, y))
for _ in range(50):
    w = step(w)
show("training", w)
