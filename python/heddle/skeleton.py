"""Trees of kernels over all devices: one operation, whose work Heddle splits over CPUs and GPUs.

    from heddle import skeleton as sk

    executor = sk.Executor(rt)
    saxpy = sk.map(sk.kernel(k.saxpy, sk.total, 2.0, sk.arg(0), sk.arg(1)))
    run = saxpy.run(executor, x, y)              # returns at once
    report = run.result()                        # y is on the host; how the work was split

docs/skeletons.md says what each part does; names are those of C++.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _checks, _core
from ._array import Array
from ._errors import ArgumentTypeError, InvalidArgument
from ._kernel import Kernel
from ._runtime import Runtime

__all__ = ["Executor", "HostReduction", "LoopView", "Part", "Report", "Run", "Slot", "Trait", "Tree", "arg", "first_unit",
           "kernel", "loop", "map", "map_reduce", "offset", "pipeline", "size", "total", "units"]

_MERGES = ("none", "add", "subtract", "multiply", "divide")
_MERGE_FUNCTION = 5
_NUMBERS = {"i": 1, "u": 2, "b": 3, "f": 4}  # of the C interface, by NumPy's kind
_MOST = (1 << 32) - 1


class Trait:
    """A number that the runtime fills in for each part: ``size``, ``offset``, ``units``, ``first_unit``, ``total``."""

    __slots__ = ("name", "_kind")

    def __init__(self, name: str, kind: int) -> None:
        """For Heddle's own use."""
        self.name = name
        self._kind = kind

    def __repr__(self) -> str:
        return f"heddle.skeleton.{self.name}"


size = Trait("size", 2)  #: elements of the part, of the kernel's first array that is cut
offset = Trait("offset", 3)  #: the place of its first element in the whole array
units = Trait("units", 4)  #: size and offset in partitioning units
first_unit = Trait("first_unit", 5)
total = Trait("total", 6)  #: elements of the whole array


@dataclass(frozen=True)
class Slot:
    """An argument of ``run()``, by its number, as an argument of a kernel; ``arg(0)`` makes one."""

    number: int
    _unit: int = 0
    _per_thread: int = 0
    _copy: bool = False
    _merge: int = 0
    _neutral: bytes = b""
    _neutral_kind: str = " "
    _function: Optional[Callable[..., Any]] = None
    _resident: bool = False

    def _with(self, **changes: Any) -> Slot:
        return Slot(**{**self.__dict__, **changes})

    def unit(self, elements: int) -> Slot:
        """Parts have whole multiples of so many elements."""
        return self._with(_unit=_checks.integer("unit(elements)", elements, 1, (1 << 63) - 1, "a number of elements"))

    def per_thread(self, elements: int) -> Slot:
        """Elements of this array for each thread."""
        return self._with(_per_thread=_checks.integer("per_thread(elements)", elements, 1, _MOST, "a number of elements"))

    def copy(self) -> Slot:
        """Every part gets the whole array, to read."""
        return self._with(_copy=True)

    def resident(self) -> Slot:
        """What kernels write of it stays on the devices: for results that only other kernels of the tree need. The host
        fetches it if it reads it."""
        return self._with(_resident=True)

    def merge(self, operation: Union[str, Callable[[np.ndarray, np.ndarray], Any]], neutral: Any = None) -> Slot:
        """Every part gets an array of its own; they are merged when all are done. ``operation``: "add", "subtract",
        "multiply", "divide", or a function of two NumPy arrays that returns the merged one, such as ``numpy.maximum``; then
        parts begin with ``neutral``, a NumPy scalar of the array's type."""
        if callable(operation):
            if not isinstance(neutral, np.generic):
                raise ArgumentTypeError(f"merge(function, neutral): neutral is a NumPy scalar of the array's type, such as "
                                        f"numpy.float32(0), not {_checks.shown(neutral)}")
            dtype = neutral.dtype

            def merged(whole: memoryview, part: memoryview) -> None:
                into = np.frombuffer(whole, dtype)
                into[...] = operation(into, np.frombuffer(part, dtype))

            return self._with(_merge=_MERGE_FUNCTION, _neutral=neutral.tobytes(), _neutral_kind=dtype.kind, _function=merged)
        if not isinstance(operation, str) or operation not in _MERGES[1:]:
            raise InvalidArgument(f"merge(operation) is {_checks.shown(operation)}; it is one of "
                                  f"{', '.join(_MERGES[1:])}, or a function")
        return self._with(_merge=_MERGES.index(operation))


