"""Trees of kernels from Python, on the CPU device and the interpreter."""

import threading

import heddle
import numpy as np
import pytest
from heddle import skeleton as sk

KERNELS = """
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
extern "C" __global__ void number(int size, long long offset, int* to) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 2; ++k) if (i + k < size) to[i + k] = (int)(offset + i + k);
}
extern "C" __global__ void scale(int n, float a, const float* from, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = a * from[i];
}
extern "C" __global__ void mean(int size, int total, const float* all, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = 0;
  for (int k = 0; k < total; ++k) sum += all[k];
  to[i] = sum / total + 1;
}
extern "C" __global__ void largest(int n, const float* from, float* to) {
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  for (int i = 0; i < n; ++i) to[0] = fmaxf(to[0], from[i]);
}
extern "C" __global__ void histogram(int n, const int* values, unsigned* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(bins + (values[i] & 15), 1u);
}
"""


@pytest.fixture(scope="module")
def rt():
    # Two simulated parts of the GPUs' kind, and the CPU.
    with heddle.Runtime("cpu,sim:fermi-gtx480") as runtime:
        yield runtime


@pytest.fixture(scope="module")
def k(rt):
    return rt.compile(KERNELS)


def executor(rt, **options):
    return sk.Executor(rt, **{"knowledge": "none", "gpu_share": 0.5, "speeds": {one.id: 1 for one in rt.devices}, **options})


def test_a_map_returns_at_once_and_splits_the_work(rt, k):
    x, y = rt.array(np.arange(4096, dtype=np.float32)), rt.array(np.ones(4096, np.float32))
    saxpy = sk.map(sk.kernel(k.saxpy, sk.total, 2.0, sk.arg(0), sk.arg(1)))
    assert saxpy.name.startswith("map(saxpy) ")
    run = saxpy.run(executor(rt), x, y)
    report = run.result()
    assert run.done
    assert np.array_equal(y.numpy(), 2 * np.arange(4096, dtype=np.float32) + 1)
    assert sorted(part.device for part in report.parts) == sorted(one.id for one in rt.devices)
    assert [part.count for part in report.parts] == [2048, 2048]
    assert report.gpu_share == 0.5 and report.kernels == ("saxpy",) and report.why == "as the options say"


def test_runs_that_nobody_holds_go_on(rt, k):
    x, y = rt.array(np.ones(4096, np.float32)), rt.array(np.zeros(4096, np.float32))
    on = executor(rt)
    saxpy = sk.map(sk.kernel(k.saxpy, sk.total, sk.arg(2), sk.arg(0), sk.arg(1)))
    for factor in (1, 2, 3):
        saxpy.run(on, x, y, factor)
    saxpy.run(on, x, y, 4.0).wait()  # runs are served in their order
    assert y[4095] == 10


def test_units_sizes_and_offsets(rt, k):
    to = rt.array(np.int32, 10_000)
    tree = sk.kernel(k.number, sk.size, sk.offset, sk.arg(0).unit(4), block=64, per_thread=2)
    report = tree.run(executor(rt, gpu_share=0.3), to).result()
    assert len(report.parts) == 2
    assert np.array_equal(to.numpy(), np.arange(10_000))


def test_a_loop_with_global_state(rt, k):
    a, b = rt.array(np.arange(256, dtype=np.float32)), rt.array(np.float32, 256)
    tree = sk.loop(sk.kernel(k.mean, sk.size, sk.total, sk.arg(0).copy(), sk.arg(1), block=64), 3, swap=[(0, 1)],
                   global_sync=True)
    assert tree.run(executor(rt), a, b).result().barriers == 3
    assert np.all(b.numpy() == 127.5 + 3)


def test_a_while_loop_whose_functions_change_numbers(rt, k):
    a = rt.array(np.ones(4096, np.float32))
    seen, lock = [], threading.Lock()

    def update(view):
        with lock:
            seen.append(view.iteration)
        view.set(1, 3.0)

    tree = sk.loop(sk.kernel(k.scale, sk.total, sk.arg(1), sk.arg(0), sk.arg(0)),
                   condition=lambda view: view.read(0, np.float32)[-1] < 100, update=update)
    tree.run(executor(rt), a, 2).wait()
    assert a[0] == a[4095] == 162  # 2, 6, 18, 54, 162
    assert sorted(seen) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_reductions_on_devices_and_on_the_host(rt, k):
    values = np.arange(6000, dtype=np.int32)
    bins = rt.array(np.full(16, 5, np.uint32))
    tree = sk.map(sk.kernel(k.histogram, sk.total, sk.arg(0), sk.arg(1).merge("add")))
    tree.run(executor(rt), rt.array(values), bins).wait()
    assert np.array_equal(bins.numpy(), 5 + np.bincount(values & 15))

    x, y = rt.array(np.full(4096, 0.5, np.float32)), rt.array(np.float32, 4096)
    scaled = sk.kernel(k.scale, sk.total, 4.0, sk.arg(0), sk.arg(1))
    assert sk.map_reduce(scaled, np.sum, [1]).run(executor(rt), x, y).result() == 8192
    with pytest.raises(heddle.InvalidArgument, match="merge"):
        sk.map_reduce(scaled, sk.kernel(k.histogram, sk.total, sk.arg(0), sk.arg(1)))


