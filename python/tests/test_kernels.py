"""Compiling, launching, arguments."""

import ctypes
import decimal
import os
import pathlib

import numpy as np
import pytest

import heddle


def test_example_of_the_readme(rt, k):
    n, blocks = 1000, 4
    data = np.arange(n, dtype=np.float32) % 5
    x, y, z = rt.array(np.float32, n), rt.array(np.float32, n), rt.array(np.float32, 1)
    x[:] = data
    y[:] = 2
    k.square[blocks, 256](x, n)
    k.square[blocks, 256](y, n)
    k.reduce[blocks, 256](x, y, z, n)
    assert z[0] == (data**2).sum() + 4 * n


def test_kernels_by_attribute_and_by_name(k):
    assert k.square is k["square"]
    assert k.add.name == "_Z3addPiii" and k.add.signature == "add(int*, int, int)"
    assert k["img::scale<float>"].signature.startswith("void img::scale<float>")
    assert k["add(int*, int, int)"].name == k.add.name
    with pytest.raises(heddle.NotFound, match="absent"):
        k["absent"]
    with pytest.raises(LookupError):
        k["absent"]
    with pytest.raises(AttributeError, match="absent"):
        k.absent
    with pytest.raises(heddle.NotFound, match="scale<float>"):
        k["scale"]  # two fit
    assert "square" in k and "absent" not in k and 3 not in k
    assert {"square", "add", "scale"} <= set(dir(k))
    assert len(list(k)) == len(k) == len(k.kernel_names) > 10
    assert "square" in repr(k) and "add(int*" in repr(k.add)


def test_what_is_known_of_a_kernel(k):
    info = k["reduce"].info
    assert [p.access for p in info.parameters] == ["read", "read", "read-write", "none"]
    assert [p.pointer for p in info.parameters] == [True, True, True, False]
    assert info.atomics == 1 and info.registers > 0 and k.square.info.blocks_independent
    assert [p.source_type for p in k.add.info.parameters] == ["int*", "int", "int"]
    assert k.square[1, 32].occupancy() == ()


def test_shapes(rt, k):
    to = rt.array(np.uint32, 24)
    k.shape[2, 4, 12](to)
    assert to[0] == to[1] == 40101 and to[2] == 0
    to.fill(0)
    k.shape[(2, 3, 4), (2, 3, 1), 12](to)
    assert (to == 20301).all()
    to.fill(0)
    k.shape[(2, 3, 4), [2, 3]].options(shared=12, blocks=(5, 7))(to)
    assert list(np.flatnonzero(to)) == [5, 6]
    assert k.shape[np.int64(1), np.int32(1)] is k.shape[1, 1]
    for wrong in [4, (1, 1, 1, 1), (1,)]:
        with pytest.raises(TypeError, match=r"kernel\[grid, block\]"):
            k.shape[wrong]
    with pytest.raises(TypeError, match="needs a launch shape"):
        k.shape(to)
    with pytest.raises(TypeError, match="rounds up"):
        k.shape[1000 / 256, 256]
    with pytest.raises(heddle.InvalidArgument):
        k.shape[1, 4096](to)


@pytest.mark.parametrize("wrong, message", [
    ((0, 1), "an extent of the grid 0 is 0; extents are at least 1"),
    ((-1, 1), "an extent of the grid -1 is -1; extents are at least 1"),
    ((1, 0), "an extent of the block 0 is 0; extents are at least 1"),
    ((1, (32, -2)), r"an extent of the block \(32, -2\) is -2; extents are at least 1"),
    ((1 << 32, 1), r"extents are at most 2\*\*32 - 1"),
    (((1, 2, 3, 4), 1), "a grid has one to three extents, not 4"),
    ((1, (1, 2, 3, 4)), "a block has one to three extents, not 4"),
    (((), 1), "a grid has one to three extents, not 0"),
    ((1, 1, -1), "bytes of dynamic shared memory, is -1")])
def test_shapes_that_are_out_of_range(k, wrong, message):
    k.shape[1, 1]
    with pytest.raises(heddle.InvalidArgument, match=message):
        k.shape[wrong]


