"""A plugin for pytest: runs the tests whose ids are the lines of the file $CHOSEN_TESTS, and no others, and writes the
verdict of each to the file $VERDICTS."""
import os
import pathlib


def pytest_collection_modifyitems(config, items):
    chosen = set(pathlib.Path(os.environ["CHOSEN_TESTS"]).read_text().splitlines())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]


def pytest_terminal_summary(terminalreporter):
    verdicts = [f"{verdict} {report.nodeid}" for verdict in ("passed", "failed", "skipped", "xfailed", "xpassed", "error")
                for report in terminalreporter.stats.get(verdict, [])]
    pathlib.Path(os.environ["VERDICTS"]).write_text("\n".join(verdicts))
