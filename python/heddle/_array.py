"""Arrays that kernels and the host use in turn."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Iterator, Optional, Tuple, Union

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _checks, _core
from ._errors import ArgumentTypeError, InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._runtime import Runtime

    ShapeLike = Union[int, Tuple[int, ...]]

# DLPack's codes of element types, by the kind of NumPy's dtype.
_DLPACK_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class Array(_core.ArrayBase, NDArrayOperatorsMixin):
    """Values that kernels and the host use in turn, row by row without gaps; made by ``Runtime.array``.

    Reading waits for the launches in flight that write the array, writing for all that use it, and both for nothing
    else. ``x[i]`` and ``x[a:b]`` without a step are views of the same bytes if these are contiguous: kernels take
    them, and launches with views that do not overlap do not depend on each other. A selection that is not
    contiguous (``x[::2]``, a mask, a list of indices) is a NumPy copy. NumPy's functions and operators take arrays and
    give ``numpy.ndarray``.

    Any thread may use it; a thread that writes must be the only user. It keeps its runtime alive.
    """

    __slots__ = ("_runtime", "_shape", "_dtype", "_seen")
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]  # == is by element

    def __init__(self, runtime: Runtime, buffer: _core.Buffer, offset: int, shape: tuple[int, ...], dtype: np.dtype) -> None:
        """For Heddle's own use: ``Runtime.array`` makes arrays."""
        _checks.native(buffer, _core.Buffer, "Runtime.array makes arrays")
        _core.ArrayBase.__init__(self, buffer, offset, _checks.count_of(shape) * dtype.itemsize, dtype.kind, dtype.itemsize)
        self._runtime = runtime
        self._shape = shape
        self._dtype = dtype
        self._seen: list[Optional[tuple[int, np.ndarray]]] = [None, None]

    # ---- What it is

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def dtype(self) -> np.dtype:
        return self._dtype

    @property
    def ndim(self) -> int:
        return len(self._shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return _checks.count_of(self._shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self._dtype.itemsize

    @property
    def runtime(self) -> Runtime:
        return self._runtime

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of an array without dimensions")
        return self._shape[0]

    def __repr__(self) -> str:
        # Not the values: showing an array must not wait for a kernel.
        return f"<heddle.Array shape={self._shape} dtype={self._dtype}>"

    # ---- The host's side

    def _host(self, writable: bool) -> np.ndarray:
        # The bytes may be elsewhere than last time; most often they are not, and neither is another view needed.
        seen = self._seen[writable]
        pointer = self._pointer(writable)
        if seen is not None and seen[0] == pointer:
            return seen[1]
        view: np.ndarray = np.ndarray(self._shape, self._dtype, self._span(writable))
        self._seen[writable] = (pointer, view)
        return view

    def numpy(self) -> np.ndarray:
        """A copy of the values, once the launches that write them are done; yours to keep and to change."""
        return self._host(False).copy()

    def copy(self) -> Array:
        """Another array of the same runtime with these values, once the launches that write them are done."""
        made = Array(self._runtime, _core.Buffer(self._runtime._native, self.nbytes), 0, self._shape, self._dtype)
        made[...] = self
        return made

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Array:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("an array of Heddle belongs to its runtime and cannot be pickled; x.numpy() can")

    def fill(self, value: Any) -> None:
        """Sets all elements, once no launch uses the array."""
        self._host(True)[...] = value

    def item(self, *index: int) -> Any:
        """An element as an object of Python."""
        return self._host(False).item(*index)

    def tolist(self) -> Any:
        return self._host(False).tolist()

    def __bool__(self) -> bool:
        return bool(self._host(False))

    def __int__(self) -> int:
        return int(self._host(False))

    def __float__(self) -> float:
        return float(self._host(False))

    def __iter__(self) -> Iterator[Any]:
        if not self._shape:
            raise TypeError("iteration over an array without dimensions")
        if len(self._shape) == 1:
            return iter(self.numpy())
        return (self[i] for i in range(self._shape[0]))

    def __contains__(self, value: Any) -> bool:
        return value in self._host(False)

    # ---- Parts

    def _part(self, key: Any) -> Optional[tuple[int, tuple[int, ...]]]:
        """Offset in elements and shape of what ``key`` picks, if that is contiguous; None if NumPy must pick it."""
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > len(self._shape):
            return None
        offset, shape = 0, []
        inner = self.size
        whole = True  # all dimensions looked at so far pick one index each
        for axis, extent in enumerate(self._shape):
            inner = inner // extent if extent else 0
            one = keys[axis] if axis < len(keys) else slice(None)
            if isinstance(one, slice):
                start, stop, step = one.indices(extent)
                count = max(0, stop - start)
                if step != 1 or (not whole and count != extent):
                    return None
                offset += start * inner
                shape.append(count)
                whole = whole and count == 1
            elif not isinstance(one, (int, np.integer)) or isinstance(one, bool):
                return None
            else:
                index = operator.index(one)
                if not -extent <= index < extent:
                    raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
                if not whole:
                    return None
                offset += (index % extent) * inner
        return offset, tuple(shape)

    def __getitem__(self, key: Any) -> Any:
        if type(key) is int and len(self._shape) == 1 and self._dtype.kind != "V":  # the usual one
            return self._host(False)[key]
        if key is Ellipsis:
            return self
        part = self._part(key)
        if part is None or (not part[1] and self._picks_one(key)):
            found = self._host(False)[key]
            return found.copy() if isinstance(found, (np.ndarray, np.void)) else found
        offset, shape = part
        return Array(self._runtime, self._buffer, self._offset + offset * self.itemsize, shape, self._dtype)

    def _picks_one(self, key: Any) -> bool:
        keys = key if isinstance(key, tuple) else (key,)
        return len(keys) == len(self._shape) and not any(isinstance(one, slice) for one in keys)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, Array):
            value = value._host(False)
        part = None if key is Ellipsis else self._part(key)
        if part is None:
            self._host(True)[key] = value
            return
        # Only a contiguous part is waited for alone.
        offset, shape = part
        at = Array(self._runtime, self._buffer, self._offset + offset * self.itemsize, shape, self._dtype)
        at._host(True)[...] = value

    def reshape(self, *shape: Any) -> Array:
        """The same bytes with other extents; one may be -1."""
        extents = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        try:
            wanted = [operator.index(extent) for extent in extents]
        except TypeError:
            raise ArgumentTypeError(f"reshape({_checks.shown(extents)}): extents are integers") from None
        if wanted.count(-1) == 1:
            known = _checks.count_of(tuple(extent for extent in wanted if extent != -1))
            wanted[wanted.index(-1)] = self.size // known if known else 0
        found = _checks.shape(wanted)
        if _checks.count_of(found) != self.size:
            raise InvalidArgument(f"an array of {self.size} elements cannot have the shape {_checks.shown(extents)}")
        return Array(self._runtime, self._buffer, self._offset, found, self._dtype)

    def ravel(self) -> Array:
        """The same bytes with one dimension."""
        return self.reshape(self.size)

    def view(self, dtype: DTypeLike) -> Array:
        """The same bytes as elements of another type; the last extent changes with their size."""
        other = _checks.dtype(dtype)
        row = (self._shape[-1] if self._shape else 1) * self.itemsize
        if row % other.itemsize or (not self._shape and other.itemsize != self.itemsize):
            raise InvalidArgument(f"rows of {row} bytes are no whole number of elements of {other}")
        shape = self._shape[:-1] + (row // other.itemsize,) if self._shape else ()
        return Array(self._runtime, self._buffer, self._offset, shape, other)

    def prefetch(self) -> None:
        """Begins to copy the values to the host as soon as the launches in flight that write them are done, and returns:
        reading them then waits for less. A hint: where a policy holds launches back, or where there is no memory, nothing
        happens."""
        self._buffer.prefetch(self._offset, self.nbytes)

    def address(self, device: str = "") -> int:
        """The address on a device (the runtime's first), for kernels that find it in a structure or in other memory. From
        now on, every launch on that device counts as reading and writing the array."""
        return self._buffer.address(_checks.device("address(device)", device)) + self._offset

    # ---- Exchange with others

    @property
    def __array_interface__(self) -> dict[str, Any]:
        # Read-only, without a copy: numpy.asarray(x) waits, and shows the values until the next launch that writes x.
        host = self._host(False)
        return {
            "shape": self._shape,
            "typestr": self._dtype.str,
            "descr": self._dtype.descr,
            "data": (host.ctypes.data, True),
            "strides": None,
            "version": 3,
        }

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        given = [one._host(False) if isinstance(one, Array) else one for one in inputs]
        if method == "at" and isinstance(inputs[0], Array):
            given[0] = inputs[0]._host(True)
        out = options.get("out")
        if out is not None:
            options["out"] = tuple(one._host(True) if isinstance(one, Array) else one for one in out)
        result = getattr(ufunc, method)(*given, **options)
        if out is None:
            return result
        return out[0] if len(out) == 1 else out

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # the host's memory

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[tuple[int, int]] = None,
                   dl_device: Optional[tuple[int, int]] = None, copy: Optional[bool] = None) -> Any:
        """A capsule of host memory that the consumer may write as well; valid until the next launch that uses the array.
        Waits for all launches that use it."""
        if stream is not None:
            raise BufferError("arrays of Heddle are handed out in host memory, which has no streams")
        if dl_device is not None and (not isinstance(dl_device, (tuple, list)) or tuple(dl_device) != (1, 0)):
            raise BufferError(f"arrays of Heddle are handed out in host memory, (1, 0), not on DLPack device "
                              f"{_checks.shown(dl_device)}")
        if max_version is not None and not (isinstance(max_version, (tuple, list)) and max_version
                                            and isinstance(max_version[0], int)):
            raise ArgumentTypeError(f"__dlpack__(max_version) is {_checks.shown(max_version)}; it is a tuple, such as (1, 0)")
        code = _DLPACK_CODES.get(self._dtype.kind)
        if code is None:
            raise BufferError(f"DLPack has no element type for dtype {self._dtype}")
        versioned = max_version is not None and max_version[0] >= 1
        if copy:
            return self.copy().__dlpack__(max_version=max_version)
        return self._dlpack(list(self._shape), code, self.itemsize * 8, versioned)
