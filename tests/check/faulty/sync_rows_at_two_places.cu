// launch: --check=sync --block 32 --arg zeros:u32:32
// expect: at different operations
__global__ void load(unsigned* out) {
  __shared__ __align__(16) unsigned rows[8 * 4];
  rows[threadIdx.x] = threadIdx.x;
  __syncwarp();
  const unsigned row = __cvta_generic_to_shared(rows + threadIdx.x % 8 * 4);
  unsigned word;
  if (threadIdx.x < 16)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(row));  // before here
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(row));  // before here
  out[threadIdx.x] = word;
}
