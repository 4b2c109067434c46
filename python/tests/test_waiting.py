"""What overlaps, who waits, errors of kernels, threads, signals, and the end of the process."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import heddle
from heddle._runtime import _early_start_bytes

# Rounds of the kernel spin that take about a tenth of a second or more.
SPIN = 50_000_000


def test_parts_do_not_depend_on_each_other(k):
    """A launch with one part of an array ends while one with another part goes on, and the order within a part stays."""
    rt = heddle.Runtime("cpu", workers=2)
    k = rt.compile(k.ptx)
    x = rt.array(np.ones(2048, np.float32))
    k.spin[1, 1](x[2000:], 1)  # code for the shape is made here
    k.square[1, 32](x[:1], 1).wait()
    slow = k.spin[1, 1](x[1024:1025], 8 * SPIN)
    quick = k.square[1, 32](x[:16], 16)
    quick.wait()
    assert not slow.done
    slow.wait()
    x[:32] = 2
    k.square[1, 32](x[:16], 16)
    k.square[1, 32](x[8:24], 16)
    assert x[:32].tolist() == [4] * 8 + [16] * 8 + [4] * 8 + [2] * 8


def test_reading_waits_for_writers_alone(rt, k):
    x, y = rt.array(np.ones(1, np.float32)), rt.array(np.ones(1, np.float32))
    slow = k.spin[1, 1](x, 4 * SPIN)
    y[0] = 3
    assert y[0] == 3 and not slow.done
    assert x[0] != 1 and slow.done


def test_reading_a_part_waits_for_that_part(k):
    rt = heddle.Runtime("cpu", workers=2)
    k = rt.compile(k.ptx)
    x = rt.array(np.ones(2048, np.float32))
    slow = k.spin[1, 1](x[1024:], 24 * SPIN)
    k.square[1, 32](x[:32], 32)
    x[64:96] = 5
    k.square[1, 32](x[64:96], 32)
    assert x[64:96].tolist() == [25] * 32 and x[:32].numpy().sum() == 32
    assert not slow.done
    assert x[1024] != 1 and slow.done


def test_faults(rt, k):
    checked = heddle.Runtime("cpu", check=True)
    module = checked.compile(k.ptx)
    p = checked.array(np.int32, 4)
    launch = module.wild[1, 1](p, 1 << 30)
    with pytest.raises(heddle.KernelFault, match="wild") as caught:
        launch.wait()
    assert caught.value.fault == "memory_access" and caught.value.code == "kernel_fault"
    assert "allocated at" not in str(caught.value)  # which would be a place in the interpreter
    with pytest.raises(heddle.KernelFault) as caught:
        k.stop[1, 1]().wait()
    assert caught.value.fault == "trap" and isinstance(caught.value, heddle.Error)
    p = rt.array(np.int32, 4)
    k.add[1, 4](p, 2, 4)  # the runtime goes on
    assert p.tolist() == [2] * 4


def test_launches_are_held_to_what_they_were_given(k):
    checked = heddle.Runtime("cpu", check=True)
    square = checked.compile(k.ptx).square
    x = checked.array(np.full(64, 3, np.float32))
    square[1, 32](x[:32], 32)
    with pytest.raises(heddle.KernelFault, match=r"the launch was given bytes 0 to 128 of it"):
        square[1, 64](x[:32], 33).wait()
    assert x[32] == 3


def test_exceptions_are_pythons_too():
    for ours, pythons in [(heddle.InvalidArgument, ValueError), (heddle.NotFound, LookupError),
                          (heddle.OutOfMemory, MemoryError), (heddle.Unsupported, NotImplementedError),
                          (heddle.IoError, OSError), (heddle.ArgumentOverflow, OverflowError),
                          (heddle.ArgumentTypeError, TypeError)]:
        assert issubclass(ours, pythons) and issubclass(ours, heddle.Error)


def test_closing(k):
    with heddle.Runtime("cpu") as own:
        square = own.compile(k.ptx).square
        x = own.array(np.full(4, 3, np.float32))
        square[1, 4](x, 4)
    assert x.tolist() == [9] * 4  # can still be read
    for refused in [lambda: square[1, 4](x, 4), lambda: own.array(np.float32, 1), own.synchronize]:
        with pytest.raises(heddle.InvalidArgument, match="closed"):
            refused()
    assert "closed" in repr(own)
    own.close()


def test_closing_by_several_threads(k):
    for _ in range(20):
        own = heddle.Runtime("cpu")
        x = own.array(np.full(4, 3, np.float32))
        square = own.compile(k.ptx).square
        for _ in range(200):
            square[1, 4](x, 4)
        raised = []

        def close():
            try:
                own.close()
            except heddle.Error as error:
                raised.append(error)

        threads = [threading.Thread(target=close) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert raised == [] and "closed" in repr(own)


@pytest.mark.parametrize("policy", [{"execution": "sync"}, {"dependences": "no_const"}, {"new_queues": "always_new"},
                                    {"child_queues": "same_as_parent"}, {"prefetch": False}, {"replay": False}, {"placement": "round_robin"}, {"most_queues": 1},
                                    {"early_start_bytes": 0}, {"early_start_bytes": 1 << 20}])
def test_policies_do_not_change_results(k, policy, tmp_path):
    rt = heddle.Runtime("cpu", scheduling=policy, trace=tmp_path / "trace.json")
    module = rt.compile(k.ptx)
    x, y, z = rt.array(np.full(500, 2, np.float32)), rt.array(np.full(500, 3, np.float32)), rt.array(np.float32, 1)
    last = module.square[2, 256](x, 500)
    assert last.done or policy != {"execution": "sync"}
    module.square[2, 256](y, 500)
    module.reduce[2, 256](x, y, z, 500)
    assert z[0] == 500 * 13
    rt.write_trace()
    assert "square" in (tmp_path / "trace.json").read_text()


@pytest.mark.parametrize("placement", ["round_robin", "stream_aware", "min_transfer_size", "minmin_transfer_time",
                                       "minmax_transfer_time"])
def test_launches_are_placed(k, placement, tmp_path, monkeypatch):
    monkeypatch.setenv("HEDDLE_CACHE_DIR", str(tmp_path))
    rt = heddle.Runtime("cpu,interp", scheduling={"placement": placement})
    square = rt.compile(k.ptx).square
    x, y = rt.array(np.full(64, 2, np.float32)), rt.array(np.full(64, 3, np.float32))
    on = [square[1, 64](a, 64).device for a in (x, y, x, y)]
    if placement == "round_robin":
        assert on == ["cpu", "interp", "cpu", "interp"]
    assert square.on("interp")[1, 64](x, 64).device == "interp" if hasattr(square, "on") else True
    assert x[0] in (16, 256) and y[0] == 81


def test_launches_show_what_they_are(rt, k):
    launch = k.square[1, 64](rt.array(np.full(64, 2, np.float32)), 64)
    launch.wait()
    assert repr(launch) == f"<heddle.Launch {k.square.signature} on {launch.device}, done>"
    assert repr(rt.compile("")) == "<heddle.Module without kernels>"


def test_policies_that_are_none():
    with pytest.raises(heddle.InvalidArgument, match="execution.*later.*'async', 'sync'"):
        heddle.Runtime("cpu", scheduling={"execution": "later"})
    for wrong in [5, "sync", ["sync"]]:
        with pytest.raises(TypeError, match=r'Runtime\(scheduling\) is .*; it is a mapping of policies, such as {"execution": "sync"}'):
            heddle.Runtime("cpu", scheduling=wrong)
    with pytest.raises(heddle.InvalidArgument, match="order"):
        heddle.Runtime("cpu", scheduling={"order": 1})
    for name, least in [("most_queues", 1), ("early_start_bytes", 0)]:
        with pytest.raises(heddle.InvalidArgument, match=rf"scheduling\['{name}'\] is -5; it is an integer from {least} to \d+"):
            heddle.Runtime("cpu", scheduling={name: -5})
        for wrong in [1.5, "32", True]:
            with pytest.raises(TypeError, match=rf"scheduling\['{name}'\] is {wrong!r}; it is an integer"):
                heddle.Runtime("cpu", scheduling={name: wrong})
    with pytest.raises(heddle.InvalidArgument, match="it is an integer from 1 to 4294967295"):
        heddle.Runtime("cpu", scheduling={"most_queues": 0})


def test_numbers_of_the_c_interface():
    assert _early_start_bytes({}) == 0  # the default there
    assert _early_start_bytes({"early_start_bytes": 0}) == 2**64 - 1  # HEDDLE_EARLY_START_OFF
    assert _early_start_bytes({"early_start_bytes": np.int64(4096)}) == 4096


def test_threads(rt, k):
    """Several threads launch and read, with arrays of their own and one of all."""
    every = rt.array(np.zeros(64, np.int32))
    wrong = []

    def work(number):
        try:
            x = rt.array(np.full(100, number, np.int32))
            for i in range(30):
                k.add[1, 128](x, i, 100)
                k.add[1, 8](every[8 * number:8 * number + 8], 1, 8)
                if i % 7 == 0:
                    assert x[5] == number + i * (i + 1) // 2
            assert (x == number + 29 * 15).all()
        except BaseException as error:  # noqa: BLE001
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and (every == 30).all()


@pytest.mark.parametrize("waits", ["wait", "read", "synchronize", "thread"])
def test_other_threads_run_while_one_waits(rt, k, waits):
    x = rt.array(np.ones(1, np.float32))
    ticks = []
    end = threading.Event()

    def tick():
        while not end.wait(0.001):
            ticks.append(time.monotonic())

    def wait():
        launch = k.spin[1, 1](x, 4 * SPIN)
        before = len(ticks)
        {"wait": launch.wait, "thread": launch.wait, "read": lambda: x[0], "synchronize": rt.synchronize}[waits]()
        assert launch.done
        return len(ticks) - before

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        counts = []
        if waits == "thread":
            waiter = threading.Thread(target=lambda: counts.append(wait()))
            waiter.start()
            waiter.join()
        else:
            counts.append(wait())
        assert counts[0] > 5
    finally:
        end.set()
        ticker.join()


def test_a_signal_ends_the_wait(rt, k):
    x = rt.array(np.ones(1, np.float32))
    launch = k.spin[1, 1](x, 20 * SPIN)
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        x[0]
    timer.join()
    assert not launch.done
    launch.wait()
    assert x[0] != 1


def run(program, timeout=60, **options):
    """Runs a program of its own, with the kernels of the tests as `ptx`."""
    prelude = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\n" \
              "import os, signal, threading, time, numpy as np, heddle\nfrom conftest import SOURCE\n" \
              f"SPIN = {SPIN}\n"
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", prelude + textwrap.dedent(program)], capture_output=True, text=True,
                          timeout=timeout, **options)
    return done, time.monotonic() - begin


def test_the_end_waits_for_what_is_in_flight():
    done, _ = run("""
        rt = heddle.Runtime("cpu")
        k = rt.compile(SOURCE)
        x = rt.array(np.ones(1, np.float32))
        launch = k.spin[1, 1](x, SPIN)
        everything = [rt, k, x, launch]
        everything.append(everything)  # for the garbage collector, or for nobody
        print("end")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


