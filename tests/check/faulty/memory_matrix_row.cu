// launch: --check=memory --block 32 --arg zeros:u32:32
// expect: misaligned read of 16 bytes
__global__ void load(unsigned* out) {
  __shared__ __align__(16) unsigned rows[8 * 5];  // four words and one of padding
  for (int i = threadIdx.x; i < 8 * 5; i += 32) rows[i] = i;
  __syncwarp();
  const unsigned row = __cvta_generic_to_shared(rows + threadIdx.x % 8 * 5);
  unsigned word;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(row));  // here
  out[threadIdx.x] = word;
}
