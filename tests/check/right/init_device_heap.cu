// launch: --check=init --block 1 --arg zeros:i32:1
__global__ void heap(int* out) {
  int* const p = static_cast<int*>(malloc(4 * sizeof(int)));
  for (int i = 0; i < 4; ++i) p[i] = i + *out;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 4; ++i)
    sum += *static_cast<volatile int*>(&p[i]);
  *out = sum;
  free(p);
}