@pytest.mark.parametrize("call", ["k.spin[1, 1](x, 1000)", "rt.synchronize()", "rt.compile(SOURCE)",
                                  "rt.call_async(lambda a: None, inputs=[x]).result()"])
def test_the_end_leaves_threads_in_a_call_where_they_are(call):
    done, _ = run(f"""
        import threading
        rt = heddle.Runtime("cpu")
        k = rt.compile(SOURCE)
        x = rt.array(np.ones(1, np.float32))
        def work():
            while True:
                {call}
        for i in range(2):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
        print("end")
    """)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_the_end_tells_of_errors_that_nobody_asked_for():
    done, _ = run("""
        rt = heddle.Runtime("cpu")
        rt.compile(SOURCE).stop[1, 1]()
    """)
    assert done.returncode == 0 and "an error that nobody asked for" in done.stderr and "stop" in done.stderr


def test_the_end_says_what_it_waits_for():
    """A Ctrl-C outside of a wait ends the program, which then waits for its kernel, and a second one ends that."""
    done, seconds = run("""
        rt = heddle.Runtime("cpu", workers=1)
        k = rt.compile(SOURCE)
        x = rt.array(np.ones(1, np.float32))
        k.spin[1, 1](x, 1 << 60)
        second = threading.Timer(3, os.kill, [os.getpid(), signal.SIGINT])
        second.daemon = True  # else it would be waited for first
        second.start()
        raise KeyboardInterrupt
    """)
    told = [line for line in done.stderr.splitlines() if line.startswith("heddle: ")]
    assert told == ["heddle: the program has ended, but kernels are in flight: waiting for them (Ctrl-C ends the wait)"]
    assert seconds < 50


