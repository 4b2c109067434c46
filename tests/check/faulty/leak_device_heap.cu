// launch: --check=leak --block 1 --arg zeros:i64:1
// expect: leak: 100 bytes of the device heap
__global__ void heap(long long* out) {
  char* const p = static_cast<char*>(malloc(100));  // here
  *out = reinterpret_cast<long long>(p);
}
