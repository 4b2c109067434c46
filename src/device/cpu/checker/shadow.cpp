#include "device/cpu/checker/shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace heddle::device::cpu {

ZeroPages::~ZeroPages() {
  if (void* const there = data_.load()) ::munmap(there, size_);
}

void* ZeroPages::map(std::size_t bytes) {
  const std::lock_guard guard(mutex_);
  if (void* const there = data_.load()) return there;
  size_ = std::max<std::size_t>(bytes, 1);
  void* const made = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  // The shadow of a large allocation is touched all over: fewer and larger pages.
  constexpr std::size_t large = 16 << 20;
  if (size_ >= large) ::madvise(made, size_, MADV_HUGEPAGE);
  data_.store(made, std::memory_order_release);
  return made;
}

namespace {

constexpr unsigned word_bits = 64;

// `count` ones from bit `first` on; both within a word.
std::uint64_t ones(unsigned first, unsigned count) {
  return (count >= word_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

}  // namespace

void WrittenBytes::set(std::uint64_t offset, std::uint64_t size) {
  if (offset >= bytes_) return;
  size = std::min(size, bytes_ - offset);
  Word* const all = words();
  while (size != 0) {
    const auto first = static_cast<unsigned>(offset % word_bits);
    const auto count = static_cast<unsigned>(std::min<std::uint64_t>(size, word_bits - first));
    Word& word = all[offset / word_bits];
    const std::uint64_t wanted = ones(first, count);
    // Most are set already where a kernel works on the same bytes again.
    if ((word.load(std::memory_order_relaxed) & wanted) != wanted) word.fetch_or(wanted, std::memory_order_relaxed);
    offset += count;
    size -= count;
  }
}

unsigned WrittenBytes::first_missing(std::uint64_t offset, unsigned size) {
  const Word* const all = words();
  for (unsigned done = 0; done < size;) {
    const auto first = static_cast<unsigned>((offset + done) % word_bits);
    const unsigned count = std::min(size - done, word_bits - first);
    const std::uint64_t missing =
        ~all[(offset + done) / word_bits].load(std::memory_order_relaxed) & ones(first, count);
    if (missing != 0) return done + static_cast<unsigned>(__builtin_ctzll(missing)) - first;
    done += count;
  }
  return size;
}

std::uint64_t WrittenBytes::prefix() {
  const std::lock_guard guard(prefix_mutex_);
  const Word* const all = words();
  while (prefix_ < bytes_) {
    const std::uint64_t missing = ~all[prefix_ / word_bits].load(std::memory_order_relaxed) >> prefix_ % word_bits;
    const auto left = static_cast<unsigned>(word_bits - prefix_ % word_bits);
    const unsigned found = missing == 0 ? left : std::min(left, static_cast<unsigned>(__builtin_ctzll(missing)));
    prefix_ += found;
    if (found != left) break;
  }
  return std::min(prefix_, bytes_);
}

void WrittenBytes::copy(std::uint64_t offset, WrittenBytes& from, std::uint64_t from_offset, std::uint64_t size) {
  const std::lock_guard guard(prefix_mutex_);
  prefix_ = std::min(prefix_, offset);
  Word* const all = words();
  const auto one = [&](std::uint64_t i) {
    const std::uint64_t bit = std::uint64_t{1} << (offset + i) % word_bits;
    Word& word = all[(offset + i) / word_bits];
    if (from.first_missing(from_offset + i, 1) != 0)
      word.fetch_or(bit, std::memory_order_relaxed);
    else
      word.fetch_and(~bit, std::memory_order_relaxed);
  };
  const bool backwards = &from == this && from_offset < offset;
  for (std::uint64_t i = 0; i < size;) {
    const auto piece = static_cast<unsigned>(std::min<std::uint64_t>(size - i, word_bits));
    if (!backwards && from.first_missing(from_offset + i, piece) == piece) {
      set(offset + i, piece);
      i += piece;
      continue;
    }
    for (const std::uint64_t end = i + piece; i < end; ++i) one(backwards ? size - 1 - i : i);
  }
}

void WrittenBytes::clear() {
  const std::lock_guard guard(prefix_mutex_);
  prefix_ = 0;
  if (auto* const there = static_cast<Word*>(bits_.get_if_there()))
    for (std::uint64_t i = 0; i < (bytes_ + word_bits - 1) / word_bits; ++i)
      there[i].store(0, std::memory_order_relaxed);
}

}  // namespace heddle::device::cpu