@pytest.mark.parametrize("wrong, message", [
    ((4.0, 32), "a grid is an integer or a tuple of up to three, not 4.0; for a division that rounds up"),
    ((4, 32.0), "a block is an integer or a tuple of up to three, not 32.0"),
    (((2, 1.5), 32), r"a grid is an integer or a tuple of up to three, not \(2, 1.5\)"),
    ((np.float32(4), 32), "a grid is an integer"), ((True, 32), "a grid is an integer"), ((4, np.bool_(True)), "a block"),
    (("4", 32), "a grid is an integer"), ((None, 32), "a grid is an integer"), ((4, np.arange(3)), "a block is an integer"),
    ((4, 32, 1.0), "shared, the bytes of dynamic shared memory, is 1.0; it is an integer")])
def test_shapes_of_the_wrong_type(k, wrong, message):
    k.shape[4, 32], k.shape[1, 32], k.shape[4, 1], k.shape[4, 32, 1]  # equal to some of them, and known
    with pytest.raises(TypeError, match=message):
        k.shape[wrong]


@pytest.mark.parametrize("wrong, error, message", [
    ({"shared": 1.5}, TypeError, "is 1.5; it is an integer"), ({"shared": -4}, ValueError, "dynamic shared memory"),
    ({"blocks": 3}, TypeError, r"blocks are \(first, end\)"), ({"blocks": (1,)}, TypeError, r"blocks are \(first, end\)"),
    ({"blocks": (0, 1.0)}, TypeError, "it is an integer"), ({"blocks": (2, 1)}, ValueError, "is no range"),
    ({"blocks": (-1, 1)}, ValueError, "is -1; it is an integer from 0"), ({"processors": 3}, TypeError, "processors is 3; it is numbers"),
    ({"processors": []}, ValueError, "processors is empty"),
    ({"processors": [0.5]}, TypeError, "it is a number"), ({"processors": [-1]}, ValueError, "is -1; it is a number from 0"),
    ({"device": 0}, TypeError, "it is the id of a device")])
def test_options_that_are_wrong(k, wrong, error, message):
    with pytest.raises(error, match=message) as caught:
        k.shape[1, 32].options(**wrong)
    assert isinstance(caught.value, heddle.InvalidArgument)


def test_limits_of_the_device(rt, k):
    to = rt.array(np.uint32, 1)
    for grid, block in [((1, 1 << 16), 1), ((1, 1, 1 << 16), 1), (1, (1, 1, 65)), (1, (32, 33)), (1, 1025)]:
        with pytest.raises(heddle.InvalidArgument, match=r"\d"):
            k.shape[grid, block, 12](to)
    with pytest.raises(heddle.InvalidArgument, match="shared"):
        k.shape[1, 1, 1 << 30](to)


def test_devices(rt, k):
    both = heddle.Runtime(["cpu", "interp"])
    assert [device.id for device in both.devices] == ["cpu", "interp"]
    x = both.array(np.arange(4, dtype=np.int32))
    add = both.compile(k.ptx).add
    assert add[1, 4](x, 1, 4).device == "cpu"
    assert add[1, 4].on("interp")(x, 10, 4).device == "interp"
    assert x.tolist() == [11, 12, 13, 14]
    with pytest.raises(heddle.NotFound, match="cuda:77"):
        add[1, 4].on("cuda:77")(x, 1, 4)
    with pytest.raises(heddle.NotFound, match="loom"):
        heddle.Runtime("loom")
    device = rt.devices[0]
    assert device.warp_size == 32 and device.memory_bytes > 0 and device.host_memory and device.capability == (0, 0)
    assert rt.measured_bandwidth() > 1e6
    assert "cpu" in repr(rt)


