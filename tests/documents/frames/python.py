# The parts of docs/python.md, as a program.
import numpy

n, blocks = 1024, 4
data = numpy.ones(n, numpy.float32)
SNIPPET
assert z[0] == n
k = rt.compile("""extern "C" __global__ void blur(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0;
}""")
SNIPPET
total = rt.array(np.float32, 1)


def add_up(x, y, total):
    total[0] = x.sum() + y.sum()


SNIPPET
SNIPPET
SNIPPET
rt.close()
