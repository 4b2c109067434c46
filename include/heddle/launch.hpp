// Launches: their shape, their arguments, and their state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "heddle/array.hpp"
#include "heddle/dim3.hpp"
#include "heddle/direction.hpp"
#include "heddle/element.hpp"

namespace heddle {

namespace runtime {
class LaunchState;
}

struct LaunchOptions {
  Dim3 grid = {}, block = {};             // blocks, and threads of a block
  std::uint32_t shared = 0;               // bytes of dynamic shared memory
  std::optional<BlockRange> blocks = {};  // only these blocks of the grid; each sees the indices of the whole grid
  bool cooperative = false;               // blocks may synchronise with each other across the grid
  std::string_view device = {};  // id; empty: the choice of Scheduling::placement, by default the runtime's first
  // SMs of a GPU, or workers of the CPU device, on which it may run, ascending; empty: all. GPUs take whole pairs: 0
  // and 1, 2 and 3, ...
  std::vector<unsigned> processors = {};
  bool timed = false;  // Launch::seconds() will be called: a GPU has to put two time stamps around it
};

// One argument of a launch. Scalars and structures are copied. Arrays are referred to, and must exist until the launch
// is made. Integers are not pointers: a pointer parameter takes an array, a slice of one, nullptr, or opaque(). To pass
// an address as a number, put it in a structure, which is passed as it is.
class Argument {
 public:
  enum class Kind : std::uint8_t { integer, floating, structure, null, array, opaque };

  template <typename T>
    requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_same_v<T, std::nullptr_t>)
  Argument(const T& value)  // NOLINT: converts on purpose, launches list plain values
      : tag_(tag_of(std::is_floating_point_v<T>                  ? Kind::floating
                    : std::is_integral_v<T> || std::is_enum_v<T> ? Kind::integer
                                                                 : Kind::structure)) {
    set_bytes(&value, sizeof(T));
  }
  Argument(std::nullptr_t) : tag_(tag_of(Kind::null)) {}                                           // NOLINT
  Argument(const ArrayBytes& array) : tag_(tag_of(Kind::array)), buffer_(array.buffer().get()) {}  // NOLINT
  template <typename T>
  Argument(const Array<T>& array)  // NOLINT
      : tag_(tag_of(Kind::array, element_type<T>)), buffer_(array.buffer().get()) {}
  template <typename T>
  Argument(const ArraySlice<T>& slice)  // NOLINT
      : tag_(tag_of(Kind::array, element_type<T>)),
        offset_(slice.first * sizeof(T)),
        length_(slice.count == ArraySlice<T>::rest ? rest : slice.count * sizeof(T)) {
    if (slice.array != nullptr) buffer_ = slice.array->buffer().get();
  }
  // A value given by its bytes: for programs that read the kernel's parameters at run time.
  Argument(Kind kind, std::span<const std::byte> bytes) : tag_(tag_of(kind)) { set_bytes(bytes.data(), bytes.size()); }

  Kind kind() const { return static_cast<Kind>(tag_ & 0xff); }
  Direction direction() const { return static_cast<Direction>(tag_ >> 8 & 0xff); }     // see in(), out(), inout()
  ElementType element() const { return static_cast<ElementType>(tag_ >> 16 & 0xff); }  // of an array
  // Kind, direction and type of elements in one number, for fast comparison.
  std::uint32_t tag() const { return tag_; }
  static constexpr std::uint32_t tag_of(Kind kind, ElementType element = ElementType::unknown,
                                        Direction direction = Direction::found) {
    return static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(direction) << 8 |
           static_cast<std::uint32_t>(element) << 16;
  }
  static constexpr std::uint32_t every_tag = 0xffffffff, tag_of_any_element = 0xffff;  // masks
  Argument with(Direction direction) const {
    Argument made = *this;
    made.tag_ = tag_of(kind(), element(), direction);
    return made;
  }
  Argument with(ElementType element) const {
    Argument made = *this;
    made.tag_ = tag_of(kind(), element, direction());
    return made;
  }
  std::span<const std::byte> value() const {
    return size_ <= small_.size() ? std::span(small_.data(), size_) : std::span<const std::byte>(large_);
  }
  runtime::Buffer* buffer() const { return buffer_; }  // null: an array that was moved from
  std::size_t offset() const { return offset_; }       // bytes into the array
  static constexpr std::size_t rest = static_cast<std::size_t>(-1);
  std::size_t length() const { return length_; }  // bytes that the kernel may access from there on; rest: to the end
  // Of an array or slice: whether no device that has its own memory has current bytes of the array, so that a launch
  // there has to copy them. True for other arguments. Any thread.
  bool host_only() const;
  // Of an array or slice: see Array::prefetch(). Nothing happens with other arguments. Any thread.
  void prefetch() const;

 private:
  void set_bytes(const void* data, std::size_t size) {
    size_ = size;
    if (size > small_.size()) {
      const auto* bytes = static_cast<const std::byte*>(data);
      large_.assign(bytes, bytes + size);
    } else if (size > 0) {
      std::memcpy(small_.data(), data, size);
    }
  }

  std::uint32_t tag_;
  std::array<std::byte, 16> small_{};
  std::vector<std::byte> large_;  // structures of more than 16 bytes
  std::size_t size_ = 0;
  runtime::Buffer* buffer_ = nullptr;
  std::size_t offset_ = 0, length_ = rest;
};

// Annotations of arrays and slices among the arguments of a launch: `runtime.launch(kernel, shape, n, heddle::in(x),
// heddle::out(y.slice(0, n)))`. A launch whose PTX shows otherwise throws invalid_argument, with the instruction.
inline Argument in(const Argument& array) { return array.with(Direction::in); }
// GrCUDA's name for it.
inline Argument cst(const Argument& array) { return array.with(Direction::in); }
// A promise that the launch overwrites every byte of the array or slice. Heddle does not copy the old bytes to the
// device, and does not fill new arrays with zeros there. Bytes that the launch does not write are undefined then.
inline Argument out(const Argument& array) { return array.with(Direction::out); }
inline Argument inout(const Argument& array) { return array.with(Direction::inout); }

// An array or slice whose bytes are meant for a kernel that takes elements of another type. Without it, an array of
// double for a parameter `float*` is refused, where the parameter's type in the source is known.
inline Argument any_type(const Argument& array) { return array.with(ElementType::unknown); }

// A pointer to memory of a device that belongs to no array, for a kernel that takes one. Nothing is known of other uses
// of that memory. So the launch runs after everything that is in flight, on all devices, and everything that is
// launched later runs after it. The memory must exist until it is done.
inline Argument opaque(std::uint64_t address) {
  return {Argument::Kind::opaque, std::as_bytes(std::span(&address, 1))};
}
inline Argument opaque(const void* pointer) { return opaque(reinterpret_cast<std::uint64_t>(pointer)); }

// A launch that was made. A light handle: if you drop it, the launch continues. Any thread. A handle that was moved
// from throws invalid_argument.
class Launch {
 public:
  explicit Launch(std::shared_ptr<runtime::LaunchState> state) : state_(std::move(state)) {}
  bool done() const;
  // Blocks until it is done. Throws the Error of the launch, or of an earlier one because of which it was skipped.
  void wait() const;
  // Time the device spent on it, after wait(). Copies before it do not count. Throws invalid_argument without
  // LaunchOptions::timed.
  double seconds() const;
  const std::string& device() const;

 private:
  std::shared_ptr<runtime::LaunchState> state_;
};

}  // namespace heddle
