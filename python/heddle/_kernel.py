"""Modules, their kernels, and the shapes that kernels are launched in."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence, Tuple, Union

import numpy as np

from . import _checks, _core
from ._array import Array
from ._errors import ArgumentOverflow, ArgumentTypeError, InvalidArgument, NotFound
from ._tenant import Tenant

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._runtime import Runtime

    Extents = Union[int, Tuple[int, ...]]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    name: str  #: as in the PTX: "saxpy_param_2"
    type: str  #: in the PTX: "u32", "f32", "b8[24]" for structures; PTX of CUDA C++ has no signed ones
    label: str  #: its name in the source: "x"; "" where the source is not known
    source_type: str  #: "const float*", from a signature, debug information, the kernel's name or its source; else ""
    bytes: int
    pointer: bool  #: used as an address of memory
    access: str  #: what the kernel does there: "none", "read", "write", "read-write", "unknown"


@dataclass(frozen=True)
class KernelInfo:
    """What is known of a kernel from its PTX."""

    name: str
    signature: str  #: "blur(float*, int)" where the source's types are known; else the name
    parameters: Tuple[Parameter, ...]
    registers: int  #: 32-bit registers that a thread needs, an estimate
    shared_bytes: int  #: static
    dynamic_shared: bool  #: uses memory whose size the launch gives
    local_bytes: int  #: a thread's
    barriers: int
    atomics: int
    max_threads: int  #: of a block, as the kernel declares it; 0: not declared
    blocks_independent: bool  #: any range of blocks may run by itself, in any order
    dependence: str  #: when not: the instruction and line that forbid it


@dataclass(frozen=True)
class Occupancy:
    """What one form of a kernel takes of an SM of a GPU."""

    form: str  #: "whole grid", "range (box)", ...
    registers: int
    local_bytes: int
    shared_bytes: int
    blocks: int  #: at once on an SM
    share: float  #: threads of those blocks over the most that an SM holds


def in_(array: Optional[Array]) -> _core.Said:
    """An argument that the kernel only reads: ``k.reduce[grid, block](heddle.in_(x), heddle.inout(y), n)``.

    A launch whose PTX shows otherwise raises InvalidArgument, with the instruction. Where the PTX does not show
    the access (the pointer is stored, or passed to code that is not in the module), it is a promise."""
    return _core.Said(array, "in_")


def out(array: Optional[Array]) -> _core.Said:
    """An argument of which the kernel overwrites every byte, and reads none: old bytes are not copied to the
    device, and new arrays are not filled with zeros there. Bytes that the kernel does not write are undefined then."""
    return _core.Said(array, "out")


def inout(array: Optional[Array]) -> _core.Said:
    """An argument that the kernel reads and modifies, even where the PTX shows less."""
    return _core.Said(array, "inout")


def opaque(address: int) -> _core.Opaque:
    """An address of a device's memory that belongs to no array. The launch runs after everything that is in flight,
    and everything that is launched later runs after it. The memory must exist until it is done."""
    return _core.Opaque(_checks.integer("opaque(address)", address, 0, (1 << 64) - 1, "an address"))


def _extents(value: Any, what: str) -> tuple[int, int, int]:
    given = value if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(given) <= 3:
        raise InvalidArgument(f"a {what} has one to three extents, not {len(given)}: {_checks.shown(value)}")
    found = []
    for extent in given:
        if isinstance(extent, (bool, np.bool_)) or not hasattr(extent, "__index__"):
            raise ArgumentTypeError(f"a {what} is an integer or a tuple of up to three, not {_checks.shown(value)}; "
                                    f"for a division that rounds up: (n + 255) // 256")
        try:
            found.append(operator.index(extent))
        except TypeError:  # an array of NumPy has __index__, too
            raise ArgumentTypeError(f"a {what} is an integer or a tuple of up to three, not {_checks.shown(value)}") from None
    for extent in found:
        if not 1 <= extent < 1 << 32:
            limit = "at least 1" if extent < 1 else "at most 2**32 - 1"
            raise InvalidArgument(f"an extent of the {what} {_checks.shown(value)} is {_checks.shown(extent)}; extents are "
                                  f"{limit}")
    return tuple(found + [1] * (3 - len(found)))  # type: ignore[return-value]


def _shared_bytes(value: Any) -> int:
    return _checks.integer("shared, the bytes of dynamic shared memory,", value, 0, (1 << 32) - 1)


def _block_range(value: Any) -> Optional[tuple[int, int]]:
    if value is None:
        return None
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ArgumentTypeError(f"blocks are (first, end), linear ids of the grid's blocks, not {_checks.shown(value)}")
    first, end = (_checks.integer("blocks=(first, end): one of them", one, 0, (1 << 64) - 1) for one in value)
    if first > end:
        raise InvalidArgument(f"blocks={value!r} is no range: the end is no less than the first")
    return first, end


def _processor_list(value: Any) -> list[int]:
    kind = "numbers, as range(8) or [0, 1]"
    return [_checks.integer("one of processors", one, 0, (1 << 32) - 1, "a number")
            for one in _checks.listed("processors", value, kind)]


def _given_processors(value: Optional[Sequence[int]]) -> Optional[Sequence[int]]:
    if value is not None and not _processor_list(value):
        raise InvalidArgument("processors is empty: a kernel has to run somewhere; without processors=... it has all")
    return value


def _tenant_of(value: Any) -> Optional[_core.Tenant]:
    if value is None:
        return None
    if not isinstance(value, Tenant):
        raise ArgumentTypeError(f"tenant is {_checks.shown(value)}; Runtime.tenant(...) makes tenants")
    return value._native


class BoundKernel:
    """A kernel with its launch shape, ready to be called: ``kernel[grid, block]``."""

    __slots__ = ("_kernel", "_options", "_native", "_shape")

    def __init__(self, kernel: Kernel, options: dict[str, Any]) -> None:
        """For Heddle's own use: ``kernel[grid, block]`` makes them."""
        self._kernel = _checks.native(kernel, Kernel, "kernel[grid, block] is a kernel that can be called")
        self._options = options
        self._native = kernel._native
        self._shape = _core.Shape(options["grid"], options["block"], _shared_bytes(options["shared"]),
                                  _checks.device("device", options["device"]), _block_range(options["blocks"]),
                                  bool(options["cooperative"]), _processor_list(options["processors"]),
                                  bool(options["timed"]), _tenant_of(options["tenant"]))

    def __call__(self, *arguments: Any) -> _core.Launch:
        """Launches the kernel and returns at once. Numbers become what the parameters are, if they fit; arrays and their
        views go to pointers, as does None; scalars of structured dtypes (or bytes) to structures. The next call with
        which the host waits raises errors that occur later."""
        return self._native.launch(self._shape, *arguments)

    def options(self, *, shared: Optional[int] = None, device: Optional[str] = None,
                blocks: Optional[Tuple[int, int]] = None, cooperative: Optional[bool] = None,
                processors: Optional[Sequence[int]] = None, timed: Optional[bool] = None,
                tenant: Optional[Tenant] = None) -> BoundKernel:
        """The same with other options: bytes of dynamic ``shared`` memory; the ``device``; only the blocks [first, end) of
        the grid, as linear ids; ``cooperative``, where blocks synchronise with each other; ``processors``: the SMs of a
        GPU, or workers of the CPU device, that it may run on; ``timed``: ``Launch.seconds`` will be used;
        ``tenant``: whose launch it is."""
        given = {"shared": shared, "device": device, "blocks": blocks, "cooperative": cooperative,
                 "processors": _given_processors(processors),
                 "timed": timed, "tenant": tenant}
        return BoundKernel(self._kernel, {**self._options, **{k: v for k, v in given.items() if v is not None}})

    def on(self, device: str, processors: Optional[Sequence[int]] = None) -> BoundKernel:
        """The same on a device: ``k.f[grid, block].on("cuda:1")(x, n)``."""
        return self.options(device=_checks.device("on(device)", device), processors=processors)

    def occupancy(self) -> Tuple[Occupancy, ...]:
        """How blocks of this shape fill the SMs of a GPU, for each form of the kernel; empty on other devices."""
        return tuple(Occupancy(**one) for one in self._native.occupancy(self._shape))

    def __repr__(self) -> str:
        return f"<heddle.BoundKernel {self._kernel.signature} grid={self._options['grid']} block={self._options['block']}>"


