// The functions of NVIDIA's library, which this one stands in front of.
#pragma once

#include <cstddef>

#include "cuda_api/abi/driver.hpp"

namespace heddle::interpose {

// All functions of the driver API by the names that they are exported under.
enum class Symbol : unsigned {
#define HEDDLE_SYMBOL(name) slot_##name,
#include "interpose/symbols.inc"
#undef HEDDLE_SYMBOL
  count
};

// NVIDIA's function. Of a library that lacks it: one that returns CUDA_ERROR_NOT_SUPPORTED, or, if there is no library,
// CUDA_ERROR_NO_DEVICE. Any thread, from the end of this library's first constructor.
void* forwarded(Symbol symbol);

// Calls NVIDIA's function.
template <class... Parameters>
CUresult forward(Symbol symbol, Parameters... parameters) {
  return reinterpret_cast<CUresult (*)(Parameters...)>(forwarded(symbol))(parameters...);
}
#define HEDDLE_FORWARD(name, ...) \
  ::heddle::interpose::forward(::heddle::interpose::Symbol::slot_##name __VA_OPT__(, ) __VA_ARGS__)

// This library's function in place of that of NVIDIA's, if it is interposed; else the same function.
void* interposed(void* function);

}  // namespace heddle::interpose

#define HEDDLE_INTERPOSER(name) extern "C" __attribute__((visibility("default"))) CUresult name
