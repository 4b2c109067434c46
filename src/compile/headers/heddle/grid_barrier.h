// A barrier of all blocks of a launch in global memory, with no help of the host: the state is a variable of the module.
//
// One 64-bit word is the whole state of a barrier: who owns it (from %gridid), how many blocks have arrived, how many have
// left. It is 0 before and after every use, so launches may follow each other, and several launches of one module that run at
// the same time take turns at a word, or use different ones. A block may enter the next round only when all have left the
// last one. Waiting blocks read with acquire order and sleep in between, which lets a device give the processor to others.
#pragma once
#pragma clang system_header

static __attribute__((device)) unsigned long long __heddle_grid_barriers[16];

__HEDDLE_DEVICE__ unsigned long long __heddle_load_acquire(unsigned long long* p) {
  unsigned long long v;
  __asm__ volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}

// One thread of each block calls this. 20 bits count blocks.
static __attribute__((device, noinline, unused)) void __heddle_grid_barrier() {
  const unsigned long long blocks = static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  const unsigned long long field = (1ull << 20) - 1;
  if (blocks == 1) return;
  unsigned long long grid;
  __asm__ volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
  unsigned long long* word = &__heddle_grid_barriers[grid % 16];
  const unsigned long long owner = (grid % 0xffffff + 1) << 40;
  for (;;) {
    const unsigned long long state = __heddle_load_acquire(word);
    const bool ours = state == 0 || (state & ~((1ull << 40) - 1)) == owner;
    const bool open = (state & field) == 0 && ((state >> 20) & field) < blocks;
    if (ours && open && atomicCAS(word, state, (state | owner) + (1ull << 20)) == state) break;
    __nanosleep(20);
  }
  while (((__heddle_load_acquire(word) >> 20) & field) < blocks) __nanosleep(100);
  if ((atomicAdd(word, 1ull) & field) + 1 == blocks) atomicExch(word, 0ull);
}

// A grid of more blocks than the barrier can count traps. All threads ask for it: one that traps alone is one that other
// threads of its warp might never meet again.
__HEDDLE_DEVICE__ void __heddle_grid_sync() {
  if (static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z >> 20 != 0) __builtin_trap();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
    __threadfence();
    __heddle_grid_barrier();
    __threadfence();
  }
  __syncthreads();
}
