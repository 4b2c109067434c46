// run: --check=init
// expect: uninitialised read
struct Pair {
  char tag;
  int value;
};
__global__ void fill(Pair* p) {
  p[threadIdx.x].tag = 'a';
  if (threadIdx.x != 7) p[threadIdx.x].value = 1;
}
__global__ void copy(const Pair* p, Pair* q) { q[threadIdx.x] = p[threadIdx.x]; }
__global__ void use(const Pair* p, int* out) {
  out[threadIdx.x] = p[threadIdx.x].value + p[threadIdx.x].tag;  // here
}
int main() {
  Pair *p, *q;
  int* out;
  cudaMalloc(&p, 32 * sizeof(Pair));
  cudaMalloc(&q, 32 * sizeof(Pair));
  cudaMalloc(&out, 32 * sizeof(int));
  fill<<<1, 32>>>(p);
  copy<<<1, 32>>>(p, q);
  use<<<1, 32>>>(p, out);
  cudaDeviceSynchronize();
}
