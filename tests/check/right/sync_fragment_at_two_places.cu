// launch: --check=sync --block 64 --arg zeros:f32:512
// Each warp is at one place.
__global__ void load(float* out) {
  unsigned d[8];
  if (threadIdx.x < 32)
    asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])
                 : "l"(out)
                 : "memory");
  else
    asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])
                 : "l"(out + 256)
                 : "memory");
  for (int i = 0; i < 8; ++i) out[8 * threadIdx.x + i] = __uint_as_float(d[7 - i]);
}
