// The arguments of the call of CUDA that the thread is in, for reports of calls that fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "cuda_api/abi/runtime.hpp"
#include "cuda_api/core/thread_state.hpp"

namespace heddle::cuda_api {

// One argument, to be made a text only if the call fails.
struct ArgumentValue {
  enum class Kind : std::uint8_t { number, negative, pointer, copy_kind, shape, structure } kind = Kind::structure;
  std::uint32_t third = 0;  // extent of a shape, whose others are in `value`
  std::uint64_t value = 0;

  template <typename T>
  explicit ArgumentValue(const T& given) {
    if constexpr (std::is_pointer_v<T>) {
      kind = Kind::pointer;
      value = reinterpret_cast<std::uint64_t>(given);
    } else if constexpr (std::is_same_v<T, cudaMemcpyKind>) {
      kind = Kind::copy_kind;
      value = static_cast<std::uint64_t>(given);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      kind = Kind::number;
      if constexpr (std::is_signed_v<T>)
        if (given < 0) kind = Kind::negative;
      value = static_cast<std::uint64_t>(given);
    } else if constexpr (std::is_same_v<T, dim3>) {
      kind = Kind::shape;
      value = given.x | std::uint64_t{given.y} << 32;
      third = given.z;
    }
  }
};

// While it exists, the arguments are those of the thread's call; of calls within calls, the outermost has them.
class Arguments {
 public:
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  // "to = 0x7f0000000000, size = 512".
  std::string text() const;

 protected:
  // `names`: with commas between.
  Arguments(const char* names, const ArgumentValue* values, std::size_t count)
      : names_(names), values_(values), count_(count) {
    const Arguments*& place = thread_state().arguments;
    if (place != nullptr) return;
    place = this;
    is_shown_ = true;
  }
  ~Arguments() {
    if (is_shown_) thread_state().arguments = nullptr;
  }

 private:
  const char* names_;
  const ArgumentValue* values_;
  std::size_t count_;
  bool is_shown_ = false;
};

template <std::size_t count>
class ArgumentList : public Arguments {
 public:
  template <typename... T>
  explicit ArgumentList(const char* names, const T&... values)
      : Arguments(names, values_, count), values_{ArgumentValue(values)...} {}

 private:
  ArgumentValue values_[count];
};
template <typename... T>
ArgumentList(const char*, const T&...) -> ArgumentList<sizeof...(T)>;

}  // namespace heddle::cuda_api

// At the start of a function of CUDA, with its parameters.
#define HEDDLE_ARGUMENTS(...) const ::heddle::cuda_api::ArgumentList heddle_arguments(#__VA_ARGS__, __VA_ARGS__)
