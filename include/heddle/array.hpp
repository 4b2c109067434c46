// Arrays that kernels and the host share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace heddle {

namespace runtime {
class Buffer;
}

// The untyped part of Array: the bytes, and when the host and launches may access them.
class ArrayBytes {
 public:
  ArrayBytes(ArrayBytes&&) noexcept = default;
  ArrayBytes& operator=(ArrayBytes&&) noexcept = default;
  ArrayBytes(const ArrayBytes&) = delete;
  ArrayBytes& operator=(const ArrayBytes&) = delete;

  std::size_t bytes() const;

  // The address on a device (default: the runtime's first), for kernels that take pointers inside structures or arrays
  // of pointers. From now on, every launch on that device counts as reading and writing this array.
  std::uint64_t address(std::string_view device = {});

  const std::shared_ptr<runtime::Buffer>& buffer() const { return buffer_; }

 protected:
  explicit ArrayBytes(std::shared_ptr<runtime::Buffer> buffer) : buffer_(std::move(buffer)) {}
  const void* read_bytes() const;
  void* write_bytes();
  // Bytes [begin, end). Throw invalid_argument if they are not part of the array.
  const void* read_bytes(std::size_t begin, std::size_t end) const;
  void* write_bytes(std::size_t begin, std::size_t end);
  void prefetch_bytes(std::size_t begin, std::size_t end) const;
  // Throws invalid_argument: [first, first + count) is outside an array of `size` elements.
  [[noreturn]] static void refuse_range(std::size_t first, std::size_t count, std::size_t size);
  // As read_bytes(). It also copies some of the neighbouring bytes if no task uses them.
  const void* read_near(std::size_t begin, std::size_t end) const;

 private:
  std::shared_ptr<runtime::Buffer> buffer_;
};

// Part of an array, as a launch argument: the kernel gets the address of its first element, and may access `count`
// elements from there on. Launches with parts that do not overlap do not depend on each other.
template <typename T>
struct ArraySlice {
  static constexpr std::size_t rest = static_cast<std::size_t>(-1);
  const ArrayBytes* array = nullptr;
  std::size_t first = 0;     // element
  std::size_t count = rest;  // elements; rest: to the array's end
};

// `size` values of T that kernels and the host use in turn, zero at first. Made by Runtime::array. Movable, not
// copyable. Destroying it waits for the launches that use it. The runtime may be destroyed before the array. An array
// that was moved from holds nothing: its members, and launches with it, throw invalid_argument.
//
// Threads: several may launch with, or read, the same array. While one thread calls write(), no other may use the
// array.
template <typename T>
class Array : public ArrayBytes {
  static_assert(std::is_trivially_copyable_v<T>, "an array holds values that can be copied byte by byte");

 public:
  explicit Array(std::shared_ptr<runtime::Buffer> buffer) : ArrayBytes(std::move(buffer)) {}

  std::size_t size() const { return bytes() / sizeof(T); }

  // The values, once the launches in flight that write them are done; it does not wait for other launches. Throws the
  // Error of a launch that failed. Valid until the next launch that writes this array, or write().
  std::span<const T> read() const { return {static_cast<const T*>(read_bytes()), size()}; }

  // The values, for reading and changing, once no launch uses them. Throws as read(). Valid until the next launch that
  // uses this array.
  std::span<T> write() { return {static_cast<T*>(write_bytes()), size()}; }

  // Values [first, first + count): waits for the launches that use these, and copies no others from a device. Otherwise
  // as read() and write(). Throw invalid_argument if that is outside the array.
  std::span<const T> read(std::size_t first, std::size_t count) const {
    check(first, count);
    return {static_cast<const T*>(read_bytes(first * sizeof(T), (first + count) * sizeof(T))), count};
  }
  std::span<T> write(std::size_t first, std::size_t count) {
    check(first, count);
    return {static_cast<T*>(write_bytes(first * sizeof(T), (first + count) * sizeof(T))), count};
  }
  // Begins to copy the values to where read() finds them, as soon as the launches in flight that write them are done,
  // and returns: read() then waits for less. It is a hint: where a policy holds launches back, where a call is open
  // that uses the array, or where there is no memory, nothing happens. Throws invalid_argument as read() does.
  void prefetch() const { prefetch_bytes(0, bytes()); }
  void prefetch(std::size_t first, std::size_t count) const {
    check(first, count);
    prefetch_bytes(first * sizeof(T), (first + count) * sizeof(T));
  }
  // One value. Reading values one after the other copies 64 KiB at a time.
  T operator[](std::size_t i) const {
    check(i, 1);
    return *static_cast<const T*>(read_near(i * sizeof(T), (i + 1) * sizeof(T)));
  }

  // From `first` on: `runtime.launch(kernel, shape, n, x.slice(1024))`.
  ArraySlice<T> slice(std::size_t first) const { return {this, first}; }
  // `count` elements from `first` on.
  ArraySlice<T> slice(std::size_t first, std::size_t count) const { return {this, first, count}; }

 private:
  void check(std::size_t first, std::size_t count) const {
    if (first > size() || count > size() - first) refuse_range(first, count, size());
  }
};

}  // namespace heddle
