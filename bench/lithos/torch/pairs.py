#!/usr/bin/env python3
"""Pairs of PyTorch programs on one GPU: one serves requests, the other trains. Measures both alone, together as they
are, as tenants of Heddle's daemon under each policy, and under MPS.

    pairs.py --heddle PREFIX/bin/heddle                                  all pairs and policies
    pairs.py --heddle ... --pairs resnet50+vgg19 --policies lithos,reef --seconds 8
    pairs.py --heddle ... --mps                          under NVIDIA's MPS too, with a pipe of its own
    pairs.py --heddle ... --device cpu --pairs tiny-bert+tiny-bert       whether the programs work, without a GPU

Requests arrive at random (Poisson) at --load of what the model can serve alone, the same ones for all contenders. A
latency is the time from a request's arrival to its end. Throughput is the sum of both programs' rates over their rates
alone.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PAIRS = ("resnet50+vgg19", "resnet50+bert-base", "bert-large+resnet50", "bert-large+vgg19", "llama-8b+resnet50",
         "dlrm+bert-base")
POLICIES = ("lithos", "reef", "priority", "mps-like", "static", "timeslice")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--python", default=sys.executable, help="the Python that has PyTorch")
    parser.add_argument("--pairs", default=",".join(PAIRS), help="served+trained, by commas")
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--mps", action="store_true", help="the same under NVIDIA's MPS")
    parser.add_argument("--eager", action="store_true", help="requests launch each kernel, instead of one CUDA graph")
    parser.add_argument("--load", type=float, default=0.8)
    parser.add_argument("--seconds", type=float, default=6, help="of each measurement")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=float, default=540, help="seconds, after which no other pair begins")
    parser.add_argument("--results", default="build/results/lithos_torch.json")
    return parser.parse_args()


class Program:
    """One program with a model that is warm."""

    def __init__(self, options, what, model, before=(), environment=None):
        command = [*before, options.python, str(HERE / "client.py"), what, model, "--device", options.device]
        command += ["--eager"] if options.eager else []
        self.name = " ".join((what, model))
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})

    def line(self):
        while line := self.process.stdout.readline():
            if line.startswith("{") or line.strip() == "ready":
                return line
        raise RuntimeError(f"{self.name} ended with code {self.process.wait()}")

    def begin(self, at, seconds, rate=0):
        self.process.stdin.write(f"{at} {seconds} {rate}\n")
        self.process.stdin.flush()

    def measured(self):
        return json.loads(self.line())

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


@contextlib.contextmanager
def programs(options, pair, serving=(), training=(), environment=None, of_training=None):
    both = []
    try:
        both.append(Program(options, "serve", pair[0], serving, environment))
        both.append(Program(options, "train", pair[1], training, of_training or environment))
        begin = time.monotonic()
        for program in both:
            program.line()
        print(f"  ready after {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
        yield both
    finally:
        begin = time.monotonic()
        for program in both:
            program.close()
        print(f"  ended after {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)


@contextlib.contextmanager
def daemon(options, environment):
    with tempfile.TemporaryDirectory(prefix="heddle-pairs-") as folder:
        os.environ["HEDDLE_DAEMON"] = f"{folder}/run/socket"
        where = [] if options.device == "cuda" else ["--device", "cpu"]
        subprocess.run([options.heddle, "daemon", "start", *where], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **environment})
        try:
            yield
        finally:
            subprocess.run([options.heddle, "daemon", "stop"], check=False, stdout=subprocess.DEVNULL)
            del os.environ["HEDDLE_DAEMON"]


@contextlib.contextmanager
def mps():
    """NVIDIA's MPS for programs with this environment alone. It needs neither root nor a compute mode."""
    control = shutil.which("nvidia-cuda-mps-control")
    if not control:
        raise RuntimeError("there is no nvidia-cuda-mps-control")
    with tempfile.TemporaryDirectory(prefix="heddle-mps-") as folder:
        environment = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        subprocess.run([control, "-d"], check=True, env={**os.environ, **environment})
        try:
            yield environment
        finally:
            subprocess.run([control], input="quit\n", text=True, check=False, env={**os.environ, **environment})


def latencies(served):
    return sorted(end - arrival for arrival, end in served)


def p99(served):
    all_of = latencies(served)
    return all_of[min(len(all_of) - 1, int(0.99 * len(all_of)))] if all_of else float("inf")


def mean(served):
    return statistics.fmean(latencies(served)) if served else float("inf")


def completed(served, seconds):
    return sum(end < seconds for _, end in served)


