// Breadth-first search: by levels over all vertices, and with a queue of the frontier.
extern "C" __global__ void bfs_level(int vertices, int level, const int* offsets, const int* neighbours, int* distance,
                                     int* changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || distance[v] != level) return;
  for (int i = offsets[v]; i < offsets[v + 1]; ++i) {
    int u = neighbours[i];
    if (distance[u] < 0) {
      distance[u] = level + 1;
      *changed = 1;
    }
  }
}

extern "C" __global__ void bfs_queue(int size, int level, const int* frontier, const int* offsets, const int* neighbours,
                                     int* distance, int* next, int* next_size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  int v = frontier[i];
  for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
    int u = neighbours[e];
    if (atomicCAS(&distance[u], -1, level + 1) == -1) next[atomicAdd(next_size, 1)] = u;
  }
}
