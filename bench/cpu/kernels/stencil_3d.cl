// A step of the heat equation in three dimensions: seven points, one point a work item.
kernel void stencil_3d(int nx, int ny, int nz, float centre, float side, global const float* in, global float* out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  int plane = nx * ny, at = z * plane + y * nx + x;
  out[at] =
      centre * in[at] + side * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - plane] + in[at + plane]);
}
