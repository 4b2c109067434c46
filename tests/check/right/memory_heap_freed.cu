// launch: --check=memory --block 1 --arg zeros:i32:1
__global__ void heap(int* out) {
  int* const p = static_cast<int*>(malloc(64));
#pragma unroll 1
  for (int i = 0; i < 2; ++i) {
    *static_cast<volatile int*>(p) = i;
    if (i == *out + 1) free(p);
  }
}
