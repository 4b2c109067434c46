// Who accessed sixteen words of memory last: the last write, the last strong one since then, and two reads by different
// threads, of which a third thread's write cannot be both. Mostly one access of a warp has touched all of the words,
// one thread after the other; then one mark says it for all, and a warp's access of memory touches as many bytes here
// as there. Where words differ there is an array for each field, for vector operations (note_words).
#pragma once

#include <cstdint>

#include "device/cpu/checker/shadow_mark.hpp"

namespace heddle::device::cpu {

// A mark for each word of one kind.
struct WordMarks {
  static constexpr unsigned words = 16;
  alignas(64) std::uint32_t time[words], block[words], place[words];
};

// What is said for all known words of one kind: the thread of word w is that of `place` plus w >> shift, modulo 1024.
struct RunMark {
  std::uint32_t time, block, place;
};

struct alignas(64) WordGroup {
  static constexpr unsigned words = WordMarks::words;

  std::uint32_t stamp;         // of the launch, or of the block in shared memory; others' marks count for nothing
  std::uint16_t in_parts;      // by word: its bytes were accessed separately and have cells of their own
  std::uint16_t known[kinds];  // by kind and word: there is such an access
  std::uint8_t spread;         // by kind: see the WordMarks instead of the RunMark
  std::uint8_t shifts;         // by kind two bits: of the RunMark
  RunMark runs[kinds];

  void start(std::uint32_t new_stamp) {
    stamp = new_stamp;
    in_parts = 0;
    for (std::uint16_t& one : known) one = 0;
    spread = 0;
  }
  bool is_spread(MarkKind kind) const { return (spread >> kind & 1) != 0; }
  unsigned shift(MarkKind kind) const { return shifts >> 2 * kind & 3u; }
};
static_assert(sizeof(WordGroup) == 64);

// A group with its marks by kind, which are looked at where it says so.
struct Words {
  WordGroup& group;
  WordMarks* marks;

  AccessMark get(MarkKind kind, unsigned word) const;
  // For words of which a run says all: `mark` is that of `word`.
  void set(MarkKind kind, std::uint32_t mask, unsigned word, const AccessMark& mark, unsigned shift);
  // Gives each known word a mark of its own.
  void spread(MarkKind kind);
  void forget(MarkKind kind, std::uint32_t mask) {
    group.known[kind] = static_cast<std::uint16_t>(group.known[kind] & ~mask);
  }
};

// One word of a group, as ByteCell is one byte.
class WordCell {
 public:
  WordCell(const Words& words, unsigned word) : words_(words), word_(word) {}
  bool has(MarkKind kind) const { return (words_.group.known[kind] >> word_ & 1) != 0; }
  AccessMark get(MarkKind kind) const { return words_.get(kind, word_); }
  void set(MarkKind kind, const AccessMark& mark) { words_.set(kind, 1u << word_, word_, mark, 0); }
  void forget(MarkKind kind) { words_.forget(kind, 1u << word_); }

 private:
  Words words_;
  const unsigned word_;
};

// One access of a group's words, by lanes of one warp.
struct WordsAccess {
  AccessMark mark;                 // of all lanes; its thread is not used
  bool writes = false;             // it reads, too, if it is atomic
  std::uint32_t first_thread = 0;  // of lane 0, in the block
  std::int32_t first_word = 0;     // of lane 0, relative to the group
  unsigned word_shift = 0;         // a lane accesses 1 << word_shift words
  // What orders it after earlier accesses of the block, and of its own warp: BlockClock's times.
  std::uint32_t block_met = 0, warp_met = 0;
  bool is_plain = true;  // nothing else orders accesses
};

// Whether this machine has the instructions for note_words().
bool can_note_words();
// Records an access of the words of `mask`. False, with nothing changed, where some word's earlier accesses must be
// looked at one by one, because they may conflict or the word is in parts.
bool note_words(const Words& words, std::uint16_t mask, const WordsAccess& access);

}  // namespace heddle::device::cpu
