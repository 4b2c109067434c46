"""Heddle: GPU kernels, in CUDA C++ or PTX, on whatever a machine has.

    import heddle, numpy as np

    rt = heddle.Runtime()                        # or devices="cpu"
    k = rt.compile(source)                       # CUDA C++ text, or a .cu or .ptx file
    x = rt.array(np.float32, n)
    x[:] = data
    k.square[blocks, 256](x, n)                  # returns at once
    print(x[0])                                  # waits for what writes x, and for nothing else
"""

import atexit as _atexit

try:
    from . import _core
except ImportError as error:
    from ._native import explain as _explain
    raise _explain(error) from None

from ._array import Array
from ._core import Launch
from ._errors import (ArgumentOverflow, ArgumentTypeError, CompileError, Deadlock, DeviceLost, Error, InternalError,
                      InvalidArgument, IoError, KernelFault, NotFound, OutOfMemory, ParseError, Unsupported)
from ._kernel import BoundKernel, Kernel, KernelInfo, Module, Occupancy, Parameter, in_, inout, opaque, out
from ._runtime import Call, Device, Runtime
from ._tenant import Tenant
from . import skeleton

__version__: str = _core.version()

__all__ = [
    "ArgumentOverflow", "ArgumentTypeError", "Array", "BoundKernel", "Call", "CompileError", "Deadlock", "Device", "DeviceLost",
    "Error", "InternalError", "InvalidArgument", "IoError", "Kernel", "KernelFault", "KernelInfo", "Launch", "Module",
    "NotFound", "Occupancy", "OutOfMemory", "Parameter", "ParseError", "Runtime", "Tenant", "Unsupported", "in_", "inout",
    "opaque", "out", "skeleton",
]

# What is in flight ends before the interpreter does, so that nothing waits while objects are taken apart.
_atexit.register(_core.finish_all)
