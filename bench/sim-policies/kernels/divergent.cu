// Kernels whose threads part: of each item the work depends on its data. All have one form: words in, words out, one for
// each item. A thread has one item after the other.

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

// Exponential and logarithm as subroutines with loops that end when they are exact enough.
__device__ float soft_exp(float x) {
  bool inverse = x < 0;
  if (inverse) x = -x;
  int halvings = 0;
  while (x > 0.5f) {
    x *= 0.5f;
    ++halvings;
  }
  float sum = 1, term = 1;
  for (int i = 1; i < 16; ++i) {
    term *= x * (1.0f / i);
    sum += term;
    if (term < 1e-7f) break;
  }
  for (int i = 0; i < halvings; ++i) sum *= sum;
  return inverse ? 1.0f / sum : sum;
}
__device__ float soft_log(float x) {
  int power = 0;
  while (x > 1.5f) {
    x *= 0.5f;
    ++power;
  }
  while (x < 0.75f) {
    x *= 2;
    --power;
  }
  const float y = (x - 1) / (x + 1), square = y * y;
  float sum = 0, term = y;
  for (int i = 1; i < 24; i += 2) {
    sum += term * (1.0f / i);
    term *= square;
    if (term < 1e-7f && term > -1e-7f) break;
  }
  return 2 * sum + 0.69314718f * power;
}
__device__ float normal(float d) {
  const float a = d < 0 ? -d : d;
  const float k = 1.0f / (1.0f + 0.2316419f * a);
  if (a > 4) return d < 0 ? 0.0f : 1.0f;  // early exit: no price depends on it
  const float p = 0.39894228f * soft_exp(-0.5f * d * d) *
                  k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return d > 0 ? 1.0f - p : p;
}

}  // namespace

// Black-Scholes with subroutines for exp and log, and early exits.
extern "C" __global__ void black_scholes(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    float sum = 0;
    for (u32 j = 0; j < 2; ++j) {
      const float s = 5 + 95 * unit(in[(i + j * 977) % n]), x = 1 + 99 * unit(mixed(in[(i + j * 977) % n]));
      const float t = 0.25f + 9.75f * unit(mixed(i + j)), v = 0.3f;
      const float root = v * sqrtf(t);
      const float d1 = (soft_log(s / x) + (0.02f + 0.5f * v * v) * t) / root;
      sum += s * normal(d1) - x * soft_exp(-0.02f * t) * normal(d1 - root);
    }
    out[i] = __float_as_uint(sum);
  }
}

// Bitonic sort of 128 words in shared memory: even and odd threads part in most steps.
extern "C" __global__ void bitonic(const u32* in, u32* out, u32 n) {
  __shared__ u32 words[1024];
  u32* const mine = words + threadIdx.x / 128 * 128;
  const u32 t = threadIdx.x % 128;
  for (u32 i = item(); i < n; i += all()) {
    mine[t] = in[i];
    __syncthreads();
    for (u32 k = 2; k <= 128; k *= 2) {
      for (u32 j = k / 2; j > 0; j /= 2) {
        const u32 other = t ^ j;
        if (other > t) {
          const u32 a = mine[t], b = mine[other];
          const bool up = (t & k) == 0;
          if (up) {
            if (a > b) {
              mine[t] = b;
              mine[other] = a;
            }
          } else if (a < b) {
            mine[t] = b;
            mine[other] = a;
          }
        }
        __syncthreads();
      }
    }
    out[i] = mine[t];
    __syncthreads();
  }
}

// One step of that network as a parallel section of its own, in global memory.
extern "C" __global__ void bitonic_step(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    const u32 other = i ^ 1;
    if (other > i) {
      const u32 a = in[i], b = in[other];
      if ((i & 8) == 0) {
        out[i] = a < b ? a : b;
        out[other] = a < b ? b : a;
      } else {
        out[i] = a < b ? b : a;
        out[other] = a < b ? a : b;
      }
    }
  }
}

