// launch: --check=memory --block 32 --arg zeros:i32:32 --arg i32:4
__global__ void local(int* out, int last) {
  int a[5];
#pragma unroll 1
  for (int i = 0; i <= last; ++i) a[i] = i;
  out[threadIdx.x] = a[(threadIdx.x + last) % 5];
}
