// launch: --check=sync,race --block 64 --arg zeros:f32:256
// One warp takes part as a whole.
__global__ void copy(float* out) {
  unsigned d[8] = {};
  if (threadIdx.x >= 32) return;
  asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])
               : "l"(out)
               : "memory");
  __syncwarp();
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8};"
               :
               : "l"(out), "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]), "r"(d[4]), "r"(d[5]), "r"(d[6]), "r"(d[7])
               : "memory");
}
