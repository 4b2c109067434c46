"""Functions of the host as tasks, beside launches and in order with them."""

import gc
import threading
import time

import numpy as np
import pytest

import heddle
from heddle._runtime import Device, _device_for_functions


def test_results_and_order(rt, k):
    x, total = rt.array(np.full(64, 2, np.float32)), rt.array(np.float32, 1)
    k.square[1, 64](x, 64)

    def add_up(values, to):
        assert not values.flags.writeable and to.flags.writeable
        assert values.shape == (64,) and values.dtype == np.float32
        to[0] += values.sum()
        return "done", threading.get_ident()

    call = rt.call_async(add_up, [x], [total])
    k.square[1, 1](total, 1)
    assert total[0] == 256.0 ** 2
    text, thread = call.result()
    assert text == "done" and thread != threading.get_ident()
    assert call.done and call.device == "cpu" and "done" in repr(call)
    call.wait()
    assert call.result() == (text, thread)


def test_the_host_goes_on(rt):
    x, y = rt.array(np.float32, 4), rt.array(np.float32, 4)
    begun, may_end = threading.Event(), threading.Event()

    def function(values):
        begun.set()
        assert may_end.wait(60)
        values[:] = 5

    call = rt.call_async(function, outputs=[x])
    assert begun.wait(60)
    assert not call.done
    y[0] = 1  # nobody uses it
    later = rt.call_async(lambda values: values.sum(), [x])
    assert not later.done
    may_end.set()
    assert later.result() == 20 and call.done
    assert (x == 5).all()


def test_views_and_empty_arrays(rt):
    x = rt.array(np.zeros((4, 8), np.int32))
    rt.call_async(lambda row: row.fill(7), outputs=[x[1]]).wait()
    assert (x.numpy().sum(axis=1) == [0, 56, 0, 0]).all()
    assert rt.call_async(lambda values: values.size, [rt.array(np.float32, 0)]).result() == 0
    assert rt.call_async(lambda: 3).result() == 3


def test_what_it_raises_is_told_to_who_depends_on_it(rt, k):
    x, y = rt.array(np.float32, 4), rt.array(np.float32, 4)
    call = rt.call_async(lambda values: 1 // 0, outputs=[x])
    k.square[1, 4](x, 4)
    after = rt.call_async(lambda values: values.sum(), [x], [y])
    with pytest.raises(ZeroDivisionError) as caught:
        call.result()
    assert "<lambda>" in "".join(entry.name for entry in caught.traceback)
    with pytest.raises(heddle.Error, match="given to Runtime.call_async raised ZeroDivisionError: integer division"):
        after.result()
    rt.synchronize()
    assert rt.call_async(lambda values: "again", [x]).result() == "again"


def test_functions_that_are_dropped_are_called_all_the_same(rt):
    called = []
    for i in range(50):
        x = rt.array(np.float32, 8)
        rt.call_async(lambda values, i=i: called.append(i), outputs=[x])
        del x
    rt.synchronize()
    gc.collect()
    assert sorted(called) == list(range(50))


def test_arrays_that_end_inside_a_function(rt):
    """Their end waits for what uses them, which the function must not."""
    x = rt.array(np.float32, 8)
    held = [x]
    begun, may_go_on = threading.Event(), threading.Event()

    def function(values):
        begun.set()
        assert may_go_on.wait(60)
        held.clear()
        return 1

    call = rt.call_async(function, outputs=[x])
    assert begun.wait(60)
    del x
    may_go_on.set()
    assert call.result() == 1


def test_the_runtime_inside_a_function(rt, k):
    x, y = rt.array(np.float32, 4), rt.array(np.float32, 4)
    with pytest.raises(heddle.InvalidArgument, match="used its own runtime, which would wait for itself"):
        rt.call_async(lambda values: k.square[1, 4](y, 4), outputs=[x]).result()
    with pytest.raises(heddle.InvalidArgument, match="used its own runtime"):
        rt.call_async(lambda values: rt.synchronize(), outputs=[x]).result()
    with pytest.raises(heddle.InvalidArgument, match="used its own runtime"):
        rt.call_async(lambda values: rt.call_async(lambda: 1), outputs=[x]).result()
    rt.call(lambda values: k.square[1, 4](y, 4), [x])  # there it may
    assert (y == 0).all()


def test_under_other_policies():
    for policy in [{"execution": "sync"}, {"dependences": "no_const"}, {"prefetch": False}]:
        rt = heddle.Runtime("interp,cpu", scheduling=policy)
        x = rt.array(np.arange(8, dtype=np.float32))
        call = rt.call_async(lambda values: values.sum(), [x])
        assert call.result() == 28
        assert call.device == "cpu"  # the interpreter keeps its memory to itself
        with pytest.raises(heddle.Unsupported, match="memory of interp is not the host's"):
            rt.call_async(len, [x], device="interp")
        with pytest.raises(ZeroDivisionError):
            rt.call_async(lambda values: 1 // 0, [x]).result()


def test_many_threads(rt):
    x = rt.array(np.zeros(1, np.int64))

    def add(values):
        values[0] += 1

    def work():
        for _ in range(50):
            rt.call_async(add, outputs=[x])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert x[0] == 200


def test_what_is_refused(rt):
    x = rt.array(np.float32, 1)
    with pytest.raises(TypeError, match="takes a function first, not a value of type int"):
        rt.call_async(3, [x])
    with pytest.raises(TypeError, match="takes heddle.Arrays, not a value of type ndarray"):
        rt.call_async(len, [np.zeros(1)])
    with pytest.raises(TypeError, match="takes lists of heddle.Arrays, not a value of type Array"):
        rt.call_async(len, x)
    with pytest.raises(heddle.InvalidArgument, match="an array of another heddle.Runtime"):
        rt.call_async(len, [heddle.Runtime("interp").array(np.float32, 1)])
    with pytest.raises(heddle.NotFound, match="no device 'moon'; it has cpu"):
        rt.call_async(len, [x], device="moon")
    with pytest.raises(TypeError, match="it is the id of a device"):
        rt.call_async(len, [x], device=0)
    closed = heddle.Runtime("interp")
    y = closed.array(np.float32, 1)
    closed.close()
    with pytest.raises(heddle.InvalidArgument, match="closed"):
        closed.call_async(len, [y])


def test_devices_whose_memory_is_not_the_hosts():
    def device(id, host_memory):
        return Device(id, id, 1, 32, 0, 1, host_memory, (9, 0), 1024, 1)

    gpus, both = [device("cuda:0", False), device("cuda:1", False)], [device("cuda:0", False), device("cpu", True)]
    assert _device_for_functions(both, "") == _device_for_functions(both, "cpu") == "cpu"
    with pytest.raises(heddle.Unsupported, match=r"memory of cuda:0, cuda:1 is not the host's; open the CPU device as well"):
        _device_for_functions(gpus, "")
    with pytest.raises(heddle.Unsupported, match="memory of cuda:0 is not the host's"):
        _device_for_functions(both, "cuda:0")