def test_the_end_after_a_signal_does_not_wait():
    """A kernel that never ends, as far as the test is concerned: Ctrl-C ends the wait, and then the process."""
    done, seconds = run("""
        rt = heddle.Runtime("cpu", workers=1)
        k = rt.compile(SOURCE)
        def work():
            x = rt.array(np.ones(1, np.float32))
            k.spin[1, 1](x, 1 << 60)
            threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
            return x[0]
        work()
    """)
    assert "KeyboardInterrupt" in done.stderr and done.returncode != 0
    assert seconds < 50


def test_a_signal_while_an_array_goes():
    done, _ = run("""
        rt = heddle.Runtime("cpu", workers=1)
        k = rt.compile(SOURCE)
        x = rt.array(np.ones(1, np.float32))
        k.spin[1, 1](x, 1 << 60)
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        try:
            del x  # waits for the launch
            time.sleep(5)
        except KeyboardInterrupt:
            print("interrupted")
    """)
    assert done.stdout == "interrupted\n" and done.returncode == 0


def test_a_child_of_fork_is_refused():
    done, _ = run("""
        rt = heddle.Runtime("cpu")
        k = rt.compile(SOURCE)
        x = rt.array(np.ones(4, np.float32))
        k.square[1, 4](x, 4)
        assert x[0] == 1
        child = os.fork()
        if child == 0:
            for use in [lambda: x[0], lambda: k.square[1, 4](x, 4), rt.synchronize, lambda: rt.array(np.float32, 1)]:
                try:
                    use()
                    os._exit(1)
                except heddle.InvalidArgument as error:
                    assert "fork" in str(error)
            own = heddle.Runtime("cpu")
            y = own.array(np.full(4, 3, np.float32))
            own.compile(SOURCE).square[1, 4](y, 4)
            sys.exit(0 if y.tolist() == [9] * 4 else 2)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), x[0])
    """)
    assert done.stdout == "0 1.0\n", done.stderr


