// k-means in any dimension: assignment of points, and sums for the new centres.
extern "C" __global__ void kmeans_assign(int points, int clusters, int dimensions, const float* data, const float* centres,
                                         int* membership, int* changed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  int best = -1;
  float least = 3.4e38f;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0;
    for (int d = 0; d < dimensions; ++d) {
      float t = data[d * points + i] - centres[c * dimensions + d];
      distance += t * t;
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  if (membership[i] != best) {
    membership[i] = best;
    atomicAdd(changed, 1);
  }
}

extern "C" __global__ void kmeans_sum(int points, int dimensions, const float* data, const int* membership, float* sums,
                                      int* counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  int c = membership[i];
  atomicAdd(&counts[c], 1);
  for (int d = 0; d < dimensions; ++d) atomicAdd(&sums[c * dimensions + d], data[d * points + i]);
}
