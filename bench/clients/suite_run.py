"""Runs tests in several processes of pytest, each test once, and says what became of each of them.

The processes take the next test that none of them has (suite_plugin/suite_verdicts.py). A test that lasts longer than
its limit is ended with its process, and one may end its process itself. That loses no other test: the process is
started again for the tests that are left.
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

START_LIMIT = 180  # seconds to import the client and to collect its tests
BARREN_STARTS = 3  # starts in a row without a test, after which a process is not started again


class Worker:
    """One process of pytest, and those that follow it."""

    def __init__(self, number, folder, start):
        self.report = folder / f"report.{number}"
        self.output = folder / f"output.{number}"
        self.start_process = start
        self.read = 0  # characters of the report
        self.barren = 0
        self.process = None
        self.start()

    def start(self):
        self.test = None
        self.finished = False
        self.since = time.monotonic()  # when the test began, or else when it last ended, or the process began
        self.barren += 1
        environment = {"SUITE_REPORT": str(self.report), "SUITE_FOLDER": str(self.report.parent)}
        with open(self.output, "w") as output:
            self.process = self.start_process(environment, output)

    def lines(self):
        """What the process has reported since the last call, whole lines only."""
        if not self.report.exists():
            return []
        with open(self.report, errors="replace") as file:
            file.seek(self.read)
            text = file.read()
        whole = text[:text.rfind("\n") + 1]
        self.read += len(whole.encode())
        return [json.loads(line) for line in whole.splitlines()]

    def end(self):
        """Ends the process with all that it started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def interrupt(self):
        """Has Python write where it is, then ends the process. pytest enables that for SIGABRT (faulthandler)."""
        try:
            os.killpg(self.process.pid, signal.SIGABRT)
            self.process.wait(timeout=3)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
        self.end()

    def said(self):
        return self.output.read_text(errors="replace")[-4000:]


class Run:
    """`start(environment, output)` starts a process of pytest, the head of its process group. `test_limit` and `limit`
    are seconds, of one test and of the run. `progress` is called with the verdicts about every ten seconds."""

    def __init__(self, start, chosen, processes, test_limit, limit, progress=None):
        self.start, self.chosen, self.processes = start, chosen, processes
        self.test_limit, self.limit, self.progress = test_limit, limit, progress
        self.verdicts = {}  # of each test that has one: {"name", "verdict", "seconds", "text"}
        self.notes = []  # what happened to processes outside of tests

    def run(self):
        end = time.monotonic() + self.limit
        told = time.monotonic()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "claims").mkdir()
            (folder / "chosen").write_text(json.dumps(self.chosen))
            workers = [Worker(number, folder, self.start) for number in range(self.processes)]
            try:
                while workers and time.monotonic() < end:
                    time.sleep(0.1)
                    workers = [worker for worker in workers if self.look_at(worker, folder)]
                    if self.progress and time.monotonic() > told + 10:
                        told = time.monotonic()
                        self.progress(self.verdicts)
                if workers:
                    running = ", ".join(worker.test for worker in workers if worker.test)
                    self.notes.append(f"the run ended at its limit of {self.limit} s, in: {running or 'no test'}")
            finally:
                for worker in workers:
                    worker.end()
        return self.verdicts

    def look_at(self, worker, folder):
        """Whether the worker goes on."""
        ended = worker.process.poll() is not None  # first: what it has reported by then is all
        for line in worker.lines():
            self.take(worker, line)
        waited = time.monotonic() - worker.since
        if ended:
            return self.after_end(worker, folder)
        if worker.test and waited > self.test_limit:
            worker.interrupt()
            self.judge(worker, "timeout", waited)
            return self.again(worker, folder)
        if not worker.test and waited > START_LIMIT:
            worker.end()
            self.notes.append(f"a process {'did not end' if worker.finished else 'ran no test'} in {START_LIMIT} s")
            return not worker.finished and self.again(worker, folder)
        return True

    def take(self, worker, line):
        if "begins" in line:
            worker.test, worker.since, worker.barren = line["name"], time.monotonic(), 0
        elif "ends" in line:
            worker.test, worker.since = None, time.monotonic()
        elif "finished" in line:
            worker.finished = True
        elif "verdict" in line:  # the last word on each test, but a clean-up that fails counts for the test
            if self.verdicts.get(line["name"], {}).get("verdict") != "failed":
                self.verdicts[line["name"]] = line

    def judge(self, worker, verdict, seconds):
        self.verdicts[worker.test] = {"name": worker.test, "verdict": verdict, "seconds": round(seconds, 1),
                                      "text": f"code {worker.process.returncode}\n{worker.said()}"}

    def after_end(self, worker, folder):
        worker.end()  # what it has started
        if worker.test:
            self.judge(worker, "died", time.monotonic() - worker.since)
        elif worker.finished:
            if worker.process.returncode not in (0, 1):  # pytest: 1 where a test failed
                self.notes.append(f"a process ended with code {worker.process.returncode} after its tests")
            return False
        else:
            self.notes.append(f"a process ended before its tests, code {worker.process.returncode}: {worker.said()}")
        return self.again(worker, folder)

    def again(self, worker, folder):
        if worker.barren >= BARREN_STARTS or len(os.listdir(folder / "claims")) >= len(self.chosen):
            return False
        worker.start()
        return True
