// Every function in functions.def and pairs.def on n arguments; results function by function.
#define PASTE(a, b) a##b
#define NAME(name, suffix) PASTE(name, suffix)

#define F(name)           \
  y[at] = name##f(x[i]);  \
  at += n;
extern "C" __global__ void one_single(int n, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
  if (i >= n) return;
#include "functions.def"
}
#undef F
#define F(name)        \
  y[at] = name(x[i]);  \
  at += n;
extern "C" __global__ void one_double(int n, const double* x, double* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
  if (i >= n) return;
#include "functions.def"
}
#undef F
#define F(name)                     \
  y[at] = name##f(x[i], x[n - 1 - i]); \
  at += n;
extern "C" __global__ void two_single(int n, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
  if (i >= n) return;
#include "pairs.def"
}
#undef F
#define F(name)                     \
  y[at] = name(x[i], x[n - 1 - i]); \
  at += n;
extern "C" __global__ void two_double(int n, const double* x, double* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
  if (i >= n) return;
#include "pairs.def"
}
