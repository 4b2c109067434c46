// One access to memory, as the check of races remembers it.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::device::cpu {

// Twelve bytes: the shadow of memory that a kernel streams through is what costs most.
struct AccessMark {
  static constexpr std::uint32_t most_lines = (1u << 20) - 1;
  static constexpr unsigned thread_shift = 20, strong_shift = 30;

  std::uint32_t time = 0;  // of the launch (LaunchChecker::now); 0: no access
  std::uint32_t block = 0;
  std::uint32_t line : 20 = 0;
  std::uint32_t thread : 10 = 0;
  std::uint32_t strong : 1 = 0;
  std::uint32_t atomic : 1 = 0;

  // All but time and block, in the order of the fields.
  std::uint32_t place() const {
    return line | std::uint32_t{thread} << thread_shift | std::uint32_t{strong} << strong_shift |
           std::uint32_t{atomic} << 31;
  }
  static AccessMark unpacked(std::uint32_t time, std::uint32_t block, std::uint32_t place) {
    AccessMark mark;
    mark.time = time;
    mark.block = block;
    mark.line = place & most_lines;
    mark.thread = place >> thread_shift & 1023;
    mark.strong = place >> strong_shift & 1;
    mark.atomic = place >> 31;
    return mark;
  }
};

// What is remembered of a byte or a word.
enum MarkKind : unsigned { write_mark, first_read, second_read, strong_write, kinds };

// What is known of one byte of a word that was accessed in parts.
class AccessCell {
 public:
  bool has(MarkKind kind) const { return marks_[kind].time != 0; }
  const AccessMark& get(MarkKind kind) const { return marks_[kind]; }
  void set(MarkKind kind, const AccessMark& mark) { marks_[kind] = mark; }
  void forget(MarkKind kind) { marks_[kind].time = 0; }

 private:
  std::array<AccessMark, kinds> marks_;
};

// The same, as WordCell is for a word.
class ByteCell {
 public:
  explicit ByteCell(AccessCell& cell) : cell_(cell) {}
  bool has(MarkKind kind) const { return cell_.has(kind); }
  AccessMark get(MarkKind kind) const { return cell_.get(kind); }
  void set(MarkKind kind, const AccessMark& mark) { cell_.set(kind, mark); }
  void forget(MarkKind kind) { cell_.forget(kind); }

 private:
  AccessCell& cell_;
};

}  // namespace heddle::device::cpu
