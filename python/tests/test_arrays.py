"""Arrays: reading, writing, views, and exchange with NumPy and DLPack."""

import copy
import pickle

import numpy as np
import pytest

import heddle


def test_making(rt):
    assert rt.array(np.float32, 3).tolist() == [0, 0, 0]
    x = rt.array("i2", (2, 3))
    assert x.shape == (2, 3) and x.dtype == np.int16 and x.ndim == 2 and x.size == 6 and x.nbytes == 12 and len(x) == 2
    assert x.runtime is rt and "shape=(2, 3)" in repr(x) and "int16" in repr(x)
    data = np.arange(6).reshape(2, 3)
    assert (rt.array(data) == data).all() and rt.array(data).dtype == data.dtype
    assert rt.array([1, 2, 3], dtype=np.float32).dtype == np.float32
    assert rt.array(data.T[:, ::-1]).tolist() == data.T[:, ::-1].tolist()
    assert rt.array(np.array([1, 2], ">i4")).tolist() == [1, 2]
    assert rt.array(np.float64(2.5)).shape == () and float(rt.array(2.5)) == 2.5
    empty = rt.array(np.float32, 0)
    assert empty.size == 0 and empty.tolist() == [] and np.asarray(empty).shape == (0,)
    for wrong in [lambda: rt.array(np.float32), lambda: rt.array(np.float32, 2.5), lambda: len(rt.array(2.5)),
                  lambda: rt.array(np.float32, 2, dtype=np.int32), lambda: hash(rt.array(np.float32, 2))]:
        with pytest.raises(TypeError):
            wrong()
    for wrong in [lambda: rt.array(np.float32, -1), lambda: rt.array(object, 2), lambda: rt.array(">f4", 2),
                  lambda: rt.array("S0", 2)]:
        with pytest.raises(heddle.InvalidArgument):
            wrong()
    with pytest.raises((MemoryError, heddle.OutOfMemory)):
        rt.array(np.float32, 1 << 60)[0]


def test_copies(rt):
    x = rt.array(np.arange(6, dtype=np.int16).reshape(2, 3))
    for made in [x.copy(), copy.copy(x), copy.deepcopy(x), x[0:2].copy()]:
        assert isinstance(made, heddle.Array) and made.runtime is rt and made.dtype == x.dtype and made.shape == x.shape
        made[0, 0] = 7
        assert made.tolist() == [[7, 1, 2], [3, 4, 5]] and x[0, 0] == 0
    with pytest.raises(TypeError, match=r"cannot be pickled; x.numpy\(\) can"):
        pickle.dumps(x)


def test_elements_and_slices(rt):
    data = np.arange(24, dtype=np.int32).reshape(4, 6)
    x = rt.array(data)
    assert x[1, 2] == 8 and isinstance(x[1, 2], np.int32) and x[-1, -1] == 23
    assert isinstance(x[1], heddle.Array) and x[1].tolist() == data[1].tolist()
    for key in [slice(1, 3), (1, slice(2, 4)), (slice(None), slice(None)), (slice(2, 3), slice(1, 5)), -1, slice(3, 1),
                (slice(1, 3), slice(None, None, 1)), np.int64(2)]:
        view = x[key]
        assert isinstance(view, heddle.Array) and view.shape == data[key].shape and view.tolist() == data[key].tolist()
    # What does not lie together is a copy.
    for key in [(slice(None), 1), slice(None, None, 2), (slice(1, 3), slice(1, 3)), ([0, 2],), data > 5, np.newaxis,
                (slice(None, None, -1),), (Ellipsis, 1)]:
        copy = x[key]
        assert isinstance(copy, np.ndarray) and copy.tolist() == data[key].tolist()
    x[1][2:4] = [70, 80]
    x[0, 0] = -1
    x[:, 5] = 9
    x[3] += 100
    x[2:3][:, 0] = 5  # a view of a view
    expected = data.copy()
    expected[1, 2:4], expected[0, 0], expected[:, 5] = [70, 80], -1, 9
    expected[3] += 100
    expected[2, 0] = 5
    assert (x.numpy() == expected).all()
    assert x[...] is x
    for wrong in [(4,), (0, 6), -5]:
        with pytest.raises(IndexError):
            x[wrong]
    with pytest.raises(IndexError):
        x[1, 2, 3]
    with pytest.raises(ValueError):
        x[0] = [1, 2]
    assert [row.tolist() for row in x] == expected.tolist() and list(x[0]) == expected[0].tolist()
    assert 70 in x and 12345 not in x


