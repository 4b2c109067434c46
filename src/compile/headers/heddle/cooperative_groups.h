// Cooperative groups: blocks, grids, tiles of a warp and groups of active lanes; reductions and scans over them.
#pragma once
#pragma clang system_header

#include "grid_barrier.h"

namespace cooperative_groups {

#define __HEDDLE_CG__ inline __attribute__((always_inline, nodebug, device))

namespace __details {

__HEDDLE_CG__ unsigned int block_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__HEDDLE_CG__ unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }

// Any trivially copyable value, shuffled as words of 32 bits.
template <typename T, typename Shuffle>
__HEDDLE_CG__ T by_words(const T& value, Shuffle shuffle) {
  static_assert(__is_trivially_copyable(T), "only trivially copyable values can be shuffled");
  constexpr unsigned int words = (sizeof(T) + 3) / 4;
  unsigned int buffer[words] = {};
  __builtin_memcpy(buffer, &value, sizeof(T));
  for (unsigned int i = 0; i < words; ++i) buffer[i] = shuffle(buffer[i]);
  T result;
  __builtin_memcpy(&result, buffer, sizeof(T));
  return result;
}

// The lane of the member with this rank: the (rank + 1)th set bit.
__HEDDLE_CG__ unsigned int lane_of_rank(unsigned int mask, unsigned int rank) {
  if (mask == 0xffffffffu) return rank & 31;
  for (unsigned int i = 0; i < rank; ++i) mask &= mask - 1;
  return mask ? static_cast<unsigned int>(__builtin_ctz(mask)) : 31;
}
// The bits of `bits` at the set bits of `mask`, side by side.
__HEDDLE_CG__ unsigned int packed(unsigned int bits, unsigned int mask) {
  if (mask == 0xffffffffu) return bits;
  unsigned int result = 0;
  for (unsigned int i = 0; mask; ++i, mask &= mask - 1) result |= ((bits >> __builtin_ctz(mask)) & 1u) << i;
  return result;
}

}  // namespace __details

