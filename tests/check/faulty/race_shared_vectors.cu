// launch: --check=race --block 64 --arg zeros:f32:64
// expect: race (read after write)
__global__ void vectors(float* out) {
  __shared__ float4 s[64];
  const int i = threadIdx.x;
  s[i] = make_float4(i, i, i, i);  // before
  out[i] = reinterpret_cast<float*>(s)[i];  // here
}
