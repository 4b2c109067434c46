// A map of a few entries, which are searched one after the other.
#pragma once

#include <utility>
#include <vector>

namespace heddle::sched::lithos {

template <class Key, class Value>
class Unordered {
 public:
  Value& operator[](Key key) {
    for (auto& [each, value] : entries_)
      if (each == key) return value;
    return entries_.emplace_back(key, Value()).second;
  }
  const Value* find(Key key) const {
    for (const auto& [each, value] : entries_)
      if (each == key) return &value;
    return nullptr;
  }

 private:
  std::vector<std::pair<Key, Value>> entries_;
};

}  // namespace heddle::sched::lithos
