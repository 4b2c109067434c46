// Attention of one head with an online softmax: a warp a query, keys and values in tiles of shared memory.
// Dimension 32, so that a lane keeps one component.
extern "C" __global__ void attention(int queries, int keys, float scale, const float* q, const float* k, const float* v,
                                     float* out) {
  constexpr int dimension = 32, tile = 32;
  __shared__ float key_tile[tile][dimension + 1], value_tile[tile][dimension + 1];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  int row = blockIdx.x * warps + warp;
  float component = row < queries ? q[row * dimension + lane] * scale : 0.0f;
  float most = -INFINITY, sum = 0.0f, result = 0.0f;
  for (int start = 0; start < keys; start += tile) {
    __syncthreads();
    for (int i = warp; i < tile; i += warps) {
      bool inside = start + i < keys;
      key_tile[i][lane] = inside ? k[(start + i) * dimension + lane] : 0.0f;
      value_tile[i][lane] = inside ? v[(start + i) * dimension + lane] : 0.0f;
    }
    __syncthreads();
    // Lane j scores key j of the tile.
    float score = 0.0f;
    for (int d = 0; d < dimension; ++d) score += __shfl_sync(0xffffffffu, component, d) * key_tile[lane][d];
    if (start + lane >= keys) score = -INFINITY;
    float tile_most = score;
    for (int d = 16; d > 0; d /= 2) tile_most = fmaxf(tile_most, __shfl_xor_sync(0xffffffffu, tile_most, d));
    float next = fmaxf(most, tile_most), rescale = expf(most - next), weight = expf(score - next), total = weight;
    for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(0xffffffffu, total, d);
    sum = sum * rescale + total;
    result *= rescale;
    for (int j = 0; j < tile; ++j) result += __shfl_sync(0xffffffffu, weight, j) * value_tile[j][lane];
    most = next;
  }
  if (row < queries) out[row * dimension + lane] = result / sum;
}
