// Arrays whose address the program has taken. Every launch on the place may access them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "memory/array.hpp"

namespace heddle::sched {

// Needs the core's lock.
class PinnedArrays {
 public:
  explicit PinnedArrays(std::size_t places) : by_place_(places) {}
  void pin(std::size_t place, memory::Array& array) {
    auto& arrays = by_place_[place];
    if (std::find(arrays.begin(), arrays.end(), &array) == arrays.end()) arrays.push_back(&array);
  }
  // On all places, before the array is destroyed.
  void unpin(memory::Array& array) {
    for (auto& arrays : by_place_) std::erase(arrays, &array);
  }
  std::span<memory::Array* const> at(std::size_t place) const { return by_place_[place]; }
  // Of these arrays, in the order of at(), those whose address was taken and that are not gone.
  std::vector<memory::Array*> still(std::size_t place, std::span<memory::Array* const> known) const {
    std::vector<memory::Array*> there;
    for (memory::Array* const array : by_place_[place])
      if (std::find(known.begin(), known.end(), array) != known.end()) there.push_back(array);
    return there;
  }
  bool none(std::size_t place) const { return by_place_[place].empty(); }

 private:
  std::vector<std::vector<memory::Array*>> by_place_;
};

}  // namespace heddle::sched