def test_numbers_of_every_kind(rt, k):
    to = rt.array(np.float64, 9)
    k.kinds[1, 1](to, 1, 2.5, -3, 4000000000, -(1 << 40), (1 << 64) - 1, -32768, 255, True)
    assert to.tolist() == [1, 2.5, -3, 4e9, -(2.0**40), 2.0**64, -32768, 255, 1]
    k.kinds[1, 1](to, np.float64(0.1), np.float32(0.5), np.int8(-1), np.uint64(7), np.int16(-2), np.bool_(True),
                  np.array(3), np.uint8(9), np.False_)
    assert to.tolist() == [np.float32(0.1), 0.5, -1, 7, -2, 1, 3, 9, 0]
    k.kinds[1, 1](to, float("inf"), float("nan"), True, 0, 0, 0, 0, 0, 0)
    assert to[0] == np.inf and np.isnan(to[1]) and to[2] == 1
    k.kinds[1, 1](to, decimal.Decimal("0.5"), 2**70, 0, 0, 0, 0, 0, 0, 0)
    assert to[0] == 0.5 and to[1] == 2.0**70


@pytest.mark.parametrize("at, value", [(3, 1 << 31), (3, -(1 << 31) - 1), (3, 1 << 80), (4, -1), (4, 1 << 32),
                                       (5, 1 << 63), (6, -1), (6, 1 << 64), (7, 40000), (8, 256), (8, -1), (9, 2),
                                       (1, 1e39), (1, -(10**50)), (3, np.int64(1 << 40))])
def test_numbers_that_do_not_fit(rt, k, at, value):
    arguments = [rt.array(np.float64, 9), 0.0, 0.0, 0, 0, 0, 0, 0, 0, 0]
    arguments[at] = value
    with pytest.raises(OverflowError, match=rf"argument {at + 1} of kernel kinds\(.*parameter \w+ \(.*not fit"):
        k.kinds[1, 1](*arguments)
    with pytest.raises(heddle.InvalidArgument):
        k.kinds[1, 1](*arguments)


@pytest.mark.parametrize("at, value, advice", [
    (3, 1.0, "integer"), (3, np.float32(1), "integer"), (3, "1", "integer"), (3, None, "no pointer"),
    (3, np.arange(3), "integer"), (1, "1.0", "real number"), (1, 1j, "real number"), (1, np.complex64(1), "real number"),
    (1, np.zeros(1, np.float32), "real number"), (0, 5, "heddle.Array"), (0, 5.0, "heddle.Array"),
    (0, np.zeros(9), "heddle.Array"), (3, decimal.Decimal(1), "integer"), (1, b"1234", "real number")])
def test_values_of_the_wrong_type(rt, k, at, value, advice):
    arguments = [rt.array(np.float64, 9), 0.0, 0.0, 0, 0, 0, 0, 0, 0, 0]
    arguments[at] = value
    with pytest.raises(TypeError, match=rf"argument {at + 1} of kernel kinds.*{advice}"):
        k.kinds[1, 1](*arguments)


def test_arrays_where_numbers_belong_and_too_few_arguments(rt, k):
    x = rt.array(np.int32, 4)
    with pytest.raises(TypeError, match="argument 2 of kernel add.*a number, no array"):
        k.add[1, 4](x, x, 4)
    with pytest.raises(TypeError, match=r"takes 3 arguments and was given 2.*int\*"):
        k.add[1, 4](x, 1)


def without_source(rt, k):
    """The module of its PTX alone, without what Heddle's compiler appends to it about the source."""
    assert "// heddle: " in k.ptx
    return rt.compile(k.ptx[:k.ptx.index("// heddle: ")])


def test_types_that_nothing_states(rt, k):
    """PTX does not say whether integers are signed, so both are taken."""
    unsure = without_source(rt, k).unsure
    to = rt.array(np.uint64, 2)
    unsure[1, 1](to, -1, 65535)
    assert to.tolist() == [0xFFFFFFFF, 65535]
    with pytest.raises(OverflowError, match="-2147483648 to 4294967295"):
        unsure[1, 1](to, 1 << 32, 0)
    with pytest.raises(OverflowError, match=r"kernel unsure\(unsigned long long\*, unsigned, unsigned short\), parameter u "
                                            r"\(unsigned\), .*0 to 4294967295"):
        k.unsure[1, 1](to, -1, 0)  # the type comes from the source


