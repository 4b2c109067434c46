// run: --check=race
// expect: race
// The memory that is raced for is none that a parameter points to.
__device__ int* shared_block;
__global__ void make() { shared_block = static_cast<int*>(malloc(64 * sizeof(int))); }
__global__ void shift(int* out) {
  const int i = threadIdx.x;
  int* const p = shared_block;
  const int next = p[(i + 1) % 64];  // here before
  p[i] = i;  // here before
  out[i] = next;
}
int main() {
  int* out = nullptr;
  cudaMalloc(&out, 64 * sizeof(int));
  make<<<1, 1>>>();
  shift<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}
