#include "interpose/forward.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "base/print_error.hpp"
#include "device/cuda/library.hpp"

extern "C" {
// Filled before any other code of this process can call a function here. Read by trampolines.S.
__attribute__((visibility(
    "hidden"))) void* heddle_interpose_slots[static_cast<std::size_t>(heddle::interpose::Symbol::count)] = {};

// See device/cuda/library.cpp.
__attribute__((visibility("default"))) int heddle_own_libcuda() { return 1; }

#define HEDDLE_INTERPOSED(name) int interposed_##name() __asm__(#name);
#include "interpose/interposed.def"
#undef HEDDLE_INTERPOSED
}

namespace heddle::interpose {
namespace {

constexpr const char* names[] = {
#define HEDDLE_SYMBOL(name) #name,
#include "interpose/symbols.inc"
#undef HEDDLE_SYMBOL
};

CUresult not_supported() { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult no_device() { return CUDA_ERROR_NO_DEVICE; }

using Map = std::unordered_map<void*, void*>;

// NVIDIA's functions to those of this library. Never destroyed: programs call functions until their very end.
Map& interposed_functions() {
  static Map& map = *new Map;
  return map;
}

// The earliest of this library's constructors, since libraries that stand on this one call it from theirs.
__attribute__((constructor(101))) void find_functions() {
  void* const library = device::cuda::open_driver_library();
  if (!library) base::print_error("heddle: NVIDIA's libcuda.so.1 was not found; the program sees no GPU\n");
  for (std::size_t i = 0; i < std::size(names); ++i) {
    void* const found = library ? dlsym(library, names[i]) : nullptr;
    heddle_interpose_slots[i] = found     ? found
                                : library ? reinterpret_cast<void*>(&not_supported)
                                          : reinterpret_cast<void*>(&no_device);
  }
  Map& map = interposed_functions();
#define HEDDLE_INTERPOSED(name) \
  map.emplace(forwarded(Symbol::slot_##name), reinterpret_cast<void*>(&interposed_##name));
#include "interpose/interposed.def"
#undef HEDDLE_INTERPOSED
  map.erase(reinterpret_cast<void*>(&not_supported));
  map.erase(reinterpret_cast<void*>(&no_device));
}

}  // namespace

void* forwarded(Symbol symbol) { return heddle_interpose_slots[static_cast<std::size_t>(symbol)]; }

void* interposed(void* function) {
  const Map& map = interposed_functions();
  const auto found = map.find(function);
  return found == map.end() ? function : found->second;
}

}  // namespace heddle::interpose
