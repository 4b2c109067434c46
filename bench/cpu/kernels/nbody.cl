// The attraction of all bodies on each, through tiles in local memory; groups of 256 work items, n a multiple of it.
kernel void nbody(int n, global const float4* bodies, global float4* attraction) {
  local float4 tile[256];
  int i = get_global_id(0);
  float4 here = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += 256) {
    tile[get_local_id(0)] = bodies[start + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 256; ++k) {
      float4 there = tile[k];
      float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
      float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-4f);
      float factor = there.w * inverse * inverse * inverse;
      ax += dx * factor;
      ay += dy * factor;
      az += dz * factor;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  attraction[i] = (float4)(ax, ay, az, 0);
}
