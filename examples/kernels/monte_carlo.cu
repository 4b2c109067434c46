// Pi by Monte Carlo with xorshift, and the price of an Asian option over simulated paths.
__device__ unsigned int xorshift(unsigned int& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}
__device__ float uniform(unsigned int& s) { return (xorshift(s) >> 8) * (1.0f / 16777216.0f); }

extern "C" __global__ void monte_carlo_pi(int samples, unsigned int seed, unsigned long long* inside) {
  unsigned int s = seed ^ ((blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u), hits = 0;
  for (int i = 0; i < samples; ++i) {
    float x = uniform(s), y = uniform(s);
    hits += x * x + y * y < 1.0f;
  }
  hits = __reduce_add_sync(0xffffffffu, hits);
  if ((threadIdx.x & 31) == 0) atomicAdd(inside, static_cast<unsigned long long>(hits));
}

extern "C" __global__ void asian_option(int steps, unsigned int seed, float start, float strike, float drift, float noise,
                                        float* payoff) {
  int path = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int s = seed ^ ((path + 1) * 2246822519u);
  float log_price = logf(start), sum = 0;
  for (int i = 0; i < steps; ++i) {
    float u = fmaxf(uniform(s), 1e-7f), angle = 2.0f * uniform(s);
    log_price += drift + noise * sqrtf(-2.0f * logf(u)) * cospif(angle);
    sum += expf(log_price);
  }
  payoff[path] = fmaxf(sum / steps - strike, 0.0f);
}
