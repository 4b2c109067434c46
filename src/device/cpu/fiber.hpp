// Stacks and control transfer for warps that wait for one another. A thin layer over Boost.Context that also informs
// the sanitizers which stack runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device/cpu/adaptive_lock.hpp"

namespace heddle::device::cpu {

// A stack with an inaccessible guard below it.
class Stack {
 public:
  Stack(std::byte* low, std::size_t size, unsigned color) : low_(low), size_(size), color_(color) {}
  std::byte* low() const { return low_; }
  std::byte* high() const { return low_ + size_; }
  std::size_t size() const { return size_; }
  // Where frames start: stacks begin at different cache sets, or the hot ends of all warps would share one.
  std::byte* start() const { return high() - color_ * color_bytes; }
  bool contains(std::uint64_t address) const {
    return address >= reinterpret_cast<std::uint64_t>(low_) && address < reinterpret_cast<std::uint64_t>(high());
  }
  bool guard_contains(std::uint64_t address) const {
    const auto low = reinterpret_cast<std::uint64_t>(low_);
    return address < low && address >= low - guard_bytes;
  }

  static constexpr unsigned colors = 16;
  static constexpr std::size_t color_bytes = 320;  // five lines: visits every cache set in turn
  // Frames larger than a page may step over a small guard.
  static constexpr std::size_t guard_bytes = 64 * 1024;

 private:
  std::byte* low_;
  std::size_t size_;
  unsigned color_;
};

// Maps stacks in slabs and keeps them for reuse. Any thread.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // A stack of at least `bytes`. Null when the system gives no more memory or mappings.
  Stack* take(std::size_t bytes) noexcept;
  void give(Stack* stack) noexcept;
  // The size that take(bytes) would give.
  static std::size_t rounded(std::size_t bytes);

 private:
  struct Class {
    std::size_t size = 0;
    std::vector<std::unique_ptr<Stack>> all;
    std::vector<Stack*> free;
  };
  Class& class_of(std::size_t size);
  bool grow(Class& size_class);

  AdaptiveLock lock_;
  std::vector<std::unique_ptr<Class>> classes_;
  struct Mapping {
    void* address;
    std::size_t size;
  };
  std::vector<Mapping> mappings_;
};

// A flow of control: either code on a Stack, or (default-constructed) the thread that switches to others.
class Fiber {
 public:
  using Main = void (*)(void* argument);  // must never return

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes this fiber start main(argument) on the stack at the next switch to it. What ran on the stack is
  // forgotten, without unwinding.
  void reset(Stack& stack, Main main, void* argument);
  bool started() const { return stack_ != nullptr; }
  Stack* stack() const { return stack_; }

  // Exchanges the flows of control. One of them may be the one that runs: it is `other` then.
  void swap(Fiber& other);

  // For a fiber that represents a thread: must be called by that thread before it switches away.
  void adopt_thread();

  // Suspends the fiber that runs, which must be `from`, and continues `to`. Returns when another fiber switches to
  // `from`.
  static void switch_to(Fiber& from, Fiber& to);
  // The same from code that the sanitizers must not instrument: `from` runs on a borrowed stack and is never continued.
  [[noreturn]] static void abandon_to(Fiber& from, Fiber& to);

 private:
  struct Entry;
  void forget_sanitizer_state();

  void* context_ = nullptr;
  Stack* stack_ = nullptr;
  Main main_ = nullptr;
  void* argument_ = nullptr;
  void* tsan_fiber_ = nullptr;
  bool owns_tsan_fiber_ = false;
  void* asan_fake_stack_ = nullptr;
  const void* asan_low_ = nullptr;
  std::size_t asan_size_ = 0;
};

}  // namespace heddle::device::cpu
