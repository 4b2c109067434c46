// One step of a lattice Boltzmann flow in two dimensions (D2Q9), collision and streaming.
__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

extern "C" __global__ void lattice_boltzmann(int nx, int ny, float omega, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  float f[9], density = 0, ux = 0, uy = 0;
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    int u = (x - cx[i] + nx) % nx, v = (y - cy[i] + ny) % ny;
    f[i] = in[(i * ny + v) * nx + u];
    density += f[i];
    ux += f[i] * cx[i];
    uy += f[i] * cy[i];
  }
  ux /= density;
  uy /= density;
  float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    float c = 3.0f * (cx[i] * ux + cy[i] * uy);
    float equilibrium = weight[i] * density * (1.0f + c + 0.5f * c * c - square);
    out[(i * ny + y) * nx + x] = f[i] + omega * (equilibrium - f[i]);
  }
}