def arg(number: int) -> Slot:
    """Argument ``number`` of ``run()``: an array, or a number."""
    return Slot(_checks.integer("arg(number)", number, 0, 255, "the number of an argument"))


@dataclass(frozen=True)
class Part:
    """What one part of a run has done."""

    device: str  #: id
    first: int  #: elementary unit
    count: int  #: of elementary units
    seconds: float  #: from the start of the run to the end of the part; of simulated devices: their time
    launches: int


@dataclass(frozen=True)
class Report:
    """How a run was split, and what it took."""

    gpu_share: float  #: of the work, as planned
    fission: str  #: "L1", "L2", "L3", "NUMA", "none"
    overlap: int  #: parts of each GPU
    parts: Tuple[Part, ...]  #: with work
    kernels: Tuple[str, ...]  #: of the first part, in the order of their launches
    seconds: float  #: the longest part's
    waited_seconds: float  #: from ``run()`` to the start
    barriers: int  #: in loops with ``global_sync``
    why: str  #: where the split comes from


class Run:
    """A run that was asked for; if you drop it, it goes on. Arrays have its results when ``result()`` or ``wait()`` has
    returned. Any thread."""

    __slots__ = ("_native", "_value")

    def __init__(self, native: _core.TreeRun, value: Optional[Callable[[], Any]] = None) -> None:
        """For Heddle's own use: ``Tree.run`` makes them."""
        self._native = _checks.native(native, _core.TreeRun, "Tree.run makes runs")
        self._value = value

    @property
    def done(self) -> bool:
        """Whether it has ended; does not wait."""
        return self._native.done

    def wait(self) -> None:
        """Waits for its end; raises the first error of a part."""
        self._native.wait()

    def report(self) -> Report:
        """How it was split; waits as ``wait`` does."""
        found = self._native.report()
        found["parts"] = tuple(Part(**one) for one in found["parts"])
        found["kernels"] = tuple(found["kernels"])
        return Report(**found)

    def result(self) -> Any:
        """The report; of a reduction on the host, what its function returns. Waits as ``wait`` does."""
        if self._value is None:
            return self.report()
        self.wait()
        return self._value()


def _argument(number: int, value: Any) -> tuple[Any, ...]:
    if isinstance(value, Array):
        return (value, value.itemsize, _NUMBERS.get(value.dtype.kind, 0))
    if isinstance(value, np.ndarray):
        raise ArgumentTypeError(f"argument {number} of the run is a NumPy array; Runtime.array(...) makes a heddle.Array of it")
    return (value,)


class Tree:
    """A tree of kernels, which never changes; ``kernel``, ``pipeline``, ``loop``, ``map`` and ``map_reduce`` make them. Any
    thread."""

    __slots__ = ("_native",)

    def __init__(self, native: _core.Tree) -> None:
        """For Heddle's own use: the functions of this module make trees."""
        self._native = _checks.native(native, _core.Tree, "heddle.skeleton.kernel and others make trees")

    @property
    def name(self) -> str:
        """Its kernels and structure, a key of what is known: "pipeline(noise,solarize) 1f09…"."""
        return self._native.name

    def run(self, executor: Executor, *arguments: Any) -> Run:
        """Runs it on all devices; returns at once. Arguments are numbers and arrays. Raises InvalidArgument where one does
        not fit the tree; the error names it."""
        return Run(executor._start(self, arguments))

    def __repr__(self) -> str:
        return f"<heddle.skeleton.Tree {self.name}>"


def _binding(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Trait):
        return (value._kind,)
    if isinstance(value, Slot):
        return (1, value.number, value._unit, value._per_thread, value._copy, value._merge, value._neutral, value._function,
                value._resident, value._neutral_kind)
    if isinstance(value, Array):
        raise ArgumentTypeError("a tree binds no arrays: they are arguments of run(), as arg(0), arg(1)")
    return (0, value)


