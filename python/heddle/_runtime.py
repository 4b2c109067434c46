"""The entry point: devices, modules and arrays."""

from __future__ import annotations

import difflib
import operator
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _checks, _core
from ._array import Array
from ._errors import ArgumentTypeError, Error, InvalidArgument, NotFound, OutOfMemory, Unsupported
from ._kernel import Module
from ._tenant import Tenant

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike


@dataclass(frozen=True)
class Device:
    """What a device is."""

    id: str  #: "cuda:0", "cpu", "interp": what options call it
    name: str
    processors: int  #: SMs of a GPU, workers of the CPU device, 1 of the interpreter
    warp_size: int
    vector_bits: int  #: width of the CPU's vectors; 0 where that means nothing
    memory_bytes: int
    host_memory: bool  #: its memory is the host's
    capability: Tuple[int, int]  #: compute capability of a GPU; else (0, 0)
    max_threads_per_block: int
    max_shared_per_block: int  #: bytes, static and dynamic together


# With the values' numbers in the C interface.
_POLICIES = {
    "execution": ("async", "sync"),
    "dependences": ("with_const", "no_const"),
    "new_queues": ("reuse", "always_new"),
    "child_queues": ("disjoint", "same_as_parent"),
    "prefetch": (True, False),
    "replay": (True, False),
    "placement": ("first", "round_robin", "stream_aware", "min_transfer_size", "minmin_transfer_time", "minmax_transfer_time"),
}
_COMPILERS = (None, "clang", "nvrtc")
_FILE_ENDINGS = (".cu", ".cuh", ".ptx", ".cpp")


def _policies(scheduling: Mapping[str, Any]) -> dict[str, int]:
    unknown = set(scheduling) - set(_POLICIES) - {"most_queues", "early_start_bytes"}
    if unknown:
        raise InvalidArgument(f"scheduling has no {_checks.shown(min(unknown, key=_checks.shown))}; it has {', '.join(_POLICIES)}, most_queues, "
                              f"early_start_bytes")
    numbers = {}
    for name, values in _POLICIES.items():
        value = scheduling.get(name, values[0])
        if not isinstance(value, (str, bool, int)) or value not in values:
            raise InvalidArgument(f"scheduling[{name!r}] is {_checks.shown(value)}; it is one of {', '.join(map(repr, values))}")
        numbers[name] = values.index(value)
    return numbers


def _number(scheduling: Mapping[str, Any], name: str, least: int, most: int) -> Optional[int]:
    value = scheduling.get(name)
    return None if value is None else _checks.integer(f"scheduling[{name!r}]", value, least, most)


def _early_start_bytes(scheduling: Mapping[str, Any]) -> int:
    """As the C interface has it: 0 is the default there, and the largest number never."""
    given = _number(scheduling, "early_start_bytes", 0, (1 << 63) - 1)
    return 0 if given is None else given or (1 << 64) - 1


def _is_ptx(text: str) -> bool:
    """Whether a text is PTX: it begins with .version, behind comments."""
    return re.match(r"\ufeff?(?:\s+|//[^\n]*\n|/\*.*?\*/)*\.version\b", text, re.DOTALL) is not None


def _definitions(defines: Any) -> list[str]:
    if isinstance(defines, Mapping):
        made = [name if value is None else f"{name}={int(value) if isinstance(value, bool) else value}"
                for name, value in defines.items()]
    else:
        made = _checks.listed("compile(defines)", defines, 'a mapping, or a list such as ["N=4"]')
    return [_checks.text("one of compile(defines)", one, 'a text such as "N=4"') for one in made]


