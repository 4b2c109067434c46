// Transposition through tiles of 32 x 32 in local memory, one column padded; groups of 32 x 8 work items.
kernel void transpose(int width, int height, global const float* in, global float* out) {
  local float tile[32][33];
  int x = get_group_id(0) * 32 + get_local_id(0), y = get_group_id(1) * 32 + get_local_id(1);
  for (int i = 0; i < 32; i += 8)
    if (x < width && y + i < height) tile[get_local_id(1) + i][get_local_id(0)] = in[(y + i) * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + get_local_id(0);
  y = get_group_id(0) * 32 + get_local_id(1);
  for (int i = 0; i < 32; i += 8)
    if (x < height && y + i < width) out[(y + i) * height + x] = tile[get_local_id(0)][get_local_id(1) + i];
}
