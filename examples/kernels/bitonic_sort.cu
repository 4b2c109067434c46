// Bitonic sort: one step over global memory a launch, and all steps of a block in shared memory.
extern "C" __global__ void bitonic_step(unsigned int* data, int distance, int size) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
  if (other <= i) return;
  unsigned int a = data[i], b = data[other];
  if ((a > b) == ((i & size) == 0)) {
    data[i] = b;
    data[other] = a;
  }
}

// Sorts each run of 2 blockDim.x keys, with values along.
extern "C" __global__ void bitonic_block(float* keys, int* values) {
  extern __shared__ float shared_keys[];
  int size = 2 * blockDim.x, base = blockIdx.x * size;
  int* shared_values = reinterpret_cast<int*>(shared_keys + size);
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    shared_keys[i] = keys[base + i];
    shared_values[i] = values[base + i];
  }
  for (int run = 2; run <= size; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      __syncthreads();
      int low = 2 * threadIdx.x - (threadIdx.x & (distance - 1)), high = low + distance;
      bool ascending = (low & run) == 0;
      if ((shared_keys[low] > shared_keys[high]) == ascending) {
        float k = shared_keys[low];
        shared_keys[low] = shared_keys[high];
        shared_keys[high] = k;
        int v = shared_values[low];
        shared_values[low] = shared_values[high];
        shared_values[high] = v;
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    keys[base + i] = shared_keys[i];
    values[base + i] = shared_values[i];
  }
}
