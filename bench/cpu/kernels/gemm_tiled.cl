// C = A B through tiles of 16 x 16 in local memory; square matrices whose width is a multiple of 16.
kernel void gemm_tiled(int n, global const float* a, global const float* b, global float* c) {
  local float left[16][16];
  local float right[16][16];
  int tx = get_local_id(0), ty = get_local_id(1);
  int column = get_group_id(0) * 16 + tx, row = get_group_id(1) * 16 + ty;
  float sum = 0;
  for (int start = 0; start < n; start += 16) {
    left[ty][tx] = a[row * n + start + tx];
    right[ty][tx] = b[(start + ty) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k) sum += left[ty][k] * right[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
