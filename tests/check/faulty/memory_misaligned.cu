// launch: --check=memory --block 1 --arg zeros:u8:64
// expect: misaligned
__global__ void word(unsigned char* x) {
  *reinterpret_cast<int*>(x + 2) = 1;  // here
}
