// One step of a two-dimensional electromagnetic field in finite differences: three launches, one point a work item.
kernel void step_ey(int rows, int columns, float source, global float* ey, global const float* hz) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= rows || j >= columns) return;
  if (i == 0) {
    ey[i * columns + j] = source;
  } else {
    ey[i * columns + j] = ey[i * columns + j] - 0.5f * (hz[i * columns + j] - hz[(i - 1) * columns + j]);
  }
}

kernel void step_ex(int rows, int columns, global float* ex, global const float* hz) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= rows || j >= columns || j == 0) return;
  ex[i * columns + j] = ex[i * columns + j] - 0.5f * (hz[i * columns + j] - hz[i * columns + j - 1]);
}

kernel void step_hz(int rows, int columns, global const float* ex, global const float* ey, global float* hz) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= rows - 1 || j >= columns - 1) return;
  hz[i * columns + j] = hz[i * columns + j] - 0.7f * (ex[i * columns + j + 1] - ex[i * columns + j] +
                                                      ey[(i + 1) * columns + j] - ey[i * columns + j]);
}
