#include "sched/open_calls.hpp"

#include <algorithm>

namespace heddle::sched {

void OpenCalls::open(std::span<memory::Array* const> arrays) {
  for (memory::Array* const array : arrays) ++array->open_uses;
  ++count_;
}

void OpenCalls::close(std::span<memory::Array* const> arrays) {
  for (memory::Array* const array : arrays) --array->open_uses;
  --count_;
  changed_.notify_all();
}

bool OpenCalls::uses_any(std::span<memory::Array* const> arrays) {
  return std::any_of(arrays.begin(), arrays.end(), [](const memory::Array* array) { return array->open_uses > 0; });
}

}  // namespace heddle::sched
