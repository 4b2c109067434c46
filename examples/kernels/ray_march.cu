// A picture of spheres by ray marching over signed distances: loops of very different length side by side.
__device__ float distance_to_scene(float3 p) {
  float3 q = make_float3(p.x - floorf(p.x + 0.5f), p.y - floorf(p.y + 0.5f), p.z - floorf(p.z + 0.5f));
  return norm3df(q.x, q.y, q.z) - 0.3f;
}

extern "C" __global__ void ray_march(int width, int height, float time, uchar4* picture) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = (2.0f * x - width) / height, v = (2.0f * y - height) / height;
  float inverse = rnorm3df(u, v, 1.5f), travelled = 0.0f;
  float3 direction = make_float3(u * inverse, v * inverse, 1.5f * inverse);
  int steps = 0;
  for (; steps < 96 && travelled < 20.0f; ++steps) {
    float3 p = make_float3(0.5f + direction.x * travelled, 0.5f + direction.y * travelled, time + direction.z * travelled);
    float d = distance_to_scene(p);
    if (d < 1e-3f) break;
    travelled += d;
  }
  float light = __saturatef(1.0f / (1.0f + 0.1f * travelled * travelled));
  unsigned char level = static_cast<unsigned char>(255.0f * powf(light, 0.4545f));
  picture[y * width + x] = make_uchar4(level, static_cast<unsigned char>(255.0f * steps / 96.0f), level / 2, 255);
}
