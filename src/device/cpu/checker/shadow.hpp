// What is known of the bytes of one allocation: who accessed them last, and which were written at all.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "device/cpu/spin_lock.hpp"

namespace heddle::device::cpu {

// One access. Twelve bytes: the shadow of memory that a kernel streams through is what costs most.
struct AccessMark {
  static constexpr std::uint32_t most_lines = (1u << 20) - 1;

  std::uint32_t time = 0;  // of the launch (LaunchChecker::now); 0: no access
  std::uint32_t block = 0;
  std::uint32_t line : 20 = 0;
  std::uint32_t thread : 10 = 0;
  std::uint32_t strong : 1 = 0;
  std::uint32_t atomic : 1 = 0;
};

// Four bytes, or one of a word that was accessed in parts: the last write, the last strong one since then, and two
// reads by different threads, of which a third thread's write cannot be both.
struct AccessCell {
  std::uint32_t stamp = 0;  // of the launch; others' marks count for nothing
  AccessMark write, reads[2], strong_write;
};

// Memory that is zero until it is used. Throws std::bad_alloc.
class ZeroPages {
 public:
  ZeroPages() = default;
  ~ZeroPages();
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  // Any thread; the first call decides the size.
  void* get(std::size_t bytes) {
    void* const there = data_.load(std::memory_order_acquire);
    return there != nullptr ? there : map(bytes);
  }
  void* get_if_there() const { return data_.load(std::memory_order_acquire); }

 private:
  void* map(std::size_t bytes);

  std::mutex mutex_;
  std::atomic<void*> data_{nullptr};
  std::size_t size_ = 0;
};

// Cells by word; words that are accessed in parts have cells for their bytes.
class AccessCells {
 public:
  explicit AccessCells(std::uint64_t bytes) : words_((bytes + 3) / 4) {}

  static constexpr std::uint32_t in_parts = 1u << 31;  // in a word's stamp: see the cells of its bytes

  AccessCell& word(std::uint64_t number) {
    return static_cast<AccessCell*>(word_cells_.get(words_ * sizeof(AccessCell)))[number];
  }
  // The four cells of a word's bytes.
  AccessCell* bytes_of(std::uint64_t number) {
    return static_cast<AccessCell*>(byte_cells_.get(words_ * 4 * sizeof(AccessCell))) + number * 4;
  }

 private:
  const std::uint64_t words_;
  ZeroPages word_cells_, byte_cells_;
};

// A bit for each byte: it was written. Any thread.
class WrittenBytes {
 public:
  explicit WrittenBytes(std::uint64_t bytes) : bytes_(bytes) {}
  void set(std::uint64_t offset, std::uint64_t size);
  // The first of up to 64 bytes that was not written; `size` where all were.
  unsigned first_missing(std::uint64_t offset, unsigned size);
  // As the bytes of another allocation are. The ranges may overlap.
  void copy(std::uint64_t offset, WrittenBytes& from, std::uint64_t from_offset, std::uint64_t size);
  void clear();

 private:
  using Word = std::atomic<std::uint64_t>;
  Word* words() { return static_cast<Word*>(bits_.get((bytes_ + 127) / 64 * sizeof(Word))); }

  const std::uint64_t bytes_;
  ZeroPages bits_;
};

class Shadow {
 public:
  // `written`: what was written is to be known; else all of it counts as written.
  Shadow(std::uint64_t address, std::uint64_t bytes, bool written)
      : begin_(address), size_(bytes), cells_(bytes + address % 4), written_(bytes), knows_written_(written) {}

  std::uint64_t begin() const { return begin_; }
  AccessCells& cells() { return cells_; }
  // The word of an address, and the lock of the words around it.
  std::uint64_t word_of(std::uint64_t address) const { return address / 4 - begin_ / 4; }
  SpinLock& lock_of(std::uint64_t address) { return locks_[address / locked_bytes % locks_.size()]; }
  static constexpr std::uint64_t locked_bytes = 1024;

  bool knows_written() const { return knows_written_.load(std::memory_order_relaxed); }
  WrittenBytes& written() { return written_; }
  // The host has a pointer to the bytes: from now on nothing is known of them.
  void assume_written() { knows_written_.store(false, std::memory_order_relaxed); }

  void note_written(std::uint64_t address, std::uint64_t bytes) {
    if (knows_written()) written_.set(address - begin_, bytes);
  }

 private:
  const std::uint64_t begin_, size_;
  AccessCells cells_;
  WrittenBytes written_;
  std::atomic<bool> knows_written_;
  std::array<SpinLock, 64> locks_;
};

}  // namespace heddle::device::cpu