// LU decomposition of matrices of 16 by 16, one for every 128 threads: fewer threads have work in each step.
extern "C" __global__ void lu(const u32* in, u32* out, u32 n) {
  __shared__ float tiles[8][256];
  float* const a = tiles[threadIdx.x / 128];
  const u32 t = threadIdx.x % 128;
  for (u32 i = item(); i < n; i += all()) {
    const u32 base = i - t;
    a[t] = 1 + unit(in[base + t]) + (t % 17 == 0 ? 16 : 0);
    a[t + 128] = 1 + unit(mixed(in[base + t])) + ((t + 128) % 17 == 0 ? 16 : 0);
    __syncthreads();
    for (u32 k = 0; k < 15; ++k) {
      if (t > k && t < 16) a[t * 16 + k] /= a[k * 16 + k];
      __syncthreads();
      for (u32 e = t; e < 256; e += 128) {
        const u32 row = e / 16, column = e % 16;
        if (row > k && column > k) a[e] -= a[row * 16 + k] * a[k * 16 + column];
      }
      __syncthreads();
    }
    out[i] = __float_as_uint(a[t] + a[t + 128]);
    __syncthreads();
  }
}

// A hidden Markov model's best path, with transitions that are only followed where they can matter.
template <u32 steps>
__device__ void best_path(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    int match = 0, insertion = -1000, deletion = -1000, best = -1000;
    u32 state = in[i];
#pragma unroll 1
    for (u32 step = 0; step < steps; ++step) {
      state = mixed(state + step);
      const int emission = static_cast<int>(state & 31) - 14;
      int next = match + emission;
      if (insertion > match - 6) {
        next = max(next, insertion + emission - 2);
        insertion = max(insertion - 1, match - 8);
        if (deletion > insertion) deletion = max(deletion - 1, match - 9);
      } else {
        insertion = match - 7;
      }
      if (emission > 9) {
        for (u32 j = 0; j < (state >> 8) % 6; ++j) next += static_cast<int>(in[(i + j * 131 + step) % n] & 3) - 1;
      } else if (deletion > next) {
        next = deletion - 3;
      }
      match = next < 0 ? 0 : next;
      best = max(best, match);
    }
    out[i] = static_cast<u32>(best);
  }
}
extern "C" __global__ void hmm(const u32* in, u32* out, u32 n) { best_path<24>(in, out, n); }
// A parallel section for each step, or for a few of them: all threads begin together again.
extern "C" __global__ void hmm_1(const u32* in, u32* out, u32 n) { best_path<1>(in, out, n); }
extern "C" __global__ void hmm_4(const u32* in, u32* out, u32 n) { best_path<4>(in, out, n); }

// Lattice Boltzmann of one cell for each thread: obstacles reflect, others collide.
extern "C" __global__ void lbm(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    float f[9];
    for (u32 d = 0; d < 9; ++d) f[d] = unit(in[(i + d * 769) % n]);
    for (u32 step = 0; step < 3; ++step) {
      const u32 kind = mixed(i * 3 + step) & 7;
      if (kind == 0) {
        for (u32 d = 1; d < 5; ++d) {
          const float swap = f[d];
          f[d] = f[d + 4];
          f[d + 4] = swap;
        }
      } else {
        float density = 0, x = 0, y = 0;
        for (u32 d = 0; d < 9; ++d) density += f[d];
        x = f[1] - f[5] + f[2] - f[6];
        y = f[3] - f[7] + f[4] - f[8];
        if (kind < 3) x *= 1.005f;
        for (u32 d = 0; d < 9; ++d) f[d] += 0.6f * (density * 0.11f + (d & 1 ? x : y) * 0.1f - f[d]);
      }
    }
    float sum = 0;
    for (u32 d = 0; d < 9; ++d) sum += f[d] * (d + 1);
    out[i] = __float_as_uint(sum);
  }
}

extern "C" __global__ void mandelbrot(const u32*, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    const float cx = (i % 96) * (3.0f / 96) - 2.2f, cy = (i / 96) * (2.4f / 80) - 1.2f;
    float x = 0, y = 0;
    u32 turns = 0;
    while (turns < 96 && x * x + y * y < 4) {
      const float next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
      ++turns;
    }
    out[i] = turns;
  }
}

