// What takes the memory of each space: copies of arrays, and memory that the program has allocated itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "memory/array.hpp"

namespace heddle::memory {

// Needs the core's lock, unless a function states otherwise.
class Registry {
 public:
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  // `budgets`: bytes that copies of arrays may take, by space.
  explicit Registry(std::vector<std::uint64_t> budgets);

  std::uint64_t budget(Space space) const { return spaces_[space].budget; }
  std::uint64_t used(Space space) const { return spaces_[space].used; }
  // Reserves bytes of the budget for a copy that is about to be made. False: the budget does not suffice.
  bool reserve(Space space, std::uint64_t bytes);
  void unreserve(Space space, std::uint64_t bytes) { spaces_[space].used -= bytes; }
  // Adds a copy whose bytes were reserved; removes one.
  void add(Space space, Array& array) { spaces_[space].arrays.push_back(&array); }
  void remove(Space space, Array& array);
  const std::vector<Array*>& arrays(Space space) const { return spaces_[space].arrays; }

  // Memory that the program has allocated itself, which is not evicted. Any thread, without the lock: it may be freed
  // where the lock is held.
  void add_explicit(Space space, std::uint64_t bytes);
  void remove_explicit(Space space, std::uint64_t bytes);

  // "3 arrays take 2.1 GiB, the largest 1.0 GiB; 4 allocations of the program take 512 MiB".
  std::string describe(Space space) const;

 private:
  struct PerSpace {
    std::uint64_t budget = unlimited, used = 0;
    std::vector<Array*> arrays;
    std::atomic<std::uint64_t> explicit_bytes{0}, explicit_count{0};
  };
  std::vector<PerSpace> spaces_;
};

}  // namespace heddle::memory
