// CUDA's execution and memory space specifiers, as clang's attributes.
#pragma once
#pragma clang system_header

#define __CUDACC__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// The host's variable is the one that kernels use (managed_variables.h). Between two of them there is room, where that
// can be had: what a kernel does beyond the end of one is not to hit the next.
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("heddle_managed"), aligned(256)))
#endif
// A parameter that no thread changes, so that all may use it where it lies. A clang that does not know this gives each
// thread a copy where its address is taken, which looks the same.
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __cluster_dims__(...) \
  _Pragma("GCC error \"thread block clusters (__cluster_dims__) are not supported by Heddle\"")
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define __no_return__ __attribute__((noreturn))
#define __location__(a) __attribute__((a))
#define __NV_SILENCE_DEPRECATION_BEGIN \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wdeprecated-declarations\"")
#define __NV_SILENCE_DEPRECATION_END _Pragma("clang diagnostic pop")
#define __NV_SILENCE_HOST_DEPRECATION_BEGIN __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_HOST_DEPRECATION_END __NV_SILENCE_DEPRECATION_END
// What nvcc says of lambdas: clang's need no wrapper, and have return types on either side.
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB

// Functions of these headers: in device code, and in both. Without debug information of their own: an instruction of
// theirs has the line that calls them, which is what a message about it should name.
#define __HEDDLE_DEVICE__ static __inline__ __attribute__((always_inline, nodebug, device))
#define __HEDDLE_BOTH__ static __inline__ __attribute__((always_inline, nodebug, host, device))

// A type on a condition.
template <bool condition, typename T>
struct __heddle_if {};
template <typename T>
struct __heddle_if<true, T> {
  using type = T;
};