// A step of breadth-first search: the degrees of nodes follow a power law.
extern "C" __global__ void bfs(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    const u32 word = in[i];
    u32 found = 0;
    if ((word & 3) != 0) {  // in the frontier
      const u32 degree = 1 + min(24u, __popc((word >> 2) & (word >> 3) & 0xfff) * __popc(word >> 20));
      for (u32 e = 0; e < degree; ++e) {
        const u32 neighbour = mixed(i * 31 + e) % n;
        const u32 seen = in[neighbour];
        if ((seen & 3) == 0) {
          found += seen >> 4;
          if ((seen & 0x1c) == 0) found ^= in[(seen >> 6) % n];
        }
      }
    }
    out[i] = found;
  }
}

// Solutions of the queens' problem on boards of four to six, from a first column that depends on the thread. A level of
// the search has a byte of each word, so that its stack stays in registers.
extern "C" __global__ void n_queens(const u32* in, u32* out, u32 n) {
  using u64 = unsigned long long;
  for (u32 i = item(); i < n; i += all()) {
    const u32 size = 4 + in[i] % 3, all = (1u << size) - 1;
    u64 columns = 0, left = 0, right = 0, rest = 1u << (mixed(i) % size);
    int depth = 0;
    u32 solutions = 0;
    while (depth >= 0) {
      const u32 open = static_cast<u32>(rest) & 255;
      if (open == 0) {
        --depth;
        columns >>= 8;
        left >>= 8;
        right >>= 8;
        rest >>= 8;
        continue;
      }
      const u32 bit = open & (0u - open);
      rest ^= bit;
      const u32 c = (static_cast<u32>(columns) & 255) | bit;
      if (c == all) {
        ++solutions;
        continue;
      }
      const u32 l = (((static_cast<u32>(left) & 255) | bit) << 1) & 255, r = ((static_cast<u32>(right) & 255) | bit) >> 1;
      ++depth;
      columns = columns << 8 | c;
      left = left << 8 | l;
      right = right << 8 | r;
      rest = rest << 8 | (all & ~(c | l | r));
    }
    out[i] = solutions;
  }
}

// Rays through a tree of boxes, with a stack, and spheres in its leaves; some are reflected.
extern "C" __global__ void ray(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    float x = unit(in[i]) * 2 - 1, y = unit(mixed(in[i])) * 2 - 1;
    float colour = 0;
    for (u32 bounce = 0; bounce < 3; ++bounce) {
      u32 stack[12];
      u32 top = 0;
      stack[top++] = 1;
      float nearest = 2;
      while (top != 0) {
        const u32 node = stack[--top];
        const u32 word = mixed(node * 2654435761u);
        const float bx = unit(word) * 2 - 1, by = unit(mixed(word)) * 2 - 1;
        const float dx = x - bx, dy = y - by, distance = dx * dx + dy * dy;
        if (node < 64) {
          if (distance < 2.2f && top < 10) {
            stack[top++] = 2 * node;
            if (distance < 1.3f) stack[top++] = 2 * node + 1;
          }
        } else if (distance < nearest) {
          nearest = distance;
          colour += unit(in[node % n]) * (1 - distance);
        }
      }
      if (nearest > 0.6f) break;
      x = nearest * 2 - x;
      y = y * 0.7f - nearest;
    }
    out[i] = __float_as_uint(colour);
  }
}

// Matches of a query in a tree of words, as MUMmer walks suffix trees: one child after the other until none matches.
extern "C" __global__ void mummer(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    const u32 query = in[i];
    u32 longest = 0;
    for (u32 start = 0; start < 6; ++start) {
      u32 node = 1, length = 0;
      while (length < 14) {
        const u32 letter = (query >> (2 * ((start + length) % 16))) & 3;
        const u32 children = in[(node * 17 + 5) % n];
        if (((children >> letter) & 1) == 0) {
          if (((children >> (4 + letter)) & 3) != 0) break;
          node = node / 2 + 3;  // a suffix link
          ++length;
          continue;
        }
        node = (node * 4 + letter + 1) % n;
        ++length;
      }
      longest = max(longest, length);
    }
    out[i] = longest;
  }
}

