// launch: --check=memory --block 1 --arg zeros:u8:64
__global__ void word(unsigned char* x) {
  *reinterpret_cast<int*>(x + 4) = 1;
}
