"""Checks of what programs pass, so that every refusal says which function and which of its arguments."""

from __future__ import annotations

import operator
import os
from typing import Any, Iterable, Optional

import numpy as np

from ._errors import ArgumentTypeError, InvalidArgument


def shown(value: Any) -> str:
    """A value for messages: its repr() if that is short and does not raise, as that of large integers may."""
    try:
        text = repr(value)
        text.encode()
    except Exception:
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def integer(what: str, value: Any, least: int, most: int, kind: str = "an integer") -> int:
    if not isinstance(value, (bool, np.bool_)):  # which Python takes for integers
        try:
            found = operator.index(value)
        except TypeError:
            pass
        else:
            if not least <= found <= most:
                raise InvalidArgument(f"{what} is {shown(found)}; it is {kind} from {least} to {most}")
            return found
    raise ArgumentTypeError(f"{what} is {shown(value)}; it is {kind}")


def number(what: str, value: Any, kind: str) -> float:
    if not isinstance(value, (bool, np.bool_, str, bytes)):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise ArgumentTypeError(f"{what} is {shown(value)}; it is {kind}")


def text(what: str, value: Any, kind: str = "a text") -> str:
    """A str that can be passed to C."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{what} is {shown(value)}; it is {kind}")
    if "\0" in value:
        raise InvalidArgument(f"{what} has a 0 byte in it: {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"{what} has a character that is no Unicode text, at {error.start}") from None
    return value


def path(what: str, value: Any) -> str:
    """The name of a file or folder."""
    try:
        name = os.fsdecode(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{what} is {shown(value)}; it is the name of a file, as text or pathlib.Path") from None
    return text(what, name)


def listed(what: str, value: Any, kind: str) -> list[Any]:
    """The elements of a list or another iterable, but not the characters of a text."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ArgumentTypeError(f"{what} is {shown(value)}; it is {kind}")
    return list(value)


def device(what: str, value: Any) -> str:
    return text(what, value, 'the id of a device, such as "cuda:0" or "cpu"')


def dtype(value: Any) -> np.dtype:
    """A dtype whose values kernels can use."""
    try:
        found = np.dtype(value)
    except UnicodeError:
        raise ArgumentTypeError(f"{shown(value)} is no dtype of NumPy, such as numpy.float32") from None
    except Exception as error:
        raise ArgumentTypeError(f"{shown(value)} is no dtype of NumPy, such as numpy.float32: {error}") from None
    if found.hasobject:
        raise InvalidArgument(f"an array of dtype {found} holds objects of Python, which kernels cannot use")
    if not found.isnative:
        raise InvalidArgument(f"an array of dtype {found} has its bytes in the order of another machine; "
                              f"use {found.newbyteorder('=')}")
    if found.itemsize == 0:
        raise InvalidArgument(f"dtype {found!r} has elements without bytes")
    return found


def shape(value: Any, what: str = "the shape of an array") -> tuple[int, ...]:
    extents = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    found = []
    for extent in extents:
        try:
            found.append(operator.index(extent))
        except TypeError:
            raise ArgumentTypeError(f"{what} is an integer or a tuple of them, not {shown(value)}") from None
    if any(extent < 0 for extent in found):
        raise InvalidArgument(f"an array of shape {shown(tuple(found))} has a negative extent")
    if len(found) > 32:
        raise InvalidArgument(f"an array has at most 32 dimensions, and {shown(tuple(found))} are {len(found)}")
    return tuple(found)


def native(value: Any, of: type, maker: str) -> Any:
    """Guards constructors that are not for programs."""
    if not isinstance(value, of):
        raise ArgumentTypeError(f"{maker}; it is not made by its constructor")
    return value


def count_of(extents: Optional[Iterable[int]]) -> int:
    count = 1
    for extent in extents or ():
        count *= extent
    return count
