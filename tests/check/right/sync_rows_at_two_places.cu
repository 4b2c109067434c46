// launch: --check=sync --block 64 --arg zeros:u32:64
// Each warp is at one place.
__global__ void load(unsigned* out) {
  __shared__ __align__(16) unsigned rows[8 * 4];
  if (threadIdx.x < 32) rows[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const unsigned row = __cvta_generic_to_shared(rows + threadIdx.x % 8 * 4);
  unsigned word;
  if (threadIdx.x < 32)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(row));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(row));
  out[threadIdx.x] = word;
}