def test_names_and_types_come_from_the_source(rt, k):
    info = k.reduce.info
    assert info.signature == k.reduce.signature == "reduce(const float*, const float*, float*, int)"
    assert [p.label for p in info.parameters] == ["x", "y", "z", "n"]
    assert [p.source_type for p in info.parameters] == ["const float*", "const float*", "float*", "int"]
    assert [p.label for p in k["img::scale<float>"].info.parameters] == ["x", "by"]
    bare = without_source(rt, k)
    assert bare.reduce.signature == "reduce" and [p.label for p in bare.reduce.info.parameters] == [""] * 4
    with pytest.raises(TypeError, match=r"argument 2 of kernel reduce\(const float.*parameter y \(const float\*\), was"):
        k.reduce[1, 1](None, 1.5, None, 0)


def test_element_types(rt, k):
    x = rt.array(np.float64, 4)
    with pytest.raises(TypeError, match="argument 1 of kernel add.*dtype float64.*view"):
        k.add[1, 4](x, 1, 4)
    with pytest.raises(TypeError, match="dtype float64"):
        k["img::scale<float>"][1, 4](x, 2.0)
    k["img::scale<double>"][1, 4](x, 2.0)
    k.add[1, 4](rt.array(np.uint32, 4), 1, 4)  # of the same size
    k.add[1, 8](x.view(np.int32), 7, 8)
    assert (x.view(np.int32) == 7).all()
    without_source(rt, k).square[1, 4](x, 4)  # the PTX of extern "C" kernels has no types
    with pytest.raises(TypeError, match=r"argument 1 of kernel square\(float\*, int\), parameter x .*dtype float64.*view"):
        k.square[1, 4](x, 4)
    for wrong in [np.bool_, np.int8, np.int16, np.int64, np.float32, np.float16, np.complex64]:
        with pytest.raises(TypeError, match=f"dtype {np.dtype(wrong)}; make the array of the type that the kernel wants"):
            k.add[1, 1](rt.array(wrong, 4), 1, 1)
    with pytest.raises(TypeError, match="dtype complex64"):
        k["img::scale<double>"][1, 1](rt.array(np.complex64, 4), 1.0)
    k.add[1, 4](rt.array(np.dtype("V16"), 1), 1, 4)  # bytes that may be anything


def test_element_types_of_a_signature(rt, k):
    square = k.square.with_signature("square(x: inout pointer float, n: sint32)")
    assert [p.source_type for p in square.info.parameters] == ["float*", "int"]
    x = rt.array(np.full(4, 3, np.float32))
    square[1, 4](x, 4)
    assert (x == 9).all()
    for wrong in [np.float64, np.int32, np.float16]:
        with pytest.raises(TypeError, match=rf"argument 1 of kernel square.*float\*.*dtype {np.dtype(wrong)}; make"):
            square[1, 4](rt.array(wrong, 4), 4)
    with pytest.raises(OverflowError, match="-2147483648 to 2147483647"):
        square[1, 4](x, 1 << 31)
    with pytest.raises(OverflowError, match="0 to 4294967295"):
        k.square.with_signature("inout pointer, uint32")[1, 4](x, -1)
    with pytest.raises(TypeError, match="dtype float64"):  # the source says what the signature does not
        k.square.with_signature("inout pointer, sint32")[1, 4](rt.array(np.float64, 4), 4)
    k.square.with_signature("inout pointer void, sint32")[1, 4](rt.array(np.float64, 4), 4)


