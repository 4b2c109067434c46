// Finds out that a program repeats itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::sched {

// Told of what a program does, one number for each thing, the same number for the same thing. Costs a look into a table
// for each. One thread at a time.
class RepetitionFinder {
 public:
  // Longer repetitions than this are not found.
  static constexpr std::size_t longest = 1024;

  // Returns how many of the last things the program is repeating, when it has done them often enough to be believed:
  // twice more since it began to, and 16 things at least. It is told each time from then on.
  std::optional<std::size_t> add(std::uint64_t thing);
  void clear();
  // The thing `back` things ago; 0: the last one. Not further back than twice `longest`.
  std::uint64_t ago(std::size_t back) const { return ring_[(count_ - 1 - back) % ring_size]; }

 private:
  static constexpr std::size_t ring_size = 4 * longest, table_size = 4 * longest, least = 16;
  struct Seen {
    std::uint64_t thing = 0, at = 0;  // counted from 1; 0: never
  };
  std::vector<std::uint64_t> ring_ = std::vector<std::uint64_t>(ring_size);
  std::vector<Seen> last_ = std::vector<Seen>(table_size);  // by the thing; of two with the same place the later one
  std::uint64_t count_ = 0;
  std::size_t period_ = 0;  // 0: none
  std::size_t run_ = 0;     // things in a row that were the same as one period before
};

}  // namespace heddle::sched
