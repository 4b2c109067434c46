// Surfaces: the functions that read and write surface objects, as instructions of PTX. The first coordinate counts
// bytes. What lies outside of the surface is the business of the boundary mode, which is a part of the instruction.
#pragma once
#pragma clang system_header

// Values by their size: the bytes are what counts.
template <unsigned long long size> struct __heddle_bytes;
template <> struct __heddle_bytes<1> { unsigned short x; };
template <> struct __heddle_bytes<2> { unsigned short x; };
template <> struct __heddle_bytes<4> { unsigned int x; };
template <> struct __heddle_bytes<8> { unsigned int x, y; };
template <> struct __heddle_bytes<16> { unsigned int x, y, z, w; };

template <typename T>
__HEDDLE_DEVICE__ T __heddle_value_of(const __heddle_bytes<sizeof(T)>& v) {
  T value;
  __builtin_memcpy(&value, &v, sizeof(T));
  return value;
}
template <typename T>
__HEDDLE_DEVICE__ __heddle_bytes<sizeof(T)> __heddle_bytes_of(const T& value) {
  __heddle_bytes<sizeof(T)> v = {};
  __builtin_memcpy(&v, &value, sizeof(T));
  return v;
}

// The accesses of one geometry, in one mode. PLACE has the operands from %N on, where N is the number of words.
#define __HEDDLE_SURFACE_MODE(NAME, GEOMETRY, MODE, PARAMETERS, INPUTS, PLACE1, PLACE2, PLACE4)                        \
  __HEDDLE_DEVICE__ void NAME##MODE(__heddle_bytes<1>& v, cudaSurfaceObject_t s, __HEDDLE_UNPACK PARAMETERS) {         \
    __asm__ volatile("suld.b." GEOMETRY ".b8." #MODE " %0, " PLACE1 ";" : "=h"(v.x) : "l"(s), __HEDDLE_UNPACK INPUTS   \
                     : "memory");                                                                                      \
  }                                                                                                                    \
  __HEDDLE_DEVICE__ void NAME##MODE(__heddle_bytes<2>& v, cudaSurfaceObject_t s, __HEDDLE_UNPACK PARAMETERS) {         \
    __asm__ volatile("suld.b." GEOMETRY ".b16." #MODE " %0, " PLACE1 ";" : "=h"(v.x) : "l"(s), __HEDDLE_UNPACK INPUTS  \
                     : "memory");                                                                                      \
  }                                                                                                                    \
  __HEDDLE_DEVICE__ void NAME##MODE(__heddle_bytes<4>& v, cudaSurfaceObject_t s, __HEDDLE_UNPACK PARAMETERS) {         \
    __asm__ volatile("suld.b." GEOMETRY ".b32." #MODE " %0, " PLACE1 ";" : "=r"(v.x) : "l"(s), __HEDDLE_UNPACK INPUTS  \
                     : "memory");                                                                                      \
  }                                                                                                                    \
  __HEDDLE_DEVICE__ void NAME##MODE(__heddle_bytes<8>& v, cudaSurfaceObject_t s, __HEDDLE_UNPACK PARAMETERS) {         \
    __asm__ volatile("suld.b." GEOMETRY ".v2.b32." #MODE " {%0, %1}, " PLACE2 ";" : "=r"(v.x), "=r"(v.y)               \
                     : "l"(s), __HEDDLE_UNPACK INPUTS : "memory");                                                     \
  }                                                                                                                    \
  __HEDDLE_DEVICE__ void NAME##MODE(__heddle_bytes<16>& v, cudaSurfaceObject_t s, __HEDDLE_UNPACK PARAMETERS) {        \
    __asm__ volatile("suld.b." GEOMETRY ".v4.b32." #MODE " {%0, %1, %2, %3}, " PLACE4 ";"                              \
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(s), __HEDDLE_UNPACK INPUTS : "memory");        \
  }                                                                                                                    \
  __HEDDLE_DEVICE__ void NAME##MODE##_write(const __heddle_bytes<1>& v, cudaSurfaceObject_t s,                         \
                                            __HEDDLE_UNPACK PARAMETERS) {                                              \
    __asm__ volatile("sust.b." GEOMETRY ".b8." #MODE " " PLACE1 ", %0;" ::"h"(v.x), "l"(s), __HEDDLE_UNPACK INPUTS     \
                     : "memory");                                                                                      \
  }                                                                                                                    \
  __HEDDLE_DEVICE__ void NAME##MODE##_write(const __heddle_bytes<2>& v, cudaSurfaceObject_t s,                         \
                                            __HEDDLE_UNPACK PARAMETERS) {                                              \
    __asm__ volatile("sust.b." GEOMETRY ".b16." #MODE " " PLACE1 ", %0;" ::"h"(v.x), "l"(s), __HEDDLE_UNPACK INPUTS    \
                     : "memory");                                                                                      \
  }                                                                                                                    \
  __HEDDLE_DEVICE__ void NAME##MODE##_write(const __heddle_bytes<4>& v, cudaSurfaceObject_t s,                         \
                                            __HEDDLE_UNPACK PARAMETERS) {                                              \
    __asm__ volatile("sust.b." GEOMETRY ".b32." #MODE " " PLACE1 ", %0;" ::"r"(v.x), "l"(s), __HEDDLE_UNPACK INPUTS    \
                     : "memory");                                                                                      \
  }                                                                                                                    \
  __HEDDLE_DEVICE__ void NAME##MODE##_write(const __heddle_bytes<8>& v, cudaSurfaceObject_t s,                         \
                                            __HEDDLE_UNPACK PARAMETERS) {                                              \
    __asm__ volatile("sust.b." GEOMETRY ".v2.b32." #MODE " " PLACE2 ", {%0, %1};" ::"r"(v.x), "r"(v.y), "l"(s),        \
                     __HEDDLE_UNPACK INPUTS : "memory");                                                               \
  }                                                                                                                    \
  __HEDDLE_DEVICE__ void NAME##MODE##_write(const __heddle_bytes<16>& v, cudaSurfaceObject_t s,                        \
                                            __HEDDLE_UNPACK PARAMETERS) {                                              \
    __asm__ volatile("sust.b." GEOMETRY ".v4.b32." #MODE " " PLACE4 ", {%0, %1, %2, %3};" ::"r"(v.x), "r"(v.y),        \
                     "r"(v.z), "r"(v.w), "l"(s), __HEDDLE_UNPACK INPUTS : "memory");                                   \
  }

