// Operations among the lanes of a warp: shuffles, votes, matches, reductions.
#pragma once
#pragma clang system_header

// 32 bits through the machine; other types as one or two words of 32 bits.
__HEDDLE_DEVICE__ int __heddle_shuffle_idx(unsigned int mask, int v, int lane, int c) {
  return __nvvm_shfl_sync_idx_i32(mask, v, lane, c);
}
__HEDDLE_DEVICE__ int __heddle_shuffle_up(unsigned int mask, int v, int delta, int c) {
  return __nvvm_shfl_sync_up_i32(mask, v, delta, c);
}
__HEDDLE_DEVICE__ int __heddle_shuffle_down(unsigned int mask, int v, int delta, int c) {
  return __nvvm_shfl_sync_down_i32(mask, v, delta, c);
}
__HEDDLE_DEVICE__ int __heddle_shuffle_bfly(unsigned int mask, int v, int lanes, int c) {
  return __nvvm_shfl_sync_bfly_i32(mask, v, lanes, c);
}

// The instruction's last operand: the segment's width as a mask, and for `up` the lowest lane instead of the highest.
__HEDDLE_DEVICE__ int __heddle_shuffle_bounds(int width, int last) { return ((32 - width) << 8) | last; }

#define __HEDDLE_SHUFFLE_32(NAME, KIND, LAST, T)                                                                 \
  __HEDDLE_DEVICE__ T NAME##_sync(unsigned int mask, T v, int lane, int width = 32) {                            \
    return __builtin_bit_cast(T, __heddle_shuffle_##KIND(mask, __builtin_bit_cast(int, v), lane,                 \
                                                         __heddle_shuffle_bounds(width, LAST)));                 \
  }
#define __HEDDLE_SHUFFLE_64(NAME, KIND, LAST, T)                                                                 \
  __HEDDLE_DEVICE__ T NAME##_sync(unsigned int mask, T v, int lane, int width = 32) {                            \
    int c = __heddle_shuffle_bounds(width, LAST);                                                                \
    unsigned long long b = __builtin_bit_cast(unsigned long long, v);                                            \
    unsigned int low = __heddle_shuffle_##KIND(mask, static_cast<int>(b), lane, c);                              \
    unsigned int high = __heddle_shuffle_##KIND(mask, static_cast<int>(b >> 32), lane, c);                       \
    return __builtin_bit_cast(T, (static_cast<unsigned long long>(high) << 32) | low);                           \
  }
// The forms before Volta: among all lanes of the warp that are active.
#define __HEDDLE_SHUFFLE_OLD(NAME, T)                                       \
  __HEDDLE_DEVICE__ T NAME(T v, int lane, int width = 32) {                 \
    return NAME##_sync(__nvvm_activemask(), v, lane, width);                \
  }
#define __HEDDLE_SHUFFLE_1(NAME, KIND, LAST, WORDS, T) \
  __HEDDLE_SHUFFLE_##WORDS(NAME, KIND, LAST, T) __HEDDLE_SHUFFLE_OLD(NAME, T)
#define __HEDDLE_SHUFFLE(NAME, KIND, LAST)                        \
  __HEDDLE_SHUFFLE_1(NAME, KIND, LAST, 32, int)                   \
  __HEDDLE_SHUFFLE_1(NAME, KIND, LAST, 32, unsigned int)          \
  __HEDDLE_SHUFFLE_1(NAME, KIND, LAST, 64, long)                  \
  __HEDDLE_SHUFFLE_1(NAME, KIND, LAST, 64, unsigned long)         \
  __HEDDLE_SHUFFLE_1(NAME, KIND, LAST, 64, long long)             \
  __HEDDLE_SHUFFLE_1(NAME, KIND, LAST, 64, unsigned long long)    \
  __HEDDLE_SHUFFLE_1(NAME, KIND, LAST, 32, float)                 \
  __HEDDLE_SHUFFLE_1(NAME, KIND, LAST, 64, double)
__HEDDLE_SHUFFLE(__shfl, idx, 0x1f)
__HEDDLE_SHUFFLE(__shfl_up, up, 0)
__HEDDLE_SHUFFLE(__shfl_down, down, 0x1f)
__HEDDLE_SHUFFLE(__shfl_xor, bfly, 0x1f)
#undef __HEDDLE_SHUFFLE
#undef __HEDDLE_SHUFFLE_1
#undef __HEDDLE_SHUFFLE_32
#undef __HEDDLE_SHUFFLE_64
#undef __HEDDLE_SHUFFLE_OLD

