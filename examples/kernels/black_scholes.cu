// European option prices after Black and Scholes.
__device__ float normal_cdf(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

extern "C" __global__ void black_scholes(int n, float rate, float volatility, const float* __restrict__ price,
                                         const float* __restrict__ strike, const float* __restrict__ years,
                                         float* __restrict__ call, float* __restrict__ put) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(years[i]), spread = volatility * root;
  float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
  float d2 = d1 - spread, discounted = strike[i] * expf(-rate * years[i]);
  float n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  call[i] = price[i] * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
}
