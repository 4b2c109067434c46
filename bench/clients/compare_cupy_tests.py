#!/usr/bin/env python3
"""Runs 500 of CuPy's own core tests bare and under `heddle run`, and compares the verdicts. The tests are those at equal
distances in the sorted list of all, so that the choice does not depend on what they do."""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--heddle", required=True, help="the program heddle")
parser.add_argument("--tests", required=True, help="the folder tests/cupy_tests/core_tests of CuPy's sources")
parser.add_argument("--count", type=int, default=500)
parser.add_argument("--processes", type=int, default=8)
parser.add_argument("--device", default="", help="for heddle run, as cpu; only Heddle's verdicts are printed then")
arguments = parser.parse_args()
tests = pathlib.Path(arguments.tests).resolve()
pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={tests}", "--import-mode=importlib",
          "-q", "--timeout=120"]


def collect():
    done = subprocess.run(pytest + ["--collect-only", str(tests)], capture_output=True, text=True, cwd=tests)
    found = sorted(line for line in done.stdout.splitlines() if re.match(r"[\w/]+\.py::", line))
    if not found:
        sys.exit(f"no tests were found:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    step = max(1, len(found) // arguments.count)
    chosen = found[::step][: arguments.count]
    print(f"{len(chosen)} of {len(found)} tests, each {step}th")
    return chosen


def verdicts(prefix, chosen):
    with tempfile.TemporaryDirectory() as folder:
        listed, said = pathlib.Path(folder) / "chosen", pathlib.Path(folder) / "verdicts"
        listed.write_text("\n".join(chosen))
        path = os.pathsep.join([str(pathlib.Path(__file__).resolve().parent / "pytest_plugin"), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            prefix + pytest + ["-p", "chosen_tests", "-n", str(arguments.processes), str(tests)], capture_output=True,
            text=True, cwd=tests, env=dict(os.environ, PYTHONPATH=path, CHOSEN_TESTS=str(listed), VERDICTS=str(said)))
        lines = said.read_text().splitlines() if said.exists() else []
    found = {name: verdict for verdict, name in (line.split(" ", 1) for line in lines) if "::" in name}
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(collections.Counter(found.values()).items()))
    print(" ".join(prefix) or "bare", ":", counts)
    if len(found) < len(chosen):
        sys.exit(f"{len(found)} verdicts of {len(chosen)} tests\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    return found


chosen = collect()
ours = [str(pathlib.Path(arguments.heddle).resolve()), "run"] + (["--device", arguments.device] if arguments.device else [])
if arguments.device:
    found = verdicts(ours, chosen)
    for name, verdict in sorted(found.items()):
        if verdict in ("failed", "error"):
            print(verdict, name)
    sys.exit(0)
bare, with_heddle = verdicts([], chosen), verdicts(ours, chosen)
different = [name for name in bare.keys() | with_heddle.keys() if bare.get(name) != with_heddle.get(name)]
for name in sorted(different):
    print("DIFFERENT", name, bare.get(name), with_heddle.get(name))
print(f"{len(bare)} verdicts bare, {len(different)} different")
sys.exit(1 if different else 0)