class Kernel:
    """A kernel of a module. ``kernel[grid, block]`` or ``kernel[grid, block, shared]`` can be called; grid and block are
    integers or tuples of up to three. Any thread."""

    __slots__ = ("_native", "_module", "_bound", "_info", "__weakref__")

    def __init__(self, module: Module, native: _core.Kernel) -> None:
        """For Heddle's own use: modules have kernels."""
        self._native = _checks.native(native, _core.Kernel, "a kernel is an attribute of its module")
        self._module = module
        self._bound: dict[Any, BoundKernel] = {}
        self._info: Optional[KernelInfo] = None

    @property
    def name(self) -> str:
        """As in the PTX: "_Z6squarePfi"."""
        return self._native.name

    @property
    def signature(self) -> str:
        """As in the source, where that is known: "square(float*, int)"; else the name."""
        return self._native.signature

    @property
    def module(self) -> Module:
        return self._module

    @property
    def info(self) -> KernelInfo:
        """Parameters, with what happens to the memory behind them; registers, memory, whether blocks are independent."""
        if self._info is None:
            found = self._native.info()
            found["parameters"] = tuple(Parameter(**one) for one in found["parameters"])
            self._info = KernelInfo(**found)
        return self._info

    def with_signature(self, signature: str) -> Kernel:
        """The same kernel with a signature in GrCUDA's NIDL, ``"square(x: inout pointer float, n: sint32)"``, or its
        compact form, ``"inout pointer, sint32"``. Directions count for every launch, as ``in_()``, ``out()`` and
        ``inout()`` do for one; types must fit the PTX. Raises ParseError with the place in the text, InvalidArgument
        where the PTX shows otherwise, with the instruction."""
        stated = _checks.text("with_signature(signature)", signature)
        return Kernel(self._module, self._module._native.kernel(self.name, stated))

    def __getitem__(self, shape: Any) -> BoundKernel:
        if type(shape) is not tuple:
            return self._bind(shape)
        for one in shape:
            if type(one) is not int:  # 1.0 and True would be found as 1
                return self._bind(shape)
        known = self._bound.get(shape)
        if known is None:
            known = self._bind(shape)
            self._keep(shape, known)
        return known

    def _keep(self, key: Any, bound: BoundKernel) -> None:
        if len(self._bound) >= 64:
            self._bound.clear()
        self._bound[key] = bound

    def _bind(self, shape: Any) -> BoundKernel:
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 3:
            raise TypeError(f"kernel {self.signature} is launched as kernel[grid, block](...) or "
                            f"kernel[grid, block, shared](...), not with [{_checks.shown(shape)}]")
        shared = _shared_bytes(shape[2]) if len(shape) == 3 else 0
        key = (_extents(shape[0], "grid"), _extents(shape[1], "block"), shared)
        known = self._bound.get(key)
        if known is None:
            known = BoundKernel(self, {"grid": key[0], "block": key[1], "shared": shared, "device": "", "blocks": None,
                                       "cooperative": False, "processors": (), "timed": False, "tenant": None})
            self._keep(key, known)
        return known

    def __call__(self, *arguments: Any) -> None:
        raise TypeError(f"kernel {self.signature} needs a launch shape: kernel[grid, block](...)")

    def __repr__(self) -> str:
        return f"<heddle.Kernel {self.signature}>"


