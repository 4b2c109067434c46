// launch: --check=memory --block 1 --arg zeros:i32:1
__global__ void heap(int* out) {
  int* const p = new int[16];
  *p = *out;
  *out = *p + 1;
  delete[] p;
}
