// launch: --check=memory --block 1 --arg zeros:u8:64
__global__ void words(unsigned char* x) {
#pragma unroll 1
  for (int i = 0; i < 4; ++i) *reinterpret_cast<volatile int*>(x + 8 * i + (i == 4)) = 1;
}
