"""Finds the compiled part of the package, or says why it cannot be used."""

from __future__ import annotations

import os
import sys
import sysconfig


def explain(error: ImportError) -> ImportError:
    """The error of importing heddle._core, as a sentence that says what to do."""
    folder = os.path.dirname(os.path.abspath(__file__))
    built = sorted(name for name in os.listdir(folder) if name.startswith("_core.") and name.endswith(".so"))
    wanted = "_core" + (sysconfig.get_config_var("EXT_SUFFIX") or ".so")
    if wanted in built or "_core.so" in built:
        return ImportError(f"heddle's compiled part, {os.path.join(folder, built[0])}, cannot be loaded: {error}")
    if built:
        return ImportError(f"heddle's compiled part was built for another Python: {folder} has {', '.join(built)}, and this "
                           f"Python needs {wanted}; build the package with cmake -DHEDDLE_PYTHON={sys.executable}")
    return ImportError(f"heddle's compiled part ({wanted}) is not in {folder}: that is the package's source. Build it: "
                       f"script/wheel makes a wheel for pip, and 'cmake --preset dev && ninja -C build/dev heddle_python' "
                       f"makes build/dev/python/package, a folder for PYTHONPATH")
