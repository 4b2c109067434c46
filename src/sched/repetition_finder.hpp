// Detects that a program repeats its actions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::sched {

// Receives one number for each thing that a program does; equal things have equal numbers. Each costs one table lookup.
// One thread at a time.
class RepetitionFinder {
 public:
  // Longer repetitions than this are not found.
  static constexpr std::size_t longest = 1024;

  // Adds a thing. Returns the length of the period, in things, once at least two periods and at least 16 things in a
  // row have equalled those one period before; then it returns the length for each further thing that does.
  std::optional<std::size_t> add(std::uint64_t thing);
  void clear();
  // The thing `back` things ago; 0: the last one. At most twice `longest`.
  std::uint64_t ago(std::size_t back) const { return ring_[(count_ - 1 - back) % ring_size]; }

 private:
  static constexpr std::size_t ring_size = 4 * longest, table_size = 4 * longest, least = 16;
  struct Seen {
    std::uint64_t thing = 0, at = 0;  // its number, from 1; 0: never
  };
  std::vector<std::uint64_t> ring_ = std::vector<std::uint64_t>(ring_size);
  std::vector<Seen> last_ = std::vector<Seen>(table_size);  // by hash of the thing; later things replace earlier ones
  std::uint64_t count_ = 0;
  std::size_t period_ = 0;  // 0: none
  std::size_t run_ = 0;     // the last so many things are equal to those one period before
};

}  // namespace heddle::sched