def test_structures(rt, k):
    to = rt.array(np.float64, 5)
    line = np.dtype([("a", "f8"), ("b", "f4"), ("c", "i4", 4)], align=True)
    small = np.dtype([("a", "i4"), ("b", "f4")])
    lines = np.zeros(2, line)
    lines[1] = (1.5, 2.5, (0, 0, 0, -7))
    k.structures[1, 1](to, lines[1], np.array((8, 0.25), small))
    assert to.tolist() == [1.5, 2.5, -7, 8, 0.25]

    class Small(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_float)]

    k.structures[1, 1](to, lines[0].tobytes(), Small(5, 0.5))
    assert to.tolist() == [0, 0, 0, 5, 0.5]
    # An element of an array of structures is one, too.
    table = rt.array(small, 3)
    table[1] = (9, 1.0)
    k.structures[1, 1](to, lines[0], table[1])
    assert to[3] == 9
    for swapped in [np.array((8, 0.25), small.newbyteorder(">")), np.array([1, 2], ">f4")]:
        with pytest.raises(TypeError, match="argument 3.*big-endian.*newbyteorder"):
            k.structures[1, 1](to, lines[0], swapped)
    named = np.array((8, 0.25), np.dtype([("a>b", "i4"), ("!", "f4")]))
    k.structures[1, 1](to, lines[0], named)
    assert to.tolist()[3:] == [8, 0.25]
    with pytest.raises(TypeError, match="argument 3.*it has 32 bytes.*structure of 8 bytes"):
        k.structures[1, 1](to, lines[0], lines[0])
    with pytest.raises(TypeError, match="argument 2.*structure of 32 bytes"):
        k.structures[1, 1](to, 5, Small())
    with pytest.raises(TypeError, match="structure of 8 bytes"):
        k.structures[1, 1](to, lines[0], to)
    for objects in [np.array([None]), np.array((None,), [("a", object)])]:
        with pytest.raises(TypeError, match="argument 3.*holds objects of Python.*structure of 8 bytes"):
            k.structures[1, 1](to, lines[0], objects)
    named = np.array((8, 0.25), np.dtype([("O", "i4"), ("aO", "f4")]))
    k.structures[1, 1](to, lines[0], named)


def test_null(rt, k):
    to, x = rt.array(np.int32, 1), rt.array(np.float32, 1)
    k.is_null[1, 1](to, None)
    assert to[0] == 1
    k.is_null[1, 1](to, x)
    assert to[0] == 2


def test_variables(rt, k):
    to = rt.array(np.int32, 1)
    assert k.variable("counter", np.int32) == 3
    assert k.variable("table", np.float32, 4).tolist() == [1, 2, 3, 4]
    k.set_variable("counter", 40)
    k.set_variable("table", np.array([0, 0, 0, 2], np.float32))
    k.set_counter[1, 1](to)
    assert to[0] == 42
    k.set_variable("counter", 5, np.int64 if False else np.int32)
    assert k.variable("counter", "i4", device="cpu") == 5
    k.set_variable("counter", 3)
    k.set_variable("table", np.array([1, 2, 3, 4], np.float32))
    with pytest.raises(heddle.NotFound, match="absent"):
        k.variable("absent", np.int32)
    with pytest.raises(heddle.InvalidArgument):
        k.set_variable("counter", np.int64(1))
    with pytest.raises(OverflowError):
        k.set_variable("counter", 1 << 31)


def test_numbers_take_the_variables_type(rt):
    made = rt.compile("""namespace img { __device__ float scale; } __device__ double fine; __device__ int count;
                      __device__ long long many; __device__ float four[4];
                      __global__ void k(float* p) { *p = img::scale + fine + count + many + four[0]; }""")
    for name, dtype in (("scale", "f4"), ("img::scale", "f4"), ("fine", "f8"), ("count", "i4"), ("many", "i8")):
        made.set_variable(name, 2)
        assert made.variable(name, dtype) == 2
    made.set_variable("scale", 0.5)
    made.set_variable("many", 1 << 40)
    assert made.variable("scale", "f4") == 0.5 and made.variable("many", "i8") == 1 << 40
    for name, value in (("scale", True), ("scale", "a"), ("four", 2), ("four", [1.0, 2.0]), ("four", 2.0), ("count", 0.5),
                        ("count", None)):
        with pytest.raises(TypeError, match=f"variable {name} "):
            made.set_variable(name, value)
    made.set_variable("four", [1.0, 2.0, 3.0, 4.0], np.float32)
    assert made.variable("four", "f4", 4).tolist() == [1, 2, 3, 4]


