// launch: --check=sync --block 32 --arg zeros:f32:256
// expect: names lanes 8 to 31
__global__ void store(float* out) {
  if (threadIdx.x >= 8) return;
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1,%1,%1,%1,%1,%1,%1,%1};"  // here
               :
               : "l"(out), "f"(1.f)
               : "memory");
}
