// What the address of a device function is on the CPU device: a number made from its name, so that it is the same in
// every kernel of a module, in variables, and in code from the cache. Calls through it look the number up.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::device::cpu {

// Never the address of memory: bit 63 is set and bit 62 is not, which no host pointer has.
constexpr std::uint64_t function_handle(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash & 0x3fffffffffffffffu) | 0x8000000000000000u;
}

}  // namespace heddle::device::cpu
