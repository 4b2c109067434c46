// cuda::atomic, cuda::atomic_ref and what belongs to them, for the host and for kernels.
#pragma once
#pragma clang system_header

#include "prelude.h"
#include "hide_macros.h"

#define __HEDDLE_HD__ inline __attribute__((always_inline, nodebug, host, device))
#define __HEDDLE_D__ inline __attribute__((always_inline, nodebug, device))

namespace cuda {

// Who takes part. The numbers are those of the compiler's scopes.
enum thread_scope {
  thread_scope_system = __MEMORY_SCOPE_SYSTEM,
  thread_scope_device = __MEMORY_SCOPE_DEVICE,
  thread_scope_block = __MEMORY_SCOPE_WRKGRP,
  thread_scope_thread = __MEMORY_SCOPE_SINGLE
};

namespace std {
enum memory_order {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_consume = __ATOMIC_CONSUME,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST
};
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace __details {

template <thread_scope S>
__HEDDLE_HD__ void fence() {
#if defined(__CUDA_ARCH__)
  if constexpr (S == thread_scope_system)
    __threadfence_system();
  else if constexpr (S == thread_scope_device)
    __threadfence();
  else if constexpr (S == thread_scope_block)
    __threadfence_block();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
// An operation in order is a relaxed one between fences: the compiler's own orders are not all there for kernels.
template <thread_scope S>
__HEDDLE_HD__ void before(memory_order order) {
  if (order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst) fence<S>();
}
template <thread_scope S>
__HEDDLE_HD__ void after(memory_order order) {
  if (order != memory_order_relaxed && order != memory_order_release) fence<S>();
}
constexpr __HEDDLE_HD__ memory_order without_release(memory_order order) {
  return order == memory_order_acq_rel   ? memory_order_acquire
         : order == memory_order_release ? memory_order_relaxed
                                         : order;
}

// Bits of the type's size, through which values of any type go.
template <unsigned long N>
struct bits_of_size;
template <>
struct bits_of_size<1> {
  using type = unsigned char;
};
template <>
struct bits_of_size<2> {
  using type = unsigned short;
};
template <>
struct bits_of_size<4> {
  using type = unsigned int;
};
template <>
struct bits_of_size<8> {
  using type = unsigned long long;
};

#if defined(__CUDA_ARCH__)
#define __HEDDLE_SCOPED(NAME, ...) __scoped_atomic_##NAME(__VA_ARGS__, __ATOMIC_RELAXED, S)
#else
#define __HEDDLE_SCOPED(NAME, ...) __atomic_##NAME(__VA_ARGS__, __ATOMIC_RELAXED)
#endif

template <typename T, thread_scope S>
struct operations {
  static_assert(__is_trivially_copyable(T), "only trivially copyable values can be atomic");
  using bits = typename bits_of_size<sizeof(T)>::type;
  __HEDDLE_HD__ static bits* place(const T* p) { return reinterpret_cast<bits*>(const_cast<T*>(p)); }
  __HEDDLE_HD__ static T load(const T* p, memory_order order) {
    if (order == memory_order_seq_cst) fence<S>();
    // Volatile, which changes no instruction: clang takes any other load through a __restrict__ parameter for one from
    // the read-only cache, and has no such atomic load.
    const bits value = __HEDDLE_SCOPED(load_n, const_cast<const volatile bits*>(place(p)));
    after<S>(order);
    return __builtin_bit_cast(T, value);
  }
  __HEDDLE_HD__ static void store(T* p, T value, memory_order order) {
    before<S>(order);
    __HEDDLE_SCOPED(store_n, place(p), __builtin_bit_cast(bits, value));
    if (order == memory_order_seq_cst) fence<S>();
  }
  __HEDDLE_HD__ static T exchange(T* p, T value, memory_order order) {
    before<S>(order);
    const bits old = __HEDDLE_SCOPED(exchange_n, place(p), __builtin_bit_cast(bits, value));
    after<S>(order);
    return __builtin_bit_cast(T, old);
  }
  __HEDDLE_HD__ static bool compare_exchange(T* p, T& expected, T value, memory_order success, memory_order failure) {
    before<S>(success);
    bits old = __builtin_bit_cast(bits, expected);
#if defined(__CUDA_ARCH__)
    const bool done = __scoped_atomic_compare_exchange_n(place(p), &old, __builtin_bit_cast(bits, value), false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED, S);
#else
    const bool done = __atomic_compare_exchange_n(place(p), &old, __builtin_bit_cast(bits, value), false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
    after<S>(done ? success : failure);
    if (!done) expected = __builtin_bit_cast(T, old);
    return done;
  }
#define __HEDDLE_FETCH(NAME)                                             \
  __HEDDLE_HD__ static T fetch_##NAME(T* p, T value, memory_order order) { \
    before<S>(order);                                                    \
    const T old = __HEDDLE_SCOPED(fetch_##NAME, p, value);               \
    after<S>(order);                                                     \
    return old;                                                          \
  }
  __HEDDLE_FETCH(add)
  __HEDDLE_FETCH(sub)
  __HEDDLE_FETCH(and)
  __HEDDLE_FETCH(or)
  __HEDDLE_FETCH(xor)
  __HEDDLE_FETCH(min)
  __HEDDLE_FETCH(max)
#undef __HEDDLE_FETCH
};
#undef __HEDDLE_SCOPED

// What atomic and atomic_ref have in common; `Self` says where the value is. All of it is there for volatile ones, too.
template <typename T, thread_scope S, typename Self>
class atomic_interface {
  using does = operations<T, S>;
  __HEDDLE_HD__ T* place() const volatile {
    return static_cast<const Self*>(const_cast<const atomic_interface*>(this))->place();
  }

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;
  __HEDDLE_HD__ bool is_lock_free() const volatile { return true; }
  __HEDDLE_HD__ T load(memory_order order = memory_order_seq_cst) const volatile { return does::load(place(), order); }
  __HEDDLE_HD__ void store(T value, memory_order order = memory_order_seq_cst) const volatile {
    does::store(place(), value, order);
  }
  __HEDDLE_HD__ T exchange(T value, memory_order order = memory_order_seq_cst) const volatile {
    return does::exchange(place(), value, order);
  }
  __HEDDLE_HD__ bool compare_exchange_strong(T& expected, T value, memory_order success, memory_order failure) const volatile {
    return does::compare_exchange(place(), expected, value, success, failure);
  }
  __HEDDLE_HD__ bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order_seq_cst) const volatile {
    return does::compare_exchange(place(), expected, value, order, without_release(order));
  }
  __HEDDLE_HD__ bool compare_exchange_weak(T& expected, T value, memory_order success, memory_order failure) const volatile {
    return does::compare_exchange(place(), expected, value, success, failure);
  }
  __HEDDLE_HD__ bool compare_exchange_weak(T& expected, T value, memory_order order = memory_order_seq_cst) const volatile {
    return does::compare_exchange(place(), expected, value, order, without_release(order));
  }
#define __HEDDLE_FETCH(NAME)                                                                 \
  __HEDDLE_HD__ T fetch_##NAME(T value, memory_order order = memory_order_seq_cst) const volatile { \
    return does::fetch_##NAME(place(), value, order);                                      \
  }
  __HEDDLE_FETCH(add)
  __HEDDLE_FETCH(sub)
  __HEDDLE_FETCH(and)
  __HEDDLE_FETCH(or)
  __HEDDLE_FETCH(xor)
  __HEDDLE_FETCH(min)
  __HEDDLE_FETCH(max)
#undef __HEDDLE_FETCH
  __HEDDLE_HD__ operator T() const volatile { return load(); }
  __HEDDLE_HD__ T operator++() const volatile { return fetch_add(T(1)) + T(1); }
  __HEDDLE_HD__ T operator++(int) const volatile { return fetch_add(T(1)); }
  __HEDDLE_HD__ T operator--() const volatile { return fetch_sub(T(1)) - T(1); }
  __HEDDLE_HD__ T operator--(int) const volatile { return fetch_sub(T(1)); }
  __HEDDLE_HD__ T operator+=(T value) const volatile { return fetch_add(value) + value; }
  __HEDDLE_HD__ T operator-=(T value) const volatile { return fetch_sub(value) - value; }
  __HEDDLE_HD__ T operator&=(T value) const volatile { return fetch_and(value) & value; }
  __HEDDLE_HD__ T operator|=(T value) const volatile { return fetch_or(value) | value; }
  __HEDDLE_HD__ T operator^=(T value) const volatile { return fetch_xor(value) ^ value; }
  // Who waits looks again and again: nobody has to be told.
  __HEDDLE_HD__ void wait(T old, memory_order order = memory_order_seq_cst) const volatile {
    while (__builtin_bit_cast(typename does::bits, load(order)) == __builtin_bit_cast(typename does::bits, old)) {
    }
  }
  __HEDDLE_HD__ void notify_one() const volatile {}
  __HEDDLE_HD__ void notify_all() const volatile {}
};

}  // namespace __details

template <typename T, thread_scope S = thread_scope_system>
class atomic : public __details::atomic_interface<T, S, atomic<T, S>> {
 public:
  atomic() = default;
  constexpr __HEDDLE_HD__ atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  __HEDDLE_HD__ T operator=(T value) {
    this->store(value);
    return value;
  }
  __HEDDLE_HD__ T operator=(T value) volatile {
    this->store(value);
    return value;
  }
  __HEDDLE_HD__ T* place() const { return const_cast<T*>(&value_); }

