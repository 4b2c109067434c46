"""A plugin for pytest: runs the tests whose ids are in the JSON list of the file $CHOSEN_TESTS, and no others. Each
verdict is a line of JSON in the file $VERDICTS, written when it is known, so that a crash loses none before it."""
import json
import os
import pathlib

import pytest

def pytest_collection_modifyitems(config, items):
    for item in items:  # CuPy's marks: it leaves these tests out on a machine with one GPU
        for mark in {"multi_gpu", "slow"} & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.skip(reason=mark))
    if "CHOSEN_TESTS" not in os.environ:
        return
    chosen = set(json.loads(pathlib.Path(os.environ["CHOSEN_TESTS"]).read_text()))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]


def pytest_collection_finish(session):
    if "COLLECTED_TESTS" in os.environ:
        names = json.dumps(sorted(item.nodeid for item in session.items))
        pathlib.Path(os.environ["COLLECTED_TESTS"]).write_text(names)


def pytest_runtest_logreport(report):
    """Called for the set-up, the test and the clean-up of each; in the process that hands out the tests only."""
    if "PYTEST_XDIST_WORKER" in os.environ or "VERDICTS" not in os.environ:
        return
    part = hasattr(report, "context")  # of a test's subtests: only a failure says something of the test
    if report.passed and (part or report.when != "call"):
        return
    verdict = "expected failure" if hasattr(report, "wasxfail") else report.outcome
    line = {"name": report.nodeid, "verdict": verdict, "seconds": round(report.duration, 1)}
    if report.failed:
        line["text"] = str(report.longrepr)[-6000:]
    with open(os.environ["VERDICTS"], "a") as file:
        file.write(json.dumps(line) + "\n")


@pytest.fixture
def initialize_from_pytest_config(request):
    """What the tests of numba-cuda take from the conftest.py of its repository, which is not in its package."""
    request.cls._dump_failed_filechecks = False
