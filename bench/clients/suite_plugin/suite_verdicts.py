"""A plugin for pytest, for one of the processes that suite_run.py starts. It runs the tests whose ids are in the JSON
list $SUITE_FOLDER/chosen and that no other process has claimed: a claim is a file that only one process can create.
What happens is appended to $SUITE_REPORT when it is known, a line of JSON each, so that a crash loses none before it.
"""
import json
import os
import pathlib

import pytest


def write(**line):
    with open(os.environ["SUITE_REPORT"], "a") as file:
        file.write(json.dumps(line) + "\n")


def claim(number):
    try:
        os.close(os.open(pathlib.Path(os.environ["SUITE_FOLDER"]) / "claims" / str(number), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def pytest_collection_modifyitems(config, items):
    for item in items:  # CuPy's marks: it leaves these tests out on a machine with one GPU
        for mark in {"multi_gpu", "slow"} & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.skip(reason=mark))
    if "SUITE_FOLDER" not in os.environ:
        return
    names = json.loads((pathlib.Path(os.environ["SUITE_FOLDER"]) / "chosen").read_text())
    chosen = config.suite_numbers = {name: number for number, name in enumerate(names)}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]


def pytest_collection_finish(session):
    if "COLLECTED_TESTS" in os.environ:
        names = json.dumps(sorted(item.nodeid for item in session.items))
        pathlib.Path(os.environ["COLLECTED_TESTS"]).write_text(names)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """In place of pytest's loop, which knows the next test when it runs one. Here another process may take it, so each
    test sets up its class and its module, and cleans them up."""
    if "SUITE_FOLDER" not in os.environ or session.config.option.collectonly:
        return None
    write(collected=len(session.items))
    for item in session.items:
        if claim(session.config.suite_numbers[item.nodeid]):
            write(name=item.nodeid, begins=True)
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            write(name=item.nodeid, ends=True)
    write(finished=True)
    return True


def pytest_runtest_logreport(report):
    """Called for the set-up, the test and the clean-up of each."""
    if "SUITE_REPORT" not in os.environ:
        return
    part = hasattr(report, "context")  # of a test's subtests: only a failure says something of the test
    if report.passed and (part or report.when != "call"):
        return
    verdict = "expected failure" if hasattr(report, "wasxfail") else report.outcome
    line = {"name": report.nodeid, "verdict": verdict, "seconds": round(report.duration, 1)}
    if report.failed or report.skipped:
        line["text"] = str(report.longrepr)[-6000:]
    write(**line)


@pytest.fixture
def initialize_from_pytest_config(request):
    """What the tests of numba-cuda take from the conftest.py of its repository, which is not in its package."""
    request.cls._dump_failed_filechecks = False
