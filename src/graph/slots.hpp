// A growing array whose elements do not move when others are added.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::graph {

template <class T>
class Slots {
 public:
  T& operator[](std::uint32_t i) { return (*parts_[i / each])[i % each]; }
  const T& operator[](std::uint32_t i) const { return (*parts_[i / each])[i % each]; }
  std::uint32_t size() const { return size_; }
  // Adds an element; returns its index.
  std::uint32_t add() {
    if (size_ % each == 0) parts_.push_back(std::make_unique<std::array<T, each>>());
    return size_++;
  }

 private:
  static constexpr std::uint32_t each = 64;
  std::vector<std::unique_ptr<std::array<T, each>>> parts_;
  std::uint32_t size_ = 0;
};

}  // namespace heddle::graph
