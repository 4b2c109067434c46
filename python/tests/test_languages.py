"""Row 16 of GrCUDA's checklist: one program, written in C++ (tests/runtime/languages_test.cpp) and in Python, has one DAG."""

import pathlib
import re

import numpy as np
import pytest

import heddle

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data" / "languages"


def without_times(dot):
    """A graph for Graphviz without times, and with its vertices numbered in the order in which they were launched."""
    numbers, vertices, edges = {}, "", ""
    for line in dot.splitlines():
        if found := re.fullmatch(r' *(v\d+) \[label="([^"]*)".*tooltip="[^,]*, ([^,]*), [^"]*"\];', line):
            number = numbers.setdefault(found[1], len(numbers) + 1)
            vertices += f"{number}: {found[2]}, {found[3]}\n"
        elif found := re.fullmatch(r" *(v\d+) -> (v\d+)(?: \[(.*)\])?;", line):
            edges += f"{numbers[found[1]]} -> {numbers[found[2]]}" + (f" {found[3]}" if found[3] else "") + "\n"
    return vertices + edges


@pytest.mark.skipif(not DATA.exists(), reason="the tests are not in the project's folder")
def test_have_one_dag(tmp_path):
    rt = heddle.Runtime("cpu", workers=2, trace=tmp_path / "t.json")
    k = rt.compile(DATA / "vec.ptx")
    n = 64
    x, y = rt.array(np.full(n, 3, np.float32)), rt.array(np.full(n, 2, np.float32))
    z, total = rt.array(np.zeros(1, np.float32)), rt.array(np.zeros(n, np.float32))
    k.square[2, 32](x, n)
    k.square[2, 32](y, n)
    k.reduce[2, 32](x, y, z, n)
    assert z[0] == 5 * n
    k.square[1, 32](x[: n // 2], n // 2)
    k.square[1, 32](x[n // 2 :], n // 2)
    k.add[2, 32](x, total, n)
    k.add[2, 32](y, total, n)
    assert total[0] == total[n - 1] == 85
    rt.synchronize()
    rt.trace(tmp_path / "t.dot")
    assert without_times((tmp_path / "t.dot").read_text()) == (DATA / "vec.dag").read_text()
