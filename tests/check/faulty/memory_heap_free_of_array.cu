// launch: --check=memory --block 1 --arg zeros:i32:16
// expect: free(
__global__ void heap(int* out) {
  *out = 1;
  free(out);  // here
}