def test_shapes_and_types(rt):
    x = rt.array(np.arange(6, dtype=np.int32))
    assert x.reshape(2, 3).tolist() == [[0, 1, 2], [3, 4, 5]] and x.reshape((3, -1)).shape == (3, 2)
    x.reshape(2, 3)[1] = 7
    assert x.tolist() == [0, 1, 2, 7, 7, 7] and x.reshape(2, 3).ravel().shape == (6,)
    assert x.view(np.int16).shape == (12,) and x.view(np.int64).shape == (3,)
    assert x[2:4].view(np.uint8).tolist() == [2, 0, 0, 0, 7, 0, 0, 0]
    for wrong in [lambda: x.reshape(4), lambda: x[:1].view(np.int64), lambda: x.reshape(-1, 5)]:
        with pytest.raises(heddle.InvalidArgument):
            wrong()


def test_structured(rt):
    dtype = np.dtype([("a", "i4"), ("b", "f4")])
    x = rt.array(dtype, 3)
    x[1] = (5, 0.5)
    one = x[1]
    assert one["a"] == 5 and one["b"] == 0.5
    x[1] = (6, 1)
    assert one["a"] == 5  # a copy, as numbers are
    assert np.asarray(x)["a"].tolist() == [0, 6, 0]


def test_numpy_uses_arrays(rt, k):
    x = rt.array(np.arange(4, dtype=np.float32))
    assert (x + 1).tolist() == [1, 2, 3, 4] and (10 - x).tolist() == [10, 9, 8, 7] and isinstance(x * x, np.ndarray)
    assert (np.ones(4) + x).tolist() == [1, 2, 3, 4]
    assert np.sum(x) == 6 and np.allclose(x, [0, 1, 2, 3]) and x.item(2) == 2
    x += 1
    x[1:3] *= 10
    assert isinstance(x, heddle.Array) and x.tolist() == [1, 20, 30, 4]
    np.multiply(x, 2, out=x)
    np.add.at(x, [0, 0], 1)
    assert x.tolist() == [4, 40, 60, 8]
    k.square[1, 4](x, 4)
    assert x.tolist() == [16, 1600, 3600, 64]
    assert bool(x[0] == 16) and bool(rt.array([1])) and int(rt.array(7)) == 7


def test_asarray_is_a_view_that_cannot_be_written(rt, k):
    x = rt.array(np.arange(4, dtype=np.float32))
    k.square[1, 4](x, 4)
    seen = np.asarray(x)  # waits
    assert seen.tolist() == [0, 1, 4, 9] and not seen.flags.writeable
    assert np.shares_memory(seen, np.asarray(x[1:3])) and np.asarray(x[1:3]).tolist() == [1, 4]
    with pytest.raises(ValueError):
        seen[0] = 5
    mine = x.numpy()
    mine[0] = 5
    assert x[0] == 0 and not np.shares_memory(mine, seen)
    interface = x.__array_interface__
    assert interface["shape"] == (4,) and interface["typestr"] == "<f4" and interface["data"][1] is True
    del x  # the view keeps the bytes
    assert seen.tolist() == [0, 1, 4, 9]


def test_dlpack_out(rt, k):
    x = rt.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    k.square[1, 6](x, 6)
    assert x.__dlpack_device__() == (1, 0)
    tensor = np.from_dlpack(x)  # waits
    assert tensor.tolist() == [[0, 1, 4], [9, 16, 25]] and tensor.dtype == np.float32
    row = np.from_dlpack(x[1])
    assert row.tolist() == [9, 16, 25] and np.shares_memory(row, tensor)
    x[0, 0] = 7
    assert tensor[0, 0] == 7
    for dtype in [np.int8, np.uint16, np.int64, np.float16, np.float64, np.complex64]:
        assert np.from_dlpack(rt.array(dtype, 3)).dtype == dtype
    del x, row
    assert tensor[1, 2] == 25
    capsule = rt.array(np.int32, 2).__dlpack__()
    assert "dltensor" in repr(capsule) and "used" not in repr(capsule)
    del capsule  # nobody took it
    assert "dltensor_versioned" in repr(rt.array(np.int32, 2).__dlpack__(max_version=(1, 1)))
    for wrong in [dict(stream=1), dict(dl_device=(2, 0))]:
        with pytest.raises(BufferError):
            rt.array(np.int32, 2).__dlpack__(**wrong)
    with pytest.raises(BufferError):
        rt.array("V4", 2).__dlpack__()


