// All pairs of gravitating bodies: straight, and with a tile of bodies in shared memory.
__device__ float3 attraction(float4 here, float4 there, float3 sum) {
  float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
  float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
  float factor = there.w * inverse * inverse * inverse;
  return make_float3(sum.x + dx * factor, sum.y + dy * factor, sum.z + dz * factor);
}

extern "C" __global__ void nbody_simple(int n, const float4* bodies, float3* acceleration) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 here = bodies[i];
  float3 sum = make_float3(0, 0, 0);
  for (int j = 0; j < n; ++j) sum = attraction(here, bodies[j], sum);
  acceleration[i] = sum;
}

extern "C" __global__ void nbody_tiled(int n, float step, const float4* bodies, float4* moved, float3* velocity) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 here = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int start = 0; start < n; start += blockDim.x) {
    int j = start + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < blockDim.x; ++k) sum = attraction(here, tile[k], sum);
    __syncthreads();
  }
  if (i < n) {
    float3 v = velocity[i];
    v = make_float3(v.x + step * sum.x, v.y + step * sum.y, v.z + step * sum.z);
    velocity[i] = v;
    moved[i] = make_float4(here.x + step * v.x, here.y + step * v.y, here.z + step * v.z, here.w);
  }
}
