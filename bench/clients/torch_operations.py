"""Thirty operations, a training loop, a CUDA graph and half precision with PyTorch: prints a digest of each result."""
import hashlib
import sys

import torch

device = torch.device("cuda")
torch.manual_seed(7)
torch.use_deterministic_algorithms(True, warn_only=True)
torch.backends.cudnn.benchmark = False


def show(name, tensor):
    tensor = tensor.detach().contiguous().cpu()
    data = tensor.reshape(-1).view(torch.uint8).numpy().tobytes()
    print(f"{name:24} {tuple(tensor.shape)!s:18} {hashlib.sha256(data).hexdigest()[:16]}")


def operations():
    a = torch.randn(513, 257, device=device)
    b = torch.randn(257, 129, device=device)
    c = torch.randint(0, 1000, (10007,), device=device)
    image = torch.randn(4, 3, 64, 64, device=device)
    weight = torch.randn(8, 3, 3, 3, device=device)
    yield "add", a + 1
    yield "multiply", a * a
    yield "exp", a.exp()
    yield "tanh", a.tanh()
    yield "sum", a.sum()
    yield "sum of rows", a.sum(1)
    yield "mean and variance", torch.stack(torch.var_mean(a))
    yield "max", a.max(1).values
    yield "argmax", a.argmax(0)
    yield "sort", c.sort().values
    yield "topk", a.topk(5).values
    yield "cumsum", c.cumsum(0)
    yield "unique", c.unique()
    yield "histogram", torch.bincount(c)
    yield "matmul", a @ b
    yield "batched matmul", torch.bmm(a[:512].view(4, 128, 257), b.expand(4, 257, 129))
    yield "transpose", a.t().contiguous()
    yield "gather", a.gather(1, (c[:513] % 257).view(-1, 1))
    yield "index", a[c[:100] % 513]
    yield "scatter", torch.zeros(1000, device=device).scatter(0, c[:500], 1.0)
    yield "where", torch.where(a > 0, a, -a)
    yield "cat", torch.cat([a, a * 2])
    yield "softmax", a.softmax(1)
    yield "layer norm", torch.nn.functional.layer_norm(a, (257,))
    yield "convolution", torch.nn.functional.conv2d(image, weight, padding=1)
    yield "pooling", torch.nn.functional.max_pool2d(image, 2)
    yield "interpolation", torch.nn.functional.interpolate(image, scale_factor=2.0)
    yield "fft", torch.view_as_real(torch.fft.rfft(a))
    yield "random", torch.rand(1000, device=device)
    yield "dropout", torch.nn.functional.dropout(a, 0.5)
    yield "cholesky", torch.linalg.cholesky(b.t() @ b + 300 * torch.eye(129, device=device))
    yield "solve", torch.linalg.solve(b.t() @ b + 300 * torch.eye(129, device=device), b.t())


def training():
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    inputs = torch.randn(256, 64, device=device)
    labels = torch.randint(0, 10, (256,), device=device)
    for _ in range(50):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
    return loss


def graph():
    static = torch.ones(1024, device=device)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            result = (static * 2 + 1).sum()
    torch.cuda.current_stream().wait_stream(stream)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        result = (static * 2 + 1).sum()
    total = torch.zeros(1, device=device)
    for i in range(5):
        static.fill_(i)
        captured.replay()
        total += result
    return total


def half():
    a = torch.randn(256, 256, device=device, dtype=torch.float16)
    b = torch.randn(256, 256, device=device, dtype=torch.bfloat16)
    return torch.stack([(a @ a).float(), (b @ b).float()])


for name, value in operations():
    show(name, value)
show("training", training())
show("graph", graph())
show("half precision", half())
other = torch.cuda.Stream()
with torch.cuda.stream(other):
    pinned = torch.arange(1 << 20, dtype=torch.float32).pin_memory()
    moved = pinned.to(device, non_blocking=True)
    show("pinned copy", moved * 2)
torch.cuda.synchronize()
sys.stdout.flush()
