"""Sweeps on Ray: a cluster of two nodes on this machine, each a process with one core.

Usage: ray_test.py HEDDLE SWEEP_PY [PYTHON]    PYTHON, where it is there, has Ray. Without Ray it says so and is left out.
"""

import importlib.util
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

heddle, module, *pythons = sys.argv[1:]
if pythons and os.path.exists(pythons[0]):
    os.execv(pythons[0], [pythons[0], *sys.argv[:3]])
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Ray tells its makers nothing
try:
    import ray
    from ray.cluster_utils import Cluster
except ImportError as error:
    print(f"left out: Ray is not installed for {sys.executable} (script/setup --ray): {error}")
    sys.exit(0)

spec = importlib.util.spec_from_file_location("sweep", module)
sweep = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sweep)
# Nodes of a real cluster need no copy of the module, and these have none.
sys.modules["sweep"] = sweep
ray.cloudpickle.register_pickle_by_value(sweep)

KERNEL = """.version 6.0
.target sm_30
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 turns)
{
.reg .u64 %p; .reg .u32 %t, %n; .reg .pred %c;
ld.param.u64 %p, [a];
ld.param.u32 %n, [turns];
mov.u32 %t, 0;
L:
add.u32 %t, %t, 1;
setp.lt.u32 %c, %t, %n;
@%c bra L;
st.global.u32 [%p], %t;
ret;
}
"""


def sweep_text(machines, turns):
    kernels = "".join(f'[[kernels]]\nname = "k{n}"\nfile = "k.ptx"\narguments = ["--block", "32", '
                      f'"--arg", "zeros:u32:32", "--arg", "u32:{n}"]\n' for n in turns)
    return f'machines = {machines}\n[options]\nscheduler = ["lrr", "gto"]\n{kernels}'.replace("'", '"')


class Folder:
    """A folder with a kernel and a sweep of it."""

    def __init__(self, machines=("fermi-gtx480", "tesla-g80"), turns=(10, 200)):
        self.held = tempfile.TemporaryDirectory(prefix="heddle-ray-")
        self.path = pathlib.Path(self.held.name)
        (self.path / "k.ptx").write_text(KERNEL)
        self.file = self.path / "s.toml"
        self.file.write_text(sweep_text(list(machines), turns))

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.held.cleanup()

    def rows(self):
        database = sqlite3.connect(self.path / "s.db")
        try:
            return {number: (state, cycles, error, process) for number, state, cycles, error, process in
                    database.execute("SELECT number, state, cycles, error, process FROM runs")}
        finally:
            database.close()


class OnRay(unittest.TestCase):
    def setUp(self):
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self.second = self.cluster.add_node(num_cpus=1)
        ray.init(address=self.cluster.address, log_to_driver=False)

    def tearDown(self):
        ray.shutdown()
        self.cluster.shutdown()

    def test_runs_have_the_cycles_of_a_local_sweep(self):
        self.assertEqual(len([node for node in ray.nodes() if node["Alive"]]), 2)
        with Folder() as local, Folder() as there:
            subprocess.run([heddle, "sim", "sweep", local.file], check=True, capture_output=True)
            lines = []
            self.assertEqual(sweep.run(there.file, program=heddle, report=lines.append), [])
            self.assertEqual(len(lines), 8)
            self.assertIn("[8/8] run ", lines[-1])
            rows = there.rows()
            self.assertEqual({n: row[:2] for n, row in rows.items()}, {n: row[:2] for n, row in local.rows().items()})
            self.assertEqual(sorted(rows), list(range(1, 9)))
            self.assertEqual({row[0] for row in rows.values()}, {"done"})
            # What is there is not done again.
            self.assertEqual(sweep.run(there.file, program=heddle, report=lines.append), [])
            self.assertEqual(there.rows(), rows)

    def test_a_run_that_fails_is_noted_with_its_message(self):
        with Folder(machines=("no-such", "tesla-g80"), turns=(10,)) as there:
            self.assertEqual(sweep.run(there.file, program=heddle, report=lambda line: None), [1, 2])
            rows = there.rows()
            self.assertEqual([rows[n][0] for n in sorted(rows)], ["failed", "failed", "done", "done"])
            self.assertIn("there is no machine 'no-such'", rows[1][2])

    def test_a_sweep_ends_when_a_node_is_lost(self):
        begun = threading.Event()
        failed = []
        with Folder(turns=(10, 40_000, 40_001)) as there:
            work = lambda: failed.extend(sweep.run(there.file, program=heddle, report=lambda line: begun.set()))
            worker = threading.Thread(target=work)
            worker.start()
            self.assertTrue(begun.wait(120))
            self.cluster.remove_node(self.second, allow_graceful=False)
            worker.join()
            self.assertEqual(failed, [])
            rows = there.rows()
            self.assertEqual({row[0] for row in rows.values()}, {"done"})
            self.assertEqual(len(rows), 12)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