def test_variables_of_another_type_are_refused(rt):
    made = rt.compile("__device__ float scale; __device__ int count; __device__ float four[4];\n"
                      "__global__ void k(float* p) { *p = scale + count + four[0]; }")
    for name, value in (("scale", np.int32(1)), ("scale", np.float64(1)), ("count", np.float32(1)), ("count", np.int16(1))):
        with pytest.raises(heddle.InvalidArgument, match=f"variable '{name}' of"):
            made.set_variable(name, value)
    with pytest.raises(heddle.InvalidArgument, match="would be taken for other numbers"):
        made.variable("scale", np.int32)
    made.set_variable("count", np.uint32(7))
    assert made.variable("count", np.int32) == 7 and made.variable("four", np.float32) == 0


def test_variables_are_those_of_the_source(rt):
    made = rt.compile("__device__ float v[4];\n__constant__ float two_over_pi;\n"
                      "__global__ void k(float* p) { *p = sinf(v[1]) * two_over_pi; printf(\"%f\", *p); }\n")
    assert "__heddle" in made.ptx and "_str" in made.ptx
    for name in ("absent", "__heddle::two_over_pi", "_ZN8__heddleL11two_over_piE"):
        with pytest.raises(heddle.NotFound, match=r"has no variable '.*'; it has v, two_over_pi$"):
            made.set_variable(name, 1.0)
    made.set_variable("two_over_pi", 2.0)
    assert made.variable("two_over_pi", np.float32) == 2


def test_attributes_of_modules_cannot_be_set(rt, k):
    for name in ("counter", "set_counter", "absent"):
        with pytest.raises(AttributeError, match=rf"set_variable\('{name}', value\) sets a variable"):
            setattr(k, name, 5)
    assert k.variable("counter", np.int32) == 3
    assert isinstance(k.set_counter, heddle.Kernel)


def test_sources(rt, tmp_path):
    text = 'extern "C" __global__ void set(int* p) { *p = VALUE; }\n'
    (tmp_path / "set.cu").write_text(text)
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "value.h").write_text("#define VALUE 4\n")
    p = rt.array(np.int32, 1)

    def value(module):
        module.set[1, 1](p)
        return p[0]

    assert value(rt.compile(text, defines={"VALUE": 2})) == 2
    assert value(rt.compile(tmp_path / "set.cu", defines=["VALUE=3"])) == 3
    assert value(rt.compile(str(tmp_path / "set.cu"), defines={"VALUE": 5})) == 5
    module = rt.compile('#include "value.h"\n' + text, include_paths=[tmp_path / "inc"], opt=0, line_info=False)
    assert value(module) == 4
    (tmp_path / "set.ptx").write_text(module.ptx)
    assert value(rt.compile(tmp_path / "set.ptx")) == 4
    assert value(rt.compile("// a comment\n/* and\nanother */\n" + module.ptx)) == 4
    assert value(rt.compile("\ufeff" + module.ptx)) == 4  # a byte order mark
    assert value(rt.compile("\ufeff" + text, defines={"VALUE": 7})) == 7
    with pytest.raises(heddle.CompileError, match="mine.cu.*VALUE"):
        rt.compile(text, name="mine.cu")
    with pytest.raises(heddle.ParseError, match="4"):
        rt.compile(".version 7.0\n.target sm_70\n.address_size 64\nnonsense")
    with pytest.raises(heddle.NotFound, match="absent.cu"):
        rt.compile("absent.cu")
    with pytest.raises(heddle.InvalidArgument, match="gcc"):
        rt.compile(text, compiler="gcc")
    with pytest.raises(heddle.InvalidArgument):
        rt.compile(text, opt=4)


def test_a_kernel_of_another_runtime(rt, k):
    other = heddle.Runtime("interp")
    x = other.array(np.int32, 4)
    with pytest.raises(heddle.InvalidArgument, match="another heddle.Runtime"):
        k.add[1, 4](x, 1, 4)


def test_launch_time(rt, k):
    x = rt.array(np.float32, 1)
    launch = k.spin[1, 1].options(timed=True)(x, 100000)
    launch.wait()
    assert launch.done and launch.seconds > 0
    with pytest.raises(heddle.InvalidArgument, match="timed"):
        k.spin[1, 1](x, 1).seconds


def test_version_is_that_of_the_library():
    header = pathlib.Path(__file__).parents[2] / "include/heddle/version.hpp"
    if not header.exists():
        pytest.skip("the tests are not in the project's folder")
    assert f'"{heddle.__version__}"' in header.read_text()
    assert os.path.exists(os.path.join(os.path.dirname(heddle.__file__), "py.typed"))


