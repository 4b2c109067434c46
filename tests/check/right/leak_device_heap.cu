// launch: --check=leak --block 1 --arg zeros:i64:1
__global__ void heap(long long* out) {
  char* const p = static_cast<char*>(malloc(100));
  *out = reinterpret_cast<long long>(p);
  free(p);
}
