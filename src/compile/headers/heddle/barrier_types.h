// cuda::barrier and cuda::memcpy_async.
#pragma once
#pragma clang system_header

#include "atomic_types.h"
#include "cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"
#include "hide_macros.h"

namespace cuda {

// A size in bytes, of which the alignment is known: the addresses have it too.
template <__SIZE_TYPE__ Alignment>
struct aligned_size_t {
  static constexpr __SIZE_TYPE__ align = Alignment;
  __SIZE_TYPE__ value;
  explicit constexpr __HEDDLE_HD__ aligned_size_t(__SIZE_TYPE__ size) : value(size) {}
  constexpr __HEDDLE_HD__ operator __SIZE_TYPE__() const { return value; }
};

namespace __details {
struct no_completion {
  __HEDDLE_HD__ void operator()() const {}
};
template <typename A, typename B>
inline constexpr bool same = false;
template <typename A>
inline constexpr bool same<A, A> = true;
}  // namespace __details

// Of blocks, in shared memory, the hardware's barriers are used from sm_80 on (mbarrier). All others are a word: 16 bits
// of a phase's number, 24 of arrivals that a phase expects, 24 that are pending.
template <thread_scope S, typename Completion = __details::no_completion>
class alignas(8) barrier {
  static constexpr bool may_be_native = S == thread_scope_block && __details::same<Completion, __details::no_completion>;
  static constexpr unsigned long long field = 0xffffffull;
  using does = __details::operations<unsigned long long, S>;

 public:
  class arrival_token {
   public:
    arrival_token() = default;

   private:
    friend class barrier;
    explicit __HEDDLE_HD__ arrival_token(unsigned long long state) : state_(state) {}
    unsigned long long state_;
  };

  barrier() = default;
  __HEDDLE_HD__ explicit barrier(__PTRDIFF_TYPE__ expected, Completion completion = Completion()) : done_(completion) {
    set_up(expected);
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  static constexpr __HEDDLE_HD__ __PTRDIFF_TYPE__ max() { return may_be_native ? (1 << 20) - 1 : (1 << 24) - 1; }

  [[nodiscard]] __HEDDLE_HD__ arrival_token arrive(__PTRDIFF_TYPE__ update = 1) {
#if __CUDA_ARCH__ >= 800
    if (is_native()) {
      unsigned long long state = 0;
      __asm__ volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared()) : "memory");
      for (__PTRDIFF_TYPE__ i = 1; i < update; ++i)
        __asm__ volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared()) : "memory");
      return arrival_token(state);
    }
#endif
    return arrival_token(count(static_cast<unsigned long long>(update), 0));
  }
  __HEDDLE_HD__ void arrive_and_drop() {
#if __CUDA_ARCH__ >= 800
    if (is_native()) {
      unsigned long long state = 0;
      __asm__ volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared()) : "memory");
      return;
    }
#endif
    count(1, 1);
  }
  // Whether the phase of the arrival is over.
  [[nodiscard]] __HEDDLE_HD__ bool try_wait(const arrival_token& token) const {
#if __CUDA_ARCH__ >= 800
    if (is_native()) {
      unsigned int over = 0;
      __asm__ volatile(
          "{\n\t.reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\tselp.b32 %0, 1, 0, p;\n\t}"
          : "=r"(over)
          : "r"(shared()), "l"(token.state_)
          : "memory");
      return over != 0;
    }
#endif
    return does::load(&word_, memory_order_acquire) >> 48 != token.state_ >> 48;
  }
  // Whether the latest phase of that parity is over; the first has parity 0.
  [[nodiscard]] __HEDDLE_HD__ bool try_wait_parity(bool parity) const {
#if __CUDA_ARCH__ >= 800
    if (is_native()) {
      unsigned int over = 0;
      __asm__ volatile(
          "{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.b32 %0, 1, 0, p;\n\t}"
          : "=r"(over)
          : "r"(shared()), "r"(static_cast<unsigned int>(parity))
          : "memory");
      return over != 0;
    }
#endif
    return ((does::load(&word_, memory_order_acquire) >> 48 & 1) != 0) != parity;
  }
  __HEDDLE_HD__ void wait(arrival_token&& token) const {
    while (!try_wait(token)) {
    }
  }
  __HEDDLE_HD__ void wait_parity(bool parity) const {
    while (!try_wait_parity(parity)) {
    }
  }
  __HEDDLE_HD__ void arrive_and_wait() { wait(arrive()); }

  // For what is not here: whether the hardware does it, and where.
  __HEDDLE_HD__ bool is_native() const {
#if __CUDA_ARCH__ >= 800
    return may_be_native && __isShared(&word_);
#else
    return false;
#endif
  }
  __HEDDLE_HD__ unsigned long long* native_handle() { return &word_; }

  friend __HEDDLE_HD__ void init(barrier* made, __PTRDIFF_TYPE__ expected) { made->set_up(expected); }
  friend __HEDDLE_HD__ void init(barrier* made, __PTRDIFF_TYPE__ expected, Completion completion) {
    made->done_ = completion;
    made->set_up(expected);
  }

 private:
  __HEDDLE_HD__ void set_up(__PTRDIFF_TYPE__ expected) {
    const auto count = static_cast<unsigned long long>(expected);
#if __CUDA_ARCH__ >= 800
    if (is_native()) {
      __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared()), "r"(static_cast<unsigned int>(count))
                       : "memory");
      return;
    }