class thread_block {
 public:
  __HEDDLE_CG__ static void sync() { __syncthreads(); }
  __HEDDLE_CG__ static unsigned int thread_rank() { return __details::block_rank(); }
  __HEDDLE_CG__ static unsigned int size() { return __details::block_size(); }
  __HEDDLE_CG__ static unsigned int num_threads() { return size(); }
  __HEDDLE_CG__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __HEDDLE_CG__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __HEDDLE_CG__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __HEDDLE_CG__ static dim3 dim_threads() { return group_dim(); }
  // Arrival promises nothing but what the wait then does for all.
  struct arrival_token {};
  __HEDDLE_CG__ static arrival_token barrier_arrive() { return {}; }
  __HEDDLE_CG__ static void barrier_wait(arrival_token&&) { __syncthreads(); }
};
__HEDDLE_CG__ thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  __HEDDLE_CG__ static bool is_valid() { return true; }
  __HEDDLE_CG__ static void sync() { __heddle_grid_sync(); }
  __HEDDLE_CG__ static unsigned long long size() { return num_blocks() * __details::block_size(); }
  __HEDDLE_CG__ static unsigned long long num_threads() { return size(); }
  __HEDDLE_CG__ static unsigned long long thread_rank() {
    return block_rank() * __details::block_size() + __details::block_rank();
  }
  __HEDDLE_CG__ static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) * (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  __HEDDLE_CG__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __HEDDLE_CG__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __HEDDLE_CG__ static dim3 dim_blocks() { return group_dim(); }
  __HEDDLE_CG__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__HEDDLE_CG__ grid_group this_grid() { return {}; }

// Lanes of one warp that came together: what coalesced_threads() finds, and what partitions of it are.
class coalesced_group {
 public:
  __HEDDLE_CG__ explicit coalesced_group(unsigned int mask) : mask_(mask) {}
  __HEDDLE_CG__ void sync() const { __syncwarp(mask_); }
  __HEDDLE_CG__ unsigned int size() const { return __builtin_popcount(mask_); }
  __HEDDLE_CG__ unsigned int num_threads() const { return size(); }
  __HEDDLE_CG__ unsigned int thread_rank() const {
    return __builtin_popcount(mask_ & __nvvm_read_ptx_sreg_lanemask_lt());
  }
  __HEDDLE_CG__ unsigned int meta_group_size() const { return meta_size_; }
  __HEDDLE_CG__ unsigned int meta_group_rank() const { return meta_rank_; }
  __HEDDLE_CG__ unsigned int __mask() const { return mask_; }
  __HEDDLE_CG__ void __set_meta(unsigned int rank, unsigned int size) {
    meta_rank_ = rank;
    meta_size_ = size;
  }

  template <typename T>
  __HEDDLE_CG__ T shfl(T v, int rank) const {
    const int lane = __details::lane_of_rank(mask_, rank);
    return __details::by_words(v, [&](unsigned int w) { return __shfl_sync(mask_, w, lane); });
  }
  template <typename T>
  __HEDDLE_CG__ T shfl_up(T v, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(v, static_cast<int>(rank >= delta ? rank - delta : rank));
  }
  template <typename T>
  __HEDDLE_CG__ T shfl_down(T v, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(v, static_cast<int>(rank + delta < size() ? rank + delta : rank));
  }
  __HEDDLE_CG__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __HEDDLE_CG__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __HEDDLE_CG__ unsigned int ballot(int predicate) const {
    return __details::packed(__ballot_sync(mask_, predicate) & mask_, mask_);
  }
  template <typename T>
  __HEDDLE_CG__ unsigned int match_any(T v) const {
    return __details::packed(__match_any_sync(mask_, v), mask_);
  }
  template <typename T>
  __HEDDLE_CG__ unsigned int match_all(T v, int& predicate) const {
    return __details::packed(__match_all_sync(mask_, v, &predicate), mask_);
  }

 private:
  unsigned int mask_;
  unsigned int meta_rank_ = 0, meta_size_ = 1;
};
__HEDDLE_CG__ coalesced_group coalesced_threads() { return coalesced_group(__nvvm_activemask()); }

template <unsigned int Size, typename Parent = void>
class thread_block_tile;
namespace __details {
// Threads of a tile that is cut into smaller ones; 0 where the block is.
template <typename Parent>
struct tile_size {
  static constexpr unsigned int value = 0;
};
template <unsigned int Size, typename Parent>
struct tile_size<thread_block_tile<Size, Parent>> {
  static constexpr unsigned int value = Size;
};
}  // namespace __details

// Size neighbouring threads of a warp.
template <unsigned int Size, typename Parent>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "Heddle supports tiles of 1, 2, 4, 8, 16 and 32 threads: larger ones span warps");

 public:
  thread_block_tile() = default;
  template <typename Other>
  __HEDDLE_CG__ thread_block_tile(const thread_block_tile<Size, Other>&) {}
  __HEDDLE_CG__ void sync() const { __syncwarp(__mask()); }
  __HEDDLE_CG__ static constexpr unsigned int size() { return Size; }
  __HEDDLE_CG__ static constexpr unsigned int num_threads() { return Size; }
  __HEDDLE_CG__ static unsigned int thread_rank() { return __nvvm_read_ptx_sreg_laneid() & (Size - 1); }
  __HEDDLE_CG__ static unsigned int meta_group_size() {
    if constexpr (__details::tile_size<Parent>::value != 0) return __details::tile_size<Parent>::value / Size;
    return (__details::block_size() + Size - 1) / Size;
  }
  __HEDDLE_CG__ static unsigned int meta_group_rank() {
    constexpr unsigned int parent = __details::tile_size<Parent>::value;
    if constexpr (parent != 0) return (__nvvm_read_ptx_sreg_laneid() & (parent - 1)) / Size;
    return __details::block_rank() / Size;
  }
  __HEDDLE_CG__ static unsigned int __mask() {
    if constexpr (Size == 32) {
      return 0xffffffffu;
    } else {
      return ((1u << Size) - 1u) << (__nvvm_read_ptx_sreg_laneid() & ~(Size - 1));
    }
  }

  template <typename T>
  __HEDDLE_CG__ T shfl(T v, int rank) const {
    return __details::by_words(v, [&](unsigned int w) { return __shfl_sync(__mask(), w, rank, Size); });
  }
  template <typename T>
  __HEDDLE_CG__ T shfl_up(T v, unsigned int delta) const {
    return __details::by_words(v, [&](unsigned int w) { return __shfl_up_sync(__mask(), w, static_cast<int>(delta), Size); });
  }
  template <typename T>
  __HEDDLE_CG__ T shfl_down(T v, unsigned int delta) const {
    return __details::by_words(v, [&](unsigned int w) { return __shfl_down_sync(__mask(), w, static_cast<int>(delta), Size); });
  }
  template <typename T>
  __HEDDLE_CG__ T shfl_xor(T v, unsigned int lanes) const {
    return __details::by_words(v, [&](unsigned int w) { return __shfl_xor_sync(__mask(), w, static_cast<int>(lanes), Size); });
  }
  __HEDDLE_CG__ int any(int predicate) const { return (__ballot_sync(__mask(), predicate) & __mask()) != 0; }
  __HEDDLE_CG__ int all(int predicate) const { return (__ballot_sync(__mask(), predicate) & __mask()) == __mask(); }
  __HEDDLE_CG__ unsigned int ballot(int predicate) const { return shifted(__ballot_sync(__mask(), predicate)); }
  template <typename T>
  __HEDDLE_CG__ unsigned int match_any(T v) const {
    return shifted(__match_any_sync(__mask(), v));
  }
  template <typename T>
  __HEDDLE_CG__ unsigned int match_all(T v, int& predicate) const {
    return shifted(__match_all_sync(__mask(), v, &predicate));
  }
  __HEDDLE_CG__ operator coalesced_group() const {
    coalesced_group group(__mask());
    group.__set_meta(meta_group_rank(), meta_group_size());
    return group;
  }

 private:
  __HEDDLE_CG__ static unsigned int shifted(unsigned int bits) {
    return (bits & __mask()) >> (__nvvm_read_ptx_sreg_laneid() & ~(Size - 1));
  }
};

