// More kernels whose threads part, in the form of divergent.cu: both sides of a branch have work in these.

using u32 = unsigned;

namespace {

__device__ u32 item() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ u32 all() { return gridDim.x * blockDim.x; }
__device__ u32 mixed(u32 x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
__device__ float unit(u32 x) { return (x >> 8) * (1.0f / 16777216.0f); }

}  // namespace

// A mixture of experts: each token goes through the two experts that its gate finds, which are small networks with
// activations of their own.
extern "C" __global__ void moe_routing(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    const u32 token = in[i];
    float value = unit(token), sum = 0;
    for (u32 choice = 0; choice < 2; ++choice) {
      const u32 expert = (mixed(token + choice) >> 7) & 3;
      const float gate = 0.25f + 0.5f * unit(mixed(token ^ choice));
      float x = value;
      if (expert == 0) {
        for (u32 k = 0; k < 6; ++k) x = x * 0.75f + 0.125f * x * x;
      } else if (expert == 1) {
        for (u32 k = 0; k < 6; ++k) x = fmaxf(0.0f, 1.25f * x - 0.3f) + 0.01f;
      } else if (expert == 2) {
        for (u32 k = 0; k < 6; ++k) x = x / (1.0f + x) + 0.2f;
      } else {
        for (u32 k = 0; k < 6; ++k) x = 0.5f - 0.4f * x + 0.03f * k;
      }
      sum += gate * x;
    }
    out[i] = __float_as_uint(sum);
  }
}

// A row of block-sparse attention: blocks of the mask are skipped, near ones are exact, far ones are approximated.
extern "C" __global__ void sparse_attention(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    const u32 mask = mixed(in[i]);
    const float query = unit(in[i]);
    float sum = 0, scale = 1e-6f;
    for (u32 block = 0; block < 10; ++block) {
      const u32 kind = (mask >> (3 * block)) & 7;
      if (kind == 0) continue;
      const float key = unit(in[(i / 32 * 32 + block * 37) % n]);
      if (kind < 4) {
        float score = query * key, power = 1, term = 1;
        for (u32 k = 1; k < 5; ++k) {
          term *= score / k;
          power += term;
        }
        sum += power * key;
        scale += power;
      } else {
        const float near = 1.0f + query * key;
        float weight = near * near;
        for (u32 k = 0; k < 4; ++k) weight = 0.5f * (weight + near * near / weight);
        sum += weight * 0.5f;
        scale += weight;
      }
    }
    out[i] = __float_as_uint(sum / scale);
  }
}

// Needleman-Wunsch of two words of 16 letters, a row kept in registers: matches, mismatches and gaps part.
extern "C" __global__ void needle(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    const u32 one = in[i], other = mixed(in[i]) & in[(i + 1) % n];
    int row[9];
    for (int k = 0; k < 9; ++k) row[k] = -k;
    u32 matches = 0;
    for (u32 y = 0; y < 8; ++y) {
      int corner = row[0];
      row[0] -= 1;
      for (u32 x = 0; x < 8; ++x) {
        const int above = row[x + 1];
        if (((one >> (2 * x)) & 3) == ((other >> (2 * y)) & 3)) {
          row[x + 1] = corner + 2;
          matches += (row[x + 1] > above) + x;
        } else {
          const int gap = max(above, row[x]) - 1;
          row[x + 1] = max(gap, corner - 1);
          matches ^= row[x + 1] & 7;
        }
        corner = above;
      }
    }
    out[i] = static_cast<u32>(row[8]) + matches;
  }
}

// Odd-even merge sort of 128 words in shared memory: in each step a thread takes the smaller or the greater one.
extern "C" __global__ void sorting_network(const u32* in, u32* out, u32 n) {
  __shared__ u32 words[1024];
  u32* const mine = words + threadIdx.x / 128 * 128;
  const u32 t = threadIdx.x % 128;
  for (u32 i = item(); i < n; i += all()) {
    mine[t] = in[i];
    __syncthreads();
    for (u32 size = 2; size <= 128; size *= 2) {
      for (u32 stride = size / 2; stride > 0; stride /= 2) {
        const u32 offset = t % size;
        u32 keeps = mine[t];
        if (offset & stride) {
          const u32 left = mine[t - stride];
          if ((t & size) == 0 || size == 128)
            keeps = left > keeps ? left : keeps;
          else
            keeps = left < keeps ? left : keeps;
        } else {
          const u32 right = mine[t + stride];
          if ((t & size) == 0 || size == 128)
            keeps = right < keeps ? right : keeps;
          else
            keeps = right > keeps ? right : keeps;
        }
        __syncthreads();
        mine[t] = keeps;
        __syncthreads();
      }
    }
    out[i] = mine[t];
    __syncthreads();
  }
}

// Random walks whose steps are of two kinds, counted in the bins of a histogram.
extern "C" __global__ void random_walks(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    u32 state = in[i], bins = 0;
    for (u32 step = 0; step < 20; ++step) {
      state = state * 1664525u + 1013904223u;
      if (state >> 31) {
        const u32 bin = (state >> 20) & 7;
        bins += 1u << (4 * bin);
        bins ^= bins >> 13;
        state ^= bins;
      } else {
        const u32 turn = (state >> 17) & 15;
        state = (state << turn) | (state >> (32 - turn - 1));
        bins = bins * 3 + turn;
        state += bins >> 9;
      }
    }
    out[i] = bins;
  }
}
