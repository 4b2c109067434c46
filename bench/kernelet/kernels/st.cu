// ST: a seven-point stencil in three dimensions. A thread computes a part of a column of points.
extern "C" __global__ void st(const float* in, float* out, int nx, int ny, int nz, int depth) {
  const int x = 1 + (blockIdx.x * blockDim.x + threadIdx.x) % (nx - 2);
  const int y = 1 + blockIdx.y % (ny - 2);
  const int begin = 1 + blockIdx.z * depth;
  const int plane = nx * ny;
  for (int z = begin; z < begin + depth && z < nz - 1; ++z) {
    const int at = z * plane + y * nx + x;
    out[at] = (in[at - plane] + in[at + plane] + in[at - nx] + in[at + nx] + in[at - 1] + in[at + 1]) * (1.0f / 6) -
              in[at] * 0.5f;
  }
}
