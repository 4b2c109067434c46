// launch: --check=race --grid 4 --block 64 --arg zeros:f64:1 --arg zeros:f32:1 --arg zeros:i32:1
// Atomic operations that are made of atomicCAS, as CUDA's programming guide does: the first read is a plain one.
__device__ double add(double* address, double value) {
  auto* bits = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ void raise(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int old = *bits;
  while (__int_as_float(old) < value) {
    const int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
}

__global__ void sums(double* sum, float* most, unsigned* count) {
  __shared__ float of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  const float mine = static_cast<float>((threadIdx.x * 37 + blockIdx.x * 11) % 101);
  raise(&of_block, mine);
  const unsigned turn = threadIdx.x % 7;
  if (turn > *count) atomicMax(count, turn);
  raise(most, mine);
  add(sum, mine);
  unsigned seen = *count;  // of what others raise, and add to
  for (unsigned expected = seen + 1; expected != seen;) {
    expected = seen;
    seen = atomicCAS(count, expected, expected + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) add(sum, of_block);
}