class Module:
    """The kernels and variables of one CUDA C++ or PTX text; made by ``Runtime.compile``. Kernels are attributes
    (``module.blur``) and items, which take names from the source and from the PTX: ``module["img::blur<float>"]``."""

    def __init__(self, runtime: Runtime, native: _core.Module) -> None:
        """For Heddle's own use: ``Runtime.compile`` makes modules."""
        self._runtime = runtime
        self._native = _checks.native(native, _core.Module, "Runtime.compile makes modules")
        self._kernels: dict[str, Kernel] = {}

    @property
    def runtime(self) -> Runtime:
        return self._runtime

    @property
    def ptx(self) -> str:
        """The PTX that it was made from."""
        return self._native.ptx

    @property
    def kernel_names(self) -> Tuple[str, ...]:
        """As in the PTX."""
        return tuple(self._native.kernel_names())

    def __getitem__(self, name: str) -> Kernel:
        known = self._kernels.get(_checks.text("module[name]", name, "the name of a kernel"))
        if known is None:
            # Two threads may make two of them; either will do.
            known = self._kernels[name] = Kernel(self, self._native.kernel(name))
        return known

    def __getattr__(self, name: str) -> Kernel:
        # Only for names that the class has not. Those that Python itself asks for are no kernels.
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            kernel = self[name]
        except NotFound as error:
            raise AttributeError(str(error)) from None
        self.__dict__[name] = kernel  # found without this function from now on
        return kernel

    def __setattr__(self, name: str, value: Any) -> None:
        # Attributes are kernels: what looks like setting a variable must not go nowhere.
        if name not in ("_runtime", "_native", "_kernels"):
            raise AttributeError(f"attributes of a module are its kernels and cannot be set; "
                                 f"set_variable({name!r}, value) sets a variable")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Kernel]:
        return (self[name] for name in self.kernel_names)

    def __len__(self) -> int:
        return len(self.kernel_names)

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self[name] is not None
        except NotFound:
            return False

    def __dir__(self) -> list[str]:
        short = []
        for name in self.kernel_names:
            readable = _core.readable_name(name).split("(")[0].split("<")[0].split("::")[-1].split(" ")[-1]
            short.append(readable)
        return sorted({*super().__dir__(), *(name for name in short if name.isidentifier())})

    def variable(self, name: str, dtype: DTypeLike, shape: Any = (), *, device: str = "") -> Any:
        """The value of a ``__device__`` or ``__constant__`` variable on a device (the first): a scalar of NumPy, or an
        ``ndarray`` of the given shape. The dtype must be the variable's where that is known. Waits for the launches of this
        module there."""
        found, extents = _checks.dtype(dtype), _checks.shape(shape)
        bytes_wanted = _checks.count_of(extents) * found.itemsize
        if bytes_wanted >= 1 << 63:
            raise InvalidArgument(f"variable {_checks.shown(name)} is not as large as {_checks.shown(bytes_wanted)} bytes")
        data = self._native.get_variable(_checks.text("variable(name)", name, "the name of a variable"), found.kind,
                                         found.itemsize, bytes_wanted, _checks.device("variable(device)", device))
        values = np.frombuffer(bytearray(data), found)
        return values.reshape(extents) if extents else values[0]

    def _dtype_for(self, name: str, value: Any) -> DTypeLike:
        """The type for a number of Python, by the variable's declaration in the PTX."""
        if type(value) not in (int, float):
            raise ArgumentTypeError(f"variable {name} cannot be set to {_checks.shown(value)} without its dtype; give that, "
                                    f"or an array of NumPy")
        dtype, is_array, count = self._native.variable_type(name)
        kind, bits = dtype[:1], 8 * count
        if is_array:
            raise ArgumentTypeError(f"variable {name} is an array or a structure; {_checks.shown(value)} is a number. Give an "
                                    f"array of NumPy, or the number with its dtype")
        if kind == "f":
            return np.dtype(f"f{bits // 8}")
        if type(value) is float:
            raise ArgumentTypeError(f"variable {name} is an integer, and {_checks.shown(value)} is a float; give its dtype if "
                                    f"that is meant")
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raise ArgumentOverflow(f"{_checks.shown(value)} does not fit into {bits} bits; give variable {name}'s dtype")
        return np.dtype(f"i{bits // 8}")

    def set_variable(self, name: str, value: Any, dtype: Optional[DTypeLike] = None, *, device: str = "") -> None:
        """Sets it on a device (the first; each has its own). NumPy's numbers and arrays keep their types, which must be the
        variable's where those are known. Numbers of Python take that of a variable which is a number; all else needs a
        ``dtype``."""
        _checks.text("set_variable(name)", name, "the name of a variable")
        _checks.device("set_variable(device)", device)
        if isinstance(value, Array):
            value = value.numpy()
        if dtype is None and not isinstance(value, (np.ndarray, np.generic)):
            dtype = self._dtype_for(name, value)
        wanted = None if dtype is None else _checks.dtype(dtype)
        try:
            values = np.ascontiguousarray(value, wanted)
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentTypeError(f"variable {name} cannot be set to {_checks.shown(value)}: {error}") from None
        _checks.dtype(values.dtype)
        self._native.set_variable(name, values.dtype.kind, values.dtype.itemsize, values.tobytes(), device)

    def __repr__(self) -> str:
        names = ", ".join(_core.readable_name(name) for name in self.kernel_names)
        return f"<heddle.Module {names or 'without kernels'}>"
