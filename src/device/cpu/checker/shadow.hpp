// What is known of the bytes of one allocation: who accessed them last, and which were written at all.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "device/cpu/adaptive_lock.hpp"
#include "device/cpu/checker/word_group.hpp"

namespace heddle::device::cpu {

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

// Groups of words; words that are accessed in parts have cells for their bytes.
class AccessCells {
 public:
  explicit AccessCells(std::uint64_t bytes) : groups_((bytes + WordGroup::words * 4 - 1) / (WordGroup::words * 4)) {}

  static constexpr std::uint32_t stamps = 1u << 31;  // a group's stamp is less

  // A group of that stamp, empty if it had another one.
  Words group(std::uint64_t number, std::uint32_t stamp) {
    WordGroup& group = static_cast<WordGroup*>(word_groups_.get(groups_ * sizeof(WordGroup)))[number];
    if (group.stamp != stamp) group.start(stamp);
    return {group, static_cast<WordMarks*>(word_marks_.get(groups_ * kinds * sizeof(WordMarks))) + number * kinds};
  }
  // The four cells of a word's bytes.
  AccessCell* bytes_of(std::uint64_t word) {
    return static_cast<AccessCell*>(byte_cells_.get(groups_ * WordGroup::words * 4 * sizeof(AccessCell))) + word * 4;
  }

 private:
  const std::uint64_t groups_;
  ZeroPages word_groups_, word_marks_, byte_cells_;
};

// A bit for each byte: it was written. Any thread.
class WrittenBytes {
 public:
  explicit WrittenBytes(std::uint64_t bytes) : bytes_(bytes) {}
  void set(std::uint64_t offset, std::uint64_t size);
  // The first of the bytes that was not written; `size` where all were.
  unsigned first_missing(std::uint64_t offset, unsigned size);
  // As the bytes of another allocation are. The ranges may overlap.
  void copy(std::uint64_t offset, WrittenBytes& from, std::uint64_t from_offset, std::uint64_t size);
  void clear();
  // How many bytes from the first one on were written without a gap. All calls together pass over the bytes once.
  std::uint64_t prefix();

 private:
  using Word = std::atomic<std::uint64_t>;
  Word* words() { return static_cast<Word*>(bits_.get((bytes_ + 127) / 64 * sizeof(Word))); }

  const std::uint64_t bytes_;
  ZeroPages bits_;
  std::mutex prefix_mutex_;  // and of what makes bytes unwritten
  std::uint64_t prefix_ = 0;
};

class Shadow {
 public:
  // `written`: what was written is to be known; else all of it counts as written. `of_parameters`: kernels come there
  // by their parameters and by variables alone.
  Shadow(std::uint64_t address, std::uint64_t bytes, bool written, bool of_parameters = true)
      : begin_(address),
        of_parameters_(of_parameters),
        cells_(bytes + address % group_bytes),
        written_(bytes),
        knows_written_(written) {}

  std::uint64_t begin() const { return begin_; }
  bool of_parameters() const { return of_parameters_; }
  // The launch that was last seen to write there by right (LaunchChecker::may_write).
  std::atomic<std::uint64_t> writer{0};
  AccessCells& cells() { return cells_; }
  // The word of an address, in groups of 64 aligned bytes, and the lock of the words around it.
  std::uint64_t word_of(std::uint64_t address) const { return address / 4 - begin_ / group_bytes * (group_bytes / 4); }
  AdaptiveLock& lock_of(std::uint64_t address) { return locks_[address / locked_bytes % locks_.size()]; }
  static constexpr std::uint64_t locked_bytes = 1024;

  bool knows_written() const { return knows_written_.load(std::memory_order_relaxed); }
  WrittenBytes& written() { return written_; }
  // The host has a pointer to the bytes: from now on nothing is known of them.
  void assume_written() { knows_written_.store(false, std::memory_order_relaxed); }

  void note_written(std::uint64_t address, std::uint64_t bytes) {
    if (knows_written()) written_.set(address - begin_, bytes);
  }

 private:
  static constexpr std::uint64_t group_bytes = WordGroup::words * 4;

  const std::uint64_t begin_;
  const bool of_parameters_;
  AccessCells cells_;
  WrittenBytes written_;
  std::atomic<bool> knows_written_;
  std::array<AdaptiveLock, 64> locks_;
};

}  // namespace heddle::device::cpu
