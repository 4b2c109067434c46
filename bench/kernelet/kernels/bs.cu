// BS: the price of European options by Black and Scholes, `each` options for each thread.
__device__ float cumulative(float d) {
  const float k = 1 / (1 + 0.2316419f * fabsf(d));
  const float poly =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * __expf(-0.5f * d * d) * poly;
  return d > 0 ? 1 - tail : tail;
}
extern "C" __global__ void bs(const float* price, const float* strike, const float* years, float* call, float* put,
                              float rate, float volatility, int each) {
  for (int i = 0; i < each; ++i) {
    const int option = (blockIdx.x * each + i) * blockDim.x + threadIdx.x;
    const float s = price[option], x = strike[option], t = years[option];
    const float root = sqrtf(t);
    const float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float first = cumulative(d1), second = cumulative(d2);
    const float discount = __expf(-rate * t);
    call[option] = s * first - x * discount * second;
    put[option] = x * discount * (1 - second) - s * (1 - first);
  }
}