def test_dlpack_copy(rt):
    class Copied:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **unused):
            return self.array.__dlpack__(copy=True)

        def __dlpack_device__(self):
            return (1, 0)

    x = rt.array(np.arange(3, dtype=np.int32))
    copied = np.from_dlpack(Copied(x))
    x[0] = 9
    assert copied.tolist() == [0, 1, 2]


def test_dlpack_in(rt):
    data = np.arange(6, dtype=np.int16).reshape(2, 3)
    x = rt.from_dlpack(data)
    assert x.tolist() == data.tolist() and x.dtype == np.int16
    data[0, 0] = 50
    assert x[0, 0] == 0  # a copy
    assert rt.from_dlpack(data.T).tolist() == data.T.tolist()
    assert rt.from_dlpack(x[1]).tolist() == [3, 4, 5]  # of an array of ours

    class Elsewhere:
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(heddle.Unsupported, match="host memory"):
        rt.from_dlpack(Elsewhere())
    with pytest.raises(NotImplementedError):
        rt.from_dlpack(Elsewhere())


@pytest.mark.parametrize("capsule", [None, 5, "capsule", object(), [], lambda: 1])
def test_dlpack_of_a_bad_capsule(rt, capsule):
    class Bad:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **options):
            return capsule

    with pytest.raises(TypeError, match=r"from_dlpack\(tensor\) is .*, whose __dlpack__\(\) gives nothing that NumPy can read"):
        rt.from_dlpack(Bad())


@pytest.mark.parametrize("device", [None, 5, (), (1,), (1, 2, 3), ("one", 0), (None, 0)])
def test_dlpack_of_no_device(rt, device):
    class Bad:
        def __dlpack_device__(self):
            return device

    with pytest.raises(TypeError, match=r"from_dlpack\(tensor\) is "):
        rt.from_dlpack(Bad())


def test_arrays_keep_their_runtime(k):
    own = heddle.Runtime("cpu")
    square = own.compile(k.ptx).square
    x = own.array(np.full(8, 3, np.float32))
    square[1, 8](x, 8)
    del own, square
    assert (x == 9).all()
    y = x.runtime.array(np.float32, 2)
    assert y.tolist() == [0, 0]


def test_prefetch(rt, k):
    x = rt.array(np.arange(8, dtype=np.float32))
    k.square[1, 8](x, 8)
    x.prefetch()
    x[2:4].prefetch()
    x[8:].prefetch()
    assert x.tolist() == [0, 1, 4, 9, 16, 25, 36, 49]
    k.square[1, 8](x, 8)
    assert x[3] == 81


def test_address(rt):
    module = rt.compile("""
      struct List { float* at; int n; };
      __global__ void through(List list) { for (int i = 0; i < list.n; ++i) list.at[i] += 1; }""")
    x = rt.array(np.float32, 4)
    packed = np.array((x[1:].address(), 2), np.dtype([("at", "u8"), ("n", "i4")], align=True))
    module.through[1, 1](packed)
    assert x.tolist() == [0, 1, 1, 0]
    module.through[1, 1](packed)
    assert x.tolist() == [0, 2, 2, 0]


@pytest.mark.parametrize("shape", [1 << 61, 1 << 62, 1 << 64, 1 << 70, (1 << 40, 1 << 40)])
def test_arrays_larger_than_any_memory(rt, shape):
    with pytest.raises(MemoryError, match=r"an array of \d+ elements of 4 bytes is larger than any memory"):
        rt.array(np.float32, shape)
