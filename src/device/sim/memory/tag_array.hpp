// The tags of a cache: which lines and which of their sectors it holds. Eight bytes a line. A set's lines lie in the
// order of their use (lru) or arrival (fifo), the newest first.
#pragma once

#include <cstdint>
#include <vector>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/coalescer.hpp"

namespace heddle::device::sim {

class TagArray {
 public:
  struct Line {
    std::uint64_t number : 48 = 0;  // address / bytes of a line
    std::uint64_t valid : 4 = 0;    // sectors, as in SectorMask
    std::uint64_t dirty : 4 = 0;    // of these: changed
    std::uint64_t pending : 1 = 0;  // waits for data: may not be replaced
    std::uint64_t used : 1 = 0;
  };

  // `bytes` 0: a cache that never holds anything; find() alone may be called.
  TagArray(std::uint64_t bytes, unsigned ways, unsigned line, Replacement replacement);
  bool exists() const { return sets_ != 0; }

  // The line, made the newest of its set under lru; null: it is not there. Valid until the next call.
  Line* find(std::uint64_t number);
  // Puts the line, which is not there, into the place of another, which `evicted` gets (`used` 0: of none). Null: all
  // lines of the set are pending.
  Line* allocate(std::uint64_t number, Line& evicted);
  void drop(std::uint64_t number);
  // The line's changed sectors, which count as written back from then on; 0: none, or no such line. No use of it.
  unsigned clean(std::uint64_t number);
  // Drops all lines; f(line) is called for each with dirty sectors.
  template <typename F>
  void clear(F&& f) {
    for (Line& line : lines_) {
      if (line.dirty != 0) f(static_cast<const Line&>(line));
      line = Line{};
    }
  }

 private:
  Line* set_of(std::uint64_t number) { return &lines_[number % sets_ * ways_]; }
  unsigned victim(const Line* set);

  unsigned ways_, sets_;
  Replacement replacement_;
  std::uint64_t random_ = 0x9e3779b97f4a7c15;  // state of the generator; the same in every run
  std::vector<Line> lines_;
};

}  // namespace heddle::device::sim
