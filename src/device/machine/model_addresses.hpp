// Addresses as a GPU would give them to allocations. They depend on the order and the sizes of allocations alone, not
// on where these lie in the host's memory: a model of caches and DRAM that uses them is the same in every run.
#pragma once

#include <cstdint>
#include <map>

namespace heddle::device::machine {

// Allocations of less than half a region share regions of 2 MiB, each at a multiple of 256 bytes. Larger ones have
// regions of their own. The lowest place that is free is taken. One thread at a time.
class ModelAddresses {
 public:
  static constexpr std::uint64_t alignment = 256, region = std::uint64_t{2} << 20;
  static constexpr std::uint64_t first = std::uint64_t{1} << 32;  // no address is below it
  // Never fails: more allocations than fit the host's memory do not fit here either.
  std::uint64_t take(std::uint64_t bytes);
  // `bytes` as for take(), which gave the address.
  void release(std::uint64_t address, std::uint64_t bytes);

 private:
  using Free = std::map<std::uint64_t, std::uint64_t>;  // bytes, by address
  static std::uint64_t take_from(Free& free, std::uint64_t bytes);
  static void give_to(Free& free, std::uint64_t address, std::uint64_t bytes);
  std::uint64_t take_regions(std::uint64_t bytes);

  Free shared_, whole_;  // in regions that allocations share; regions without any
  std::uint64_t end_ = first;
};

}  // namespace heddle::device::machine
