#!/usr/bin/env python3
"""Runs tests of CUDA's Python clients, their own, on the CPU device, and writes what passed. With --compare: bare,
bare again and under `heddle run`, on a GPU, and writes which verdicts differ.

The tests are those at equal distances in the sorted list of all, so that the choice does not depend on what they do.
The exit code is 1 where fewer verdicts come back than tests were chosen, or verdicts differ.

    suites.py numba --heddle PREFIX/bin/heddle                        tests of the installed numba-cuda
    suites.py warp --heddle PREFIX/bin/heddle                         those of the installed Warp on a CUDA device
    suites.py cupy --heddle ... --tests CUPY/tests/cupy_tests/core_tests    CuPy's sources
    suites.py tinygrad --heddle ... --tests TINYGRAD/test/backend/test_ops.py  tinygrad's sources; needs PyTorch
    suites.py torch --heddle ... --compare --tests PYTORCH/test/test_cuda.py   PyTorch's sources; needs expecttest
"""
import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import suite_compare
from suite_run import Run

HERE = pathlib.Path(__file__).resolve().parent

# Of each client: its package, the folder of its tests in it, which tests count, how many folders above the tests lies
# the one that they import each other from, what its environment needs.
CLIENTS = {
    "numba": {"package": "numba_cuda", "inside": "numba/cuda/tests", "count": r"^(?!benchmarks/|cudasim/)",
              "options": ["-o", "consider_namespace_packages=true"]},
    "warp": {"package": "warp", "inside": "tests", "count": r"cuda_0", "options": ["--import-mode=importlib", "-s"]},
    "cupy": {"package": "cupy", "count": "", "cpu_environment": {"CUPY_COMPILE_WITH_PTX": "1"}, "imports_from": 2,
             "options": ["--import-mode=importlib"]},
    "tinygrad": {"package": "tinygrad", "count": "", "environment": {"DEV": "CUDA"},
                 "options": ["--import-mode=importlib"]},
    "torch": {"package": "torch", "count": ""},
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("client", choices=CLIENTS)
    parser.add_argument("--heddle", required=True, help="the program heddle")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the client and pytest")
    parser.add_argument("--tests", help="the folder or file of tests, where the client's package has none")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one test")
    parser.add_argument("--limits", default="86400", help="seconds for each run, by commas; the last stands for more")
    parser.add_argument("--only", help="a file with names of tests, one a line: these instead of equal distances")
    parser.add_argument("--choose", help="write the names of the chosen tests to this file, and run none")
    parser.add_argument("--compare", action="store_true", help="bare and under heddle run, on a GPU")
    parser.add_argument("--out", help="a file for the summary")
    parser.add_argument("--failures", help="a file for what failed, with its text")
    parser.add_argument("--verdicts", help="a file for each test's verdicts and seconds")
    return parser.parse_args()


def ask(python, code):
    return subprocess.check_output([python, "-c", code], text=True).strip()


def package_folder(python, package):
    code = f"import importlib.util as u; print(u.find_spec({package!r}).submodule_search_locations[0])"
    return pathlib.Path(ask(python, code))


def version(python, client):
    package = CLIENTS[client]["package"]
    return ask(python, f"import importlib.metadata as m; print(m.version(m.packages_distributions()[{package!r}][0]))")


class Suite:
    def __init__(self, arguments):
        self.arguments = arguments
        self.client = CLIENTS[arguments.client]
        if arguments.tests:
            self.tests = pathlib.Path(arguments.tests).resolve()
        elif "inside" in self.client:
            self.tests = package_folder(arguments.python, self.client["package"]) / self.client["inside"]
        else:
            sys.exit(f"--tests: the package of {arguments.client} has no tests; give the folder in its sources")
        self.root = self.tests if self.tests.is_dir() else self.tests.parent
        self.limits = [float(limit) for limit in arguments.limits.split(",")]
        self.notes = []

    def command(self, bare, options, paths):
        heddle = [str(pathlib.Path(self.arguments.heddle).resolve()), "run"]
        heddle += [] if self.arguments.compare else ["--device", "cpu"]
        return [*([] if bare else heddle), self.arguments.python, "-m", "pytest", "-p", "suite_verdicts",
                "-p", "no:cacheprovider", f"--rootdir={self.root}", "-q", "--tb=short",
                *self.client.get("options", []), *options, *map(str, paths)]

    def environment(self, own):
        path = [str(HERE / "suite_plugin"), os.environ.get("PYTHONPATH", "")]
        if "imports_from" in self.client:
            path.insert(1, str([self.root, *self.root.parents][self.client["imports_from"]]))
        full = dict(os.environ, **self.client.get("environment", {}), **own)
        full["PYTHONPATH"] = os.pathsep.join(path).rstrip(os.pathsep)
        if not self.arguments.compare:
            full.update(self.client.get("cpu_environment", {}))
        return full

    def collect(self):
        with tempfile.TemporaryDirectory() as folder:
            listed = pathlib.Path(folder) / "tests"
            command = self.command(self.arguments.compare, ["--collect-only"], [self.tests])
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=folder,
                                  env=self.environment({"COLLECTED_TESTS": str(listed)}))
            if not listed.exists():
                sys.exit(f"no tests were found:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            found = [name for name in json.loads(listed.read_text()) if re.search(self.client["count"], name)]
        return found

    def choose(self):
        """The names of the tests to run, and what they are chosen from, in words."""
        if self.arguments.only:
            return pathlib.Path(self.arguments.only).read_text().splitlines(), "of a list"
        found = self.collect()
        count = min(self.arguments.count, len(found))
        return [found[i * len(found) // count] for i in range(count)], f"of {len(found)} tests"

    def run(self, chosen, bare=False, number=0, alone=False, progress=None):
        """The verdicts of a run, the `number`th of all: {name: {"verdict", "seconds", "text"}}."""
        paths = [self.root / file for file in sorted({name.split("::")[0] for name in chosen})]
        with tempfile.TemporaryDirectory() as empty:  # so that no file of the caller's is taken for a module

            def start(environment, output):
                return subprocess.Popen(self.command(bare, [], paths), stdin=subprocess.DEVNULL, stdout=output,
                                        stderr=subprocess.STDOUT, cwd=empty, env=self.environment(environment),
                                        start_new_session=True)

            limit = self.limits[min(number, len(self.limits) - 1)]
            processes = 1 if alone else min(self.arguments.processes, len(chosen))
            run = Run(start, chosen, processes, self.arguments.timeout, limit, progress)
            verdicts = run.run()
        self.notes += [f"run {number + 1}: {note}" for note in run.notes]
        return verdicts


def write(path, text):
    if path:
        pathlib.Path(path).write_text(text)


def counted(verdicts):
    counts = collections.Counter(line["verdict"] for line in verdicts.values())
    order = ["passed", "failed", "died", "timeout", "skipped", "expected failure"]
    return ", ".join(f"{name} {counts[name]}" for name in order if counts[name] or name in ("passed", "failed"))


def summary(heading, verdicts):
    counts = collections.Counter(line["verdict"] for line in verdicts.values())
    bad = {name: line["verdict"] for name, line in verdicts.items() if line["verdict"] in ("failed", "died", "timeout")}
    ran = counts["passed"] + len(bad)
    share = 100 * counts["passed"] / ran if ran else 0
    lines = [heading, counted(verdicts), f"{share:.1f} % of those that ran passed"]
    return "\n".join(lines + [""] + [f"{verdict} {name}" for name, verdict in sorted(bad.items())]) + "\n"


def main():
    arguments = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(124))  # so that a run ends its processes
    suite = Suite(arguments)
    chosen, source = suite.choose()
    if arguments.choose:
        write(arguments.choose, "".join(f"{name}\n" for name in chosen))
        return
    heading = f"{arguments.client} {version(arguments.python, arguments.client)}: {len(chosen)} {source}"
    if arguments.compare:
        good = suite_compare.compare(suite, chosen, heading, counted)
    else:
        verdicts = suite.run(chosen)
        text = summary(heading, verdicts)
        good = len(verdicts) == len(chosen)
        print(text, end="")
        write(arguments.out, text)
        write(arguments.failures, "\n".join(suite_compare.failure("", line) for line in verdicts.values()
                                            if line["verdict"] in ("failed", "died", "timeout")))
        if not good:
            print(f"{len(verdicts)} verdicts of {len(chosen)} tests", file=sys.stderr)
    print("\n".join(suite.notes), file=sys.stderr)
    sys.exit(0 if good else 1)


main()
