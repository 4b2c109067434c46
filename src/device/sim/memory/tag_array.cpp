#include "device/sim/memory/tag_array.hpp"

#include <algorithm>

namespace heddle::device::sim {

static_assert(sizeof(TagArray::Line) == 8);

TagArray::TagArray(std::uint64_t bytes, unsigned ways, unsigned line, Replacement replacement)
    : ways_(ways),
      sets_(static_cast<unsigned>(bytes / ways / line)),
      replacement_(replacement),
      lines_(static_cast<std::size_t>(ways_) * sets_) {}

TagArray::Line* TagArray::find(std::uint64_t number) {
  if (sets_ == 0) return nullptr;
  Line* set = set_of(number);
  for (unsigned way = 0; way < ways_; ++way) {
    if (set[way].used == 0 || set[way].number != number) continue;
    if (replacement_ != Replacement::lru || way == 0) return set + way;
    std::rotate(set, set + way, set + way + 1);
    return set;
  }
  return nullptr;
}

unsigned TagArray::clean(std::uint64_t number) {
  Line* set = set_of(number);
  for (unsigned way = 0; way < ways_; ++way) {
    if (set[way].used == 0 || set[way].number != number || set[way].pending != 0) continue;
    const auto dirty = static_cast<unsigned>(set[way].dirty);
    set[way].dirty = 0;
    return dirty;
  }
  return 0;
}

// A free way, else the one to be replaced; `ways_`: none may be.
unsigned TagArray::victim(const Line* set) {
  for (unsigned way = 0; way < ways_; ++way) {
    if (set[way].used == 0) return way;
  }
  if (replacement_ == Replacement::random) {
    random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;  // xorshift64
    const unsigned from = static_cast<unsigned>(random_ % ways_);
    for (unsigned i = 0; i < ways_; ++i) {
      if (set[(from + i) % ways_].pending == 0) return (from + i) % ways_;
    }
    return ways_;
  }
  for (unsigned way = ways_; way-- > 0;) {
    if (set[way].pending == 0) return way;
  }
  return ways_;
}

TagArray::Line* TagArray::allocate(std::uint64_t number, Line& evicted) {
  Line* set = set_of(number);
  const unsigned way = victim(set);
  if (way == ways_) return nullptr;
  evicted = set[way];
  Line made;
  made.number = number;
  made.used = 1;
  if (replacement_ == Replacement::random) {
    set[way] = made;
    return set + way;
  }
  std::move_backward(set, set + way, set + way + 1);
  set[0] = made;
  return set;
}

void TagArray::drop(std::uint64_t number) {
  if (Line* line = find(number)) *line = Line{};
}

}  // namespace heddle::device::sim
