// MRIQ: the matrix Q of a reconstruction of magnetic resonance images: each thread adds up all samples for its
// voxel. The samples lie on a line, so that the kernel needs no table of them.
extern "C" __global__ void mriq(const float* x, const float* y, const float* z, float* real, float* imaginary,
                                int count) {
  const int voxel = blockIdx.x * blockDim.x + threadIdx.x;
  const float px = x[voxel], py = y[voxel], pz = z[voxel];
  float cosines = 0, sines = 0;
  for (int i = 0; i < count; ++i) {
    const float t = 0.1f * i;
    const float angle = 6.2831853f * (t * px + (1 - t) * py + (0.5f + t) * pz);
    const float magnitude = 1 + t;
    cosines += magnitude * __cosf(angle);
    sines += magnitude * __sinf(angle);
  }
  real[voxel] = cosines;
  imaginary[voxel] = sines;
}
