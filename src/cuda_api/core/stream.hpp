// Streams, and the order between the legacy NULL stream and the others.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <optional>

#include "base/thread_safety.hpp"
#include "cuda_api/abi/runtime.hpp"
#include "cuda_api/core/callback_line.hpp"
#include "heddle/device.hpp"

namespace heddle::cuda_api {

class Context;
class Capture;

// Callbacks of a stream up to one place in it. Null: the stream has had no callback.
struct CallbackMark {
  std::shared_ptr<CallbackLine> line;
  std::uint64_t count = 0;
  // Waits for them, after the stream has been waited for up to that place.
  void wait() const {
    if (line) line->wait(count);
  }
  bool done() const { return !line || line->done(count); }
};

}  // namespace heddle::cuda_api

// What a cudaStream_t points to. Slots of streams that were destroyed are kept and used again. So a handle of one is
// recognised as invalid, and is not read after it is freed.
struct CUstream_st {
  std::atomic<bool> alive{false};
  heddle::cuda_api::Context* context = nullptr;
  std::optional<heddle::Queue> queue;
  unsigned flags = 0;
  int priority = 0;
  std::atomic<int> synchronization_policy{1};  // the program's hint how the host waits, without effect
  // Attributes that are hints about caches and fences, as the program has set them, by their numbers; without effect.
  heddle::base::Mutex hints_mutex;
  std::map<int, std::array<char, 64>> hints HEDDLE_GUARDED_BY(hints_mutex);
  std::uint64_t id = 0;
  // Guarded by the context's mutex. The number of commands so far, how many of them the legacy stream has waited for,
  // and how many of the legacy stream's this one has waited for.
  std::uint64_t submitted = 0, seen_by_legacy = 0, seen_of_legacy = 0;
  std::optional<heddle::Event> turn;  // recorded in this stream for others to wait for
  // For queries: an event after the first `asked` commands. For failures: how many commands were waited for.
  std::optional<heddle::Event> end;
  std::uint64_t asked = 0, checked = 0;
  std::shared_ptr<heddle::cuda_api::Capture> capture;         // while it records a graph
  std::shared_ptr<heddle::cuda_api::CallbackLine> callbacks;  // guarded by the context's mutex; null: it has had none

  // Does not synchronise with the legacy stream.
  bool non_blocking() const { return (flags & cudaStreamNonBlocking) != 0; }
};

// What a cudaEvent_t points to; kept like streams.
struct CUevent_st {
  std::atomic<bool> alive{false};
  heddle::cuda_api::Context* context = nullptr;
  std::optional<heddle::Event> event;
  unsigned flags = 0;
  std::atomic<bool> recorded{false};
  std::shared_ptr<heddle::cuda_api::Capture> capture;  // recorded in a stream that records a graph
  std::atomic<bool> captured{false};                   // that there is one
  // Those before the last record.
  heddle::base::Mutex callbacks_mutex;
  heddle::cuda_api::CallbackMark callbacks HEDDLE_GUARDED_BY(callbacks_mutex);
};

namespace heddle::cuda_api {

// Slots of one kind, in blocks of memory that are never freed, each twice as long as the one before. Any thread. A slot
// that was given back rests until `resting` others were given back after it: a handle that a program uses after its end
// is then still invalid, and not that of a new object.
template <class T>
class Slots {
 public:
  T& take() {
    const base::Lock lock(mutex_);
    if (fresh_ > 0) return blocks_[made_.load(std::memory_order_relaxed) - 1][--fresh_];
    if (given_ <= resting) {
      add_block();
      return blocks_[made_.load(std::memory_order_relaxed) - 1][--fresh_];
    }
    Slot& slot = *first_;
    first_ = slot.next;
    --given_;
    return slot;
  }
  // Whether it is one of these slots, in use or not. `slot` may be any number: it is not read. Without a lock, as each
  // launch asks for its stream.
  bool has(const T* slot) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(slot);
    const std::size_t blocks = made_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(blocks_[i].get());
      if (offset < (first_block << i) * sizeof(Slot)) return offset % sizeof(Slot) == 0;
    }
    return false;
  }
  // Whether it is in use.
  bool is_alive(const T* slot) const noexcept { return has(slot) && slot->alive.load(std::memory_order_acquire); }
  void give(T& object) {
    auto& slot = static_cast<Slot&>(object);
    const base::Lock lock(mutex_);
    slot.next = nullptr;
    (given_ == 0 ? first_ : last_->next) = &slot;
    last_ = &slot;
    ++given_;
  }

 private:
  struct Slot : T {
    Slot* next = nullptr;  // the one that was given back after it
  };
  static constexpr std::size_t first_block = 16, most_blocks = 32, resting = 128;

  void add_block() HEDDLE_REQUIRES(mutex_) {
    const std::size_t number = made_.load(std::memory_order_relaxed), count = first_block << number;
    if (number == most_blocks) throw std::bad_alloc();
    blocks_[number] = std::make_unique<Slot[]>(count);
    fresh_ = count;
    made_.store(number + 1, std::memory_order_release);
  }

  mutable heddle::base::Mutex mutex_;
  std::array<std::unique_ptr<Slot[]>, most_blocks> blocks_;  // written once each, before `made_` counts it
  std::atomic<std::size_t> made_{0};
  std::size_t fresh_ HEDDLE_GUARDED_BY(mutex_) = 0;  // slots at the start of the last block that nobody has taken
  // The slots that were given back and not taken again, the oldest first.
  Slot* first_ HEDDLE_GUARDED_BY(mutex_) = nullptr;
  Slot* last_ HEDDLE_GUARDED_BY(mutex_) = nullptr;
  std::size_t given_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

// The slots of the process, and numbers that are unique in it.
struct Handles {
  Slots<CUstream_st> streams;
  Slots<CUevent_st> events;
  std::uint64_t next_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> next_id_{1};
};

}  // namespace heddle::cuda_api
