// Alignment of sequences: a tile of the table a block, along its anti-diagonals; tiles of one anti-diagonal a launch.
extern "C" __global__ void align_tile(int n, int penalty, int diagonal, const int* similarity, int* score) {
  constexpr int tile = 16;
  __shared__ int local[tile + 1][tile + 1];
  int bx = blockIdx.x, by = diagonal - bx, t = threadIdx.x;
  int tiles = (n - 1) / tile;
  if (by < 0 || by >= tiles || bx >= tiles) return;
  int x0 = bx * tile, y0 = by * tile;
  local[0][t + 1] = score[y0 * n + x0 + t + 1];
  local[t + 1][0] = score[(y0 + t + 1) * n + x0];
  if (t == 0) local[0][0] = score[y0 * n + x0];
  __syncthreads();
  for (int d = 0; d < 2 * tile - 1; ++d) {
    int x = t, y = d - t;
    if (y >= 0 && y < tile) {
      int match = local[y][x] + similarity[(y0 + y + 1) * n + x0 + x + 1];
      local[y + 1][x + 1] = max(match, max(local[y + 1][x], local[y][x + 1]) - penalty);
    }
    __syncthreads();
  }
  for (int y = 0; y < tile; ++y) score[(y0 + y + 1) * n + x0 + t + 1] = local[y + 1][t + 1];
}