// Any group, as older programs pass it around.
class thread_group {
 public:
  __HEDDLE_CG__ thread_group(const thread_block&) : whole_(true), mask_(0) {}
  __HEDDLE_CG__ thread_group(const coalesced_group& g) : whole_(false), mask_(g.__mask()) {}
  template <unsigned int Size, typename Parent>
  __HEDDLE_CG__ thread_group(const thread_block_tile<Size, Parent>& g) : whole_(false), mask_(g.__mask()) {}
  __HEDDLE_CG__ void sync() const {
    if (whole_) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }
  __HEDDLE_CG__ unsigned int size() const { return whole_ ? __details::block_size() : __builtin_popcount(mask_); }
  __HEDDLE_CG__ unsigned int num_threads() const { return size(); }
  __HEDDLE_CG__ unsigned int thread_rank() const {
    return whole_ ? __details::block_rank() : __builtin_popcount(mask_ & __nvvm_read_ptx_sreg_lanemask_lt());
  }

 private:
  bool whole_;
  unsigned int mask_;
};

template <unsigned int Size, typename Parent>
__HEDDLE_CG__ thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
// Tiles of a size known at run time only.
__HEDDLE_CG__ coalesced_group __heddle_tile(unsigned int size) {
  const unsigned int lane = __nvvm_read_ptx_sreg_laneid();
  const unsigned int ones = size >= 32 ? 0xffffffffu : (1u << size) - 1u;
  coalesced_group group(ones << (lane & ~(size - 1) & 31));
  group.__set_meta(__details::block_rank() / size, (__details::block_size() + size - 1) / size);
  return group;
}
__HEDDLE_CG__ thread_group tiled_partition(const thread_group&, unsigned int size) { return __heddle_tile(size); }
__HEDDLE_CG__ thread_group tiled_partition(const thread_block&, unsigned int size) { return __heddle_tile(size); }
template <unsigned int Size, typename Parent>
__HEDDLE_CG__ thread_group tiled_partition(const thread_block_tile<Size, Parent>&, unsigned int size) {
  return __heddle_tile(size);
}
// Members with equal rank / size.
__HEDDLE_CG__ coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  const unsigned int mine = parent.thread_rank() / size;
  unsigned int mask = 0, rest = parent.__mask();
  for (unsigned int rank = 0; rest; ++rank, rest &= rest - 1) {
    if (rank / size == mine) mask |= rest & (0u - rest);
  }
  coalesced_group group(mask);
  group.__set_meta(mine, (parent.size() + size - 1) / size);
  return group;
}

// Members that agree on a label; only groups within a warp can be divided so.
template <typename Group, typename Label>
__HEDDLE_CG__ coalesced_group labeled_partition(const Group& parent, Label label) {
  const unsigned int all = parent.__mask(), mask = __match_any_sync(all, label) & all;
  // The groups are numbered by their first lanes.
  const unsigned int leaders = __ballot_sync(all, (mask & __nvvm_read_ptx_sreg_lanemask_lt()) == 0) & all;
  coalesced_group group(mask);
  group.__set_meta(__builtin_popcount(leaders & ((mask & (0u - mask)) - 1u)), __builtin_popcount(leaders));
  return group;
}
template <typename Group>
__HEDDLE_CG__ coalesced_group binary_partition(const Group& parent, bool predicate) {
  const unsigned int all = parent.__mask(), yes = __ballot_sync(all, predicate) & all;
  coalesced_group group(predicate ? yes : all & ~yes);
  group.__set_meta(predicate && yes != all ? 1 : 0, yes == 0 || yes == all ? 1 : 2);
  return group;
}

