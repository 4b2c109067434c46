"""Packs a folder into a wheel (the binary distribution format of PyPA), with nothing but Python's own library.

Usage: make_wheel.py FOLDER OUT --version V --platform P [--licence FILE]...; prints the wheel's name. For the Python that runs
it. Same files, same bytes: times are left out.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import sys
import zipfile

METADATA = """\
Metadata-Version: 2.1
Name: heddle
Version: {version}
Summary: GPU kernels, in CUDA C++ or PTX, on whatever a machine has: NVIDIA GPUs, or the CPU
License: Apache-2.0
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: C++
Classifier: Typing :: Typed
Requires-Python: >={python}
Requires-Dist: numpy>=1.22
Description-Content-Type: text/markdown

# Heddle

GPU kernels, written in CUDA C++ or PTX, on NVIDIA GPUs through their driver, and on the CPU, compiled to machine code. No CUDA
toolkit is needed.

```python
import heddle, numpy as np

rt = heddle.Runtime()
k = rt.compile('extern "C" __global__ void square(float* x, int n) {{'
               '  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= x[i]; }}')
x = rt.array(np.arange(1000, dtype=np.float32))
k.square[4, 256](x, x.size)
print(x[30])
```
"""


class Wheel:
    def __init__(self, file, info):
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._info = info
        self._record = []

    def add(self, name, data, executable=False):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        self._zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self):
        record = f"{self._info}/RECORD"
        self._zip.writestr(zipfile.ZipInfo(record, (2020, 1, 1, 0, 0, 0)), "".join(self._record) + f"{record},,\n")
        self._zip.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--licence", type=pathlib.Path, action="append", default=[])
    given = parser.parse_args()
    abi = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{abi}-{abi}-{given.platform}"
    info = f"heddle-{given.version}.dist-info"
    target = given.out / f"heddle-{given.version}-{tag}.whl"
    wheel = Wheel(target, info)
    for file in sorted(given.folder.rglob("*")):
        if file.is_file():
            wheel.add(file.relative_to(given.folder).as_posix(), file.read_bytes(), os.access(file, os.X_OK))
    for file in given.licence:
        wheel.add(f"{info}/licenses/{file.name}", file.read_bytes())
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    wheel.add(f"{info}/METADATA", METADATA.format(version=given.version, python=python).encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.close()
    print(target)


main()
