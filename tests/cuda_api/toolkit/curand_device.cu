// cuRAND's device functions: each generator's uniform and other distributions, and pi from them.
#include <curand_kernel.h>
#include <cstdio>
#include <cmath>
template <class S> __global__ void pi(unsigned long long* hits, double* sums, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  S s; curand_init(1234ULL, t, 0, &s);
  unsigned h = 0; double a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    float x = curand_uniform(&s), y = curand_uniform(&s);
    h += x * x + y * y <= 1.0f;
    a += curand_normal(&s);
    b += curand_uniform_double(&s) + (curand(&s) & 1);
  }
  b += curand_poisson(&s, 3.0) + curand_log_normal(&s, 0.f, 1.f) + curand_normal2(&s).x;
  atomicAdd(hits, (unsigned long long)h); atomicAdd(sums, a); atomicAdd(sums + 1, b);
}
template <class S> int run(const char* name) {
  unsigned long long* hits; double* sums;
  cudaMallocManaged(&hits, 8); cudaMallocManaged(&sums, 16);
  *hits = 0; sums[0] = sums[1] = 0;
  pi<S><<<8, 64>>>(hits, sums, 200);
  cudaDeviceSynchronize();
  double p = 4.0 * *hits / (8 * 64 * 200);
  printf("%s pi %.4f mean %.4f %.4f\n", name, p, sums[0] / (8 * 64 * 200), sums[1] / (8 * 64 * 200));
  return fabs(p - 3.1416) > 0.05;
}
int main() {
  int bad = run<curandState>("xorwow") + run<curandStatePhilox4_32_10_t>("philox") + run<curandStateMRG32k3a>("mrg");
  printf(bad ? "wrong\n" : "passed\n");
  return bad;
}
