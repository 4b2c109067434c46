// BS: the prices of European options by Black and Scholes, the means over `scenarios` volatilities, as a desk asks for
// them. A thread computes `each` options.
__device__ float cumulative(float d) {
  const float k = 1 / (1 + 0.2316419f * fabsf(d));
  const float poly =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * __expf(-0.5f * d * d) * poly;
  return d > 0 ? 1 - tail : tail;
}
extern "C" __global__ void bs(const float* price, const float* strike, const float* years, float* call, float* put,
                              float rate, float volatility, int each, int scenarios) {
  for (int i = 0; i < each; ++i) {
    const int option = (blockIdx.x * each + i) * blockDim.x + threadIdx.x;
    const float s = price[option], x = strike[option], t = years[option];
    const float root = sqrtf(t), ratio = __logf(s / x), discount = x * __expf(-rate * t);
    float calls = 0, puts = 0;
    for (int scenario = 0; scenario < scenarios; ++scenario) {
      const float v = volatility + 0.01f * scenario;
      const float d1 = (ratio + (rate + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
      const float first = cumulative(d1), second = cumulative(d2);
      calls += s * first - discount * second;
      puts += discount * (1 - second) - s * (1 - first);
    }
    call[option] = calls / scenarios;
    put[option] = puts / scenarios;
  }
}
