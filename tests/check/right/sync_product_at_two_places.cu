// launch: --check=sync --block 64 --arg zeros:f32:256
// Each warp is at one place.
__global__ void multiply(float* out) {
  float d[4] = {};
  const unsigned ones = 0x3c003c00;  // two halves
  if (threadIdx.x < 32)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ones));
  else
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};"
                 : "+f"(d[3]), "+f"(d[2]), "+f"(d[1]), "+f"(d[0])
                 : "r"(ones));
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i];
}
