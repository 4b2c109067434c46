#!/usr/bin/env python3
"""Runs 500 of CuPy's own core tests bare and under `heddle run`, and compares the verdicts. The tests are those at equal
distances in the sorted list of all, so that the choice does not depend on what they do."""
import argparse
import pathlib
import re
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--heddle", required=True, help="the program heddle")
parser.add_argument("--tests", required=True, help="the folder tests/cupy_tests/core_tests of CuPy's sources")
parser.add_argument("--count", type=int, default=500)
parser.add_argument("--processes", type=int, default=8)
parser.add_argument("--device", default="", help="for heddle run, as cpu; only Heddle's verdicts are printed then")
arguments = parser.parse_args()
tests = pathlib.Path(arguments.tests).resolve()
pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={tests}", "--import-mode=importlib", "-q", "--timeout=120"]


def collect():
    done = subprocess.run(pytest + ["--collect-only", str(tests)], capture_output=True, text=True, cwd=tests)
    found = sorted(line for line in done.stdout.splitlines() if "::" in line and not line.startswith("ERROR"))
    if not found:
        sys.exit(f"no tests were found:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    step = max(1, len(found) // arguments.count)
    chosen = found[::step][: arguments.count]
    print(f"{len(chosen)} of {len(found)} tests, each {step}th")
    return chosen


def verdicts(prefix, chosen):
    listed = tests / "chosen.txt"
    listed.write_text("\n".join(chosen))
    done = subprocess.run(prefix + pytest + ["-rA", "-n", str(arguments.processes), f"@{listed}"], capture_output=True,
                          text=True, cwd=tests)
    found = {}
    for line in done.stdout.splitlines():
        match = re.match(r"(PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR) (\S+::.*?)( - .*)?$", line)
        if match:
            found[match[2]] = match[1]
    print(" ".join(prefix) or "bare", ":", done.stdout.strip().splitlines()[-1])
    return found


chosen = collect()
ours = [arguments.heddle, "run"] + (["--device", arguments.device] if arguments.device else [])
if arguments.device:
    found = verdicts(ours, chosen)
    for name, verdict in sorted(found.items()):
        if verdict in ("FAILED", "ERROR"):
            print(verdict, name)
    sys.exit(0)
bare, with_heddle = verdicts([], chosen), verdicts(ours, chosen)
different = [name for name in bare.keys() | with_heddle.keys() if bare.get(name) != with_heddle.get(name)]
for name in sorted(different):
    print("DIFFERENT", name, bare.get(name), with_heddle.get(name))
print(f"{len(bare)} verdicts bare, {len(different)} different")
sys.exit(1 if different else 0)
