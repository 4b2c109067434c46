#include <cmath>

#include "kernels/loops.hpp"

namespace heddle::bench::loops {

namespace {

float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  const float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * std::exp(-0.5f * d * d) * polynomial;
  return d > 0 ? 1.0f - tail : tail;
}

}  // namespace

void black_scholes(int n, float rate, float volatility, const float* price, const float* strike, const float* years,
                   float* call, float* put) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const float root = std::sqrt(years[i]);
    const float d1 =
        (std::log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float n1 = normal(d1), n2 = normal(d2);
    const float discounted = strike[i] * std::exp(-rate * years[i]);
    call[i] = price[i] * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
  }
}

}  // namespace heddle::bench::loops
