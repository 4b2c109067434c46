// Thrust: vectors, sort, reduce, transform with functors and lambdas, scans.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/functional.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <cstdio>
#include <algorithm>
struct Square { __host__ __device__ int operator()(int x) const { return x * x; } };
int main() {
  const int n = 10000;
  thrust::host_vector<int> h(n);
  unsigned s = 12345;
  for (int i = 0; i < n; ++i) { s = s * 1664525u + 1013904223u; h[i] = s >> 20; }
  thrust::device_vector<int> d = h;
  thrust::sort(d.begin(), d.end());
  thrust::host_vector<int> r = d;
  std::sort(h.begin(), h.end());
  int bad = 0;
  for (int i = 0; i < n; ++i) bad += r[i] != h[i];
  long want = 0, sq = 0;
  for (int i = 0; i < n; ++i) { want += h[i]; }
  long sum = thrust::reduce(d.begin(), d.end(), 0L, thrust::plus<long>());
  if (sum != want) ++bad;
  thrust::transform(d.begin(), d.end(), d.begin(), [] __host__ __device__ (int x) { return x % 100; });
  thrust::transform(d.begin(), d.end(), d.begin(), Square());
  for (int i = 0; i < n; ++i) sq += (h[i] % 100) * (h[i] % 100);
  if (thrust::reduce(d.begin(), d.end()) != sq) ++bad;
  thrust::sequence(d.begin(), d.end());
  thrust::inclusive_scan(d.begin(), d.end(), d.begin());
  if (d[n - 1] != n * (n - 1) / 2) ++bad;
  printf(bad ? "%d are wrong\n" : "passed\n", bad);
  return bad != 0;
}
