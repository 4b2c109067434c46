// B&S: prices of European calls after Black and Scholes, in double precision.

__device__ double normal(double d) { return 0.5 * erfc(-0.70710678118654752440 * d); }

extern "C" __global__ void black_scholes(const double* price, double* call, int n, double rate, double volatility,
                                         double years, double strike) {
  const double spread = volatility * sqrt(years);
  const double discounted = strike * exp(-rate * years);
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const double s = price[i];
    const double d1 = (log(s / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
    call[i] = s * normal(d1) - discounted * normal(d1 - spread);
  }
}
