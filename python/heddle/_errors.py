"""The exceptions of Heddle. Each is an ``Error``, and where that fits one of Python's own as well."""

from __future__ import annotations


class Error(RuntimeError):
    """Whatever Heddle refuses or a kernel does wrong; the text says what was wrong, where, and what to do."""

    #: The name of the error's code in C++: "not_found", "kernel_fault", ...
    code: str = "internal"
    #: What a kernel did, where the code is "kernel_fault": "memory_access", "misaligned", "trap", "assertion",
    #: "timeout" or "other".
    fault: "str | None" = None


class InvalidArgument(Error, ValueError):
    """A value that the caller passed is wrong."""

    code = "invalid_argument"


class ArgumentTypeError(InvalidArgument, TypeError):
    """An argument is of a type that the kernel's parameter does not take."""


class ArgumentOverflow(InvalidArgument, OverflowError):
    """A number does not fit into the kernel's parameter."""


class NotFound(Error, LookupError):
    """A file, kernel, device or variable that does not exist."""

    code = "not_found"


class ParseError(Error, ValueError):
    """PTX text that is not PTX; with line and column."""

    code = "parse_error"


class CompileError(Error):
    """CUDA C++ that does not compile; with the compiler's messages."""

    code = "compile_error"


class Unsupported(Error, NotImplementedError):
    """Valid, but Heddle or this device does not do it; the message names it."""

    code = "unsupported"


class OutOfMemory(Error, MemoryError):
    """A device, or the host, has no memory left."""

    code = "out_of_memory"


class KernelFault(Error):
    """A kernel accessed memory it may not, trapped, failed an assertion or ran too long; ``fault`` says which."""

    code = "kernel_fault"


class Deadlock(Error):
    """Threads of a launch wait for something that can never happen."""

    code = "deadlock"


class DeviceLost(Error):
    """The device does not answer any more."""

    code = "device_lost"


class IoError(Error, OSError):
    """Files or caches cannot be read or written."""

    code = "io_error"


class InternalError(Error):
    """A bug in Heddle."""

    code = "internal"


_BY_CODE = {
    of.code: of
    for of in (InvalidArgument, NotFound, ParseError, CompileError, Unsupported, OutOfMemory, KernelFault, Deadlock,
               DeviceLost, IoError, InternalError)
}
_FAULTS = (None, "memory_access", "misaligned", "trap", "assertion", "other", "timeout")


def of_status(code: str, message: str, fault: int) -> Error:
    """The exception for a status of the C interface."""
    made = _BY_CODE.get(code, InternalError)(message)
    made.fault = _FAULTS[fault] if 0 <= fault < len(_FAULTS) else "other"
    return made
