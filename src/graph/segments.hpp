// Which tasks use which bytes of an object: the dependency sets of all tasks, stored by byte range.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

#include "graph/access.hpp"
#include "graph/task.hpp"

namespace heddle::graph {

// Bytes with the same users: the task that last modified them, and those that have read them since. A task's dependency
// set consists of the ranges of which it is still the writer or a reader.
struct Segment {
  std::uint64_t begin = 0, end = 0;
  TaskRef writer;                // id 0: none
  std::vector<TaskRef> readers;  // unlike TaskRefs it never needs memory to be moved
  std::uint32_t shorten_at = 8;  // when there are so many readers
};

// The segments of one object: sorted, without gaps or overlaps, from 0 to its size. A program that uses whole arrays
// has one.
class Segments {
 public:
  explicit Segments(std::uint64_t size);

  // The only segment, if the bytes are all of the object.
  Segment* whole(std::uint64_t begin, std::uint64_t end) {
    Segment* const first = all_.data();
    return all_.size() == 1 && begin == 0 && end >= first->end ? first : nullptr;
  }
  // Splits the segments that cross the ends of [begin, end), and calls f(segment) for each segment within. Then merges
  // neighbours that have become equal. finished(task): whether the task is finished and can be removed from its
  // segments.
  template <class F, class Finished>
  void update(std::uint64_t begin, std::uint64_t end, F&& f, const Finished& finished) {
    if (Segment* const only = whole(begin, end)) return f(*only);
    const auto [first, last] = cut(begin, end);
    for (std::size_t i = first; i < last; ++i) f(all_[i]);
    // The neighbours on both sides may have become equal to those within.
    const std::size_t from = first > 0 ? first - 1 : 0, to = std::min(last + 1, all_.size());
    for (std::size_t i = from; i < to; ++i) {
      if (finished(all_[i].writer)) all_[i].writer = {};
      std::vector<TaskRef>& readers = all_[i].readers;
      readers.erase(std::remove_if(readers.begin(), readers.end(), finished), readers.end());
    }
    join(from, to);
  }

  // Calls f(segment) for each segment that overlaps [begin, end).
  template <class F>
  void look(std::uint64_t begin, std::uint64_t end, F&& f) const {
    for (std::size_t i = find(begin); i < all_.size() && all_[i].begin < end; ++i) f(all_[i]);
  }

  std::size_t count() const { return all_.size(); }

  TaskId named_by = 0;  // the last task with an access to the object

 private:
  struct Range {
    std::size_t first, last;
  };
  // The segment that contains `at`; count() if it is past the end.
  std::size_t find(std::uint64_t at) const;
  void cut_at(std::uint64_t at);
  Range cut(std::uint64_t begin, std::uint64_t end);
  void join(std::size_t first, std::size_t last);

  boost::container::small_vector<Segment, 1> all_;
};

}  // namespace heddle::graph