__HEDDLE_DEVICE__ unsigned int __activemask() { return __nvvm_activemask(); }
__HEDDLE_DEVICE__ int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
__HEDDLE_DEVICE__ int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
__HEDDLE_DEVICE__ int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
__HEDDLE_DEVICE__ unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
__HEDDLE_DEVICE__ int __all(int predicate) { return __all_sync(__nvvm_activemask(), predicate); }
__HEDDLE_DEVICE__ int __any(int predicate) { return __any_sync(__nvvm_activemask(), predicate); }
__HEDDLE_DEVICE__ unsigned int __ballot(int predicate) { return __ballot_sync(__nvvm_activemask(), predicate); }

#define __HEDDLE_MATCH(T, BITS, WORD)                                                        \
  __HEDDLE_DEVICE__ unsigned int __match_any_sync(unsigned int mask, T v) {                  \
    return __nvvm_match_any_sync_i##BITS(mask, __builtin_bit_cast(WORD, v));                 \
  }                                                                                          \
  __HEDDLE_DEVICE__ unsigned int __match_all_sync(unsigned int mask, T v, int* predicate) {  \
    return __nvvm_match_all_sync_i##BITS##p(mask, __builtin_bit_cast(WORD, v), predicate);   \
  }
__HEDDLE_MATCH(int, 32, int)
__HEDDLE_MATCH(unsigned int, 32, int)
__HEDDLE_MATCH(long, 64, long long)
__HEDDLE_MATCH(unsigned long, 64, long long)
__HEDDLE_MATCH(long long, 64, long long)
__HEDDLE_MATCH(unsigned long long, 64, long long)
__HEDDLE_MATCH(float, 32, int)
__HEDDLE_MATCH(double, 64, long long)
#undef __HEDDLE_MATCH

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800  // the host's side reads kernels too
__HEDDLE_DEVICE__ unsigned int __reduce_add_sync(unsigned int mask, unsigned int v) {
  return __nvvm_redux_sync_add(static_cast<int>(v), mask);
}
__HEDDLE_DEVICE__ int __reduce_add_sync(unsigned int mask, int v) { return __nvvm_redux_sync_add(v, mask); }
__HEDDLE_DEVICE__ unsigned int __reduce_min_sync(unsigned int mask, unsigned int v) {
  return __nvvm_redux_sync_umin(v, mask);
}
__HEDDLE_DEVICE__ int __reduce_min_sync(unsigned int mask, int v) { return __nvvm_redux_sync_min(v, mask); }
__HEDDLE_DEVICE__ unsigned int __reduce_max_sync(unsigned int mask, unsigned int v) {
  return __nvvm_redux_sync_umax(v, mask);
}
__HEDDLE_DEVICE__ int __reduce_max_sync(unsigned int mask, int v) { return __nvvm_redux_sync_max(v, mask); }
__HEDDLE_DEVICE__ unsigned int __reduce_and_sync(unsigned int mask, unsigned int v) {
  return __nvvm_redux_sync_and(static_cast<int>(v), mask);
}
__HEDDLE_DEVICE__ unsigned int __reduce_or_sync(unsigned int mask, unsigned int v) {
  return __nvvm_redux_sync_or(static_cast<int>(v), mask);
}
__HEDDLE_DEVICE__ unsigned int __reduce_xor_sync(unsigned int mask, unsigned int v) {
  return __nvvm_redux_sync_xor(static_cast<int>(v), mask);
}
#endif

__HEDDLE_DEVICE__ unsigned int __lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
__HEDDLE_DEVICE__ unsigned int __lanemask_eq() { return __nvvm_read_ptx_sreg_lanemask_eq(); }
__HEDDLE_DEVICE__ unsigned int __lanemask_lt() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
__HEDDLE_DEVICE__ unsigned int __lanemask_le() { return __nvvm_read_ptx_sreg_lanemask_le(); }
__HEDDLE_DEVICE__ unsigned int __lanemask_gt() { return __nvvm_read_ptx_sreg_lanemask_gt(); }
__HEDDLE_DEVICE__ unsigned int __lanemask_ge() { return __nvvm_read_ptx_sreg_lanemask_ge(); }
