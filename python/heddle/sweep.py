"""Sweeps of the simulated GPU on Ray: each run of `heddle sim sweep` is a task, on whatever node has a core for it.

    python3 -m heddle.sweep sweep.toml                        # a cluster of this machine's cores
    python3 -m heddle.sweep sweep.toml --address auto         # the cluster that this node is a part of

The sweep's folder, with its file of results, must be one that all nodes share. Runs that are there are not repeated. A
run that fails is noted in the file with its message, and the others go on.
"""

import argparse
import os
import shutil
import subprocess
import sys


def run_numbers(program: str, file: str) -> list:
    """The numbers of the sweep's runs, from 1. Raises CalledProcessError where the sweep is refused."""
    listed = subprocess.run([program, "sim", "sweep", file, "--list"], check=True, stdout=subprocess.PIPE, text=True)
    first = (line.split(maxsplit=1)[0] for line in listed.stdout.splitlines() if line.split())
    return [int(word) for word in first if word.isdigit()]


def simulate(program: str, file: str, number: int) -> tuple:
    """One run, in the process that calls. Its number, exit code and what it printed."""
    ran = subprocess.run([program, "sim", "sweep", file, "--only", str(number), "--wait"], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    return number, ran.returncode, ran.stdout


def run(file: str, *, program: str = "heddle", address=None, report=print) -> list:
    """Does all runs of a sweep on Ray. Returns the numbers of those that failed. `report` gets a line for each.

    Uses the cluster that this process is connected to, else the one at `address`, else starts one of this machine's
    cores. A task whose node is lost is done again on another.
    """
    import ray

    file = os.path.abspath(file)
    program = shutil.which(program) or program
    numbers = run_numbers(program, file)
    started = not ray.is_initialized()
    if started:
        ray.init(address=address, log_to_driver=False)
    try:
        task = ray.remote(num_cpus=1, max_retries=3)(simulate)
        waiting = [task.remote(program, file, number) for number in numbers]
        failed = []
        while waiting:
            done, waiting = ray.wait(waiting, num_returns=1)
            number, code, output = ray.get(done[0])
            if code != 0:
                failed.append(number)
            lines = [line for line in output.splitlines() if line.startswith("[")] or output.splitlines()[-1:]
            report(f"[{len(numbers) - len(waiting)}/{len(numbers)}] run {number}: " +
                   (lines[0].split("] ", 1)[-1] if lines else f"exit code {code}"))
        return sorted(failed)
    finally:
        if started:
            ray.shutdown()


def main(words=None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m heddle.sweep", description="A sweep of the simulated GPU on Ray.")
    parser.add_argument("file", help="the sweep, TOML, as of heddle sim sweep")
    parser.add_argument("--address", help="a Ray cluster, as auto; without: this machine's cores")
    parser.add_argument("--program", default="heddle", help="the command heddle, by the same path on all nodes")
    options = parser.parse_args(words)
    try:
        import ray  # noqa: F401
    except ImportError:
        print("heddle.sweep: Ray is not installed: python3 -m pip install ray", file=sys.stderr)
        return 1
    try:
        failed = run(options.file, program=options.program, address=options.address,
                     report=lambda line: print(line, file=sys.stderr, flush=True))
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"heddle.sweep: {error}", file=sys.stderr)
        return 1
    subprocess.run([options.program, "sim", "sweep", options.file, "--show"], check=True)
    if failed:
        print(f"heddle.sweep: failed: {', '.join(map(str, failed))}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