def kernel(kernel: Kernel, *bindings: Any, block: int = 256, cpu_block: int = 0, per_thread: int = 1,
           shared_per_thread: int = 0, blocks: Sequence[int] = ()) -> Tree:
    """A kernel with a binding for each of its parameters: a number, ``arg(i)``, or ``size``, ``offset``, ``units``,
    ``first_unit``, ``total``. ``block``: threads of a block, ``cpu_block``: the same on CPUs; ``per_thread``: elements that
    a thread computes; ``shared_per_thread``: bytes of dynamic shared memory; ``blocks``: sizes among which the auto-tuner
    may choose."""
    if not isinstance(kernel, Kernel):
        raise ArgumentTypeError(f"skeleton.kernel(kernel) is {_checks.shown(kernel)}; it is a kernel of a module")
    options = {
        "block": _checks.integer("block", block, 1, _MOST, "a number of threads"),
        "cpu_block": _checks.integer("cpu_block", cpu_block, 0, _MOST, "a number of threads"),
        "per_thread": _checks.integer("per_thread", per_thread, 1, _MOST, "a number of elements"),
        "shared_per_thread": _checks.integer("shared_per_thread", shared_per_thread, 0, _MOST, "a number of bytes"),
        "blocks": [_checks.integer("one of blocks", one, 1, _MOST, "a number of threads")
                   for one in _checks.listed("blocks", blocks, "a list of numbers of threads")]}
    return Tree(_core.tree_kernel(kernel._native, options, [_binding(one) for one in bindings]))


def _tree(value: Any, what: str) -> _core.Tree:
    if not isinstance(value, Tree):
        raise ArgumentTypeError(f"{what} is {_checks.shown(value)}; it is a tree, as skeleton.kernel(...) makes it")
    return value._native


def pipeline(*stages: Tree) -> Tree:
    """One tree after the other."""
    return Tree(_core.tree_pipeline([_tree(stage, "a stage of pipeline(...)") for stage in stages]))


class LoopView:
    """What the functions of a loop see: all parts (``global_sync``), or one part. Usable while the function runs."""

    __slots__ = ("_native",)

    def __init__(self, native: _core.LoopView) -> None:
        """For Heddle's own use: functions of loops are given views."""
        self._native = native

    @property
    def iteration(self) -> int:
        """Completed ones."""
        return self._native.iteration

    def read(self, slot: int, dtype: Any) -> np.ndarray:
        """The part's elements of an array, or all of them; waits for the kernels that write them. To read, while the
        function runs."""
        number = _checks.integer("read(slot)", slot, 0, 255, "the number of an argument")
        element = _checks.dtype(dtype)
        return np.frombuffer(self._native.read(number, element.itemsize), element)

    def set(self, slot: int, value: Any) -> None:
        """Changes a number for the next iterations: in all parts, or in this one."""
        self._native.set(_checks.integer("set(slot)", slot, 0, 255, "the number of an argument"), value)


def loop(body: Tree, iterations: int = 0, *, condition: Optional[Callable[[LoopView], Any]] = None,
         update: Optional[Callable[[LoopView], Any]] = None, swap: Sequence[Tuple[int, int]] = (),
         global_sync: bool = False) -> Tree:
    """A tree ``iterations`` times, or while ``condition(view)`` is true, which is asked before each iteration. ``update(view)``
    runs after each. ``swap``: pairs of arguments that change places after each. With ``global_sync`` all parts end an
    iteration before these functions run, once for all; else they run for each part by itself, in several threads."""
    for name, function in (("condition", condition), ("update", update)):
        if function is not None and not callable(function):
            raise ArgumentTypeError(f"loop({name}) is {_checks.shown(function)}; it is a function of a LoopView")
    kind = "a list of pairs such as [(0, 2)]"
    listed = [_checks.listed("one of swap", pair, "a pair of numbers of arguments such as (0, 2)")
              for pair in _checks.listed("loop(swap)", swap, kind)]
    pairs = [tuple(_checks.integer("one of swap", one, 0, 255, "the number of an argument") for one in pair) for pair in listed]
    if any(len(pair) != 2 for pair in pairs):
        raise InvalidArgument(f"loop(swap) is {_checks.shown(swap)}; it is {kind}")

    def shown(function: Optional[Callable[[LoopView], Any]]) -> Optional[Callable[[_core.LoopView], Any]]:
        return None if function is None else lambda view: function(LoopView(view))

    return Tree(_core.tree_loop(_tree(body, "loop(body)"), _checks.integer("loop(iterations)", iterations, 0, (1 << 63) - 1),
                                shown(condition), shown(update), pairs, bool(global_sync)))


def map(tree: Tree) -> Tree:
    """A tree on independent parts."""
    return Tree(_core.tree_map(_tree(tree, "map(tree)")))