class Pair:
    def __init__(self, options, text):
        self.options, self.text, self.models = options, text, text.split("+")
        self.figures = {}

    def measure(self, serving, training, rate=0):
        """What the programs measure together; None: the program does nothing."""
        at, seconds = time.monotonic() + 0.3, self.options.seconds
        running = [program for program in (serving, training) if program]
        for program in running:
            program.begin(at, seconds, rate)
        return [program.measured() for program in running]

    def alone(self, serving, training):
        served = self.measure(serving, None)[0]["served"]
        self.latency = statistics.median(latencies(served))
        self.capacity = completed(served, self.options.seconds) / self.options.seconds
        self.rate = self.options.load * self.capacity
        self.served = self.measure(serving, None, self.rate)[0]["served"]
        self.steps = len(self.measure(None, training)[0]["steps"])
        print(f"{self.text}: alone {1e3 * self.latency:.2f} ms a request, {self.capacity:.1f} requests/s; at "
              f"{self.rate:.1f}/s P99 {1e3 * p99(self.served):.2f} ms; {self.steps / self.options.seconds:.2f} steps/s",
              flush=True)

    def together(self, name, serving, training):
        first, second = self.measure(serving, training, self.rate)
        served, steps = first["served"], second["steps"]
        seconds = self.options.seconds
        alone, there = completed(self.served, seconds), completed(served, seconds)
        figures = {"p99": p99(served) / p99(self.served), "mean": mean(served) / mean(self.served),
                   "training": len(steps) / max(self.steps, 1)}
        # What serving could do alone, of which --load arrives.
        figures["throughput"] = self.options.load * there / max(alone, 1) + figures["training"]
        self.figures[name] = figures
        print(f"  {name:16} P99 {figures['p99']:7.2f}x  mean {figures['mean']:7.2f}x  training "
              f"{figures['training']:5.2f}  throughput {figures['throughput']:5.2f}", flush=True)

    def tenants(self, prefix, environment):
        """Under each policy of the daemon. Each pair has tenants of its own: one name is one tenant."""
        options = self.options
        heddle = [options.heddle, "tenant", "run"]
        serving = [*heddle, "--class", "latency", "--quota", "100%", "--name", "serving"]
        training = [*heddle, "--class", "batch", "--name", "training"]
        with daemon(options, environment), programs(options, self.models, serving, training, environment) as both:
            served = self.measure(both[0], None)[0]["served"]
            alone = self.figures[f"{prefix}alone"] = {"latency": statistics.median(latencies(served)) / self.latency}
            print(f"  {prefix}a tenant alone: {alone['latency']:.3f} of the time of a request", flush=True)
            for policy in options.policies.split(","):
                subprocess.run([options.heddle, "policy", policy], check=True, stdout=subprocess.DEVNULL)
                self.together(prefix + policy, *both)

    def run(self):
        options = self.options
        with programs(options, self.models) as both:
            self.alone(*both)
            self.together("driver", *both)
        self.tenants("", {})
        if options.mps:
            with mps() as environment:
                with programs(options, self.models, environment=environment) as both:
                    self.together("mps", *both)
                low = {**environment, "CUDA_MPS_CLIENT_PRIORITY": "1"}
                with programs(options, self.models, environment=environment, of_training=low) as both:
                    self.together("mps, priorities", *both)
                self.tenants("mps, ", environment)
        return self.figures


def row(name, value, bar=None, at_most=True, peer="alone"):
    holds = None if bar is None else value <= bar if at_most else value >= bar
    return {"name": name, "value": value, "unit": "x", "bar": bar and f"{'<=' if at_most else '>='} {bar}",
            "holds": holds, "peer": peer}


def rows_of(pairs):
    """Each pair's figures, and the means over the pairs, which have the bars."""
    rows = [row(f"{text}, {name}: {figure}", value) for text, figures in pairs.items()
            for name, several in figures.items() for figure, value in several.items()]
    prefix = "mps, " if any("mps, lithos" in figures for figures in pairs.values()) else ""
    both = [figures for figures in pairs.values() if f"{prefix}lithos" in figures]
    if not both:
        return rows
    gains = []
    for figures in both:
        # Where no other one keeps P99, the serving program alone is what is left.
        fit = [other["throughput"] for name, other in figures.items()
               if not name.endswith(("lithos", "alone")) and other["p99"] <= 1.5]
        gains.append(figures[f"{prefix}lithos"]["throughput"] / max(fit, default=0.8))
    tail = statistics.fmean(figures[f"{prefix}lithos"]["p99"] for figures in both)
    alone = statistics.fmean(figures[f"{prefix}alone"]["latency"] for figures in both)
    means = [row(f"P99 of serving, mean of {len(both)} pairs", tail, 1.2),
             row("throughput, mean", statistics.fmean(gains), 1.3, False, "the best other one with P99 <= 1.5x"),
             row("a tenant alone, a request, mean", alone, 1.02, True, "bare")]
    for each in means:
        print(f"{each['name']}: {each['value']:.3f} over {each['peer']} (bar {each['bar']})")
    return rows + means


def main():
    options = parse()
    end = time.monotonic() + options.limit
    pairs = {}
    for text in options.pairs.split(","):
        if time.monotonic() > end:
            print(f"{text}: not measured, as the time has come", flush=True)
            continue
        try:
            pairs[text] = Pair(options, text).run()
        except (RuntimeError, subprocess.CalledProcessError, BrokenPipeError) as error:
            print(f"{text}: {error}", file=sys.stderr, flush=True)
    machine = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                             capture_output=True, text=True, check=False).stdout if shutil.which("nvidia-smi") else ""
    about = {"machine": machine.strip(), "commit": os.environ.get("HEDDLE_COMMIT", "unknown")}
    results = pathlib.Path(options.results)
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text(json.dumps([{**each, **about} for each in rows_of(pairs)], indent=1), encoding="utf-8")
    print(f"machine: {about['machine'] or 'no GPU'}")
    return 0 if len(pairs) == len(options.pairs.split(",")) else 1


sys.exit(main())
