// The attraction of all bodies on each, through tiles in shared memory; blocks of 256 threads, n a multiple of it.
extern "C" __global__ void nbody(int n, const float4* bodies, float4* attraction) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 here = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += 256) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; ++k) {
      float4 there = tile[k];
      float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
      float factor = there.w * inverse * inverse * inverse;
      ax += dx * factor;
      ay += dy * factor;
      az += dz * factor;
    }
    __syncthreads();
  }
  attraction[i] = make_float4(ax, ay, az, 0);
}
