// An allocator for objects that are made and destroyed all the time, one by one.
#pragma once

#include <array>
#include <cstddef>
#include <new>

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
  class Spare {
   public:
    Spare() = default;
    // Objects with static lifetime may be destroyed after the thread's: their memory is not kept then.
    ~Spare() {
      while (void* const memory = take()) ::operator delete(memory, std::align_val_t(alignof(T)));
      closed_ = true;
    }
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;
    void* take() { return count_ == 0 ? nullptr : blocks_[--count_]; }
    bool keep(void* memory) {
      if (count_ == blocks_.size() || closed_) return false;
      blocks_[count_++] = memory;
      return true;
    }

   private:
    std::array<void*, 16> blocks_{};
    std::size_t count_ = 0;
    bool closed_ = false;
  };
  static Spare& spare() {
    thread_local Spare mine;
    return mine;
  }
};

}  // namespace heddle::base