def test_a_merge_function_of_numpy(rt, k):
    rng = np.random.default_rng(1)
    values = rng.normal(size=4096).astype(np.float32)
    result = rt.array(np.zeros(1, np.float32))
    tree = sk.map(sk.kernel(k.largest, sk.size, sk.arg(0).unit(256),
                            sk.arg(1).merge(np.maximum, np.float32(-np.inf))))
    assert len(tree.run(executor(rt), rt.array(values), result).result().parts) == 2
    assert result[0] == values.max()


def test_a_pipeline_is_tuned_and_found_again(rt, k, tmp_path):
    x, y = rt.array(np.ones(4096, np.float32)), rt.array(np.float32, 4096)
    tree = sk.pipeline(sk.kernel(k.scale, sk.total, 2.0, sk.arg(0), sk.arg(1)),
                       sk.kernel(k.scale, sk.total, 3.0, sk.arg(1), sk.arg(1)))
    file = str(tmp_path / "k.sqlite")
    executor(rt, gpu_share=None, knowledge=file).tune(tree, x, y)
    assert y[0] == 0, "a search leaves the arrays as they were"
    report = tree.run(executor(rt, gpu_share=None, knowledge=file), x, y).result()
    assert "configurations that were tried" in report.why
    assert y[0] == 6


def test_an_error_of_a_function_is_raised_by_the_result(rt, k):
    a = rt.array(np.ones(4096, np.float32))

    def update(view):
        raise ValueError("no further")

    tree = sk.loop(sk.kernel(k.scale, sk.total, 2.0, sk.arg(0), sk.arg(0)), 1000, update=update, global_sync=True)
    with pytest.raises(heddle.InvalidArgument, match="ValueError: no further"):
        tree.run(executor(rt), a).result()


def test_views_of_loops_end_with_their_function(rt, k):
    a = rt.array(np.ones(4096, np.float32))
    kept = []
    sk.loop(sk.kernel(k.scale, sk.total, 2.0, sk.arg(0), sk.arg(0)), 1, update=kept.append).run(executor(rt), a).wait()
    with pytest.raises(heddle.InvalidArgument, match="only in the function"):
        kept[0].iteration


@pytest.mark.parametrize("make, error, text", [
    (lambda k: sk.kernel(k.saxpy, sk.total, 2.0, sk.arg(0)), TypeError, "4 parameters, but 3"),
    (lambda k: sk.kernel(k.saxpy, sk.total, sk.total, sk.arg(0), 3), TypeError, "heddle.Array|number"),
    (lambda k: sk.kernel(k.saxpy, sk.total, "two", sk.arg(0), sk.arg(1)), TypeError, "parameter a"),
    (lambda k: sk.kernel(k.saxpy, 1 << 40, 2.0, sk.arg(0), sk.arg(1)), OverflowError, "does not fit"),
    (lambda k: sk.arg(-1), ValueError, "arg"),
    (lambda k: sk.arg(0).unit(0), ValueError, "unit"),
    (lambda k: sk.arg(0).merge("maximum"), ValueError, "add, subtract"),
    (lambda k: sk.arg(0).merge(np.maximum), TypeError, "neutral"),
    (lambda k: sk.kernel(k.saxpy, sk.total, 2.0, sk.arg(0), sk.arg(1).merge(np.maximum, np.int32(0))), ValueError, "argument 1"),
    (lambda k: sk.pipeline(), ValueError, "at least one"),
    (lambda k: sk.loop(sk.kernel(k.scale, sk.total, 2.0, sk.arg(0), sk.arg(0))), ValueError, "iterations"),
    (lambda k: sk.map(3), TypeError, "tree"),
])
def test_mistakes_are_refused_when_the_tree_is_made(k, make, error, text):
    with pytest.raises(error, match=text):
        make(k)


