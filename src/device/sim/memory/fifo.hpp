// A queue in one piece of memory, which grows to the most that was ever in it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heddle::device::sim {

template <typename T>
class Fifo {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const T& front() const { return items_[first_]; }
  void push(const T& item) {
    if (count_ == items_.size()) grow();
    items_[(first_ + count_++) & (items_.size() - 1)] = item;
  }
  T pop() {
    T item = items_[first_];
    first_ = (first_ + 1) & (items_.size() - 1);
    --count_;
    return item;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 8 : items_.size() * 2);
    for (std::size_t i = 0; i < count_; ++i) larger[i] = items_[(first_ + i) & (items_.size() - 1)];
    items_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> items_;  // a power of two, or none
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace heddle::device::sim
