"""Seconds of a training loop of PyTorch without start: a small network (bound by launches) and a larger one."""
import sys
import time

import torch


def seconds(width, batch, steps):
    torch.manual_seed(1)
    layers = [torch.nn.Linear(width, width) if i % 2 == 0 else torch.nn.ReLU() for i in range(9)]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    x, y = torch.randn(batch, width, device="cuda"), torch.randn(batch, width, device="cuda")
    for step in range(steps + 20):
        if step == 20:
            torch.cuda.synchronize()
            begin = time.perf_counter()
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


begin = time.perf_counter()
torch.zeros(1, device="cuda")
print(f"start {time.perf_counter() - begin:.4f} small {seconds(64, 32, 500):.4f} large {seconds(4096, 2048, 60):.4f}")
sys.stdout.flush()
