// SHA-256 of one 64-byte message a thread, and xxHash64 of records.
__constant__ unsigned int round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned int rotated(unsigned int x, int n) { return __funnelshift_r(x, x, n); }

__device__ void compress(unsigned int* h, const unsigned int* block) {
  unsigned int w[16], v[8];
#pragma unroll
  for (int i = 0; i < 16; ++i) w[i] = block[i];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = h[i];
#pragma unroll 16
  for (int i = 0; i < 64; ++i) {
    if (i >= 16) {
      unsigned int a = w[(i + 1) & 15], b = w[(i + 14) & 15];
      w[i & 15] += (rotated(a, 7) ^ rotated(a, 18) ^ (a >> 3)) + w[(i + 9) & 15] + (rotated(b, 17) ^ rotated(b, 19) ^ (b >> 10));
    }
    unsigned int t = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
                     round_constants[i] + w[i & 15];
    unsigned int u = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
#pragma unroll
    for (int j = 7; j > 0; --j) v[j] = v[j - 1];
    v[4] += t;
    v[0] = t + u;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) h[i] += v[i];
}

// Messages are 16 big-endian words each; digests 8.
extern "C" __global__ void sha256(int n, const unsigned int* messages, unsigned int* digests) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned int padding[16] = {0x80000000u, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 512};
  compress(h, messages + 16 * i);
  compress(h, padding);
  for (int j = 0; j < 8; ++j) digests[8 * i + j] = h[j];
}

__device__ unsigned long long rotated_left(unsigned long long x, int n) { return (x << n) | (x >> (64 - n)); }

// Records of `words` 64-bit words, fewer than four: the short form of xxHash64.
extern "C" __global__ void xxhash64(int n, int words, unsigned long long seed, const unsigned long long* records,
                                    unsigned long long* hashes) {
  const unsigned long long p1 = 0x9E3779B185EBCA87ull, p2 = 0xC2B2AE3D27D4EB4Full, p3 = 0x165667B19E3779F9ull,
                           p4 = 0x85EBCA77C2B2AE63ull, p5 = 0x27D4EB2F165667C5ull;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long h = seed + p5 + 8ull * words;
  for (int j = 0; j < words; ++j) {
    h ^= rotated_left(records[i * words + j] * p2, 31) * p1;
    h = rotated_left(h, 27) * p1 + p4;
  }
  h ^= h >> 33;
  h *= p2;
  h ^= h >> 29;
  h *= p3;
  hashes[i] = h ^ (h >> 32);
}
