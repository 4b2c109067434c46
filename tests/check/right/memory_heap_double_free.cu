// launch: --check=memory --block 1 --arg zeros:i32:1
__global__ void heap(int* out) {
  int* const p = static_cast<int*>(malloc(64));
  *p = *out;
  *out = *p + 1;
  free(p);
}
