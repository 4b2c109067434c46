// One step of heat in a plate: each point takes a part of its four neighbours'. Points at the edges stay.
extern "C" __global__ void heat(int width, int height, float part, const float* from, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  int x = i % width, y = i / width;
  float me = from[i];
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    me += part * (from[i - width] + from[i + width] + from[i - 1] + from[i + 1] - 4 * me);
  to[i] = me;
}
