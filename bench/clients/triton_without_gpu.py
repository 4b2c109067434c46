"""Kernels of Triton on a machine without a GPU, against PyTorch on the CPU:

    heddle run --device cpu python bench/clients/triton_without_gpu.py

Tensors are made on the CPU and copied, as PyTorch's own kernels are machine code. Prints the largest error of each
kernel; the exit code says whether all are small."""
import sys
import time

import torch
import triton
import triton.language as tl

from triton_kernels import add, matmul, softmax


@triton.jit
def layer_norm(x, weight, bias, y, columns, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    there = i < columns
    v = tl.load(x + row * columns + i, mask=there, other=0.0)
    centred = tl.where(there, v - tl.sum(v, 0) / columns, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / columns + eps)
    result = centred * scale * tl.load(weight + i, mask=there) + tl.load(bias + i, mask=there)
    tl.store(y + row * columns + i, result, mask=there)


@triton.jit
def attention(q, k, v, o, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    queries = tl.load(q + m[:, None] * D + d[None, :])
    largest = tl.full((BM,), -float("inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        n = start + tl.arange(0, BN)
        scores = tl.dot(queries, tl.load(k + n[None, :] * D + d[:, None])) * scale
        scores = tl.where(m[:, None] >= n[None, :], scores, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, 1))
        p = tl.exp(scores - larger[:, None])
        shrink = tl.exp(largest - larger)
        weight = weight * shrink + tl.sum(p, 1)
        total = total * shrink[:, None] + tl.dot(p.to(tl.float16), tl.load(v + n[:, None] * D + d[None, :]))
        largest = larger
    tl.store(o + m[:, None] * D + d[None, :], total / weight[:, None])


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + i, mask=i < n), 1, mask=i < n)


def empty(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device="cuda")


def main():
    torch.manual_seed(7)
    worst = {}

    def compare(name, bound, launch, result, expected):
        started = time.perf_counter()
        launch()
        error = (result.cpu().double() - expected.double()).abs().max().item()
        worst[name] = error <= bound
        print(f"{name:20} error {error:.2e} (bound {bound:.0e}), {time.perf_counter() - started:.2f} s with compiling")

    n = 100003
    x, y, z = torch.randn(n), torch.randn(n), empty(n)
    compare("add", 0, lambda: add[(triton.cdiv(n, 1024),)](x.cuda(), y.cuda(), z, n, BLOCK=1024), z, x + y)
    rows, out = torch.randn(300, 777), empty(300, 777)
    compare("softmax", 1e-6, lambda: softmax[(300,)](rows.cuda(), out, 777, BLOCK=1024), out, rows.softmax(1))
    weight, bias = torch.randn(777), torch.randn(777)
    compare("layer norm", 1e-5, lambda: layer_norm[(300,)](rows.cuda(), weight.cuda(), bias.cuda(), out, 777, 1e-5,
                                                           BLOCK=1024),
            out, torch.nn.functional.layer_norm(rows, (777,), weight, bias))
    for dtype, bound in ((torch.float16, 1e-3), (torch.bfloat16, 1e-3), (torch.float32, 0.2)):  # f32: in tf32
        a, b, c = torch.randn(256, 256).to(dtype), torch.randn(256, 128).to(dtype), empty(256, 128)
        compare(f"matmul {str(dtype)[6:]}", bound,
                lambda: matmul[(4, 2)](a.cuda(), b.cuda(), c, 256, 128, 256, BM=64, BN=64, BK=32), c,
                a.double() @ b.double())
    q, k, v = (torch.randn(256, 64).half() for _ in range(3))
    o = empty(256, 64)
    causal = torch.nn.functional.scaled_dot_product_attention(q[None].float(), k[None].float(), v[None].float(),
                                                              is_causal=True)[0]
    compare("causal attention", 1e-2, lambda: attention[(4,)](q.cuda(), k.cuda(), v.cuda(), o, 256, 0.125, BM=64,
                                                              BN=64, D=64), o, causal)
    numbers, counts = torch.randint(0, 64, (n,), dtype=torch.int32), torch.zeros(64, dtype=torch.int32).cuda()
    compare("histogram", 0, lambda: histogram[(triton.cdiv(n, 1024),)](numbers.cuda(), counts, n, BLOCK=1024), counts,
            torch.bincount(numbers, minlength=64))
    return 0 if all(worst.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
