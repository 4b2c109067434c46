#!/usr/bin/env python3
"""What sampling of launches costs and saves: cycles of six kernels, simulated whole and by a sample.

  bench/sim/sampling.py --heddle build/dev/src/cli/heddle [--waves 20] [--kernel NAME ...]

The machine is fermi-gtx480 with four SMs, so that grids of moderate size have many waves. Times are those of all
threads on the processor, with compiling for the CPU device, so that a busy machine does not matter. The table is
Markdown.
"""
import argparse
import array
import json
import os
import pathlib
import random
import resource
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent / "cpu" / "kernels"
MACHINE = 'based-on = "fermi-gtx480"\nsms = 4\n'

# Kernel: grid, block and arguments; an array has random numbers between 0.5 and 1.5.
CASES = {
    "saxpy": ("16384", "256", ["i32:4194304", "f32:2", "array:4194304", "array+:4194304"]),
    "conv2d": ("64x256", "32x8", ["i32:2048", "i32:2048", "array:4194304", "out:4194304"]),
    "transpose": ("64x64", "32x8", ["i32:2048", "i32:2048", "array:4194304", "out:4194304"]),
    "black_scholes": ("4096", "256", ["i32:1048576", "f32:0.02", "f32:0.3", "array:1048576", "array:1048576",
                                      "array:1048576", "out:1048576", "out:1048576"]),
    "gemm_tiled": ("32x32", "16x16", ["i32:512", "array:262144", "array:262144", "out:262144"]),
    "mandelbrot": ("64x64", "16x16", ["i32:1024", "i32:1024", "i32:100", "f32:-2.2", "f32:-1.5", "f32:0.003",
                                      "ints:1048576"]),
}


def write_npy(path, values):
    """A file of NumPy with one dimension of 32-bit floating-point numbers."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + values.tobytes())


def arguments_of(case, folder):
    numbers = random.Random(1)
    for number, text in enumerate(case[2]):
        kind, value = text.split(":")
        name = f"a{number}"
        if kind.startswith("array"):
            some = array.array("f", (numbers.uniform(0.5, 1.5) for _ in range(4096)))
            write_npy(folder / f"{name}.npy", some * (int(value) // len(some)))
            yield f"{'inout' if kind == 'array+' else 'in'}:{name}.npy"
        elif kind in ("out", "ints"):
            yield f"out:{name}.npy:{'f32' if kind == 'out' else 'i32'}:{value}"
        else:
            yield text


def run(heddle, name, folder, options):
    """The launch in the report, processor seconds, and the bytes of all results."""
    case = CASES[name]
    out = folder / "results"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [heddle, "launch", str(KERNELS / f"{name}.cu"), "--entry", name, "--grid", case[0], "--block", case[1],
               "--device", f"sim:{folder}/machine.toml{options},report={folder}/run.json", "--out-dir", str(out)]
    for argument in arguments_of(case, folder):
        command += ["--arg", argument]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = [json.loads(line) for line in (folder / "run.json").read_text().splitlines()]
    launch = next(line for line in lines if line["kind"] == "launch")
    return launch, seconds, {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--waves", type=int, default=20)
    parser.add_argument("--kernel", action="append", choices=CASES, help="only these; may be repeated")
    settings = parser.parse_args()
    heddle = os.path.abspath(settings.heddle)
    print("| kernel | blocks | simulated | cycles | estimate | interval of 95 % | error | processor time, whole and "
          "sampled | speed-up | results |")
    print("|---|---:|---:|---:|---:|---|---:|---:|---:|---|")
    for name in settings.kernel or CASES:
        with tempfile.TemporaryDirectory() as text:
            folder = pathlib.Path(text)
            (folder / "machine.toml").write_text(MACHINE)
            whole, slow, expected = run(heddle, name, folder, "")
            sampled, fast, found = run(heddle, name, folder, f",sample={settings.waves}")
        sample = sampled["sample"]
        if "refusal" in sample:
            print(f"| {name} | {whole['blocks']} | all: {sample['refusal']} |", flush=True)
            continue
        within = sample["low"] <= whole["cycles"] <= sample["high"]
        print(f"| {name} | {whole['blocks']} | {sample['blocks']} | {whole['cycles']} | {sampled['cycles']} | "
              f"{sample['low']} to {sample['high']}{'' if within else ': missed'} | "
              f"{100 * (sampled['cycles'] / whole['cycles'] - 1):+.1f} % | {slow:.1f} s, {fast:.1f} s | "
              f"{slow / fast:.1f}x | {'equal' if found == expected else 'DIFFERENT'} |", flush=True)


if __name__ == "__main__":
    main()
