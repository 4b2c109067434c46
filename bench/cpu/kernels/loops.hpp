// The benchmarks as plain C++ loops, compiled by clang++ -O3 -march=native -fopenmp into a library of their own. The
// declarations are weak: without that library (no libomp on the machine) they are null, and available() says so.
//
// Matrices are row-major. Arrays do not overlap. The loops with long sums are in sums.hpp.
#pragma once

namespace heddle::bench::loops {

#define HEDDLE_LOOPS [[gnu::weak]] void

// Threads of the loops that follow. They sleep soon after a loop, so that they take no time from whoever runs next.
HEDDLE_LOOPS use_threads(int threads);
inline bool available() { return use_threads != nullptr; }

HEDDLE_LOOPS multiply(int n, const float* a, const float* b, float* c);  // C = A B
HEDDLE_LOOPS two_mm(int n, const float* a, const float* b, const float* c, float* ab, float* d);
HEDDLE_LOOPS three_mm(int n, const float* a, const float* b, const float* c, const float* d, float* ab, float* cd,
                      float* g);
HEDDLE_LOOPS gemm(int m, int n, int k, float alpha, float beta, const float* a, const float* b, float* c);
HEDDLE_LOOPS gemm_tiled(int n, const float* a, const float* b, float* c);
HEDDLE_LOOPS gramschmidt(int rows, int columns, float* a, float* r, float* q);
HEDDLE_LOOPS correlation(int n, int m, const float* data, float* average, float* spread, float* normal, float* result);
HEDDLE_LOOPS covariance(int n, int m, const float* data, float* average, float* centred, float* result);

HEDDLE_LOOPS fdtd_2d(int rows, int columns, int steps, const float* source, float* ex, float* ey, float* hz);
HEDDLE_LOOPS conv2d(int rows, int columns, const float* in, float* out);
HEDDLE_LOOPS conv3d(int nz, int ny, int nx, const float* in, float* out);
HEDDLE_LOOPS stencil_3d(int nx, int ny, int nz, float centre, float side, const float* in, float* out);

HEDDLE_LOOPS transpose(int width, int height, const float* in, float* out);
HEDDLE_LOOPS spmv(int rows, const int* offsets, const int* columns, const float* values, const float* x, float* y);
HEDDLE_LOOPS reduction(int n, const float* in, float* out);
HEDDLE_LOOPS histogram(int n, const unsigned char* data, unsigned int* bins);
HEDDLE_LOOPS black_scholes(int n, float rate, float volatility, const float* price, const float* strike,
                           const float* years, float* call, float* put);
HEDDLE_LOOPS mandelbrot(int width, int height, int limit, float left, float top, float step, int* steps);

// With stores that go through the caches and with stores that go past them; n a multiple of 16 for the latter.
HEDDLE_LOOPS saxpy(int n, float a, const float* x, float* y);
HEDDLE_LOOPS saxpy_streaming(int n, float a, const float* x, float* y);
HEDDLE_LOOPS copy(int n, const float* a, float* b);
HEDDLE_LOOPS copy_streaming(int n, const float* a, float* b);
HEDDLE_LOOPS triad(int n, float s, const float* b, const float* c, float* a);
HEDDLE_LOOPS triad_streaming(int n, float s, const float* b, const float* c, float* a);

#undef HEDDLE_LOOPS

}  // namespace heddle::bench::loops
