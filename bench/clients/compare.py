#!/usr/bin/env python3
"""Runs programs of PyTorch, CuPy, JAX, Triton and Numba bare and under `heddle run`, by turns, and compares what they
print, and the time that they take. Writes a table, and build/results/clients.json."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

here = pathlib.Path(__file__).parent
clients = {"PyTorch": "torch", "Triton": "triton", "CuPy": "cupy", "JAX": "jax", "Numba": "numba"}


def run(command, environment):
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return done, time.monotonic() - begin


def compare(name, arguments, rows):
    script = str(here / f"{clients[name]}_operations.py")
    bare_command = [sys.executable, script]
    our_command = [arguments.heddle, "run"] + (["--trace", os.devnull] if arguments.trace else []) + bare_command
    times = {"bare": [], "ours": []}
    expected, alike = None, True
    for turn in range(arguments.rounds):
        for kind, command in [("bare", bare_command), ("ours", our_command)]:
            done, seconds = run(command, dict(os.environ))
            if done.returncode != 0:
                print(f"{name}, {kind}: code {done.returncode}: {done.stderr.strip()[-400:]}", file=sys.stderr)
                return False
            if expected is None:
                expected = done.stdout
            alike = alike and done.stdout == expected
            if turn > 0:  # the first fills caches
                times[kind].append(seconds)
    ratio = statistics.median(o / b for o, b in zip(times["ours"], times["bare"]))
    cost = statistics.median(o - b for o, b in zip(times["ours"], times["bare"]))
    lines = len(expected.splitlines())
    print(f"{name:10} {lines:3} results {'equal' if alike else 'DIFFERENT':10} bare {statistics.median(times['bare']):6.2f} s"
          f"  ours/bare {ratio:.3f} ({min(o / b for o, b in zip(times['ours'], times['bare'])):.3f} to"
          f" {max(o / b for o, b in zip(times['ours'], times['bare'])):.3f})")
    rows.append({"name": f"{name}: results equal", "value": int(alike), "unit": "", "bar": ">= 1", "holds": alike,
                 "peer": "bare"})
    rows.append({"name": f"{name}: whole process, ours over bare", "value": ratio, "unit": "x", "bar": "<= 1.03",
                 "holds": ratio <= 1.03, "peer": "bare"})
    rows.append({"name": f"{name}: whole process, ours less bare", "value": cost, "unit": "s", "bar": "<= 0.5",
                 "holds": cost <= 0.5, "peer": "bare"})
    return alike


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--heddle", required=True, help="the program heddle")
parser.add_argument("--rounds", type=int, default=6)
parser.add_argument("--only", nargs="*", default=list(clients))
parser.add_argument("--trace", action="store_true", help="with a timeline")
parser.add_argument("--results", default="build/results/clients.json")
arguments = parser.parse_args()
rows, good = [], True
for client in arguments.only:
    good = compare(client, arguments, rows) and good
machine = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                         capture_output=True, text=True).stdout.strip()
pathlib.Path(arguments.results).parent.mkdir(parents=True, exist_ok=True)
pathlib.Path(arguments.results).write_text(json.dumps(
    [dict(row, machine=machine, commit=os.environ.get("HEDDLE_COMMIT", "unknown")) for row in rows], indent=1))
print(f"machine: {machine}")
sys.exit(0 if good else 1)
