// A hash table with open addressing: concurrent insertion by compare and swap, lookup, and removal marks.
constexpr unsigned int empty = 0xffffffffu;

__device__ unsigned int mixed(unsigned int k) {
  k ^= k >> 16;
  k *= 0x85ebca6bu;
  k ^= k >> 13;
  k *= 0xc2b2ae35u;
  return k ^ (k >> 16);
}

extern "C" __global__ void hash_insert(int n, unsigned int capacity, const uint2* items, unsigned long long* table,
                                       int* lost) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long item = (static_cast<unsigned long long>(items[i].x) << 32) | items[i].y;
  unsigned int slot = mixed(items[i].x) & (capacity - 1);
  for (unsigned int probe = 0; probe < capacity; ++probe) {
    unsigned long long old = atomicCAS(&table[slot], ~0ull, item);
    if (old == ~0ull) return;
    if (old >> 32 == items[i].x) {
      atomicMax(&table[slot], item);
      return;
    }
    slot = (slot + 1) & (capacity - 1);
  }
  atomicAdd(lost, 1);
}

extern "C" __global__ void hash_lookup(int n, unsigned int capacity, const unsigned int* keys,
                                       const unsigned long long* table, unsigned int* values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int slot = mixed(keys[i]) & (capacity - 1);
  values[i] = empty;
  for (unsigned int probe = 0; probe < capacity; ++probe) {
    unsigned long long item = table[slot];
    if (item == ~0ull) return;
    if (item >> 32 == keys[i]) {
      values[i] = static_cast<unsigned int>(item);
      return;
    }
    slot = (slot + 1) & (capacity - 1);
  }
}