def _device_for_functions(devices: Sequence[Device], wanted: str) -> str:
    """The id of the device in whose queues functions of Python run: they want their arrays in the host's memory."""
    there = ", ".join(device.id for device in devices)
    _checks.device("call_async(device)", wanted)
    if wanted and wanted not in [device.id for device in devices]:
        raise NotFound(f"this runtime has no device {wanted!r}; it has {there}")
    for device in devices:
        if device.host_memory and device.id == (wanted or device.id):
            return device.id
    raise Unsupported(f"call_async runs functions of Python where they reach their arrays, and the memory of "
                      f"{wanted or there} is not the host's; open the CPU device as well, "
                      f"Runtime(devices={there + ',cpu'!r}), and name no device or that one, or use Runtime.call")


class Call:
    """A function that was given to ``Runtime.call_async``. If you drop it, the function is still called. Any thread."""

    __slots__ = ("_native",)

    def __init__(self, native: _core.AsyncCall) -> None:
        """For Heddle's own use: ``Runtime.call_async`` makes calls."""
        self._native = _checks.native(native, _core.AsyncCall, "Runtime.call_async makes calls")

    @property
    def done(self) -> bool:
        """Whether the function has returned; does not wait."""
        return self._native.launch().done

    @property
    def device(self) -> str:
        """The id of the device in whose queue it runs."""
        return self._native.launch().device

    def wait(self) -> None:
        """Waits until the function has returned. Raises its exception, or the error of a task that it depends
        on, because of which it was not called."""
        try:
            self._native.launch().wait()
        except Error:
            raised = self._native.raised()
            if raised is None:
                raise
            raise raised from None

    def result(self) -> Any:
        """What the function has returned; waits, and raises, as ``wait`` does."""
        self.wait()
        return self._native.value()

    def __repr__(self) -> str:
        return f"<heddle.Call {'done' if self.done else 'in flight'}>"


_LONGEST_MS = 10**12
_CHECKS = {"memory": 1, "race": 2, "init": 4, "sync": 8}


def _check_bits(check: Union[bool, str]) -> int:
    if isinstance(check, (bool, np.bool_)):
        return _CHECKS["memory"] if check else 0
    if not isinstance(check, str):
        raise ArgumentTypeError(f"Runtime(check) is {_checks.shown(check)}; it is True, False, or kinds of checks such as "
                                f'"memory,race" or "all"')
    bits = 0
    for name in check.split(","):
        if name != "all" and name not in _CHECKS:
            near = difflib.get_close_matches(name, _CHECKS, 1)
            hint = f": did you mean {near[0]!r}?" if near else ""
            raise InvalidArgument(f"{name!r} is no kind of check{hint}; there are all, {', '.join(_CHECKS)}")
        bits |= sum(_CHECKS.values()) if name == "all" else _CHECKS[name]
    return bits