// The functions that programs call. ARGUMENTS names the parameters.
#define __HEDDLE_SURFACE(NAME, GEOMETRY, PARAMETERS, ARGUMENTS, INPUTS, PLACE1, PLACE2, PLACE4)                     \
  __HEDDLE_SURFACE_MODE(__heddle_##NAME##_, GEOMETRY, trap, PARAMETERS, INPUTS, PLACE1, PLACE2, PLACE4)             \
  __HEDDLE_SURFACE_MODE(__heddle_##NAME##_, GEOMETRY, clamp, PARAMETERS, INPUTS, PLACE1, PLACE2, PLACE4)            \
  __HEDDLE_SURFACE_MODE(__heddle_##NAME##_, GEOMETRY, zero, PARAMETERS, INPUTS, PLACE1, PLACE2, PLACE4)             \
  template <typename T>                                                                                             \
  __HEDDLE_DEVICE__ T NAME##read(cudaSurfaceObject_t s, __HEDDLE_UNPACK PARAMETERS,                                 \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                             \
    __heddle_bytes<sizeof(T)> v;                                                                                    \
    switch (mode) {                                                                                                 \
      case cudaBoundaryModeZero: __heddle_##NAME##_zero(v, s, __HEDDLE_UNPACK ARGUMENTS); break;                    \
      case cudaBoundaryModeClamp: __heddle_##NAME##_clamp(v, s, __HEDDLE_UNPACK ARGUMENTS); break;                  \
      default: __heddle_##NAME##_trap(v, s, __HEDDLE_UNPACK ARGUMENTS); break;                                      \
    }                                                                                                               \
    return __heddle_value_of<T>(v);                                                                                 \
  }                                                                                                                 \
  template <typename T>                                                                                             \
  __HEDDLE_DEVICE__ void NAME##read(T* result, cudaSurfaceObject_t s, __HEDDLE_UNPACK PARAMETERS,                   \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                          \
    *result = NAME##read<T>(s, __HEDDLE_UNPACK ARGUMENTS, mode);                                                    \
  }                                                                                                                 \
  template <typename T>                                                                                             \
  __HEDDLE_DEVICE__ void NAME##write(T value, cudaSurfaceObject_t s, __HEDDLE_UNPACK PARAMETERS,                    \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                         \
    const __heddle_bytes<sizeof(T)> v = __heddle_bytes_of(value);                                                   \
    switch (mode) {                                                                                                 \
      case cudaBoundaryModeZero: __heddle_##NAME##_zero_write(v, s, __HEDDLE_UNPACK ARGUMENTS); break;              \
      case cudaBoundaryModeClamp: __heddle_##NAME##_clamp_write(v, s, __HEDDLE_UNPACK ARGUMENTS); break;            \
      default: __heddle_##NAME##_trap_write(v, s, __HEDDLE_UNPACK ARGUMENTS); break;                                \
    }                                                                                                               \
  }

__HEDDLE_SURFACE(surf1D, "1d", (int x), (x), ("r"(x)), "[%1, {%2}]", "[%2, {%3}]", "[%4, {%5}]")
__HEDDLE_SURFACE(surf2D, "2d", (int x, int y), (x, y), ("r"(x), "r"(y)), "[%1, {%2, %3}]", "[%2, {%3, %4}]",
                 "[%4, {%5, %6}]")
__HEDDLE_SURFACE(surf3D, "3d", (int x, int y, int z), (x, y, z), ("r"(x), "r"(y), "r"(z)), "[%1, {%2, %3, %4, %4}]",
                 "[%2, {%3, %4, %5, %5}]", "[%4, {%5, %6, %7, %7}]")
__HEDDLE_SURFACE(surf1DLayered, "a1d", (int x, int layer), (x, layer), ("r"(x), "r"(layer)), "[%1, {%3, %2}]",
                 "[%2, {%4, %3}]", "[%4, {%6, %5}]")
__HEDDLE_SURFACE(surf2DLayered, "a2d", (int x, int y, int layer), (x, y, layer), ("r"(x), "r"(y), "r"(layer)),
                 "[%1, {%4, %2, %3, %3}]", "[%2, {%5, %3, %4, %4}]", "[%4, {%7, %5, %6, %6}]")
// The faces of cubes are layers.
__HEDDLE_SURFACE(surfCubemap, "a2d", (int x, int y, int face), (x, y, face), ("r"(x), "r"(y), "r"(face)),
                 "[%1, {%4, %2, %3, %3}]", "[%2, {%5, %3, %4, %4}]", "[%4, {%7, %5, %6, %6}]")
__HEDDLE_SURFACE(surfCubemapLayered, "a2d", (int x, int y, int face), (x, y, face), ("r"(x), "r"(y), "r"(face)),
                 "[%1, {%4, %2, %3, %3}]", "[%2, {%5, %3, %4, %4}]", "[%4, {%7, %5, %6, %6}]")
#undef __HEDDLE_SURFACE
#undef __HEDDLE_SURFACE_MODE
#undef __HEDDLE_UNPACK
