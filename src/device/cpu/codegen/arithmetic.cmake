# Arithmetic of the CPU device: PTX instructions to LLVM IR, and the soft functions that generated code calls.
heddle_library(cpu_arithmetic
  SOURCES
    arithmetic.cpp
    arithmetic_approximate.cpp
    arithmetic_bit_fields.cpp
    arithmetic_bits.cpp
    arithmetic_compare.cpp
    arithmetic_convert.cpp
    arithmetic_divide.cpp
    arithmetic_float.cpp
    arithmetic_half.cpp
    arithmetic_integer.cpp
    arithmetic_kit.cpp
    arithmetic_kit_float.cpp
    arithmetic_types.cpp
    arithmetic_video.cpp
    soft_code.cpp
    soft_functions.cpp
    soft_video.cpp
  DEPENDS heddle_ptx_semantics heddle_ptx heddle_llvm)
