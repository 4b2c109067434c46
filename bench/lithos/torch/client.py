#!/usr/bin/env python3
"""A tenant's program: serves a model, or trains it, when it is told to.

    client.py serve resnet50
    client.py train vgg19

It prints `ready` once the model is warm. Then it reads lines `begin seconds rate` from standard input: the time of
time.monotonic() at which to begin, for how long, and how many requests arrive in a second (0: one after the other).
For each it prints a line of JSON with what was measured.
"""
import argparse
import json
import random
import sys
import time

import torch

import models


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("serve", "train"))
    parser.add_argument("model", choices=models.MODELS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--eager", action="store_true", help="requests launch each kernel, instead of one CUDA graph")
    parser.add_argument("--warm", type=float, default=3, help="seconds of work before the program is ready")
    return parser.parse_args()


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def server(arguments):
    """One request, to its end."""
    model, inputs = models.make(arguments.model, arguments.device, False)
    batch = inputs()

    @torch.inference_mode()
    def run():
        model(batch)

    launch = run if arguments.eager or arguments.device != "cuda" else captured(run)

    def request():
        launch()
        synchronize(arguments.device)

    return request


def captured(run):
    """As a CUDA graph, which servers use so that the host keeps up with the GPU."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def trainer(arguments):
    """One step. It does not wait for the step's end, but for that of the one before, as a program that shows its loss
    does."""
    model, inputs = models.make(arguments.model, arguments.device, True)
    batch = inputs()
    optimizer = torch.optim.SGD(model.parameters(), 1e-3, momentum=0.9)
    ends = []

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(arguments.device, torch.bfloat16, enabled=arguments.device == "cuda"):
            output = model(batch)
        output.float().square().mean().backward()
        optimizer.step()
        if arguments.device == "cuda":
            ends.append(torch.cuda.Event())
            ends[-1].record()
            if len(ends) > 1:
                ends.pop(0).synchronize()

    return step


def wait_until(moment):
    while (left := moment - time.monotonic()) > 0:
        time.sleep(left if left > 2e-3 else 0)


def serve(request, begin, seconds, rate, seed):
    """[arrival, end] of each request, in seconds since the beginning. Requests that have not begun at the end count as
    ended then."""
    chance = random.Random(seed)
    served, end = [], begin + seconds
    arrival = begin + (chance.expovariate(rate) if rate else 0)
    while arrival < end and time.monotonic() < end:
        wait_until(arrival)
        request()
        now = time.monotonic()
        served.append([arrival - begin, now - begin])
        arrival = arrival + chance.expovariate(rate) if rate else now
    while rate and arrival < end:
        served.append([arrival - begin, max(time.monotonic(), end) - begin])
        arrival += chance.expovariate(rate)
    return served


def train(step, begin, seconds):
    """When each step was made, in seconds since the beginning."""
    steps = []
    while (now := time.monotonic()) < begin + seconds:
        step()
        steps.append(time.monotonic() - begin)
    return steps


def main():
    arguments = parse()
    work = server(arguments) if arguments.what == "serve" else trainer(arguments)
    until = time.monotonic() + arguments.warm
    while time.monotonic() < until:
        work()
    synchronize(arguments.device)
    print("ready", flush=True)
    for line in sys.stdin:
        begin, seconds, rate = (float(word) for word in line.split())
        wait_until(begin)
        if arguments.what == "serve":
            measured = {"served": serve(work, begin, seconds, rate, arguments.seed)}
        else:
            measured = {"steps": train(work, begin, seconds)}
        synchronize(arguments.device)
        print(json.dumps(measured), flush=True)


main()