class Runtime:
    """Owns its devices. Several may exist, and any thread may use them.

    ``devices``: ids in order of preference ("cpu", "cuda:0,cpu", or a list); by default all that are found, GPUs first.
    ``check``: mistakes of kernels to look for, True for bad accesses to memory, or "memory,race,init,sync" or "all"; slow. A
    launch with such a mistake fails. ``workers``: threads of the CPU device; 0: one for each core. ``trace``: a file for the timeline of launches and copies, for Perfetto.
    ``scheduling``: policies by name, such as ``{"execution": "sync"}``, and ``most_queues`` and ``early_start_bytes``, as in
    C++. ``policy``: when launches are submitted, "direct", "slice:BLOCKS", "bounded:MICROSECONDS", or one for tenants, as "lithos". ``memory_budget``: bytes
    of each device's memory that arrays may take; others are evicted to the host; 0: all of it. ``launch_timeout_ms``:
    milliseconds that a launch may run on the CPU device or the interpreter; then it fails, and the error says where its
    warps stood; 0: for ever.

    Write the program as if everything ran in order. Launches return at once. Those that do not touch the same bytes, or
    only read them, overlap. The host waits where it reads or writes an array that is in use. While it waits, other
    threads run, and Ctrl-C works.

    After ``os.fork()`` the child cannot use it: make one there, or use multiprocessing's "spawn".
    """

    def __init__(self, devices: Union[str, Sequence[str]] = "", *, check: Union[bool, str] = False, workers: int = 0,
                 trace: Union[str, os.PathLike[str]] = "", scheduling: Optional[Mapping[str, Any]] = None,
                 policy: str = "", memory_budget: int = 0, launch_timeout_ms: int = 0) -> None:
        kind = 'an id such as "cpu", several as "cuda:0,cpu", or a list of them'
        ids = [devices] if isinstance(devices, str) else _checks.listed("Runtime(devices)", devices, kind)
        named = ",".join(_checks.text("Runtime(devices)", one, kind) for one in ids)
        if scheduling is not None and not isinstance(scheduling, Mapping):
            raise ArgumentTypeError(f'Runtime(scheduling) is {_checks.shown(scheduling)}; it is a mapping of policies, such as '
                                    f'{{"execution": "sync"}}')
        policies = dict(scheduling or {})
        self._records = _checks.path("Runtime(trace)", trace)
        self._native = _core.Runtime({
            "devices": named, "trace": self._records, "check": _check_bits(check),
            "policy": _checks.text("Runtime(policy)", policy, 'the name of one, such as "bounded:500"'),
            "workers": _checks.integer("Runtime(workers)", workers, 0, (1 << 32) - 1, "a number of threads"),
            "memory_budget": _checks.integer("Runtime(memory_budget)", memory_budget, 0, (1 << 64) - 1, "a number of bytes"),
            "launch_timeout_ms": _checks.integer("Runtime(launch_timeout_ms)", launch_timeout_ms, 0, _LONGEST_MS,
                                                 "a number of milliseconds"),
            **_policies(policies),
            "most_queues": _number(policies, "most_queues", 1, (1 << 32) - 1) or 0,
            "early_start_bytes": _early_start_bytes(policies)})

    # ---- Devices

    @property
    def devices(self) -> Tuple[Device, ...]:
        """In order of preference: launches that name no device run on the first, unless ``scheduling["placement"]`` says otherwise."""
        return tuple(Device(**one) for one in self._native.devices())

    def measured_bandwidth(self, device: str = "") -> float:
        """Bytes read plus bytes written per second by a large copy on the device; measured on first call."""
        return self._native.measured_bandwidth(_checks.device("measured_bandwidth(device)", device))

    def measured_link(self, source: str, destination: str) -> float:
        """Bytes per second of a large copy between two devices, or "host" and a device; measured at each call."""
        return self._native.measured_link(_checks.device("measured_link(source)", source),
                                          _checks.device("measured_link(destination)", destination))

    # ---- Tenants

    def tenant(self, name: str, *, kind: str = "batch", quota: float = 0.0, slip: float = 0.0) -> Tenant:
        """A client of this runtime's devices. ``kind``: "latency", where somebody waits for each request, or "batch".
        ``quota``: the part of each device's processors that is its own while it has work, 0 to 1. ``slip``: how many times
        slower a kernel may be so that it takes fewer processors, such as 1.1; 0: not at all."""
        return Tenant(self._native, name, kind, quota, slip)

    # ---- Modules

    def compile(self, source: Union[str, os.PathLike[str]], *, name: str = "", defines: Any = (),
                include_paths: Sequence[Union[str, os.PathLike[str]]] = (), arch: str = "sm_80", fast_math: bool = False,
                opt: int = 3, line_info: bool = True, extra: Sequence[str] = (),
                compiler: Optional[str] = None) -> Module:
        """A module from CUDA C++ or PTX: text, or the name of a file (``.cu``, ``.ptx``).

        A text of one line that ends so, or a ``pathlib.Path``, is a file's name. ``name`` is what messages call a text.
        ``defines``: a mapping, or a list of "NAME=VALUE". ``extra``: options for the compiler as they are. ``compiler``:
        "clang" or "nvrtc". Results are cached on disk. Raises CompileError with the compiler's messages, ParseError."""
        if compiler is not None and (not isinstance(compiler, str) or compiler not in _COMPILERS):
            raise InvalidArgument(f"there is no compiler {_checks.shown(compiler)}; there are 'clang' and 'nvrtc'")
        _checks.integer("compile(opt)", opt, 0, 3, "an optimisation")
        if isinstance(source, str):
            text = _checks.text("compile(source)", source)
            is_file = "\n" not in text and text.strip().endswith(_FILE_ENDINGS)
        else:
            if not isinstance(source, os.PathLike):
                raise ArgumentTypeError(f"compile(source) is {_checks.shown(source)}; it is CUDA C++ or PTX as text, or a "
                                        f"file's name as text or pathlib.Path")
            text, is_file = _checks.path("compile(source)", source), True
        form = "file" if is_file else "ptx" if _is_ptx(text) else "text"
        folders = _checks.listed("compile(include_paths)", include_paths, "a list of folders")
        options = _checks.listed("compile(extra)", extra, 'a list of options, such as ["-g"]')
        native = self._native.compile(
            form, text, _checks.text("compile(name)", name), _definitions(defines),
            [_checks.path("one of compile(include_paths)", one) for one in folders],
            [_checks.text("one of compile(extra)", one) for one in options],
            _checks.text("compile(arch)", arch, 'a target, such as "sm_80"'), bool(fast_math), operator.index(opt),
            bool(line_info), _COMPILERS.index(compiler))
        return Module(self, native)

    # ---- Arrays

    def array(self, data: Union[DTypeLike, ArrayLike], shape: Any = None, *, dtype: Optional[DTypeLike] = None) -> Array:
        """``array(dtype, shape)``: zeros. ``array(values)``: a copy of them, of NumPy's dtype or the given one.

        Memory of a device is taken when a launch first needs the array there."""
        if shape is not None:
            if dtype is not None:
                raise ArgumentTypeError("array(dtype, shape) has its dtype already; array(values, dtype=...) converts")
            found, extents = _checks.dtype(data), _checks.shape(shape)
            return Array(self, _core.Buffer(self._native, self._checked_bytes(extents, found)), 0, extents, found)
        if isinstance(data, (type, np.dtype)):
            raise ArgumentTypeError(f"array({data!r}) needs a shape: array({data!r}, n)")
        wanted = None if dtype is None else _checks.dtype(dtype)
        try:
            values = np.asarray(data, wanted)
        except Exception as error:
            raise ArgumentTypeError(f"array({_checks.shown(data)}): NumPy makes no array of it: {error}") from None
        values = values.astype(values.dtype.newbyteorder("="), copy=False)
        made = self.array(values.dtype, values.shape)
        if made.size:
            made[...] = values
        return made

    @staticmethod
    def _checked_bytes(shape: Tuple[int, ...], dtype: np.dtype) -> int:
        count = _checks.count_of(shape)
        if count * dtype.itemsize >= 1 << 63:
            raise OutOfMemory(f"an array of {_checks.shown(count)} elements of {dtype.itemsize} bytes is larger than any memory")
        return count * dtype.itemsize

    def from_dlpack(self, tensor: Any) -> Array:
        """A copy of another library's tensor, through DLPack. It must be in host memory."""
        try:
            kind, _ = tensor.__dlpack_device__()
            kind = int(kind)
        except (AttributeError, TypeError, ValueError):
            raise ArgumentTypeError(f"from_dlpack(tensor) is {_checks.shown(tensor)}; it is a tensor of a library that knows "
                                    f"DLPack") from None
        if kind not in (1, 3, 11):  # the host's memory: plain, and pinned by CUDA or ROCm
            raise Unsupported(f"the tensor lies on DLPack device {kind}; only host memory can be taken over: "
                              f"copy it there first (tensor.cpu())")
        try:
            taken = np.from_dlpack(tensor)
        except Exception as error:  # what NumPy says of a capsule names neither the function nor the tensor
            raise ArgumentTypeError(f"from_dlpack(tensor) is {_checks.shown(tensor)}, whose __dlpack__() gives nothing that "
                                    f"NumPy can read: {error}") from error
        return self.array(taken)

    # ---- Functions of the host

    def call(self, function: Callable[..., Any], inputs: Sequence[Array] = (), outputs: Sequence[Array] = ()) -> Any:
        """Calls a function on NumPy's views of arrays, in order with the launches that use them: first the inputs, which
        cannot be written, then the outputs, which it may read as well. Waits for the launches that use these arrays, and
        for no others; returns, or raises, what the function does. The views are valid until the next launch that uses
        the arrays."""
        self._check_call("call", function, inputs, outputs)
        # Outputs first: the host's copy of them may be elsewhere from then on.
        written = [array._host(True) for array in outputs]
        return function(*(array._host(False) for array in inputs), *written)

    def call_async(self, function: Callable[..., Any], inputs: Sequence[Array] = (), outputs: Sequence[Array] = (), *,
                   device: str = "") -> Call:
        """The same as a task among the launches: returns at once. ``function`` is called in a thread of Heddle's when the
        launches that use these arrays have ended; later launches with them run after it. ``Call.result()`` waits for it
        and returns its result, or raises its exception, which is also an error of launches that depend on it.

        The arrays are copied to ``device``, which must be one that uses the host's memory: "cpu"; by default the
        runtime's first such device. The function must not use the runtime, nor wait for code that uses it. The views are
        valid while it runs."""
        self._check_call("call_async", function, inputs, outputs)
        like = [(array.shape, array.dtype) for array in (*inputs, *outputs)]

        def run(*spans: _core.HostSpan) -> Any:
            return function(*(np.ndarray(shape, dtype, span) for (shape, dtype), span in zip(like, spans)))

        on = _device_for_functions(self.devices, device)
        return Call(_core.AsyncCall(self._native, run, on, list(inputs), list(outputs)))

    def _check_call(self, name: str, function: Any, inputs: Any, outputs: Any) -> None:
        what = f"{name}(function, inputs, outputs)"
        if not callable(function):
            raise ArgumentTypeError(f"{what} takes a function first, not a value of type {type(function).__name__}")
        for listed in (inputs, outputs):
            if not isinstance(listed, (list, tuple)):
                raise ArgumentTypeError(f"{what} takes lists of heddle.Arrays, not a value of type "
                                        f"{type(listed).__name__}")
        for array in (*inputs, *outputs):
            if not isinstance(array, Array):
                raise ArgumentTypeError(f"{what} takes heddle.Arrays, not a value of type {type(array).__name__}; what "
                                        f"else the function needs it may have of its own")
            if array.runtime is not self:
                raise InvalidArgument(f"{what} was given an array of another heddle.Runtime")

    # ---- All of it

    def synchronize(self) -> None:
        """Waits for everything in flight; raises the first error that nobody has seen yet."""
        self._native.synchronize()

    def write_trace(self) -> None:
        """Updates the file of ``trace``; the runtime's end does so too."""
        self._check_records("write_trace()")
        self._native.write_trace()

    def trace(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the timeline of what has run so far to another file: ``.json`` for Perfetto, ``.svg``, a picture, or
        ``.dot``, a graph for Graphviz. The runtime must have been made with ``trace``; call ``synchronize()`` before for
        all that was launched."""
        name = _checks.path("trace(path)", path)
        self._check_records(f"trace({name!r})")
        self._native.trace(name)

    def _check_records(self, what: str) -> None:
        if not self._records:
            raise InvalidArgument(f"{what} has nothing to write: this runtime records no timeline; make it with "
                                  f"heddle.Runtime(trace=\"timeline.json\")")

    def close(self) -> None:
        """Waits for everything in flight and refuses everything new. Arrays can still be read."""
        self._native.close()

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._native.closed:
            return "<heddle.Runtime, closed>"
        return f"<heddle.Runtime {', '.join(device.id for device in self.devices)}>"
