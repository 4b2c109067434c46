"""A process with a limit of memory (ulimit -v) or of the stack (ulimit -s): heddle works, or raises OutOfMemory. It
never ends the process."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import resource, signal, sys
import numpy as np
import heddle

PTX = '''.version 7.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 a)
{
  .reg .u64 %p, %q; .reg .u32 %t; .reg .f32 %f;
  ld.param.u64 %p, [a];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %q, %t, 4;
  add.u64 %p, %p, %q;
  ld.global.f32 %f, [%p];
  add.f32 %f, %f, %f;
  st.global.f32 [%p], %f;
  ret;
}'''


def limit(kib):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + kib * 1024,) * 2)


def work(device, kib, when):
    if when == "before":
        limit(kib)
    rt = heddle.Runtime(device)
    kernel = rt.compile(PTX).twice
    array = rt.array(np.ones(256, np.float32))
    if when == "after":
        limit(kib)
    kernel[1, 256](array)
    return array[255]


try:
    print("value", work(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
except heddle.OutOfMemory as error:
    print("OutOfMemory", error)
except MemoryError as error:
    print("MemoryError", error)
print("blocked", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
"""


@pytest.mark.skipif("san" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers need address space")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_a_limit_is_an_exception(device, when):
    raised = 0
    for kib in (0, 1_000, 4_000, 9_000, 30_000, 150_000, 210_000, 240_000, 4_000_000):
        ran = subprocess.run([sys.executable, "-c", PROGRAM, device, str(kib), when], capture_output=True, text=True,
                             timeout=100)
        said = f"{kib} KiB: {ran.returncode} {ran.stdout} {ran.stderr}"
        assert ran.returncode == 0, said
        assert ran.stderr == "", said  # nothing of destructors
        lines = ran.stdout.splitlines()
        assert lines[0] == "value 2.0" or lines[0].startswith(("OutOfMemory ", "MemoryError")), said
        assert lines[1] == "blocked []", said
        raised += lines[0] != "value 2.0"
    assert kib == 4_000_000 and lines[0] == "value 2.0"
    assert raised > 0 or when == "after"


# Smaller ones end NumPy.
@pytest.mark.skipif("san" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers need a stack")
@pytest.mark.parametrize("device", ["cpu", "interp", "sim:tesla-g80"])
def test_a_small_stack(device, tmp_path):
    deep = tmp_path / "deep.toml"
    deep.write_text("sms = " + "[" * 1000 + "]" * 1000)
    program = PROGRAM + f"""
try:
    heddle.Runtime("sim:{deep}")
except heddle.ParseError as error:
    print("ParseError")
text = 'extern "C" __global__ void set(int* p) {{ *p = 1; }}'
try:
    heddle.Runtime("interp").compile(text, defines={{"STACK": 1}})
    print("compiled")
except heddle.OutOfMemory as error:
    print(error)
"""
    for kib in (128, 256, 1024):
        ran = subprocess.run(["sh", "-c", f'ulimit -s {kib}; exec "$0" "$@"', sys.executable, "-c", program, device,
                              "4000000", "before"], capture_output=True, text=True, timeout=100,
                             env={**os.environ, "HEDDLE_CACHE_DIR": str(tmp_path / str(kib))})
        said = f"{kib} KiB: {ran.returncode} {ran.stdout} {ran.stderr}"
        assert ran.returncode == 0, said
        lines = ran.stdout.splitlines()
        assert lines[0] == "value 2.0" and lines[2] == "ParseError", said
        assert lines[3] == "compiled" or (kib < 256 and f"(ulimit -s) is {kib} KiB" in lines[3]), said