class HostReduction:
    """A map stage with a reduction on the host; ``map_reduce`` makes them."""

    __slots__ = ("_tree", "_function", "_slots")

    def __init__(self, tree: Tree, function: Callable[..., Any], slots: Sequence[int]) -> None:
        """For Heddle's own use: ``map_reduce`` makes them."""
        self._tree = tree
        self._function = function
        self._slots = [_checks.integer("one of slots", one, 0, 255, "the number of an argument") for one in slots]

    @property
    def tree(self) -> Tree:
        return self._tree

    def run(self, executor: Executor, *arguments: Any) -> Run:
        """As ``Tree.run``; ``result()`` calls the function with the arrays of its slots, and returns what it returns."""
        for slot in self._slots:
            if slot >= len(arguments) or not isinstance(arguments[slot], Array):
                raise InvalidArgument(f"the reduction takes argument {slot} of the run, which is no heddle.Array")
        arrays = [arguments[slot] for slot in self._slots]
        return Run(executor._start(self._tree, arguments), lambda: self._function(*(one.numpy() for one in arrays)))


def map_reduce(map_stage: Tree, reduction: Union[Tree, Callable[..., Any]], slots: Sequence[int] = ()) -> Any:
    """A map stage and a reduction. A tree runs on the devices, and what it writes must be merged (``Slot.merge``): the
    result is a Tree. A function runs on the host, with NumPy arrays of the arguments ``slots``: a HostReduction."""
    if isinstance(reduction, Tree):
        return Tree(_core.tree_map_reduce(_tree(map_stage, "map_reduce(map_stage)"), reduction._native))
    if not callable(reduction):
        raise ArgumentTypeError(f"map_reduce(reduction) is {_checks.shown(reduction)}; it is a tree or a function")
    return HostReduction(map(map_stage), reduction, slots)


class Executor:
    """The devices of a runtime as what trees run on. Runs are served in the order in which they were asked for; each has
    all devices. Any thread.

    ``knowledge``: a file of what is known of programs; "": in Heddle's cache; "none": nothing is kept. ``share``: the part of
    the devices that the program may use. ``build_profiles``: search for a configuration when runs are unbalanced. ``adapt``:
    move work then. ``max_deviation``: the shortest part over the longest that counts as balanced. ``gpu_share``, ``fission``,
    ``overlap``: fixed settings instead of found ones. ``speeds``: of devices by id, instead of measured ones."""

    __slots__ = ("_native", "_runtime")

    def __init__(self, runtime: Runtime, *, knowledge: str = "", share: str = "all", build_profiles: bool = False,
                 adapt: bool = True, max_deviation: float = 0.85, gpu_share: Optional[float] = None, fission: str = "",
                 overlap: int = 0, speeds: Optional[Mapping[str, float]] = None) -> None:
        if not isinstance(runtime, Runtime):
            raise ArgumentTypeError(f"Executor(runtime) is {_checks.shown(runtime)}; it is a heddle.Runtime")
        fixed = None if gpu_share is None else _checks.number("Executor(gpu_share)", gpu_share, "a number from 0 to 1, or None")
        if fixed is not None and not 0 <= fixed <= 1:
            raise InvalidArgument(f"Executor(gpu_share) is {_checks.shown(gpu_share)}; it is 0 to 1")
        self._runtime = runtime
        self._native = _core.Executor(runtime._native, {
            "knowledge": _checks.text("Executor(knowledge)", knowledge, "a file, or 'none'"),
            "share": _checks.text("Executor(share)", share, "the name of a share, such as 'all'"),
            "build_profiles": bool(build_profiles), "adapt": bool(adapt),
            "max_deviation": _checks.number("Executor(max_deviation)", max_deviation, "a number from 0 to 1"),
            "gpu_share": fixed,
            "fission": _checks.text("Executor(fission)", fission, "'L1', 'L2', 'L3', 'NUMA' or 'none'"),
            "overlap": _checks.integer("Executor(overlap)", overlap, 0, 4, "a number of parts"),
            "speeds": [(device, _checks.number("one of Executor(speeds)", speed, "a number of operations per second"))
                       for device, speed in (speeds or {}).items()]})

    @property
    def runtime(self) -> Runtime:
        return self._runtime

    def tune(self, tree: Tree, *arguments: Any) -> None:
        """Searches for the best configuration now, with runs on copies of the arrays, and keeps it. Waits."""
        self._native.tune(_tree(tree, "tune(tree)"), [_argument(i, one) for i, one in enumerate(arguments)])

    def _start(self, tree: Tree, arguments: Sequence[Any]) -> _core.TreeRun:
        return self._native.run(_tree(tree, "the tree"), [_argument(i, one) for i, one in enumerate(arguments)])