#endif
    does::store(&word_, count << 24 | count, memory_order_release);
  }
  // Takes so many off the pending ones and, for good, off the expected ones. Returns the word of the phase.
  __HEDDLE_HD__ unsigned long long count(unsigned long long arrivals, unsigned long long dropped) {
    unsigned long long old = does::load(&word_, memory_order_relaxed);
    for (;;) {
      const unsigned long long fewer = old - (dropped << 24) - arrivals;
      if ((fewer & field) != 0) {
        if (does::compare_exchange(&word_, old, fewer, memory_order_acq_rel, memory_order_relaxed)) return old;
        continue;
      }
      // The last one: first the completion, then the next phase.
      if constexpr (!__details::same<Completion, __details::no_completion>) {
        __details::fence<S>();
        done_();
      }
      const unsigned long long expected = fewer >> 24 & field;
      const unsigned long long next = ((old >> 48) + 1) << 48 | expected << 24 | expected;
      if (does::compare_exchange(&word_, old, next, memory_order_acq_rel, memory_order_relaxed)) return old;
    }
  }
  __HEDDLE_HD__ unsigned int shared() const {
#if defined(__CUDA_ARCH__)
    return static_cast<unsigned int>(__cvta_generic_to_shared(&word_));
#else
    return 0;
#endif
  }

  unsigned long long word_;
  [[no_unique_address]] Completion done_;
};

namespace std {
template <typename Completion = ::cuda::__details::no_completion>
using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}  // namespace std

namespace device {
__HEDDLE_HD__ unsigned long long* barrier_native_handle(barrier<thread_scope_block>& of) { return of.native_handle(); }
}  // namespace device

namespace __details {

// A thread's part of a copy that `threads` threads make.
__HEDDLE_D__ bool copy_part(char* to, const char* from, __SIZE_TYPE__ size, __SIZE_TYPE__ rank, __SIZE_TYPE__ threads) {
  bool asynchronous = false;
#if __CUDA_ARCH__ >= 800
  const __SIZE_TYPE__ together = reinterpret_cast<__SIZE_TYPE__>(to) | reinterpret_cast<__SIZE_TYPE__>(from) | size;
  const __SIZE_TYPE__ step = together % 16 == 0 ? 16 : together % 8 == 0 ? 8 : together % 4 == 0 ? 4 : 0;
  if (step != 0 && __isShared(to) && __isGlobal(from)) {
    asynchronous = true;
    for (__SIZE_TYPE__ i = rank * step; i < size; i += threads * step) __pipeline_memcpy_async(to + i, from + i, step);
  }
#endif
  if (!asynchronous)
    for (__SIZE_TYPE__ i = rank; i < size; i += threads) to[i] = from[i];
  return asynchronous;
}

template <thread_scope S, typename Completion>
__HEDDLE_D__ void copy_for(barrier<S, Completion>& behind, void* to, const void* from, __SIZE_TYPE__ size,
                            __SIZE_TYPE__ rank, __SIZE_TYPE__ threads) {
  const bool asynchronous = copy_part(static_cast<char*>(to), static_cast<const char*>(from), size, rank, threads);
#if __CUDA_ARCH__ >= 800
  if (!asynchronous) return;
  if (behind.is_native()) {
    // The phase does not end before the copies have.
    __asm__ volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(
                         static_cast<unsigned int>(__cvta_generic_to_shared(behind.native_handle())))
                     : "memory");
  } else {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
#endif
}

}  // namespace __details

// The copy is done when the phase is over in which its threads arrive next.
template <typename Shape, thread_scope S, typename Completion>
__HEDDLE_D__ void memcpy_async(void* to, const void* from, Shape size, barrier<S, Completion>& behind) {
  __details::copy_for(behind, to, from, size, 0, 1);
}
template <typename Group, typename Shape, thread_scope S, typename Completion>
__HEDDLE_D__ void memcpy_async(const Group& group, void* to, const void* from, Shape size,
                                barrier<S, Completion>& behind) {
  __details::copy_for(behind, to, from, size, group.thread_rank(), group.size());
}

}  // namespace cuda
#include "show_macros.h"
