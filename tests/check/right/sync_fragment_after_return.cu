// launch: --check=sync,race --block 32 --arg zeros:f32:256
// Every lane stores its part, of which it needs no more.
__global__ void store(float* out) {
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1,%1,%1,%1,%1,%1,%1,%1};"
               :
               : "l"(out), "f"(1.f)
               : "memory");
  if (threadIdx.x >= 8) return;
  __syncwarp(0xff);
  out[threadIdx.x] = 2;
}
