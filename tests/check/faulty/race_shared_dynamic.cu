// launch: --check=race --block 64 --shared 512 --arg zeros:i32:64
// expect: race (read after write)
extern __shared__ int s[];
__global__ void swap(int* out) {
  const int i = threadIdx.x;
  int* const other = s + 64;
  s[i] = i;
  other[63 - i] = i;  // before
  out[i] = s[i] + other[i];  // here
}
