// Prices of European options after Black and Scholes; the normal distribution by the polynomial of Abramowitz and
// Stegun.
__device__ float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * expf(-0.5f * d * d) * polynomial;
  return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(int n, float rate, float volatility, const float* __restrict__ price,
                                         const float* __restrict__ strike, const float* __restrict__ years,
                                         float* __restrict__ call, float* __restrict__ put) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(years[i]);
  float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = normal(d1), n2 = normal(d2);
  float discounted = strike[i] * expf(-rate * years[i]);
  call[i] = price[i] * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
}
