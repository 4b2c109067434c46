// launch: --check=memory --block 1 --arg zeros:i32:1
// expect: free(
__global__ void heap(int* out) {
  int* const p = static_cast<int*>(malloc(64));
  p[1] = *out;
  *out = p[1];
  free(p + 1);  // here
}
