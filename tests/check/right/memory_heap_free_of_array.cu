// launch: --check=memory --block 1 --arg zeros:i32:16
__global__ void heap(int* out) {
  *out = 1;
  free(nullptr);
}