// Paths of the LIBOR market model: alike for all threads but for the payment.
extern "C" __global__ void libor(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    float rates[8];
    for (u32 k = 0; k < 8; ++k) rates[k] = 0.05f;
    u32 state = in[i];
    for (u32 step = 0; step < 6; ++step) {
      state = mixed(state + step);
      const float z = unit(state) - 0.5f;
      float drift = 0;
      for (u32 k = 0; k < 8; ++k) {
        drift += 0.2f * rates[k] / (1 + 0.25f * rates[k]);
        rates[k] *= 1 + 0.04f * (drift * 0.25f + z);
      }
    }
    float value = 1;
    for (u32 k = 0; k < 8; ++k) value /= 1 + 0.25f * rates[k];
    if (value > 0.91f) {
      float more = 0;
      for (u32 k = 0; k < 8; ++k) more += (rates[k] - 0.045f) * value;
      value += more > 0 ? more : 0;
    }
    out[i] = __float_as_uint(value);
  }
}

// Eigenvalues of a tridiagonal matrix by bisection: intervals that hold none end early.
extern "C" __global__ void eigenvalues(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    float low = unit(in[i]) * 8 - 4, high = low + 0.5f;
    for (u32 turn = 0; turn < 12; ++turn) {
      const float middle = 0.5f * (low + high);
      u32 below = 0;
      float d = 1;
      for (u32 k = 0; k < 10; ++k) {
        d = (unit(in[(i / 32 * 32 + k) % n]) * 4 - 2 - middle) - 0.25f / (d == 0 ? 1e-6f : d);
        if (d < 0) ++below;
      }
      if (below > 5)
        high = middle;
      else if (below == 5 && high - low < 0.02f)
        break;
      else
        low = middle;
    }
    out[i] = __float_as_uint(low);
  }
}

// Regular expressions: an automaton on 24 letters with states that need more work.
extern "C" __global__ void regex(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    u32 state = 0, matches = 0;
    for (u32 k = 0; k < 24; ++k) {
      const u32 letter = (in[(i + k / 8 * 61) % n] >> (k % 8 * 4)) & 15;
      switch (state) {
        case 0: state = letter < 5 ? 1 : 0; break;
        case 1:
          if (letter == 7)
            state = 2;
          else if (letter > 11)
            state = 0;
          break;
        case 2:
          while (matches % 3 != letter % 3) ++matches;
          state = letter & 1 ? 3 : 1;
          break;
        default:
          ++matches;
          state = letter > 3 ? 0 : 2;
          break;
      }
    }
    out[i] = matches;
  }
}

// The table maker's dilemma: a search with several exits that jumps between its loops.
extern "C" __global__ void table_maker(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    float x = unit(in[i]);
    u32 work = 0;
again:
    while (work < 60) {
      ++work;
      x = x * 3.7f * (1 - x);
      if (x > 0.85f) goto wide;
      if (x < 0.15f) break;
    }
    out[i] = work;
    continue;
wide:
    for (u32 k = 0; k < 5; ++k) {
      ++work;
      x = x * 0.9f;
      if (x < 0.5f) goto again;
      if (work > 55) goto leave;
    }
    if (work < 50) goto again;
leave:
    out[i] = work + 1000;
  }
}

// The first counter-example of the paper on dynamic warp formation: a rare short branch that few threads of each warp
// take, again and again, so that these are left behind.
extern "C" __global__ void rare_branch(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    u32 value = in[i];
    for (u32 step = 0; step < 40; ++step) {
      value = mixed(value + step);
      if ((value & 15) == 0) value += in[(value >> 5) % n] * 3;  // two or three of 32 threads; a load, so that it is a branch
      value ^= in[(i + step * 32) % n] >> 3;
    }
    out[i] = value;
  }
}

// The second one: a loop with a branch inside, which a few threads leave in each turn. They have passed fewer joins than
// those that go on, so that pdom-priority lets them go first, each few in a warp of their own.
extern "C" __global__ void nested_exit(const u32* in, u32* out, u32 n) {
  for (u32 i = item(); i < n; i += all()) {
    u32 value = in[i], steps = 0;
    while (steps < 96) {
      ++steps;
      value = mixed(value);
      if (value & 1) {  // a load, so that this stays a branch, of one word, so that the L1 is no limit
        value += in[steps % n] | steps;
      } else {
        value ^= steps << 5;
      }
      if ((value & 511) == 0) break;
    }
    // After the loop: threads that have left it could wait for others. Without a loop, in which threads of any turn are
    // at the same places and would meet.
#pragma unroll
    for (u32 k = 0; k < 64; ++k) value = mixed(value + k);
    out[i] = value;
  }
}