def test_directions(rt, k):
    x, y, z = rt.array(np.full(100, 2, np.float32)), rt.array(np.full(100, 3, np.float32)), rt.array(np.float32, 1)
    k.reduce[1, 128](heddle.in_(x), heddle.in_(y), heddle.inout(z), 100)
    assert z[0] == 500
    with pytest.raises(heddle.InvalidArgument, match=r"said to be 'in', but the kernel writes there: '.*' in line \d+ of"):
        k.square[1, 128](heddle.in_(x), 100)
    with pytest.raises(heddle.InvalidArgument, match="said to be 'out', but the kernel reads there"):
        k.square[1, 128](heddle.out(x), 100)
    with pytest.raises(TypeError, match=r"heddle.out\(...\) takes a heddle.Array, a view of one or None"):
        heddle.out(3)
    to = rt.array(np.int32, 1)
    k.is_null[1, 1](heddle.out(to), heddle.in_(None))
    assert to[0] == 1
    k.is_null[1, 1](heddle.out(to), heddle.inout(x))  # more than it does
    x[0] = 5
    assert to[0] == 2 and x[0] == 5


def test_signatures(rt, k):
    reduce = k.reduce.with_signature("reduce(x: in pointer float, y: in pointer float, z: inout pointer float, n: sint32)")
    assert [p.access for p in reduce.info.parameters] == ["read", "read", "read-write", "none"]
    assert k.square.with_signature("inout pointer, sint32").info.parameters[0].access == "read-write"
    x, z = rt.array(np.ones(64, np.float32)), rt.array(np.float32, 1)
    reduce[1, 64](x, x, z, 64)
    assert z[0] == 128
    with pytest.raises(heddle.ParseError, match="at character 10 stands 'pinter'"):
        k.square.with_signature("pointer, pinter")
    with pytest.raises(heddle.InvalidArgument, match="the kernel writes there"):
        k.square.with_signature("const pointer, sint32")
    with pytest.raises(heddle.InvalidArgument, match="which has 8 bytes"):
        k.square.with_signature("pointer, sint64")


def test_opaque_pointers(rt, k):
    values = np.arange(8, dtype=np.float32)
    with pytest.raises(TypeError, match=r"heddle.opaque\(address\)"):
        k.square[1, 8](values.ctypes.data, 8)
    k.square[1, 8](heddle.opaque(values.ctypes.data), 8).wait()
    assert (values == np.arange(8) ** 2).all()
    x = rt.array(np.float32, 4)
    x[:] = 3
    k.square[1, 4](heddle.opaque(x.address()), 4)
    assert (x == 9).all()
    with pytest.raises(TypeError):
        heddle.opaque("x")


def test_functions_of_the_host(rt, k):
    x, total = rt.array(np.full(64, 2, np.float32)), rt.array(np.float32, 1)
    k.square[1, 64](x, 64)

    def add_up(values, to):
        assert not values.flags.writeable and to.flags.writeable
        to[0] += values.sum()
        return "done"

    assert rt.call(add_up, [x], [total]) == "done"
    k.square[1, 1](total, 1)
    assert total[0] == 256.0 ** 2
    rt.call(lambda part: part.fill(7), outputs=[x[8:16]])
    assert x[7] == 4 and x[8] == x[15] == 7 and x[16] == 4
    with pytest.raises(ZeroDivisionError):
        rt.call(lambda values: 1 // 0, [x])
    with pytest.raises(TypeError, match="takes heddle.Arrays"):
        rt.call(add_up, [x], [np.zeros(1)])


def test_faults_are_errors_on_every_thread(rt, k):
    """Also on the one that waits for Python, which executes kernels meanwhile."""
    with heddle.Runtime("cpu") as cpu:
        bad = cpu.compile('extern "C" __global__ void wild(int* p) { *p = 1; }').wild
        for _ in range(60):
            with pytest.raises(heddle.KernelFault):
                bad[1, 32](heddle.opaque(16))
                cpu.synchronize()
