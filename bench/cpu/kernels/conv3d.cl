// A three-dimensional convolution with eleven fixed weights, one launch a plane and one point a work item.
kernel void conv3d(int ny, int nx, int z, global const float* in, global float* out) {
  int x = get_global_id(0), y = get_global_id(1);
  if (y < 1 || x < 1 || y >= ny - 1 || x >= nx - 1) return;
  int plane = ny * nx, at = z * plane + y * nx + x;
  out[at] = 2.0f * in[at - plane - nx - 1] + 4.0f * in[at + plane - nx - 1] + 5.0f * in[at - plane - nx + 1] +
            7.0f * in[at + plane - nx + 1] - 3.0f * in[at - nx] + 6.0f * in[at] - 9.0f * in[at + nx] -
            8.0f * in[at - plane + nx - 1] + 4.0f * in[at + plane + nx - 1] + 10.0f * in[at - plane + nx + 1] +
            2.0f * in[at + plane + nx + 1];
}
