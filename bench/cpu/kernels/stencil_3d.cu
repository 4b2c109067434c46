// A step of the heat equation in three dimensions: seven points, one point a thread.
extern "C" __global__ void stencil_3d(int nx, int ny, int nz, float centre, float side, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  int plane = nx * ny, at = z * plane + y * nx + x;
  out[at] =
      centre * in[at] + side * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - plane] + in[at + plane]);
}