def test_arguments_that_do_not_fit_are_refused_by_run(rt, k):
    x = rt.array(np.float32, 4096)
    saxpy = sk.map(sk.kernel(k.saxpy, sk.total, 2.0, sk.arg(0), sk.arg(1)))
    on = executor(rt)
    with pytest.raises(heddle.InvalidArgument, match="needs argument 1"):
        saxpy.run(on, x)
    with pytest.raises(TypeError, match="NumPy array"):
        saxpy.run(on, x, np.zeros(4096, np.float32))
    with pytest.raises(TypeError, match="no kernel of the tree takes it as a number"):
        saxpy.run(on, x, 3)
    with heddle.Runtime("cpu") as other:
        with pytest.raises(heddle.InvalidArgument, match="another heddle.Runtime"):
            saxpy.run(on, x, other.array(np.float32, 4096))
    with pytest.raises(heddle.InvalidArgument, match="0 to 1"):
        sk.Executor(rt, gpu_share=1.5)
    for deviation in (1.5, -1, float("nan")):
        with pytest.raises(heddle.InvalidArgument, match="max_deviation is .*; it is 0 to 1"):
            sk.Executor(rt, max_deviation=deviation)
    with pytest.raises(heddle.InvalidArgument, match="from 0 to 4"):
        sk.Executor(rt, overlap=5)
    with pytest.raises(heddle.InvalidArgument, match="the tree uses 2 arguments, but run\\(\\) got 3"):
        saxpy.run(on, x, x, x)


def test_what_a_loop_cannot_swap_is_named(rt, k):
    on = executor(rt, gpu_share=None)
    a, b, none, doubles = (rt.array(dtype, n) for dtype, n in
                           ((np.float32, 4096), (np.float32, 4096), (np.float32, 0), (np.float64, 4096)))
    tree = sk.loop(sk.kernel(k.scale, sk.total, 2.0, sk.arg(0), sk.arg(1)), 2, swap=[(0, 2)])
    with pytest.raises(heddle.InvalidArgument, match="argument 2 has no elements; arrays that a loop swaps have one"):
        tree.run(on, a, b, none)
    with pytest.raises(heddle.InvalidArgument, match="argument 0 is an array of float and argument 2 of double"):
        tree.run(on, a, b, doubles)


@pytest.mark.parametrize("function, text", [
    (lambda view: view.read(-1, np.float32), r"read\(slot\) is -1; it is the number of an argument from 0 to 255"),
    (lambda view: view.read("x", np.float32), r"read\(slot\) is 'x'; it is the number of an argument"),
    (lambda view: view.read(1 << 40, np.float32), r"read\(slot\) is 1099511627776; it is"),
    (lambda view: view.read(7, np.float32), "reads argument 7, but run\\(\\) got 2 arguments"),
    (lambda view: view.read(0, "zz"), "'zz' is no dtype"),
    (lambda view: view.read(1, np.float32), "reads argument 1, which is a number; it reads arrays"),
    (lambda view: view.read(0, np.float64), "as elements of 8 bytes, but the elements of that array have 4"),
    (lambda view: view.set(-1, 2), r"set\(slot\) is -1; it is the number of an argument from 0 to 255"),
    (lambda view: view.set(0, 2), r"set\(slot\) is 0; it is the number of an argument that a kernel"),
])
def test_what_a_function_of_a_loop_asks_for_wrongly_is_named(rt, k, function, text):
    a = rt.array(np.ones(4096, np.float32))
    tree = sk.loop(sk.kernel(k.scale, sk.total, sk.arg(1), sk.arg(0), sk.arg(0)), 1, update=function)
    with pytest.raises(heddle.InvalidArgument, match=text):
        tree.run(executor(rt), a, 2).result()


@pytest.mark.parametrize("make, text", [
    (lambda rt, body: sk.loop(body, 2, swap=[0, 1]), r"one of swap is 0; it is a pair of numbers of arguments"),
    (lambda rt, body: sk.Executor(rt, gpu_share="half"), r"Executor\(gpu_share\) is 'half'; it is a number from 0 to 1"),
    (lambda rt, body: sk.Executor(rt, max_deviation="x"), r"Executor\(max_deviation\) is 'x'; it is a number"),
    (lambda rt, body: sk.Executor(rt, speeds={"cpu": "fast"}), r"one of Executor\(speeds\) is 'fast'; it is a number"),
])
def test_arguments_of_another_type_are_named(rt, k, make, text):
    with pytest.raises(TypeError, match=text):
        make(rt, sk.kernel(k.scale, sk.total, 2.0, sk.arg(0), sk.arg(1)))


def test_an_array_of_another_type_is_refused_by_its_type(rt, k):
    a, doubles = rt.array(np.float32, 4096), rt.array(np.float64, 4096)
    tree = sk.map(sk.kernel(k.scale, sk.total, 2.0, sk.arg(0), sk.arg(1)))
    with pytest.raises(heddle.InvalidArgument, match="parameter to of kernel scale takes float, but argument 1 is an array of double"):
        tree.run(executor(rt), a, doubles)
