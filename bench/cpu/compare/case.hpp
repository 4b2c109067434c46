// What a benchmark is: arrays, kernels to launch on them, and the same as plain C++ loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "heddle/dim3.hpp"

namespace heddle::bench {

enum class Element { f32, i32, u32, u8 };

enum class Role {
  input,    // read only
  output,   // written before it is read, and compared
  changed,  // read and written, and compared; set back to its first values before each measurement
  scratch,  // as output, but not compared: contenders may use it differently
};

struct ArraySpec {
  std::string name;
  Element element = Element::f32;
  Role role = Role::input;
  std::vector<std::byte> initial;
};

// The n-th array of the case.
struct ArrayIndex {
  std::size_t index = 0;
};
using StepArgument = std::variant<std::int32_t, float, ArrayIndex>;

// One launch.
struct Step {
  std::string kernel;
  Dim3 grid, block;
  std::vector<StepArgument> arguments;
};

// The arrays as the loops see them.
class HostArrays {
 public:
  explicit HostArrays(std::vector<std::byte*> arrays) : arrays_(std::move(arrays)) {}
  template <typename T = float>
  T* get(std::size_t index) const {
    return reinterpret_cast<T*>(arrays_[index]);
  }

 private:
  std::vector<std::byte*> arrays_;
};
using Loops = std::function<void(const HostArrays&)>;

struct Tolerance {
  double relative = 1e-4;  // of the value plus the array's root mean square
  double share = 0;        // of the values that may be further off, where a rounding decides what a loop does
};

struct Case {
  std::string name;  // "gemm"; also the name of its files in bench/cpu/kernels
  std::vector<ArraySpec> arrays;
  std::vector<Step> steps;
  Loops loops;
  // For what holds long sums: the loops with leave to add up in any order.
  Loops reordered;
  // For what is bound by memory alone: the loops with stores that go past the caches, and the bytes they move.
  Loops streaming;
  double bytes = 0;
  Tolerance tolerance;

  bool bound_by_memory() const { return bytes > 0; }
  // Index of the array, for arguments.
  ArrayIndex add(ArraySpec array);
};

// `count` values between low and high, the same in every run; `seed` tells arrays apart.
ArraySpec random_floats(std::string name, std::size_t count, float low, float high, unsigned seed,
                        Role role = Role::input);
// `count` zeros.
ArraySpec zeros(std::string name, std::size_t count, Role role, Element element = Element::f32);
template <typename T>
ArraySpec values(std::string name, Element element, std::span<const T> from, Role role = Role::input) {
  const auto bytes = std::as_bytes(from);
  return {std::move(name), element, role, {bytes.begin(), bytes.end()}};
}

// Enough blocks of `threads` threads for n.
Dim3 blocks_for(std::size_t n, unsigned threads);
// Enough blocks of 32 x 8 threads.
Dim3 blocks_for_plane(std::size_t columns, std::size_t rows);
inline constexpr Dim3 plane_block{32, 8, 1};

}  // namespace heddle::bench
