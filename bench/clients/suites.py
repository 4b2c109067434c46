#!/usr/bin/env python3
"""Runs tests of CUDA's Python clients, their own, on the CPU device, and writes what passed. With --compare: bare and
under `heddle run` on a GPU, and writes which verdicts differ.

The tests are those at equal distances in the sorted list of all, so that the choice does not depend on what they do.
The exit code is 1 where fewer verdicts come back than tests were chosen, or verdicts differ.

    suites.py numba --heddle PREFIX/bin/heddle                        tests of the installed numba-cuda
    suites.py warp --heddle PREFIX/bin/heddle                         those of the installed Warp on a CUDA device
    suites.py cupy --heddle ... --tests CUPY/tests/cupy_tests/core_tests    CuPy's sources
    suites.py tinygrad --heddle ... --tests TINYGRAD/test/backend/test_ops.py  tinygrad's sources; needs PyTorch
"""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# Of each client: its package, the folder of its tests in it, which tests count, what its environment needs.
CLIENTS = {
    "numba": {"package": "numba_cuda", "inside": "numba/cuda/tests", "count": r"^(?!benchmarks/|cudasim/)",
              "options": ["-o", "consider_namespace_packages=true"]},
    "warp": {"package": "warp", "inside": "tests", "count": r"cuda_0", "options": ["--import-mode=importlib"]},
    "cupy": {"package": "cupy", "count": "", "cpu_environment": {"CUPY_COMPILE_WITH_PTX": "1"},
             "options": ["--import-mode=importlib"]},
    "tinygrad": {"package": "tinygrad", "count": "", "environment": {"DEV": "CUDA"},
                 "options": ["--import-mode=importlib"]},
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
    parser.add_argument("--only", help="a file with names of tests, one a line: these instead of equal distances")
    parser.add_argument("--compare", action="store_true", help="bare and under heddle run, on a GPU")
    parser.add_argument("--out", help="a file for the summary")
    parser.add_argument("--failures", help="a file for what failed, with its text")
    return parser.parse_args()


def package_folder(python, package):
    code = f"import importlib.util as u; print(u.find_spec({package!r}).submodule_search_locations[0])"
    return pathlib.Path(subprocess.check_output([python, "-c", code], text=True).strip())


def version(python, client):
    name = {"numba": "numba-cuda", "cupy": "cupy-cuda12x", "warp": "warp-lang"}.get(client, client)
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    return subprocess.check_output([python, "-c", code], text=True).strip()


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

    def pytest(self, options, environment, bare):
        """Runs pytest in an empty folder, so that no file of the caller's is taken for a module."""
        heddle = [str(pathlib.Path(self.arguments.heddle).resolve()), "run"]
        if not self.arguments.compare:
            heddle += ["--device", "cpu"]
            environment = dict(self.client.get("cpu_environment", {}), **environment)
        command = [*([] if bare else heddle), self.arguments.python, "-m", "pytest", "-p", "suite_verdicts",
                   "-p", "no:cacheprovider", f"--rootdir={self.root}", "-q", "--tb=short",
                   *self.client.get("options", []), *options, str(self.tests)]
        path = os.pathsep.join([str(HERE / "suite_plugin"), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        full = dict(os.environ, PYTHONPATH=path, **self.client.get("environment", {}), **environment)
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=folder, env=full)

    def collect(self):
        with tempfile.TemporaryDirectory() as folder:
            listed = pathlib.Path(folder) / "tests"
            done = self.pytest(["--collect-only"], {"COLLECTED_TESTS": str(listed)}, bare=self.arguments.compare)
            if not listed.exists():
                sys.exit(f"no tests were found:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            found = [name for name in json.loads(listed.read_text()) if re.search(self.client["count"], name)]
        return found

    def choose(self, found):
        if self.arguments.only:
            wanted = set(pathlib.Path(self.arguments.only).read_text().splitlines())
            return [name for name in found if name in wanted]
        count = min(self.arguments.count, len(found))
        return [found[i * len(found) // count] for i in range(count)]

    def run(self, chosen, bare=False):
        """The last word on each test: {name: its line}. A clean-up that fails counts for the test."""
        with tempfile.TemporaryDirectory() as folder:
            listed, said = pathlib.Path(folder) / "chosen", pathlib.Path(folder) / "verdicts"
            listed.write_text(json.dumps(chosen))
            options = ["-n", str(self.arguments.processes), "--max-worker-restart=1000",
                       f"--timeout={self.arguments.timeout}", "--timeout-method=thread"]
            done = self.pytest(options, {"CHOSEN_TESTS": str(listed), "VERDICTS": str(said)}, bare)
            lines = [json.loads(line) for line in said.read_text().splitlines()] if said.exists() else []
        verdicts = {}
        for line in lines:
            if verdicts.get(line["name"], {}).get("verdict") != "failed":
                verdicts[line["name"]] = line
        return verdicts, done


def summary(suite, found, chosen, verdicts):
    arguments = suite.arguments
    counts = collections.Counter(line["verdict"] for line in verdicts.values())
    ran = counts["passed"] + counts["failed"]
    share = 100 * counts["passed"] / ran if ran else 0
    lines = [f"{arguments.client} {version(arguments.python, arguments.client)}: {len(chosen)} of {len(found)} tests",
             f"passed {counts['passed']}, failed {counts['failed']}, skipped {counts['skipped']}, "
             f"failed as the client expects {counts['expected failure']}",
             f"{share:.1f} % of those that ran passed"]
    failed = sorted(line["name"] for line in verdicts.values() if line["verdict"] == "failed")
    return "\n".join(lines + [""] + [f"failed {name}" for name in failed]) + "\n"


def main():
    arguments = parse()
    suite = Suite(arguments)
    found = suite.collect()
    chosen = suite.choose(found)
    verdicts, done = suite.run(chosen)
    text = summary(suite, found, chosen, verdicts)
    different = []
    if arguments.compare:
        bare, _ = suite.run(chosen, bare=True)
        different = [name for name in chosen if bare.get(name, {}).get("verdict") != verdicts.get(name, {}).get("verdict")]
        text += f"{len(bare)} verdicts bare, {len(different)} different\n" + "".join(f"different {n}\n" for n in different)
    print(text, end="")
    if arguments.out:
        pathlib.Path(arguments.out).write_text(text)
    if arguments.failures:
        failures = [f"==== {line['name']} ({line['seconds']} s)\n{line['text']}\n" for line in verdicts.values()
                    if line["verdict"] == "failed"]
        pathlib.Path(arguments.failures).write_text("\n".join(failures))
    if len(verdicts) < len(chosen):
        sys.exit(f"{len(verdicts)} verdicts of {len(chosen)} tests\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    sys.exit(1 if different else 0)


main()
