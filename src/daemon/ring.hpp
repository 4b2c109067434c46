// Messages from one process to another through shared memory. Neither side trusts what the other can write.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace heddle::daemon {

constexpr std::size_t message_words = 8;
using Message = std::array<std::uint64_t, message_words>;
constexpr std::uint64_t ring_capacity = 256;  // messages; a power of two

// In shared memory. Zeros are an empty ring. All of it may change at any time, to anything.
struct RingMemory {
  alignas(64) std::atomic<std::uint64_t> written;  // messages, ever
  alignas(64) std::atomic<std::uint64_t> read;
  alignas(64) std::atomic<std::uint64_t> words[ring_capacity * message_words];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// The side that writes; one thread at a time. How far it is stands in its own memory.
class RingWriter {
 public:
  // Continues after what an earlier writer of the ring has written.
  explicit RingWriter(RingMemory& memory) : memory_(memory), written_(memory.written.load(std::memory_order_relaxed)) {}

  // False if the ring is full, or if the reader's counter makes no sense; then nothing is written.
  bool push(const Message& message) {
    const std::uint64_t held = written_ - memory_.read.load(std::memory_order_acquire);
    if (held >= ring_capacity) return false;
    const std::uint64_t at = written_ % ring_capacity * message_words;
    for (std::size_t i = 0; i < message_words; ++i) memory_.words[at + i].store(message[i], std::memory_order_relaxed);
    memory_.written.store(++written_, std::memory_order_release);
    return true;
  }

 private:
  RingMemory& memory_;
  std::uint64_t written_;
};

// The side that reads; one thread at a time.
class RingReader {
 public:
  // Begins with what is written from now on.
  explicit RingReader(RingMemory& memory) : memory_(memory), read_(memory.written.load(std::memory_order_acquire)) {
    memory_.read.store(read_, std::memory_order_release);
  }

  // The next message, as it was at one reading of each word; nothing: the ring is empty. A writer whose counter makes
  // no sense has broken the ring: from then on there are none.
  std::optional<Message> pop() {
    if (broken_) return std::nullopt;
    const std::uint64_t held = memory_.written.load(std::memory_order_acquire) - read_;
    if (held == 0) return std::nullopt;
    if (held > ring_capacity) {
      broken_ = true;
      return std::nullopt;
    }
    Message message;
    const std::uint64_t at = read_ % ring_capacity * message_words;
    for (std::size_t i = 0; i < message_words; ++i) message[i] = memory_.words[at + i].load(std::memory_order_relaxed);
    memory_.read.store(++read_, std::memory_order_release);
    return message;
  }
  bool broken() const { return broken_; }

 private:
  RingMemory& memory_;
  std::uint64_t read_;
  bool broken_ = false;
};

}  // namespace heddle::daemon
