// An allocator for objects that are made and destroyed all the time, one by one.
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include "base/thread_end.hpp"

namespace heddle::base {

// Each thread keeps a few blocks of memory that it has freed, for its next objects of the type. Memory may be freed by
// another thread than the one that allocated it.
template <typename T>
class RecyclingAllocator {
 public:
  using value_type = T;

  RecyclingAllocator() = default;
  template <typename U>
  RecyclingAllocator(const RecyclingAllocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) {
    if (count == 1)
      if (void* const memory = spare().take()) return static_cast<T*>(memory);
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(alignof(T))));
  }
  void deallocate(T* memory, std::size_t count) {
    if (count != 1 || !spare().keep(memory)) ::operator delete(memory, std::align_val_t(alignof(T)));
  }
  friend bool operator==(const RecyclingAllocator&, const RecyclingAllocator&) { return true; }

 private:
  // Without a destructor: there may be no memory to register one. A thread that cannot have its spare blocks freed at
  // its end keeps none.
  class Spare {
   public:
    void* take() { return count_ == 0 ? nullptr : blocks_[--count_]; }
    bool keep(void* memory) {
      if (count_ == blocks_.size() || !open()) return false;
      blocks_[count_++] = memory;
      return true;
    }

   private:
    bool open() {
      if (state_ == State::fresh) state_ = at_thread_end<&Spare::end>(this) ? State::open : State::closed;
      return state_ == State::open;
    }
    // Other ends of the thread may free objects after this: their memory is not kept then.
    static void end(void* spare) {
      auto& self = *static_cast<Spare*>(spare);
      self.state_ = State::closed;
      while (void* const memory = self.take()) ::operator delete(memory, std::align_val_t(alignof(T)));
    }

    enum class State : unsigned char { fresh, open, closed };
    std::array<void*, 16> blocks_{};
    std::size_t count_ = 0;
    State state_ = State::fresh;
  };
  static Spare& spare() {
    constinit thread_local Spare mine __attribute__((tls_model("initial-exec")));
    return mine;
  }
};

}  // namespace heddle::base
