// Vector types, halves, complex numbers and CUDA's math functions, on both sides.
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math_constants.h>

#include <cmath>

#include "check.h"

__host__ __device__ float formula(float4 v) {
  return rsqrtf(v.x) + sinpif(v.y) + normcdff(v.x) + fmaxf(v.z, v.w) + max(1, 2) + exp10f(v.y);
}
__global__ void compute(float4 v, __half h, cuDoubleComplex z, float* floats, __half* halves, cuDoubleComplex* complexes) {
  *floats = formula(v);
  *halves = __hadd(h, __float2half(0.5f));
  *complexes = cuCmul(z, make_cuDoubleComplex(0, 1));
}

struct __align__(16) Wide {
  float a, b, c;
};
static_assert(sizeof(Wide) == 16 && alignof(float4) == 16 && sizeof(float3) == 12, "as on the device");

int main() {
  const float4 v = make_float4(4, 0.25f, 2, 3);
  float* floats;
  __half* halves;
  cuDoubleComplex* complexes;
  CHECK(cudaMalloc(&floats, sizeof *floats));
  CHECK(cudaMalloc(&halves, sizeof *halves));
  CHECK(cudaMalloc(&complexes, sizeof *complexes));
  compute<<<1, 1>>>(v, __float2half(1.25f), make_cuDoubleComplex(3, 4), floats, halves, complexes);
  float f;
  __half h;
  cuDoubleComplex z;
  CHECK(cudaMemcpy(&f, floats, sizeof f, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&h, halves, sizeof h, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&z, complexes, sizeof z, cudaMemcpyDeviceToHost));
  EXPECT(std::fabs(f - formula(v)) < 1e-5f);
  EXPECT(__half2float(h) == 1.75f);
  EXPECT(cuCreal(z) == -4 && cuCimag(z) == 3);
  EXPECT(std::fabs(erfinvf(0.5f) - 0.476936f) < 1e-5f && std::fabs(normcdfinv(0.975) - 1.95996398454) < 1e-9);
  EXPECT(std::fabs(std::cos(CUDART_PI_F) + 1.0f) < 1e-6f);
  std::puts("passed");
}
