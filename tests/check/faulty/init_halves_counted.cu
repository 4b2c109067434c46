// run: --check=init
// expect: (32 times between these places)
// Two elements of each load are not written: one mistake.
#include <cuda_runtime.h>
__global__ void add(unsigned short* out, const unsigned short* in) {
  unsigned short a, b;
  asm volatile("ld.global.v2.b16 {%0, %1}, [%2];" : "=h"(a), "=h"(b) : "l"(in + 2 * threadIdx.x));  // here
  out[threadIdx.x] = a + b;
}
int main() {
  unsigned short *out, *in;
  cudaMalloc(&out, 64);
  cudaMalloc(&in, 128);
  add<<<1, 32>>>(out, in);
  return cudaDeviceSynchronize();
}
