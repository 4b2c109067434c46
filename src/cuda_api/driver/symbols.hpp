// The functions that this library exports, for cuGetProcAddress.
#pragma once

#include <span>
#include <string_view>

namespace heddle::cuda_api {

struct DriverSymbol {
  std::string_view name;    // the name that a program requests
  int since;                // the first version of CUDA that means this function by it: 12050 for 12.5
  std::string_view symbol;  // what it is exported as
  void* function;
  void* per_thread_function;  // with the thread's own default stream; the same if there is no such symbol
};

std::span<const DriverSymbol> driver_symbols();

}  // namespace heddle::cuda_api
