// The table of exported functions. No header of ours is included: some names are macros there.
#include "cuda_api/driver/symbols.hpp"

#define HEDDLE_DRIVER_FUNCTION(name, since, symbol, per_thread) extern "C" int symbol();
#include "cuda_api/driver/functions.def"
#undef HEDDLE_DRIVER_FUNCTION
#define HEDDLE_DRIVER_FUNCTION(name, since, symbol, per_thread) extern "C" int per_thread();
#include "cuda_api/driver/functions.def"
#undef HEDDLE_DRIVER_FUNCTION

namespace heddle::cuda_api {

std::span<const DriverSymbol> driver_symbols() {
#define HEDDLE_DRIVER_FUNCTION(name, since, symbol, per_thread) \
  {#name, since, #symbol, reinterpret_cast<void*>(&symbol), reinterpret_cast<void*>(&per_thread)},
  static const DriverSymbol all[] = {
#include "cuda_api/driver/functions.def"
  };
#undef HEDDLE_DRIVER_FUNCTION
  return all;
}

}  // namespace heddle::cuda_api