 private:
  alignas(sizeof(T)) T value_;
};

template <typename T, thread_scope S = thread_scope_system>
class atomic_ref : public __details::atomic_interface<T, S, atomic_ref<T, S>> {
 public:
  static constexpr __SIZE_TYPE__ required_alignment = sizeof(T);
  explicit __HEDDLE_HD__ atomic_ref(T& value) : place_(&value) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  __HEDDLE_HD__ T operator=(T value) const {
    this->store(value);
    return value;
  }
  __HEDDLE_HD__ T* place() const { return place_; }

 private:
  T* place_;
};

template <thread_scope S = thread_scope_system>
class atomic_flag_of {
 public:
  constexpr __HEDDLE_HD__ atomic_flag_of() : value_(0) {}
  __HEDDLE_HD__ bool test(memory_order order = memory_order_seq_cst) const { return value_.load(order) != 0; }
  __HEDDLE_HD__ bool test_and_set(memory_order order = memory_order_seq_cst) { return value_.exchange(1, order) != 0; }
  __HEDDLE_HD__ void clear(memory_order order = memory_order_seq_cst) { value_.store(0, order); }

 private:
  atomic<unsigned int, S> value_;
};

__HEDDLE_HD__ void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed) return;
  switch (scope) {
    case thread_scope_system: return __details::fence<thread_scope_system>();
    case thread_scope_device: return __details::fence<thread_scope_device>();
    case thread_scope_block: return __details::fence<thread_scope_block>();
    default: return;
  }
}

namespace std {
template <typename T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <typename T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
using atomic_flag = ::cuda::atomic_flag_of<thread_scope_system>;
using atomic_int = atomic<int>;
using atomic_uint = atomic<unsigned int>;
using atomic_bool = atomic<bool>;
__HEDDLE_HD__ void atomic_thread_fence(memory_order order) { ::cuda::atomic_thread_fence(order); }
}  // namespace std

}  // namespace cuda
#include "show_macros.h"
