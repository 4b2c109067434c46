"""Every public function with values that it does not take: a sentence that says which function or kernel and which of its
arguments, never the text of the binding, and never the end of the process."""

import collections.abc
import ctypes
import decimal
import enum
import fractions
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import heddle

# What the text of pybind11, and of functions far below the interface, looks like.
RAW = ("incompatible function arguments", "Unable to cast", "Invoked with", "pybind11", "_core.", "NoneType' object has no",
       "object has no attribute", "not subscriptable", "unhashable", "expected str, bytes", "can only join", "sequence item",
       "embedded null", "surrogates not allowed", "digits) for integer", "object cannot be interpreted as an integer",
       "No constructor", "__init__() must be called")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Some values are names of files that are written."""
    monkeypatch.chdir(tmp_path)


class Color(enum.Enum):
    RED = 1


class NoRepr:
    def __repr__(self):
        raise RuntimeError("no repr")


class Raises:
    """What Python asks for, and what fails."""

    def fails(self, *args, **kwargs):
        raise RuntimeError("odd")

    __index__ = __int__ = __float__ = __bool__ = __len__ = __iter__ = __array__ = __dlpack__ = __dlpack_device__ = fails


class Whole(int):
    """An integer that is another one to whoever asks."""

    def __index__(self):
        raise KeyError("whole")


def read_only():
    array = np.arange(4, dtype=np.float32)
    array.flags.writeable = False
    return array


ODD = [np.zeros((4, 4), np.float32)[:, ::2], np.zeros(8, np.float32)[::-2], read_only(),
       np.zeros(3, ">f4"), np.zeros(2, np.float16), np.zeros(0, np.float32), np.zeros((1,) * 32, np.float32),
       np.ma.masked_array([1, 2], [0, 1]), np.array(["a", "b"], object), np.array([1, 2], "M8[s]"), memoryview(b"123456")[::2],
       (ctypes.c_float * 3)(), ctypes.c_int(3), ctypes.c_void_p(8), ctypes.pointer(ctypes.c_int(3)), (float("nan"),), (1, None),
       (np.nan, 1), (1 << 64, 1), None, True, -1, 0, 1 << 31, 1 << 63, 1 << 64, -(1 << 63), 10**5000, -(10**5000), 1.5, float("nan"), float("inf"), 1e300,
       1j, "", "odd", "a\0b", "\ud800", "π", "x" * 10000, b"", b"odd", b"\xff", bytearray(4), memoryview(b"1234"), (), (1,),
       (1, 2, 3, 4), [], [1, "a"], [[1], [2, 3]], {}, {"odd": 1}, {1: 2}, set(), frozenset([1]), object, object(), NoRepr(), len,
       lambda: 0, Ellipsis, NotImplemented, slice(None), range(3), iter(()), Color.RED, decimal.Decimal("1.5"),
       fractions.Fraction(1, 3), pathlib.Path("absent"), np.float16(1), np.float64(1), np.int8(-1), np.uint64((1 << 64) - 1),
       np.bool_(True), np.complex64(1), np.datetime64("2020-01-01"), np.str_("odd"), np.bytes_(b"odd"), np.array(1),
       np.array([1, 2]), np.zeros((2, 2)), np.array(["a"]), np.array([None]), np.zeros(2, "i4,f4"), np.dtype("f4"), np.float32,
       "f4", "no dtype", "i4,f4", np.dtype(">f4"), ValueError("odd"), sys]


def attempt(what, *odd):
    """Calls it: it may work, or raise an error of Heddle's or of NumPy's with a sentence of its own."""
    try:
        what()
    except (heddle.Error, TypeError, ValueError, OverflowError, IndexError, AttributeError, BufferError, MemoryError,
            NotImplementedError, AssertionError) as error:
        text = str(error)
        assert not any(raw in text for raw in RAW), f"{what.__name__}{odd!r:.200}: {type(error).__name__}: {text}"
        return error
    return None


def ids(values):
    return [f"{i}-{type(value).__name__}" for i, value in enumerate(values)]


odd_values = pytest.mark.parametrize("odd", ODD, ids=ids(ODD))


@odd_values
def test_runtime(odd):
    for name in ("devices", "workers", "trace", "scheduling", "policy", "memory_budget", "launch_timeout_ms"):
        if name == "trace" or (name == "workers" and type(odd) in (int, np.float16)):
            continue  # some of which are taken; below are others
        error = attempt(lambda: heddle.Runtime(**{"devices": "interp", name: odd}).close())
        if odd is None and name != "scheduling":
            assert isinstance(error, TypeError) and f"Runtime({name}) is None" in str(error)
    for name in ("execution", "most_queues", "early_start_bytes", "prefetch", "placement"):
        attempt(lambda: heddle.Runtime("interp", scheduling={name: odd}).close())
    if isinstance(odd, collections.abc.Hashable) and not isinstance(odd, (slice, memoryview, ctypes._SimpleCData, ctypes.Array,
                                                                          ctypes._Pointer)):
        attempt(lambda: heddle.Runtime("interp", scheduling={odd: 1}))


def test_workers_and_devices_say_what_they_are():
    with pytest.raises(heddle.InvalidArgument, match=r"Runtime\(workers\) is -1; it is a number of threads from 0"):
        heddle.Runtime("cpu", workers=-1)
    with pytest.raises(TypeError, match=r"Runtime\(devices\) is None; it is an id"):
        heddle.Runtime(None)
    for odd in (5, 1.5, [], object(), "a\0b"):
        with pytest.raises(heddle.InvalidArgument, match=r"Runtime\(trace\)"):
            heddle.Runtime("interp", trace=odd)
    with pytest.raises(heddle.InvalidArgument, match=r"opaque\(address\) is 18446744073709551616; it is an address from 0"):
        heddle.opaque(2**64)


@odd_values
def test_functions_of_a_runtime(rt, odd, tmp_path):
    attempt(lambda: rt.measured_bandwidth(odd) if not isinstance(odd, str) or odd else None)
    attempt(lambda: rt.measured_link(odd, "cpu"))
    attempt(lambda: rt.measured_link("host", odd))
    if not isinstance(odd, str) or odd in ("a\0b", "\ud800", ""):
        attempt(lambda: rt.compile(odd))
    for name in ("name", "defines", "include_paths", "arch", "opt", "extra", "compiler"):
        if name in ("extra", "defines", "arch", "include_paths") and not isinstance(odd, (int, float, type(None))):
            continue  # clang takes its time; below are some
        attempt(lambda: rt.compile("__global__ void k() {}", **{name: odd}))
    attempt(lambda: rt.array(odd))
    attempt(lambda: rt.array(odd, 3))
    if type(odd) is not int or odd >= 1 << 63 or odd < 100:  # others are large, and taken
        attempt(lambda: rt.array(np.float32, odd))
    attempt(lambda: rt.array([1, 2], dtype=odd))
    attempt(lambda: rt.from_dlpack(odd))
    attempt(lambda: rt.call(odd))
    attempt(lambda: rt.call(len, odd))
    attempt(lambda: rt.call(lambda *a: None, [], odd))
    attempt(lambda: rt.call_async(lambda *a: None, odd).wait())
    attempt(lambda: rt.call_async(lambda *a: None, [odd]).wait())
    attempt(lambda: rt.call_async(lambda *a: None, device=odd).wait())
    attempt(lambda: rt.trace(odd))


@pytest.mark.parametrize("name, odd", [("extra", "-g"), ("extra", b"-g"), ("extra", [None]), ("extra", ["a\0"]), ("defines", "A=1"),
                                       ("defines", [5]), ("defines", {1: 2}), ("defines", {"A\0": 2}), ("arch", b"sm_80"),
                                       ("arch", "sm\0"), ("include_paths", "folder"), ("include_paths", [5]),
                                       ("include_paths", [object()])])
def test_options_of_compilations(rt, name, odd):
    error = attempt(lambda: rt.compile("__global__ void k() {}", **{name: odd}))
    assert error is None or f"compile({name})" in str(error) or name == "defines"


@odd_values
def test_functions_of_modules_and_kernels(k, odd):
    attempt(lambda: k[odd])
    attempt(lambda: odd in k) if not isinstance(odd, np.ndarray) else None
    attempt(lambda: k.variable(odd, np.int32))
    attempt(lambda: k.variable("counter", odd))
    attempt(lambda: k.variable("counter", np.int32, odd))
    attempt(lambda: k.variable("counter", np.int32, device=odd))
    attempt(lambda: k.set_variable(odd, 1))
    attempt(lambda: k.set_variable("table", odd))
    attempt(lambda: k.set_variable("table", [1], dtype=odd))
    attempt(lambda: k.set_variable("counter", 3, device=odd))
    k.set_variable("counter", 3)
    k.set_variable("table", np.arange(1, 5, dtype=np.float32))
    attempt(lambda: k.square.with_signature(odd))
    attempt(lambda: k.square[odd])
    attempt(lambda: k.square[odd, 1])
    attempt(lambda: k.square[1, odd])
    attempt(lambda: k.square[1, 1, odd])
    for name in ("shared", "device", "blocks", "cooperative", "processors", "timed"):
        attempt(lambda: k.square[1, 1].options(**{name: odd}))
    attempt(lambda: k.square[1, 1].on(odd))
    attempt(lambda: k.square[1, 1].on("cpu", odd))
    attempt(lambda: k.square(odd))


@odd_values
def test_arguments_of_launches(rt, k, odd):
    """Where a value is refused, the message has the kernel and the parameter."""
    good = [rt.array(np.float64, 9), 0.0, 0.0, 0, 0, 0, 0, 0, 0, 0]
    names = ["to", "f", "d", "i", "u", "big", "huge", "s", "c", "b"]
    for at, name in enumerate(names):
        arguments = list(good)
        arguments[at] = odd
        error = attempt(lambda: k.kinds[1, 1](*arguments).wait() if at or odd is not None else None, odd)
        if error is not None:
            assert isinstance(error, heddle.InvalidArgument)
            assert f"argument {at + 1} of kernel kinds(double*, " in str(error) and f"parameter {name} (" in str(error)
    for wrap in (heddle.in_, heddle.out, heddle.inout, heddle.opaque):
        attempt(lambda: wrap(odd))
    for at, name in enumerate(("to", "line", "small")):
        arguments = [good[0], bytes(32), bytes(8)]
        arguments[at] = odd
        error = attempt(lambda: k.structures[1, 1](*arguments).wait() if at or odd is not None else None, odd)
        if error is not None:
            assert isinstance(error, heddle.InvalidArgument)
            assert f"argument {at + 1} of kernel structures(double*, " in str(error) and f"parameter {name} (" in str(error)
    attempt(lambda: k.is_null[1, 1](good[0].view(np.int32), odd)) if odd is not None else None
    attempt(lambda: k.square[1, 1](odd))


@odd_values
def test_functions_of_arrays(rt, odd):
    x = rt.array(np.arange(6, dtype=np.float32))
    attempt(lambda: x.fill(odd))
    attempt(lambda: x.reshape(odd))
    attempt(lambda: x.reshape(odd, 2))
    attempt(lambda: x.view(odd))
    attempt(lambda: x.address(odd))
    attempt(lambda: x.__dlpack__(stream=odd))
    attempt(lambda: x.__dlpack__(max_version=odd))
    attempt(lambda: x.__dlpack__(dl_device=odd))
    for maker in (heddle.Array, heddle.Kernel, heddle.Module, heddle.BoundKernel):
        count = {heddle.Array: 5}.get(maker, 2)
        assert isinstance(attempt(lambda: maker(*[odd] * count)), TypeError)
    assert isinstance(attempt(lambda: heddle.Call(odd)), TypeError)
    assert isinstance(attempt(lambda: heddle.Launch(odd)), TypeError)


@pytest.mark.parametrize("odd", [Raises(), Whole(3)], ids=["Raises", "Whole"])
def test_values_whose_own_code_fails(rt, k, odd):
    """Their exception is told with the place at which the value stands."""
    good = [rt.array(np.float64, 9), 0.0, 0.0, 0, 0, 0, 0, 0, 0, 0]
    for at, name in enumerate(["to", "f", "d", "i", "u", "big", "huge", "s", "c", "b"]):
        arguments = list(good)
        arguments[at] = odd
        error = attempt(lambda: k.kinds[1, 1](*arguments).wait(), odd)
        if error is None:
            assert isinstance(odd, int)  # whose value Python has without its method
            continue
        assert f"argument {at + 1} of kernel kinds(double*, " in str(error) and f"parameter {name} (" in str(error)
        assert at == 0 or "has raised RuntimeError: odd" in str(error) or isinstance(error, heddle.ArgumentOverflow)


def test_interrupts_in_values_are_no_mistakes(k, rt):
    class Interrupted:
        def __index__(self):
            raise KeyboardInterrupt

        __float__ = __index__

    for at in (1, 3):
        arguments = [rt.array(np.float64, 9), 0.0, 0.0, 0, 0, 0, 0, 0, 0, 0]
        arguments[at] = Interrupted()
        with pytest.raises(KeyboardInterrupt):
            k.kinds[1, 1](*arguments)


def test_a_package_without_its_compiled_part_says_how_to_build_it(tmp_path):
    source = pathlib.Path(heddle.__file__).parent
    package = tmp_path / "heddle"
    package.mkdir()
    for file in source.glob("*.py"):
        (package / file.name).write_text(file.read_text())

    def says():
        ran = subprocess.run([sys.executable, "-c", "import heddle"], env={**os.environ, "PYTHONPATH": str(tmp_path)},
                             capture_output=True, text=True, check=False)
        assert ran.returncode == 1 and "circular" not in ran.stderr
        return ran.stderr

    assert "compiled part" in says() and "heddle_python" in says() and "script/wheel" in says()
    (package / "_core.cpython-27-elsewhere.so").write_bytes(b"")
    assert "was built for another Python" in says() and "HEDDLE_PYTHON" in says()
    (package / "_core.so").write_bytes(b"no library")
    assert "cannot be loaded" in says()
