"""Tenants: launches of several clients under policies."""

import numpy as np
import pytest

import heddle

SOURCE = """
extern "C" __global__ void add(int* x, int by) { x[blockIdx.x * blockDim.x + threadIdx.x] += by; }
"""


@pytest.mark.parametrize("policy", ["direct", "lithos", "reef", "timeslice:100"])
def test_results_are_those_of_the_programs_order(policy):
    runtime = heddle.Runtime("cpu", policy=policy)
    add = runtime.compile(SOURCE).add
    search = runtime.tenant("search", kind="latency", quota=0.5)
    train = runtime.tenant("train")
    mine, shared = runtime.array(np.int32, 1024), runtime.array(np.int32, 1024)
    for number in range(20):
        add[32, 32].options(tenant=search)(mine, number)
        add[32, 32].options(tenant=train)(shared, 2)
        add[32, 32](shared, 3)
        search.set(quota=number / 20)
    assert (mine[:] == sum(range(20))).all()
    assert (shared[:] == 100).all()
    assert (search.name, search.kind, search.quota) == ("search", "latency", 19 / 20)
    assert repr(train) == "<heddle.Tenant 'train' batch quota=0>"


def test_what_makes_no_sense_is_refused():
    runtime = heddle.Runtime("interp", policy="lithos")
    with pytest.raises(heddle.InvalidArgument, match="0 to 1"):
        runtime.tenant("a", quota=2)
    with pytest.raises(heddle.InvalidArgument, match="'latency' or 'batch'"):
        runtime.tenant("a", kind="fast")
    with pytest.raises(heddle.InvalidArgument, match="needs a name"):
        runtime.tenant("")
    with pytest.raises(TypeError, match="it is a number"):
        runtime.tenant("a", quota="half")
    tenant = runtime.tenant("a", quota=0.5)
    with pytest.raises(heddle.InvalidArgument, match="0 to 1"):
        tenant.set(quota=-1)
    assert tenant.quota == 0.5
    add = heddle.Runtime("interp").compile(SOURCE).add
    with pytest.raises(TypeError, match="Runtime.tenant"):
        add[1, 1].options(tenant="a")