template <typename Group>
__HEDDLE_CG__ void sync(const Group& group) {
  group.sync();
}
template <typename Group>
__HEDDLE_CG__ auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
__HEDDLE_CG__ auto group_size(const Group& group) {
  return group.size();
}
__HEDDLE_CG__ dim3 thread_index(const thread_block& b) { return b.thread_index(); }
__HEDDLE_CG__ dim3 group_index(const thread_block& b) { return b.group_index(); }
template <typename Group, typename F>
__HEDDLE_CG__ void invoke_one(const Group& group, F f) {
  if (group.thread_rank() == 0) f();
}

// Operations for reduce and the scans.
#define __HEDDLE_CG_OPERATION(NAME, EXPRESSION)                              \
  template <typename T = void>                                               \
  struct NAME {                                                              \
    __HEDDLE_CG__ T operator()(T a, T b) const { return EXPRESSION; }        \
  };                                                                         \
  template <>                                                                \
  struct NAME<void> {                                                        \
    template <typename T>                                                    \
    __HEDDLE_CG__ T operator()(T a, T b) const {                             \
      return EXPRESSION;                                                     \
    }                                                                        \
  };
__HEDDLE_CG_OPERATION(plus, a + b)
__HEDDLE_CG_OPERATION(less, b < a ? b : a)
__HEDDLE_CG_OPERATION(greater, a < b ? b : a)
__HEDDLE_CG_OPERATION(bit_and, a & b)
__HEDDLE_CG_OPERATION(bit_or, a | b)
__HEDDLE_CG_OPERATION(bit_xor, a ^ b)
#undef __HEDDLE_CG_OPERATION

// The same result in every member.
template <unsigned int Size, typename Parent, typename T, typename Operation>
__HEDDLE_CG__ T reduce(const thread_block_tile<Size, Parent>& group, T value, Operation operation) {
#pragma unroll
  for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2) value = operation(value, group.shfl_xor(value, lanes));
  return value;
}
template <typename T, typename Operation>
__HEDDLE_CG__ T reduce(const coalesced_group& group, T value, Operation operation) {
  const unsigned int size = group.size(), rank = group.thread_rank();
  for (unsigned int delta = 1; delta < size; delta *= 2) {
    T other = group.shfl_down(value, delta);
    if (rank % (2 * delta) == 0 && rank + delta < size) value = operation(value, other);
  }
  return group.shfl(value, 0);
}

template <typename Group, typename T, typename Operation>
__HEDDLE_CG__ T inclusive_scan(const Group& group, T value, Operation operation) {
  const unsigned int size = group.size(), rank = group.thread_rank();
  for (unsigned int delta = 1; delta < size; delta *= 2) {
    T other = group.shfl_up(value, delta);
    if (rank >= delta) value = operation(other, value);
  }
  return value;
}
template <typename Group, typename T>
__HEDDLE_CG__ T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <typename Group, typename T, typename Operation>
__HEDDLE_CG__ T exclusive_scan(const Group& group, T value, Operation operation) {
  T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <typename Group, typename T>
__HEDDLE_CG__ T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

// Copies by all members of a group; done when the call returns, so waiting only synchronises.
template <typename Group, typename T>
__HEDDLE_CG__ void memcpy_async(const Group& group, T* to, const T* from, __SIZE_TYPE__ bytes) {
  const unsigned int rank = group.thread_rank(), size = group.size();
  const __SIZE_TYPE__ words = bytes / 4;
  const bool aligned = ((reinterpret_cast<__SIZE_TYPE__>(to) | reinterpret_cast<__SIZE_TYPE__>(from)) & 3) == 0;
  if (aligned) {
    for (__SIZE_TYPE__ i = rank; i < words; i += size) {
      reinterpret_cast<unsigned int*>(to)[i] = reinterpret_cast<const unsigned int*>(from)[i];
    }
  }
  for (__SIZE_TYPE__ i = (aligned ? words * 4 : 0) + rank; i < bytes; i += size) {
    reinterpret_cast<char*>(to)[i] = reinterpret_cast<const char*>(from)[i];
  }
}
template <typename Group, typename T, typename U>
__HEDDLE_CG__ void memcpy_async(const Group& group, T* to, __SIZE_TYPE__ to_count, const U* from, __SIZE_TYPE__ from_count) {
  memcpy_async(group, reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from),
               (to_count < from_count ? to_count : from_count) * sizeof(T));
}
template <typename Group>
__HEDDLE_CG__ void wait(const Group& group) {
  group.sync();
}
template <unsigned int Stages, typename Group>
__HEDDLE_CG__ void wait_prior(const Group& group) {
  group.sync();
}

#undef __HEDDLE_CG__

}  // namespace cooperative_groups
