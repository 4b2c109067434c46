// Prices of European options after Black and Scholes; the normal distribution by the polynomial of Abramowitz and
// Stegun.
float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * exp(-0.5f * d * d) * polynomial;
  return d > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(int n, float rate, float volatility, global const float* restrict price,
                          global const float* restrict strike, global const float* restrict years,
                          global float* restrict call, global float* restrict put) {
  int i = get_global_id(0);
  if (i >= n) return;
  float root = sqrt(years[i]);
  float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = normal(d1), n2 = normal(d2);
  float discounted = strike[i] * exp(-rate * years[i]);
  call[i] = price[i] * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
}