def test_faults_of_kernels_are_heddles_where_others_handle_signals():
    done, _ = run("""
        import faulthandler
        rt = heddle.Runtime("cpu")
        k = rt.compile(SOURCE)
        faulthandler.enable()
        p = rt.array(np.int32, 4)
        try:
            k.wild[1, 1](p, 1 << 40).wait()
        except heddle.KernelFault as error:
            print("caught", error.fault)
        import ctypes
        ctypes.string_at(16)  # not Heddle's
    """)
    assert done.stdout == "caught memory_access\n", done.stderr
    assert done.returncode == -signal.SIGSEGV
    assert done.stderr.count("Fatal Python error: Segmentation fault") == 1


@pytest.mark.parametrize("check", [3, 1, 0, None, [], b"memory", "memori", ""])
def test_checks_are_words(check):
    with pytest.raises(heddle.InvalidArgument):
        heddle.Runtime("cpu", check=check)


def test_bad_variables_of_the_environment_are_refused_when_a_runtime_is_made():
    for wrong in ("HEDDLE_LOG=loud", "HEDDLE_RUN_CHECK=maybe", "HEDDLE_DEADLOCK_MS=x"):
        name, value = wrong.split("=")
        done, _ = run(f"""
            try:
                heddle.Runtime("cpu")
            except heddle.InvalidArgument as error:
                print(error)
        """, env={**os.environ, name: value})
        assert done.stdout.startswith(f"{wrong}: expected "), (done.stdout, done.stderr)


@pytest.mark.parametrize("limit", [300_000, 400_000, 600_000, 800_000])
def test_too_little_memory_is_said_as_such(limit):
    program = """
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (KIB * 1024, KIB * 1024))
        try:
            rt = heddle.Runtime("cpu", workers=2)
            k = rt.compile(SOURCE)
            x = rt.array(np.ones(4, np.float32))
            k.square[1, 4](x, 4)
            print(x.tolist())
        except MemoryError as error:
            print("MemoryError", error)
    """.replace("KIB", str(limit))
    done, _ = run(program)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert done.stdout == "[1.0, 1.0, 1.0, 1.0]\n" or done.stdout.startswith("MemoryError"), done.stdout
