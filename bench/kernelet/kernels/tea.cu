// TEA: the Tiny Encryption Algorithm (Wheeler and Needham, 1994), one block of 64 bits for each thread.
extern "C" __global__ void tea(const uint2* in, uint2* out, uint4 key, int rounds) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  uint2 v = in[at];
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum += 0x9e3779b9u;
    v.x += ((v.y << 4) + key.x) ^ (v.y + sum) ^ ((v.y >> 5) + key.y);
    v.y += ((v.x << 4) + key.z) ^ (v.x + sum) ^ ((v.x >> 5) + key.w);
  }
  out[at] = v;
}
