#include "runtime/open_calls.hpp"

#include <algorithm>

namespace heddle::runtime {

std::size_t OpenCalls::open(std::size_t place, std::span<memory::Array* const> arrays) {
  std::vector<bool>& used = queues_[place];
  const auto free = std::find(used.begin(), used.end(), false);
  const auto number = static_cast<std::size_t>(free - used.begin());
  if (free == used.end()) used.push_back(true);
  used[number] = true;
  for (memory::Array* const array : arrays) ++array->open_uses;
  ++count_;
  return first_queue + number;
}

void OpenCalls::close(std::size_t place, std::size_t queue, std::span<memory::Array* const> arrays) {
  queues_[place][queue - first_queue] = false;
  for (memory::Array* const array : arrays) --array->open_uses;
  --count_;
  changed_.notify_all();
}

bool OpenCalls::uses_any(std::span<memory::Array* const> arrays) {
  return std::any_of(arrays.begin(), arrays.end(), [](const memory::Array* array) { return array->open_uses > 0; });
}

}  // namespace heddle::runtime
