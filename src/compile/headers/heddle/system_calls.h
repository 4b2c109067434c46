// What every device provides as calls: printf, malloc, free, assertion failure; what libraries add; and what is built
// on them.
#pragma once
#pragma clang system_header

extern "C" {
// clang packs the arguments and calls vprintf.
__device__ int printf(const char* format, ...);
__device__ int vprintf(const char* format, const char* arguments);
__device__ void* malloc(__SIZE_TYPE__ size) __attribute__((nothrow, malloc));
__device__ void free(void* pointer) __attribute__((nothrow));
// Sets the condition of a graph's conditional node (cudaGraphConditionalHandle). Heddle's libcudart defines it where
// PTX declares it: what a handle is, is the library's matter.
__device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);
__device__ void __assertfail(const char* message, const char* file, unsigned int line, const char* function,
                             __SIZE_TYPE__ char_size) __attribute__((noreturn));

// What the assert macro of <assert.h> calls.
__device__ static inline __attribute__((noreturn, nodebug)) void __assert_fail(const char* message, const char* file,
                                                                               unsigned int line, const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
// A call of a pure virtual function.
__device__ static inline __attribute__((noreturn)) void __cxa_pure_virtual() { __builtin_trap(); }
}

__HEDDLE_DEVICE__ void __trap() { __asm__ volatile("trap;"); }
// Counters of a profiler, which Heddle has none of.
__HEDDLE_DEVICE__ void __prof_trigger(int) {}
__HEDDLE_DEVICE__ void __brkpt() { __asm__ volatile("brkpt;"); }
__HEDDLE_DEVICE__ void __nanosleep(unsigned int ns) { __asm__ volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory"); }
__HEDDLE_DEVICE__ long clock() { return static_cast<long>(__nvvm_read_ptx_sreg_clock()); }
__HEDDLE_DEVICE__ long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__HEDDLE_DEVICE__ unsigned long long __globaltimer() {
  unsigned long long time;
  __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
